"""What some bytes are: their type, charset, title and text, by one set of rules.

A page (HTML or XHTML) gets its text by the written rendition, and captions (WebVTT, SRT) that of
their words. Plain text is its own text. Text in a multi-byte charset is named by the charset, other
text `text` (PDI §3.4.1).
"""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite import captions, pdi
from permacite.archive import DERIVED, NewRepresentation, settle
from permacite.errors import ParseError
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
    ".vtt": "text/vtt",
    ".srt": "application/x-subrip",
}
"""Types that the system's table may lack or give another name."""


@dataclass(frozen=True, slots=True)
class Source:
    """A document that came in, and what it is decoded by; None for what is no text."""

    document: Document
    decoding: Decoding | None
    words: str | None = None
    """The words of captions, as text; None for anything else."""

    @property
    def title(self) -> str | None:
        """The title of a page."""
        return self.document.reading.title if self.document.is_page else None

    @property
    def text(self) -> str | None:
        """The rendition of a page, the words of captions; None for anything else."""
        return self.document.reading.rendition.text if self.document.is_page else self.words

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
    decoding = settle(document)
    is_captions = decoding is not None and document.media_type in captions.MEDIA_TYPES
    return Source(document, decoding, _words(document) if is_captions else None)


def _words(document: Document) -> str | None:
    """The words of captions; None where they are none, whatever they are called."""
    kind = document.media_type
    try:
        return captions.words_of(captions.read_captions(document.source, kind), kind).text
    except ParseError:
        return None


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
    """The formats in which a document is committed: itself, and its text, if it is made."""
    document = source.document
    own = NewRepresentation(document.content, document.media_type, decoding=source.decoding)
    if source.text is None:
        return [own]
    rules = f"permacite-plain/{RENDITION_VERSION}"
    if not document.is_page:
        rules = f"permacite-captions/{captions.RENDITION_VERSION}"
    derived = NewRepresentation(
        source.text.encode(),
        "text/plain",
        decoding=DERIVED,
        format="utf-8",
        derived_from=pdi.token_for(document.media_type),
        rendition=rules,
    )
    return [own, derived]
