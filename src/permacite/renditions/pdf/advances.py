"""Advances of glyphs: the distance to the next glyph, without any spacing.

The loose box of a glyph reaches so far, or as far as its ink does. One font draws a character as
wide each time: three of them are asked for all, unless they differ. Where ink hangs over, the font
is asked.
"""

from __future__ import annotations

import ctypes
import math
from collections import deque
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from permacite.renditions.pdf.fonts import measured
from permacite.renditions.pdf.styles import ANGLE, DRAWINGS, FONT, SCALE, SIZE, SLANT

if TYPE_CHECKING:
    from permacite.renditions.pdf.library import PdfiumLibrary
    from permacite.renditions.pdf.styles import GlyphStyles, Raw

__all__ = ["advances"]

_EQUAL = 0.0005
_SHAPED = (0x590, 0x1E00)
"""Scripts whose letters are drawn by their neighbours, as wide as these have it."""
_UNUSED = 0xF8F7
"""For private use: no font has it."""
_OFTEN, _ANOTHER, _ALIKE = 4, 0.08, 0.004
_AS_INK = 0.05
_SLANTED = 0.05
_AS_WIDE = 0.004
_CLOSE = 0.05
_BESIDE = 0.25
_TEXT, _MOST_OBJECTS, _WIDEST = 1, 100_000, 100


class _GlyphMetrics:
    """The columns that are needed to ask for widths."""

    def __init__(self, pdfium: PdfiumLibrary, raw: Raw, styles: GlyphStyles) -> None:
        self.pdfium, self.text = pdfium, raw.text
        self.numbers, self.origins = raw.numbers, raw.origins
        self.rows, self.which = styles.rows, styles.which
        turned = np.radians(self.rows[:, ANGLE])
        self.right, self.up = np.cos(turned), -np.sin(turned)
        self.upright = np.abs(self.right) > np.abs(self.up)

    def reach(self, chosen: Any) -> Any:
        """How far the loose boxes of some glyphs, or their ink, reach along their lines."""
        reach, slant = self.advance(chosen), self.rows[self.which[chosen], SLANT]
        if self.pdfium.tells_objects:
            return reach - slant
        # older builds leave the ink out
        return np.where(slant == 0, np.maximum(reach, self.ink(chosen)), reach)

    def ink(self, chosen: Any) -> Any:
        """How far the ink of some glyphs reaches along their lines."""
        room = np.zeros((chosen.size, 4), np.float64)
        sides = (
            range(room.ctypes.data + 8 * side, room.ctypes.data + 8 * side + 32 * chosen.size, 32)
            for side in (0, 2, 3, 1)  # as loose boxes have them: left, top, right, bottom
        )
        listed = self.numbers[chosen].tolist()
        deque(map(self.pdfium.FPDFText_GetCharBox, repeat(self.text), listed, *sides), maxlen=0)
        return self._along(room, chosen)

    def advance(self, chosen: Any) -> Any:
        """How far the loose boxes of some glyphs reach along their lines."""
        room = np.zeros((chosen.size, 4), np.float32)
        at = range(room.ctypes.data, room.ctypes.data + 16 * chosen.size, 16)
        listed = self.numbers[chosen].tolist()
        deque(map(self.pdfium.FPDFText_GetLooseCharBox, repeat(self.text), listed, at), maxlen=0)
        return self._along(room.astype(np.float64), chosen)

    def _along(self, room: Any, chosen: Any) -> Any:
        """How far boxes of some glyphs reach along their lines."""
        room[~np.isfinite(room).all(axis=1)] = 0
        boxes = np.clip(room, -1e6, 1e6)
        style = self.which[chosen]
        x, y = self.origins[chosen].T
        across = np.maximum(
            (boxes[:, 0] - x) * self.right[style], (boxes[:, 2] - x) * self.right[style]
        )
        along = np.maximum((boxes[:, 1] - y) * self.up[style], (boxes[:, 3] - y) * self.up[style])
        return np.where(self.upright[style], across, along)


def advances(pdfium: PdfiumLibrary, raw: Raw, styles: GlyphStyles) -> Any:
    """The advances of all glyphs."""
    codes, origins = raw.codes, raw.origins
    if not codes.size:
        return np.zeros(0)
    asked = _GlyphMetrics(pdfium, raw, styles)
    rows, which = styles.rows, styles.which
    size, font = rows[which, SIZE], rows[which, FONT]
    pieces = np.zeros(codes.size + 1, np.bool_)  # of one glyph, which is as wide as all
    pieces[1:-1] = (np.abs(np.diff(origins, axis=0)) < _EQUAL).all(axis=1)
    piece = pieces[1:] | pieces[:-1]
    each_font = np.unique(rows[:, FONT], return_inverse=True)[1]
    keys = (each_font[which].astype(np.int64) << 22) | codes
    own = piece | (font <= 0) | ((codes >= _SHAPED[0]) & (codes < _SHAPED[1]))
    alone, shared = np.flatnonzero(own), np.flatnonzero(~own)
    reach, exact = np.zeros(codes.size), np.zeros(codes.size)
    if shared.size:
        _by_font(asked, (codes, keys, pieces), shared, (reach, exact))
    reach[alone] = asked.reach(alone)
    _by_steps(asked, codes, np.flatnonzero(font == DRAWINGS), reach)
    for step in (slice(None), slice(None, None, -1)):  # a first piece is shown as half of it
        last, joined = reach[step], (pieces[1:-1])[step]
        last[1:] = np.where(joined, np.maximum(last[1:], last[:-1]), last[1:])
    _of_whole_objects(asked, raw.page, styles, (pieces, reach))
    advance = np.where((exact > 0) & (exact < reach), exact, reach)
    oblique = np.minimum(np.abs(asked.right), np.abs(asked.up)) > _SLANTED
    return np.where(oblique[which], np.minimum(advance, 0.6 * size), advance)


def _by_font(
    asked: _GlyphMetrics, columns: tuple[Any, Any, Any], shared: Any, found: tuple[Any, Any]
) -> None:
    """The reach and the exact advance of glyphs that a font draws, of three each asked for all.

    Those behind which there may be a gap, or too little room, are asked themselves.
    """
    (codes, keys, pieces), (reach, exact) = columns, found
    scale = np.maximum(asked.rows[asked.which, SCALE], 1e-9)
    order = np.argsort(keys[shared], kind="stable")
    ordered = shared[order]
    begins = np.flatnonzero(np.diff(keys[ordered], prepend=-1))
    ends = np.append(begins[1:], shared.size)
    group = np.zeros(shared.size, np.int64)
    group[order] = np.repeat(np.arange(begins.size), ends - begins)
    first = ordered[begins]
    widths = asked.reach(first) / scale[first]
    differs = np.zeros(begins.size, np.bool_)
    for other in (ordered[(begins + ends) // 2], ordered[ends - 1]):
        differs |= np.abs(widths - asked.reach(other) / scale[other]) > _AS_WIDE
    reach[shared] = widths[group] * scale[shared]
    known = _exact(asked, first, codes, reach)
    places = asked.origins, scale, asked.which, shared
    exact[shared] = _corrected(known, widths, group, places)
    exact[shared] *= scale[shared]
    doubtful = differs[group] | ~_close(asked, reach)[shared]
    doubtful &= ~pieces[1:][shared]
    each = shared[doubtful]
    own = asked.reach(each)
    exact[each[np.abs(own - reach[each]) > _AS_WIDE * scale[each]]] = 0
    reach[each] = own


def _by_steps(asked: _GlyphMetrics, codes: Any, drawings: Any, reach: Any) -> None:
    """The reach of drawings, of which only the ink is known: to where the nearest one begins.

    That is looked for behind all drawings of a character; one that always stands at the end of a
    word reaches as far as its ink.
    """
    reach[drawings] = asked.ink(drawings)
    if drawings.size <= 1:  # one has no step
        return
    size = asked.rows[asked.which[drawings], SIZE]
    kinds, kind = np.unique(codes[drawings], return_inverse=True)
    apart = np.diff(asked.origins[drawings], axis=0)
    steps = np.hypot(*apart.T) / size[:-1]
    style = asked.which[drawings[:-1]]
    along = apart[:, 0] * asked.right[style] + apart[:, 1] * asked.up[style]
    following = (np.diff(drawings) == 1) & (along > 0.99 * steps * size[:-1])
    nearest = np.full(kinds.size, np.inf)
    np.minimum.at(nearest, kind[:-1][following], steps[following])
    room = nearest[kind] * size - reach[drawings]
    near = (room > 0) & (room < _BESIDE * size)
    reach[drawings[near]] += room[near]


def _close(asked: _GlyphMetrics, reach: Any) -> Any:
    """Behind which glyphs the next one of their object stands as close as it would in a word."""
    close = np.zeros(reach.size, np.bool_)
    size = asked.rows[asked.which[:-1], SIZE]
    gap = np.hypot(*np.diff(asked.origins, axis=0).T) - reach[:-1]
    close[:-1] = (np.abs(gap) < _CLOSE * size) & (np.diff(asked.which) == 0)
    return close


def _of_whole_objects(
    asked: _GlyphMetrics, page: int, styles: GlyphStyles, columns: tuple[Any, Any]
) -> None:
    """Where objects have a replacement text (ActualText), their bounds give its width."""
    pieces, reach = columns
    if not any(styles.handles):
        return
    begins = np.flatnonzero(np.diff(styles.which, prepend=-1))
    ends = np.append(begins[1:], styles.which.size)
    joined = np.append(0, np.cumsum(pieces[1:-1]))
    whole = (ends - begins > 1) & (joined[ends - 1] - joined[begins] == ends - begins - 1)
    whole &= asked.upright
    if not whole.any():
        return
    silent = _silent_behind(asked.pdfium, page, frozenset(styles.handles))
    for index in np.flatnonzero(whole).tolist():
        first = styles.handles[index]
        x, sign = float(asked.origins[begins[index], 0]), float(asked.right[index])
        width = 0.0
        for handle in (first, *silent.get(first, ())):
            left, right = _bounds(asked.pdfium, handle)
            if right - left <= 0:  # a space
                break
            width = max(width, (left - x) * sign, (right - x) * sign)
        if 0 < width < _WIDEST * float(styles.rows[index, SIZE]):
            stretch = slice(int(begins[index]), int(ends[index]))
            reach[stretch] = np.maximum(reach[stretch], width)


def _silent_behind(pdfium: PdfiumLibrary, page: int, known: frozenset[int]) -> dict[int, list[int]]:
    """Behind each object those of which PDFium has no characters: the text stands for them too."""
    silent: dict[int, list[int]] = {}
    last: list[int] = []
    for index in range(min(pdfium.FPDFPage_CountObjects(page), _MOST_OBJECTS)):
        handle = pdfium.FPDFPage_GetObject(page, index)
        if handle in known:
            last = silent.setdefault(handle, [])
        elif handle and pdfium.FPDFPageObj_GetType(handle) == _TEXT:
            last.append(handle)
        else:
            last = []
    return silent


def _bounds(pdfium: PdfiumLibrary, handle: int) -> tuple[float, float]:
    """Where an object begins and ends on its line; the same where it is not known."""
    room = (ctypes.c_float * 4)()
    at = [ctypes.addressof(room) + 4 * index for index in range(4)]
    known = pdfium.FPDFPageObj_GetBounds(handle, *at) and all(map(math.isfinite, room))
    return (room[0], room[2]) if known else (0.0, 0.0)


def _exact(asked: _GlyphMetrics, firsts: Any, codes: Any, reach: Any) -> Any:
    """Of each of these glyphs its advance for one point, as its font tells it; else 0.

    Glyphs of other scripts change with their neighbours; a font tells the width of one.
    """
    exact = np.zeros(firsts.size)
    rows = asked.rows[asked.which[firsts]]
    known = (codes[firsts] < _SHAPED[0]) & (rows[:, SCALE] > 0)
    known &= np.fromiter((chr(code).isalpha() for code in codes[firsts].tolist()), np.bool_)
    known[known] = asked.ink(firsts[known]) >= reach[firsts[known]] - _EQUAL * rows[known, SIZE]
    if not asked.pdfium.tells_objects:
        exact[known] = asked.advance(firsts[known]) / rows[known, SCALE]
        return exact
    for place in np.flatnonzero(known).tolist():
        exact[place] = _width(asked.pdfium, int(rows[place, FONT]), int(codes[firsts[place]]))
    return exact


def _width(pdfium: PdfiumLibrary, font: int, code: int) -> float:
    """The advance of a character for one point; below 0 where it may be that of another one."""
    width, unknown = (
        measured(pdfium, "FPDFFont_GetGlyphWidth", font, each, 1.0) for each in (code, _UNUSED)
    )
    return -width if width == unknown else width


def _corrected(exact: Any, widths: Any, group: Any, places: tuple[Any, Any, Any, Any]) -> Any:
    """The advance that its font gives each glyph, unless the glyphs behind it say otherwise.

    A font is asked by characters, of which two of its glyphs may be one. Where what follows
    always stands further away, and often enough or as far as the ink goes, the font meant another.
    What may be the width of another one counts where a glyph stands just so far behind.
    """
    if not exact.any():
        return exact[group]
    origins, scale, which, shared = places
    following = np.minimum(shared + 1, which.size - 1)
    within = (which[following] == which[shared]) & (following > shared)
    steps = np.hypot(*(origins[following] - origins[shared]).T)[within] / scale[shared][within]
    each = group[within]
    nearest = np.full(exact.size, np.inf)
    np.minimum.at(nearest, each, steps)
    often = np.bincount(each, minlength=exact.size)
    alike = np.bincount(each, weights=steps < nearest[each] + _ALIKE, minlength=exact.size)
    enough = (often >= _OFTEN) & (alike > 0.7 * often) | (nearest < widths + _AS_INK)
    wrong = enough & (nearest > np.abs(exact) + _ANOTHER)
    wrong |= (exact < 0) & (np.abs(nearest + exact) > _ALIKE)
    return np.where(wrong, 0.0, np.abs(exact))[group]
