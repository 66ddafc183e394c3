"""Octets that were committed together with their names and wait to become files of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.sqlite.writer import Access

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

__all__ = ["SqliteUnsettled", "insert"]

_SINCE = 3
"""The version of the schema that brought the table."""

_INSERT = """
INSERT INTO unsettled (digest, content) SELECT * FROM (SELECT ? AS digest, ?) AS new
WHERE NOT EXISTS (SELECT 1 FROM unsettled WHERE digest = new.digest)
"""


def insert(connection: sqlite3.Connection, contents: Sequence[tuple[str, bytes]]) -> None:
    """Keep octets, each with its digest, until they are settled."""
    if contents:
        connection.executemany(_INSERT, contents)


def _has(connection: sqlite3.Connection) -> bool:
    """Say whether there is such a table: none is in an old archive that may only be read."""
    return bool(connection.execute("PRAGMA user_version").fetchone()[0] >= _SINCE)


class SqliteUnsettled(Access):
    """The octets in one catalog."""

    def unsettled(self, digest: str) -> bytes | None:
        """Return the octets that wait under a digest, or None."""
        question = "SELECT content FROM unsettled WHERE digest = ?"
        with self._readers.lend() as connection:
            row = connection.execute(question, (digest,)).fetchone() if _has(connection) else None
            return None if row is None else bytes(row[0])

    def unsettled_digests(self, limit: int) -> list[str]:
        """Return up to `limit` digests of what waits, the oldest first."""
        question = "SELECT digest FROM unsettled ORDER BY unsettled_id LIMIT ?"
        with self._readers.lend() as connection:
            rows = connection.execute(question, (limit,)).fetchall() if _has(connection) else []
        return [digest for (digest,) in rows]

    def settle(self, digests: Sequence[str]) -> None:
        """Let go of octets: they are files now, and would survive a loss of power."""
        statement = "DELETE FROM unsettled WHERE digest = ?"
        rows = [(digest,) for digest in digests]
        self._writer.run(lambda connection: connection.executemany(statement, rows).close())
