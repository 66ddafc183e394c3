"""The catalog in one SQLite file: where the questions and changes of `records` are put to it."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from permacite.archive.entries import seal
from permacite.archive.records import settings
from permacite.archive.records.days import kept
from permacite.archive.records.rows import Transaction
from permacite.archive.sqlite.connection import (
    connect,
    copy,
    faults,
    make,
    reading_rows,
    recognize,
    reporting,
)
from permacite.archive.sqlite.migration import bring_up
from permacite.archive.sqlite.writer import Writer
from permacite.errors import StorageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from permacite.archive.entries import Sealer
    from permacite.archive.model import Clock
    from permacite.errors import PermaciteError

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
        self._readers = _Readers(path, busy_timeout_s=busy_timeout_s)
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

    @contextlib.contextmanager
    def moments(self) -> Iterator[Callable[[], int]]:
        """What gives a number that changes with each write of anybody; for one thread.

        SQLite counts, for each connection, what others have committed: this one commits nothing.
        """
        connection = self._readers.take()
        try:
            yield lambda: int(connection.execute("PRAGMA data_version").fetchone()[0])
        finally:
            self._readers.give_back(connection)

    def write(
        self,
        change: Callable[Concatenate[Transaction, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Make a change, and give its value once that is on the disk.

        Raises what `change` raises, which is then undone alone; StorageError.
        """
        return self._writer.run(lambda transaction: change(transaction, *args, **kwargs))

    def write_all(
        self,
        change: Callable[[Transaction, Sequence[I]], Sequence[T | Exception]],
        items: Sequence[I],
    ) -> list[T | PermaciteError]:
        """The same of a change that takes what several callers hand in at the same time.

        It answers each item with a value, or with an error.
        """
        return self._writer.run_all(change, items)

    def announced(self) -> AbstractContextManager[int]:
        """Say that a commit is coming, until the block ends; how many are is given, with this one.

        Others that commit at the same time may wait for it a little.
        """
        return self._writer.announced()

    def faults(self) -> Iterator[str]:
        """The faults of the file, and of columns that follow from others, in words."""
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


class _Readers:
    """Connections that only read, one for each thread that reads at the moment."""

    def __init__(self, path: Path, *, busy_timeout_s: float) -> None:
        self.path = path
        self._busy_timeout_s = busy_timeout_s
        self._lock = threading.Lock()
        self._free: list[sqlite3.Connection] = []
        self._closed = False

    def close(self) -> None:
        """Close what is free now; what is lent is closed when it comes back."""
        with self._lock:
            self._closed = True
            free, self._free = self._free, []
        for connection in free:
            connection.close()

    def take(self) -> sqlite3.Connection:
        """Return a connection that nobody else has. Raises StorageError."""
        with self._lock:
            if self._closed:
                raise StorageError("the archive is closed", path=str(self.path), reason="closed")
            if self._free:
                return self._free.pop()
        with reporting(self.path):
            return connect(self.path, busy_timeout_s=self._busy_timeout_s, query_only=True)

    def give_back(self, connection: sqlite3.Connection) -> None:
        """Take back what was taken."""
        with self._lock:
            if not self._closed:
                self._free.append(connection)
                return
        connection.close()
