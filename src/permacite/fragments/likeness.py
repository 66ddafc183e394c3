"""Likeness of two texts, and the parts of a long text that are most like a short one.

Edit distance counts characters put in, left out or replaced. It is computed bit-parallel, all rows
of a column in one integer (Myers 1999, in Hyyrö's form). A long text is first searched for short
pieces of the pattern; only where these gather is the distance computed: so the time is bounded.

All offsets are code points. Runs of white space are alike to any other such run.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

__all__ = ["SimilarPart", "best_part", "likeness", "nearest"]

_LONGEST = 1024
"""A pattern of twice this length is found by its first and its last characters of this number."""

_SEED_LENGTHS = (16, 8, 4)
"""Pieces of the pattern that are looked for, longest first; shorter ones where none is found."""

_MAX_SEEDS = 24
_MAX_HITS = 200
"""A piece that stands more often than this says little about the place."""

_MAX_WINDOWS = 12
_MAX_LONG_WINDOWS = 3


class SimilarPart(NamedTuple):
    """A part of a text and how alike it is, from 0 to 1."""

    start: int
    end: int
    score: float


def likeness(first: str, second: str) -> float:
    """Return 1 for equal texts, 0 for wholly different ones: the part that needs no edit.

    Of texts of more than 2,048 characters, it is estimated by the pieces that they have in common.
    """
    longest = max(len(first), len(second))
    if first == second or longest == 0:
        return 1.0
    if longest > 2 * _LONGEST:
        return _sketch_likeness(first, second)
    return 1 - _distances(first, second, anchored=True)[-1] / longest


def nearest(text: str, pattern: str, limit: int) -> list[SimilarPart]:
    """Return up to `limit` disjoint parts of `text` most like `pattern`, the best first.

    Both are folded already. A part that shares no piece of 4 characters (all characters, for
    shorter patterns) with the pattern is not found.
    """
    if not pattern or not text:
        return []
    matches = [_within(text, pattern, window) for window in _windows(text, pattern)]
    matches.sort(key=lambda match: (-match.score, match.start))
    chosen: list[SimilarPart] = []
    for match in matches:
        apart = all(match.end <= other.start or match.start >= other.end for other in chosen)
        if match.end > match.start and apart:
            chosen.append(match)
    return chosen[:limit]


def _windows(text: str, pattern: str) -> list[tuple[int, int]]:
    """Return the parts of `text` where pieces of the pattern gather, each about twice as long."""
    margin = len(pattern) // 2 + 8
    votes: Counter[int] = Counter()
    for length in _SEED_LENGTHS:
        votes = _votes(text, pattern, min(length, len(pattern)), margin)
        if votes:
            break
    most = _MAX_WINDOWS if len(pattern) <= 2 * _LONGEST else _MAX_LONG_WINDOWS
    return [
        (max(0, (bucket - 1) * margin), min(len(text), (bucket + 2) * margin + len(pattern)))
        for bucket, _ in votes.most_common(most)
    ]


def _votes(text: str, pattern: str, length: int, margin: int) -> Counter[int]:
    """Count, for each stretch of `margin` characters, the pieces that place the pattern there."""
    votes: Counter[int] = Counter()
    last = len(pattern) - length
    for offset in range(0, last + 1, max(1, last // _MAX_SEEDS)):
        seed = pattern[offset : offset + length]
        place = text.find(seed)
        hits = 0
        while place >= 0 and hits < _MAX_HITS:
            votes[max(0, place - offset) // margin] += 1
            place = text.find(seed, place + 1)
            hits += 1
    return votes


def _within(text: str, pattern: str, window: tuple[int, int]) -> SimilarPart:
    """Return the part of the window that is most like the pattern."""
    start, end = window
    part = text[start:end]
    if len(pattern) <= 2 * _LONGEST:
        first, last = best_part(part, pattern)
    else:
        first, last = _by_its_ends(part, pattern)
    return SimilarPart(start + first, start + last, likeness(part[first:last], pattern))


def _by_its_ends(part: str, pattern: str) -> tuple[int, int]:
    """Return the part between what is most like the first and the last characters."""
    head = nearest(part, pattern[:_LONGEST], 1)
    first = head[0].start if head else 0
    low = min(len(part), first + len(pattern) // 2)
    tail = nearest(part[low:], pattern[-_LONGEST:], 1)
    return first, low + tail[0].end if tail else min(len(part), first + len(pattern))


def best_part(text: str, pattern: str) -> tuple[int, int]:
    """Return start and end of the part of `text` at the smallest edit distance.

    Takes about len(text) steps on integers of len(pattern) bits.
    """
    ends = _distances(pattern, text, anchored=False)
    end = min(range(len(ends)), key=ends.__getitem__)
    reach = min(end, len(pattern) + ends[end])
    tail = text[end - reach : end]
    starts = _distances(pattern[::-1], tail[::-1], anchored=True)
    length = min(range(len(starts)), key=lambda n: (starts[n], abs(n - len(pattern))))
    return end - length, end


def _distances(pattern: str, text: str, *, anchored: bool) -> list[int]:
    """Return the edit distance between `pattern` and the part that ends at each place of `text`.

    The part begins at 0 where `anchored`, else wherever it is nearest.
    """
    if not pattern:
        return list(range(len(text) + 1)) if anchored else [0] * (len(text) + 1)
    bits: dict[str, int] = {}
    for row, character in enumerate(pattern):
        bits[character] = bits.get(character, 0) | 1 << row
    mask = (1 << len(pattern)) - 1
    top = 1 << (len(pattern) - 1)
    carry = 1 if anchored else 0
    plus, minus, distance = mask, 0, len(pattern)
    distances = [distance]
    for character in text:
        equal = bits.get(character, 0)
        vertical = equal | minus
        horizontal = (((equal & plus) + plus) ^ plus) | equal
        up = minus | (mask & ~(horizontal | plus))
        down = plus & horizontal
        distance += (up & top != 0) - (down & top != 0)
        up = up << 1 | carry
        plus = (down << 1 | ~(vertical | up)) & mask
        minus = up & vertical & mask
        distances.append(distance)
    return distances


_SKETCH_LENGTH = 6


def _sketch_likeness(first: str, second: str) -> float:
    """The share of their pieces that two texts have in common."""
    mine, its = _pieces(first), _pieces(second)
    return (mine & its).total() / max(1, mine.total(), its.total())


def _pieces(text: str) -> Counter[str]:
    last = max(1, len(text) - _SKETCH_LENGTH + 1)
    return Counter(text[offset : offset + _SKETCH_LENGTH] for offset in range(last))
