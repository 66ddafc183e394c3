"""Rows that are added to a copy, in one transaction with what follows from them."""

# ruff: noqa: S608 - the names of tables and columns are our own
from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from permacite.archive.copying.slices import reached
from permacite.archive.records import access, leaves, octets
from permacite.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from permacite.archive.copying.slices import Row, Slice
    from permacite.archive.records.rows import Transaction
    from permacite.archive.records.session import Session

__all__ = ["add", "insert"]

_DATE = 2
"""The column of document."""


def add(transaction: Transaction, found: Slice, staged: Sequence[tuple[str, bytes]]) -> None:
    """Add a slice of the log, and erase what it says is erased.

    `staged` are octets that no object holds yet. Raises ConflictError where others write there.
    """
    session = transaction.connection
    if reached(session).size != found.before.size:
        raise ConflictError("something else writes to the copy", "leaf")
    for table, rows in found.rows.items():
        for group in _groups(table, rows):
            insert(session, table, group)
    leaves.append_nodes(session, found.before.size, list(found.hashes))
    octets.stage(session, staged)
    for row in found.rows["erasure"]:
        access.carry_out(transaction, row[0])


def _groups(table: str, rows: Sequence[Row]) -> Iterable[list[Row]]:
    """Rows as they may be added together: documents of one day, erasures that are not done yet."""
    if table == "document":
        return (list(group) for _, group in groupby(rows, key=lambda row: row[_DATE]))
    if table == "erasure":
        return [[(*row[:-1], None) for row in rows]]
    return [list(rows)]


def insert(session: Session, table: str, rows: Sequence[Row]) -> None:
    """Insert whole rows."""
    if not rows:
        return
    marks = ", ".join("?" * len(rows[0]))
    session.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
