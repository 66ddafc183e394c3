"""Bring a catalog of an earlier schema up to date: all steps in one transaction.

Step 2 brought leaves for citations and delegations. Those that were recorded before get their
leaves when all steps are taken; no row and no leaf that was there is touched.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from typing import TYPE_CHECKING

from permacite.archive.entries import seal
from permacite.archive.model import utc_now
from permacite.archive.records import citations, statements
from permacite.archive.records.days import kept
from permacite.archive.records.rows import Transaction
from permacite.archive.sqlite.connection import connect, reading_rows
from permacite.archive.sqlite.schema import SCHEMA_VERSION, STEPS_WITH_ROWS, octets_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["bring_up"]

_LEAVES_FOR_ALL = 2
"""The schema since which citations and delegations have leaves."""


def bring_up(path: Path, *, busy_timeout_s: float) -> None:
    """Bring the catalog in `path` up to the latest schema, if it is not there and can be written.

    One that may only be read stays as it is, and is read as it is. Raises StorageError.
    """
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return
    with (
        reading_rows(path),
        contextlib.closing(connect(path, busy_timeout_s=busy_timeout_s)) as connection,
    ):
        if _version(connection) == SCHEMA_VERSION:
            return
        connection.create_function("octets_in", 2, octets_in, deterministic=True)
        connection.execute("PRAGMA foreign_keys = OFF")  # tables are put in the place of others
        connection.execute("BEGIN IMMEDIATE")
        try:
            earlier = _version(connection)
            for number in range(earlier + 1, SCHEMA_VERSION + 1):
                _take(connection, number)
            if earlier < _LEAVES_FOR_ALL:
                transaction = Transaction(connection, kept(utc_now), seal)
                statements.log_all(transaction)
                citations.log_all(transaction)
            connection.execute("COMMIT")
        except BaseException:
            connection.rollback()
            raise


def _take(connection: sqlite3.Connection, number: int) -> None:
    """Take one step."""
    for statement in _statements(STEPS_WITH_ROWS[number]):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {number}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    """Return the statements of a script one by one; sqlite3 would commit before a whole script."""
    begun = ""
    for line in script.splitlines(keepends=True):
        begun += line
        if sqlite3.complete_statement(begun):
            yield begun
            begun = ""
