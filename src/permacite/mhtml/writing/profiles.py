"""Profiles of writing: octets, transfer encoding and label of a body in each.

RFC 2557 §10 canonical line ends, charset -> _mail      RFC 2045 §6 encodings -> encode_body
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from permacite.charsets import codec_of
from permacite.lazy_dataclass import dataclass
from permacite.mhtml.charset import charset_inside
from permacite.mhtml.mime.parameters import parse_structured
from permacite.mhtml.mime.transfer import encode_base64, encode_quoted_printable
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.mhtml.writing.resource import Resource

__all__ = ["Encoded", "Profile", "charset_of", "encode_body"]

Profile: TypeAlias = Literal["archive", "mail", "chromium"]

_DIGESTS = frozenset({"content-md5", "digest", "content-digest", "repr-digest"})
"""Fields that a change of line ends makes wrong (RFC 2557 §10)."""
_LINE_END = compile_pattern(rb"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Encoded:
    """A body as it is written. `content` is what a reader will decode from it."""

    encoding: str
    body: bytes
    content: bytes
    content_type: str
    headers: tuple[tuple[str, str], ...]
    dropped: tuple[str, ...] = ()


def encode_body(resource: Resource, profile: Profile, marker: bytes) -> Encoded:
    """The body of a resource; `marker` may not occur in one that is written as it is."""
    if parse_structured(resource.content_type)[0].startswith("message/"):
        plain = "7bit" if resource.content.isascii() else "8bit"  # (RFC 2046 §5.2.1)
        return _encoded(resource, "binary" if profile == "archive" else plain, resource.content)
    if profile == "mail":
        return _mail(resource)
    if profile == "chromium" and _is_text(resource):
        return _encoded(resource, "quoted-printable", encode_quoted_printable(resource.content))
    if profile == "chromium" or marker in resource.content:
        return _encoded(resource, "base64", encode_base64(resource.content))
    return _encoded(resource, "binary", resource.content)


def _encoded(resource: Resource, encoding: str, body: bytes) -> Encoded:
    return Encoded(encoding, body, resource.content, resource.content_type, resource.headers)


def _is_text(resource: Resource) -> bool:
    """Whether quoted-printable suits: a textual type, octets that extend ASCII."""
    media_type, _ = parse_structured(resource.content_type)
    textual = media_type.startswith("text/") or media_type.endswith(
        ("+xml", "/xml", "/javascript", "json")
    )
    return textual and b"\0" not in resource.content


def _mail(resource: Resource) -> Encoded:
    """A body of seven-bit octets in short lines; text gets CRLF line ends (RFC 2557 §10)."""
    if not _is_text(resource):
        return _encoded(resource, "base64", encode_base64(resource.content))
    content, kept = resource.content, resource.headers
    dropped: tuple[str, ...] = ()
    if resource.content_type.lstrip().lower().startswith("text/"):
        content = _LINE_END.sub(b"\r\n", content)
    if content != resource.content:
        dropped = tuple(name for name, _ in kept if name.lower() in _DIGESTS)
        kept = tuple(field for field in kept if field[0].lower() not in _DIGESTS)
    content_type = _with_charset(resource.content_type, content)
    quoted = encode_quoted_printable(content)
    if len(quoted) > len(content) * 4 // 3 + 4:
        return Encoded("base64", encode_base64(content), content, content_type, kept, dropped)
    return Encoded("quoted-printable", _harmless(quoted), content, content_type, kept, dropped)


def _harmless(text: bytes) -> bytes:
    """Write `From ` at the start of a line so that no mail system changes it."""
    if b"From " not in text:
        return text
    return re.sub(rb"(?m)^From (?=[^\n]{0,70}$)", b"=46rom ", text)


def _with_charset(content_type: str, content: bytes) -> str:
    """The type with its charset, where the content says it or is ASCII (RFC 2557 §10)."""
    media_type, parameters = parse_structured(content_type)
    if "charset" in parameters or not media_type.startswith("text/"):
        return content_type
    inside = charset_inside(content, media_type)
    charset = inside or ("us-ascii" if content.isascii() else None)
    return content_type if charset is None else f"{content_type}; charset={charset}"


def charset_of(resource: Resource) -> str | None:
    """The charset of a text as a heading names it; None where it is not known."""
    media_type, parameters = parse_structured(resource.content_type)
    declared = parameters.get("charset")
    if declared is not None:
        return declared if codec_of(declared) else None
    inside = charset_inside(resource.content, media_type)
    return inside or ("us-ascii" if resource.content.isascii() else None)
