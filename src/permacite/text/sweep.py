"""Counts of long stretches of an entity, fast and in constant memory.

A sweep yields marks: places that are safe to read from, with the counts before them. It counts in
the bytes where it can (UTF-8, one byte per character) and decodes where it must. UTF-8 is checked
meanwhile: a slice with bytes that are no characters is decoded, so that the counts stay right.

With NumPy, stretches are counted by vector instructions, in two threads. Each operation is one pass
over the stretch, without the interpreter's lock; so there should be few of them, and each should be
long enough to be worth a change of threads.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from contextlib import ExitStack, closing
from itertools import islice, pairwise
from queue import SimpleQueue
from typing import TYPE_CHECKING, Literal, NamedTuple

from permacite.text.reading import BLOCK_BYTES, filling
from permacite.text.tally import (
    DecodingMark,
    PlainCounter,
    Plan,
    Tally,
    are_high,
    endings,
    safe_cut,
    tally,
    undefined,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from concurrent.futures import Future

    from permacite.text.reading import BlockReader, Fill
    from permacite.text.tally import Counter, Plan

__all__ = ["sweep", "vector_counter"]


if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    from permacite.charsets import Encoding
    from permacite.text.tally import Counter

    Marks: TypeAlias = NDArray[np.bool_]
    Octets: TypeAlias = NDArray[np.uint8]

_FIRST_CONTINUATION, _AFTER_CONTINUATIONS = 0x80, 0xC0
_TWO, _THREE, _FOUR, _LAST_LEAD = 0xC2, 0xE0, 0xF0, 0xF4
"""The first lead bytes of sequences of two, three and four bytes, and the last lead byte."""
_NEVER = (0xC0, 0xC1)

_SECONDS = ((0xF0, 0x90, False), (0xE0, 0xA0, False), (0xED, 0xA0, True), (0xF4, 0x90, True))
"""A lead byte, a bound, and whether the bytes from the bound on, or those below, may not follow."""


def vector_counter(encoding: Encoding, plan: Plan, size: int) -> Counter | None:
    """Return a counter for stretches of up to `size` bytes, or None without NumPy."""
    try:
        import numpy as np  # noqa: F401 - an extra, and slow to import
    except ImportError:
        return None
    return _VectorCounter(encoding, plan, size)


class _VectorCounter:
    """Marks what is counted, and sums by slices.

    Its memory is three bytes for each of a stretch, and four where NEL is counted.
    """

    def __init__(self, encoding: Encoding, plan: Plan, size: int) -> None:
        import numpy as np

        self._np = np
        self._is_utf8 = encoding.family == "utf-8"
        self._plan = plan
        self._endings = endings(encoding)
        self._undefined = undefined(encoding)
        # Marks are kept in bytes: to search these takes a third of the time of asking the array.
        self._bytes = [bytearray(size) for _ in range(4 if plan.nel else 3)]
        self._marks = [np.frombuffer(some, np.bool_) for some in self._bytes]

    def count(self, data: bytearray, cuts: Sequence[int]) -> list[Tally | None]:
        """Count the whole stretch at once."""
        start, end = cuts[0], cuts[-1]
        octets = self._np.frombuffer(data, self._np.uint8)[start:end]
        slices = [slice(first - start, last - start) for first, last in pairwise(cuts)]
        points = lengths = [part.stop - part.start for part in slices]
        held = _ByteSet(data, start, end)
        highest = int(octets.max(initial=0))
        if self._is_utf8 and highest >= _FIRST_CONTINUATION:
            if not self._marks_continuations(octets, held, highest):
                return [None] * len(slices)
            continued = self._sums(self._marks[0], slices)
            points = [whole - extra for whole, extra in zip(lengths, continued, strict=True)]
        if not (highest < _FIRST_CONTINUATION and are_high(self._undefined)) and any(
            octet in held for octet in self._undefined
        ):
            return [None] * len(slices)
        columns = [lengths, points, *self._ending_sums(octets, held, slices)]
        return [Tally(*row) for row in zip(*columns, strict=True)]

    def _sums(self, marks: Marks, slices: list[slice]) -> list[int]:
        return [int(self._np.count_nonzero(marks[part])) for part in slices]

    def _is_some(self, number: int, size: int) -> bool:
        """Whether one of the first `size` marks of an array is set."""
        return self._bytes[number].find(1, 0, size) >= 0

    def _are_alike(self, size: int) -> bool:
        """Whether the first `size` marks of the first two arrays are the same."""
        first, second = self._bytes[:2]
        first[size:] = second[size:] = bytes(len(first) - size)
        return first == second  # one pass, where comparing arrays takes two

    def _marks_continuations(self, octets: Octets, held: _ByteSet, highest: int) -> bool:
        """Mark continuation bytes in the first array; False where this is no UTF-8."""
        np, size = self._np, len(octets)
        continued, needed, leads = (marks[:size] for marks in self._marks[:3])
        if highest > _LAST_LEAD or any(octet in held for octet in _NEVER):
            return False
        np.less(octets.view(np.int8), _AFTER_CONTINUATIONS - 0x100, out=continued)
        needed[:1] = False
        np.greater_equal(octets[:-1], _TWO, out=needed[1:])
        cut_off = octets[-1] >= _TWO
        for length, first in ((2, _THREE), (3, _FOUR)):
            if highest >= first:
                np.greater_equal(octets, first, out=leads)
                np.bitwise_or(needed[length:], leads[:-length], out=needed[length:])
                cut_off = cut_off or leads[-length:].any()
        if cut_off or not self._are_alike(size):
            return False
        return not any(self._is_followed_wrongly(octets, held, rule, highest) for rule in _SECONDS)

    def _is_followed_wrongly(
        self, octets: Octets, held: _ByteSet, rule: tuple[int, int, bool], highest: int
    ) -> bool:
        """Whether a continuation stands after some lead byte that may not follow it."""
        lead, bound, above = rule
        if lead not in held:
            return False
        np, size = self._np, len(octets) - 1
        odd, leads = (marks[:size] for marks in self._marks[1:3])
        # This rule comes first: where no lead byte is higher, those are still marked.
        if not lead == highest == _FOUR:
            np.equal(octets[:-1], lead, out=leads)
        compare = np.greater_equal if above else np.less
        compare(octets[1:], bound, out=odd)
        np.bitwise_and(leads, odd, out=odd)
        return self._is_some(1, size)

    def _ending_sums(self, octets: Octets, held: _ByteSet, slices: list[slice]) -> list[list[int]]:
        """Return the columns cr, lf, crlf, nel, crnel."""
        np, lines = self._np, self._plan.lines
        first, second, both, *spare = (marks[: len(octets)] for marks in self._marks)
        none = [0] * len(slices)
        cr, lf, crlf, nel, crnel = none, none, none, none, none
        some_cr = bool(self._endings.cr) and self._endings.cr[0] in held
        if some_cr and (lines or self._plan.nel):
            np.equal(octets, self._endings.cr[0], out=first)
            cr = self._sums(first, slices) if lines else none
        if lines and self._endings.lf:
            np.equal(octets, self._endings.lf[0], out=second)
            lf = self._sums(second, slices)
            crlf = self._followed([first, second, both], 1, slices) if some_cr else none
        elif some_cr and self._endings.lf:
            crlf = self._pairs(octets, slices)
        if self._plan.nel and self._endings.nel:
            self._mark_nel(octets, second, *spare)
            nel = self._sums(second, slices)
            width = len(self._endings.nel)
            crnel = self._followed([first, second, both], width, slices) if some_cr else none
        return [cr, lf, crlf, nel, crnel]

    def _pairs(self, octets: Octets, slices: list[slice]) -> list[int]:
        """Count CRLF two bytes at a time, from even places and from odd ones, without marks."""
        np = self._np
        pair = np.frombuffer(self._endings.cr + self._endings.lf, np.uint16)[0]
        sums = [0] * len(slices)
        for shift in (0, 1):
            count = max(0, len(octets) - shift) // 2
            twos = octets[shift : shift + 2 * count].view(np.uint16)
            marks = np.equal(twos, pair, out=self._marks[2][:count])
            for number, part in enumerate(slices):
                # No CRLF lies across the edge of a slice: which of both counts there is all one.
                start, stop = max(0, part.start - shift) // 2, max(0, part.stop - shift) // 2
                sums[number] += int(np.count_nonzero(marks[start:stop]))
        return sums

    def _mark_nel(self, octets: Octets, found: Marks, spare: Marks) -> None:
        """Mark the last byte of every NEL."""
        np, nel = self._np, self._endings.nel
        np.equal(octets, nel[-1], out=found)
        if len(nel) > 1:
            np.equal(octets[:-1], nel[0], out=spare[1:])
            np.bitwise_and(found[1:], spare[1:], out=found[1:])

    def _followed(self, marks: list[Marks], width: int, slices: list[slice]) -> list[int]:
        """Count where the second array is marked `width` bytes after the first; spoil the third."""
        first, second, both = marks
        both[:width] = False
        self._np.bitwise_and(first[:-width], second[width:], out=both[width:])
        return self._sums(both, slices)


class _ByteSet:
    """The bytes of a stretch as a set: whether an octet is among them is one search."""

    __slots__ = ("_data", "_end", "_start")

    def __init__(self, data: bytearray, start: int, end: int) -> None:
        self._data, self._start, self._end = data, start, end

    def __contains__(self, octet: int) -> bool:
        return self._data.find(octet, self._start, self._end) >= 0


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
    reader: BlockReader,
    plan: Plan,
    start: DecodingMark,
    *,
    step: int | None = None,
    stretch: int = _STRETCH_BYTES,
    lead: int = 0,
    by: Literal["size", "vectors", "decoding"] = "size",
) -> Generator[DecodingMark, None, None]:
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


def _added(here: DecodingMark, counted: Iterable[Counts]) -> Iterator[DecodingMark]:
    """Yield a mark after each slice."""
    for counts, invalid in counted:
        here = DecodingMark(here.tally.plus(counts), None, here.invalid or invalid)
        yield here


def _decoded(
    reader: BlockReader, plan: Plan, start: DecodingMark, step: int
) -> Iterator[DecodingMark]:
    """Count what only a decoder can."""
    here = start
    for block in reader.blocks(start.tally.byte, start.state, size=step):
        counts = tally(block.text, plan=plan)
        here = DecodingMark(
            here.tally.plus(counts)._replace(byte=block.end),
            block.after,
            here.invalid or block.invalid,
        )
        yield here


Counts = tuple[Tally, bool]
"""What a slice holds, its length in `byte`, and whether some of its bytes are no characters."""


def _counters(reader: BlockReader, plan: Plan, stretch: int, *, threads: int) -> list[Counter]:
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
        self, reader: BlockReader, plan: Plan, start: int, *, length: int, step: int | None
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

        from concurrent.futures import ThreadPoolExecutor

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
