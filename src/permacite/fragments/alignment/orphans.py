"""Sentences of the old text that were changed or removed, and which of them a new one is most like.

Where one sentence is removed and another one changed, the new wording may look like either. The
alignment gives it to one by where it stands; this asks whether another has as good a claim.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from permacite.fragments.alignment.editing import weight
from permacite.fragments.alignment.regions import Range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.fragments.alignment.words import Text

__all__ = ["Orphans", "resemblance", "weigh"]

_MAX_SENTENCES = 100
"""A word that stands in more sentences than this says little about any of them."""

_MAX_CLAIMS = 8


def weigh(text: Text, part: Range) -> int:
    """How much some words say."""
    return sum(map(weight, text.words[part.start : part.end]))


def resemblance(old: Text, part: Range, new: Text, other: Range) -> float:
    """The share of their words that two parts have in common, by weight, in whatever order."""
    mine = Counter(old.words[part.start : part.end])
    its = Counter(new.words[other.start : other.end])
    common = sum(weight(word) * count for word, count in (mine & its).items())
    return 2 * common / max(1, weigh(old, part) + weigh(new, other))


class Orphans:
    """The sentences of a text most of whose words have no place in the other text."""

    def __init__(self, old: Text, to_new: Sequence[int]) -> None:
        self._old = old
        self._holding: defaultdict[int, list[Range]] = defaultdict(list)
        for start, end in pairwise(old.sentences):
            lost = sum(place < 0 for place in to_new[start:end])
            if 2 * lost >= end - start:
                self._add(Range(start, end))

    def _add(self, sentence: Range) -> None:
        for number in set(self._old.ids[sentence.start : sentence.end]):
            self._holding[number].append(sentence)

    def like(self, new: Text, part: Range) -> list[Range]:
        """Return the sentences with the most words of some part of the new text, the best first."""
        common: Counter[Range] = Counter()
        for number in set(new.ids[part.start : part.end]):
            sentences = self._holding.get(number, ())
            if len(sentences) <= _MAX_SENTENCES:
                common.update(sentences)
        return [sentence for sentence, _ in common.most_common(_MAX_CLAIMS)]
