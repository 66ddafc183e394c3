"""Accents that are drawn as glyphs of their own, over a letter before or after them (clause 3)."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from permacite.renditions.pdf.glyphs import Page

__all__ = ["with_accents"]

_COMBINING = {
    0x60: 0x300, 0xB4: 0x301, 0x2C6: 0x302, 0x5E: 0x302, 0x2DC: 0x303, 0x7E: 0x303, 0xAF: 0x304,
    0x2D8: 0x306, 0x2D9: 0x307, 0xA8: 0x308, 0x2DA: 0x30A, 0x2DD: 0x30B, 0x2C7: 0x30C,
    0xB8: 0x327, 0x2DB: 0x328,
}  # fmt: skip
_DOTLESS = {0x131: 0x69, 0x237: 0x6A}
_NEAR = 0.3


def with_accents(page: Page) -> Page:
    """The page with letters and the accents over them as one character each."""
    accents = np.flatnonzero(np.isin(page.codes, list(_COMBINING)))
    if not accents.size:
        return page
    codes = page.codes.copy()
    kept = np.ones(codes.size, np.bool_)
    middle = (page.boxes[:, 0] + page.boxes[:, 2]) / 2
    for accent in accents.tolist():
        for letter in (accent + 1, accent - 1):
            if not 0 <= letter < codes.size or not kept[letter]:
                continue
            size = float(page.size[letter])
            apart = abs(float(middle[letter] - middle[accent]))
            raised = abs(float(page.y[letter] - page.y[accent]))
            if apart > _NEAR * size or raised > size:
                continue
            base = int(codes[letter])
            pair = chr(_DOTLESS.get(base, base)) + chr(_COMBINING[int(page.codes[accent])])
            whole = unicodedata.normalize("NFC", pair)
            if chr(base).isalpha() and len(whole) == 1:
                codes[letter] = ord(whole)
                kept[accent] = False
                break
    if kept.all():
        return page
    columns = ("x", "y", "advance", "size", "angle", "boxes", "hidden")
    return replace(page, codes=codes[kept], **{name: getattr(page, name)[kept] for name in columns})
