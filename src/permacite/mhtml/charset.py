"""Which charset a text is in: what its octets, its heading and its markup say (RFC 2557 §10).

Readings: a byte order mark decides, then the heading, then what markup declares about itself; the
octets are kept as they are whatever is decided.
"""

from __future__ import annotations

from permacite.markup import codec_of, sniff_charset
from permacite.mhtml.mime.words import known_charset
from permacite.scan import compile_pattern

__all__ = ["HEAD", "charset_inside", "charset_of_text", "same_charset"]

HEAD = 1024
"""How many octets of a text are looked at (HTML §13.2.3.2)."""

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"))
_WIDE = {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
"""How markup begins in UTF-16 that nothing declares; browsers save pages so."""
_META = compile_pattern(rb"(?i)<meta\b[^>]*?charset|<\?xml[^>]*?encoding")


def charset_of_text(head: bytes, media_type: str, declared: str | None) -> str | None:
    """Return Python's name of the charset of a text that begins with `head`; None if it is no text.

    `declared` is the charset parameter of its heading. A text that says nothing is ASCII, markup
    what browsers assume.
    """
    if _is_markup(media_type):
        bare = declared is None or codec_of(declared) is None
        if bare and head[:2] in _WIDE:
            return _WIDE[head[:2]]
        return sniff_charset(head, declared, media_type)
    if not media_type.startswith("text/"):
        return None
    return _marked(head) or (known_charset(declared) if declared else None) or "us-ascii"


def charset_inside(head: bytes, media_type: str) -> str | None:
    """Return the charset that a text declares itself, by a mark or in its markup; else None."""
    if _marked(head) is not None:
        return _marked(head)
    if not _is_markup(media_type):
        return None
    if media_type == "text/css":
        declares = head.startswith(b'@charset "')
    else:
        declares = _META.search(head, 0, HEAD) is not None
    return sniff_charset(head, None, media_type) if declares else None


def same_charset(one: str, other: str) -> bool:
    """Whether two labels name the same charset."""
    return one.lower() == other.lower() or codec_of(one) == codec_of(other)


def _marked(head: bytes) -> str | None:
    return next((codec for mark, codec in _MARKS if head.startswith(mark)), None)


def _is_markup(media_type: str) -> bool:
    return media_type in ("text/html", "text/css") or media_type.endswith(("+xml", "/xml"))
