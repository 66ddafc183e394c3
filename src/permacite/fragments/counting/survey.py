"""Finding places in an entity by their position: by an index, a sweep, or a walk."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from permacite.fragments.counting.reading import BLOCK_BYTES
from permacite.fragments.counting.sweep import Mark, sweep
from permacite.fragments.counting.tally import Measure, Plan, Tally, seek, tally

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from permacite.fragments.counting.index import Index
    from permacite.fragments.counting.reading import Block, Reader

__all__ = ["Survey"]

_SMALL_BYTES = 4 * BLOCK_BYTES
"""Less than this is walked through without a sweep."""


class Survey:
    """Finds places in what `reader` reads.

    `invalid` becomes True when bytes that are no characters were seen on the way to some place.
    """

    def __init__(self, reader: Reader, index: Index | None = None) -> None:
        self.reader = reader
        self.index = index
        self.invalid = index is not None and not index.valid
        self._ends: dict[Plan, Tally] = {}

    def end(self, plan: Plan) -> Tally:
        """Return the counts of the whole entity."""
        if self.index is not None:
            return self.index.end
        if plan not in self._ends:
            for mark in sweep(self.reader, plan, self._first):
                self._see(mark, plan)
        return self._ends[plan]

    def places(self, measure: Measure, targets: Sequence[int]) -> list[Tally]:
        """Return the counts before each position; those of the end for positions beyond it.

        Reads the entity once, up to the last of them.
        """
        wanted = sorted(set(targets))
        found: dict[int, Tally] = {}
        with closing(self._approaches(measure, wanted)) as approaches:
            for target, (start, more) in zip(wanted, approaches, strict=True):
                found[target] = start.tally
                if more:
                    found[target] = self._walk(measure, target, start)
        return [found[target] for target in targets]

    def blocks_from(self, code_point: int) -> Iterator[tuple[Block, int]]:
        """Yield blocks, from one at or before a place on, each with the code points before it."""
        measure = Measure("code_point", "mime", Plan(lines=False, nel=False))
        with closing(self._approaches(measure, [code_point])) as approaches:
            start, _ = next(approaches)
        before = start.tally.code_point
        for block in self.reader.blocks(start.tally.byte, start.state):
            yield block, before
            before += len(block.text)

    @property
    def _first(self) -> Mark:
        return Mark(Tally(self.reader.encoding.mark_bytes))

    def _approaches(
        self, measure: Measure, targets: Sequence[int]
    ) -> Generator[tuple[Mark, bool], None, None]:
        """Yield, for each target, a mark not after it, and whether there is more after the mark."""
        if self.index is not None:
            for target in targets:
                yield self.index.around(measure, target)
        elif self.reader.source.size <= _SMALL_BYTES:
            yield from ((self._first, True) for _ in targets)
        else:
            with closing(sweep(self.reader, measure.plan, self._first)) as marks:
                yield from self._swept(measure, targets, marks)

    def _swept(
        self, measure: Measure, targets: Sequence[int], marks: Iterator[Mark]
    ) -> Iterator[tuple[Mark, bool]]:
        start, ahead = self._first, next(marks, None)
        for target in targets:
            while ahead is not None and not measure.passes(ahead.tally, target):
                self._see(ahead, measure.plan)
                start, ahead = ahead, next(marks, None)
            yield start, ahead is not None

    def _see(self, mark: Mark, plan: Plan) -> None:
        self.invalid = self.invalid or mark.invalid
        if mark.tally.byte == self.reader.source.size:
            self._ends[plan] = mark.tally

    def _walk(self, measure: Measure, target: int, start: Mark) -> Tally:
        """Read from `start` up to the block that holds the place, and find it there."""
        unit, mode, (lines, _) = measure
        before = start.tally
        for block in self.reader.blocks(before.byte, start.state):
            self.invalid = self.invalid or block.invalid
            after = before.plus(tally(block.text, lines=lines))._replace(byte=block.end)
            if block.last or measure.passes(after, target):
                break
            before = after
        offset = seek(block.text, unit, target - before.position(unit, mode), mode)
        inside = tally(block.text, 0, offset, lines=lines)
        return before.plus(inside)._replace(byte=block.byte(offset))
