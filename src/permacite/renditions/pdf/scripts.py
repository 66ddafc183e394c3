"""Rules for scripts in PDFs: right-to-left, Indic, vertical, accents, Korean (clauses 2, 3, 7, 8).

Right-to-left (clause 7): the decoder's order is ignored. Glyphs are in visual order, from left to
right, and the inverse of the rules of Unicode (UAX #9) gives the logical order. Strong characters
and numbers decide; what is between goes with its neighbours.

Indic (clause 7): fonts draw the vowel sign I before its consonants, and an R before them as a mark
behind them. A PDF whose tables name glyph by glyph has them in that order. Glyphs for several
characters at once are right, and are left alone.

Vertical (clause 2): Chinese and Japanese in columns from right to left.

Accents (clause 3): accents that are drawn as glyphs of their own, over or under a letter.

Korean (clause 8): where every line is full to a syllable, words continue in the next line without a
hyphen, and a space at the end of a line is not drawn. Other words of the document decide whether
there was a space, and the syllables that words end in.
"""

from __future__ import annotations

import unicodedata
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from permacite.renditions.pdf.pages import GlyphPage

__all__ = [
    "MIRRORED",
    "as_said",
    "downwards",
    "is_rtl",
    "logical",
    "reordered",
    "spaces_between",
    "with_accents",
]


_RIGHT = frozenset({"R", "AL"})
_FIRST_HEBREW = 0x590
_NUMBERS = frozenset({"EN", "AN"})
_JOINERS = frozenset({"ES", "CS"})
_TERMINATORS = frozenset({"ET"})
MIRRORED = {
    ord(a): ord(b)
    for pair in ("()", "[]", "{}", "<>", "\u00ab\u00bb", "\u2039\u203a", "\u2264\u2265")
    for a, b in zip(pair, pair[::-1], strict=True)
}
"""Pairs whose shapes are turned round in text that runs to the left."""


def is_rtl(code: int) -> bool:
    """Whether a character belongs to a script that runs to the left."""
    return code >= _FIRST_HEBREW and unicodedata.bidirectional(chr(code)) in _RIGHT


def logical(codes: Sequence[int], *, leftwards: bool) -> tuple[list[int], list[bool]]:
    """The logical order of glyphs given from left to right, and which of them run leftwards.

    `codes` has 0x20 for gaps. `leftwards`: whether the text around runs to the left.
    """
    kinds = [_bidi_kind(code) for code in codes]
    base = "R" if leftwards else "L"
    kinds = _resolved(kinds, base)
    order: list[int] = []
    turned = [kind == "R" for kind in kinds]
    runs: list[tuple[str, int, int]] = []
    for index, kind in enumerate(kinds):
        if runs and runs[-1][0] == kind:
            runs[-1] = (kind, runs[-1][1], index + 1)
        else:
            runs.append((kind, index, index + 1))
    if base == "R":
        return _backwards(runs), turned
    index = 0
    while index < len(runs):
        stop = index + 1
        if runs[index][0] == "L":
            order += range(runs[index][1], runs[index][2])
        else:  # numbers stay among the words that run leftwards around them
            while stop < len(runs) and not _begins_left(runs[stop], codes):
                stop += 1
            order += _backwards(runs[index:stop])
        index = stop
    return order, turned


def _backwards(runs: Sequence[tuple[str, int, int]]) -> list[int]:
    """Runs from the last to the first; what runs leftwards is turned round within."""
    order: list[int] = []
    for kind, start, end in reversed(runs):
        order += range(end - 1, start - 1, -1) if kind == "R" else range(start, end)
    return order


def _begins_left(run: tuple[str, int, int], codes: Sequence[int]) -> bool:
    kind, start, end = run
    return kind == "L" and any(_bidi_kind(codes[index]) == "L" for index in range(start, end))


def _bidi_kind(code: int) -> str:
    """R, L, N for numbers, J and T for what is within and beside them, M for marks, else ""."""
    kind = unicodedata.bidirectional(chr(code))
    if kind in _RIGHT:
        return "R"
    if kind == "L":
        return "L"
    if kind in _NUMBERS:
        return "N"
    if kind in _JOINERS:
        return "J"
    if kind in _TERMINATORS:
        return "T"
    return "M" if kind == "NSM" else ""


def _resolved(kinds: Sequence[str], base: str) -> list[str]:
    """Each as L or R: those of no direction as their neighbours agree, else as the line runs."""
    known = _with_numbers(kinds)
    sides = {"L": "L", "N": "L", "R": "R"}
    # A number in text that runs leftwards does not hold what stands beside it.
    beside = sides | {"N": "R"} if base == "R" else sides
    resolved = [sides.get(kind, "") for kind in known]
    index = 0
    while index < len(resolved):
        end = index
        while end < len(resolved) and not resolved[end]:
            end += 1
        if end == index:
            index += 1
            continue
        before = beside[known[index - 1]] if index else base
        after = beside[known[end]] if end < len(resolved) else base
        resolved[index:end] = [before if before == after else base] * (end - index)
        index = end
    return resolved


def _with_numbers(kinds: Sequence[str]) -> list[str]:
    """The kinds, with what stands within numbers and at their ends as part of them."""
    known = list(kinds)
    for index in range(1, len(known) - 1):
        if known[index] == "J" and known[index - 1] == known[index + 1] == "N":
            known[index] = "N"
    for run in (range(len(known)), range(len(known) - 1, -1, -1)):
        last = ""
        for index in run:
            if known[index] == "T" and last == "N":
                known[index] = "N"
            last = known[index]
    return known


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


def _indic_kind(code: int) -> str:
    """C consonant, H virama, N nukta, V a sign of a vowel or another mark, else "-"."""
    if not _FIRST <= code < _LAST:
        return "-"
    place = code % _BLOCK
    if place in _CONSONANTS:
        return "C"
    if place in (_NUKTA, _VIRAMA):
        return "N" if place == _NUKTA else "H"
    return "V" if unicodedata.category(chr(code)) in ("Mn", "Mc") else "-"


def as_said(page: GlyphPage) -> GlyphPage:
    """The page with such signs after the consonants that they are spoken after."""
    codes = page.codes
    if not codes.size or not ((codes >= _FIRST) & (codes < _LAST)).any():
        return page
    work = _MovedGlyphs(page)
    work.put_vowels_behind()
    work.put_r_before()
    return work.page()


class _MovedGlyphs:
    """The glyphs of a page, which are moved."""

    def __init__(self, page: GlyphPage) -> None:
        self._page = page
        self._order = list(range(page.codes.size))
        self._codes = page.codes.copy()
        self._x, self._advance = page.x.copy(), page.advance.copy()
        self._kinds = [_indic_kind(code) for code in page.codes.tolist()]

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

    def page(self) -> GlyphPage:
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


def reordered(page: GlyphPage, order: Any, *, but: tuple[str, ...] = ()) -> GlyphPage:
    """The page with some of its glyphs, in some order; the columns `but` have it already."""
    columns = [
        each.name for each in fields(page) if isinstance(getattr(page, each.name), np.ndarray)
    ]
    return replace(
        page, **{name: getattr(page, name)[order] for name in columns if name not in but}
    )


_FIRST_WIDE = 0x2E80
_FEWEST = 3
_ASIDE, _SAME_COLUMN, _FAR = 0.3, 0.6, 2.0
_ABOVE, _BESIDE = 0.88, 0.12
"""Where the square of such a glyph begins, from its origin, in sizes."""
_TURNED = 90


def downwards(page: GlyphPage) -> GlyphPage:
    """The page with upright glyphs that stand under each other as if they were turned to the right.

    Where more of them stand so than side by side, those that do not stand side by side run
    downwards, with the turned words between them.
    """
    wide = (page.codes >= _FIRST_WIDE) & (page.angle == 0)
    if np.count_nonzero(wide) < _FEWEST:
        return page
    size = np.maximum(page.size, 0.1)
    pair = wide[1:] & wide[:-1]
    right, down = np.diff(page.x) / size[1:], np.diff(page.y) / size[1:]
    below = pair & (np.abs(right) < _ASIDE) & (down > _SAME_COLUMN) & (down < _FAR)
    beside = pair & (np.abs(down) < _ASIDE) & (right > _SAME_COLUMN) & (right < _FAR)
    if below.sum() < _FEWEST or below.sum() <= beside.sum():
        return page
    across = np.zeros(wide.size, np.bool_)
    across[1:] |= beside
    across[:-1] |= beside
    chosen = wide & ~across
    return replace(
        page,
        x=np.where(chosen, page.x + _BESIDE * size, page.x),
        y=np.where(chosen, page.y - _ABOVE * size, page.y),
        advance=np.where(chosen, size, page.advance),
        angle=np.where(chosen, _TURNED, page.angle),
    )


_COMBINING = {
    0x60: 0x300, 0xB4: 0x301, 0x2C6: 0x302, 0x5E: 0x302, 0x2DC: 0x303, 0x7E: 0x303, 0xAF: 0x304,
    0x2D8: 0x306, 0x2D9: 0x307, 0xA8: 0x308, 0x2DA: 0x30A, 0x2DD: 0x30B, 0x2C7: 0x30C,
    0xB8: 0x327, 0x2DB: 0x328,
}  # fmt: skip
_DOTLESS = {0x131: 0x69, 0x237: 0x6A}
_NEAR, _RAISED = 0.3, 0.6
_AROUND = 200
"""So many glyphs before and behind it in the order of the file its letter is looked for."""


def with_accents(page: GlyphPage) -> GlyphPage:
    """The page with letters and the accents over them as one character each."""
    accents = np.flatnonzero(np.isin(page.codes, list(_COMBINING)))
    if not accents.size:
        return page
    codes = page.codes.copy()
    kept = np.ones(codes.size, np.bool_)
    middle = (page.boxes[:, 0] + page.boxes[:, 2]) / 2
    for accent in accents.tolist():
        for letter in _letters(page, accent, middle):
            base = int(codes[letter])
            pair = chr(_DOTLESS.get(base, base)) + chr(_COMBINING[int(page.codes[accent])])
            whole = unicodedata.normalize("NFC", pair)
            if kept[letter] and chr(base).isalpha() and len(whole) == 1:
                codes[letter] = ord(whole)
                kept[accent] = False
                break
    if kept.all():
        return page
    return reordered(replace(page, codes=codes), np.flatnonzero(kept))


def _letters(page: GlyphPage, accent: int, middle: Any) -> list[int]:
    """The glyphs over which an accent can stand, those beside it in the file first."""
    start = max(accent - _AROUND, 0)
    near = slice(start, accent + _AROUND)
    apart = np.abs(middle[near] - middle[accent]) / page.size[near]
    raised = np.abs(page.y[near] - page.y[accent]) / page.size[near]
    beside = np.abs(np.arange(apart.size) + start - accent) == 1
    over = (apart <= _NEAR) & (raised <= np.where(beside, 1.0, _RAISED))
    found = (np.flatnonzero(over) + start).tolist()
    return sorted(
        found, key=lambda letter: (abs(letter - accent) > 1, abs(letter - accent), -letter)
    )


_ENDINGS = frozenset("은는이가을를의에로와과도며고서다어여지한된할만께면나")
"""Particles and endings: many words end in one, few hold one at another place."""
_MOSTLY, _ENOUGH = 0.8, 5


def spaces_between(pairs: Sequence[tuple[str, str]], known: frozenset[str]) -> list[bool]:
    """Of each end of one line and beginning of the next whether they are two words.

    If nearly all are, lines do not end within words, and all are.
    """
    told = [_are_two(first, second, known) for first, second in pairs]
    if len(told) >= _ENOUGH and sum(told) >= _MOSTLY * len(told):
        return [True] * len(told)
    return told


def _are_two(first: str, second: str, known: frozenset[str]) -> bool:
    if first + second in known or set(second) <= _ENDINGS:
        return False
    if len(first) == 1:
        return first in known and second in known
    return (len(second) > 1 and second in known) or first[-1:] in _ENDINGS
