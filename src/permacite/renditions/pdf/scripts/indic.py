"""Indic letters that are drawn in another order than they are said in (clause 7).

Fonts draw the vowel sign I before its consonants, and an R before them as a mark behind them. A PDF
whose tables name glyph by glyph has them in that order. Those that stand for several characters at
once have it right, and are left alone.
"""

from __future__ import annotations

import unicodedata
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import Any

    from permacite.renditions.pdf.glyphs import Page

__all__ = ["as_said", "reordered"]

_FIRST, _LAST, _BLOCK = 0x900, 0xE00, 0x80
_BEFORE = frozenset(
    {0x93F, 0x9BF, 0x9C7, 0x9C8, 0xA3F, 0xABF, 0xB47, 0xBC6, 0xBC7, 0xBC8, 0xD46, 0xD47, 0xD48}
    | {0xDD9, 0xDDA, 0xDDB}
)
"""Vowel signs that are drawn before the consonants behind which they are said."""
_TOGETHER = {
    (0x93E, 0x947): 0x94B, (0x93E, 0x948): 0x94C, (0x93E, 0x945): 0x949, (0x905, 0x93E): 0x906,
    (0x905, 0x94B): 0x913, (0x905, 0x94C): 0x914, (0x9C7, 0x9BE): 0x9CB, (0x9C7, 0x9D7): 0x9CC,
    (0xBC6, 0xBBE): 0xBCA, (0xBC7, 0xBBE): 0xBCB, (0xD46, 0xD3E): 0xD4A, (0xD47, 0xD3E): 0xD4B,
}  # fmt: skip
"""Vowels that are drawn as two glyphs."""
_CONSONANTS, _NUKTA, _VIRAMA, _RA = range(0x15, 0x3A), 0x3C, 0x4D, 0x30
_NARROW = 0.3
_LONGEST = 16


def _kind(code: int) -> str:
    """C consonant, H virama, N nukta, V a sign of a vowel or another mark, else "-"."""
    if not _FIRST <= code < _LAST:
        return "-"
    place = code % _BLOCK
    if place in _CONSONANTS:
        return "C"
    if place in (_NUKTA, _VIRAMA):
        return "N" if place == _NUKTA else "H"
    return "V" if unicodedata.category(chr(code)) in ("Mn", "Mc") else "-"


def as_said(page: Page) -> Page:
    """The page with such signs behind the consonants that they are said behind."""
    codes = page.codes
    if not codes.size or not ((codes >= _FIRST) & (codes < _LAST)).any():
        return page
    work = _Glyphs(page)
    work.put_vowels_behind()
    work.put_r_before()
    return work.page()


class _Glyphs:
    """The glyphs of a page, which are moved."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._order = list(range(page.codes.size))
        self._codes = page.codes.copy()
        self._x, self._advance = page.x.copy(), page.advance.copy()
        self._kinds = [_kind(code) for code in page.codes.tolist()]

    def _on_one_line(self, first: int, second: int) -> bool:
        page = self._page
        near = 0.2 * float(page.size[first])
        return abs(float(page.y[first] - page.y[second])) < near

    def put_vowels_behind(self) -> None:
        """Move signs that stand before their consonants, and are drawn there, behind them."""
        kinds, x = self._kinds, self._page.x
        for index in np.flatnonzero(np.isin(self._codes, list(_BEFORE))).tolist():
            end = self._syllable(index + 1)
            if end == index + 1 or not self._on_one_line(index, index + 1):
                continue
            small = 0.02 * float(self._page.size[index])
            if x[index + 1] <= x[index] + small:
                continue
            if index and self._on_one_line(index, index - 1) and kinds[index - 1] in "CHN":
                last = float(x[index - 1])
                if last > x[index] + small or abs(last - float(x[index])) <= small:
                    continue  # it stands in its place already
            self._order[index:end] = [*self._order[index + 1 : end], self._order[index]]
            self._as_one(range(index, end))

    def put_r_before(self) -> None:
        """Move an R that is drawn as a mark, behind its syllable, before it."""
        order, page = self._order, self._page
        kinds = [self._kinds[glyph] for glyph in order]
        for index in range(2, len(order) - 1):
            if kinds[index] != "C" or kinds[index + 1] != "H":
                continue
            glyph, virama = order[index], order[index + 1]
            if self._codes[glyph] % _BLOCK != _RA or page.x[glyph] != page.x[virama]:
                continue
            if not self._is_mark(index):
                continue
            begin = index
            while begin and index - begin < _LONGEST and kinds[begin - 1] == "V":
                begin -= 1
            while begin and index - begin < _LONGEST and kinds[begin - 1] in "CN":
                begin -= 1
                if not begin or kinds[begin - 1] != "H":
                    if kinds[begin] == "C":
                        break
                    continue
                begin -= 1
            if begin == index or not self._on_one_line(order[begin], glyph):
                continue
            order[begin : index + 2] = [glyph, virama, *order[begin:index]]
            kinds[begin : index + 2] = ["C", "H", *kinds[begin:index]]
            self._as_one(order[begin : index + 2])

    def _is_mark(self, index: int) -> bool:
        """Whether the R there takes no room."""
        glyph = self._order[index]
        return float(self._page.advance[glyph]) < _NARROW * float(self._page.size[glyph])

    def _syllable(self, start: int) -> int:
        """Where the consonants that begin at an index, with what joins them, end."""
        kinds, end = self._kinds, start
        while end < len(kinds) and end - start < _LONGEST and kinds[end] == "C":
            end += 1
            if end < len(kinds) and kinds[end] == "N":
                end += 1
            if end + 1 < len(kinds) and kinds[end] == "H" and kinds[end + 1] == "C":
                end += 1
                continue
            break
        return end

    def _as_one(self, glyphs: Any) -> None:
        """Have some glyphs begin and end where all of them do."""
        chosen = list(glyphs)
        begin = float(self._x[chosen].min())
        end = float((self._x[chosen] + self._advance[chosen]).max())
        self._x[chosen] = begin
        self._advance[chosen] = end - begin

    def page(self) -> Page:
        """The page with all in its place, and vowels of two glyphs as one."""
        order = np.array(self._order, np.int64)
        codes = self._codes[order]
        kept = np.ones(order.size, np.bool_)
        last = -1
        for index in np.flatnonzero(codes >= _FIRST).tolist():
            pair = (int(codes[last]), int(codes[index])) if last == index - 1 >= 0 else None
            if pair in _TOGETHER:
                codes[last] = _TOGETHER[pair]
                kept[index] = False
            else:
                last = index
        order = order[kept]
        moved = replace(
            self._page, codes=codes[kept], x=self._x[order], advance=self._advance[order]
        )
        return reordered(moved, order, but=("codes", "x", "advance"))


def reordered(page: Page, order: Any, *, but: tuple[str, ...] = ()) -> Page:
    """The page with some of its glyphs, in some order; the columns `but` have it already."""
    columns = [
        each.name for each in fields(page) if isinstance(getattr(page, each.name), np.ndarray)
    ]
    return replace(
        page, **{name: getattr(page, name)[order] for name in columns if name not in but}
    )
