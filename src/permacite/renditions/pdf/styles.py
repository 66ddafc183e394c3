"""Glyph styles of a PDF page: size, angle, font and heights, one style for each text object."""

from __future__ import annotations

import ctypes
import math
from collections import deque
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from permacite.renditions.pdf.fonts import heights_of

if TYPE_CHECKING:
    from permacite.renditions.pdf.fonts import Fonts, Heights
    from permacite.renditions.pdf.library import PdfiumLibrary

__all__ = [
    "ANGLE",
    "ASCENT",
    "DESCENT",
    "DRAWINGS",
    "FONT",
    "HIDDEN",
    "SCALE",
    "SIZE",
    "SLANT",
    "GlyphStyles",
    "Raw",
]

SIZE, ANGLE, SCALE, HIDDEN, ASCENT, DESCENT, FONT, SLANT, _COLUMNS = range(9)
"""The columns of a style; its slant is how far a box leans over along the line, in points."""
DRAWINGS = -1.0
"""In place of a font (type 3) of which PDFium tells neither size nor widths."""
_SMALLEST, _LARGEST = 0.01, 1e5
"""What no eye sees, and no page holds."""
_SAME = 0.01
_LEFTWARDS = (
    (0x590, 0x900),
    (0xFB1D, 0xFE00),
    (0xFE70, 0xFF00),
    (0x10800, 0x11000),
    (0x1E800, 0x1F000),
)
"""Where scripts that run to the left have their characters."""
_INVISIBLE = 3
_LONGEST_NAME = 200
_NO_FONT = 8.0
_SLANTED = 0.05
_ASKED, _OF_A_SIZE, _LARGER = 40, 0.9, 2.0
"""The highest glyph of a font is about so much of its size."""
_GUESSED = 1.08, -0.4
"""The room above and below where the size is such a guess: more than .95 and .35, as others guess
it by the width of m, for 0.6 of it; in Times that is 0.78."""


class Raw(NamedTuple):
    """The glyphs of an open page, as PDFium has them: handles, and columns."""

    page: int
    text: int
    numbers: Any
    codes: Any
    origins: Any


class _GlyphReader:
    """Where the style of glyphs changes, and how large they are drawn, as PDFium reports it."""

    def __init__(self, pdfium: PdfiumLibrary, text: int) -> None:
        self._pdfium, self._text = pdfium, text

    def objects(self, listed: list[int], *, whole: bool) -> tuple[list[int], list[int]]:
        """Where the glyphs of each object begin, and the objects.

        The glyphs of an object follow each other: where the first and the last of a stretch are of
        one, all are. In lines that run to the left (`whole`) they may not.
        """
        ask, text = self._pdfium.FPDFText_GetTextObject, self._text
        if whole:
            objects = [ask(text, number) or 0 for number in listed]
            begins = [0, *(i for i in range(1, len(listed)) if objects[i] != objects[i - 1])]
            return begins, [objects[begin] for begin in begins]
        begins, begin, last = [0], 0, len(listed) - 1
        current = ask(text, listed[0]) or 0
        handles = [current]
        stride = 8
        while begin < last:  # gallop to the end of the object, then halve
            low, step = begin, stride
            high = min(low + step, last)
            while (ask(text, listed[high]) or 0) == current:
                low = high
                if low == last:
                    return begins, handles
                step *= 2
                high = min(low + step, last)
            while high - low > 1:
                middle = (low + high) // 2
                if (ask(text, listed[middle]) or 0) == current:
                    low = middle
                else:
                    high = middle
            stride = max((stride + high - begin) // 2, 1)
            begin = high
            begins.append(begin)
            current = ask(text, listed[begin]) or 0
            handles.append(current)
        return begins, handles

    def stretches(self, listed: list[int], origins: Any) -> tuple[list[int], list[int]]:
        """The same for builds that report no objects: stretches in one font, and a number for it.

        It is the place of its name on the page from 1, below 0 if it has none.
        """
        room = np.zeros((len(listed), 4), np.float32)
        begin = room.ctypes.data
        for index, number in enumerate(listed):
            self._pdfium.FPDFText_GetLooseCharBox(self._text, number, begin + 16 * index)
        reach = np.abs(np.diff(room[:, [1, 3]], axis=0)) >= _SAME
        names = [self._name(number) for number in listed]
        known = {name: place for place, name in enumerate(dict.fromkeys(names), 1)}
        fonts = np.array([known[name] if name else -known[name] for name in names])
        changed = (np.abs(np.diff(origins[:, 1])) >= _SAME) | reach.any(axis=1)
        changed |= (np.diff(self.matrices(listed), axis=0) != 0).any(axis=1)
        begins = [0, *(np.flatnonzero(changed | (np.diff(fonts) != 0)) + 1).tolist()]
        return begins, fonts[begins].tolist()

    def _name(self, number: int) -> bytes:
        """The name of the font of a glyph."""
        room = ctypes.create_string_buffer(_LONGEST_NAME)
        flags = ctypes.c_int()
        place = ctypes.addressof(room)
        asked = self._text, number, place, _LONGEST_NAME, ctypes.addressof(flags)
        return room.value if self._pdfium.FPDFText_GetFontInfo(*asked) <= _LONGEST_NAME else b"?"

    def matrices(self, numbers: list[int]) -> Any:
        """Of glyphs the size that they are drawn in, and the first four numbers of their matrix."""
        text, count = self._text, len(numbers)
        room = np.zeros((count, 6), np.float32)
        at = range(room.ctypes.data, room.ctypes.data + 24 * count, 24)
        deque(map(self._pdfium.FPDFText_GetMatrix, repeat(text), numbers, at), maxlen=0)
        sizes = map(self._pdfium.FPDFText_GetFontSize, repeat(text), numbers)
        drawn = np.column_stack((np.fromiter(sizes, np.float64, count), room[:, :4]))
        drawn[~np.isfinite(drawn).all(axis=1)] = 0
        return drawn

    def box_heights(self, number: int, origin: Any, size: float) -> Heights:
        """What a glyph takes above and below its line, by its loose box."""
        box = (ctypes.c_float * 4)()
        self._pdfium.FPDFText_GetLooseCharBox(self._text, number, ctypes.addressof(box))
        if not all(map(math.isfinite, box)):
            return heights_of(0.0, 0.0)
        reach = [(box[side] - float(origin[1])) / size for side in (1, 3)]
        return heights_of(max(reach), min(reach))


class GlyphStyles:
    """The styles of the glyphs of a page: one of `rows` each, and `which` one for each glyph."""

    def __init__(self, pdfium: PdfiumLibrary, raw: Raw, fonts: Fonts) -> None:
        self._pdfium, self._text = pdfium, raw.text
        self._glyphs = _GlyphReader(pdfium, raw.text)
        self._drawings: list[int] = []
        """The rows in a font of drawings (type 3), of which PDFium tells no size."""
        listed = raw.numbers.tolist()
        if not listed:
            self.handles: list[int] = []
            self.rows, self.which = np.zeros((1, _COLUMNS)), np.zeros(0, np.int64)
            return
        if pdfium.tells_objects:
            begins, self.handles = self._glyphs.objects(listed, whole=_runs_left(raw.codes))
            named = [pdfium.FPDFTextObj_GetFont(drawn) or 0 for drawn in self.handles]
        else:
            begins, named = self._glyphs.stretches(listed, raw.origins)
            self.handles = [0] * len(begins)
        said = {font: fonts.heights(font) for font in set(named) if font and pdfium.tells_objects}
        starts = np.zeros(len(listed), np.int64)
        starts[begins[1:]] = 1
        self.which = np.cumsum(starts)
        self.rows = self._rows(
            [listed[begin] for begin in begins], raw.origins[begins], named, said
        )
        if self._drawings:
            self._size_drawings(begins, listed)

    def _rows(
        self, numbers: list[int], origins: Any, fonts: list[int], said: dict[int, Heights]
    ) -> Any:
        """The rows, by the first glyph of each and its font, and by what fonts say."""
        tall, a, b, c, d = self._glyphs.matrices(numbers).T
        size, scale = (np.abs(tall) * np.hypot(*sides) for sides in ((c, d), (a, b)))
        odd = (size <= _SMALLEST) | (size >= _LARGEST) | (scale >= _LARGEST)
        size[odd] = scale[odd] = 1.0
        direction = np.where(tall < 0, 180.0, 0.0) - np.degrees(np.arctan2(b, a))
        rows = np.zeros((len(numbers), _COLUMNS))
        rows[:, SIZE], rows[:, SCALE], rows[:, ANGLE] = size, scale, direction
        heights = np.array([heights_of(0.0, 0.0)] * len(numbers))
        for index, font in enumerate(fonts):
            if font in said:
                heights[index] = said[font]
            elif direction[index] == 0:
                heights[index] = self._glyphs.box_heights(
                    numbers[index], origins[index], size[index]
                )
        reach = heights[:, :2]
        asked = map(self._pdfium.FPDFTextObj_GetTextRenderMode, filter(None, self.handles))
        there = np.array(self.handles) != 0
        rows[there, HIDDEN] = np.fromiter(asked, np.int64) == _INVISIBLE
        named = np.array(fonts)
        # (type 3), whose widths cannot be asked for either
        tells = there & (named != 0)
        drawings = (reach[:, 0] == reach[:, 1]) | (np.abs(reach).max(axis=1) > _NO_FONT)
        drawings = np.where(tells, drawings, named < 0)
        self._drawings = np.flatnonzero(drawings).tolist()
        rows[:, FONT] = np.where(drawings, 0, named)
        rows[~there & (direction != 0), FONT] = DRAWINGS  # what is told of its width is not so
        rows[:, ASCENT], rows[:, DESCENT] = heights[:, 2], -heights[:, 3]
        lean = np.abs(tall) * (a * c + b * d) / np.maximum(np.hypot(a, b), 1e-9)
        slant = (reach * lean[:, None]).max(axis=1)
        rows[:, SLANT] = np.where(np.abs(lean) > _SLANTED * size, slant, 0.0)
        return rows

    def _size_drawings(self, begins: list[int], listed: list[int]) -> None:
        """Take fonts of drawings for as large as their highest glyphs say, where these are larger.

        Their matrix is not in what PDFium calls their size: it may be a hundredth of what is seen.
        Such a guess gives no heights.
        """
        ends = [*begins[1:], len(listed)]
        box = (ctypes.c_double * 4)()
        at = [ctypes.addressof(box) + 8 * side for side in range(4)]
        highest: dict[float, float] = {}
        for index in self._drawings:
            said = float(self.rows[index, SIZE])
            for number in listed[begins[index] : min(ends[index], begins[index] + _ASKED)]:
                known = self._pdfium.FPDFText_GetCharBox(self._text, number, *at)
                height = abs(box[2] - box[3])
                if known and math.isfinite(height) and height < _LARGEST:
                    highest[said] = max(highest.get(said, 0.0), height)
        for index in self._drawings:
            row = self.rows[index]
            size = highest.get(float(row[SIZE]), 0.0) / _OF_A_SIZE
            if size > _LARGER * row[SIZE]:
                row[SCALE] *= size / row[SIZE]
                row[SIZE], row[FONT] = size, DRAWINGS
                row[ASCENT], row[DESCENT] = _GUESSED


def _runs_left(codes: Any) -> bool:
    most = int(codes.max())
    return any(
        most >= first and bool(((codes >= first) & (codes < end)).any())
        for first, end in _LEFTWARDS
    )
