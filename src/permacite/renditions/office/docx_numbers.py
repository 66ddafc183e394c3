"""Numbers that Word counts and no character of the file shows: "3.2", "(a)", "iv" (OOXML §17.9).

Bullets are none, and formats of numbers that are not known here count, but are not told.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from permacite.renditions.office.elements import read_elements
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.renditions.office.elements import Attributes

__all__ = ["Numbering", "Style", "read_styles", "shown"]

_LEVELS = 9
_LONGEST = 80
_PLACE = compile_pattern("%([1-9])")
_HEADING = compile_pattern("heading ([1-9])")
_ROMAN = [
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
]  # fmt: skip


@dataclass(slots=True)
class Style:
    """What a style of paragraphs says of headings and numbers."""

    based_on: str = ""
    outline: int | None = None
    number: str | None = None
    level: int | None = None


@dataclass(slots=True)
class _Level:
    start: int = 1
    form: str = "decimal"
    text: str = ""
    restarts: bool = True
    style: str = ""

    def take(self, name: str, value: str) -> None:
        """Take what an element says of the level."""
        if name == "w:start":
            self.start = whole(value)
        elif name == "w:numFmt":
            self.form = value
        elif name == "w:lvlText":
            self.text = value[:_LONGEST]
        elif name == "w:lvlRestart":
            self.restarts = value != "0"
        elif name == "w:pStyle":
            self.style = value


@dataclass(slots=True)
class _List:
    levels: dict[int, _Level] = field(default_factory=dict)
    counts: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)


def whole(value: str | None, otherwise: int = 0) -> int:
    """The whole number that an attribute gives, if it does, up to 9999."""
    digits = value or ""
    if digits.isascii() and digits.isdigit() and len(digits) < 5:  # noqa: PLR2004 - 9999
        return int(digits)
    return otherwise


def shown(number: int, form: str) -> str | None:
    """A number as it is printed; None for a bullet, or a format that is not known."""
    if form in {"decimal", "decimalZero"}:
        return f"{number:02}" if form == "decimalZero" else str(number)
    if form == "none":
        return ""
    if form in {"lowerLetter", "upperLetter"} and number > 0:
        times, letter = divmod(number - 1, 26)
        letters = chr(ord("a") + letter) * (times + 1)
        return letters[:_LONGEST].upper() if form == "upperLetter" else letters[:_LONGEST]
    if form in {"lowerRoman", "upperRoman"} and number > 0:
        letters = ""
        for value, letter_s in _ROMAN:
            letters += letter_s * (number // value)
            number %= value
        return letters.upper() if form == "upperRoman" else letters
    return None


def read_styles(content: bytes) -> dict[str, Style]:
    """Styles by their ids."""
    styles: dict[str, Style] = {}
    style = Style()

    def start(name: str, attributes: Attributes) -> None:
        nonlocal style
        value = attributes.get("w:val")
        if name == "w:style":
            style = styles[attributes.get("w:styleId", "")] = Style()
        elif name == "w:basedOn":
            style.based_on = value or ""
        elif name == "w:name":
            heading = _HEADING.fullmatch((value or "").lower())
            if heading is not None and style.outline is None:
                style.outline = int(heading[1]) - 1
        elif name == "w:outlineLvl":
            style.outline = whole(value, _LEVELS)
        elif name == "w:numId":
            style.number = value
        elif name == "w:ilvl":
            style.level = whole(value)

    read_elements(content, start, _nothing, _nothing)
    return styles


def _nothing(_: str) -> None:
    """Take no note."""


class Numbering:
    """The lists of a document, which count as its paragraphs come."""

    def __init__(self, content: bytes | None) -> None:
        self._lists: dict[str, _List] = {}
        self._of: dict[str, str] = {}
        """The abstract list of each number."""
        self._starts: dict[str, dict[int, int]] = {}
        """Of each number the levels that begin anew with it, until it is used."""
        self._list, self._level, self._number = _List(), _Level(), ""
        self._overridden = 0
        if content is not None:
            read_elements(content, self._start, _nothing, _nothing)

    def _start(self, name: str, attributes: Attributes) -> None:
        value = attributes.get("w:val") or ""
        if name == "w:abstractNum":
            self._list = self._lists[attributes.get("w:abstractNumId", "")] = _List()
        elif name == "w:lvl":
            self._level = _Level()
            if not self._number:
                self._list.levels[whole(attributes.get("w:ilvl"))] = self._level
        elif name == "w:num":
            self._number = attributes.get("w:numId", "")
        elif name == "w:abstractNumId":
            self._of[self._number] = value
        elif name == "w:lvlOverride":
            self._overridden = whole(attributes.get("w:ilvl"))
        elif name == "w:startOverride":
            self._starts.setdefault(self._number, {})[self._overridden] = whole(value)
        else:
            self._level.take(name, value)

    def level_of(self, number: str, style: str) -> int:
        """The level that a style has in a list."""
        listed = self._lists.get(self._of.get(number, ""))
        levels = {} if listed is None else listed.levels
        return next((at for at, level in levels.items() if level.style == style), 0)

    def next(self, number: str, at: int) -> str | None:
        """Count a paragraph of a level; its number as it is printed, if it has one."""
        listed = self._lists.get(self._of.get(number, ""))
        if listed is None or at >= _LEVELS or at not in listed.levels:
            return None
        for level, start in self._starts.pop(number, {}).items():
            if level < _LEVELS:
                listed.counts[level] = start - 1
        counts = listed.counts
        for above in range(at):
            if counts[above] is None:
                counts[above] = listed.levels.get(above, _Level()).start
        count = counts[at]
        counts[at] = listed.levels[at].start if count is None else count + 1
        for below in range(at + 1, _LEVELS):
            if listed.levels.get(below, _Level()).restarts:
                counts[below] = None
        return self._printed(listed, at)

    @staticmethod
    def _printed(listed: _List, at: int) -> str | None:
        level = listed.levels[at]
        if level.form == "bullet":
            return None
        parts = _PLACE.split(level.text)
        printed = parts[0]
        for place, behind in zip(parts[1::2], parts[2::2], strict=True):
            above = listed.levels.get(int(place) - 1, _Level())
            count = listed.counts[int(place) - 1]
            number = None if count is None else shown(count, above.form)
            if number is None:
                return None
            printed += number + behind
        return printed.strip()[:_LONGEST] or None
