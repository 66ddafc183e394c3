"""What some bytes are: their type, charset, title and text, by one set of rules.

A page (HTML or XHTML) gets its text by the written rendition. Plain text is its own text. Text in
a multi-byte charset is named by the charset, other text `text` (PDI §3.4.1).
"""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass

from permacite import markup
from permacite.archive import NewRepresentation
from permacite.errors import ParseError

__all__ = ["MESSAGES", "Source", "media_type_of", "read_source", "representations"]

MESSAGES = frozenset({"multipart/related", "message/rfc822"})
"""Media types of files that hold an aggregate."""

_PAGES = frozenset({"text/html", "application/xhtml+xml"})

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
    """Bytes understood: `media_type` without parameters, `charset` None where there is none."""

    media_type: str
    charset: str | None
    title: str | None
    text: str | None
    """The rendition of a page; None for anything else."""

    @property
    def is_page(self) -> bool:
        """Whether this is HTML or XHTML."""
        return self.media_type in _PAGES


def media_type_of(name: str, content: bytes) -> str:
    """Return the media type of a file, by its name, else by whether it is text."""
    suffix = "." + name.rpartition(".")[2].lower() if "." in name else ""
    by_name, packing = mimetypes.guess_type(name, strict=False)
    if packing:  # a.txt.gz is no text
        return "application/gzip" if packing == "gzip" else "application/octet-stream"
    guessed = _SUFFIXES.get(suffix) or by_name
    if guessed:
        return guessed
    is_text = b"\x00" not in content[:4096] and _charset_of_text(content) is not None
    return "text/plain" if is_text else "application/octet-stream"


def read_source(content: bytes, content_type: str, *, charset: str | None = None) -> Source:
    """Understand bytes by their Content-Type field value.

    Raises ParseError for text whose charset is neither declared nor found.
    """
    media_type, declared = markup.content_type(content_type)
    label = charset or declared
    if media_type in _PAGES:
        codec = markup.sniff_charset(content, label, media_type).codec
        source = markup.decode(content, codec)
        xml = media_type != "text/html"
        text = markup.plain_text(source, xml=xml).text
        return Source(media_type, codec, markup.title(source, xml=xml), text)
    if media_type.startswith("text/"):
        return Source(media_type, label or _known_charset(content), None, None)
    return Source(media_type, None, None, None)


def _charset_of_text(content: bytes) -> str | None:
    if content.isascii():
        return "us-ascii"
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return "utf-8"


def _known_charset(content: bytes) -> str:
    """Return the charset of undeclared text: US-ASCII or UTF-8, never a guess."""
    charset = _charset_of_text(content)
    if charset is None:
        try:
            content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ParseError(
                f"text that is no UTF-8: octet 0x{content[error.start]:02x}",
                content[: error.start + 80].decode("utf-8", "replace"),
                len(content[: error.start].decode("utf-8")),
                "RFC 5147 §1.1",
                hint="say which charset it is in: --charset windows-1252, for example",
            ) from error
        raise AssertionError  # pragma: no cover - _charset_of_text decodes the same way
    return charset


def representations(content: bytes, source: Source) -> list[NewRepresentation]:
    """Return the formats in which some bytes are committed: themselves, and a page's text."""
    own = NewRepresentation(content, source.media_type, charset=source.charset)
    if source.text is None:
        return [own]
    derived = NewRepresentation(
        source.text.encode(),
        "text/plain",
        charset="utf-8",
        format="utf-8",
        derived_from="html" if source.media_type == "text/html" else "xhtml%2bxml",
        rendition=f"permacite-plain/{markup.RENDITION_VERSION}",
    )
    return [own, derived]
