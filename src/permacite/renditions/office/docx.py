"""Rendition of DOCX, the files of Word (ISO/IEC 29500, transitional and strict).

docs/explanation/the-words-of-office-files.md explains these rules, which are frozen: `docx-text/1`.

1.  The text is made of the characters of runs (`w:t`, and `m:t` of formulas) of the main part, in
    the order of the file. Headers and footers, which every page repeats, are not in it, nor are
    alternative words of pictures, SmartArt, charts, and other files that stand within this one.
2.  A paragraph stands on lines of its own, but for a large first letter (`w:dropCap`), which the
    next goes on from. `w:br` and `w:cr` end a line. White space (TAB, LF,
    CR, SPACE, and `w:tab w:ptab`) collapses as in pages: a run of it is one space, and nothing at
    the edges of a line. There are no empty lines. Line ends are CRLF; a text that is not empty ends
    with one. U+0000 is none of XML.
3.  A row of a table is a line, its cells separated by one tab each; a second paragraph of a cell
    begins a line. A table in a cell stands on lines of its own, and so does what follows it there.
4.  `w:noBreakHyphen` is U+2011, `w:softHyphen` U+00AD, `w:sym` the character that it names, in the
    private use area as the file has it.
5.  A footnote or an endnote stands behind the line that refers to it first; so does a text box,
    once (`mc:Fallback` is left out). Of a field the result is text, its instruction is not.
6.  The text is that of the document with all changes taken: what is inserted or moved here
    (`w:ins w:moveTo`) is text, what is deleted or moved away (`w:del w:moveFrom`) is none, and a
    paragraph whose mark is deleted goes on in the next. Comments are no text. Notices report both.
7.  Runs that are hidden themselves (`w:vanish`) are left out.
8.  Characters are in logical order, whatever their direction.
9.  Labels. A heading names its section up to the next heading of its level or above; where Word
    numbers a paragraph, the number is before the name of a heading, or names the paragraph as an
    item: numbers are no text. Notes are named by their numbers, where they count from 1 through the
    whole document in the usual way. Pages are not labelled: where they end depends on fonts and
    printers, and the marks that Word leaves are those of the last machine.

`docx-reviewed-text/1`, made on request alone, has rules 1 to 5 and 7 to 9, and in place of 6: words
that were deleted stand where they were, comments behind the line; deletions, insertions and
comments are labelled with the names of their authors.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from permacite.renditions.lines import Lines, TableCells
from permacite.renditions.model import Notice, Rendered, Rendition
from permacite.renditions.office.docx_parts import (
    NOTES,
    Notes,
    Numbering,
    Style,
    read_parts,
    read_styles,
    whole,
)
from permacite.renditions.office.packages import claims_of, preload, read_elements

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.renditions.model import Label
    from permacite.renditions.office.docx_parts import DocxParts
    from permacite.renditions.office.packages import Attributes

__all__ = ["DOCX_REVIEWED_TEXT_1", "DOCX_TEXT_1"]

_CORE = {"dc:title": "title", "dc:creator": "author", "dc:language": "language"}
_LEFT_OUT = frozenset({"mc:Fallback", "w:pPrChange", "w:rPrChange", "w:sectPrChange"})
_TAKEN_AWAY = frozenset({"w:del", "w:moveFrom"})
_PUT_IN = frozenset({"w:ins", "w:moveTo"})
_CHANGES = {**dict.fromkeys(_TAKEN_AWAY, "deletion"), **dict.fromkeys(_PUT_IN, "insertion")}
_WRITTEN = {"w:noBreakHyphen": "\u2011", "w:softHyphen": "\u00ad", "w:tab": " ", "w:ptab": " "}
_PRIVATE = range(0xE000, 0xF900)
_LONGEST_NAME = 200
_DEEPEST_STYLE = 20
_HEADINGS = 9


@dataclass(slots=True)
class _Paragraph:
    """A paragraph that is being read."""

    style: str = ""
    outline: int | None = None
    number: str | None = None
    level: int | None = None
    mark_deleted: bool = False
    joins: bool = False
    """Whether the next paragraph goes on in its line: it is the large letter that begins that."""
    start: int | None = None
    words: list[str] = field(default_factory=list)
    printed: str | None = None


class _Paragraphs:
    """The open paragraphs, and the sections that headings begin."""

    def __init__(
        self, lines: Lines, tables: TableCells, parts: DocxParts, *, reviewed: bool
    ) -> None:
        others = parts.others
        self._lines, self._tables, self._reviewed = lines, tables, reviewed
        self._styles = read_styles(others["styles"]) if "styles" in others else {}
        self._numbering = Numbering(others.get("numbering"))
        self._open: list[_Paragraph] = []
        self._is_joined = False
        self._sections: list[tuple[int, int, str]] = []
        """The headings whose sections are open: level, start, name."""
        self.apart = 0
        """The number of open text boxes and notes."""

    def begin(self) -> None:
        """Begin a paragraph."""
        if self._is_joined:
            self._is_joined = False
        elif not self._tables.take_paragraph():
            self._lines.end_line()
        self._open.append(_Paragraph())

    def write(self, words: str) -> None:
        """Add words to the name that a heading may give to its section."""
        if self._open:
            self._open[-1].words.append(words)

    def delete_mark(self) -> None:
        """Take note that the mark of the paragraph is deleted."""
        if self._open:
            self._open[-1].mark_deleted = True

    def take_property(self, name: str, attributes: Attributes) -> None:
        """Read a property of the paragraph."""
        if not self._open:
            return
        paragraph, value = self._open[-1], attributes.get("w:val")
        if name == "w:pStyle":
            paragraph.style = value or ""
        elif name == "w:outlineLvl":
            paragraph.outline = whole(value, _HEADINGS)
        elif name == "w:framePr":
            paragraph.joins = attributes.get("w:dropCap") in {"drop", "margin"}
        elif name == "w:numId":
            paragraph.number = value
        elif name == "w:ilvl":
            paragraph.level = whole(value)

    def end_properties(self) -> None:
        """Decide from its properties whether the paragraph is a heading, or has a number."""
        if not self._open:
            return
        paragraph = self._open[-1]
        outline, number, level = paragraph.outline, paragraph.number, paragraph.level
        style: Style | None = self._styles.get(paragraph.style)
        named = paragraph.style
        for _ in range(_DEEPEST_STYLE):
            if style is None:
                break
            outline = style.outline if outline is None else outline
            if number is None and style.number is not None:
                number = style.number
                at = self._numbering.level_of(number, named)
                level = level if level is not None else style.level or at
            named, style = style.based_on, self._styles.get(style.based_on)
        paragraph.outline = outline
        if number is not None and not paragraph.mark_deleted:
            paragraph.printed = self._numbering.next(number, level or 0)
        if outline is not None and outline < _HEADINGS and not self.apart:
            self.end_sections(outline)
        paragraph.start = self._lines.mark()

    def end(self) -> None:
        """End a paragraph, and label it as a heading or as an item."""
        if not self._open:
            return
        paragraph = self._open.pop()
        words = " ".join("".join(paragraph.words).split())
        if paragraph.start is not None and words:
            outline = paragraph.outline
            if outline is not None and outline < _HEADINGS and not self.apart:
                name = f"{paragraph.printed or ''} {words}".strip()[:_LONGEST_NAME]
                self._sections.append((outline, paragraph.start, name))
            elif paragraph.printed:
                self._lines.label(paragraph.start, "item", paragraph.printed, "")
        if paragraph.joins or (paragraph.mark_deleted and not self._reviewed):
            self._is_joined = True
        elif not self._tables.has_cell() or self.apart:
            self._lines.end_line()

    def end_sections(self, level: int) -> None:
        """End the sections of a level, and those below it."""
        while self._sections and self._sections[-1][0] >= level:
            _, start, name = self._sections.pop()
            self._lines.label(start, "section", name, "")


class _Runs:
    """The characters of runs: what is hidden, and what is the result of a field."""

    def __init__(self, lines: Lines, paragraphs: _Paragraphs) -> None:
        self._lines, self._paragraphs = lines, paragraphs
        self.is_hidden = False
        self.fields: list[bool] = []
        """For each open field, whether its result has begun."""
        self.in_properties = 0
        """The number of open elements that hold properties."""
        self.symbols = 0
        """The number of characters that only their own font explains."""

    def reset(self) -> None:
        """Begin or end a run."""
        self.is_hidden = False

    def begin_properties(self) -> None:
        """Begin properties of a run, a paragraph or a section."""
        self.in_properties += 1

    def end_properties(self) -> None:
        """End them."""
        self.in_properties -= 1

    def write(self, data: str) -> None:
        """Write characters."""
        if self.is_hidden or not all(self.fields):
            return
        self._lines.write(data)
        self._paragraphs.write(data)

    def end_line(self) -> None:
        """End the line."""
        if not self.in_properties and not self.is_hidden and all(self.fields):
            self._lines.end_line()
            self._paragraphs.write(" ")

    def write_symbol(self, attributes: Attributes) -> None:
        """Write the character that a `w:sym` names."""
        digits = attributes.get("w:char", "")
        try:
            character = chr(int(digits[:4], 16))
        except ValueError:
            return
        self.symbols += ord(character) in _PRIVATE
        if not "\ud800" <= character <= "\udfff":
            self.write(character.replace("\x00", ""))

    def take_field(self, attributes: Attributes) -> None:
        """Begin, separate or end a field."""
        kind = attributes.get("w:fldCharType")
        if kind == "begin":
            self.fields.append(False)
        elif self.fields and kind == "separate":
            self.fields[-1] = True
        elif self.fields and kind == "end":
            self.fields.pop()


class _Changes:
    """Tracked changes: the text of an insertion, the labels of both where they are reviewed."""

    def __init__(self, lines: Lines, *, reviewed: bool) -> None:
        self._lines, self._reviewed = lines, reviewed
        self._open: list[tuple[int, str]] = []
        self.count = 0

    def begin(self, name: str, attributes: Attributes) -> bool:
        """Begin a change; whether its content is left out."""
        if not self._reviewed:
            return name in _TAKEN_AWAY
        author = attributes.get("w:author", "")[:_LONGEST_NAME]
        self._open.append((self._lines.mark(), author))
        return False

    def end(self, name: str) -> None:
        """End a change."""
        if self._open:
            begun, author = self._open.pop()
            self._lines.label(begun, _CHANGES[name], author, "")


class _DocxText:
    """The text of the main part, written as it is read."""

    def __init__(self, parts: DocxParts, *, reviewed: bool) -> None:
        self._lines = Lines()
        self._reviewed = reviewed
        self._notes = Notes(parts)
        tables = self._tables = TableCells(self._lines)
        paragraphs = _Paragraphs(self._lines, tables, parts, reviewed=reviewed)
        self._paragraphs = paragraphs
        runs = self._runs = _Runs(self._lines, paragraphs)
        self._left_out = 0
        """The number of open elements, counted from one that is left out."""
        self._in_text = 0
        self._changes = _Changes(self._lines, reviewed=reviewed)
        self._starts: dict[str, Callable[[Attributes], None]] = {
            "w:sym": runs.write_symbol,
            "w:fldChar": runs.take_field,
            "w:commentReference": self._comment,
        }
        self._begins: dict[str, Callable[[], None]] = {
            "w:p": paragraphs.begin,
            "w:r": runs.reset,
            "w:br": runs.end_line,
            "w:cr": runs.end_line,
            "w:pPr": runs.begin_properties,
            "w:rPr": runs.begin_properties,
            "w:sectPr": runs.begin_properties,
            "w:tr": tables.begin_row,
            "w:tc": tables.begin_cell,
            "w:txbxContent": self._begin_apart,
        }
        self._ends: dict[str, Callable[[], None]] = {
            "w:p": paragraphs.end,
            "w:pPr": self._end_paragraph_properties,
            "w:rPr": runs.end_properties,
            "w:sectPr": runs.end_properties,
            "w:r": runs.reset,
            "w:tr": tables.end_row,
            "w:tc": tables.end_cell,
            "w:txbxContent": self._end_apart,
        }
        self._commented = 0

    def start(self, name: str, attributes: Attributes) -> None:
        """Begin an element."""
        if self._left_out:
            self._left_out += 1
            return
        if name in _CHANGES:
            self._change(name, attributes)
        elif name in _LEFT_OUT:
            self._left_out = 1
        elif name in {"w:t", "m:t"} or (name == "w:delText" and self._reviewed):
            self._in_text += 1
        elif name in self._begins:
            self._begins[name]()
        elif name in self._starts:
            self._starts[name](attributes)
        elif self._runs.in_properties:
            self._property(name, attributes)
        elif name in _WRITTEN:
            self._runs.write(_WRITTEN[name])
        elif name in NOTES:
            self._note(NOTES[name], attributes)

    def end(self, name: str) -> None:
        """End it."""
        if self._left_out:
            self._left_out -= 1
        elif name in {"w:t", "m:t"} or (name == "w:delText" and self._reviewed):
            self._in_text -= 1
        elif name in _CHANGES and not self._runs.in_properties:
            self._changes.end(name)
        elif name in self._ends:
            self._ends[name]()

    def text(self, data: str) -> None:
        """Take characters."""
        if self._in_text and not self._left_out:
            self._runs.write(data)

    def finished(self) -> tuple[str, tuple[Label, ...], tuple[Notice, ...]]:
        """The text, its labels, and its notices."""
        self._lines.end_line()
        self._paragraphs.end_sections(0)
        text, labels = self._lines.finished()
        symbols = self._runs.symbols
        counts = (
            (0, 0, symbols) if self._reviewed else (self._changes.count, self._commented, symbols)
        )
        return text, labels, tuple(_notices(text, *counts))

    def _change(self, name: str, attributes: Attributes) -> None:
        self._changes.count += 1
        if not self._runs.in_properties:
            self._left_out = int(self._changes.begin(name, attributes))
        elif name in _TAKEN_AWAY:
            self._paragraphs.delete_mark()

    def _end_paragraph_properties(self) -> None:
        self._runs.end_properties()
        if not self._runs.in_properties:
            self._paragraphs.end_properties()

    def _property(self, name: str, attributes: Attributes) -> None:
        if name == "w:vanish":
            is_on = attributes.get("w:val") not in {"0", "false", "off"}
            self._runs.is_hidden |= self._runs.in_properties == 1 and is_on
        else:
            self._paragraphs.take_property(name, attributes)

    def _begin_apart(self) -> None:
        self._lines.begin_apart()
        self._paragraphs.apart += 1
        self._tables.begin_box()
        self._runs.is_hidden = False

    def _end_apart(self) -> None:
        self._tables.end_box()
        self._paragraphs.apart -= 1
        self._lines.end_apart()

    def _note(self, kind: str, attributes: Attributes) -> None:
        note = self._notes.take(kind, attributes)
        if note is None:
            return
        name, events = note
        runs = self._runs
        state = runs.fields, runs.in_properties
        runs.fields, runs.in_properties = [], 0
        self._begin_apart()
        start = self._lines.mark()
        for event, *values in events:
            getattr(self, event)(*values)
        if name:
            self._lines.label(start, "comment" if kind == "comments" else "note", name, "")
        self._end_apart()
        runs.fields, runs.in_properties = state

    def _comment(self, attributes: Attributes) -> None:
        self._commented += 1
        if self._reviewed:
            self._note("comments", attributes)


def _notices(text: str, changes: int, comments: int, symbols: int) -> list[Notice]:
    """Notices of what is not in the text, by how many there are."""
    notices = []
    if changes:
        message = f"it has {changes} tracked changes: insertions are text, deletions are not"
        notices.append(Notice("tracked-changes", message))
    if comments:
        notices.append(Notice("comments", f"it has {comments} comments, left out"))
    if symbols:
        message = f"{symbols} characters have a meaning in their own font alone"
        notices.append(Notice("symbols", message))
    if not text:
        notices.append(Notice("no-words", "there are no words in it"))
    return notices


def _render(parts: DocxParts, *, reviewed: bool = False) -> Rendered:
    writer = _DocxText(parts, reviewed=reviewed)
    read_elements(parts.main, writer.start, writer.end, writer.text)
    text, labels, notices = writer.finished()
    claims = claims_of(parts.core, _CORE, "core properties")
    title = next((claim.value for claim in claims if claim.field == "title"), None)
    return Rendered(text, labels, title=title, stated=claims, notices=notices)


_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_TYPES = frozenset({f"{_WORD}.document", f"{_WORD}.template"}) | {
    "application/vnd.ms-word.document.macroenabled.12"
}
DOCX_TEXT_1 = Rendition("docx-text", 1, _TYPES, read_parts, _render, preload=preload)
DOCX_REVIEWED_TEXT_1 = Rendition(
    "docx-reviewed-text",
    1,
    _TYPES,
    read_parts,
    partial(_render, reviewed=True),
    preload=preload,
    on_request=True,
)
