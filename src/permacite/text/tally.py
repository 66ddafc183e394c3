"""Counts of characters, code points and line endings, and the place of such a count.

| section | function |
|---|---|
| RFC 5147 §2.1.2, §4.1 line endings count as one character | Tally.char |
| RFC 5147 §4.1 which line endings there are | LineEndings, Tally.line |
| PDI §3.4.1 positions of the canonical CRLF text | Tally.pdi |
| draft-wilde-text-fragment-00 §2.1.3 lines separated by CRLF | seek, unit "line_end" |

Deviations: none.

Readings:
- "mime" knows CRLF alone; "http" CRLF, LF and CR, mixed; "all" NEL and CR NEL besides; "lf" CRLF
  and LF, as files of many systems have them. CRLF is one ending in each of them. No other control
  character or separator ends a line. LF CR is two endings, and so is CR CR LF.

A stretch of bytes begins and ends at a `safe_cut`. Counters check UTF-8 as they count it (Unicode
§3.9, table 3-7): for bytes that are no characters they give None, and the caller decodes.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from permacite.charsets import Charset, Encoding
    from permacite.text.reading import State

__all__ = [
    "FULL",
    "Counter",
    "DecodingMark",
    "Endings",
    "LineEndings",
    "Measure",
    "PlainCounter",
    "Plan",
    "Tally",
    "Unit",
    "are_high",
    "endings",
    "line_endings_in",
    "line_endings_of",
    "safe_cut",
    "seek",
    "tally",
    "undefined",
]


LineEndings = Literal["http", "mime", "all", "lf"]

Unit = Literal["char", "line", "line_end", "code_point", "pdi", "byte"]
"""What positions count. "line" is a line's start, "line_end" its end, before the line ending."""

_NAMES: dict[str, LineEndings] = {
    "http": "http",
    "mime": "mime",
    "crlf": "mime",
    "all": "all",
    "lf": "lf",
}


def line_endings_of(name: str) -> LineEndings:
    """Return the mode of that name ("crlf" is "mime"). Raises ValueError for another name."""
    if name not in _NAMES:
        raise ValueError(f"line_endings: expected one of {', '.join(_NAMES)}")
    return _NAMES[name]


def line_endings_in(charset: Charset, name: str | None) -> LineEndings:
    """Return the mode of that name; by default "all" in EBCDIC charsets, "http" in others."""
    if name is None:
        return "all" if charset.is_ebcdic else "http"
    return line_endings_of(name)


class Tally(NamedTuple):
    """What stands before a place: counts of bytes, code points and line ending characters.

    `byte` counts from the start of the entity, byte order mark included; the others from the first
    character. `cr`, `lf` and `nel` count every such character, `crlf` and `crnel` the pairs: so one
    tally gives the positions of every mode. A place between the two characters of a pair is none:
    it is never tallied. `cr`, `lf` and `nel` may be 0 where lines are not needed, `nel` and `crnel`
    where the mode is not "all".
    """

    byte: int = 0
    code_point: int = 0
    cr: int = 0
    lf: int = 0
    crlf: int = 0
    nel: int = 0
    crnel: int = 0

    def plus(self, other: Tally) -> Tally:
        """Add the counts of what follows."""
        return Tally(*map(int.__add__, self, other))

    def line(self, mode: LineEndings) -> int:
        """How many line endings stand before the place (RFC 5147 §2.1.2 line position)."""
        if mode == "mime":
            return self.crlf
        if mode == "lf":
            return self.lf
        plain = self.cr + self.lf - self.crlf
        return plain if mode == "http" else plain + self.nel - self.crnel

    def char(self, mode: LineEndings) -> int:
        """The character position (RFC 5147 §2.1.2): code points, a line ending being one."""
        return self.code_point - self.crlf - (self.crnel if mode == "all" else 0)

    def pdi(self, mode: LineEndings) -> int:
        """The position in the canonical text (PDI §3.4.1), where every line ending is two."""
        return self.char(mode) + self.line(mode)

    def position(self, unit: Unit, mode: LineEndings) -> int:
        """Return the position in `unit`s."""
        if unit == "char":
            return self.char(mode)
        if unit in {"line", "line_end"}:
            return self.line(mode)
        if unit == "byte":
            return self.byte
        return self.code_point if unit == "code_point" else self.pdi(mode)


class DecodingMark(NamedTuple):
    """A place to read from: the counts before it, and the decoder's state there.

    `invalid` says whether bytes that are no characters were seen on the way to it.
    """

    tally: Tally
    state: State = None
    invalid: bool = False


class Plan(NamedTuple):
    """What is to be counted besides code points and CRLF: line endings; NEL and CR NEL."""

    lines: bool
    nel: bool


FULL = Plan(lines=True, nel=True)


class Measure(NamedTuple):
    """What positions count: the unit, which line endings there are, and what must be tallied."""

    unit: Unit
    mode: LineEndings
    plan: Plan

    def passes(self, counts: Tally, target: int) -> bool:
        """Whether the place of `target` is surely before the end of what was counted.

        A line's start may be anywhere before the first place that counts as many line endings.
        """
        position = counts.position(self.unit, self.mode)
        return position >= target if self.unit == "line" else position > target


def tally(text: str, start: int = 0, end: int | None = None, *, plan: Plan = FULL) -> Tally:
    """Count a piece of decoded text (`byte` is left at 0), as far as `plan` says."""
    end = len(text) if end is None else end
    lines, nel = plan
    some_cr = text.find("\r", start, end) >= 0
    nels = text.count("\x85", start, end) if nel and (lines or some_cr) else 0
    return Tally(
        0,
        end - start,
        text.count("\r", start, end) if lines and some_cr else 0,
        text.count("\n", start, end) if lines else 0,
        text.count("\r\n", start, end) if some_cr else 0,
        nels if lines else 0,
        text.count("\r\x85", start, end) if some_cr and nels else 0,
    )


def seek(text: str, unit: Unit, target: int, mode: LineEndings) -> int:
    """Return the code point offset in `text` of the position `target`.

    It is never inside a line ending, save that code points can be told apart there too. Where no
    place has that position (`text` is too short, or a canonical CRLF is stored as one character),
    it is the last place before.
    """
    if unit == "code_point":
        return min(target, len(text))
    if unit == "char":
        return _char_place(text, target, mode)
    if unit == "pdi":
        return _halved(text, unit, target, mode)[0]
    if unit == "line":
        return _line_ending(text, target - 1, mode)[1] if target else 0
    return _line_ending(text, target, mode)[0]


def _char_place(text: str, target: int, mode: LineEndings) -> int:
    """Return the last place with so many characters before it: step by what was merged so far."""
    terms = _MERGED[mode == "all"] if "\r" in text else ()
    length = len(text)
    offset, merged, place = 0, 0, min(target, length)
    while offset < place:
        # A pair that the last step cut in two is counted in this one.
        start = offset - (text[offset - 1 : offset] == "\r")
        merged += sum(text.count(term, start, place) for term in terms)
        offset, place = place, min(target + merged, length)
    return offset + splits_ending(text, offset, mode)


def _line_ending(text: str, before: int, mode: LineEndings) -> tuple[int, int]:
    """Return start and end of the line ending that so many stand before; the end if none is."""
    low, left = _halved(text, "line", before, mode)
    for match in _PATTERNS[mode].finditer(text, low):
        if left == 0:
            return match.span()
        left -= 1
    return len(text), len(text)


def _halved(text: str, unit: Unit, target: int, mode: LineEndings) -> tuple[int, int]:
    """Return a place before a position of `unit`, and the position as seen from there.

    Halves the text around it: until few characters are left for "line", else to the last place that
    is not after it.
    """
    count = _counter(text, unit, mode)
    low, high, left = 0, len(text), target
    while high - low > (_FEW if unit == "line" else 1):
        middle = (low + high) // 2
        middle += splits_ending(text, middle, mode)
        if middle >= high:
            break
        passed = count(low, middle)
        if passed <= left:
            low, left = middle, left - passed
        else:
            high = middle
    # The halving never tries the very end; from there on it is at most one line ending away.
    return (high if unit == "pdi" and count(low, high) <= left else low), left


_FEW = 1024

_PATTERNS = {
    "http": compile_pattern(r"\r\n?|\n"),
    "mime": compile_pattern(r"\r\n"),
    "all": compile_pattern(r"\r[\n\x85]?|[\n\x85]"),
    "lf": compile_pattern(r"\r?\n"),
}

_ENDINGS: dict[LineEndings, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "http": (("\r", "\n"), ("\r\n",)),
    "mime": (("\r\n",), ()),
    "all": (("\r", "\n", "\x85"), ("\r\n", "\r\x85")),
    "lf": (("\n",), ()),
}
"""What line endings are counted by: what is added, and what was added twice."""

_MERGED = (("\r\n",), ("\r\n", "\r\x85"))
"""Line endings of two code points, without and with NEL."""


def _counter(text: str, unit: Unit, mode: LineEndings) -> Callable[[int, int], int]:
    """A function that counts `unit`s between two places that are not inside a line ending."""
    width = 1 if unit == "pdi" else 0
    terms: list[tuple[int, str]] = []
    for sign, endings in zip(
        (1, -1, -width), (*_ENDINGS[mode], _MERGED[mode == "all"]), strict=True
    ):
        terms.extend(zip(repeat(sign), filter(text.__contains__, endings)))

    def count(low: int, high: int) -> int:
        total = width * (high - low)
        for sign, term in terms:
            total += sign * text.count(term, low, high)
        return total

    return count


def splits_ending(text: str, offset: int, mode: LineEndings) -> bool:
    """Whether the place is between the two characters of one line ending."""
    pair = text[offset - 1 : offset + 1] if offset else ""
    return pair == "\r\n" or (mode == "all" and pair == "\r\x85")


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
