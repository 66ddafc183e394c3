"""Counting: characters, code points and line endings, and finding a place by such a count.

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
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.charsets import Charset
    from permacite.text.reading import State

__all__ = [
    "FULL",
    "LineEndings",
    "Mark",
    "Measure",
    "Plan",
    "Tally",
    "Unit",
    "line_endings_in",
    "line_endings_of",
    "seek",
    "tally",
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
    character. `cr`, `lf` and `nel` count every such character, `crlf` and `crnel` the pairs: so
    one tally gives the positions of every mode. A place between the two characters of a pair is
    none: it is never tallied. Whoever needs no lines may leave `cr`, `lf` and `nel` at 0, and
    whoever does not use the mode "all", `nel` and `crnel`.
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


class Mark(NamedTuple):
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
        return _last_place(text, target, mode)
    if unit == "line":
        return _line_ending(text, target - 1, mode)[1] if target else 0
    return _line_ending(text, target, mode)[0]


def _char_place(text: str, target: int, mode: LineEndings) -> int:
    """Return the last place with so many characters before it: step by what was merged so far."""
    terms = _merged(mode) if "\r" in text else ()
    length = len(text)
    offset, merged, place = 0, 0, min(target, length)
    while offset < place:
        # A pair that the last step cut in two is counted in this one.
        start = offset - (text[offset - 1 : offset] == "\r")
        merged += sum(text.count(term, start, place) for term in terms)
        offset, place = place, min(target + merged, length)
    return offset + splits_ending(text, offset, mode)


def _last_place(text: str, target: int, mode: LineEndings) -> int:
    """Return the last place whose position in the canonical text is not after `target`."""
    low, high, left = _halved(text, "pdi", target, mode, few=1)
    # The halving never tries the very end; from there on it is at most one line ending away.
    return high if _counter(text, "pdi", mode)(low, high) <= left else low


def _line_ending(text: str, before: int, mode: LineEndings) -> tuple[int, int]:
    """Return start and end of the line ending that so many stand before; the end if none is."""
    low, _, left = _halved(text, "line", before, mode, few=_FEW)
    for match in _PATTERNS[mode].finditer(text, low):
        if left == 0:
            return match.span()
        left -= 1
    return len(text), len(text)


def _halved(
    text: str, unit: Unit, target: int, mode: LineEndings, *, few: int
) -> tuple[int, int, int]:
    """Halve the text around a position until `few` characters are left.

    Returns the part, and the position as seen from its start.
    """
    count = _counter(text, unit, mode)
    low, high, left = 0, len(text), target
    while high - low > few:
        middle = (low + high) // 2
        middle += splits_ending(text, middle, mode)
        if middle >= high:
            break
        passed = count(low, middle)
        if passed <= left:
            low, left = middle, left - passed
        else:
            high = middle
    return low, high, left


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


def _merged(mode: LineEndings) -> tuple[str, ...]:
    """Return the line endings of two code points."""
    return ("\r\n", "\r\x85") if mode == "all" else ("\r\n",)


def _counter(text: str, unit: Unit, mode: LineEndings) -> Callable[[int, int], int]:
    """A function that counts `unit`s between two places that are not inside a line ending."""
    plus, minus = _ENDINGS[mode]
    if unit == "pdi":
        minus += _merged(mode)
    width = 1 if unit == "pdi" else 0
    terms = [(1, term) for term in plus if term in text]
    terms += [(-1, term) for term in minus if term in text]

    def count(low: int, high: int) -> int:
        return width * (high - low) + sum(
            sign * text.count(term, low, high) for sign, term in terms
        )

    return count


def splits_ending(text: str, offset: int, mode: LineEndings) -> bool:
    """Whether the place is between the two characters of one line ending."""
    pair = text[offset - 1 : offset + 1] if offset else ""
    return pair == "\r\n" or (mode == "all" and pair == "\r\x85")
