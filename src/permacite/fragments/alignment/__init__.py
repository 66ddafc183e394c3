"""What became of each passage of a text in a later one: both are aligned whole.

| room | what it holds |
|---|---|
| words | a text as words and sentences, in any script |
| chains | what stands once in either of two sequences, in the same order |
| aligning | the alignment of two texts |
| regions, editing | what stands between anchors, compared word by word |
| images | what came of a part of the old text |
| passages | the fate of a passage |
| differences | what was changed in it, what matters most first |
| wording | two wordings of it, word by word |

The time is in proportion to both texts, whatever stands in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.fragments.alignment.aligning import Alignment, align
    from permacite.fragments.alignment.differences import Change
    from permacite.fragments.alignment.passages import Fate, Similar, follow
    from permacite.fragments.alignment.wording import Piece, compared

__all__ = ["Alignment", "Change", "Fate", "Piece", "Similar", "align", "compared", "follow"]

on_demand(
    __name__,
    {
        "permacite.fragments.alignment.aligning": "Alignment, align",
        "permacite.fragments.alignment.differences": "Change",
        "permacite.fragments.alignment.passages": "Fate, Similar, follow",
        "permacite.fragments.alignment.wording": "Piece, compared",
    },
)
