"""What an aggregate is built of: resources, and multiparts of them; and what is checked of them.

RFC 2557 §4.2 one label, §10 Content-Encoding, §12 Content-Base -> checked_fields
RFC 2045 §5.1 Content-Type -> content_type_value
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from permacite.errors import ParseError
from permacite.media_types import is_media_type, is_token
from permacite.mhtml.mime.parameters import parse_structured, quoted
from permacite.mhtml.mime.words import encode_text
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "FIELD_NAME",
    "Fields",
    "Multipart",
    "Resource",
    "Subtype",
    "checked_fields",
    "content_type_value",
    "field_line",
]

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
    """Return the value of a Content-Type field, its parameters on lines of their own if long.

    A parameter whose name is none is left out then.
    Raises ParseError where it is no media type.
    """
    _require_clean(content_type, "Content-Type")
    media_type, parameters = parse_structured(content_type)
    if not is_media_type(media_type):
        raise ParseError("expected a media type, type/subtype", content_type, 0, "RFC 2045 §5.1")
    if content_type.isascii() and len(content_type) <= 60:  # noqa: PLR2004 - fits on one line
        return content_type.strip()
    named = (item for item in parameters.items() if is_token(item[0]))
    return ";\r\n ".join([media_type, *(_parameter(*item) for item in named)])


def _parameter(name: str, value: str) -> str:
    """Return one parameter, encoded where it is not ASCII (RFC 2231 §4)."""
    if value.isascii():
        return f"{name}={quoted(value)}"
    octets = value.encode("utf-8", "replace")
    safe = "".join(chr(o) if chr(o).isalnum() and o < 128 else f"%{o:02X}" for o in octets)  # noqa: PLR2004 - ASCII
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
    """Return one field with text as its value, folded and encoded (RFC 2047)."""
    _require_clean(value, name)
    return f"{name}: {encode_text(value, name)}\r\n".encode("ascii")


def _require_clean(value: str, name: str) -> None:
    found = _CONTROL.search(value)
    if found is not None:
        raise ParseError(
            f"a control character cannot stand in {name}", value, found.start(), "RFC 822 §3.2"
        )
