"""From places to the logical order of a line with right-to-left scripts (clause 7).

The decoder's order is not asked: glyphs stand in the order in which they are seen, from the left to
the right, and the inverse of the rules of Unicode (UAX #9) gives that in which they are said.
Strong characters and numbers decide; what stands between goes with its neighbours.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MIRRORED", "is_rtl", "logical"]

_RIGHT = frozenset({"R", "AL"})
_NUMBERS = frozenset({"EN", "AN"})
_JOINERS = frozenset({"ES", "CS"})
_TERMINATORS = frozenset({"ET"})
MIRRORED = {
    ord(a): ord(b)
    for pair in ("()", "[]", "{}", "<>", "\u00ab\u00bb", "\u2039\u203a", "\u2264\u2265")
    for a, b in zip(pair, pair[::-1], strict=True)
}
"""Pairs whose shapes are turned round in text that runs to the left."""


def is_rtl(code: int) -> bool:
    """Whether a character belongs to a script that runs to the left."""
    return code >= 0x590 and unicodedata.bidirectional(chr(code)) in _RIGHT  # noqa: PLR2004 - Hebrew


def logical(codes: Sequence[int], *, leftwards: bool) -> tuple[list[int], list[bool]]:
    """The order in which glyphs are said, seen from the left to the right, and which run leftwards.

    `codes` has 0x20 for gaps. `leftwards`: whether the text around runs to the left.
    """
    kinds = [_kind(code) for code in codes]
    base = "R" if leftwards else "L"
    kinds = _resolved(kinds, base)
    order: list[int] = []
    turned = [kind == "R" for kind in kinds]
    runs: list[tuple[str, int, int]] = []
    for index, kind in enumerate(kinds):
        if runs and runs[-1][0] == kind:
            runs[-1] = (kind, runs[-1][1], index + 1)
        else:
            runs.append((kind, index, index + 1))
    if base == "R":
        return _backwards(runs), turned
    index = 0
    while index < len(runs):
        stop = index + 1
        if runs[index][0] == "L":
            order += range(runs[index][1], runs[index][2])
        else:  # numbers stay among the words that run leftwards around them
            while stop < len(runs) and not _begins_left(runs[stop], codes):
                stop += 1
            order += _backwards(runs[index:stop])
        index = stop
    return order, turned


def _backwards(runs: Sequence[tuple[str, int, int]]) -> list[int]:
    """Runs from the last to the first; what runs leftwards is turned round within."""
    order: list[int] = []
    for kind, start, end in reversed(runs):
        order += range(end - 1, start - 1, -1) if kind == "R" else range(start, end)
    return order


def _begins_left(run: tuple[str, int, int], codes: Sequence[int]) -> bool:
    kind, start, end = run
    return kind == "L" and any(_kind(codes[index]) == "L" for index in range(start, end))


def _kind(code: int) -> str:
    """R, L, N for numbers, J and T for what stands in and at them, M for marks, else ""."""
    kind = unicodedata.bidirectional(chr(code))
    if kind in _RIGHT:
        return "R"
    if kind == "L":
        return "L"
    if kind in _NUMBERS:
        return "N"
    if kind in _JOINERS:
        return "J"
    if kind in _TERMINATORS:
        return "T"
    return "M" if kind == "NSM" else ""


def _resolved(kinds: Sequence[str], base: str) -> list[str]:
    """Each as L or R: those of no direction as their neighbours agree, else as the line runs."""
    known = _with_numbers(kinds)
    sides = {"L": "L", "N": "L", "R": "R"}
    # A number in text that runs leftwards does not hold what stands beside it.
    beside = sides | {"N": "R"} if base == "R" else sides
    resolved = [sides.get(kind, "") for kind in known]
    index = 0
    while index < len(resolved):
        end = index
        while end < len(resolved) and not resolved[end]:
            end += 1
        if end == index:
            index += 1
            continue
        before = beside[known[index - 1]] if index else base
        after = beside[known[end]] if end < len(resolved) else base
        resolved[index:end] = [before if before == after else base] * (end - index)
        index = end
    return resolved


def _with_numbers(kinds: Sequence[str]) -> list[str]:
    """The kinds, with what stands within numbers and at their ends as part of them."""
    known = list(kinds)
    for index in range(1, len(known) - 1):
        if known[index] == "J" and known[index - 1] == known[index + 1] == "N":
            known[index] = "N"
    for run in (range(len(known)), range(len(known) - 1, -1, -1)):
        last = ""
        for index in run:
            if known[index] == "T" and last == "N":
                known[index] = "N"
            last = known[index]
    return known
