"""The catalog in one SQLite file: each method one question or one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.sqlite import citations, leaves, minting, neighbours, rows
from permacite.archive.sqlite.connection import Readers, make, recognize
from permacite.archive.sqlite.writer import Writer

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

    from permacite.archive.catalog import Leaf, Order, Selection, StoredFormat
    from permacite.archive.model import Citation, Clock, NewCitation, Representation, Version
    from permacite.pdi import PDI

__all__ = ["SqliteCatalog"]

_LEAVES_AT_ONCE = 1000


class SqliteCatalog:
    """Records in `path`. Any number of threads and processes may use it at once."""

    def __init__(self, path: Path, *, clock: Clock, busy_timeout_s: float) -> None:
        """Open the file. Raises StorageError (reasons "not-an-archive", "newer", "locked")."""
        recognize(path, busy_timeout_s=busy_timeout_s)
        self._clock = clock
        self._readers = Readers(path, busy_timeout_s=busy_timeout_s)
        self._writer = Writer(path, busy_timeout_s=busy_timeout_s)

    @staticmethod
    def make(path: Path) -> None:
        """Make an empty file. Raises FileExistsError where `path` is taken."""
        make(path)

    def close(self) -> None:
        """Finish what waits to be written and give all connections back."""
        self._writer.close()
        self._readers.close()

    def setting(self, name: str) -> str | None:
        """Return one setting, or None."""
        with self._readers.lend() as connection:
            row = connection.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_setting(self, name: str, value: str) -> None:
        """Set or replace one setting."""
        statement = (
            "INSERT INTO setting VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
        )
        self._writer.run(lambda connection: connection.execute(statement, (name, value)).close())

    def series_names(self) -> list[str]:
        """Return the series that mint here, the first one first."""
        with self._readers.lend() as connection:
            found = connection.execute("SELECT name FROM series ORDER BY series_id").fetchall()
        return [name for (name,) in found]

    def add_series(self, name: str) -> None:
        """Let `name` mint here; nothing happens where it does already."""
        statement = (
            "INSERT INTO series (name, added_at) SELECT ?1, ?2"
            " WHERE NOT EXISTS (SELECT 1 FROM series WHERE name = ?1)"
        )
        row = (name, rows.timestamp(self._clock()))
        self._writer.run(lambda connection: connection.execute(statement, row).close())

    def commit(self, order: Order) -> Version:
        """Mint or add a version. Raises ConflictError, NotFoundError, StorageError."""
        return self._version(
            self._writer.run(lambda connection: minting.commit(connection, order, self._clock))
        )

    def add_format(self, pdi: PDI, number: int, stored: StoredFormat) -> Version:
        """Add a format to a version. Raises ConflictError where it has other octets already."""
        return self._version(
            self._writer.run(
                lambda connection: minting.add_format(
                    connection, pdi, number, stored, clock=self._clock
                )
            )
        )

    def version(self, pdi: PDI, number: int | None = None) -> Version | None:
        """Return one version of the document `pdi`, the highest where `number` is None."""
        condition = "d.series = ? AND d.date = ? AND d.unique_id = ?"
        parameters: list[str | int] = [*rows.document_key(pdi)]
        if number is not None:
            condition += " AND v.number = ?"
            parameters.append(number)
        with self._readers.lend() as connection:
            found = rows.versions_where(
                connection, condition, parameters, order="v.number DESC", limit=1
            )
        return found[0][1] if found else None

    def numbers(self, pdi: PDI) -> list[int]:
        """Return the version numbers of the document `pdi`, ascending; empty if unknown."""
        with self._readers.lend() as connection:
            found = connection.execute(
                "SELECT number FROM version JOIN document USING (document_id)"
                " WHERE series = ? AND date = ? AND unique_id = ? ORDER BY number",
                rows.document_key(pdi),
            ).fetchall()
        return [number for (number,) in found]

    def neighbours(self, pdi: PDI, limit: int) -> list[str]:
        """Return names of documents near the unknown document `pdi`, nearest first."""
        with self._readers.lend() as connection:
            return neighbours.neighbours(connection, rows.document_key(pdi), limit)

    def select(self, selection: Selection, *, after: int, limit: int) -> list[tuple[int, Version]]:
        """Return up to `limit` versions with their places in the order of commit, past `after`."""
        condition, parameters = rows.where(selection)
        with self._readers.lend() as connection:
            return rows.versions_where(
                connection,
                f"{condition} AND v.version_id > ?",
                [*parameters, after],
                limit=limit,
            )

    def place(self, pdi: PDI, number: int) -> int | None:
        """Return a version's place in the order of commit."""
        with self._readers.lend() as connection:
            row = connection.execute(
                "SELECT version_id FROM version JOIN document USING (document_id)"
                " WHERE series = ? AND date = ? AND unique_id = ? AND number = ?",
                (*rows.document_key(pdi), number),
            ).fetchone()
        return None if row is None else int(row[0])

    def count(self, selection: Selection) -> int:
        """Return how many versions `select` would give."""
        condition, parameters = rows.where(selection)
        question = (
            "SELECT count(*) FROM version AS v JOIN document AS d USING (document_id)"  # noqa: S608 - ours
            f" WHERE {condition}"
        )
        with self._readers.lend() as connection:
            return int(connection.execute(question, parameters).fetchone()[0])

    def find_by_uri(self, uri: str) -> list[Version]:
        """Return the versions with this requested or final URI, newest first."""
        with self._readers.lend() as connection:
            found = rows.versions_where(
                connection,
                "v.uri = ? OR v.final_uri = ?",
                (uri, uri),
                order="v.version_id DESC",
            )
        return [version for _, version in found]

    def attachments(self, representation: Representation) -> dict[str, str]:
        """Return the digests of a representation's side objects by name."""
        pdi = representation.pdi
        with self._readers.lend() as connection:
            found = connection.execute(
                "SELECT a.name, a.digest FROM attachment AS a"
                " JOIN representation USING (representation_id) JOIN version USING (version_id)"
                " JOIN document USING (document_id) WHERE series = ? AND date = ?"
                " AND unique_id = ? AND format = ? AND number = ?",
                (*rows.document_key(pdi), representation.format, pdi.version),
            ).fetchall()
        return dict(found)

    def record_citation(self, citation: NewCitation) -> Citation:
        """Record a citation once; the same again gives the first record."""
        recorded = self._writer.run(
            lambda connection: citations.record(connection, citation, self._clock())
        )
        with self._readers.lend() as connection:
            return citations.citations(connection, citation_id=recorded)[0]

    def citations(self, pdi: PDI | None) -> list[Citation]:
        """Return the citations of what `pdi` names (all where None), oldest first."""
        with self._readers.lend() as connection:
            return citations.citations(connection, pdi)

    def log_size(self) -> int:
        """Return the number of leaves."""
        with self._readers.lend() as connection:
            return leaves.size(connection)

    def log_node(self, level: int, position: int) -> bytes:
        """Return the hash over the 2**level leaves from position * 2**level on."""
        with self._readers.lend() as connection:
            return leaves.node(connection, level, position)

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

    def rebuilt(self, leaf: Leaf) -> bytes | None:
        """Return what a leaf would say if it were made of the records as they are now."""
        with self._readers.lend() as connection:
            return leaves.rebuilt(connection, leaf)

    def committed(self) -> dict[str, int]:
        """Return how many rows there are of what leaves tell."""
        with self._readers.lend() as connection:
            return {
                table: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 - ours
                for table in ("version", "representation")
            }

    def entries(self, pdi: PDI) -> list[Leaf]:
        """Return the leaves about the document `pdi`, oldest first."""
        subject = str(rows.name_of(rows.document_key(pdi)))
        with self._readers.lend() as connection:
            return leaves.entries(connection, subject)

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

    def _version(self, version_id: int) -> Version:
        """Return a version that was just written."""
        with self._readers.lend() as connection:
            return rows.version_by_id(connection, version_id)
