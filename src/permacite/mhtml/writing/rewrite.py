"""Rewrite of an aggregate: the same parts under the same labels, in another profile."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from permacite.mhtml.mime.parameters import parse_structured
from permacite.mhtml.reading import open_aggregate, related
from permacite.mhtml.writing import build
from permacite.mhtml.writing.profiles import charset_of
from permacite.mhtml.writing.resource import FIELD_NAME, Labels, Multipart, Resource, is_content_id

if TYPE_CHECKING:
    from permacite.mhtml.reading import Aggregate
    from permacite.mhtml.reading.part import BodyPart
    from permacite.mhtml.writing.profiles import Profile
    from permacite.mhtml.writing.resource import Fields, Subtype

__all__ = ["contents_of", "for_browsers", "message_fields", "rewritten"]

_WRITTEN_ANEW = frozenset(
    {
        "content-type",
        "content-transfer-encoding",
        "content-location",
        "content-id",
        "content-base",
        "content-encoding",
        "content-length",
        "mime-version",
    }
)
_SUBTYPES: dict[str, Subtype] = {
    "multipart/related": "related",
    "multipart/alternative": "alternative",
}
_OF_A_MESSAGE = frozenset({"subject", "date"})


def for_browsers(content: bytes) -> bytes:
    """An aggregate as browsers open it with nothing missing. Raises ParseError."""
    return rewritten(content, profile="chromium")


def rewritten(content: bytes, *, profile: Profile) -> bytes:
    """An aggregate, or a message of one page, written again. Raises ParseError."""
    with open_aggregate(content) as aggregate:
        root, resources = contents_of(aggregate, keep_cid=profile == "chromium")
        return build(
            root,
            resources,
            profile=profile,
            subject=aggregate.subject,
            date=_clean(aggregate.message.heading.text("Date")),
            headers=message_fields(aggregate),
            content_location=aggregate.location,
        )


def _clean(value: str | None) -> str | None:
    """A field's value if it may be written as it is."""
    return value if value is not None and value.isprintable() else None


def message_fields(aggregate: Aggregate) -> Fields:
    """The further fields of a message that holds parts, such as From and To."""
    message = aggregate.message
    return _fields(message, without=_OF_A_MESSAGE) if message.body_parts else ()


def contents_of(
    aggregate: Aggregate, *, keep_cid: bool = False
) -> tuple[Resource | Multipart, list[Resource | Multipart]]:
    """What an aggregate is built of: its root, and its other parts in order.

    A label that another part had before is left out, for only the first part is found by it. A
    Content-Location with a cid: URI becomes a Content-ID, unless `keep_cid`.
    """
    taking = _Taking(aggregate, keep_cid=keep_cid)
    message = aggregate.message
    if not message.body_parts or message.content_type != "multipart/related":
        parts = [taking.content(message)]
    else:
        start = related.start_of(message)
        rest = (part for part in message.body_parts if part is not start)
        parts = [taking.content(part) for part in (start, *rest)]
    charset = charset_of(parts[0]) if isinstance(parts[0], Resource) else None
    labels = Labels(charset).within(aggregate.location)
    root, *resources = [_spared(part, labels) for part in parts]
    return root, resources


def _spared(part: Resource | Multipart, labels: Labels) -> Resource | Multipart:
    """A part without the labels that an earlier one has, and its own parts likewise."""
    if isinstance(part, Resource):
        return labels.spare(part)
    part = labels.spare(part)
    inner = labels.within(part.content_location) if part.subtype == "related" else labels
    return replace(part, body_parts=tuple(_spared(each, inner) for each in part.body_parts))


class _Taking:
    """Body parts as what they could be built of."""

    def __init__(self, aggregate: Aggregate, *, keep_cid: bool) -> None:
        self._keep_cid = keep_cid
        self._bases = aggregate.resolver.bases

    def content(self, part: BodyPart) -> Resource | Multipart:
        """A part as a resource, or with all its parts as a multipart."""
        location, content_id = self._labels_of(part)
        without = _OF_A_MESSAGE if part.is_message else frozenset()
        headers = _fields(part, without=without)
        if not part.is_multipart:
            return Resource(part.content, _content_type(part), location, content_id, headers)
        inner = tuple(self.content(each) for each in part.body_parts)
        if part.content_type == "multipart/related":
            first = part.body_parts.index(related.start_of(part))
            inner = (inner[first], *inner[:first], *inner[first + 1 :])
        return Multipart(
            inner, _SUBTYPES.get(part.content_type, "mixed"), location, content_id, headers
        )

    def _labels_of(self, part: BodyPart) -> tuple[str | None, str | None]:
        location, content_id = part.content_location or "", part.content_id
        if content_id is None or not is_content_id(content_id):
            content_id = None
        if not location.strip():
            return None, content_id
        if location[:4].lower() == "cid:" and not self._keep_cid:
            named = location[4:].strip()
            return None, content_id or (named if is_content_id(named) else None)
        if self._bases.label_base(part).found == "content-base":
            location = self._bases.label_base(part).resolve(location)[0] or location
        return location, content_id


def _content_type(part: BodyPart) -> str:
    """The Content-Type of a part, or the type that is assumed."""
    field = part.heading.get("Content-Type")
    value = "" if field is None else field.text
    clean = value.isprintable() and parse_structured(value)[0] == part.content_type
    return value if clean else part.content_type


def _fields(part: BodyPart, *, without: frozenset[str]) -> Fields:
    """The fields that have no meaning for the structure, such as Content-Disposition.

    What could not be written as a field, such as a name of a thousand letters, is left out.
    """
    skipped = _WRITTEN_ANEW | without
    named = ((field.name, field.text) for field in part.heading.fields)
    return tuple(
        (name, value)
        for name, value in named
        if name.lower() not in skipped and value.isprintable() and FIELD_NAME.fullmatch(name)
    )
