"""Resources and multiparts that an aggregate is built of, and their checks.

RFC 2557 §4.2 one label, §10 Content-Encoding, §12 Content-Base -> checked_fields
RFC 2045 §5.1 Content-Type -> content_type_value      RFC 2557 §7 labels that differ -> Labels
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from permacite.errors import ConflictError, ParseError
from permacite.lazy_dataclass import dataclass
from permacite.media_types import is_media_type, is_token
from permacite.mhtml.mime.parameters import parse_structured, quoted
from permacite.mhtml.mime.words import encode_text
from permacite.mhtml.reading.base import base_of, octets_in, this_message
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.mhtml.reading.base import MessageBase

__all__ = [
    "FIELD_NAME",
    "Fields",
    "Labels",
    "Multipart",
    "Resource",
    "Subtype",
    "checked_fields",
    "content_type_value",
    "field_line",
    "is_content_id",
]

_LONGEST_TYPE = 60
"""Characters of a type that fit on the line of its field."""
Fields: TypeAlias = "tuple[tuple[str, str], ...]"
"""Further fields of a heading, name and value, in order."""
Subtype: TypeAlias = Literal["related", "alternative", "mixed"]

FIELD_NAME = compile_pattern(r"[!-9;-~]{1,76}")
_CONTROL = compile_pattern(r"[\x00-\x08\x0a-\x1f\x7f]")
_RESERVED = {
    "content-type": "it has an argument of its own",
    "content-transfer-encoding": "the profile chooses it",
    "content-location": "it has an argument of its own, and a heading has one (RFC 2557 §4.2)",
    "content-id": "it has an argument of its own",
    "mime-version": "it is always written",
    "content-base": "it must not be sent (RFC 2557 §12)",
    "content-encoding": "it is of HTTP, not of MIME (RFC 2557 §10); give the content decoded",
    "content-length": "it is of HTTP, not of MIME",
}


@dataclass(frozen=True, slots=True)
class Resource:
    """One thing that a page is made of, as it came: its octets and what is known of them.

    `content_location` may be relative; None leaves the part without a label, so that a reader must
    fetch it (RFC 2557 §11.2). `content_id` has no angle brackets. `headers` are further fields.
    """

    content: bytes
    content_type: str
    content_location: str | None = None
    content_id: str | None = None
    headers: Fields = ()


@dataclass(frozen=True, slots=True)
class Multipart:
    """Body parts together: a nested aggregate ("related"), or alternatives of one content."""

    body_parts: tuple[Resource | Multipart, ...]
    subtype: Subtype = "related"
    content_location: str | None = None
    content_id: str | None = None
    headers: Fields = ()

    @property
    def content_type(self) -> str:
        """Its media type, without parameters."""
        return f"multipart/{self.subtype}"


def content_type_value(content_type: str) -> str:
    """The value of a Content-Type field, its parameters on lines of their own if long.

    A parameter whose name is none is left out then.
    Raises ParseError where it is no media type.
    """
    _require_clean(content_type, "Content-Type")
    media_type, parameters = parse_structured(content_type)
    if not is_media_type(media_type):
        raise ParseError("expected a media type, type/subtype", content_type, 0, "RFC 2045 §5.1")
    if content_type.isascii() and len(content_type) <= _LONGEST_TYPE:
        return content_type.strip()
    named = (item for item in parameters.items() if is_token(item[0]))
    return ";\r\n ".join([media_type, *(_parameter(*item) for item in named)])


def _parameter(name: str, value: str) -> str:
    """One parameter, encoded where it is not ASCII (RFC 2231 §4)."""
    if value.isascii():
        return f"{name}={quoted(value)}"
    octets = value.encode("utf-8", "replace")
    safe = "".join(chr(o) if chr(o).isascii() and chr(o).isalnum() else f"%{o:02X}" for o in octets)
    return f"{name}*=utf-8''{safe}"


def checked_fields(fields: Fields) -> Iterator[tuple[str, str]]:
    """Yield further fields as they may be written. Raises ParseError for those that may not."""
    for name, value in fields:
        reason = _RESERVED.get(name.lower())
        if reason is not None:
            raise ParseError(
                f"{name} cannot be given among the headers: {reason}", name, 0, "RFC 2557 §4"
            )
        if FIELD_NAME.fullmatch(name) is None:
            raise ParseError("expected the name of a field", name, 0, "RFC 822 §3.2")
        _require_clean(value, name)
        yield name, value


def field_line(name: str, value: str) -> bytes:
    """One field with text as its value, folded and encoded (RFC 2047)."""
    _require_clean(value, name)
    return f"{name}: {encode_text(value, name)}\r\n".encode("ascii")


def _require_clean(value: str, name: str) -> None:
    control = _CONTROL.search(value)
    if control is not None:
        raise ParseError(
            f"a control character cannot stand in {name}", value, control.start(), "RFC 822 §3.2"
        )


_Part = TypeVar("_Part", Resource, Multipart)
_ID = compile_pattern(r"[!-;=?-~]{0,900}")


def is_content_id(text: str) -> bool:
    """Whether `text` can be written between angle brackets (RFC 2045 §7)."""
    return bool(text) and _ID.fullmatch(text) is not None


class Labels:
    """The labels that parts of one aggregate have so far; `within` begins a nested one."""

    def __init__(self, charset: str | None, base: MessageBase | None = None) -> None:
        self._charset = charset
        self._base = this_message() if base is None else base
        self._locations: dict[str, str] = {}
        self._ids: dict[str, str] = {}

    def within(self, content_location: str | None) -> Labels:
        """The labels, none yet, inside an aggregate that has a label itself."""
        if content_location is None:
            return Labels(self._charset, self._base)
        octets = octets_in(content_location, self._charset)
        absolute, _ = self._base.resolve(octets)
        base = absolute and base_of(absolute, content_location, "content-location", "")
        return Labels(self._charset, base or self._base)

    def add(self, part: Resource | Multipart, path: str) -> None:
        """Take the labels of the part that is to be number `path`.

        Raises ConflictError where another has one of them, naming both; ParseError where a
        label cannot be written.
        """
        content_id, label = part.content_id, part.content_location
        if content_id is not None:
            _require_id(content_id)
            self._take(self._ids, content_id, f"Content-ID <{content_id}>", path)
        if label is not None:
            self._take(self._locations, self._resolved(label), f"Content-Location {label}", path)

    def spare(self, part: _Part) -> _Part:
        """Take the labels of a part, and return it without those that another has already."""
        content_id, label = part.content_id, part.content_location
        if content_id is not None:
            if content_id in self._ids:
                part = replace(part, content_id=None)
            self._ids[content_id] = ""
        if label is not None:
            resolved = self._resolved(label)
            if resolved in self._locations:
                return replace(part, content_location=None)
            self._locations[resolved] = ""
        return part

    def _resolved(self, label: str) -> str:
        if not label.strip():
            raise ParseError("expected a URI for the Content-Location", label, 0, "RFC 2557 §4.1")
        absolute, _ = self._base.resolve(octets_in(label, self._charset))
        return absolute or label

    def _take(self, taken: dict[str, str], key: str, label: str, path: str) -> None:
        other = taken.setdefault(key, path)
        if other != path:
            raise ConflictError(
                f"parts {other} and {path} have one label: {label} (RFC 2557 §7)",
                key,
                hint="leave one of them out, or give it another label",
            )


def _require_id(content_id: str) -> None:
    if not is_content_id(content_id):
        clean = _ID.match(content_id)
        raise ParseError(
            "expected a Content-ID of visible ASCII without angle brackets",
            content_id,
            0 if clean is None else clean.end(),
            "RFC 2045 §7",
        )
