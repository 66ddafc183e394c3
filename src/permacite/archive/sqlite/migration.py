"""Migration of a catalog from an earlier schema: all steps in one transaction.

Steps add tables and indexes, and may replace a trigger; no row that is there changes, but for step
13, which writes digests as bytes. Step 2 brought entries for citations and delegations: those that
were recorded before get theirs when all steps are done.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
from typing import TYPE_CHECKING

from permacite.archive.entries import seal
from permacite.archive.model.answered import utc_now
from permacite.archive.records import citations, statements
from permacite.archive.records.days import kept
from permacite.archive.records.rows import Transaction
from permacite.archive.schema import SCHEMA_VERSION
from permacite.archive.sqlite.connection import connect, reading_rows
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["bytes_of_digest", "migrate"]

_LEAVES_FOR_ALL = 2
"""The schema since which citations and delegations have leaves."""


def migrate(path: Path, *, busy_timeout_s: float) -> None:
    """Migrate the catalog in `path` to the current schema, if it is earlier and can be written.

    One that may only be read stays as it is. Raises StorageError.
    """
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return
    with (
        reading_rows(path),
        contextlib.closing(connect(path, busy_timeout_s=busy_timeout_s)) as connection,
    ):
        if _version(connection) == SCHEMA_VERSION:
            return
        connection.create_function("octets_in", 2, bytes_of_digest, deterministic=True)
        connection.execute("PRAGMA foreign_keys = OFF")  # step 13 replaces tables
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
    from permacite.archive.sqlite.schema import step

    for statement in _statements(step(number)):
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


_DIGEST = compile_pattern(rb"sha-256:([0-9a-f]{64})|([0-9a-f]{40})")


def bytes_of_digest(text: bytes | None, size: int) -> bytes | None:
    """The bytes of a digest, or of a Git blob name, that was a text.

    A text that is neither, for its row is damaged, gives its SHA-256, so that fsck reports the row
    as before: the log has another digest.
    """
    if text is None:
        return None
    found = _DIGEST.fullmatch(text)
    digest = bytes.fromhex((found[1] or found[2]).decode()) if found else b""
    return digest if len(digest) == size else hashlib.sha256(text).digest()[:size]
