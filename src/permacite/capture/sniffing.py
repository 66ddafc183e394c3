"""Media type of an answer: its Content-Type field, else MIME sniffing as browsers do it.

WHATWG MIME Sniffing §6, §7. Every capture asks `content_type_of`: over HTTP, by a browser, from an
uploaded page and out of records.
"""

from __future__ import annotations

import re

from permacite.media_types import is_field
from permacite.scan import compile_pattern

__all__ = ["content_type_of", "sniff"]

_SIGNATURES = (
    (compile_pattern(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (compile_pattern(rb"\xff\xd8\xff"), "image/jpeg"),
    (compile_pattern(rb"GIF8[79]a"), "image/gif"),
    (compile_pattern(rb"RIFF....WEBPVP", re.DOTALL), "image/webp"),
    (compile_pattern(rb"....ftypavif", re.DOTALL), "image/avif"),
    (compile_pattern(rb"BM"), "image/bmp"),
    (compile_pattern(rb"\x00\x00\x01\x00"), "image/x-icon"),
    (compile_pattern(rb"wOF2"), "font/woff2"),
    (compile_pattern(rb"wOFF"), "font/woff"),
    (compile_pattern(rb"OTTO"), "font/otf"),
    (compile_pattern(rb"\x00\x01\x00\x00"), "font/ttf"),
    (compile_pattern(rb"RIFF....WAVE", re.DOTALL), "audio/wav"),
    (compile_pattern(rb"OggS\x00"), "application/ogg"),
    (compile_pattern(rb"ID3|\xff\xfb"), "audio/mpeg"),
    (compile_pattern(rb"\x1aE\xdf\xa3"), "video/webm"),
    (compile_pattern(rb"....ftyp", re.DOTALL), "video/mp4"),
    (compile_pattern(rb"%PDF-"), "application/pdf"),
)
_MARKUP = compile_pattern(
    rb"(?:\xef\xbb\xbf)?[ \t\r\n\f]*+(?:<\?xml[^>]{0,200}>[ \t\r\n\f]*+)?"
    rb"(?:<!--.{0,800}?-->[ \t\r\n\f]*+)?"
    rb"<(?P<name>!doctype html|!doctype svg|html|head|body|title|script|h1|p|div|table|a|svg)\b",
    re.IGNORECASE | re.DOTALL,
)
_HEAD = 1024
"""Bytes that are inspected."""


def content_type_of(field: str, content: bytes, likely: str | None = None) -> tuple[str, bool]:
    """The Content-Type of an answer, and whether it was sniffed: the field is none.

    `likely` is the type of what looks like plain text, by its use in the page.
    """
    if is_field(field):
        return field, False
    media_type = sniff(content)
    return (likely if likely and media_type == "text/plain" else media_type), True


def sniff(content: bytes) -> str:
    """Return the media type that `content` looks like, "application/octet-stream" if like none."""
    head = content[:_HEAD]
    for signature, media_type in _SIGNATURES:
        if signature.match(head):
            return media_type
    if found := _MARKUP.match(head):
        return "image/svg+xml" if found["name"].lower().endswith(b"svg") else "text/html"
    if b"\0" in head:
        return "application/octet-stream"
    return "text/plain" if head else "application/octet-stream"
