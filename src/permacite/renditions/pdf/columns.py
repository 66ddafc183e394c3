"""The order of what stands on a page: columns, and what reaches across them (clause 6).

A gutter is a strip without glyphs between two stacks of lines that both look like running text:
at least three lines each, most of which fill their column. Rows of a table do not, and are read
across. What reaches over a gutter divides the page above and below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.renditions.pdf.lines import Fragment

__all__ = ["regions_of", "runs_of"]

_GUTTER = 0.7
_FEWEST = 3
_FILLED = 0.5
_NARROWEST = 6.0
_MOST_FRAGMENTS = 3000
_DEEPEST = 12
_BELOW, _JUMP = 0.5, 3.0


class _Cut(NamedTuple):
    above: Any
    left: Any
    right: Any
    below: Any


def runs_of(fragments: Sequence[Fragment]) -> list[list[Fragment]]:
    """The fragments in the order of tags, parted where it goes up the page again, or aside.

    A run holds blocks of which each begins below the one before: what stands in it is put in order
    by places. What has no tags comes first if it stands above all that has, else last.
    """
    blocks: dict[int, list[Fragment]] = {}
    for part in fragments:
        blocks.setdefault(part.block, []).append(part)
    loose = blocks.pop(-1, [])
    if len(blocks) < 2:  # noqa: PLR2004 - one has no order
        return [list(fragments)]
    top = min(part.v for block in blocks.values() for part in block)
    runs = [[part for part in loose if part.v < top]]
    bottom = -float("inf")
    for _, block in sorted(blocks.items()):
        for piece in _pieces_of(block):
            if min(part.v for part in piece) < bottom + _BELOW * min(part.size for part in piece):
                runs.append([])
                bottom = -float("inf")
            runs[-1] += piece
            bottom = max(bottom, *(part.v for part in piece))
    return [run for run in [*runs, [part for part in loose if part.v >= top]] if run]


def _pieces_of(block: Sequence[Fragment]) -> list[list[Fragment]]:
    """A block, parted where it goes on at the top of another column."""
    pieces: list[list[Fragment]] = []
    right = left = bottom = 0.0
    for part in block:
        beside = pieces and (part.u0 >= right or part.u1 <= left)
        if not pieces or (beside and part.v < bottom - _JUMP * part.size):
            pieces.append([])
            left, right, bottom = part.u0, part.u1, part.v
        pieces[-1].append(part)
        left, right = min(left, part.u0), max(right, part.u1)
        bottom = max(bottom, part.v)
    return pieces


def regions_of(fragments: Sequence[Fragment], *, to_the_left: bool) -> list[list[Fragment]]:
    """Stacks of lines without a gutter, in the order in which they are read."""
    if not fragments:
        return []
    ordered = sorted(fragments, key=lambda part: (part.v, part.u0))
    columns = np.array([(part.u0, part.u1, part.v, part.size) for part in ordered])
    if len(ordered) > _MOST_FRAGMENTS:
        return [ordered]
    found: list[Any] = []
    _divide(columns, np.arange(len(ordered)), found, to_the_left=to_the_left)
    return [[ordered[index] for index in numbers.tolist()] for numbers in found if numbers.size]


def _divide(
    columns: Any, numbers: Any, found: list[Any], *, to_the_left: bool, depth: int = 0
) -> None:
    cut = _cut(columns[numbers]) if numbers.size >= 2 * _FEWEST and depth < _DEEPEST else None
    if cut is None:
        found.append(numbers)
        return
    sides = (cut.right, cut.left) if to_the_left else (cut.left, cut.right)
    for part in (cut.above, *sides, cut.below):
        if part.size:
            _divide(columns, numbers[part], found, to_the_left=to_the_left, depth=depth + 1)


def _cut(columns: Any) -> _Cut | None:
    """The gutter with the most lines beside it, if there is one."""
    u0, u1, _, size = columns.T
    em = float(np.median(size))
    edges = np.unique(np.round(u0))
    left_edge = float(u0.min())
    edges = edges[edges > left_edge + _NARROWEST * em]
    if not edges.size:
        return None
    begins = edges[:, None] - 1.0
    left = u1[None, :] <= edges[:, None] - _GUTTER * em
    right = u0[None, :] >= begins
    across = ~(left | right)
    candidates = []
    for index in range(edges.size):
        strip = np.cumsum(across[index])
        most = int(strip[-1]) + 1
        lefts = np.bincount(strip[left[index]], minlength=most)
        rights = np.bincount(strip[right[index]], minlength=most)
        weight = np.minimum(lefts, rights)
        candidates += [
            (int(lefts[which] + rights[which]), -index, which)
            for which in np.flatnonzero(weight >= _FEWEST).tolist()
        ]
    for _, index, which in sorted(candidates, reverse=True)[:12]:
        strip = np.cumsum(across[-index])
        within = strip == which
        stacks = (np.flatnonzero(within & side[-index]) for side in (left, right))
        first, second = stacks
        if _are_columns(columns[first], columns[second], em):
            inside = np.concatenate((first, second))
            begin, end = int(inside.min()), int(inside.max())
            rest = np.ones(u0.size, np.bool_)
            rest[inside] = False
            others = np.flatnonzero(rest)
            return _Cut(others[others < begin], first, second, others[others > end])
    return None


def _are_columns(first: Any, second: Any, em: float) -> bool:
    if not (_is_column(first, em) and _is_column(second, em)):
        return False
    top = max(first[0, 2], second[0, 2])
    bottom = min(first[-1, 2], second[-1, 2])
    return bool(bottom - top > em)


def _is_column(stack: Any, em: float) -> bool:
    """Whether a stack looks like lines of running text, not like cells."""
    left, right = float(stack[:, 0].min()), float(stack[:, 1].max())
    if right - left < _NARROWEST * em:
        return False
    rows = np.cumsum(np.concatenate(([True], np.diff(stack[:, 2]) > 0.4 * em))) - 1
    count = int(rows[-1]) + 1
    if count < _FEWEST:
        return False
    filled = np.bincount(rows, weights=stack[:, 1] - stack[:, 0], minlength=count)
    return float(np.median(filled)) >= _FILLED * (right - left)
