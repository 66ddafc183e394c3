"""Drawing of PDF pages as pictures by PDFium: a whole page, or an area of it.

A picture depends on the build of PDFium, on the fonts in it, and on the scale: it is derived, and
never what a name denotes. Lengths are points from the upper left corner of the page as it is shown,
as in the map of its words. Scripts are never run, and fonts of the system are not used.
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING, Any

from permacite.errors import DecodingError, NotFoundError
from permacite.lazy_dataclass import dataclass
from permacite.renditions.pdf.library import opened
from permacite.renditions.pdf.pages import frame_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.pdi import PagePlace
    from permacite.renditions.model import Octets
    from permacite.renditions.pdf.library import PdfiumLibrary

__all__ = ["DrawnPage", "draw", "measure"]

_SCALE = 2.0
"""Pixels for a point, where the page is not too large for that: 144 for an inch."""
_MOST_PIXELS = 8_000_000
_LONGEST = 12_000
"""Pixels of a side: a page of 200 inches has fewer for each point, a strip too."""
_OCTETS = 4
_OF_PIXEL = 40
"""Octets that a pixel takes: the bitmap, layers of transparency, what is written of it."""
_BGRX, _WITH_NOTES = 3, 0x01
_WHITE = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """A picture: rows of blue, green, red and an octet that says nothing."""

    width: int
    height: int
    pixels: Any = field(repr=False)
    clipped: bool
    """Whether the area reaches beyond the page."""
    build: str
    """Of PDFium."""


def draw(content: Octets, place: PagePlace, admit: Callable[[int], None]) -> DrawnPage:
    """Draw a page or an area of it; `admit` is asked for the memory first.

    Raises ParseError for what is no PDF, NotFoundError where there is no such page or the area
    lies beside it, DecodingError where the page cannot be read.
    """
    with opened(content) as (pdfium, document):
        there = pdfium.FPDF_GetPageCount(document)
        if place.page > there:
            pages = f"{there} page{'s' if there != 1 else ''}"
            problem = f"the document has {pages}: the fragment names nothing in it"
            raise NotFoundError(problem, place.specifier[:80])
        page = pdfium.FPDF_LoadPage(document, place.page - 1)
        if not page:
            raise DecodingError(f"page {place.page} cannot be read")
        try:
            return _drawn(pdfium, page, place, admit)
        finally:
            pdfium.FPDF_ClosePage(page)


def measure(content: Octets, number: int) -> tuple[int, float, float, float, float, int]:
    """How many pages there are, and the frame of one.

    Raises ParseError for what is no PDF, DecodingError where the page cannot be read.
    """
    with opened(content) as (pdfium, document):
        page = pdfium.FPDF_LoadPage(document, number - 1)
        if not page:
            raise DecodingError(f"page {number} cannot be read")
        try:
            return pdfium.FPDF_GetPageCount(document), *frame_of(pdfium, page)
        finally:
            pdfium.FPDF_ClosePage(page)


def _drawn(
    pdfium: PdfiumLibrary, page: int, place: PagePlace, admit: Callable[[int], None]
) -> DrawnPage:
    import numpy as np

    across, down = frame_of(pdfium, page).size
    left, top, right, bottom = _within(place, math.ceil(across), math.ceil(down))
    scale = _scale(right - left, bottom - top)
    width, height = (max(1, round(scale * side)) for side in (right - left, bottom - top))
    admit(width * height * _OF_PIXEL)
    pixels = np.full((height, width), _WHITE, np.uint32)
    bitmap = pdfium.FPDFBitmap_CreateEx(width, height, _BGRX, pixels.ctypes.data, width * _OCTETS)
    if not bitmap:
        raise DecodingError(f"page {place.page} cannot be drawn")
    try:
        begin = round(-left * scale), round(-top * scale)
        size = max(1, round(across * scale)), max(1, round(down * scale))
        pdfium.FPDF_RenderPageBitmap(bitmap, page, *begin, *size, 0, _WITH_NOTES)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    inside = place.area is None or place.area[2:] == (right - left, bottom - top)
    return DrawnPage(width, height, pixels, not inside, pdfium.build)


def _within(place: PagePlace, across: int, down: int) -> tuple[int, int, int, int]:
    """The edges of what of an area lies on a page of this size. Raises NotFoundError."""
    if place.area is None:
        return 0, 0, across, down
    left, top, width, height = place.area
    if left >= across or top >= down:
        problem = f"page {place.page} has {across} by {down} points"
        told = f"{problem}: the fragment names nothing in it"
        raise NotFoundError(told, place.specifier[:80])
    return left, top, min(left + width, across), min(top + height, down)


def _scale(width: int, height: int) -> float:
    """Pixels for a point."""
    fitting = math.sqrt(_MOST_PIXELS / (max(width, 1) * max(height, 1)))
    return min(_SCALE, fitting, _LONGEST / max(width, height, 1))
