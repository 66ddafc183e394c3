"""Counting one stretch of bytes: with the standard library, or with NumPy where it is installed.

A stretch begins and ends at a `safe_cut`. The counters check UTF-8 as they count it (Unicode §3.9,
table 3-7): for bytes that are no characters they give None, and the caller decodes.
"""

from __future__ import annotations

import codecs
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from permacite.fragments.counting.tally import Plan, Tally

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    from permacite.fragments.counting.charsets import Encoding

    Marked: TypeAlias = NDArray[np.bool_]
    Octets: TypeAlias = NDArray[np.uint8]

__all__ = ["Counter", "Endings", "counter", "endings", "safe_cut", "vector_counter"]

_LONGEST_SEQUENCE = 4
_CONTINUATION = range(0x80, 0xC0)

_PIECE_BYTES = 1 << 15

_DENSE = 120
"""With a CRLF more often than every so many bytes, searching beats hopping from CR to CR."""


class Endings(NamedTuple):
    """The bytes of line ending characters; empty where the charset has no such character."""

    cr: bytes
    lf: bytes
    nel: bytes


class Counter(Protocol):
    """Counts a stretch."""

    def count(self, data: memoryview, cuts: Sequence[int]) -> list[Tally | None]:
        """Return the counts up to each of `cuts` from the one before; the last cut is the end.

        A count is None where the bytes are no UTF-8.
        """


@lru_cache(maxsize=64)
def endings(encoding: Encoding) -> Endings:
    """Return the bytes of CR, LF and NEL in UTF-8 or a charset of one byte per character."""
    if encoding.family == "utf-8":
        return Endings(b"\r", b"\n", b"\xc2\x85")
    table = bytes(range(256)).decode(encoding.codec, "replace")
    return Endings(*(bytes([table.index(c)] if c in table else []) for c in "\r\n\x85"))


@lru_cache(maxsize=64)
def undefined(encoding: Encoding) -> bytes:
    """Return the bytes that are no characters, in a charset of one byte per character."""
    if encoding.family == "utf-8":
        return b""
    table = bytes(range(256)).decode(encoding.codec, "replace")
    return bytes(octet for octet, character in enumerate(table) if character == "\ufffd")


def safe_cut(data: memoryview, place: int, encoding: Encoding) -> int:
    """Return the last place, not after `place`, that is inside no character and no line ending.

    `data` holds, where there are as many, 5 bytes before `place` and 2 bytes after.
    """
    if encoding.family == "utf-8" and place < len(data):
        for back in range(min(place + 1, _LONGEST_SEQUENCE)):
            if data[place - back] not in _CONTINUATION:
                place -= back
                break
    cr, lf, nel = endings(encoding)
    if data[place - 1 : place] == cr and cr:
        after = bytes(data[place : place + 2])
        if (lf and after.startswith(lf)) or (nel and after.startswith(nel)):
            place -= 1
    return place


def _high(some: bytes) -> bool:
    """Whether none of the bytes is an ASCII character."""
    return all(octet >= _CONTINUATION.start for octet in some)


def counter(encoding: Encoding, plan: Plan) -> Counter:
    """Return a counter that needs the standard library alone."""
    return _PlainCounter(encoding, plan)


class _PlainCounter:
    """Decodes UTF-8 to count it, and searches for line endings: each one pass of C.

    What is counted is copied to the same place each time, and decoded in small pieces: memory that
    is fetched anew costs more than counting.
    """

    def __init__(self, encoding: Encoding, plan: Plan) -> None:
        self._is_utf8 = encoding.family == "utf-8"
        self._plan = plan
        self._endings = endings(encoding)
        self._undefined = undefined(encoding)
        self._dense = False
        self._copy = bytearray()

    def count(self, data: memoryview, cuts: Sequence[int]) -> list[Tally | None]:
        """Count slice by slice."""
        if len(self._copy) < len(data):
            self._copy = bytearray(len(data))
        self._copy[: len(data)] = data
        return [self._counted(*ends) for ends in zip([0, *cuts], cuts, strict=False)]

    def _counted(self, start: int, end: int) -> Tally | None:
        code_points = self._code_points(start, end) if self._is_utf8 else self._single(start, end)
        if code_points is None:
            return None
        count = self._copy.count
        cr, lf, nel = self._endings
        lines, with_nel = self._plan
        some = bool(cr) and self._copy.find(cr, start, end) >= 0
        nels = count(nel, start, end) if with_nel and nel else 0
        return Tally(
            end - start,
            code_points,
            count(cr, start, end) if lines and some else 0,
            count(lf, start, end) if lines and lf else 0,
            self._pairs(start, end) if some and lf else 0,
            nels,
            count(cr + nel, start, end) if some and nels else 0,
        )

    def _code_points(self, start: int, end: int) -> int | None:
        """Count the characters of UTF-8; None where there is something else."""
        view, count = memoryview(self._copy), 0
        try:
            while start < end:
                stop = min(end, start + _PIECE_BYTES)
                text, used = codecs.utf_8_decode(view[start:stop], "strict", stop == end)
                count += len(text)
                start += used
        except UnicodeDecodeError:
            return None
        return count

    def _single(self, start: int, end: int) -> int | None:
        """Count characters of one byte; None where some byte is none."""
        if _high(self._undefined) and self._copy[start:end].isascii():
            return end - start
        wrong = any(self._copy.find(octet, start, end) >= 0 for octet in self._undefined)
        return None if wrong else end - start

    def _pairs(self, start: int, end: int) -> int:
        """Count CRLF the way that suits the density seen in the slice before."""
        cr, lf, _ = self._endings
        if self._dense:
            pairs = self._copy.count(cr + lf, start, end)
        else:
            pairs = self._hopped(start, end - 1)
        self._dense = pairs * _DENSE > end - start
        return pairs

    def _hopped(self, start: int, last: int) -> int:
        """Count CRLF, from CR to CR."""
        data, (cr, lf) = self._copy, (self._endings.cr[0], self._endings.lf[0])
        pairs = 0
        place = data.find(cr, start, last)
        while place >= 0:
            if data[place + 1] == lf:
                pairs += 1
            place = data.find(cr, place + 1, last)
        return pairs


def vector_counter(encoding: Encoding, plan: Plan, size: int) -> Counter | None:
    """Return a counter for stretches of up to `size` bytes, or None without NumPy."""
    try:
        import numpy as np  # noqa: F401, PLC0415 - an extra, and slow to import
    except ImportError:
        return None
    return _VectorCounter(encoding, plan, size)


class _VectorCounter:
    """Counts with vector instructions; its working memory is four bytes for each of a stretch."""

    def __init__(self, encoding: Encoding, plan: Plan, size: int) -> None:
        import numpy as np  # noqa: PLC0415 - an extra, and slow to import

        self._np = np
        self._is_utf8 = encoding.family == "utf-8"
        self._plan = plan
        self._endings = endings(encoding)
        self._undefined = undefined(encoding)
        self._spare = [np.empty(size, np.bool_) for _ in range(4)]
        # A copy can be searched for one byte, which takes a fifth of the time of comparing arrays.
        self._copy = bytearray(size)
        self._octets = np.frombuffer(self._copy, np.uint8)

    def count(self, data: memoryview, cuts: Sequence[int]) -> list[Tally | None]:
        """Mark what is counted in the whole stretch, then sum by slices."""
        self._copy[: cuts[-1]] = data
        octets = self._octets[: cuts[-1]]
        slices = [slice(*ends) for ends in zip([0, *cuts], cuts, strict=False)]
        points = lengths = [part.stop - part.start for part in slices]
        highest = int(octets.max(initial=0))
        if self._is_utf8 and highest >= _FIRST_CONTINUATION:
            if not self._marks_continuations(octets, highest):
                return [None] * len(cuts)
            continued = self._sums(self._spare[0], slices)
            points = [whole - extra for whole, extra in zip(lengths, continued, strict=True)]
        if not (highest < _FIRST_CONTINUATION and _high(self._undefined)) and any(
            self._holds(octet, octets) for octet in self._undefined
        ):
            return [None] * len(cuts)
        columns = [lengths, points, *self._ending_sums(octets, slices)]
        return [Tally(*row) for row in zip(*columns, strict=True)]

    def _holds(self, octet: int, octets: Octets) -> bool:
        return self._copy.find(octet, 0, len(octets)) >= 0

    def _sums(self, marked: Marked, slices: list[slice]) -> list[int]:
        return [int(self._np.count_nonzero(marked[part])) for part in slices]

    def _marks_continuations(self, octets: Octets, highest: int) -> bool:
        """Mark continuation bytes in the first array; False where this is no UTF-8."""
        np = self._np
        continued, needed, lead, odd = (array[: len(octets)] for array in self._spare)
        if highest > _LAST_LEAD or any(self._holds(lead, octets) for lead in _NEVER):
            return False
        np.less(octets.view(np.int8), _CONTINUATION.stop - 0x100, out=continued)
        needed[:1] = False
        np.greater_equal(octets[:-1], _TWO, out=needed[1:])
        cut_off = octets[-1] >= _TWO
        if highest >= _THREE:
            np.greater_equal(octets, _THREE, out=lead)
            np.logical_or(needed[2:], lead[:-2], out=needed[2:])
            cut_off = cut_off or lead[-2:].any()
        if highest >= _FOUR:
            np.greater_equal(octets, _FOUR, out=lead)
            np.logical_or(needed[3:], lead[:-3], out=needed[3:])
            cut_off = cut_off or lead[-3:].any()
        if cut_off or np.not_equal(continued, needed, out=odd).any():
            return False
        return not any(self._is_followed_wrongly(octets, rule, highest) for rule in _SECONDS)

    def _is_followed_wrongly(
        self, octets: Octets, rule: tuple[int, int, bool], highest: int
    ) -> bool:
        """Whether a continuation stands after some lead byte that may not follow it."""
        lead, bound, above = rule
        if not self._holds(lead, octets):
            return False
        np = self._np
        leads, odd = (array[: len(octets) - 1] for array in self._spare[2:])
        # This rule comes first: where no lead byte is higher, those are still marked.
        if not lead == highest == _FOUR:
            np.equal(octets[:-1], lead, out=leads)
        compare = np.greater_equal if above else np.less
        compare(octets[1:], bound, out=odd)
        return bool(np.logical_and(leads, odd, out=odd).any())

    def _ending_sums(self, octets: Octets, slices: list[slice]) -> list[list[int]]:
        """Return the columns cr, lf, crlf, nel, crnel."""
        np = self._np
        found, marked, both, _ = (array[: len(octets)] for array in self._spare)
        none = [0] * len(slices)
        cr, lf, crlf, nel, crnel = none, none, none, none, none
        some_cr = bool(self._endings.cr) and self._holds(self._endings.cr[0], octets)
        if self._endings.lf and self._plan.lines:
            lf = self._sums(np.equal(octets, self._endings.lf[0], out=marked), slices)
        if some_cr and self._endings.lf:
            crlf = self._pairs(octets, slices)
        if some_cr and (self._plan.lines or self._plan.nel):
            np.equal(octets, self._endings.cr[0], out=marked)
            cr = self._sums(marked, slices) if self._plan.lines else none
        if self._plan.nel and self._endings.nel:
            self._mark_nel(octets, found, both)
            nel = self._sums(found, slices)
            width = len(self._endings.nel)
            crnel = self._followed([marked, found, both], width, slices) if some_cr else none
        return [cr, lf, crlf, nel, crnel]

    def _pairs(self, octets: Octets, slices: list[slice]) -> list[int]:
        """Count CRLF: compare two bytes at a time, from every even place and from every odd one."""
        np = self._np
        pair = np.frombuffer(self._endings.cr + self._endings.lf, np.uint16)[0]
        sums = [0] * len(slices)
        for shift in (0, 1):
            count = max(0, len(octets) - shift) // 2
            twos = octets[shift : shift + 2 * count].view(np.uint16)
            marked = np.equal(twos, pair, out=self._spare[2][:count])
            for number, part in enumerate(slices):
                start, stop = (part.start - shift + 1) // 2, (part.stop - shift) // 2
                sums[number] += int(np.count_nonzero(marked[max(0, start) : max(0, stop)]))
        return sums

    def _mark_nel(self, octets: Octets, found: Marked, spare: Marked) -> None:
        """Mark the last byte of every NEL."""
        np = self._np
        nel = self._endings.nel
        np.equal(octets, nel[-1], out=found)
        if len(nel) > 1:
            np.equal(octets[:-1], nel[0], out=spare[1:])
            found[:1] = False
            np.logical_and(found[1:], spare[1:], out=found[1:])

    def _followed(self, spare: list[Marked], width: int, slices: list[slice]) -> list[int]:
        """Count where the second array is marked `width` bytes after the first; spoil the third."""
        first, second, both = spare
        both[:width] = False
        self._np.logical_and(first[:-width], second[width:], out=both[width:])
        return self._sums(both, slices)


_FIRST_CONTINUATION = 0x80
_TWO, _THREE, _FOUR, _LAST_LEAD = 0xC2, 0xE0, 0xF0, 0xF4
"""The first lead bytes of sequences of two, three and four bytes, and the last lead byte."""
_NEVER = (0xC0, 0xC1)

_SECONDS = ((0xF0, 0x90, False), (0xE0, 0xA0, False), (0xED, 0xA0, True), (0xF4, 0x90, True))
"""A lead byte, a bound, and whether the bytes from the bound on, or those below, may not follow."""
