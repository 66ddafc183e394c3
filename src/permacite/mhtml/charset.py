"""Charset of a text: from its octets, its heading and its markup (RFC 2557 §10).

Readings: a byte order mark decides, then the heading, then what markup declares about itself; the
octets are never changed.
"""

from __future__ import annotations

from permacite import markup
from permacite.charsets import codec_of
from permacite.media_types import is_xml

__all__ = ["charset_inside", "charset_of_text", "is_markup"]

_WIDE = {b"<\0": "utf-16le", b"\0<": "utf-16be"}
"""How markup begins in UTF-16 that nothing declares; browsers save pages so."""


def charset_of_text(content: bytes, media_type: str, declared: str | None) -> str | None:
    """The codec of a text; None if it is no text.

    `declared` is the charset parameter of its heading. A text that says nothing is ASCII, markup
    what browsers assume.
    """
    if is_markup(media_type):
        bare = declared is None or codec_of(declared) is None
        if bare and content[:2] in _WIDE:
            return _WIDE[content[:2]]
        return markup.sniff_charset(content, declared, media_type).codec
    if not media_type.startswith("text/"):
        return None
    return charset_inside(content, media_type) or codec_of(declared or "") or "us-ascii"


def charset_inside(content: bytes, media_type: str) -> str | None:
    """The codec that a text declares itself, by a mark or in its markup; else None."""
    settled = markup.sniff_charset(content, None, media_type)
    counts = {"mark", "declaration"} if is_markup(media_type) else {"mark"}
    return settled.codec if settled.by in counts else None


def is_markup(media_type: str) -> bool:
    """Whether a text may declare its charset itself."""
    return media_type in ("text/html", "text/css") or is_xml(media_type)
