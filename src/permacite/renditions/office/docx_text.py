"""The text of a DOCX, written as its main part is read: the rules are those of `docx`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from permacite.renditions.lines import Lines
from permacite.renditions.model import Notice
from permacite.renditions.office.docx_numbers import Numbering, Style, read_styles, shown, whole
from permacite.renditions.office.elements import read_elements

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.renditions.model import Label
    from permacite.renditions.office.elements import Attributes

__all__ = ["DocxText", "Parts"]

_LEFT_OUT = frozenset({"mc:Fallback", "w:pPrChange", "w:rPrChange", "w:sectPrChange"})
_TAKEN_AWAY = frozenset({"w:del", "w:moveFrom"})
_PUT_IN = frozenset({"w:ins", "w:moveTo"})
_CHANGES = {**dict.fromkeys(_TAKEN_AWAY, "deletion"), **dict.fromkeys(_PUT_IN, "insertion")}
_WRITTEN = {"w:noBreakHyphen": "\u2011", "w:softHyphen": "\u00ad", "w:tab": " ", "w:ptab": " "}
_NOTES = {"w:footnoteReference": "footnotes", "w:endnoteReference": "endnotes"}
_USUAL = {"w:footnotePr": "decimal", "w:endnotePr": "lowerRoman"}
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


@dataclass(slots=True)
class Parts:
    """The parts of a file that have a say in its text."""

    main: bytes
    others: dict[str, bytes]
    """By the last word of the type of their relationship."""
    core: bytes | None


class DocxText:
    """The main part that is being read, and the text that is written of it."""

    def __init__(self, parts: Parts, *, reviewed: bool) -> None:
        others = parts.others
        self._lines = Lines()
        self._reviewed = reviewed
        self._styles = read_styles(others["styles"]) if "styles" in others else {}
        self._numbering = Numbering(others.get("numbering"))
        self._notes: dict[str, dict[str, list[tuple[Any, ...]]]] = {
            kind: _recorded(others[kind])
            for kind in ("footnotes", "endnotes", "comments")
            if kind in others
        }
        self._note_numbers = dict.fromkeys(_NOTES.values(), 0)
        self._usual_notes = _counts_notes_as_usual(others.get("settings", b""), parts.main)
        self._left_out = 0
        """How many elements are open from one that is left out on."""
        self._in_text = self._in_properties = 0
        self._hidden = self._joined = False
        self._fields: list[bool] = []
        """Of each open field whether its result has begun."""
        self._paragraphs: list[_Paragraph] = []
        self._cells: list[bool] = []
        """Of each open cell whether nothing stands in it yet; text boxes stand in none: True."""
        self._rows: list[bool] = []
        """Of each open row whether it has no cell yet."""
        self._apart = 0
        self._sections: list[tuple[int, int, str]] = []
        """The headings whose sections are open: level, start, name."""
        self._changes: list[tuple[int, str]] = []
        self._starts: dict[str, Callable[[Attributes], None]] = {
            "w:p": self._paragraph,
            "w:pPr": self._begin_properties,
            "w:rPr": self._begin_properties,
            "w:sectPr": self._begin_properties,
            "w:r": self._run,
            "w:br": self._line_end,
            "w:cr": self._line_end,
            "w:sym": self._symbol,
            "w:fldChar": self._field,
            "w:tr": self._row,
            "w:tc": self._cell,
            "w:txbxContent": self._box,
            "w:commentReference": self._comment,
        }
        self._ends: dict[str, Callable[[], None]] = {
            "w:p": self._paragraph_ends,
            "w:pPr": self._paragraph_known,
            "w:rPr": self._end_properties,
            "w:sectPr": self._end_properties,
            "w:r": self._run_ends,
            "w:tr": self._row_ends,
            "w:tc": self._cell_ends,
            "w:txbxContent": self._end_apart,
        }
        self.changed = self.commented = self.symbols = 0

    # ------------------------------------------------------------ tokens
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
        elif name in self._starts:
            self._starts[name](attributes)
        elif self._in_properties:
            self._property(name, attributes)
        elif name in _WRITTEN:
            self._write(_WRITTEN[name])
        elif name in _NOTES:
            self._note(_NOTES[name], attributes)

    def end(self, name: str) -> None:
        """End it."""
        if self._left_out:
            self._left_out -= 1
        elif name in {"w:t", "m:t"} or (name == "w:delText" and self._reviewed):
            self._in_text -= 1
        elif name in _CHANGES and not self._in_properties and self._changes:
            begun, author = self._changes.pop()
            self._lines.label(begun, _CHANGES[name], author, "")
        elif name in self._ends:
            self._ends[name]()

    def text(self, data: str) -> None:
        """Take characters."""
        if self._in_text and not self._left_out:
            self._write(data)

    def _write(self, data: str) -> None:
        if self._hidden or not all(self._fields):
            return
        self._lines.write(data)
        if self._paragraphs:
            self._paragraphs[-1].words.append(data)

    # ------------------------------------------------------------ paragraphs
    def _paragraph(self, _: Attributes) -> None:
        if self._joined:
            self._joined = False
        elif self._cells and self._cells[-1]:
            self._cells[-1] = False
        else:
            self._lines.end_line()
        self._paragraphs.append(_Paragraph())

    def _paragraph_known(self) -> None:
        """Behind its properties: it may be a heading, or have a number."""
        self._in_properties -= 1
        if not self._paragraphs or self._in_properties:
            return
        paragraph = self._paragraphs[-1]
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
        if outline is not None and outline < _HEADINGS and not self._apart:
            self._end_sections(outline)
        paragraph.start = self._lines.mark()

    def _paragraph_ends(self) -> None:
        if not self._paragraphs:
            return
        paragraph = self._paragraphs.pop()
        words = " ".join("".join(paragraph.words).split())
        if paragraph.start is not None and words:
            outline = paragraph.outline
            if outline is not None and outline < _HEADINGS and not self._apart:
                name = f"{paragraph.printed or ''} {words}".strip()[:_LONGEST_NAME]
                self._sections.append((outline, paragraph.start, name))
            elif paragraph.printed:
                self._lines.label(paragraph.start, "item", paragraph.printed, "")
        if paragraph.joins or (paragraph.mark_deleted and not self._reviewed):
            self._joined = True
        elif not self._cells or self._apart:
            self._lines.end_line()

    def _end_sections(self, level: int) -> None:
        while self._sections and self._sections[-1][0] >= level:
            _, start, name = self._sections.pop()
            self._lines.label(start, "section", name, "")

    def _begin_properties(self, _: Attributes) -> None:
        self._in_properties += 1

    def _end_properties(self) -> None:
        self._in_properties -= 1

    def _property(self, name: str, attributes: Attributes) -> None:
        value = attributes.get("w:val")
        if name == "w:vanish":
            self._hidden |= self._in_properties == 1 and value not in {"0", "false", "off"}
        elif self._paragraphs:
            paragraph = self._paragraphs[-1]
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

    # ------------------------------------------------------------ runs
    def _run(self, _: Attributes) -> None:
        self._hidden = False

    def _run_ends(self) -> None:
        self._hidden = False

    def _line_end(self, _: Attributes) -> None:
        if not self._in_properties and not self._hidden and all(self._fields):
            self._lines.end_line()
            if self._paragraphs:
                self._paragraphs[-1].words.append(" ")

    def _symbol(self, attributes: Attributes) -> None:
        digits = attributes.get("w:char", "")
        try:
            character = chr(int(digits[:4], 16))
        except ValueError:
            return
        self.symbols += ord(character) in _PRIVATE
        if not "\ud800" <= character <= "\udfff":
            self._write(character.replace("\x00", ""))

    def _field(self, attributes: Attributes) -> None:
        kind = attributes.get("w:fldCharType")
        if kind == "begin":
            self._fields.append(False)
        elif self._fields and kind == "separate":
            self._fields[-1] = True
        elif self._fields and kind == "end":
            self._fields.pop()

    # ------------------------------------------------------------ tables
    def _row(self, _: Attributes) -> None:
        self._lines.end_line()
        self._rows.append(True)

    def _row_ends(self) -> None:
        if self._rows:
            self._rows.pop()
            self._lines.end_line()

    def _cell(self, _: Attributes) -> None:
        if self._rows:
            if not self._rows[-1]:
                self._lines.cell()
            self._rows[-1] = False
        self._cells.append(True)

    def _cell_ends(self) -> None:
        if self._cells:
            self._cells.pop()

    # ------------------------------------------------------------ what stands apart
    def _box(self, _: Attributes) -> None:
        self._begin_apart()

    def _begin_apart(self) -> None:
        self._lines.begin_apart()
        self._apart += 1
        self._cells.append(True)
        self._hidden = False

    def _end_apart(self) -> None:
        self._cells.pop()
        self._apart -= 1
        self._lines.end_apart()

    def _note(self, kind: str, attributes: Attributes) -> None:
        events = self._notes.get(kind, {}).pop(attributes.get("w:id", ""), None)
        if events is None:
            return
        name = ""
        if kind == "comments":
            name = events[0][1].get("w:author", "")[:_LONGEST_NAME]
        elif attributes.get("w:customMarkFollows") is None:
            self._note_numbers[kind] += 1
            form = "decimal" if kind == "footnotes" else "lowerRoman"
            name = shown(self._note_numbers[kind], form) or "" if self._usual_notes else ""
        fields, self._fields, properties = self._fields, [], self._in_properties
        self._in_properties = 0
        self._begin_apart()
        start = self._lines.mark()
        for event, *values in events[1:]:
            getattr(self, event)(*values)
        if name:
            self._lines.label(start, "comment" if kind == "comments" else "note", name, "")
        self._end_apart()
        self._fields, self._in_properties = fields, properties

    def _comment(self, attributes: Attributes) -> None:
        self.commented += 1
        if self._reviewed:
            self._note("comments", attributes)

    def _change(self, name: str, attributes: Attributes) -> None:
        self.changed += 1
        if self._in_properties:
            if name in _TAKEN_AWAY and self._paragraphs:
                self._paragraphs[-1].mark_deleted = True
        elif self._reviewed:
            author = attributes.get("w:author", "")[:_LONGEST_NAME]
            self._changes.append((self._lines.mark(), author))
        elif name in _TAKEN_AWAY:
            self._left_out = 1

    # ------------------------------------------------------------ what came of it
    def finished(self) -> tuple[str, tuple[Label, ...], tuple[Notice, ...]]:
        """The text, its labels, and what is to be said of it."""
        self._lines.end_line()
        self._end_sections(0)
        text, labels = self._lines.finished()
        return text, labels, tuple(self._notices(text))

    def _notices(self, text: str) -> list[Notice]:
        notices = []
        if self.changed and not self._reviewed:
            told = f"it has {self.changed} tracked changes: insertions are text, deletions are not"
            notices.append(Notice("tracked-changes", told))
        if self.commented and not self._reviewed:
            notices.append(Notice("comments", f"it has {self.commented} comments, left out"))
        if self.symbols:
            told = f"{self.symbols} characters have a meaning in their own font alone"
            notices.append(Notice("symbols", told))
        if not text:
            notices.append(Notice("no-words", "there are no words in it"))
        return notices


def _recorded(content: bytes) -> dict[str, list[tuple[Any, ...]]]:
    """Notes or comments by their ids: what is to be done to write each."""
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
    """Whether nothing says that notes begin anew, or are counted in another way."""
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


def _nothing(_: str) -> None:
    """Take no note."""
