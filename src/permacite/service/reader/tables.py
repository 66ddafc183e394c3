"""A table (CSV) as the reader shows it: by rows with their numbers, what is cited of it marked.

Of a long table some rows are shown, from what is cited or from a row on, under its first row, which
most tables name their columns in. Numbers are those of the whole table, as RFC 7111 counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.extract.structure import value
from permacite.lazy_dataclass import dataclass
from permacite.limits import CELL_CHARACTERS, TABLE_CELLS, TABLE_COLUMNS, TABLE_ROWS
from permacite.service.reader.marking import TextPiece

if TYPE_CHECKING:
    from permacite import pdi
    from permacite.extract.structure import CellArea, CellTable
    from permacite.service.reader.marking import Marked

__all__ = ["Cell", "Grid", "Row", "grid"]

_LEAD = 20
"""Rows before what is cited."""


@dataclass(frozen=True, slots=True)
class Cell:
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
class Row:
    """A record; `number` from 1."""

    number: int
    cells: tuple[Cell, ...]
    hidden: int
    """How many fields it has that are not shown."""


@dataclass(frozen=True, slots=True)
class Grid:
    """What is shown of a table."""

    first: Row | None
    """The first row of all; None of an empty table."""
    rows: tuple[Row, ...]
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


def grid(
    table: CellTable, fragment: pdi.FragmentPDI | None, marked: Marked, at: int | None
) -> Grid:
    """The rows from number `at` on, or from what is marked: by a `fragment`, or in the text."""
    area = None
    if fragment is not None and fragment.scheme in {"row", "col", "cell"}:
        area = table.area(fragment.scheme, fragment.positions)
    spans = marked.spans
    first = at
    if first is None:
        cited = area.rows[0] if area else table.row_of(spans[0][0]) if spans and table.height else 0
        first = cited - _LEAD + 1 if cited > TABLE_ROWS // 2 else 2
    first = max(2, min(first, table.height))
    rows: list[Row] = []
    cells = 0
    for row in range(first - 1, min(table.height, first - 1 + TABLE_ROWS)):
        if cells > TABLE_CELLS:
            break
        rows.append(_row(table, row, area, spans))
        cells += len(rows[-1].cells)
    head = _row(table, 0, area, spans) if table.height else None
    end = first + len(rows)
    return Grid(
        head,
        tuple(rows),
        table.height,
        max((len(row.cells) for row in (*rows, *filter(None, [head]))), default=0),
        before=max(2, first - TABLE_ROWS) if first > 2 else None,  # noqa: PLR2004 - the second row
        after=end if end <= table.height else None,
    )


def _row(
    table: CellTable, row: int, area: CellArea | None, spans: tuple[tuple[int, int], ...]
) -> Row:
    fields = table.fields(row)
    is_in = area is not None and area.rows[0] <= row < area.rows[1]
    cells = []
    for column, (start, end) in enumerate(fields[:TABLE_COLUMNS]):
        whole = is_in and area is not None and area.columns[0] <= column < area.columns[1]
        cells.append(_cell(table, column, (start, end), spans, whole=whole))
    return Row(row + 1, tuple(cells), max(0, len(fields) - TABLE_COLUMNS))


def _cell(
    table: CellTable,
    column: int,
    place: tuple[int, int],
    spans: tuple[tuple[int, int], ...],
    *,
    whole: bool,
) -> Cell:
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
    return Cell(column + 1, pieces, begin if is_plain else None, len(says) > len(shown))


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
