"""Accents that are drawn as glyphs of their own, over or under a letter (clause 3)."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from permacite.renditions.pdf.scripts.indic import reordered

if TYPE_CHECKING:
    from typing import Any

    from permacite.renditions.pdf.glyphs import Page

__all__ = ["with_accents"]

_COMBINING = {
    0x60: 0x300, 0xB4: 0x301, 0x2C6: 0x302, 0x5E: 0x302, 0x2DC: 0x303, 0x7E: 0x303, 0xAF: 0x304,
    0x2D8: 0x306, 0x2D9: 0x307, 0xA8: 0x308, 0x2DA: 0x30A, 0x2DD: 0x30B, 0x2C7: 0x30C,
    0xB8: 0x327, 0x2DB: 0x328,
}  # fmt: skip
_DOTLESS = {0x131: 0x69, 0x237: 0x6A}
_NEAR, _RAISED = 0.3, 0.6
_AROUND = 200
"""So many glyphs before and behind it in the order of the file its letter is looked for."""


def with_accents(page: Page) -> Page:
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


def _letters(page: Page, accent: int, middle: Any) -> list[int]:
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
