"""Chinese and Japanese that runs downwards, in columns from the right to the left (clause 2)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from permacite.renditions.pdf.glyphs import Page

__all__ = ["downwards"]

_FIRST_WIDE = 0x2E80
_FEWEST = 3
_ASIDE, _NEAR, _FAR = 0.3, 0.6, 2.0
_ABOVE, _BESIDE = 0.88, 0.12
"""Where the square of such a glyph begins, from its origin, in sizes."""
_TURNED = 90


def downwards(page: Page) -> Page:
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
    below = pair & (np.abs(right) < _ASIDE) & (down > _NEAR) & (down < _FAR)
    beside = pair & (np.abs(down) < _ASIDE) & (right > _NEAR) & (right < _FAR)
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
