"""Search for places in an entity by their position: by an index, a sweep, or a walk."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Literal, NamedTuple

from permacite.text.reading import BLOCK_BYTES
from permacite.text.tally import DecodingMark, Measure, Plan, Tally, seek, splits_ending, tally

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from permacite.text.index import Index
    from permacite.text.reading import BlockReader, DecodedBlock
    from permacite.text.tally import LineEndings

__all__ = ["Survey", "TextPlace"]


class TextPlace(NamedTuple):
    """The counts before a place, and whether it is between the characters of a line ending."""

    tally: Tally
    inside: bool


class Walker:
    """Walks forward through the blocks of an entity, from place to place."""

    def __init__(self, reader: BlockReader, start: DecodingMark, measure: Measure) -> None:
        self.measure = measure
        self.blocks = reader.blocks(start.tally.byte, start.state)
        self.block = next(self.blocks)
        self.before = start.tally
        self.offset = 0
        """Where in the block's text the place of `before` is; never inside a line ending."""

    @property
    def end(self) -> int:
        """Where the block ends, in bytes."""
        return self.block.end

    def place(self, position: int) -> TextPlace:
        """Return the place of a position that is not before the last one asked for."""
        while not (self.block.last or self._ahead(position) < len(self.block.text) - self.offset):
            self.before, self.offset = self._counted(len(self.block.text)), 0
            self.block = next(self.blocks)
        offset = min(self.offset + self._ahead(position), len(self.block.text))
        tallied = self._counted(offset)
        inside = splits_ending(self.block.text, offset, self.measure.mode)
        if not inside:
            self.before, self.offset = tallied, offset
        return TextPlace(tallied, inside)

    def _ahead(self, position: int) -> int:
        """How many code points of the block a position is ahead; more than are left."""
        if self.measure.unit == "code_point":
            return position - self.before.code_point
        if position >= self.end:
            return len(self.block.text) - self.offset
        start = self.before.byte - self.block.start
        return len(self.block.data[start : position - self.block.start].decode())

    def _counted(self, offset: int) -> Tally:
        """Return the counts before an offset in the block's text."""
        counts = tally(self.block.text, self.offset, offset, plan=self.measure.plan)
        if self.block.encoding.family == "utf-8" and not self.block.invalid:
            width = len(self.block.text[self.offset : offset].encode())
            return self.before.plus(counts)._replace(byte=self.before.byte + width)
        return self.before.plus(counts)._replace(byte=self.block.byte(offset))


_SMALL_BYTES = 4 * BLOCK_BYTES
"""Less than this is walked through without a sweep."""

_MARGIN_BYTES = 64
"""How much is read beyond a step of the index: checkpoints are a step apart, and some bytes."""


class Survey:
    """Finds places in what `reader` reads.

    `invalid` becomes True when bytes that are no characters were seen on the way to some place.
    """

    def __init__(self, reader: BlockReader, index: Index | None = None) -> None:
        self.reader = reader
        self.index = index
        self.invalid = index is not None and not index.valid
        self._ends: dict[Plan, Tally] = {}
        self._kept: tuple[tuple[DecodingMark, Plan], DecodedBlock, Tally] | None = None
        """The block that was read last, with what led to it and the counts before it."""

    def end(self, plan: Plan) -> Tally:
        """Return the counts of the whole entity."""
        if self.index is not None:
            return self.index.end
        if plan not in self._ends:
            for mark in self._sweep(plan):
                self._see(mark, plan)
        return self._ends[plan]

    def places(self, measure: Measure, targets: Sequence[int]) -> list[Tally]:
        """Return the counts before each position; those of the end for positions beyond it.

        Reads the entity once, up to the last of them.
        """
        wanted = sorted(set(targets))
        tallies: dict[int, Tally] = {}
        with closing(self._approaches(measure, wanted)) as approaches:
            for target, (start, more) in zip(wanted, approaches, strict=True):
                tallies[target] = start.tally
                if more:
                    tallies[target] = self._walk(measure, target, start)
        return [tallies[target] for target in targets]

    def each(
        self, unit: Literal["code_point", "byte"], positions: Sequence[int], mode: LineEndings
    ) -> Iterator[TextPlace]:
        """Yield the place of each of many positions, in order; none must lie beyond the end.

        Code points and bytes may lie inside a line ending, which no other unit can say.
        """
        measure = Measure(unit, mode, Plan(lines=False, nel=mode == "all"))
        with closing(self._approaches(measure, positions)) as approaches:
            walker: Walker | None = None
            for position, (start, more) in zip(positions, approaches, strict=True):
                if not more:
                    yield TextPlace(start.tally, inside=False)
                    continue
                if walker is None or walker.end < start.tally.byte:
                    walker = Walker(self.reader, start, measure)
                yield walker.place(position)
                self.invalid = self.invalid or walker.block.invalid

    def blocks_from(self, code_point: int, byte: int) -> Iterator[tuple[DecodedBlock, int]]:
        """Yield blocks, from one at or before a place on, each with the code points before it."""
        start = DecodingMark(Tally(byte, code_point))
        if self.reader.encoding.family == "other":
            measure = Measure("code_point", "mime", Plan(lines=False, nel=False))
            with closing(self._approaches(measure, [code_point])) as approaches:
                start, _ = next(approaches)
        before = start.tally.code_point
        for block in self.reader.blocks(start.tally.byte, start.state):
            yield block, before
            before += len(block.text)

    @property
    def _first(self) -> DecodingMark:
        return DecodingMark(Tally(self.reader.encoding.mark_bytes))

    def _approaches(
        self, measure: Measure, targets: Sequence[int]
    ) -> Generator[tuple[DecodingMark, bool], None, None]:
        """Yield, for each target, a mark not after it, and whether there is more after the mark."""
        if self.index is not None:
            for target in targets:
                yield self.index.around(measure, target)
        elif self.reader.source.size <= _SMALL_BYTES:
            yield from ((self._first, True) for _ in targets)
        else:
            with closing(self._sweep(measure.plan)) as marks:
                yield from self._swept(measure, targets, marks)

    def _sweep(self, plan: Plan) -> Generator[DecodingMark, None, None]:
        from permacite.text.sweep import sweep

        return sweep(self.reader, plan, self._first)

    def _swept(
        self, measure: Measure, targets: Sequence[int], marks: Iterator[DecodingMark]
    ) -> Iterator[tuple[DecodingMark, bool]]:
        start, ahead = self._first, next(marks, None)
        for target in targets:
            while ahead is not None and not measure.passes(ahead.tally, target):
                self._see(ahead, measure.plan)
                start, ahead = ahead, next(marks, None)
            yield start, ahead is not None

    def _see(self, mark: DecodingMark, plan: Plan) -> None:
        self.invalid = self.invalid or mark.invalid
        if mark.tally.byte == self.reader.source.size:
            self._ends[plan] = mark.tally

    def _walk(self, measure: Measure, target: int, start: DecodingMark) -> Tally:
        """Read from `start` up to the block that holds the place, and find it there."""
        unit, mode, plan = measure
        for block, before in self._from(start, plan):
            offset = seek(block.text, unit, target - before.position(unit, mode), mode)
            if offset < len(block.text) or block.last:
                break
        inside = tally(block.text, 0, offset, plan=plan)
        return before.plus(inside)._replace(byte=block.byte(offset))

    def _from(self, start: DecodingMark, plan: Plan) -> Iterator[tuple[DecodedBlock, Tally]]:
        """Yield the blocks from `start` on, with the counts before each; the last read is kept."""
        if self._kept is not None and self._kept[0] == (start, plan):
            _, block, before = self._kept
            yield block, before
            start = DecodingMark(_after(block, before, plan), block.after)
        before = start.tally
        size = BLOCK_BYTES if self.index is None else self.index.step_bytes + _MARGIN_BYTES
        for block in self.reader.blocks(before.byte, start.state, size=size):
            self.invalid = self.invalid or block.invalid
            self._kept = (DecodingMark(before, block.state), plan), block, before
            yield block, before
            before = _after(block, before, plan)


def _after(block: DecodedBlock, before: Tally, plan: Plan) -> Tally:
    return before.plus(tally(block.text, plan=plan))._replace(byte=block.end)
