"""The glyphs of a PDF, by PDFium: their characters as it finds them, origins, advances and boxes.

What PDFium makes up (spaces and line ends that nobody drew) is left out, and so is its order of
words and blocks: rules of ours decide those. Scripts and actions are never run.

What a PDF says of itself: its information dictionary, and its XMP packet if legible.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np

from permacite.bibliography import Claim, Place
from permacite.errors import LimitError, ParseError
from permacite.markup import EndTag, StartTag, Text, tokenize
from permacite.renditions.model import Notice
from permacite.renditions.pdf.fonts import Fonts, said_heights
from permacite.renditions.pdf.glyphs import Document
from permacite.renditions.pdf.library import library
from permacite.renditions.pdf.page import page_of
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.renditions.model import Original
    from permacite.renditions.pdf.library import Library

__all__ = ["MOST_GLYPHS", "MOST_PAGES", "decode", "opened", "preload", "stated", "xmp_claims"]


_DOI = compile_pattern(r"\b10\.[0-9]{4,9}/[^\s\"<>]{1,200}")
_DATE = compile_pattern(r"D:([0-9]{4})([0-9]{2})?([0-9]{2})?")
_PACKET, _END = b"<x:xmpmeta", b"</x:xmpmeta>"
_LONGEST_PACKET = 1 << 20
_MOST = 100
_LONGEST = 2000
_INFORMATION = {"Title": "title", "Author": "author", "CreationDate": "issued"}
_FIELDS = {
    "dc:title": "title",
    "dc:creator": "author",
    "dc:publisher": "publisher",
    "dc:language": "language",
    "prism:doi": "doi",
    "prism:issn": "issn",
    "prism:volume": "volume",
    "prism:publicationname": "container",
    "crossmark:doi": "doi",
    "pdfx:doi": "doi",
}


def stated(pdfium: Library, document: int, content: Any) -> tuple[str | None, tuple[Claim, ...]]:
    """The title, and all that is stated, XMP first."""
    claims = list(xmp_claims(_packet(content)))
    for key, field in _INFORMATION.items():
        value = _line(pdfium.words("FPDF_GetMetaText", document, key.encode()))
        if field == "issued":
            value = _day(value)
        if value:
            claims.append(Claim(field, value, Place("PDF information", key)))
    if not any(claim.field == "doi" for claim in claims):
        for key in ("doi", "DOI", "Subject", "Keywords"):
            doi = _DOI.search(pdfium.words("FPDF_GetMetaText", document, key.encode()))
            if doi is not None:
                claims.append(Claim("doi", doi[0].rstrip(".,;)"), Place("PDF information", key)))
                break
    title = next((claim.value for claim in claims if claim.field == "title"), None)
    return title, tuple(claims)


def _packet(content: Any) -> str:
    """The XMP packet that stands last in the file, where it is not compressed; else ""."""
    start = content.rfind(_PACKET)
    end = content.find(_END, start) if start >= 0 else -1
    if end < 0 or end - start > _LONGEST_PACKET:
        return ""
    return bytes(content[start:end]).decode("utf-8", "replace")


def xmp_claims(packet: str) -> Iterator[Claim]:
    """What the packet states of the fields that a reference has."""
    path: list[str] = []
    count = 0
    for token in tokenize(packet, xml=True):
        if isinstance(token, StartTag):
            name = token.name.lower()
            for attribute in ("prism:doi", "pdfx:doi"):
                value = _line(token.get(attribute) or "")
                if value:
                    yield Claim("doi", value, Place("XMP", attribute))
            if not token.self_closing:
                path.append(name)
        elif isinstance(token, EndTag):
            if path:
                path.pop()
        elif isinstance(token, Text):
            within = next((name for name in reversed(path) if name in _FIELDS), None)
            value = _line(token.data)
            if within and value and count < _MOST:
                count += 1
                yield Claim(_FIELDS[within], value, Place("XMP", within))


def _line(value: str) -> str:
    """The value on one line, and not too long."""
    shown = "".join(c if c.isprintable() else " " for c in value[:_LONGEST])
    return " ".join(shown.split())


def _day(value: str) -> str:
    parts = _DATE.match(value)
    return "-".join(part for part in parts.groups() if part) if parts is not None else ""


MOST_PAGES = 20_000
MOST_GLYPHS = 50_000_000
_PASSWORD, _SECURITY = 4, 5
_LAUNCH = compile_pattern(rb"/S\s*/Launch\b")
_NAMED = 20


def preload() -> None:
    """Load and start the library."""
    library()


@contextlib.contextmanager
def opened(content: Any) -> Iterator[tuple[Library, int]]:
    """Open octets: the library, and its handle of the document. Raises ParseError."""
    pdfium = library()
    octets = np.frombuffer(content, np.uint8)
    document = pdfium.FPDF_LoadMemDocument64(octets.ctypes.data, octets.size, None)
    if not document:
        fault = pdfium.FPDF_GetLastError()
        start = bytes(octets[:40]).decode("latin-1")
        if fault == _PASSWORD:
            raise ParseError("expected a PDF that opens without a password", start, 0)
        if fault == _SECURITY:
            raise ParseError("it is encrypted in a way that is not known here", start, 0)
        raise ParseError("expected a PDF, found none that can be read", start, 0)
    try:
        yield pdfium, document
    finally:
        pdfium.FPDF_CloseDocument(document)


def decode(original: Original) -> Document:
    """All glyphs, and what the document says of itself. Raises ParseError, LimitError."""
    with opened(original.content) as (pdfium, document):
        count = pdfium.FPDF_GetPageCount(document)
        if count > MOST_PAGES:
            raise LimitError("too many pages", limit="pages", maximum=MOST_PAGES)
        pages, notices, glyphs = [], [], 0
        tagged = pdfium.FPDFCatalog_IsTagged(document) > 0
        damaged = []
        fonts, acts = Fonts(pdfium, said_heights(original.content)), set[str]()
        for index in range(count):
            page = page_of(pdfium, document, index, tagged=tagged, fonts=fonts, acts=acts)
            if page is None:
                damaged.append(index + 1)
                continue
            glyphs += page.codes.size
            if glyphs > MOST_GLYPHS:
                raise LimitError("too many glyphs", limit="glyphs", maximum=MOST_GLYPHS)
            pages.append(page)
        if damaged:
            told = f"{len(damaged)} pages cannot be read, the first is number {damaged[0]}"
            notices.append(Notice("damaged-pages", told))
        notices += _notices(pdfium, document)
        notices += _outside(original.content, sorted(acts))
        title, claims = stated(pdfium, document, original.content)
        builds = {"pdfium": pdfium.build, "numpy": np.__version__}
        return Document(tuple(pages), title, claims, tuple(notices), builds)


def _outside(content: Any, files: list[str]) -> Iterator[Notice]:
    """What of it would reach out of it, were it followed."""
    if _LAUNCH.search(content) is not None:
        yield Notice("launch", "it has actions that would start programs, which were not followed")
    if files:
        more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
        yield Notice("outside", "links lead to other files: " + ", ".join(files[:_NAMED]) + more)


def _notices(pdfium: Library, document: int) -> Iterator[Notice]:
    if pdfium.FPDF_GetSecurityHandlerRevision(document) >= 0:
        yield Notice("encrypted", "it is encrypted, and opens without a password")
    signatures = pdfium.FPDF_GetSignatureCount(document)
    if signatures > 0:
        yield Notice("signed", "it is signed; the signature was not checked")
    if pdfium.FPDFDoc_GetJavaScriptActionCount(document) > 0:
        yield Notice("scripts", "it has scripts, which were not run")
    if pdfium.FPDF_GetFormType(document) > 0:
        yield Notice("form", "it has a form; what its fields hold is no part of the text")
    attached = min(max(pdfium.FPDFDoc_GetAttachmentCount(document), 0), 100)
    names = []
    for index in range(attached):
        handle = pdfium.FPDFDoc_GetAttachment(document, index)
        names.append(pdfium.words("FPDFAttachment_GetName", handle)[:200] if handle else "")
    if names:
        yield Notice("attachments", "files are attached to it: " + ", ".join(filter(None, names)))
