"""Texts and tables in the reader: numbered lines or rows, with the cited parts marked.

Of a long text one piece is shown, around the cited part or from a position on; the index of the
text finds it. A piece begins and ends with a line, unless one line is longer than the piece. Of a
long table some rows are shown, under its first row. Numbers and positions are those of the whole
text; rows count as in RFC 7111.

Labels are in the margin: they are an attribute that a style sheet shows, because a selection counts
the characters of the frame, and only those of the text may count. A label that begins within a line
is shown there, or it would cover the label of the line.
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite.extract.structure import value
from permacite.limits import (
    CELL_CHARACTERS,
    TABLE_CELLS,
    TABLE_COLUMNS,
    TABLE_ROWS,
    TEXT_CHARACTERS,
)
from permacite.media_types import PAGES
from permacite.renditions import Printed
from permacite.service.reader.marking import MarkedSpans, TextPiece, split

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permacite import pdi
    from permacite.archive.model.answered import Representation
    from permacite.extract.structure import CellArea, CellTable
    from permacite.renditions import Label
    from permacite.service.names import TextOf
    from permacite.text.entity import DocumentText
    from permacite.words import Words

__all__ = [
    "STYLE",
    "STYLE_OF_PROSE",
    "TableCell",
    "TableRow",
    "TableSheet",
    "TextLine",
    "TextSheet",
    "is_prose",
    "is_shown_as_lines",
    "table_sheet",
    "text_html",
    "text_sheet",
    "whole_text",
]

STYLE_OF_PROSE = """\
pre { font: 1.05rem/1.6 Charter, "Bitstream Charter", "Noto Serif", Georgia, serif; tab-size: 6em;
  max-width: 46rem }"""

STYLE = """\
pre.labelled { position: relative; padding-left: clamp(7rem, 25%, 13rem) }
.label::before { content: attr(data-label); position: absolute; left: 0;
  width: calc(clamp(7rem, 25%, 13rem) - 1rem);
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap; user-select: none;
  font: 0.8rem/2 system-ui, sans-serif; color: light-dark(#595959, #b0b0b0) }
@media (max-width: 40rem) {
  pre.labelled { padding-left: 0 }
  .label::before { position: static; display: block; width: auto }
}
.label.within::before { position: static; display: inline; margin: 0 0.25rem; padding: 0 0.25rem;
  border: 1px solid; border-radius: 0.25rem }"""


_AS_WRITTEN = frozenset({"json-text", "notebook-text"})
"""Rules whose texts are code, in part: their columns are those of letters of one width."""


def is_prose(shown: Representation) -> bool:
    """Whether a text is sentences that rules took out of a document."""
    return shown.rendition is not None and shown.rendition.partition("/")[0] not in _AS_WRITTEN


def text_html(text: str, marked: MarkedSpans, labels: Sequence[Label], words: Words) -> str:
    """The text as an element; line ends as a browser shows them."""
    places = _margin(labels, words)
    if not places:
        return _numbered(whole_text(text, marked))
    pieces = "".join(_pieces(text, marked, places))
    return f'<pre lang="" dir="auto" class="labelled">\n{pieces}</pre>'


def _numbered(sheet: TextSheet) -> str:
    """The lines of a text; a style sheet writes their numbers, which are none of its characters."""
    written = "".join(map(_line, sheet.lines))
    first = written.replace("<mark>", '<mark id="permacite-mark">', 1)
    return f'<pre lang="" dir="auto" class="lines">\n{first}</pre>'


def _line(line: TextLine) -> str:
    pieces = "".join(
        f"<mark>{html.escape(piece.text)}</mark>" if piece.marked else html.escape(piece.text)
        for piece in line.pieces
    )
    return f'<span data-line="{line.number}">{pieces}</span>'


def _margin(labels: Sequence[Label], words: Words) -> list[tuple[int, str]]:
    """Positions with the labels that begin there."""
    places: dict[int, list[str]] = {}
    for label in sorted(labels, key=lambda label: (label.start, label.kind != "page")):
        if label.kind == "page":
            told = words("document.printed_page", name=label.name)
        else:
            told = Printed(label.kind, label.name, label.name, label.target).told
        places.setdefault(label.start, []).append(told)
    return [(start, ", ".join(several)) for start, several in places.items()]


def _pieces(text: str, marked: MarkedSpans, places: list[tuple[int, str]]) -> Iterator[str]:
    at = 0
    margin = iter(places)
    waiting = next(margin, None)

    def upto(end: int) -> Iterator[str]:
        nonlocal at, waiting
        while waiting is not None and waiting[0] < end:
            yield _characters(text[at : waiting[0]])
            at, told = waiting
            yield _label(told, within=at > 0 and text[at - 1] != "\n")
            waiting = next(margin, None)
        yield _characters(text[at:end])
        at = end

    for start, end in marked.spans:
        yield from upto(start)
        yield '<mark id="permacite-mark">'
        yield from upto(end)
        yield "</mark>"
    yield from upto(len(text))


def _characters(text: str) -> str:
    return html.escape(text.replace("\r\n", "\n"))


def _label(told: str, *, within: bool) -> str:
    """What is told of a place, at the beginning of a line or within it."""
    shown, kind = html.escape(told), "label within" if within else "label"
    return f'<span class="{kind}" role="note" title="{shown}" data-label="{shown}"></span>'


_LEAD_CHARACTERS = 4_000
"""How many stand before what is cited, and how far the start of a line is looked for."""
_END = "\r\n"


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a text, or the rest of one that began before the piece."""

    number: int
    """From 1."""
    pieces: tuple[TextPiece, ...]
    is_rest: bool = False
    """Whether it began before."""


@dataclass(frozen=True, slots=True)
class TextSheet:
    """The lines of a text that are shown; positions count characters of the whole."""

    start: int
    end: int
    length: int
    lines: tuple[TextLine, ...]
    before: int | None
    """Where the piece before this one begins; None at the start of the text."""
    after: int | None
    """Where the next one does; None at the end."""

    @property
    def is_whole(self) -> bool:
        """Whether this is all of the text."""
        return self.before is None and self.after is None


def is_shown_as_lines(source: TextOf, shown: Representation) -> bool:
    """Whether a format is shown as lines: a text that came as one, and was made of nothing else."""
    text = source.representation
    return text.pdi == shown.pdi and text.derived_from is None and text.media_type not in PAGES


def text_sheet(document: DocumentText, marked: MarkedSpans, at: int | None) -> TextSheet:
    """The piece of a text that begins at the position `at`, or that shows what is marked first."""
    length = document.length
    wanted = at
    if wanted is None:
        wanted = max(0, marked.spans[0][0] - _LEAD_CHARACTERS) if marked.spans else 0
    start = _line_start(document, min(wanted, length)) if length > TEXT_CHARACTERS else 0
    end = (
        length
        if length - start <= TEXT_CHARACTERS
        else _line_start(document, start + TEXT_CHARACTERS)
    )
    if end <= start:  # one line is longer than all that is shown
        end = min(length, start + TEXT_CHARACTERS)
    text = document.words(start, end)
    return TextSheet(
        start,
        end,
        length,
        tuple(_lines(text, _within(marked, start, end), document.line(start) + 1)),
        before=max(0, start - TEXT_CHARACTERS) if start else None,
        after=end if end < length else None,
    )


def whole_text(text: str, marked: MarkedSpans) -> TextSheet:
    """All of a text."""
    return TextSheet(0, len(text), len(text), tuple(_lines(text, marked, 1)), None, None)


def _line_start(document: DocumentText, place: int) -> int:
    """Where the line begins that a place is in; the place itself where that is far away."""
    lead = document.words(max(0, place - _LEAD_CHARACTERS), place)
    found = lead.rfind(_END)
    if found >= 0:
        return place - len(lead) + found + len(_END)
    return place if place > len(lead) else 0


def _within(marked: MarkedSpans, start: int, end: int) -> MarkedSpans:
    """What is marked of a piece, its positions counted from the start of that."""
    if marked.caret:
        spans = [span for span in marked.spans if start <= span[0] <= end]
    else:
        spans = [(max(a, start), min(b, end)) for a, b in marked.spans if a < end and start < b]
    return MarkedSpans(tuple((a - start, b - start) for a, b in spans), caret=marked.caret)


def _lines(text: str, marked: MarkedSpans, number: int) -> Iterator[TextLine]:
    """The lines of a text, each with its line end."""
    place, spans = 0, list(marked.spans)
    while place < len(text) or place == 0:
        found = text.find(_END, place)
        end = len(text) if found < 0 else found + len(_END)
        is_last = end == len(text)
        inside = _cut(spans, place, end, caret=marked.caret, is_last=is_last)
        yield TextLine(number, split(text[place:end], MarkedSpans(inside, caret=marked.caret)))
        spans = [span for span in spans if span[1] > end or (marked.caret and span[0] >= end)]
        place, number = end, number + 1
        if is_last:
            break


def _cut(
    spans: Sequence[tuple[int, int]], start: int, end: int, *, caret: bool, is_last: bool
) -> tuple[tuple[int, int], ...]:
    """What of some spans is in a line, counted from its start."""
    if caret:
        here = [a for a, _ in spans if start <= a < end or (is_last and a == end)]
        return tuple((a - start, a - start) for a in here)
    return tuple(
        (max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and start < b
    )


_SECOND_ROW = 2
"""The row below the head of a table."""
_LEAD_ROWS = 20
"""Rows before what is cited."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """A field as it is shown: what it says."""

    column: int
    """From 1."""
    pieces: tuple[TextPiece, ...]
    start: int | None
    """Where its first character stands in the text; None where it is written otherwise."""
    is_cut: bool
    """Whether it says more than is shown."""

    @property
    def is_marked(self) -> bool:
        """Whether something in it is."""
        return any(piece.marked for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A record; `number` from 1."""

    number: int
    cells: tuple[TableCell, ...]
    hidden: int
    """How many fields it has that are not shown."""


@dataclass(frozen=True, slots=True)
class TableSheet:
    """What is shown of a table."""

    first: TableRow | None
    """The first row of all; None of an empty table."""
    rows: tuple[TableRow, ...]
    """The rows behind that."""
    height: int
    width: int
    """Columns that are shown: no row that is shown has more."""
    before: int | None
    """From which row the piece before this one is; None where there is none."""
    after: int | None

    @property
    def is_whole(self) -> bool:
        """Whether these are all rows."""
        return self.before is None and self.after is None


def table_sheet(
    table: CellTable, fragment: pdi.FragmentPDI | None, marked: MarkedSpans, at: int | None
) -> TableSheet:
    """The rows from number `at` on, or from what is marked: by a `fragment`, or in the text."""
    area = None
    if fragment is not None and fragment.scheme in {"row", "col", "cell"}:
        area = table.area(fragment.scheme, fragment.positions)
    spans = marked.spans
    first = at
    if first is None:
        cited = area.rows[0] if area else table.row_of(spans[0][0]) if spans and table.height else 0
        first = cited - _LEAD_ROWS + 1 if cited > TABLE_ROWS // 2 else 2
    first = max(_SECOND_ROW, min(first, table.height))
    rows: list[TableRow] = []
    cells = 0
    for row in range(first - 1, min(table.height, first - 1 + TABLE_ROWS)):
        if cells > TABLE_CELLS:
            break
        rows.append(_row(table, row, area, spans))
        cells += len(rows[-1].cells)
    head = _row(table, 0, area, spans) if table.height else None
    end = first + len(rows)
    return TableSheet(
        head,
        tuple(rows),
        table.height,
        max((len(row.cells) for row in (*rows, *filter(None, [head]))), default=0),
        before=max(_SECOND_ROW, first - TABLE_ROWS) if first > _SECOND_ROW else None,
        after=end if end <= table.height else None,
    )


def _row(
    table: CellTable, row: int, area: CellArea | None, spans: tuple[tuple[int, int], ...]
) -> TableRow:
    fields = table.fields(row)
    is_in = area is not None and area.rows[0] <= row < area.rows[1]
    cells = []
    for column, (start, end) in enumerate(fields[:TABLE_COLUMNS]):
        whole = is_in and area is not None and area.columns[0] <= column < area.columns[1]
        cells.append(_cell(table, column, (start, end), spans, whole=whole))
    return TableRow(row + 1, tuple(cells), max(0, len(fields) - TABLE_COLUMNS))


def _cell(
    table: CellTable,
    column: int,
    place: tuple[int, int],
    spans: tuple[tuple[int, int], ...],
    *,
    whole: bool,
) -> TableCell:
    """A field: all of it marked, or what of it is in some spans."""
    start, end = place
    written = table.text[start:end]
    says = value(written)
    begin = start + 1 if written.startswith('"') else start
    is_plain = table.text.startswith(says, begin) and begin + len(says) <= end
    shown = says[:CELL_CHARACTERS]
    inside = [(max(a, start), min(b, end)) for a, b in spans if a < end and start < b]
    if whole or (inside and not is_plain):
        pieces: tuple[TextPiece, ...] = (_piece(shown, marked=True),)
    else:
        pieces = tuple(_marked(shown, [(a - begin, b - begin) for a, b in inside]))
    return TableCell(column + 1, pieces, begin if is_plain else None, len(says) > len(shown))


def _marked(shown: str, spans: list[tuple[int, int]]) -> list[TextPiece]:
    pieces, place = [], 0
    for a, b in spans:
        first, last = (max(place, min(end, len(shown))) for end in (a, b))
        pieces += [_piece(shown[place:first], marked=False), _piece(shown[first:last], marked=True)]
        place = last
    pieces.append(_piece(shown[place:], marked=False))
    return [piece for piece in pieces if piece.text]


def _piece(text: str, *, marked: bool) -> TextPiece:
    return TextPiece(text.replace("\r\n", "\n"), marked)
