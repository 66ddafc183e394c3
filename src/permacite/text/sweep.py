"""Sweeping: the counts of long stretches of an entity, fast and in constant memory.

A sweep yields marks: places that are safe to read from, with the counts before them. It counts in
the bytes where it can (UTF-8, one byte per character) and decodes where it must. UTF-8 is checked
on the way: a slice with bytes that are no characters is decoded, so that the counts stay right.
With NumPy, stretches are counted by vector instructions, in two threads.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from itertools import islice, pairwise
from queue import SimpleQueue
from typing import TYPE_CHECKING, Literal, NamedTuple

from permacite.text.reading import BLOCK_BYTES
from permacite.text.source import filling
from permacite.text.stretch import PlainCounter, safe_cut
from permacite.text.tally import Mark, Tally, tally
from permacite.text.vectors import vector_counter

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from concurrent.futures import Future

    from permacite.text.reading import Reader
    from permacite.text.source import Fill
    from permacite.text.stretch import Counter
    from permacite.text.tally import Plan

__all__ = ["sweep"]

_STRETCH_BYTES = 1 << 20
"""How much is counted at a time with NumPy: less, and threads wait for each other too often."""

_SLICE_BYTES = 1 << 18
"""How much is counted at a time without it."""

_WORTH_THE_IMPORT_BYTES = 3 << 26
_WORTH_A_VECTOR_BYTES = 1 << 20
"""Below these sizes, importing NumPy, or starting threads, costs more than it saves."""

_LEAD_BYTES = 1 << 23
"""How much is counted before NumPy is imported: most places may be found by then."""

_THREADS = min(2, os.cpu_count() or 1)
"""NumPy takes 16 MiB, each thread four: all together stays well under 32 MiB."""

_RUN = 2
"""How many stretches a thread counts before it hands in what it found."""

_AROUND_BYTES = 8
"""What `safe_cut` may want to see on either side."""


def sweep(
    reader: Reader,
    plan: Plan,
    start: Mark,
    *,
    step: int | None = None,
    stretch: int = _STRETCH_BYTES,
    lead: int = 0,
    by: Literal["size", "vectors", "decoding"] = "size",
) -> Generator[Mark, None, None]:
    """Yield marks from `start` (not included) to the end of the entity (always included).

    They are about `step` bytes apart: what suits the counter, where it is None. The size of the
    entity decides whether vectors of `stretch` bytes are counted, after `lead` bytes that are not,
    unless `by` does.
    """
    if reader.encoding.family not in {"utf-8", "single"}:
        yield from _decoded(reader, plan, start, step or BLOCK_BYTES)
        return
    if by == "size":
        by, lead = _suited(reader.source.size - start.tally.byte, step)
    plain = _Work(reader, plan, start.tally.byte, length=step or _SLICE_BYTES, step=step)
    here, vectors = start, []
    with closing(plain.in_turn()) as found:
        marks = _added(start, found)
        if by == "vectors":
            for mark in islice(marks, lead // plain.length):
                here = mark
                yield mark
            if here is start or here.tally.byte < plain.size:
                vectors = _counters(reader, plan, stretch, threads=1 if step else _THREADS)
        if not vectors:
            yield from marks
            return
    work = _Work(reader, plan, here.tally.byte, length=stretch, step=step)
    yield from _added(here, work.in_threads(vectors))


def _suited(left: int, step: int | None) -> tuple[Literal["vectors", "decoding"], int]:
    """The way to count so many bytes, and how many to count before NumPy."""
    if "numpy" in sys.modules:
        return "vectors" if left >= _WORTH_A_VECTOR_BYTES else "decoding", 0
    lead = 0 if step else _LEAD_BYTES
    return "vectors" if left >= _WORTH_THE_IMPORT_BYTES else "decoding", lead


def _added(here: Mark, counted: Iterable[Counts]) -> Iterator[Mark]:
    """Yield a mark after each slice."""
    for counts, invalid in counted:
        here = Mark(here.tally.plus(counts), None, here.invalid or invalid)
        yield here


def _decoded(reader: Reader, plan: Plan, start: Mark, step: int) -> Iterator[Mark]:
    """Count what only a decoder can."""
    here = start
    for block in reader.blocks(start.tally.byte, start.state, size=step):
        counts = tally(block.text, plan=plan)
        here = Mark(
            here.tally.plus(counts)._replace(byte=block.end),
            block.after,
            here.invalid or block.invalid,
        )
        yield here


Counts = tuple[Tally, bool]
"""What a slice holds, its length in `byte`, and whether some of its bytes are no characters."""


def _counters(reader: Reader, plan: Plan, stretch: int, *, threads: int) -> list[Counter]:
    """Return a counter for each thread; none without NumPy.

    Summing small slices asks for the interpreter's lock so often that two threads wait for each
    other longer than they count.
    """
    size = stretch + 2 * _AROUND_BYTES
    counters = [vector_counter(reader.encoding, plan, size) for _ in range(threads)]
    return [counter for counter in counters if counter is not None]


class _Seat(NamedTuple):
    """What one thread counts with: what reads, the memory for one stretch, and a counter."""

    fill: Fill
    data: bytearray
    counter: Counter


class _Work:
    """The stretches of one sweep, each of `length` bytes, in slices of `step` bytes."""

    def __init__(
        self, reader: Reader, plan: Plan, start: int, *, length: int, step: int | None
    ) -> None:
        self.reader = reader
        self.plan = plan
        self.start = start
        self.length = length
        self.step = step or length
        self.size = reader.source.size
        self.plain = PlainCounter(reader.encoding, plan)

    def in_turn(self) -> Generator[Counts, None, None]:
        """Count one stretch after the other."""
        with filling(self.reader.source) as fill:
            seat = self._seat(fill, self.plain)
            for place in self._places():
                yield from self._count(seat, place)

    def in_threads(self, vectors: list[Counter]) -> Iterator[Counts]:
        """Count in a thread for each counter, and give the counts in order."""
        waiting: deque[Future[list[Counts]]] = deque()
        idle: SimpleQueue[_Seat] = SimpleQueue()

        def work(run: range) -> list[Counts]:
            seat = idle.get()
            try:
                return [counts for place in run for counts in self._count(seat, place)]
            finally:
                idle.put(seat)

        with ExitStack() as files:
            for vector in vectors:
                idle.put(self._seat(files.enter_context(filling(self.reader.source)), vector))
            pool = files.enter_context(ThreadPoolExecutor(len(vectors)))
            files.callback(pool.shutdown, cancel_futures=True)
            places = self._places()
            for first in range(0, len(places), _RUN):
                waiting.append(pool.submit(work, places[first : first + _RUN]))
                if len(waiting) > 2 * len(vectors):
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()

    def _seat(self, fill: Fill, by: Counter) -> _Seat:
        return _Seat(fill, bytearray(min(self.length, self.size) + 2 * _AROUND_BYTES), by)

    def _places(self) -> range:
        """Where stretches begin, before they are cut at safe places."""
        return range(self.start, max(self.size, self.start + 1), self.length)

    def _count(self, seat: _Seat, place: int) -> list[Counts]:
        """Count the stretch that begins at or shortly before `place`, slice by slice."""
        origin = max(self.start, place - _AROUND_BYTES)
        view = memoryview(seat.data)
        wanted = view[: place - origin + self.length + _AROUND_BYTES]
        data = view[: seat.fill(origin, wanted)]
        cuts = [self._cut(data, origin, at) for at in self._slices(place)]
        counts = seat.counter.count(seat.data, cuts)
        if None in counts and seat.counter is not self.plain:
            counts = self.plain.count(seat.data, cuts)
        return [
            (found, False)
            if found is not None
            else self._decoded(bytes(seat.data[first:last]), origin + first)
            for found, (first, last) in zip(counts, pairwise(cuts), strict=True)
        ]

    def _slices(self, place: int) -> list[int]:
        """Where the slices of a stretch begin, and where the last one ends."""
        end = min(place + self.length, self.size)
        return [*(range(place, end, self.step) or [place]), end]

    def _cut(self, data: memoryview, origin: int, place: int) -> int:
        """Return a safe place in `data`; the ends of the entity are safe."""
        if place in {self.start, self.size}:
            return place - origin
        return safe_cut(data, place - origin, self.reader.encoding)

    def _decoded(self, data: bytes, start: int) -> Counts:
        """Count what the bytes are replaced by. Raises ParseError for a strict reader."""
        text = self.reader.decoded(data, start)
        return tally(text, plan=self.plan)._replace(byte=len(data)), True
