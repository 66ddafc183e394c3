"""Counting: characters, code points and line endings, and finding a place by such a count.

| section | function |
|---|---|
| RFC 5147 §2.1.2, §4.1 line endings count as one character | Tally.char |
| RFC 5147 §4.1 which line endings there are | LineEndings, Tally.line |
| PDI §3.4.1 positions of the canonical CRLF text | Tally.pdi |

Deviations: none.

Readings:
- "mime" knows CRLF alone; "http" CRLF, LF and CR, mixed; "all" NEL and CR NEL besides; "lf" CRLF
  and LF, as files of many systems have them. CRLF is one ending in each of them. No other control
  character or separator ends a line. LF CR is two endings, and so is CR CR LF.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["LineEndings", "Tally", "Unit", "line_endings_of", "seek", "tally"]

LineEndings = Literal["http", "mime", "all", "lf"]
Unit = Literal["char", "line", "code_point", "pdi"]

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


class Tally(NamedTuple):
    """What stands before a place: counts of bytes, code points and line ending characters.

    `byte` counts from the start of the entity, byte order mark included; the others from the first
    character. `cr`, `lf` and `nel` count every such character, `crlf` and `crnel` the pairs: so
    one tally gives the positions of every mode. Between the two characters of a pair, positions
    equal those after it.
    """

    byte: int = 0
    code_point: int = 0
    cr: int = 0
    lf: int = 0
    crlf: int = 0
    nel: int = 0
    crnel: int = 0

    def plus(self, other: Tally) -> Tally:
        """Add the counts of the text that follows."""
        return Tally(*(mine + its for mine, its in zip(self, other, strict=True)))

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
        if unit == "line":
            return self.line(mode)
        return self.code_point if unit == "code_point" else self.pdi(mode)


def tally(text: str, start: int = 0, end: int | None = None) -> Tally:
    """Count a piece of decoded text (`byte` is left at 0)."""
    end = len(text) if end is None else end
    cr = text.count("\r", start, end)
    nel = text.count("\x85", start, end)
    return Tally(
        code_point=end - start,
        cr=cr,
        lf=text.count("\n", start, end),
        crlf=text.count("\r\n", start, end) if cr else 0,
        nel=nel,
        crnel=text.count("\r\x85", start, end) if cr and nel else 0,
    )


def seek(text: str, unit: Unit, target: int, mode: LineEndings) -> int:
    """Return the code point offset in `text` of the position `target`, never inside an ending.

    Where no place has that position (`len(text)` is too small, or a canonical CRLF is stored as
    one character), it is the last place before.
    """
    if unit == "code_point":
        return min(target, len(text))
    if unit != "line":
        return _last_place(text, unit, target, mode)
    if target == 0:
        return 0
    before = _last_place(text, unit, target - 1, mode)
    return before + _ending_length(text, before, mode)


def _last_place(text: str, unit: Unit, target: int, mode: LineEndings) -> int:
    """Return the last place whose position is not after `target`, by halving."""
    low, high = 0, len(text)
    counted = Tally()
    if tally(text).position(unit, mode) <= target:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        middle += splits_ending(text, middle, mode)
        if middle >= high:
            break
        here = counted.plus(tally(text, low, middle))
        if here.position(unit, mode) <= target:
            low, counted = middle, here
        else:
            high = middle
    return low


def splits_ending(text: str, offset: int, mode: LineEndings) -> bool:
    """Whether the place is between the two characters of one line ending."""
    pair = text[offset - 1 : offset + 1] if offset else ""
    return pair == "\r\n" or (mode == "all" and pair == "\r\x85")


def _ending_length(text: str, offset: int, mode: LineEndings) -> int:
    """How many code points the line ending at `offset` has; 0 at the end of the text."""
    return 1 + splits_ending(text, offset + 1, mode) if offset < len(text) else 0
