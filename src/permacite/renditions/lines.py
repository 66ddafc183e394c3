"""Line writer of renditions: text line by line, with labels, cells, and notes after a line."""

from __future__ import annotations

from permacite.renditions.model import Label
from permacite.scan import compile_pattern

__all__ = ["Lines", "TableCells"]

_RUN = compile_pattern(r"[\t\n\r ]++|[^\t\n\r ]++")
_LINE_END = "\r\n"
_WHITE_SPACE = "\t\n\r "


class _LineSheet:
    """A stretch of text: the document, or a note that is to stand behind a line of it."""

    __slots__ = ("labels", "length", "parts", "pending")

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.pending = ""
        """White space that is written before the next characters, if any come."""
        self.labels: list[Label] = []


class Lines:
    """White space collapses, and stands neither at the beginning nor at the end of a line."""

    def __init__(self) -> None:
        self._sheet = _LineSheet()
        self._outer: list[_LineSheet] = []
        self._behind: list[_LineSheet] = []
        """Notes that wait for the end of the line."""
        self._milestones: dict[str, tuple[int, str, str]] = {}
        """Of each kind the last one: where it begins, its name and target."""

    @property
    def is_in_line(self) -> bool:
        """Whether the line that is being written has content."""
        sheet = self._sheet
        return sheet.length > 0 and sheet.pending != _LINE_END

    def write(self, data: str, *, verbatim: bool = False) -> None:
        """Write characters: runs of white space as one, or all as it is."""
        if verbatim:
            text = data.replace("\r\n", "\n").replace("\r", "\n").replace("\n", _LINE_END)
            if text:
                self._put(text)
            return
        for run in _RUN.findall(data):
            if run[0] not in _WHITE_SPACE:
                self._put(run)
            elif not self._sheet.pending:
                self._sheet.pending = " "

    def _put(self, text: str) -> None:
        sheet = self._sheet
        if sheet.pending and sheet.length and not sheet.parts[-1].endswith(_LINE_END):
            sheet.parts.append(sheet.pending)
            sheet.length += len(sheet.pending)
        sheet.pending = ""
        sheet.parts.append(text)
        sheet.length += len(text)

    def end_line(self) -> None:
        """Have what follows begin a line, behind the notes of this one."""
        self._sheet.pending = _LINE_END
        if not self._outer:
            self._flush()

    def cell(self) -> None:
        """Begin a new cell, where a row has begun."""
        if self._sheet.pending != _LINE_END and self._sheet.length:
            self._sheet.pending = self._sheet.pending.strip(" ") + "\t"

    def join(self) -> None:
        """Have what follows stand close to what is written."""
        self._sheet.pending = ""

    def mark(self) -> int:
        """Where the next characters will stand, once the white space before them is written."""
        return self._sheet.length

    def label(self, start: int, kind: str, name: str, target: str) -> None:
        """Label what was written since `mark` gave `start`."""
        sheet = self._sheet
        if sheet.length > start:
            sheet.labels.append(Label(start, sheet.length, kind, name, target))

    def milestone(self, kind: str, name: str, target: str) -> None:
        """Label what follows, up to the next milestone of its kind. Notes have none."""
        if self._outer:
            return
        self._end_milestone(kind)
        self._milestones[kind] = (self._sheet.length, name, target)

    def _end_milestone(self, kind: str) -> None:
        begun = self._milestones.pop(kind, None)
        if begun is not None:
            self.label(begun[0], kind, *begun[1:])

    def begin_apart(self) -> None:
        """Begin a note, which is to stand behind the line."""
        self._outer.append(self._sheet)
        self._sheet = _LineSheet()

    def end_apart(self) -> None:
        """End it."""
        self._behind.append(self._sheet)
        self._sheet = self._outer.pop()

    def _flush(self) -> None:
        """Write the notes that wait."""
        behind, self._behind = self._behind, []
        for note in behind:
            if note.length:
                sheet = self._sheet
                lead = len(_LINE_END) if sheet.length else 0
                base = sheet.length + lead
                sheet.pending = _LINE_END
                self._put("".join(note.parts))
                sheet.labels += [
                    each._replace(start=base + each.start, end=base + each.end)
                    for each in note.labels
                ]
                sheet.pending = _LINE_END

    def finished(self) -> tuple[str, tuple[Label, ...]]:
        """The text, and its labels in order: the outer before the inner."""
        self.end_line()
        for kind in list(self._milestones):
            self._end_milestone(kind)
        sheet = self._sheet
        text = "".join(sheet.parts)
        trimmed = (self._without_lead(text, label) for label in sheet.labels)
        labels = sorted(
            (label for label in trimmed if label.start < label.end),
            key=lambda label: (label.start, -label.end),
        )
        end = "" if not text or text.endswith(_LINE_END) else _LINE_END
        return text + end, tuple(labels)

    @staticmethod
    def _without_lead(text: str, label: Label) -> Label:
        """The label without the white space before its first characters."""
        start = label.start
        while start < label.end and text[start] in _WHITE_SPACE:
            start += 1
        return label._replace(start=start)


class TableCells:
    """The open rows and cells of tables. A text box counts as a cell of its own."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._cells: list[bool] = []
        """For each open cell, whether it is empty so far."""
        self._rows: list[bool] = []
        """For each open row, whether it has no cell so far."""

    def has_cell(self) -> bool:
        """Whether a cell is open."""
        return bool(self._cells)

    def take_paragraph(self) -> bool:
        """Whether a paragraph is the first one of its cell, and so continues the line."""
        is_first = bool(self._cells) and self._cells[-1]
        if is_first:
            self._cells[-1] = False
        return is_first

    def begin_row(self) -> None:
        """Begin a row."""
        self._lines.end_line()
        self._rows.append(True)

    def end_row(self) -> None:
        """End a row."""
        if self._rows:
            self._rows.pop()
            self._lines.end_line()

    def begin_cell(self) -> None:
        """Begin a cell."""
        if self._rows:
            if not self._rows[-1]:
                self._lines.cell()
            self._rows[-1] = False
        self._cells.append(True)

    def end_cell(self) -> None:
        """End a cell."""
        if self._cells:
            self._cells.pop()

    def begin_box(self) -> None:
        """Begin a text box or a note."""
        self._cells.append(True)

    def end_box(self) -> None:
        """End a text box or a note."""
        self._cells.pop()
