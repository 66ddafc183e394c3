"""The Merkle log in the catalog: entries, node hashes, checkpoints."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

from permacite.archive.sqlite import leaves, rows
from permacite.archive.sqlite.statements import entry_at
from permacite.archive.sqlite.writer import Access

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.catalog import Leaf
    from permacite.pdi import PDI

__all__ = ["SqliteLog"]

_LEAVES_AT_ONCE = 1000

_VERSION_ID = """
SELECT version_id FROM version JOIN document USING (document_id)
WHERE series = ? AND date = ? AND unique_id = ? AND number = ?
"""


class SqliteLog(Access):
    """The log of one catalog."""

    def log_size(self) -> int:
        """Return the number of leaves."""
        with self._readers.lend() as connection:
            return leaves.size(connection)

    def log_node(self, level: int, position: int) -> bytes:
        """Return the hash over the 2**level leaves from position * 2**level on."""
        with self._readers.lend() as connection:
            return leaves.node(connection, level, position)

    def leaves(self, start: int = 0, end: int | None = None) -> Iterator[Leaf]:
        """Return the log's entries from `start` up to `end`."""
        while end is None or start < end:
            stop = start + _LEAVES_AT_ONCE if end is None else min(end, start + _LEAVES_AT_ONCE)
            with self._readers.lend() as connection:
                page = leaves.leaves(connection, start, stop)
            yield from page
            start += _LEAVES_AT_ONCE
            if not page:
                return

    def entries(self, pdi: PDI) -> list[Leaf]:
        """Return the leaves about the document `pdi`, oldest first."""
        subject = str(rows.name_of(rows.document_key(pdi)))
        with self._readers.lend() as connection:
            return leaves.entries(connection, subject)

    def rebuilt(self, leaf: Leaf) -> bytes | None:
        """Return what a leaf would say if it were made of the records as they are now."""
        with self._readers.lend() as connection:
            return _rebuilt(connection, leaf)

    def committed(self) -> dict[str, int]:
        """Return how many rows there are of what leaves tell."""
        with self._readers.lend() as connection:
            return {
                table: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 - ours
                for table in ("version", "representation")
            }

    def checkpoints(self, limit: int | None = None) -> list[tuple[int, str]]:
        """Return sizes and notes of the checkpoints that were signed, the newest first."""
        with self._readers.lend() as connection:
            return connection.execute(
                "SELECT size, note FROM checkpoint ORDER BY size DESC LIMIT ?",
                (-1 if limit is None else limit,),
            ).fetchall()

    def record_checkpoint(self, size: int, note: str) -> str:
        """Keep a signed checkpoint; where one of this size is kept, return that instead."""
        now = rows.timestamp(self._clock())

        def record(connection: sqlite3.Connection) -> str:
            kept = connection.execute(
                "SELECT note FROM checkpoint WHERE size = ?", (size,)
            ).fetchone()
            if kept is not None:
                return str(kept[0])
            connection.execute("INSERT INTO checkpoint VALUES (?, ?, ?)", (size, note, now))
            return note

        return self._writer.run(record)


def _rebuilt(connection: sqlite3.Connection, leaf: Leaf) -> bytes | None:
    """Return what a leaf would say if it were made of the records as they are now."""
    try:
        entry = json.loads(leaf.content)
        if entry["kind"] == "assertion":
            said = entry_at(connection, leaf.sequence)
            return None if said is None else leaves.content_of(said)
        row = connection.execute(_VERSION_ID, (*_key(entry["name"]), entry["version"])).fetchone()
        tokens = [one["format"] for one in entry["formats"]]
        if row is None:
            return None
        made = leaves.committed(connection, row[0])
        if entry["kind"] == "format":
            return leaves.content_of(leaves.format_entry(made, tokens[0]))
        return leaves.content_of(leaves.version_entry(made, tokens))
    except (ValueError, LookupError, TypeError, StopIteration, sqlite3.Error):
        return None  # the leaf itself is no entry of ours


def _key(name: str) -> tuple[str, str, str]:
    """Return the key of the document that a leaf names. Raises ValueError for other texts."""
    series, year, month, day, unique_id = name.removeprefix("urn:pdi://").split("/")
    return series, f"{year}-{month}-{day}", unique_id
