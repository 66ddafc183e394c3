"""The catalog in one schema of a PostgreSQL database."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from permacite.archive.engine.catalog import Catalog as AnyCatalog
from permacite.archive.model import Timekeeper, utc_now
from permacite.archive.postgresql.cautions import cautions
from permacite.archive.postgresql.connection import (
    PATIENCE_S,
    connect,
    opening,
    reading_rows,
    reporting,
)
from permacite.archive.postgresql.faults import faults
from permacite.archive.postgresql.moments import Moments
from permacite.archive.postgresql.writing import ServerClock, WritingSession
from permacite.archive.records.days import kept
from permacite.archive.schema import SCHEMA_VERSION
from permacite.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from permacite.archive.entries import Sealer
    from permacite.archive.model import Clock
    from permacite.archive.postgresql.location import PostgresqlLocation
    from permacite.archive.postgresql.session import Session
    from permacite.archive.records.session import Session as AnySession

__all__ = ["Catalog"]


class Catalog(AnyCatalog):
    """The records at a place. Any number of machines may use them at once."""

    is_remote = True

    def __init__(
        self, place: PostgresqlLocation, *, clock: Clock, busy_timeout_s: float, sealer: Sealer
    ) -> None:
        """Open them. Raises StorageError (reasons "not-an-archive", "newer", "locked", "io").

        Names are dated by the server's clock, unless another than the system's is given.
        """
        self._place = place
        self._busy_timeout_s = busy_timeout_s
        self._server_clock = ServerClock()
        self._patience_s = 0.0  # a server that never answered is not waited for
        timekeeper = (
            Timekeeper(self._server_clock, self._server_clock.is_kept_right)
            if clock is utc_now
            else kept(clock)
        )
        super().__init__(place.where, clock=timekeeper, sealer=sealer)
        try:
            with opening(self.where):
                self._recognize()
        except BaseException:
            self.close()
            raise
        self._patience_s = PATIENCE_S

    def _recognize(self) -> None:
        """Check that this version understands the archive, and migrate it. Raises StorageError."""
        with self.reporting(), self.lent() as session:
            schema = session.schema()
        if schema > SCHEMA_VERSION:
            raise StorageError(
                f"the archive has schema {schema}, and this permacite knows {SCHEMA_VERSION}",
                path=self.where,
                reason="newer",
                hint="use a later version of permacite",
            )
        if schema < SCHEMA_VERSION:
            self._migrate()

    def _migrate(self) -> None:
        """Take the steps that are left, all or none."""
        from permacite.archive.postgresql.schema import step

        with self.reporting(), contextlib.closing(self.writer()) as session:
            session.begin()
            (schema,) = session.execute("SELECT schema FROM archive").fetchall()[0]
            for number in range(schema + 1, SCHEMA_VERSION + 1):
                session.connection.execute(step(number).encode())
            session.execute("UPDATE archive SET schema = ?", (SCHEMA_VERSION,))
            session.commit()
        self.forget_free()

    def reader(self) -> Session:
        """A new connection that only reads. Raises StorageError."""
        with self.reporting():
            return connect(
                self._place,
                busy_timeout_s=self._busy_timeout_s,
                read_only=True,
                patience_s=self._patience_s,
            )

    def writer(self) -> WritingSession:
        """A new connection that writes. Raises StorageError."""
        with self.reporting():
            return WritingSession(
                self._place, busy_timeout_s=self._busy_timeout_s, clock=self._server_clock
            )

    def reporting(self) -> AbstractContextManager[None]:
        """Turns what PostgreSQL raises, or a row that is damaged, into the error that says it."""
        return reporting(self.where)

    def reading_rows(self) -> AbstractContextManager[None]:
        """The same where no value of a caller's can be wrong, so that each ValueError is damage."""
        return reading_rows(self.where)

    @contextlib.contextmanager
    def moments(self) -> Iterator[Callable[[], int | None]]:
        """What gives a number that changes with each write of anybody; for one thread."""
        moments = Moments(self.reader)
        moments.open()
        try:
            yield moments
        finally:
            moments.close()

    def rule_faults(self, session: AnySession) -> Iterator[str]:
        """The faults of the schema: rules and keys that are gone or others, broken references."""
        yield from faults(session)

    def cautions(self) -> tuple[str, ...]:
        """What an administrator set that may lose what was acknowledged, or stops all commits."""
        return self.read(cautions)

    def scour(self) -> bool:
        """Give the pages of deleted rows free, to be written over.

        What stands in the server's write-ahead log, in copies and in backups goes as they do.
        """
        with self.reporting(), contextlib.closing(self.writer()) as session:
            session.execute("VACUUM")
        return True
