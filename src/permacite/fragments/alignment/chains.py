"""Anchors between two sequences: items that occur once in both, in the same order.

After Bram Cohen's "patience" comparison, with runs of words beside whole lines. Sequences hold
integers; a `Gap` is a part of either that is not yet compared. Each pass over the gaps takes time
in proportion to their length (but for sorting anchors), and the number of passes is fixed, so that
no two sequences take longer.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

__all__ = [
    "Gap",
    "MatchedBlock",
    "between",
    "common_items",
    "common_runs",
    "longest_chain",
    "unique_pairs",
]

_ROUNDS = 12
"""How often what stands between anchors is searched for anchors again."""

_GIVEN_BACK = 2
"""So many weak items at the edge of what is the same are left to closer comparison."""

_FACTORS = (
    *(0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9),
    *(0xD6E8FEB86659FD93, 0xA0761D6478BD642F, 0xE7037ED1A0B428DB),
)
_MASK = (1 << 61) - 1


class Gap(NamedTuple):
    """A part of the old sequence and the part of the new one that may have come of it."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


class MatchedBlock(NamedTuple):
    """As many items of the old sequence as of the new one, the same in the same order."""

    old: int
    new: int
    length: int


def between(blocks: Iterable[MatchedBlock], gap: Gap) -> list[Gap]:
    """The gaps around blocks that are in order, where both sides have words."""
    gaps = []
    old, new = gap.old_start, gap.new_start
    for block in (*blocks, MatchedBlock(gap.old_end, gap.new_end, 0)):
        if old < block.old and new < block.new:
            gaps.append(Gap(old, block.old, new, block.new))
        old, new = block.old + block.length, block.new + block.length
    return gaps


def unique_pairs(
    old: Iterable[tuple[int, int]], new: Iterable[tuple[int, int]]
) -> list[MatchedBlock]:
    """Return the places of what stands once in either, from (key, place); in the old order."""
    first, second = _once(old), _once(new)
    pairs = ((place, second.get(key, -1)) for key, place in first.items() if place >= 0)
    return [MatchedBlock(mine, its, 1) for mine, its in pairs if its >= 0]


def _once(keyed: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Where each key stands, -1 where it stands more often."""
    places: dict[int, int] = {}
    for key, place in keyed:
        places[key] = -1 if key in places else place
    return places


def longest_chain(pairs: list[MatchedBlock]) -> list[MatchedBlock]:
    """Return the longest part of the pairs that is in order in the new sequence as well."""
    tails: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, pair in enumerate(pairs):
        length = bisect_left(tails, pair.new)
        before.append(last[length - 1] if length else -1)
        tails[length : length + 1] = [pair.new]
        last[length : length + 1] = [number]
    chain = []
    number = last[-1] if last else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def common_items(
    old: Sequence[int], new: Sequence[int], strong: Container[int]
) -> list[MatchedBlock]:
    """Return the items that both have in order: at both ends, and those that stand once between.

    Only those that are `strong` count between: other items may occur in two places by chance.
    """
    blocks: list[MatchedBlock] = []
    gaps = [Gap(0, len(old), 0, len(new))]
    for _ in range(_ROUNDS):
        gaps = [rest for gap in gaps for rest in _anchored(old, new, gap, blocks, strong)]
        if not gaps:
            break
    return sorted(blocks)


def _anchored(  # noqa: PLR0917 - both sequences, the part of them, and what is known of them
    old: Sequence[int],
    new: Sequence[int],
    gap: Gap,
    blocks: list[MatchedBlock],
    strong: Container[int],
) -> list[Gap]:
    """Add what a gap begins and ends with and its anchors to `blocks`; return what is left."""
    i, k = gap.old_start, gap.new_start
    while i < gap.old_end and k < gap.new_end and old[i] == new[k]:
        i, k = i + 1, k + 1
    if i < gap.old_end and k < gap.new_end:
        weak = _weak(old[max(gap.old_start, i - _GIVEN_BACK) : i][::-1], strong)
        i, k = i - weak, k - weak
    j, m = gap.old_end, gap.new_end
    while i < j and k < m and old[j - 1] == new[m - 1]:
        j, m = j - 1, m - 1
    if i < j and k < m:
        weak = _weak(old[j : min(gap.old_end, j + _GIVEN_BACK)], strong)
        j, m = j + weak, m + weak
    if i > gap.old_start:
        blocks.append(MatchedBlock(gap.old_start, gap.new_start, i - gap.old_start))
    if j < gap.old_end:
        blocks.append(MatchedBlock(j, m, gap.old_end - j))
    if i == j or k == m:
        return []
    pairs = unique_pairs(
        zip(old[i:j], range(i, j), strict=True), zip(new[k:m], range(k, m), strict=True)
    )
    chain = longest_chain([pair for pair in pairs if old[pair.old] in strong])
    blocks += chain
    return between(chain, Gap(i, j, k, m)) if chain else []


def _weak(items: Sequence[int], strong: Container[int]) -> int:
    """Count the items before the first strong one."""
    return next((count for count, item in enumerate(items) if item in strong), len(items))


def common_runs(
    old: Sequence[int], new: Sequence[int], length: int, gap: Gap
) -> list[MatchedBlock]:
    """Return runs of at least `length` (a power of two) items that both have in order.

    Each holds one that stands once in either part, and reaches as far as the parts agree.
    """
    pairs = unique_pairs(  # the last items begin no run
        zip(
            _runs(old[gap.old_start : gap.old_end], length),
            range(gap.old_start, gap.old_end),
            strict=False,
        ),
        zip(
            _runs(new[gap.new_start : gap.new_end], length),
            range(gap.new_start, gap.new_end),
            strict=False,
        ),
    )
    blocks: list[MatchedBlock] = []
    i, k = gap.old_start, gap.new_start
    for mine, its, _ in longest_chain(pairs):
        if mine < i or its < k or old[mine : mine + length] != new[its : its + length]:
            continue
        block = _grown(
            old, new, MatchedBlock(mine, its, length), Gap(i, gap.old_end, k, gap.new_end)
        )
        blocks.append(block)
        i, k = block.old + block.length, block.new + block.length
    return blocks


def _runs(items: Sequence[int], length: int) -> Sequence[int]:
    """Return a number for each run of `length` items, the same for the same runs."""
    step = 1
    for factor in _FACTORS:
        if step >= length:
            break
        items = [(x * factor + y) & _MASK for x, y in zip(items, items[step:], strict=False)]
        step *= 2
    return items


def _grown(old: Sequence[int], new: Sequence[int], block: MatchedBlock, gap: Gap) -> MatchedBlock:
    """Return the block as far as its surroundings are the same, within the gap."""
    i, k, length = block
    while i > gap.old_start and k > gap.new_start and old[i - 1] == new[k - 1]:
        i, k, length = i - 1, k - 1, length + 1
    room = min(gap.old_end - i, gap.new_end - k)
    while length < room and old[i + length] == new[k + length]:
        length += 1
    return MatchedBlock(i, k, length)
