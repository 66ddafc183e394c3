"""The catalog in one SQLite file: where the questions and changes of `records` are put to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from permacite.archive.entries import seal
from permacite.archive.records import rows, settings, versions
from permacite.archive.records.days import kept
from permacite.archive.records.rows import Transaction, in_order
from permacite.archive.sqlite.connection import (
    Readers,
    copy,
    faults,
    make,
    reading_rows,
    recognize,
)
from permacite.archive.sqlite.migration import bring_up
from permacite.archive.sqlite.writer import Writer

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from permacite.archive.entries import Sealer
    from permacite.archive.model import Clock, Selection, Version
    from permacite.pdi import PDI

__all__ = ["Catalog"]

P = ParamSpec("P")
T = TypeVar("T")
I = TypeVar("I")  # noqa: E741 - what goes in


class Catalog:
    """The records in `path`. Any number of threads and processes may use it at once.

    A question is a function that takes a connection, a change one that takes a Transaction.
    """

    def __init__(
        self, path: Path, *, clock: Clock, busy_timeout_s: float, sealer: Sealer = seal
    ) -> None:
        """Open the file. Raises StorageError (reasons "not-an-archive", "newer", "locked").

        The `clock` dates rows, the `sealer` makes leaves of what is entered.
        """
        recognize(path, busy_timeout_s=busy_timeout_s)
        bring_up(path, busy_timeout_s=busy_timeout_s)
        self.path = path
        self.clock = kept(clock)
        self._readers = Readers(path, busy_timeout_s=busy_timeout_s)
        self._writer = Writer(path, clock=self.clock, sealer=sealer, busy_timeout_s=busy_timeout_s)

    @staticmethod
    def make(path: Path, *, series: str, clock: Clock) -> None:
        """Make a file in which `series` mints. Raises FileExistsError where `path` is taken."""

        def fill(connection: sqlite3.Connection) -> None:
            settings.fill(Transaction(connection, kept(clock), seal), series)

        make(path, fill)

    def read(
        self,
        question: Callable[Concatenate[sqlite3.Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """The answer to a question, by a connection that only reads. Raises StorageError.

        What `question` raises of ours is raised; all else shows that rows are damaged.
        """
        connection = self._readers.take()
        try:
            return question(connection, *args, **kwargs)
        except Exception:
            with reading_rows(self.path):
                raise
        finally:
            self._readers.give_back(connection)

    def write(
        self,
        change: Callable[Concatenate[Transaction, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """What a change returns, once it is on the disk.

        Raises what `change` raises, which is then undone alone; StorageError.
        """
        return self._writer.run(lambda transaction: change(transaction, *args, **kwargs))

    def write_together(
        self, change: Callable[[Transaction, Sequence[I]], Sequence[T | Exception]], item: I
    ) -> T:
        """The same of a change that takes what several callers hand in at the same time.

        It answers each item with a value, or with the error to be raised here.
        """
        return self._writer.run_together(change, item)

    def announced(self) -> AbstractContextManager[int]:
        """Say that a commit is coming, until the block ends; how many are is given, with this one.

        Others that commit at the same time may wait for it a little.
        """
        return self._writer.announced()

    def faults(self) -> Iterator[str]:
        """What is wrong with the file, and with columns that follow from others, in words."""
        connection = self._readers.take()
        try:
            with reading_rows(self.path):
                yield from faults(connection)
                yield from settings.derived_faults(connection)
        finally:
            self._readers.give_back(connection)

    def scour(self) -> bool:
        """Write the file anew, without traces of what was deleted; whether all of them went.

        They stay, in the WAL, while another process reads what was there before.
        """
        with self._writer.beside() as connection:
            connection.execute("VACUUM")
            busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not busy

    def copy_to(self, path: Path, *, before: Callable[[], None]) -> None:
        """Copy all records as they are now, over an earlier copy if one is there.

        They are copied aside; then `before` is called; then the copy takes its place, whole or not
        at all. Raises ConflictError where what is there has entries of its own.
        """
        self.read(copy, path, before=before)

    def close(self) -> None:
        """Finish what waits to be written and give all connections back."""
        self._writer.close()
        self._readers.close()

    def select(
        self, selection: Selection, *, after: int, limit: int, newest_first: bool = False
    ) -> list[tuple[int, Version]]:
        """Return up to `limit` versions with their places in the order of commit, past `after`.

        With `newest_first` the order is the other way round, and `after` 0 means from the end.
        """
        condition, parameters = rows.where(selection)
        past = "v.version_id > ?"
        if newest_first:
            past = "v.version_id < ?" if after else "v.version_id > ?"
        found = self.read(
            versions.versions_where,
            f"{condition} AND {past}",
            [*parameters, after],
            order="v.version_id DESC" if newest_first else "v.version_id",
            limit=limit,
        )
        backwards = newest_first and after > 0
        with reading_rows(self.path):
            in_order((place < after if backwards else place > after) for place, _ in found)
        return found

    def place(self, pdi: PDI, number: int) -> int | None:
        """Return a version's place in the order of commit."""
        row = self.read(
            lambda connection: connection.execute(
                "SELECT version_id FROM version JOIN document USING (document_id)"
                " WHERE series = ? AND date = ? AND unique_id = ? AND number = ?",
                (*rows.document_key(pdi), number),
            ).fetchone()
        )
        return None if row is None else int(row[0])

    def count(self, selection: Selection) -> int:
        """Return how many versions `select` would give."""
        condition, parameters = rows.where(selection)
        question = (
            "SELECT count(*) FROM version AS v JOIN document AS d USING (document_id)"  # noqa: S608 - ours
            f" WHERE {condition}"
        )
        return self.read(
            lambda connection: int(connection.execute(question, parameters).fetchone()[0])
        )
