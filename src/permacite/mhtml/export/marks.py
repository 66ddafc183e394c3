"""Marks: highlighted ranges of a page, as insertions into its source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.markup import references

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["MARK_STYLE", "Marks"]

MARK_STYLE = (
    "mark.permacite-mark{background:#ffe08a!important;color:#231a00!important;"
    "outline:1px solid #b8860b!important;scroll-margin:30vh}"
    "@media (forced-colors:active){mark.permacite-mark{forced-color-adjust:none;"
    "background:Mark!important;color:MarkText!important;outline:2px solid Highlight!important}}"
)
"""Visible on light and dark pages, and where the user's own colours rule."""

_OPEN = '<mark class="permacite-mark">'
_FIRST = '<mark class="permacite-mark" id="permacite-mark">'
_CLOSE = "</mark>"


class Marks:
    """The ranges to be marked, in order; `count` is how many marks were made."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._ranges = _merged(ranges)
        self._next = 0
        self.count = 0

    def __bool__(self) -> bool:
        return bool(self._ranges)

    def begin_before(self, end: int) -> bool:
        """Whether one of the ranges that are left begins before `end`."""
        return self._next < len(self._ranges) and self._ranges[self._next][0] < end

    def edits(self, source: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
        """Yield the insertions that mark a text token; tokens come in source order."""
        while self._next < len(self._ranges) and self._ranges[self._next][1] <= start:
            self._next += 1
        index = self._next
        while index < len(self._ranges) and self._ranges[index][0] < end:
            first = max(start, self._ranges[index][0])
            last = min(end, self._ranges[index][1])
            index += 1
            if source[first:last].strip("\t\n\f\r "):
                first, last = _whole_references(source, start, first, last)
                yield first, first, _OPEN if self.count else _FIRST
                yield last, last, _CLOSE
                self.count += 1


def _merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return merged


def _whole_references(source: str, low: int, start: int, end: int) -> tuple[int, int]:
    """Widen a range so that no character reference is cut."""
    for offset in (start, end):
        ampersand = source.rfind("&", max(low, offset - 40), offset)
        reference = references.REFERENCE.match(source, ampersand) if ampersand >= 0 else None
        resolved = reference and references.resolve(reference)
        if resolved and ampersand < offset < resolved[1]:
            start, end = min(start, ampersand), max(end, resolved[1])
    return start, end
