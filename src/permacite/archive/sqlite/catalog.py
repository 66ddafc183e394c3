"""The catalog in one SQLite file, and its migration from earlier schemas.

A migration takes all steps in one transaction. Steps add tables and indexes, and may replace a
trigger. No existing row changes, except in step 13, which writes digests as bytes. Step 2 added log
entries for citations and delegations: earlier ones get theirs when all steps are done.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
from typing import TYPE_CHECKING

from permacite.archive.engine.catalog import Catalog as AnyCatalog
from permacite.archive.entries import seal
from permacite.archive.model.answered import utc_now
from permacite.archive.records import citations, statements
from permacite.archive.records.days import kept
from permacite.archive.records.rows import Transaction
from permacite.archive.schema import SCHEMA_VERSION
from permacite.archive.sqlite.connection import (
    connect,
    faults,
    make,
    reading_rows,
    recognize,
    reporting,
)
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from permacite.archive.engine.location import Fill
    from permacite.archive.entries import Sealer
    from permacite.archive.model.answered import Clock
    from permacite.archive.records.rows import Session as AnySession
    from permacite.archive.sqlite.connection import Session

__all__ = ["Catalog", "bytes_of_digest", "migrate"]


_LEAVES_FOR_ALL = 2
"""The schema since which citations and delegations have leaves."""


class Catalog(AnyCatalog):
    """The records in `path`."""

    def __init__(
        self, path: Path, *, clock: Clock, busy_timeout_s: float, sealer: Sealer = seal
    ) -> None:
        """Open the file. Raises StorageError (reasons "not-an-archive", "newer", "locked")."""
        recognize(path, busy_timeout_s=busy_timeout_s)
        migrate(path, busy_timeout_s=busy_timeout_s)
        super().__init__(str(path), clock=kept(clock), sealer=sealer)
        self.path = path
        self.busy_timeout_s = busy_timeout_s

    @staticmethod
    def make(path: Path, *, fill: Fill, clock: Clock) -> None:
        """Make a file with first rows. Raises FileExistsError where `path` is taken."""
        make(path, lambda session: fill(Transaction(session, kept(clock), seal)))

    def reader(self) -> Session:
        """Open a read-only connection. Raises StorageError."""
        return self._connection(query_only=True)

    def writer(self) -> Session:
        """Open a connection that writes. Raises StorageError."""
        return self._connection(query_only=False)

    def _connection(self, *, query_only: bool) -> Session:
        with self.reporting():
            return connect(self.path, busy_timeout_s=self.busy_timeout_s, query_only=query_only)

    def reporting(self) -> AbstractContextManager[None]:
        """Turn errors of SQLite and damaged rows into StorageError."""
        return reporting(self.path)

    def reading_rows(self) -> AbstractContextManager[None]:
        """Do the same where a ValueError can only come from a damaged row."""
        return reading_rows(self.path)

    @contextlib.contextmanager
    def moments(self) -> Iterator[Callable[[], int]]:
        """Yield a function for one thread, whose number changes with each write of any process.

        SQLite counts, for each connection, the commits of others. This connection commits nothing.
        """
        with self.lent() as session:
            yield lambda: int(session.execute("PRAGMA data_version").fetchone()[0])

    def rule_faults(self, session: AnySession) -> Iterator[str]:
        """Yield the faults of the file: damaged pages, broken references, missing rules."""
        yield from faults(session)

    def cautions(self) -> tuple[str, ...]:
        """None: each connection makes sure that a commit is on the disk when it returns."""
        return ()

    def scour(self) -> bool:
        """Rewrite the file without traces of deleted rows; return whether all are gone.

        They stay in the WAL while another process reads the earlier state.
        """
        with self.reporting(), contextlib.closing(self.writer()) as session:
            session.execute("VACUUM")
            busy, *_ = session.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not busy


def migrate(path: Path, *, busy_timeout_s: float) -> None:
    """Migrate the catalog in `path` to the current schema; a read-only one stays as it is.

    Raises StorageError.
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
    """Return the bytes of a digest, or of a Git blob name, that was a text.

    Another text, from a damaged row, gives its own SHA-256: the log has another digest, so fsck
    reports the row as before.
    """
    if text is None:
        return None
    found = _DIGEST.fullmatch(text)
    digest = bytes.fromhex((found[1] or found[2]).decode()) if found else b""
    return digest if len(digest) == size else hashlib.sha256(text).digest()[:size]
