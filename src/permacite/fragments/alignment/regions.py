"""What stood between two anchors and what stands there now, compared word by word where asked.

A region that is too long for that is first parted by ever shorter runs that stand once on either
side. What remains too long is left uncompared: so the time for a question is bounded.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from permacite.fragments.alignment import chains
from permacite.fragments.alignment.chains import Block, Gap
from permacite.fragments.alignment.editing import Side, edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from permacite.fragments.alignment.words import Range, Text

__all__ = ["Region"]

_RUNS = (8, 4, 2, 1)

_MAX_CELLS = 120_000
"""The product of the lengths of two parts that are compared word by word."""

_MAX_COMPARED = 8
"""How many parts of this size one question may lead to."""


class _Parts(NamedTuple):
    """A region parted: the places of its words, the runs that are the same, and what is between."""

    old_places: list[int]
    new_places: list[int]
    same: list[Block]
    gaps: list[Gap]


class Region:
    """Parts of the old text, and the parts of the new text that may have come of them."""

    def __init__(self) -> None:
        self.old: list[Range] = []
        self.new: list[Range] = []
        self._parts: _Parts | None = None
        self._edits: dict[Gap, list[tuple[int, int]]] = {}

    def pairs_of_old(self, asked: Range, old: Text, new: Text) -> list[tuple[int, int]]:
        """Return the words that stand for those of the old text that are asked for, if any do.

        Some of those beside them are among them.
        """
        parts = self._parts = self._parts or self._parted(old, new)
        start, end = (bisect_left(parts.old_places, place) for place in asked)
        return self._pairs(
            parts, (old, new), lambda gap: gap.old_start < end and start < gap.old_end
        )

    def pairs_of_new(self, asked: Range, old: Text, new: Text) -> list[tuple[int, int]]:
        """Return the same, for words of the new text."""
        parts = self._parts = self._parts or self._parted(old, new)
        start, end = (bisect_left(parts.new_places, place) for place in asked)
        return self._pairs(
            parts, (old, new), lambda gap: gap.new_start < end and start < gap.new_end
        )

    def _pairs(
        self, parts: _Parts, texts: tuple[Text, Text], is_asked: Callable[[Gap], bool]
    ) -> list[tuple[int, int]]:
        pairs: list[tuple[int, int]] = []
        for i, k, length in parts.same:
            if is_asked(Gap(i, i + length, k, k + length)):
                its = parts.new_places[k : k + length]
                pairs += zip(parts.old_places[i : i + length], its, strict=True)
        cells = 0
        for gap in filter(is_asked, parts.gaps):
            if gap not in self._edits:
                cells += _cells(gap)
                if max(_cells(gap), cells / _MAX_COMPARED) > _MAX_CELLS:
                    continue
                self._edits[gap] = _edited(parts, gap, *texts)
            pairs += self._edits[gap]
        return pairs

    def _parted(self, old: Text, new: Text) -> _Parts:
        old_places = [place for part in self.old for place in range(*part)]
        new_places = [place for part in self.new for place in range(*part)]
        old_ids = [old.ids[place] for place in old_places]
        new_ids = [new.ids[place] for place in new_places]
        gaps = [Gap(0, len(old_ids), 0, len(new_ids))]
        same: list[Block] = []
        for length in _RUNS:
            narrower = []
            for gap in gaps:
                runs = []
                if _cells(gap) > _MAX_CELLS:
                    runs = chains.common_runs(old_ids, new_ids, length, gap)
                same += runs
                narrower += chains.between(runs, gap)
            gaps = narrower
        return _Parts(old_places, new_places, same, gaps)


def _cells(gap: Gap) -> int:
    return (gap.old_end - gap.old_start) * (gap.new_end - gap.new_start)


def _edited(parts: _Parts, gap: Gap, old: Text, new: Text) -> list[tuple[int, int]]:
    """Compare a part word by word."""
    mine = parts.old_places[gap.old_start : gap.old_end]
    its = parts.new_places[gap.new_start : gap.new_end]
    return [(mine[i], its[j]) for i, j in edit(_side(mine, old), _side(its, new))]


def _side(places: Sequence[int], text: Text) -> Side:
    """Return words with their bounds; where a part of the text is left out, there is one too."""
    bounds = [text.begins(place) or place - 1 != before for before, place in _followed(places)]
    return Side([text.words[place] for place in places], [*bounds, text.begins(places[-1] + 1)])


def _followed(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield each place behind the one before it; the first follows its own neighbour."""
    return zip((places[0] - 1, *places), places)  # noqa: B905 - the last is followed by none
