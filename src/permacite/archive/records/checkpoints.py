"""The log of one catalog: entries, node hashes, checkpoints with time-stamps, sealed days."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from permacite.archive.catalog import Stamped
from permacite.archive.entries import Entry, Sealed
from permacite.archive.records import days, leaves, rows
from permacite.archive.records.dates import check_borne_out
from permacite.archive.records.rebuilding import counted, erased, rebuilt
from permacite.archive.sqlite.connection import in_order
from permacite.archive.sqlite.writer import Access

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from permacite.archive.catalog import Leaf
    from permacite.pdi import PDI

__all__ = ["SqliteLog"]

_LEAVES_AT_ONCE = 1000

_HEAD = """
SELECT (SELECT 1 + coalesce(max(sequence), -1) FROM leaf),
       (SELECT note FROM checkpoint ORDER BY size DESC LIMIT 1)
"""
"""One statement, so one view of the database."""


class SqliteLog(Access):
    """The log of one catalog."""

    def log_size(self) -> int:
        """Return the number of leaves."""
        with self._readers.lend() as connection:
            return leaves.size(connection)

    def log_head(self) -> tuple[int, str | None]:
        """Return the number of leaves and the newest checkpoint, as they are at one moment."""
        with self._readers.lend() as connection:
            size, note = connection.execute(_HEAD).fetchone()
        return int(size), note

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
                in_order(leaf.sequence >= start for leaf in page)
            yield from page
            start += _LEAVES_AT_ONCE
            if not page:
                return

    def entries(self, pdi: PDI) -> list[Leaf]:
        """Return the leaves about the document `pdi`, oldest first."""
        subject = str(rows.name_of(rows.document_key(pdi)))
        with self._readers.lend() as connection:
            return leaves.entries(connection, subject)

    def enter(self, name: str, content: bytes, leaf_hash: bytes) -> None:
        """Append a leaf about the document `name` as it is, of which no record is left."""
        entry, leaf = Entry({"name": name}, {}), Sealed(content, leaf_hash, {})
        self._writer.run(lambda connection: leaves.append(connection, entry, lambda _: leaf))

    def rebuilt(self, leaf: Leaf) -> bytes | None:
        """Return what a leaf would say if it were made of the records as they are now."""
        with self._readers.lend() as connection:
            return rebuilt(connection, leaf)

    def openings(self, sequence: int) -> dict[str, bytes]:
        """Return the openings of a leaf by part, without those that are erased."""
        with self._readers.lend() as connection:
            return leaves.openings(connection, sequence)

    def erased(self, sequence: int) -> set[str | None]:
        """Return the parts of an entry that an erasure covers; None stands for all of it."""
        with self._readers.lend() as connection:
            return erased(connection, sequence)

    def committed(self) -> tuple[int, dict[str, int]]:
        """Return the number of leaves, and of the rows that they tell, at one moment."""
        with self._readers.lend() as connection:
            return counted(connection)

    def seal(self, series: str, date: str) -> Leaf:
        """Seal one day of a series, yyyy-mm-dd, or return the seal that it has."""

        def seal(connection: sqlite3.Connection) -> Leaf:
            now = self._clock()
            day = datetime.fromisoformat(date).date()
            check_borne_out(connection, day, now, clock=self._clock)
            return days.seal(connection, series, date, now, sealer=self._sealer)

        return self._writer.run(seal)

    def seal_all(self) -> list[Leaf]:
        """Seal every day that has documents and has passed; return the new seals."""

        def seal(connection: sqlite3.Connection) -> list[Leaf]:
            now = self._clock()
            found = days.open_days(connection, now)
            return [
                days.seal(connection, series, date, now, sealer=self._sealer)
                for series, date in found
            ]

        return self._writer.run(seal)

    def seal_of(self, series: str, date: str) -> Leaf | None:
        """Return the entry that seals a day, None where there is none."""
        with self._readers.lend() as connection:
            return days.find(connection, series, date) if leaves.has_days(connection) else None

    def unique_ids(self, series: str, date: str) -> list[str]:
        """Return the unique ids that a series has minted on a day, sorted."""
        with self._readers.lend() as connection:
            return days.unique_ids(connection, series, date)

    def checkpoints(self) -> list[tuple[int, str]]:
        """Return sizes and notes of the checkpoints that were signed, the newest first."""
        with self._readers.lend() as connection:
            return connection.execute(
                "SELECT size, note FROM checkpoint ORDER BY size DESC"
            ).fetchall()

    def stamped(self, sequence: int | None = None) -> list[Stamped]:
        """Return the time-stamps on checkpoints, of the shortest log first.

        Of those that cover the leaf `sequence`, where it is given.
        """
        with self._readers.lend() as connection:
            if not leaves.has_days(connection):
                return []
            found = connection.execute(
                "SELECT size, note, authority, response FROM timestamp JOIN checkpoint USING (size)"
                " WHERE size > ? ORDER BY size, timestamp_id",
                (-1 if sequence is None else sequence,),
            )
            return [Stamped(*row) for row in found]

    def record_timestamp(
        self, size: int, authority: str, response: bytes, stamped_at: datetime
    ) -> None:
        """Keep a time-stamp on the checkpoint of `size`."""
        row = (size, authority, response, rows.timestamp(stamped_at))
        statement = (
            "INSERT INTO timestamp (size, authority, response, stamped_at) VALUES (?, ?, ?, ?)"
        )
        self._writer.run(lambda connection: connection.execute(statement, row).close())

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
