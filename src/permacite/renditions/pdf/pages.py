"""Pages of a PDF: their glyphs, as values between decoder and rules, and their frames.

All lengths are points. x grows to the right and y downwards from the upper left corner of the page
as it is shown: its crop box, turned as the page says. Angles are whole degrees, clockwise, from
text that runs to the right.

The file counts points from anywhere, upwards, before the page is turned. Zotero and others tell
places in the space of the file; the map of its text, and names of areas, as the page is shown.
"""

from __future__ import annotations

import ctypes
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from permacite.bibliography import Claim
    from permacite.renditions.model import Notice
    from permacite.renditions.pdf.library import PdfiumLibrary

    Codes: TypeAlias = NDArray[np.uint32]
    Lengths: TypeAlias = NDArray[np.float64]
    Flags: TypeAlias = NDArray[np.bool_]

__all__ = ["Box", "GlyphPage", "PageFrame", "PdfDocument", "frame_of"]

Box: TypeAlias = tuple[float, float, float, float]
_UPSIDE_DOWN, _TO_THE_LEFT = 2, 3


class PageFrame(NamedTuple):
    """The edges of a page in the space of the file, and how often it is turned to the right."""

    left: float
    bottom: float
    right: float
    top: float
    turns: int = 0

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the page as it is shown."""
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.turns % 2 else (width, height)

    def shown(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Where on the page a place of the file is shown: from its left, from its top."""
        right, down = x - self.left, self.top - y
        width, height = self.right - self.left, self.top - self.bottom
        if self.turns == 1:
            return height - down, right
        if self.turns == _UPSIDE_DOWN:
            return width - right, height - down
        if self.turns == _TO_THE_LEFT:
            return down, width - right
        return right, down

    def in_file(self, x: float, y: float) -> tuple[float, float]:
        """Where in the file a place on the page is."""
        width, height = self.right - self.left, self.top - self.bottom
        right, down = x, y
        if self.turns == 1:
            right, down = y, height - x
        elif self.turns == _UPSIDE_DOWN:
            right, down = width - x, height - y
        elif self.turns == _TO_THE_LEFT:
            right, down = width - y, x
        return self.left + right, self.top - down

    def area_shown(self, box: Box) -> Box:
        """Left, top, right and bottom on the page, of left, bottom, right and top in the file."""
        return _ordered(self.shown(*box[:2]), self.shown(*box[2:]))

    def area_in_file(self, box: Box) -> Box:
        """Left, bottom, right and top in the file, of left, top, right and bottom on the page."""
        return _ordered(self.in_file(*box[:2]), self.in_file(*box[2:]))


def frame_of(pdfium: PdfiumLibrary, page: int) -> PageFrame:
    """The frame of an open page; of one that tells none, that of a letter."""
    box = (ctypes.c_float * 4)()
    if not pdfium.FPDF_GetPageBoundingBox(page, ctypes.addressof(box)):
        box[:] = [0.0, 792.0, 612.0, 0.0]
    left, top, right, bottom = box
    edges = min(left, right), min(top, bottom), max(left, right), max(top, bottom)
    return PageFrame(*edges, pdfium.FPDFPage_GetRotation(page) % 4)


def _ordered(first: tuple[float, float], last: tuple[float, float]) -> Box:
    """The box between two corners."""
    (a, b), (c, d) = first, last
    return min(a, c), min(b, d), max(a, c), max(b, d)


@dataclass(frozen=True, slots=True, eq=False)
class GlyphPage:
    """One page: a column for each property of its glyphs, in the order of the decoder."""

    number: int
    """From 1."""
    label: str
    """As it is printed; "" where the document does not say."""
    width: float
    height: float
    codes: Codes = field(repr=False)
    """Code points. A glyph that stands for several characters is there several times."""
    x: Lengths = field(repr=False)
    y: Lengths = field(repr=False)
    """The origin: where the glyph stands on its baseline."""
    advance: Lengths = field(repr=False)
    """How far the next glyph stands from it, without any spacing."""
    size: Lengths = field(repr=False)
    angle: NDArray[Any] = field(repr=False)
    boxes: Lengths = field(repr=False)
    """left, top, right, bottom: the advance, and the ascent and descent of the font."""
    hidden: Flags = field(repr=False)
    """Drawn invisibly, such as the words under a scan."""
    blocks: NDArray[Any] = field(repr=False)
    """The number of its block in the order of the tags; -1 where it has none."""
    pictures: bool = False
    """Whether there is a picture on the page."""


@dataclass(frozen=True, slots=True)
class PdfDocument:
    """What a decoder gives: all pages, what the document says of itself, and what was noticed."""

    pages: tuple[GlyphPage, ...]
    title: str | None = None
    stated: tuple[Claim, ...] = ()
    notices: tuple[Notice, ...] = ()
    builds: Mapping[str, str] = field(default_factory=dict, hash=False)
