"""What a PDF says of itself: its information dictionary, and its XMP packet if legible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permacite.bibliography import Claim, Place
from permacite.markup import EndTag, StartTag, Text, tokenize
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.renditions.pdf.library import Library

__all__ = ["stated", "xmp_claims"]

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
