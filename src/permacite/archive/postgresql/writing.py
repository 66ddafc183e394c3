"""The session that writes: whoever holds the row of `log_head` writes, and nobody else.

Each commit has a number of its own, which stands in the row of its writer from then on. Where the
connection is lost on the way, the writer connects again, waits for the row (until it has that,
the server may still be at the commit), and looks whether the number is there.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, cast

import psycopg
from psycopg import errors
from psycopg.pq import TransactionStatus

from permacite.archive.model import utc_now
from permacite.archive.postgresql.connection import PATIENCE_S, connect
from permacite.archive.postgresql.session import Session
from permacite.archive.records.days import is_synchronised
from permacite.errors import StorageError

if TYPE_CHECKING:
    from permacite.archive.postgresql.location import Located

__all__ = ["ServerClock", "WritingSession"]

_LOCK = "SELECT clock_timestamp() FROM log_head FOR UPDATE"
_COUNT = "UPDATE log_head SET commits = commits + 1"
_NOTE = """
INSERT INTO writer VALUES (?, ?) ON CONFLICT (writer_id)
DO UPDATE SET commits = excluded.commits, committed_at = excluded.committed_at
"""
_NOTED = "SELECT 1 FROM writer WHERE writer_id = ? AND commits = ?"
_FORGET = """
DELETE FROM writer WHERE writer_id = ? OR committed_at < now() - INTERVAL '7 days'
"""
_BEGUN = (TransactionStatus.INTRANS, TransactionStatus.INERROR)


class ServerClock:
    """The clock of the server, as it was told when the last transaction began, going on here.

    So writers on machines whose clocks differ date names alike.
    """

    _NEAR = timedelta(minutes=5)

    def __init__(self) -> None:
        self._told: datetime | None = None
        self._at = 0.0

    def tell(self, now: datetime) -> None:
        """Set it."""
        self._told, self._at = now.astimezone(UTC), time.monotonic()

    def __call__(self) -> datetime:
        """The time; this machine's as long as the server told none."""
        if self._told is None:
            return utc_now()
        return self._told + timedelta(seconds=time.monotonic() - self._at)

    def is_kept_right(self) -> bool:
        """Whether this machine's clock is, and says nearly the same."""
        return is_synchronised() and abs(utc_now() - self()) < self._NEAR


class WritingSession(Session):
    """The session of the thread that writes; it outlives its connections."""

    def __init__(self, place: Located, *, busy_timeout_s: float, clock: ServerClock) -> None:
        """Connect. Raises what psycopg does."""
        self._place = place
        self._busy_timeout_s = busy_timeout_s
        self._clock = clock
        self._writer_id = secrets.token_hex(16)
        self._number = 0
        connected = connect(place, busy_timeout_s=busy_timeout_s, read_only=False)
        super().__init__(connected.connection, name=place.schema)

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is begun, and its connection is not lost."""
        return not self.lost and self.connection.info.transaction_status in _BEGUN

    def begin(self) -> None:
        """Begin a transaction as the only writer, on a new connection where the last is lost."""
        if self.lost:
            connected = connect(
                self._place,
                busy_timeout_s=self._busy_timeout_s,
                read_only=False,
                patience_s=PATIENCE_S,
            )
            self.connection = connected.connection
        try:
            with self.connection.pipeline():
                self.connection.execute("BEGIN")
                locked = self.connection.execute(_LOCK)
        except errors.LockNotAvailable:
            raise
        except psycopg.OperationalError:
            self.connection.close()  # whatever it was, a new one begins anew
            raise
        self._clock.tell(cast("datetime", locked.fetchall()[0][0]))

    def commit(self) -> None:
        """Commit; where the connection is lost meanwhile, ask whether it came to be.

        Raises what psycopg does where it did not, StorageError (reason "away") where nobody
        answers in time.
        """
        self._number += 1
        try:
            with self.connection.pipeline():
                self.execute(_NOTE, (self._writer_id, self._number))
                self.execute(_COUNT)
                self.connection.execute("COMMIT")
        except psycopg.OperationalError:
            self.connection.close()
            if not self._came_to_be():
                raise

    def _came_to_be(self) -> bool:
        """Whether the last commit did; the connection is lost again where it did not."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                self.begin()
                is_noted = bool(self.execute(_NOTED, (self._writer_id, self._number)).fetchall())
                self.rollback()
            except psycopg.OperationalError as error:
                self.connection.close()
                if time.monotonic() < deadline:
                    continue
                raise StorageError(
                    "the database does not answer, and did not say what became of this",
                    path=self._place.where,
                    reason="away",
                    hint="ask again later: under the same idempotency key nothing is done twice",
                ) from error
            if not is_noted:
                self.connection.close()
            return is_noted

    def close(self) -> None:
        """Close the connection; nobody will ask for the last commit any more."""
        if not self.lost:
            with contextlib.suppress(psycopg.Error):  # another writer does it then
                self.execute(_FORGET, (self._writer_id,))
        super().close()
