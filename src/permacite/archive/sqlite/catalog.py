"""The catalog in one SQLite file: each method one question or one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.entries import seal
from permacite.archive.records import commits, neighbours, rows
from permacite.archive.records.checkpoints import SqliteLog
from permacite.archive.records.citations import SqliteCitations
from permacite.archive.records.derived import SET, derived_faults, settings_digest
from permacite.archive.records.erasing import SqliteErasures, check_octets, is_named
from permacite.archive.records.staged import SqliteUnsettled
from permacite.archive.records.standing import SqliteStandings
from permacite.archive.records.statements import SqliteStatements
from permacite.archive.sqlite.connection import (
    copy,
    faults,
    in_order,
    make,
    reading_rows,
    recognize,
)
from permacite.archive.sqlite.migration import bring_up

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from permacite.archive.catalog import Order, Selection, StoredFormat
    from permacite.archive.entries import Sealer
    from permacite.archive.model import Clock, Representation, Version
    from permacite.archive.records.leaves import Committed
    from permacite.pdi import PDI

__all__ = ["SqliteCatalog"]


_ADD_SERIES = (
    "INSERT INTO series (name, added_at) SELECT * FROM (SELECT ? AS name, ?) AS new"
    " WHERE NOT EXISTS (SELECT 1 FROM series WHERE name = new.name)"
)


class SqliteCatalog(
    SqliteLog,
    SqliteStatements,
    SqliteCitations,
    SqliteUnsettled,
    SqliteErasures,
    SqliteStandings,
):
    """Records in `path`. Any number of threads and processes may use it at once."""

    def __init__(
        self, path: Path, *, clock: Clock, busy_timeout_s: float, sealer: Sealer = seal
    ) -> None:
        """Open the file. Raises StorageError (reasons "not-an-archive", "newer", "locked")."""
        recognize(path, busy_timeout_s=busy_timeout_s)
        bring_up(path, busy_timeout_s=busy_timeout_s)
        super().__init__(path, clock=clock, sealer=sealer, busy_timeout_s=busy_timeout_s)

    @staticmethod
    def make(path: Path, *, series: str, clock: Clock) -> None:
        """Make a file in which `series` mints. Raises FileExistsError where `path` is taken."""
        added_at = rows.timestamp(clock())

        def fill(connection: sqlite3.Connection) -> None:
            connection.execute(_ADD_SERIES, (series, added_at))
            _write(connection, SET, ("series", series))

        make(path, fill)

    def setting(self, name: str) -> str | None:
        """Return one setting, or None."""
        with self._readers.lend() as connection:
            row = connection.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_setting(self, name: str, value: str) -> None:
        """Set or replace one setting."""
        self._writer.run(lambda connection: _write(connection, SET, (name, value)))

    def series_names(self) -> list[str]:
        """Return the series that mint here, the first one first."""
        with self._readers.lend() as connection:
            found = connection.execute("SELECT name FROM series ORDER BY series_id").fetchall()
            if not found:
                raise LookupError("no series mints here")
        return [name for (name,) in found]

    def add_series(self, name: str) -> None:
        """Let `name` mint here; nothing happens where it does already."""
        row = (name, rows.timestamp(self._clock()))
        self._writer.run(lambda connection: _write(connection, _ADD_SERIES, row))

    def announced(self) -> AbstractContextManager[int]:
        """Say that a commit is coming; give how many are under way."""
        return self._writer.announced()

    def commit(self, order: Order) -> Version:
        """Mint or add a version. Raises ConflictError, NotFoundError, StorageError."""
        made = self._writer.run_together(self._commit_all, order)
        with reading_rows(self._readers.path):
            return rows.version_of(made.version, made.formats)

    def add_format(
        self, pdi: PDI, number: int, stored: StoredFormat, *, erasing_round: int
    ) -> Version:
        """Add a format to a version. Raises ConflictError where it has other octets already."""

        def work(connection: sqlite3.Connection) -> int:
            check_octets(connection, [stored], erasing_round)
            return commits.add_format(
                connection, pdi, number, stored, clock=self._clock, sealer=self._sealer
            )

        return self._version(self._writer.run(work))

    def version(self, pdi: PDI, number: int | None = None) -> Version | None:
        """Return one version of the document `pdi`, the highest where `number` is None."""
        with self._readers.lend() as connection:
            return rows.versions_named(connection, [(pdi, number)])[0]

    def find_versions(self, pdis: Sequence[PDI]) -> list[Version | None]:
        """Return the version that each of `pdis` names, the highest where it names none."""
        with self._readers.lend() as connection:
            return rows.versions_named(connection, [(pdi, pdi.version) for pdi in pdis])

    def find_representations(self, pdis: Sequence[PDI]) -> list[Representation | None]:
        """Return what answers to each of `pdis`."""
        with self._readers.lend() as connection:
            return rows.representations_named(connection, pdis)

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

    def select(
        self, selection: Selection, *, after: int, limit: int, newest_first: bool = False
    ) -> list[tuple[int, Version]]:
        """Return up to `limit` versions with their places in the order of commit, past `after`."""
        condition, parameters = rows.where(selection)
        past = "v.version_id > ?"
        if newest_first:
            past = "v.version_id < ?" if after else "v.version_id > ?"
        with self._readers.lend() as connection:
            found = rows.versions_where(
                connection,
                f"{condition} AND {past}",
                [*parameters, after],
                order="v.version_id DESC" if newest_first else "v.version_id",
                limit=limit,
            )
            backwards = newest_first and after > 0
            in_order((place < after if backwards else place > after) for place, _ in found)
            return found

    def place(self, pdi: PDI, number: int) -> int | None:
        """Return a version's place in the order of commit."""
        with self._readers.lend() as connection:
            row = connection.execute(
                "SELECT version_id FROM version JOIN document USING (document_id)"
                " WHERE series = ? AND date = ? AND unique_id = ? AND number = ?",
                (*rows.document_key(pdi), number),
            ).fetchone()
        return None if row is None else int(row[0])

    def is_serial(self, pdi: PDI) -> bool:
        """Say whether a document's unique id was taken from the day's serial numbers."""
        with self._readers.lend() as connection:
            row = connection.execute(
                "SELECT serial FROM document WHERE series = ? AND date = ? AND unique_id = ?",
                rows.document_key(pdi),
            ).fetchone()
        return row is not None and row[0] is not None

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

    def names(self, digest: str) -> bool:
        """Say whether anything committed has these octets."""
        with self._readers.lend() as connection:
            return is_named(connection, digest)

    def places(self, *, after: int, limit: int) -> list[int]:
        """Return the places of up to `limit` versions, be they readable or not."""
        question = "SELECT version_id FROM version WHERE version_id > ? ORDER BY 1 LIMIT ?"
        with self._readers.lend() as connection:
            found = [place for (place,) in connection.execute(question, (after, limit))]
            in_order(place > after for place in found)
            return found

    def faults(self) -> Iterator[str]:
        """Return what is wrong with the file, and with columns that follow from others."""
        with self._readers.lend() as connection:
            yield from faults(connection)
            yield from derived_faults(connection)

    def copy_to(self, path: Path, *, before: Callable[[], None]) -> None:
        """Copy all records as they are now, over an earlier copy if one is there."""
        with self._readers.lend() as source:
            copy(source, path, before=before)

    def _commit_all(
        self, connection: sqlite3.Connection, orders: Sequence[Order]
    ) -> Sequence[Committed | Exception]:
        """Commit what several callers ordered at the same time."""
        return commits.commit(connection, orders, self._clock, self._sealer)

    def _version(self, version_id: int) -> Version:
        """Return a version that was just written."""
        with self._readers.lend() as connection:
            return rows.version_by_id(connection, version_id)


def _write(connection: sqlite3.Connection, statement: str, row: tuple[str, str]) -> None:
    """Change a setting or the series, and the digest that guards both."""
    connection.execute(statement, row)
    connection.execute(SET, settings_digest(connection))
