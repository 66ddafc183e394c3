"""Write an aggregate that exists anew: the same parts under the same labels, in another profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.mhtml.mime.parameters import parse_structured
from permacite.mhtml.reading import related
from permacite.mhtml.reading.aggregate import open_aggregate
from permacite.mhtml.writing.resource import Multipart, Resource
from permacite.mhtml.writing.write import build

if TYPE_CHECKING:
    from permacite.mhtml.reading.aggregate import Aggregate
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
    """Return an aggregate as browsers open it with nothing missing. Raises ParseError."""
    return rewritten(content, profile="chromium")


def rewritten(content: bytes, *, profile: Profile) -> bytes:
    """Return an aggregate, or a message of one page, written anew. Raises ParseError."""
    with open_aggregate(content) as aggregate:
        root, resources = contents_of(aggregate, keep_cid=profile == "chromium")
        return build(
            root,
            resources,
            profile=profile,
            subject=aggregate.subject,
            date=aggregate.message.heading.text("Date"),
            headers=message_fields(aggregate),
            content_location=aggregate.location,
        )


def message_fields(aggregate: Aggregate) -> Fields:
    """Return the further fields of a message that holds parts, such as From and To."""
    message = aggregate.message
    return _fields(message, without=_OF_A_MESSAGE) if message.body_parts else ()


def contents_of(
    aggregate: Aggregate, *, keep_cid: bool = False
) -> tuple[Resource | Multipart, list[Resource | Multipart]]:
    """Return what an aggregate is built of: its root, and its other parts in order.

    A label that another part had before is left out, for only the first part is found by it. A
    Content-Location with a cid: URI becomes a Content-ID, unless `keep_cid`.
    """
    taking = _Taking(aggregate, keep_cid=keep_cid)
    message = aggregate.message
    if not message.body_parts or message.content_type != "multipart/related":
        return taking.content(message), []
    start = related.start_of(message)
    rest = [taking.content(part) for part in message.body_parts if part is not start]
    return taking.content(start), rest


class _Taking:
    """Body parts as what they could be built of."""

    def __init__(self, aggregate: Aggregate, *, keep_cid: bool) -> None:
        self._keep_cid = keep_cid
        self._bases = aggregate.resolver.bases
        self._lost = {(defect.path, defect.code) for defect in aggregate.resolver.defects()}

    def content(self, part: BodyPart) -> Resource | Multipart:
        """Return a part as a resource, or with all its parts as a multipart."""
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
        location, content_id = part.content_location or None, part.content_id or None
        if (part.path, "duplicate-label") in self._lost:
            location = None
        if (part.path, "duplicate-id") in self._lost:
            content_id = None
        if location is None:
            return None, content_id
        if location[:4].lower() == "cid:" and not self._keep_cid:
            return None, content_id or location[4:].strip()
        if self._bases.label_base(part).found == "content-base":
            location = self._bases.label_base(part).resolve(location)[0] or location
        return location, content_id


def _content_type(part: BodyPart) -> str:
    """Return a part's Content-Type as it stands, or the type it is taken for."""
    field = part.heading.get("Content-Type")
    value = "" if field is None else field.text
    clean = value.isprintable() and parse_structured(value)[0] == part.content_type
    return value if clean else part.content_type


def _fields(part: BodyPart, *, without: frozenset[str]) -> Fields:
    """Return the fields that have no meaning for the structure, such as Content-Disposition."""
    skipped = _WRITTEN_ANEW | without
    named = ((field.name, field.text) for field in part.heading.fields)
    return tuple(
        (name, value)
        for name, value in named
        if name.lower() not in skipped and value.isprintable()
    )
