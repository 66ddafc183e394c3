"""What fonts say of the height of their letters, and the room that their boxes have for these.

A font says how far its letters reach above and below the line. Some say nothing: 0, or PDFium has
measured A and g, as in all fonts of drawings (type 3), which have no name. Some say how high those
of their letters are that the file has, which may be less than the next letter needs.
"""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from permacite.renditions.pdf.library import Library
    from permacite.renditions.pdf.reading.descriptors import Said

__all__ = ["Fonts", "Heights", "heights_of", "measured"]

_LEAST = 0.66, 0.17
"""What capitals and tails of nearly all letters take above and below, for one point of size."""
_OF_LETTERS = 0.85, 0.3
"""What others than A and g take, where these two are all that is known: less than most lines."""
_UNSAID = 0.95, 0.35
"""Where nothing is said: as poppler has it."""
_MOST = 1.3, 0.9
"""A font that says more says nothing: symbols say how far their largest braces reach."""
_STANDARD = {
    b"Courier": (0.629, 0.157),
    b"Helvetica": (0.718, 0.207),
    b"Symbol": (1.01, 0.293),
    b"Times": (0.683, 0.217),
    b"ZapfDingbats": (0.82, 0.143),
}
"""The standard fonts, which files need not hold, by Adobe's tables (AFM)."""
_NAME = 200


class Heights(NamedTuple):
    """How far a font says that it reaches, and what room its boxes have, for one point of size."""

    above: float
    below: float
    """Less than 0 below the line."""
    room_above: float
    room_below: float
    """More than 0, both."""


class Fonts:
    """The fonts of a document."""

    def __init__(self, pdfium: Library, said: frozenset[Said]) -> None:
        """`said`: what they say of their heights, as the octets of the document have it."""
        self._pdfium, self._said = pdfium, said
        self._room = ctypes.create_string_buffer(_NAME)
        self._known: dict[tuple[bytes, float, float], Heights] = {}
        """By name and what is said: the handle of a font is another one on each page."""

    def heights(self, font: int) -> Heights:
        """The heights of a font of an open page."""
        pdfium = self._pdfium
        above = measured(pdfium, "FPDFFont_GetAscent", font, 1.0)
        below = measured(pdfium, "FPDFFont_GetDescent", font, 1.0)
        self._room.value = b""
        pdfium.FPDFFont_GetBaseFontName(font, ctypes.addressof(self._room), _NAME)
        key = self._room.value, above, below
        if key not in self._known:
            self._known[key] = self._heights(font, *key)
        return self._known[key]

    def _heights(self, font: int, name: bytes, above: float, below: float) -> Heights:
        standard = _STANDARD.get(name.partition(b"-")[0])
        if standard is not None and not self._pdfium.FPDFFont_GetIsEmbedded(font):
            return heights_of(above, below)._replace(
                room_above=max(standard[0], _LEAST[0]), room_below=max(standard[1], _LEAST[1])
            )
        said = round(1000 * above), round(1000 * below)
        if name and self._said and said not in self._said:
            return heights_of(0.0, 0.0)._replace(above=above, below=below)
        return heights_of(above, below, _LEAST if name else _OF_LETTERS)


def heights_of(above: float, below: float, least: tuple[float, float] = _LEAST) -> Heights:
    """The heights of a font of which no more is known, its rooms at least so high."""
    rooms = [
        max(abs(said), room) if 0 < abs(said) <= most else unsaid
        for said, room, most, unsaid in zip((above, below), least, _MOST, _UNSAID, strict=True)
    ]
    return Heights(above, below, *rooms)


def measured(pdfium: Library, name: str, font: int, *arguments: object) -> float:
    """What a function writes of a font; 0 where it does not know."""
    value = ctypes.c_float()
    known = getattr(pdfium, name)(font, *arguments, ctypes.addressof(value))
    return value.value if known and math.isfinite(value.value) else 0.0
