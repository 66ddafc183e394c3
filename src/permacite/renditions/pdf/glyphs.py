"""Values between decoder and rules: the glyphs of a page, and its settings.

All lengths are points. x grows to the right and y downwards from the upper left corner of the page
as it is shown: its crop box, turned as the page says. Angles are whole degrees, clockwise, from
text that runs to the right.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeAlias

from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from permacite.bibliography import Claim
    from permacite.renditions.model import Notice

    Codes: TypeAlias = NDArray[np.uint32]
    Lengths: TypeAlias = NDArray[np.float64]
    Flags: TypeAlias = NDArray[np.bool_]

__all__ = ["GlyphPage", "PdfDocument"]


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
