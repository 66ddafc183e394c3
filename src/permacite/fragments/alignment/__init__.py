"""Alignment of two texts: the fate of each passage of the old one in the new one.

| module | contents |
|---|---|
| words | a text as words and sentences, in any script |
| chains | anchors: sequences that occur once in both texts, in the same order |
| aligning | the alignment of two texts; regions between anchors |
| editing | word-by-word comparison of what is between anchors |
| passages | the fate of a passage, and its image in the new text |
| differences | the changes in a passage, most important first; two wordings as one |

Linear in the length of both texts, for any input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.fragments.alignment.aligning import Alignment, align
    from permacite.fragments.alignment.differences import Piece, WordChange, compared
    from permacite.fragments.alignment.passages import Fate, Similar, follow

__all__ = ["Alignment", "Fate", "Piece", "Similar", "WordChange", "align", "compared", "follow"]

on_demand(
    __name__,
    {
        "permacite.fragments.alignment.aligning": "Alignment, align",
        "permacite.fragments.alignment.differences": "WordChange, Piece, compared",
        "permacite.fragments.alignment.passages": "Fate, Similar, follow",
    },
)
