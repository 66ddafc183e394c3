"""What stands beside the text of a document: its labels, and the record of how it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.cache import Cache
from permacite.errors import ParseError, RestrictedError
from permacite.extract.table import Table
from permacite.renditions import Printed, printed_at
from permacite.renditions.stored import LABELS, RECORD, Record, read_labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permacite import pdi
    from permacite.archive import Repository, Representation
    from permacite.renditions import Label

__all__ = ["labels_of", "printed_of", "record_of", "table_of"]

_LABEL_BYTES = 200
_NUMERIC = "0123456789.,:/+- "
_TABLES: Cache[Table] = Cache(64 << 20, lambda table: 2 * len(table.text) + 16 * table.height)
_LONGEST_NAME = 60
_KEPT: Cache[Sequence[Label]] = Cache(16 << 20, lambda labels: _LABEL_BYTES * (1 + len(labels)))


def labels_of(repository: Repository, representation: Representation) -> Sequence[Label]:
    """The labels of a text, in their order; none where it has none.

    Raises RestrictedError, IntegrityError where they are altered.
    """
    if representation.derived_from is None:
        return ()
    digest = repository.sidecar_digest(representation, LABELS)
    if digest is None:
        return ()
    kept = _KEPT.get(digest)
    if kept is None:
        kept = read_labels(repository.octets(digest))
        _KEPT.put(kept, digest)
    return kept


def printed_of(
    repository: Repository, representation: Representation, fragment: pdi.FragmentPDI | None
) -> tuple[Printed, ...]:
    """Where a part stands as the document numbers its own: by labels, or in a table."""
    if fragment is None:
        return ()
    if representation.media_type == "text/csv":
        return tuple(_in_table(table_of(repository, representation), fragment))
    if fragment.scheme != "char" or representation.media_type != "text/plain":
        return ()
    start, end = map(int, fragment.positions)
    return printed_at(labels_of(repository, representation), start, end)


def table_of(repository: Repository, representation: Representation) -> Table:
    """The rows and cells of CSV. Raises RestrictedError, IntegrityError."""
    text = repository.text(representation)
    table = _TABLES.get(representation.digest, text.charset.label)
    if table is None:
        table = Table(text.text)
        _TABLES.put(table, representation.digest, text.charset.label)
    return table


def _in_table(table: Table, fragment: pdi.FragmentPDI) -> Iterator[Printed]:
    """Rows by their numbers, columns by what stands in the first row, where that is a name."""
    if fragment.scheme in {"row", "col", "cell"}:
        area = table.area(fragment.scheme, fragment.positions)
        rows, columns = area.rows, area.columns if fragment.scheme != "row" else None
    elif fragment.scheme == "char":
        rows, columns = table.around(*map(int, fragment.positions))
    else:
        return
    if fragment.scheme != "col":
        first, last = rows[0] + 1, rows[1]
        yield Printed("row", str(first), str(last), f"row={first}-{last}")
    if columns is not None:
        first, last = columns[0] + 1, columns[1]
        name, other = (_column_name(table, number) for number in (first, last))
        yield Printed("column", name, other, f"col={first}-{last}")


def _column_name(table: Table, number: int) -> str:
    name = " ".join(table.says(0, number - 1).split())
    is_name = name.strip(_NUMERIC) and len(name) <= _LONGEST_NAME
    return name if is_name else str(number)


def record_of(repository: Repository, representation: Representation) -> Record | None:
    """How a text was made; None where that is not on record, as of pages and captions."""
    if representation.derived_from is None:
        return None
    try:
        content = repository.sidecar(representation, RECORD)
        return None if content is None else Record.from_bytes(content)
    except (ParseError, RestrictedError):
        return None  # of a form that is not known yet, or not given out
