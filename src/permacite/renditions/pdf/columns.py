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

__all__ = ["regions_of"]

_GUTTER = 0.7
_FEWEST = 3
_FILLED = 0.5
_NARROWEST = 6.0
_MOST_FRAGMENTS = 3000
_DEEPEST = 12


class _Cut(NamedTuple):
    above: Any
    left: Any
    right: Any
    below: Any


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
