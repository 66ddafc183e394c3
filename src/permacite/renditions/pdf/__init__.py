"""Rendition of PDFs, `pdf-text/1`: PDFium gives glyphs with their places, our rules make a text.

| module | contents |
|---|---|
| library | PDFium by its C interface |
| decoder | the glyphs of all pages; tags; title, authors and DOI as stated |
| styles, fonts, advances | sizes, heights and widths of glyphs |
| glyphs | the values between decoder and rules |
| lines, scripts, paragraphs, render | the rules `pdf-text/1` |
| boxes | the map: the page and the box of each character |
| frames | page frames, for drawing |

Its libraries are imported where it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import PermaciteError
from permacite.renditions.model import Original, Rendered, Rendition

if TYPE_CHECKING:
    from permacite.renditions.pdf.pages import PdfDocument

__all__ = ["PDF_TEXT_1"]

_PAGE = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>
endobj
4 0 obj<</Length 27>>stream
BT/F 9 Tf 9 9 Td(A B-)Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R/Info<</Title(A)>>>>
"""


def _preload() -> None:
    """Import all that it can need, by making the text of a page. Raises PermaciteError."""
    if _render(_decode(Original(_PAGE, "application/pdf"))).text != "A B-\r\n":
        raise PermaciteError("PDFium does not read the page that it is tried with")


def _decode(original: Original) -> PdfDocument:
    from permacite.renditions.pdf.decoder import decode

    return decode(original)


def _render(document: PdfDocument) -> Rendered:
    from permacite.renditions.pdf.render import render

    return render(document)


PDF_TEXT_1 = Rendition(
    "pdf-text", 1, frozenset({"application/pdf"}), _decode, _render, worker="pdf", preload=_preload
)
