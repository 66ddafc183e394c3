"""Fixity of rows that no entry of the log covers: digests, sums, and derived columns.

The schema declares how each table is checked. Settings and series have a digest, idempotency keys
and access records have sums of digests, which are kept among the settings. These find damage;
against somebody who changes both there is only the log.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from permacite.archive.canonical_json import canonical_json
from permacite.archive.names import cited_document
from permacite.archive.objects.source import digest_of
from permacite.archive.records.citations import identities
from permacite.archive.records.rows import has_schema
from permacite.archive.records.settings import DIGEST, SET, settings, settings_digest
from permacite.errors import PermaciteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from permacite.archive.records.rows import Session
    from permacite.archive.schema.declaration import Table

__all__ = ["DERIVED", "add_to_sum", "row_faults"]


def row_faults(connection: Session) -> Iterator[str]:
    """The faults of rows, table by table of the schema. Raises what the engine does."""
    from permacite.archive.schema.declaration import ColumnCheck
    from permacite.archive.schema.tables import TABLES

    for table in TABLES:
        if ColumnCheck.DERIVED in table.checks:
            yield from DERIVED[table.name](connection)
    connection.one_view()
    try:
        kept = settings(connection)
        others: list[str] = []
        if kept.get(DIGEST) not in {None, settings_digest(connection)[1]}:
            others.append("the settings, or the series that mint, are not those that were set")
        others += [
            f"the rows of {table.name} are not those that were written"
            for table in TABLES
            if table.summed
            and kept.get(_sum_name(table.name)) not in {None, _sum_of_all(connection, table)}
        ]
    finally:
        connection.rollback()
    yield from others


def add_to_sum(
    connection: Session,
    table: str,
    written: Sequence[tuple[str | int | None, ...]],
    known: Mapping[str, str],
) -> None:
    """Add rows that were just written to the sum that covers a table; `known` are the settings.

    So a row that is lost or altered is noticed. In an earlier archive the first call sums up all.
    """
    name = _sum_name(table)
    with contextlib.suppress(ValueError):  # a sum that is damaged stays, for fsck to find it
        before = known.get(name)
        if before is None:
            total = _sum_of_all(connection, _declaration(table))
        else:
            total = _sum(written, int(before, 16))
        connection.executemany(SET, [(name, total)])


def _declaration(name: str) -> Table:
    from permacite.archive.schema.tables import TABLES

    return next(table for table in TABLES if table.name == name)


def _sum_name(table: str) -> str:
    """The setting that holds the sum of a table."""
    return f"sum of {table}"


def _sum_of_all(connection: Session, table: Table) -> str:
    if not has_schema(connection, table.since):
        return _sum(())
    return _sum(connection.execute(f"SELECT {', '.join(table.summed)} FROM {table.name}"))


def _sum(rows: Iterable[tuple[str | int | None, ...]], total: int = 0) -> str:
    """Add the digests of rows to a total (exclusive or), so that their order does not matter."""
    for row in rows:
        digest = digest_of(canonical_json(row)).removeprefix("sha-256:")
        total ^= int(digest, 16)
    return f"{total:064x}"


def _leaf_faults(connection: Session) -> Iterator[str]:
    name = connection.dialect.entry_name
    question = f"SELECT sequence FROM leaf WHERE coalesce({name}, '') <> subject"
    for (row,) in connection.execute(question):
        yield f"entry {row} of the log stands under another name than it tells"


def _document_faults(connection: Session) -> Iterator[str]:
    for (row,) in connection.execute(
        "SELECT document_id FROM document"
        " WHERE serial IS NOT NULL AND CAST(serial AS TEXT) <> unique_id"
    ):
        yield f"document {row} has another serial number than its unique id"


def _assertion_faults(connection: Session) -> Iterator[str]:
    for (row,) in connection.execute(
        "SELECT assertion_id FROM ("
        "SELECT assertion_id, sequence, lag(sequence) OVER (ORDER BY assertion_id) AS before"
        " FROM assertion) AS pairs WHERE sequence <= before"
    ):
        yield f"statement {row} stands before an earlier one"


def _quotation_faults(connection: Session) -> Iterator[str]:
    for row, cited, document in connection.execute(
        "SELECT quotation_id, cited, cited_document FROM quotation"
    ):
        if _document_of(cited) != document:
            yield f"quotation {row} stands under another document than it cites"


def _document_of(cited: str) -> str:
    try:
        return cited_document(cited)
    except PermaciteError:
        return ""


def _citation_faults(connection: Session) -> Iterator[str]:
    for row, kept, identity in identities(connection):
        if kept != identity:
            yield f"citation {row} is known by another identity than its words have"


DERIVED: dict[str, Callable[[Session], Iterator[str]]] = {
    "document": _document_faults,
    "citation": _citation_faults,
    "quotation": _quotation_faults,
    "leaf": _leaf_faults,
    "assertion": _assertion_faults,
}
"""How to check the columns that follow from others, by table."""
