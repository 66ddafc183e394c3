"""What some bytes are: their type, charset, title and text, by one set of rules.

A page (HTML or XHTML) gets its text by the written rendition. Plain text is its own text. Text in
a multi-byte charset is named by the charset, other text `text` (PDI §3.4.1).
"""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite.archive import DERIVED, NewRepresentation, settle
from permacite.markup import RENDITION_VERSION, Document
from permacite.media_types import content_type

if TYPE_CHECKING:
    from permacite.archive import Decoding

__all__ = ["MESSAGES", "Source", "media_type_of", "read_source", "representations", "source_of"]

MESSAGES = frozenset({"multipart/related", "message/rfc822"})
"""Media types of files that hold an aggregate."""

_SUFFIXES = {
    ".mhtml": "multipart/related",
    ".mht": "multipart/related",
    ".eml": "message/rfc822",
    ".htm": "text/html",
    ".html": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".xht": "application/xhtml+xml",
    ".md": "text/markdown",
    ".txt": "text/plain",
}
"""Types that the system's table may lack or give another name."""


@dataclass(frozen=True, slots=True)
class Source:
    """A document that came in, and what it is decoded by; None for what is no text."""

    document: Document
    decoding: Decoding | None

    @property
    def title(self) -> str | None:
        """The title of a page."""
        return self.document.reading.title if self.document.is_page else None

    @property
    def text(self) -> str | None:
        """The rendition of a page; None for anything else."""
        return self.document.reading.rendition.text if self.document.is_page else None

    @property
    def charset(self) -> str | None:
        """The charset by the name that came with it, else by what was found."""
        if self.decoding is None:
            return None
        codec = "us-ascii" if self.decoding.by == "ascii" else self.decoding.codec
        return self.decoding.label or codec


def media_type_of(name: str, content: bytes) -> str:
    """The media type of a file, by its name, else by whether it is text."""
    suffix = "." + name.rpartition(".")[2].lower() if "." in name else ""
    by_name, packing = mimetypes.guess_type(name, strict=False)
    if packing:  # a.txt.gz is no text
        return "application/gzip" if packing == "gzip" else "application/octet-stream"
    guessed = _SUFFIXES.get(suffix) or by_name
    if guessed:
        return guessed
    is_text = b"\x00" not in content[:4096] and _is_text(content)
    return "text/plain" if is_text else "application/octet-stream"


def read_source(content: bytes, field: str, *, charset: str | None = None) -> Source:
    """Understand bytes by their Content-Type field value.

    Raises ParseError for text whose charset is neither declared nor found.
    """
    media_type, declared = content_type(field)
    return source_of(Document(content, media_type, charset or declared))


def source_of(document: Document) -> Source:
    """Understand a document. Raises ParseError as `read_source` does."""
    return Source(document, settle(document))


def _is_text(content: bytes) -> bool:
    """Whether octets are text by their looks."""
    if content.startswith(("\ufeff".encode("utf-16-le"), "\ufeff".encode("utf-16-be"))):
        return True
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def representations(source: Source) -> list[NewRepresentation]:
    """The formats in which a document is committed: itself, and a page's text."""
    document = source.document
    own = NewRepresentation(document.content, document.media_type, decoding=source.decoding)
    if source.text is None:
        return [own]
    derived = NewRepresentation(
        source.text.encode(),
        "text/plain",
        decoding=DERIVED,
        format="utf-8",
        derived_from="html" if document.media_type == "text/html" else "xhtml%2bxml",
        rendition=f"permacite-plain/{RENDITION_VERSION}",
    )
    return [own, derived]
