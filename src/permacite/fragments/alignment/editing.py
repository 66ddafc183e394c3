"""Likeliest edit between two short runs of words: what is kept, and what replaced.

Dynamic programming with affine gaps (Gotoh 1982). A gap costs less where it begins and ends with a
sentence or a line, so that a sentence that was removed is not pieced together from its neighbours.
A word may stand for another: the sooner, the more they are alike.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from permacite.fragments.alignment.words import is_mark, is_number, is_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.fragments.alignment.words import Range, WordedText

__all__ = ["EditSide", "edit", "resemblance", "weigh", "weight"]

_SHORT = 3
"""Characters of a common word."""
_OPEN, _OPEN_AT_BOUND = 14, 3
_CLOSE, _CLOSE_AT_BOUND = 10, 0
_EXTEND = 1
"""What a gap costs where it begins and where it ends, and for each word."""

_REPLACED = -2
_RELATED_STEM = 4
"""Words that begin with as many letters alike, and mostly alike, are forms of one word."""

_NEVER = -(1 << 40)


class EditSide(NamedTuple):
    """One of two runs: its words, and whether a sentence or a line begins at each place."""

    words: Sequence[str]
    bounds: Sequence[bool]
    """One more than there are words: the last is for the end."""


@lru_cache(maxsize=1 << 16)
def weight(word: str) -> int:
    """How much a word says: a sign little, a single character of some scripts half."""
    if is_mark(word):
        return 1
    if not is_word(word):
        return 5
    return 10 if len(word) > _SHORT or is_number(word) else 6


def weigh(text: WordedText, part: Range) -> int:
    """How much some words say."""
    return sum(map(weight, text.words[part.start : part.end]))


def resemblance(old: WordedText, part: Range, new: WordedText, other: Range) -> float:
    """The share of their words that two parts have in common, by weight, in whatever order."""
    mine = Counter(old.words[part.start : part.end])
    its = Counter(new.words[other.start : other.end])
    common = sum(weight(word) * count for word, count in (mine & its).items())
    return 2 * common / max(1, weigh(old, part) + weigh(new, other))


def edit(old: EditSide, new: EditSide) -> list[tuple[int, int]]:
    """Which word of `new` stands for which of `old`, the same or another, in order.

    Takes time and space in proportion to the product of both lengths.
    """
    traces = _fill(old, new)
    pairs = []
    i, j = len(old.words), len(new.words)
    state = traces[i][j] >> 4 & 3
    while i > 0 or j > 0:
        trace = traces[i][j]
        if state == 0:
            i, j = i - 1, j - 1
            pairs.append((i, j))
            state = trace & 3
        elif state == 1:
            i, state = i - 1, 1 if trace & 4 else 0
        else:
            j, state = j - 1, 2 if trace & 8 else (1 if trace & 64 else 0)
    return pairs[::-1]


class _EditRow(NamedTuple):
    """The best edits of the old words so far into each beginning of the new ones.

    `paired` and `removal`: of those that end so; `best` and `states`: of all, and how they end.
    """

    paired: list[int]
    removal: list[int]
    best: list[int]
    states: bytearray


def _fill(old: EditSide, new: EditSide) -> list[bytearray]:
    """Return for each two places how the best edit of what stands before them came there.

    Bits: 0-1 the state before a pair, 2 a removal goes on, 3 an insertion goes on, 4-5 the best
    state here, 6 the insertion follows a removal. States: 0 a pair, 1 a removal, 2 an insertion.
    """
    costs = _costs(new.bounds)
    row, trace = _first_row(*costs)
    traces = [trace]
    gains: dict[str, list[int]] = {}
    opening, closing = _costs(old.bounds)
    for i, word in enumerate(old.words):
        if word not in gains:
            gains[word] = [_likes(word, other) for other in new.words]
        row, trace = _next_row(row, gains[word], (opening[i], closing[i + 1]), costs)
        traces.append(trace)
    return traces


def _first_row(opening: list[int], closing: list[int]) -> tuple[_EditRow, bytearray]:
    """The words that were put in, which come of no others."""
    width = len(closing)
    never = [_NEVER] * (width - 1)
    best = [-opening[0] - _EXTEND * j - closing[j] for j in range(1, width)]
    states = bytearray([0] + [2] * (width - 1))
    trace = bytearray([0, *([32] * min(1, width - 1)), *([40] * (width - 2))])
    return _EditRow([0, *never], [_NEVER, *never], [0, *best], states), trace


def _next_row(
    last: _EditRow, gains: list[int], cost: tuple[int, int], costs: tuple[list[int], list[int]]
) -> tuple[_EditRow, bytearray]:
    """Return the row after one more old word: what each pair gains, what gaps cost on both sides.

    A gap opens before the place to its left, and closes at the place that it reaches.
    """
    opening, closing = costs
    opened, begun = last.paired[0] - cost[0], last.removal[0]
    removal = max(opened, begun) - _EXTEND
    removed, insertion, paired = removal - cost[1], _NEVER, _NEVER
    row = _EditRow([paired], [removal], [removed], bytearray([1]))
    trace = bytearray([16 | (4 if begun >= opened else 0)])
    for j, gain in enumerate(gains, 1):
        bits = last.states[j - 1]
        after_pair, after_removal = paired - opening[j - 1], removed - opening[j - 1]
        if insertion >= after_pair and insertion >= after_removal:
            bits |= 8
        elif after_removal > after_pair:
            bits |= 64
            insertion = after_removal
        else:
            insertion = after_pair
        insertion -= _EXTEND
        paired = last.best[j - 1] + gain
        opened, begun = last.paired[j] - cost[0], last.removal[j]
        if begun >= opened:
            bits |= 4
            opened = begun
        removal = opened - _EXTEND
        removed, inserted = removal - cost[1], insertion - closing[j]
        state, best = (1, removed) if removed > paired else (0, paired)
        if inserted > best:
            state, best = 2, inserted
        row.paired.append(paired)
        row.removal.append(removal)
        row.best.append(best)
        row.states.append(state)
        trace.append(bits | state << 4)
    return row, trace


def _costs(bounds: Sequence[bool]) -> tuple[list[int], list[int]]:
    """The cost of a gap that opens, and of one that closes, at each place."""
    opening = [_OPEN_AT_BOUND if bound else _OPEN for bound in bounds]
    return opening, [_CLOSE_AT_BOUND if bound else _CLOSE for bound in bounds]


def _likes(old: str, new: str) -> int:
    """The gain where `new` stands for `old`."""
    if old == new:
        return 2 * weight(old)
    if is_mark(old) or is_mark(new):
        return 0 if is_mark(old) and is_mark(new) else -16
    if is_number(old) or is_number(new):
        return 4 if is_number(old) and is_number(new) else -8
    return _likes_words(old.casefold(), new.casefold())


def _likes_words(old: str, new: str) -> int:
    if old == new:
        return 12
    shortest = min(len(old), len(new))
    stem = next((n for n in range(shortest) if old[n] != new[n]), shortest)
    if stem >= _RELATED_STEM and 2 * stem >= max(len(old), len(new)):
        return 6
    return _REPLACED
