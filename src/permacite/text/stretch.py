"""Counting one stretch of bytes, with the standard library alone.

A stretch begins and ends at a `safe_cut`. Counters check UTF-8 as they count it (Unicode §3.9,
table 3-7): for bytes that are no characters they give None, and the caller decodes.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol

from permacite.scan import compile_pattern
from permacite.text.tally import Plan, Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.charsets import Encoding

__all__ = ["Counter", "Endings", "PlainCounter", "are_high", "endings", "safe_cut", "undefined"]

_LONGEST_SEQUENCE = 4
_CONTINUATION = range(0x80, 0xC0)

_PIECE_BYTES = 1 << 14
"""How much is decoded at a time. The text of a larger piece, at four bytes for each character, is
memory that the allocator asks the system for, and gives back, each time: a third of all time."""

_DENSE = 50
"""With a CRLF more often than every so many bytes, counting beats listing them."""


class Endings(NamedTuple):
    """The bytes of line ending characters; empty where the charset has no such character."""

    cr: bytes
    lf: bytes
    nel: bytes


class Counter(Protocol):
    """Counts a stretch."""

    def count(self, data: bytearray, cuts: Sequence[int]) -> list[Tally | None]:
        """The counts between each two neighbours of `cuts`, which are safe places in `data`.

        A count is None where the bytes are no UTF-8.
        """


@lru_cache(maxsize=64)
def endings(encoding: Encoding) -> Endings:
    """Return the bytes of CR, LF and NEL in UTF-8 or a charset of one byte per character."""
    if encoding.family == "utf-8":
        return Endings(b"\r", b"\n", b"\xc2\x85")
    table = encoding.decode(bytes(range(256)))
    return Endings(*(bytes([table.index(c)] if c in table else []) for c in "\r\n\x85"))


@lru_cache(maxsize=64)
def undefined(encoding: Encoding) -> bytes:
    """Return the bytes that are no characters, in a charset of one byte per character."""
    if encoding.family == "utf-8":
        return b""
    table = encoding.decode(bytes(range(256)))
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


def are_high(octets: bytes) -> bool:
    """Whether none of the bytes is an ASCII character."""
    return all(octet >= _CONTINUATION.start for octet in octets)


class PlainCounter:
    """Decodes UTF-8 to count it, and searches for line endings: each one pass of C."""

    def __init__(self, encoding: Encoding, plan: Plan) -> None:
        self._is_utf8 = encoding.family == "utf-8"
        self._plan = plan
        self._endings = endings(encoding)
        self._undefined = undefined(encoding)
        self._crlf = self._endings.cr + self._endings.lf
        self._listed = compile_pattern(re.escape(self._crlf))
        self._dense = False

    def count(self, data: bytearray, cuts: Sequence[int]) -> list[Tally | None]:
        """Count slice by slice."""
        return [self._counted(data, start, end) for start, end in pairwise(cuts)]

    def _counted(self, data: bytearray, start: int, end: int) -> Tally | None:
        counted = _code_points if self._is_utf8 else self._single
        code_points = counted(data, start, end)
        if code_points is None:
            return None
        cr, lf, nel = self._endings
        lines, with_nel = self._plan
        has_cr = bool(cr) and data.find(cr, start, end) >= 0
        nels = data.count(nel, start, end) if with_nel and nel else 0
        return Tally(
            end - start,
            code_points,
            data.count(cr, start, end) if lines and has_cr else 0,
            data.count(lf, start, end) if lines and lf else 0,
            self._pairs(data, start, end) if has_cr and lf else 0,
            nels,
            data.count(cr + nel, start, end) if has_cr and nels else 0,
        )

    def _single(self, data: bytearray, start: int, end: int) -> int | None:
        """Count characters of one byte; None where some byte is none."""
        if are_high(self._undefined) and data[start:end].isascii():
            return end - start
        wrong = any(data.find(octet, start, end) >= 0 for octet in self._undefined)
        return None if wrong else end - start

    def _pairs(self, data: bytearray, start: int, end: int) -> int:
        """Count CRLF the way that suits the density seen in the slice before."""
        if self._dense:
            pairs = data.count(self._crlf, start, end)
        else:
            pairs = len(self._listed.findall(data, start, end))
        self._dense = pairs * _DENSE > end - start
        return pairs


def _code_points(data: bytearray, start: int, end: int) -> int | None:
    """Count the characters of UTF-8; None where there is something else."""
    count = 0
    with memoryview(data) as view:
        try:
            while start < end:
                stop = min(end, start + _PIECE_BYTES)
                text, used = codecs.utf_8_decode(view[start:stop], "strict", stop == end)
                count += len(text)
                start += used
        except UnicodeDecodeError:
            return None
    return count
