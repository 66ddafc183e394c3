"""Which charset a committed text is read in: the one place that decides it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.markup import sniff_charset
from permacite.text import first
from permacite.text.document import DocumentText

if TYPE_CHECKING:
    from permacite.charsets import Charset

__all__ = ["HEAD_BYTES", "charset_of", "document_text"]

HEAD_BYTES = 1024
"""What `charset_of` wants to see."""


def charset_of(media_type: str, charset: str | None, head: bytes) -> Charset:
    """Return what decodes a format, from what is recorded of it and its first octets.

    `charset` is None for formats that were not taken for text: of those XML may declare its own.
    """
    if charset is None and not media_type.endswith(("+xml", "/xml")):
        charset = "us-ascii" if media_type == "message/header" else "utf-8"
    return first.charset(charset or sniff_charset(head, None, media_type).codec)


def document_text(content: bytes, media_type: str, charset: str | None) -> DocumentText:
    """Return the text of octets, from what is recorded of them."""
    return DocumentText(content, charset_of(media_type, charset, content))
