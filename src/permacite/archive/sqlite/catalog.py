"""The catalog in one SQLite file."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from permacite.archive.engine.catalog import Catalog as AnyCatalog
from permacite.archive.entries import seal
from permacite.archive.records.days import kept
from permacite.archive.records.rows import Transaction
from permacite.archive.sqlite.connection import (
    connect,
    faults,
    make,
    reading_rows,
    recognize,
    reporting,
)
from permacite.archive.sqlite.migration import migrate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from permacite.archive.engine.location import Fill
    from permacite.archive.entries import Sealer
    from permacite.archive.model.answered import Clock
    from permacite.archive.records.rows import Session as AnySession
    from permacite.archive.sqlite.connection import Session
    from permacite.archive.sqlite.copying import Bring

__all__ = ["Catalog"]


class Catalog(AnyCatalog):
    """The records in `path`."""

    def __init__(
        self, path: Path, *, clock: Clock, busy_timeout_s: float, sealer: Sealer = seal
    ) -> None:
        """Open the file. Raises StorageError (reasons "not-an-archive", "newer", "locked")."""
        recognize(path, busy_timeout_s=busy_timeout_s)
        migrate(path, busy_timeout_s=busy_timeout_s)
        super().__init__(str(path), clock=kept(clock), sealer=sealer)
        self._path = path
        self._busy_timeout_s = busy_timeout_s

    @staticmethod
    def make(path: Path, *, fill: Fill, clock: Clock) -> None:
        """Make a file with first rows. Raises FileExistsError where `path` is taken."""
        make(path, lambda session: fill(Transaction(session, kept(clock), seal)))

    def reader(self) -> Session:
        """A new connection that only reads. Raises StorageError."""
        return self._connection(query_only=True)

    def writer(self) -> Session:
        """A new connection that writes. Raises StorageError."""
        return self._connection(query_only=False)

    def _connection(self, *, query_only: bool) -> Session:
        with self.reporting():
            return connect(self._path, busy_timeout_s=self._busy_timeout_s, query_only=query_only)

    def reporting(self) -> AbstractContextManager[None]:
        """Turns what SQLite raises, or a row that is damaged, into its StorageError."""
        return reporting(self._path)

    def reading_rows(self) -> AbstractContextManager[None]:
        """The same where no value of a caller's can be wrong, so that each ValueError is damage."""
        return reading_rows(self._path)

    @contextlib.contextmanager
    def moments(self) -> Iterator[Callable[[], int]]:
        """What gives a number that changes with each write of anybody; for one thread.

        SQLite counts, for each connection, what others have committed: this one commits nothing.
        """
        with self.lent() as session:
            yield lambda: int(session.execute("PRAGMA data_version").fetchone()[0])

    def rule_faults(self, session: AnySession) -> Iterator[str]:
        """The faults of the file: damaged pages, broken references, rules that are gone."""
        yield from faults(session)

    def cautions(self) -> tuple[str, ...]:
        """None: each connection sets by itself that a commit is on the disk when it returns."""
        return ()

    def scour(self) -> bool:
        """Write the file anew, without traces of what was deleted; whether all of them went.

        They stay, in the WAL, while another process reads what was there before.
        """
        with self.reporting(), contextlib.closing(self.writer()) as session:
            session.execute("VACUUM")
            busy, *_ = session.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not busy

    def copy_to(self, path: Path, *, bring: Bring, replace: bool) -> None:
        """Copy all records as they are now, over an earlier copy if one is there.

        They are copied aside; then `bring` is given the digests of the octets that they name; then
        the copy takes its place, whole or not at all. `replace` puts it in the place of one that is
        damaged too. Raises ConflictError where what is there has entries of its own.
        """
        from permacite.archive.sqlite.copying import copy

        self.read(copy, path, bring=bring, replace=replace)

    def follow_to(self, path: Path, *, bring: Bring) -> bool:
        """Add to an earlier copy what came since; False where only a whole one will do.

        First `bring` is given the digests of new octets; then all rows come together. Raises as
        `copy_to`.
        """
        from permacite.archive.sqlite.copying import follow

        return follow(self._path, path, bring=bring, busy_timeout_s=self._busy_timeout_s)
