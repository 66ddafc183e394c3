"""Alignment of two whole texts: which words of the old one are which of the new one.

1. Whole sentences that occur once in both texts, in order; then lines between these. What lies
   between is searched again.
2. Of the rest, whole sentences and lines that occur once on either side have been moved.
3. Runs of 16 and of 8 words, in order, between the anchors of the first step.
4. What is left between two neighbouring anchors may have come from one another: a region, compared
   word by word on request.

Steps 1 to 3 are exact, and linear in the length of both texts but for sorting the anchors. A region
that is too long is first divided by ever shorter runs that occur once on either side. What remains
too long is not compared, so the time for a question is bounded.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from permacite.fragments.alignment import chains, words
from permacite.fragments.alignment.chains import Gap, MatchedBlock
from permacite.fragments.alignment.editing import EditSide, edit, weigh
from permacite.fragments.alignment.words import Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from permacite.fragments.alignment.words import WordedText

__all__ = ["SAYS_ENOUGH", "Alignment", "Region", "align"]


_SHORT_RUNS = (8, 4, 2, 1)

_MAX_CELLS = 120_000
"""The product of the lengths of two parts that are compared word by word."""

_MAX_COMPARED = 8
"""How many parts of this size one question may lead to."""


class _DividedRegion(NamedTuple):
    """A region parted: the places of its words, the runs that are the same, and what is between."""

    old_places: list[int]
    new_places: list[int]
    same: list[MatchedBlock]
    gaps: list[Gap]


class Region:
    """Parts of the old text, and the parts of the new text that may have come of them."""

    def __init__(self) -> None:
        self.old: list[Range] = []
        self.new: list[Range] = []
        self._parts: _DividedRegion | None = None
        self._edits: dict[Gap, list[tuple[int, int]]] = {}

    def pairs_of_old(self, asked: Range, old: WordedText, new: WordedText) -> list[tuple[int, int]]:
        """Return the words that stand for those of the old text that are asked for, if any do.

        Some of those beside them are among them.
        """
        parts = self._parts = self._parts or self._parted(old, new)
        start, end = (bisect_left(parts.old_places, place) for place in asked)
        return self._pairs(
            parts, (old, new), lambda gap: gap.old_start < end and start < gap.old_end
        )

    def pairs_of_new(self, asked: Range, old: WordedText, new: WordedText) -> list[tuple[int, int]]:
        """Return the same, for words of the new text."""
        parts = self._parts = self._parts or self._parted(old, new)
        start, end = (bisect_left(parts.new_places, place) for place in asked)
        return self._pairs(
            parts, (old, new), lambda gap: gap.new_start < end and start < gap.new_end
        )

    def _pairs(
        self,
        parts: _DividedRegion,
        texts: tuple[WordedText, WordedText],
        is_asked: Callable[[Gap], bool],
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

    def _parted(self, old: WordedText, new: WordedText) -> _DividedRegion:
        old_places = [place for part in self.old for place in range(*part)]
        new_places = [place for part in self.new for place in range(*part)]
        old_ids = [old.ids[place] for place in old_places]
        new_ids = [new.ids[place] for place in new_places]
        gaps = [Gap(0, len(old_ids), 0, len(new_ids))]
        same: list[MatchedBlock] = []
        for length in _SHORT_RUNS:
            narrower = []
            for gap in gaps:
                runs = []
                if _cells(gap) > _MAX_CELLS:
                    runs = chains.common_runs(old_ids, new_ids, length, gap)
                same += runs
                narrower += chains.between(runs, gap)
            gaps = narrower
        return _DividedRegion(old_places, new_places, same, gaps)


def _cells(gap: Gap) -> int:
    return (gap.old_end - gap.old_start) * (gap.new_end - gap.new_start)


def _edited(
    parts: _DividedRegion, gap: Gap, old: WordedText, new: WordedText
) -> list[tuple[int, int]]:
    """Compare a part word by word."""
    mine = parts.old_places[gap.old_start : gap.old_end]
    its = parts.new_places[gap.new_start : gap.new_end]
    return [(mine[i], its[j]) for i, j in edit(_side(mine, old), _side(its, new))]


def _side(places: Sequence[int], text: WordedText) -> EditSide:
    """Return words with their bounds; where a part of the text is left out, there is one too."""
    bounds = [text.begins(place) or place - 1 != before for before, place in _followed(places)]
    return EditSide([text.words[place] for place in places], [*bounds, text.begins(places[-1] + 1)])


def _followed(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield each place behind the one before it; the first follows its own neighbour."""
    return zip((places[0] - 1, *places), places, strict=False)


_RUNS = (16, 8)

SAYS_ENOUGH = 30
"""What weighs less (three or four words) says too little to be known again elsewhere."""

_MAX_SENTENCES = 100
"""A word that stands in more sentences than this says little about any of them."""

_MAX_CLAIMS = 8


class Orphans:
    """The sentences of a text most of whose words have no place in the other text.

    Where one sentence is removed and another one changed, the new wording may look like either. The
    alignment gives it to one by where it stands; here another is found that has as good a claim.
    """

    def __init__(self, old: WordedText, to_new: Sequence[int]) -> None:
        self._old = old
        self._holding: defaultdict[int, list[Range]] = defaultdict(list)
        for start, end in pairwise(old.sentences):
            lost = sum(place < 0 for place in to_new[start:end])
            if 2 * lost >= end - start:
                self._add(Range(start, end))

    def _add(self, sentence: Range) -> None:
        for number in set(self._old.ids[sentence.start : sentence.end]):
            self._holding[number].append(sentence)

    def like(self, new: WordedText, part: Range) -> list[Range]:
        """Return the sentences with the most words of some part of the new text, the best first."""
        common: Counter[Range] = Counter()
        for number in set(new.ids[part.start : part.end]):
            sentences = self._holding.get(number, ())
            if len(sentences) <= _MAX_SENTENCES:
                common.update(sentences)
        return [sentence for sentence, _ in common.most_common(_MAX_CLAIMS)]


@dataclass(frozen=True)
class Alignment:
    """Which words of the old text are which of the new one. Places count words."""

    old: WordedText
    new: WordedText
    to_new: Sequence[int]
    """For each word of the old text its place in the new one, -1 for none."""
    to_old: Sequence[int]
    """The same the other way."""
    old_free: list[tuple[Range, Region]]
    """The parts of the old text whose words have no place in the new one, and their regions."""
    new_free: list[tuple[Range, Region]]

    @cached_property
    def orphans(self) -> Orphans:
        """The sentences of the old text that have not come through whole."""
        return Orphans(self.old, self.to_new)

    def counterparts(self, first: int, last: int) -> list[int]:
        """The new word for each of some words, the same or another; -1 for none."""
        places = list(self.to_new[first:last])
        for part, region in _meeting(self.old_free, first, last):
            for mine, its in region.pairs_of_old(part, self.old, self.new):
                if part.start <= mine < part.end:
                    places[mine - first] = its
        return places

    def origins(self, first: int, last: int) -> list[int]:
        """The old word for each of some words of the new text; -1 for none."""
        places = list(self.to_old[first:last])
        for part, region in _meeting(self.new_free, first, last):
            for mine, its in region.pairs_of_new(part, self.old, self.new):
                if part.start <= its < part.end:
                    places[its - first] = mine
        return places

    def are_lost_between(self, part: Range, other: Range) -> bool:
        """Whether no word that has a place stands between two parts of the old text."""
        return (
            max(self.to_new[min(part.end, other.end) : max(part.start, other.start)], default=-1)
            < 0
        )


def _meeting(
    free: list[tuple[Range, Region]], first: int, last: int
) -> Iterator[tuple[Range, Region]]:
    """Yield what lies within some words of each part that meets them, with its region."""
    number = max(0, bisect_right(free, first, key=lambda each: each[0].start) - 1)
    for part, region in islice(free, number, None):
        if part.start >= last:
            break
        if first < part.end:
            yield Range(max(first, part.start), min(last, part.end)), region


def align(old: str, new: str) -> Alignment:
    """Align any two texts."""
    table: dict[str, int] = {}
    first, second = words.read(old, table), words.read(new, table)
    to_new, to_old = array("q", [-1]) * len(first), array("q", [-1]) * len(second)
    gaps = [Gap(0, len(first), 0, len(second))]
    chain: list[MatchedBlock] = []
    for bounds in ((first.sentences, second.sentences), (first.lines, second.lines)):
        gaps = _narrowed(gaps, chain, partial(_common_parts, first, second, bounds))
    _note(chain, to_new, to_old)
    for bounds in ((first.sentences, second.sentences), (first.lines, second.lines)):
        _note(_moved(first, second, bounds, (to_new, to_old)), to_new, to_old)
    runs: list[MatchedBlock] = []
    mine, its = _unplaced(first, to_new, -1), _unplaced(second, to_old, -2)
    for length in _RUNS:
        gaps = _narrowed(gaps, runs, partial(chains.common_runs, mine, its, length))
    _note(runs, to_new, to_old)
    rests = _regions(sorted(chain + runs), to_new, to_old)
    return Alignment(first, second, to_new, to_old, *rests)


def _narrowed(
    gaps: list[Gap], anchors: list[MatchedBlock], step: Callable[[Gap], list[MatchedBlock]]
) -> list[Gap]:
    """Add what a step finds in each gap; return what is left of them."""
    rests = []
    for gap in gaps:
        blocks = step(gap)
        anchors += blocks
        rests += chains.between(blocks, gap)
    return rests


def _note(blocks: Iterable[MatchedBlock], to_new: array[int], to_old: array[int]) -> None:
    for mine, its, length in blocks:
        to_new[mine : mine + length] = array("q", range(its, its + length))
        to_old[its : its + length] = array("q", range(mine, mine + length))


def _unplaced(text: WordedText, places: Sequence[int], blank: int) -> list[int]:
    """Return the numbers of the words, `blank` for those that have a place already."""
    return [number if its < 0 else blank for number, its in zip(text.ids, places, strict=True)]


def _common_parts(
    old: WordedText, new: WordedText, bounds: tuple[list[int], list[int]], gap: Gap
) -> list[MatchedBlock]:
    """Return sentences or lines, as the bounds are, that both texts have in order in a gap."""
    table: dict[tuple[int, ...], int] = {}
    mine = _parts(bounds[0], gap.old_start, gap.old_end)
    its = _parts(bounds[1], gap.new_start, gap.new_end)
    first = [table.setdefault(tuple(old.ids[i:j]), len(table)) for i, j in pairwise(mine)]
    second = [table.setdefault(tuple(new.ids[i:j]), len(table)) for i, j in pairwise(its)]
    strong = {
        key
        for key, start, end in zip(first, mine, mine[1:], strict=False)
        if weigh(old, Range(start, end)) >= SAYS_ENOUGH
    }
    return [
        MatchedBlock(mine[i], its[k], mine[i + length] - mine[i])
        for i, k, length in chains.common_items(first, second, strong)
    ]


def _parts(bounds: list[int], start: int, end: int) -> list[int]:
    """Return the bounds within some words."""
    return bounds[bisect_left(bounds, start) : bisect_right(bounds, end)]


def _free(places: Sequence[int]) -> list[Range]:
    """Where there is none."""
    free = []
    start = -1
    for place, its in enumerate(places):
        if its < 0 <= start or its >= 0 > start:
            continue
        if its < 0:
            start = place
        else:
            free.append(Range(start, place))
            start = -1
    if start >= 0:
        free.append(Range(start, len(places)))
    return free


def _moved(
    old: WordedText,
    new: WordedText,
    bounds: tuple[list[int], list[int]],
    places: tuple[array[int], array[int]],
) -> list[MatchedBlock]:
    """Return sentences or lines that have no place yet, and stand once in either such rest."""
    table: dict[tuple[int, ...], int] = {}
    sides = (
        [
            (table.setdefault(tuple(text.ids[start:end]), len(table)), start)
            for part in _free(its)
            for start, end in pairwise(_parts(edges, *part))
        ]
        for text, edges, its in zip((old, new), bounds, places, strict=True)
    )
    blocks = []
    for mine, its, _ in chains.unique_pairs(*sides):
        end = bounds[0][bisect_right(bounds[0], mine)]
        if weigh(old, Range(mine, end)) >= SAYS_ENOUGH:
            blocks.append(MatchedBlock(mine, its, end - mine))
    return blocks


def _regions(
    chain: list[MatchedBlock], to_new: Sequence[int], to_old: Sequence[int]
) -> tuple[list[tuple[Range, Region]], list[tuple[Range, Region]]]:
    """The rest of either text, and for each part what it may have become, or come of.

    That is what stands between the same two neighbours, even where these were moved. All other
    rests between two links of the chain are one region.
    """
    rests = [Region() for _ in range(len(chain) + 1)]
    old_links, new_links = [block.old for block in chain], [block.new for block in chain]
    of_new = {part: rests[bisect_right(new_links, part.start)] for part in _free(to_old)}
    old_free = []
    for part in _free(to_new):
        region = rests[bisect_right(old_links, part.start)]
        now = _between_neighbours(part, to_new)
        if now in of_new:
            region = of_new[now] = Region()
        region.old.append(part)
        old_free.append((part, region))
    for part, region in of_new.items():
        region.new.append(part)
    return old_free, list(of_new.items())


def _between_neighbours(part: Range, places: Sequence[int]) -> Range:
    """The stretch on the other side between the neighbours of a part."""
    start = places[part.start - 1] + 1 if part.start else 0
    return Range(start, places[part.end] if part.end < len(places) else -1)
