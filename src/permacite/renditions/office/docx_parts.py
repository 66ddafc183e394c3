"""Parts of a DOCX file beside the main one: styles, numbering, notes and comments (OOXML §17).

Word counts numbers that no character of the file shows: "3.2", "(a)", "iv" (§17.9). A bullet is no
number. A paragraph whose number has an unknown format is counted, but has no printed number.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from permacite.errors import ParseError
from permacite.renditions.office.packages import Zipped, read_elements, target_of
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.renditions.model import Original
    from permacite.renditions.office.packages import Attributes

__all__ = [
    "NOTES",
    "DocxParts",
    "Notes",
    "Numbering",
    "Style",
    "read_parts",
    "read_styles",
    "whole",
]

NOTES = {"w:footnoteReference": "footnotes", "w:endnoteReference": "endnotes"}
_USUAL = {"w:footnotePr": "decimal", "w:endnotePr": "lowerRoman"}
_MAIN = "word/document.xml"
_WANTED = frozenset({"styles", "numbering", "footnotes", "endnotes", "comments", "settings"})
_LONGEST_NAME = 200
_LEVELS = 9
_LONGEST = 80
_PLACE = compile_pattern("%([1-9])")
_HEADING = compile_pattern("heading ([1-9])")
_ROMAN = [
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
]  # fmt: skip


@dataclass(slots=True)
class DocxParts:
    """The parts of a file that have a say in its text."""

    main: bytes
    others: dict[str, bytes]
    """By the last word of the type of their relationship."""
    core: bytes | None


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
    if digits.isascii() and digits.isdigit() and len(digits) <= len("9999"):
        return int(digits)
    return otherwise


def _shown(number: int, form: str) -> str | None:
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
            number = None if count is None else _shown(count, above.form)
            if number is None:
                return None
            printed += number + behind
        return printed.strip()[:_LONGEST] or None


class Notes:
    """Footnotes, endnotes and comments: the events that write each, and their numbers."""

    def __init__(self, parts: DocxParts) -> None:
        others = parts.others
        self._events: dict[str, dict[str, list[tuple[Any, ...]]]] = {
            kind: _recorded(others[kind])
            for kind in ("footnotes", "endnotes", "comments")
            if kind in others
        }
        self._numbers = dict.fromkeys(NOTES.values(), 0)
        self._usual = _counts_notes_as_usual(others.get("settings", b""), parts.main)

    def take(self, kind: str, attributes: Attributes) -> tuple[str, list[tuple[Any, ...]]] | None:
        """The name and the events of a note, the first time that it is referred to."""
        events = self._events.get(kind, {}).pop(attributes.get("w:id", ""), None)
        if events is None:
            return None
        name = ""
        if kind == "comments":
            name = events[0][1].get("w:author", "")[:_LONGEST_NAME]
        elif attributes.get("w:customMarkFollows") is None:
            self._numbers[kind] += 1
            form = "decimal" if kind == "footnotes" else "lowerRoman"
            name = _shown(self._numbers[kind], form) or "" if self._usual else ""
        return name, events[1:]


def _recorded(content: bytes) -> dict[str, list[tuple[Any, ...]]]:
    """Notes or comments by their ids: the events that write each."""
    notes: dict[str, list[tuple[Any, ...]]] = {}
    events: list[tuple[Any, ...]] = []

    def start(name: str, attributes: Attributes) -> None:
        nonlocal events
        if name in {"w:footnote", "w:endnote", "w:comment"}:
            events = notes[attributes.get("w:id", "")] = [("start", attributes)]
        else:
            events.append(("start", name, attributes))

    def end(name: str) -> None:
        nonlocal events
        if name in {"w:footnote", "w:endnote", "w:comment"}:
            events = []
        else:
            events.append(("end", name))

    read_elements(content, start, end, lambda data: events.append(("text", data)))
    return notes


def _counts_notes_as_usual(*contents: bytes) -> bool:
    """Whether notes count in the usual way: from 1, through the whole document."""
    usual = True
    around = ""

    def start(name: str, attributes: Attributes) -> None:
        nonlocal usual, around
        if name in _USUAL:
            around = name
        elif around and name in {"w:numRestart", "w:numStart", "w:numFmt"}:
            usual &= attributes.get("w:val") in {"continuous", "1", _USUAL[around]}

    def end(name: str) -> None:
        nonlocal around
        if name == around:
            around = ""

    for content in contents:
        if b"footnotePr" in content or b"endnotePr" in content:
            read_elements(content, start, end, _nothing)
    return usual


def read_parts(original: Original) -> DocxParts:
    """Read the parts that count."""
    package = Zipped(original.content)
    roots = _relationships(package, "")
    main = roots.get("officeDocument", _MAIN)
    if main not in package:
        raise ParseError("expected a Word document, found no main part", main, 0)
    related = _relationships(package, main)
    others = {kind: package.read(name) for kind, name in related.items() if kind in _WANTED}
    core = roots.get("core-properties")
    return DocxParts(package.read(main), others, package.read(core) if core else None)


def _relationships(package: Zipped, part: str) -> dict[str, str]:
    """The parts that a part refers to, by the last word of the type; the first of each counts."""
    folder, name = posixpath.split(part)
    path = posixpath.join(folder, "_rels", f"{name}.rels")
    related: dict[str, str] = {}

    def start(name: str, attributes: Attributes) -> None:
        if name != "rel:Relationship" or attributes.get("TargetMode") == "External":
            return
        kind = attributes.get("Type", "").rpartition("/")[2]
        target = target_of(attributes.get("Target", ""), part)[0]
        if target in package:
            related.setdefault(kind, target)

    if path in package:
        read_elements(package.read(path), start, _nothing, _nothing)
    return related
