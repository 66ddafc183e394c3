"""What stands now for a part of the old text: the words that came of it, and what is among them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from permacite.fragments.alignment.editing import weigh, weight
from permacite.fragments.alignment.words import Range, is_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.fragments.alignment.aligning import Alignment

__all__ = ["Image", "image_of", "is_open"]

_PUT_IN = 5
"""So many words beside a replaced word may belong to what replaced it."""

Pairs = list[tuple[int, int]]
"""Words of the old text, and what stands for each, the same word or another; in order."""


@dataclass(frozen=True)
class Image:
    """A part of the old text, and the part of the new one that came of it."""

    alignment: Alignment
    part: Range
    pairs: Pairs

    @property
    def now(self) -> Range:
        """From the first word that came of the part to the last."""
        return Range(self.pairs[0][1], self.pairs[-1][1] + 1)

    @cached_property
    def same(self) -> Pairs:
        """The pairs of the same words."""
        old, new = self.alignment.old.ids, self.alignment.new.ids
        return [(mine, its) for mine, its in self.pairs if old[mine] == new[its]]

    @cached_property
    def kept(self) -> float:
        """What share of the words is the same, by weight, 0 to 1."""
        old, new = self.alignment.old, self.alignment.new
        kept = sum(weight(old.words[mine]) for mine, _ in self.same)
        return 2 * kept / max(1, weigh(old, self.part) + weigh(new, self.now))

    @cached_property
    def whole(self) -> Range:
        """`now` with what was put in before its first word or after its last.

        That belongs to the passage where that word is no longer the one that was cited.
        """
        (first, last), (start, end) = self.part, self.now
        begin, finish = self.alignment.new.sentences_of(start, end)
        if not self._is_firm(first, self.pairs[:2]):
            before = self._beside(first - 1)
            start = before + 1 if max(begin, start - _PUT_IN) <= before + 1 < start else start
        if not self._is_firm(last - 1, self.pairs[:-3:-1]):
            after = self._beside(last)
            end = after if end < after <= min(finish, end + _PUT_IN) else end
        return Range(start, end)

    def _is_firm(self, place: int, pairs: Pairs) -> bool:
        """Whether a word at an end is as it was; a single character alone may be by chance."""
        old, new = self.alignment.old, self.alignment.new
        same = [old.ids[mine] == new.ids[its] for mine, its in pairs]
        return pairs[0][0] == place and same[0] and (is_word(old.words[place]) or all(same))

    def _beside(self, place: int) -> int:
        """The place that answers a word beside the part, out of reach where none does."""
        if place < 0:
            return -1
        if place == len(self.alignment.old):
            return len(self.alignment.new)
        its = self.alignment.counterparts(place, place + 1)[0]
        return its if its >= 0 else len(self.alignment.new) + 1


def image_of(alignment: Alignment, part: Range) -> Image | None:
    """The image of a part, where it has one.

    What stands between its words may have been put in, but is nothing that came of other parts.
    """
    runs: list[Pairs] = [[]]
    for pair in _pairs(alignment, part):
        if runs[-1] and not _follows(alignment, part, runs[-1][-1][1], pair[1]):
            runs.append([])
        runs[-1].append(pair)
    images = [Image(alignment, part, run) for run in runs if run]
    return max(images, key=lambda image: image.kept, default=None)


def _pairs(alignment: Alignment, part: Range) -> Iterator[tuple[int, int]]:
    places = alignment.counterparts(*part)
    return ((mine, its) for mine, its in enumerate(places, part.start) if its >= 0)


def _follows(alignment: Alignment, part: Range, left: int, right: int) -> bool:
    """Whether nothing of other parts stands between two words of the new text, in this order."""
    return left < right and is_open(alignment, part, Range(left + 1, right))


def is_open(alignment: Alignment, part: Range, now: Range) -> bool:
    """Whether nothing that stands now in a place has come of any other part of the old text."""
    owners = alignment.to_old[slice(*now)]
    return all(mine < 0 or part.start <= mine < part.end for mine in owners)
