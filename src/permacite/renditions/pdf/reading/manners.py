"""How glyphs are drawn: all of one object of a page in one manner."""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from permacite.renditions.pdf.library import Library

__all__ = [
    "ANGLE",
    "ASCENT",
    "DESCENT",
    "FONT",
    "HIDDEN",
    "SCALE",
    "SIZE",
    "Manners",
    "Raw",
    "measured",
]

SIZE, ANGLE, SCALE, HIDDEN, ASCENT, DESCENT, FONT, _COLUMNS = range(8)
"""The columns of a manner."""
_SMALLEST, _LARGEST = 0.01, 1e5
"""What no eye sees, and no page holds."""
_TALLEST, _FLATTEST, _DEEPEST = 1.05, 0.2, 0.4
"""What fonts say beyond that, for one point of size, is not believed."""
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
_NO_FONT = 8.0
_ASKED, _OF_A_SIZE, _LARGER = 40, 0.9, 2.0
"""The highest glyph of a font is about so much of its size."""


class Raw(NamedTuple):
    """The glyphs of an open page, as PDFium has them: handles, and columns."""

    page: int
    text: int
    numbers: Any
    codes: Any
    origins: Any


class Manners:
    """The manners of a page: `rows`, and of each glyph `which` of them."""

    def __init__(self, pdfium: Library, raw: Raw) -> None:
        self._pdfium, self._text = pdfium, raw.text
        self._fonts: dict[int, tuple[float, float]] = {}
        self._drawings: dict[int, int] = {}
        """Of an object its font of drawings (type 3), of which PDFium tells no size."""
        self._matrix = (ctypes.c_float * 6)()
        self._at = ctypes.addressof(self._matrix)
        listed = raw.numbers.tolist()
        if not listed:
            self.handles: list[int] = []
            self.rows, self.which = np.zeros((1, _COLUMNS)), np.zeros(0, np.int64)
            return
        if pdfium.has("FPDFText_GetTextObject"):
            begins, self.handles = self._objects(listed, whole=_runs_left(raw.codes))
        else:
            begins = self._stretches(listed, raw.origins)
            self.handles = [0] * len(begins)
        starts = np.zeros(len(listed), np.int64)
        starts[begins[1:]] = 1
        self.which = np.cumsum(starts)
        rows = [
            self._row(listed[begin], raw.origins[begin], handle)
            for begin, handle in zip(begins, self.handles, strict=True)
        ]
        self.rows = np.array(rows, np.float64)
        if self._drawings:
            self._size_drawings(begins, listed)

    def _objects(self, listed: list[int], *, whole: bool) -> tuple[list[int], list[int]]:
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

    def _stretches(self, listed: list[int], origins: Any) -> list[int]:
        """Builds that do not tell their objects are asked for each stretch in one font."""
        room = np.zeros((len(listed), 4), np.float32)
        begin = room.ctypes.data
        for index, number in enumerate(listed):
            self._pdfium.FPDFText_GetLooseCharBox(self._text, number, begin + 16 * index)
        changed = (np.abs(np.diff(origins[:, 1])) >= _SAME) | (
            np.abs(np.diff(room[:, [1, 3]], axis=0)) >= _SAME
        ).any(axis=1)
        return [0, *(np.flatnonzero(changed) + 1).tolist()]

    def _row(self, number: int, origin: Any, drawn: int) -> tuple[float, ...]:
        pdfium = self._pdfium
        tall = float(pdfium.FPDFText_GetFontSize(self._text, number))
        pdfium.FPDFText_GetMatrix(self._text, number, self._at)
        a, b, c, d = self._matrix[:4]
        size = abs(tall) * math.hypot(c, d)
        scale = abs(tall) * math.hypot(a, b)
        if not (_SMALLEST < size < _LARGEST and 0 <= scale < _LARGEST):
            size = scale = 1.0
        direction = -math.degrees(math.atan2(b, a)) + (180 if tall < 0 else 0)
        hidden, font = False, 0
        ascent, descent = 0.0, 0.0
        if drawn:
            hidden = pdfium.FPDFTextObj_GetTextRenderMode(drawn) == _INVISIBLE
            font = pdfium.FPDFTextObj_GetFont(drawn) or 0
        if font:
            ascent, descent = self._of_font(font)
            drawings = ascent == descent or max(abs(ascent), abs(descent)) > _NO_FONT
            if drawings:  # (type 3), whose widths cannot be asked for either
                self._drawings[drawn], font = font, 0
        elif direction == 0:
            box = (ctypes.c_float * 4)()
            pdfium.FPDFText_GetLooseCharBox(self._text, number, ctypes.addressof(box))
            if all(map(math.isfinite, box)):
                ascent = (box[1] - float(origin[1])) / size
                descent = (box[3] - float(origin[1])) / size
                ascent, descent = max(ascent, descent), min(ascent, descent)
        return (size, direction, scale, float(hidden), *_believed(ascent, descent), float(font))

    def _size_drawings(self, begins: list[int], listed: list[int]) -> None:
        """Take fonts of drawings for as large as their highest glyphs say, where these are larger.

        Their matrix is not in what PDFium calls their size: it may be a hundredth of what is seen.
        """
        ends = [*begins[1:], len(listed)]
        box = (ctypes.c_float * 4)()
        highest: dict[int, float] = {}
        for handle, begin, end in zip(self.handles, begins, ends, strict=True):
            font = self._drawings.get(handle)
            for number in listed[begin : min(end, begin + _ASKED)] if font else ():
                self._pdfium.FPDFText_GetLooseCharBox(self._text, number, ctypes.addressof(box))
                height = abs(box[1] - box[3])
                if math.isfinite(height) and height < _LARGEST:
                    highest[font or 0] = max(highest.get(font or 0, 0.0), height)
        for index, handle in enumerate(self.handles):
            size = highest.get(self._drawings.get(handle, 0), 0.0) / _OF_A_SIZE
            row = self.rows[index]
            if size > _LARGER * row[SIZE]:
                row[SCALE] *= size / row[SIZE]
                row[SIZE] = size

    def _of_font(self, font: int) -> tuple[float, float]:
        known = self._fonts.get(font)
        if known is None:
            known = (
                measured(self._pdfium, "FPDFFont_GetAscent", font, 1.0),
                measured(self._pdfium, "FPDFFont_GetDescent", font, 1.0),
            )
            self._fonts[font] = known
        return known


def _runs_left(codes: Any) -> bool:
    most = int(codes.max())
    return any(
        most >= first and bool(((codes >= first) & (codes < end)).any())
        for first, end in _LEFTWARDS
    )


def _believed(ascent: float, descent: float) -> tuple[float, float]:
    """What is above and below the line, as far as fonts can be right about it."""
    if not _FLATTEST < ascent <= _TALLEST:
        ascent = 0.75 if ascent <= _TALLEST else _TALLEST
    if not -_DEEPEST <= descent <= 0:
        descent = -0.25 if descent > 0 else -_DEEPEST
    return ascent, descent


def measured(pdfium: Library, name: str, font: int, *arguments: object) -> float:
    """What a function writes of a font; 0 where it does not know."""
    value = ctypes.c_float()
    known = getattr(pdfium, name)(font, *arguments, ctypes.addressof(value))
    return value.value if known and math.isfinite(value.value) else 0.0
