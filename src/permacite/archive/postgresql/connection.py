"""Connections to PostgreSQL: their settings, errors and failover, and the session that writes.

Whoever holds the row of `log_head` writes, and nobody else. A transaction takes two round trips,
whatever it writes. It begins and takes the row together with the first question. Its changes wait,
and are sent together with its COMMIT.

Each commit has a number, which is in the row of its writer from then on. Where the connection is
lost during a commit, the writer connects again, waits for the row (until it has that, the server
may still be committing), and looks for the number.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import psycopg
from psycopg import errors, sql

from permacite.archive.model.answered import utc_now
from permacite.archive.postgresql.session import ENDING, Session
from permacite.archive.records.days import is_synchronised
from permacite.errors import PermaciteError, StorageError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from permacite.archive.postgresql.location import PostgresqlLocation
    from permacite.archive.postgresql.session import Statement
    from permacite.archive.records.rows import Rows

__all__ = [
    "PATIENCE_S",
    "ServerClock",
    "WritingSession",
    "connect",
    "opening",
    "reading_rows",
    "reporting",
]

PATIENCE_S = 30.0
"""How long to wait for a server that answered before: a standby takes over in less."""
_PAUSE_S = 0.1
_CONNECT_S = 5
_SILENT_MS = 25_000
"""How long data may stay unacknowledged, as by a machine without power; the system's default is a
quarter of an hour. Where no data was sent, the keepalives below take as long."""

_NO_CHANGES = "the database takes no changes"
_NOBODY_IN = "the database does not let us in"
_WAITS = "what was acknowledged is kept: ask again later"
_REASONS: tuple[tuple[type[psycopg.Error], str, str, str], ...] = (
    (errors.LockNotAvailable, "locked", "another process holds the archive", _WAITS),
    (errors.DiskFull, "full", "the disk of the database is full", "make room there, and ask again"),
    (errors.ReadOnlySqlTransaction, "away", _NO_CHANGES, _WAITS),
    (errors.QueryCanceled, "away", "the database was told to break off", _WAITS),
    (errors.InsufficientPrivilege, "io", "the role may not do that in the archive", ""),
    (
        errors.UndefinedTable,
        "not-an-archive",
        "there is no archive in this schema",
        "or the role may not look into it: init with grant=ROLE in the location lets one",
    ),
    (errors.DataCorrupted, "damaged", "the catalog is damaged", ""),
    (errors.IndexCorrupted, "damaged", "the catalog is damaged", ""),
)
_NOT_LET_IN = compile_pattern(
    "database .* does not exist|role .* does not exist|authentication failed|no password supplied"
    "|pg_hba.conf|no encryption|not permitted to log in|permission denied for database"
    "|invalid .*(?:value|port number)|definition of service"
)
_NOISE = compile_pattern(
    "^.*All failures were: - |connection (?:failed|is bad): | Is the server running .*?\\?"
)
_IS_FOUND = "a password is found in PGPASSWORD, or a file that PGPASSFILE names"
_IS_READ = compile_pattern("session is read-only|server is in hot standby")
_OF_DAMAGE = (UnicodeDecodeError, LookupError, TypeError, AttributeError, ArithmeticError)
"""Errors from rows with values that were never written."""
_LOCK = "SELECT clock_timestamp(), commits FROM log_head FOR UPDATE"
_COUNT = "UPDATE log_head SET commits = commits + 1"
_NOTE = """
INSERT INTO writer VALUES (?, ?) ON CONFLICT (writer_id)
DO UPDATE SET commits = excluded.commits, committed_at = excluded.committed_at
"""
_NOTED = "SELECT 1 FROM writer WHERE writer_id = ? AND commits = ?"
_FORGET = """
DELETE FROM writer WHERE writer_id = ? OR committed_at < now() - INTERVAL '7 days'
"""


@contextlib.contextmanager
def reporting(where: str) -> Iterator[None]:
    """Turn errors of PostgreSQL, and of damaged rows, into StorageError."""
    try:
        yield
    except PermaciteError:
        raise
    except (psycopg.Error, *_OF_DAMAGE) as error:
        raise _refusal(error, where) from error


@contextlib.contextmanager
def opening(where: str) -> Iterator[None]:
    """Do the same with the server's message, for those who open or make an archive.

    Clients of an open archive do not get it: it names hosts and tables.
    """
    try:
        with reporting(where):
            yield
    except StorageError as error:
        said = _said(error.__cause__)
        if said is None or said in error.problem:
            raise
        problem = f"{error.problem}: {said}"
        raise StorageError(problem, path=where, reason=error.reason, hint=error.hint) from error


def _said(error: BaseException | None) -> str | None:
    """Return the message of libpq on a failed connection, or of the server on a missing right."""
    if isinstance(error, errors.InsufficientPrivilege):
        return error.diag.message_primary
    if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
        return _NOISE.sub("", " ".join(str(error).split()))
    return None


@contextlib.contextmanager
def reading_rows(where: str) -> Iterator[None]:
    """Do the same where no argument can be wrong, so that each ValueError is damage."""
    with reporting(where):
        try:
            yield
        except (PermaciteError, UnicodeEncodeError):
            raise
        except ValueError as error:
            raise _refusal(error, where) from error


def _refusal(error: Exception, where: str) -> StorageError:
    """Return the StorageError for an error of PostgreSQL or of a damaged row."""
    detail = " ".join(str(error).split())
    if not isinstance(error, psycopg.Error):
        return StorageError(f"the catalog is damaged: {detail}", path=where, reason="damaged")
    for kind, reason, problem, hint in _REASONS:
        if isinstance(error, kind):
            return StorageError(problem, path=where, reason=reason, hint=hint)
    if isinstance(error, psycopg.OperationalError):
        if _is_away(error):
            problem = _NO_CHANGES if _IS_READ.search(detail) else "the database does not answer"
            return StorageError(problem, path=where, reason="away", hint=_WAITS)
        if error.sqlstate is None:
            hint = _IS_FOUND if "password" in detail else ""
            return StorageError(_NOBODY_IN, path=where, reason="io", hint=hint)
    return StorageError(f"the catalog refuses: {detail}", path=where, reason="io")


def _is_away(error: psycopg.OperationalError) -> bool:
    """Whether the server is unavailable at the moment, rather than refusing the login.

    Errors before the login have a message, and no code.
    """
    away = (errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow)
    if error.sqlstate is not None:
        return isinstance(error, away)
    return _NOT_LET_IN.search(str(error)) is None


def connect(
    place: PostgresqlLocation, *, busy_timeout_s: float, read_only: bool, patience_s: float = 0.0
) -> Session:
    """Return a session in autocommit mode once a server answers. Raises psycopg.Error.

    A commit is on disk when it returns, also on a synchronous standby, if there is one.
    """
    deadline = time.monotonic() + patience_s
    while True:
        try:
            return _connected(place, busy_timeout_s=busy_timeout_s, read_only=read_only)
        except psycopg.OperationalError as error:
            if time.monotonic() >= deadline or not _is_away(error):
                raise
        time.sleep(_PAUSE_S)


def _connected(place: PostgresqlLocation, *, busy_timeout_s: float, read_only: bool) -> Session:
    connection = psycopg.connect(
        place.server,
        autocommit=True,
        prepare_threshold=2,
        connect_timeout=_CONNECT_S,
        application_name="permacite",
        client_encoding="utf8",
        target_session_attrs=None if read_only else "read-write",
        keepalives_idle=10,
        keepalives_interval=5,
        keepalives_count=3,
        tcp_user_timeout=_SILENT_MS,
    )
    try:
        connection.prepared_max = 512
        settings = {
            "search_path": sql.Identifier(place.schema).as_string(connection),
            "lock_timeout": f"{round(busy_timeout_s * 1000)}ms",
            "idle_in_transaction_session_timeout": f"{round(PATIENCE_S * 1000)}ms",
            "statement_timeout": "0",
            "jit": "off",
        }
        if read_only:  # otherwise the administrator's setting holds: it may stop all writers
            settings["default_transaction_read_only"] = "on"
        for name, value in settings.items():
            connection.execute("SELECT set_config(%s, %s, false)", (name, value), prepare=False)
        connection.execute(
            "SELECT set_config('synchronous_commit', 'on', false)"
            " WHERE current_setting('synchronous_commit') IN ('off', 'local')",
            prepare=False,
        )
    except BaseException:
        connection.close()
        raise
    return Session(connection, name=place.schema)


class ServerClock:
    """The server's clock at the start of the last transaction, plus the time since then.

    So writers on machines whose clocks differ use the same dates.
    """

    _NEAR = timedelta(minutes=5)

    def __init__(self) -> None:
        self._told: datetime | None = None
        self._at = 0.0

    def tell(self, now: datetime) -> None:
        """Set it."""
        self._told, self._at = now.astimezone(UTC), time.monotonic()

    def __call__(self) -> datetime:
        """The time; this machine's until the server has sent its own."""
        if self._told is None:
            return utc_now()
        return self._told + timedelta(seconds=time.monotonic() - self._at)

    def is_kept_right(self) -> bool:
        """Whether this machine's clock is synchronised, and nearly agrees."""
        return is_synchronised() and abs(utc_now() - self()) < self._NEAR


class WritingSession(Session):
    """The session of the writing thread; it outlives its connections."""

    def __init__(
        self, place: PostgresqlLocation, *, busy_timeout_s: float, clock: ServerClock
    ) -> None:
        """Connect. Raises psycopg.Error."""
        self._place = place
        self._busy_timeout_s = busy_timeout_s
        self._clock = clock
        self._writer_id = secrets.token_hex(16)
        self._number = 0
        self._is_begun = False
        self._commits: int | None = None
        """The count of commits after the last one of this session."""
        self._others_write = False
        """Whether others had committed since, when this session last took the row."""
        self._waiting: list[Statement] = []
        """Statements that were not sent yet."""
        connected = connect(place, busy_timeout_s=busy_timeout_s, read_only=False)
        super().__init__(connected.connection, name=place.schema)

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is begun, and its connection is not lost."""
        return self._is_begun and not self.lost

    def begin(self) -> None:
        """Begin a transaction as the only writer, on a new connection if the last is lost.

        It is sent with the next statement; at once where others write too, since they make it wait.
        """
        if self.lost:
            connected = connect(
                self._place,
                busy_timeout_s=self._busy_timeout_s,
                read_only=False,
                patience_s=PATIENCE_S,
            )
            self.connection = connected.connection
        self._is_begun = True
        self._waiting = [("BEGIN", ()), (_LOCK, ())]
        if self._others_write:
            self.settle()

    def executemany(
        self, statement: str, rows: Iterable[Sequence[object] | Mapping[str, object]], /
    ) -> None:
        """Run a statement for each of the rows: in a transaction, with the next question."""
        statements = self._statements(statement, list(rows))
        if self._is_begun:
            self._waiting += statements
        else:
            self._run(statements)

    def settle(self) -> None:
        """Send what waits, and wait for it."""
        self._run([])

    def forget(self) -> None:
        """Drop changes that were not sent yet."""
        self._waiting.clear()

    def _run(self, statements: Sequence[Statement]) -> list[Rows]:
        """Run what waits, then statements; return the rows of each of these."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return super()._run(statements)
        takes_row = waiting[1:2] == [(_LOCK, ())]
        try:
            rows = super()._run([*waiting, *statements])
        except errors.LockNotAvailable:
            self.rollback()
            raise
        except (psycopg.OperationalError, errors.ReadOnlySqlTransaction) as error:
            if takes_row or not _is_answer(error):
                self.connection.close()  # the next transaction connects again
            raise
        if takes_row:
            self._take_row(*rows[1].fetchall()[0])
        return rows[len(waiting) :]

    def _take_row(self, now: datetime, commits: int) -> None:
        """Keep the values of the row, which is held from now on."""
        self._clock.tell(now)
        self._others_write = self._commits not in {None, commits}
        self._commits = commits

    def commit(self) -> None:
        """Commit; if the connection is lost meanwhile, ask whether the commit was done.

        Raises psycopg.Error where it was not, StorageError (reason "away") without an answer in
        time.
        """
        self._number += 1
        self.executemany(_NOTE, [(self._writer_id, self._number)])
        try:
            self._run([(_COUNT, ()), ("COMMIT", ())])
        except psycopg.OperationalError as error:
            if _is_answer(error) and not self.lost:
                raise
            self.connection.close()
            if not self._was_committed():
                raise
        self._is_begun = False
        if self._commits is not None:
            self._commits += 1

    def _was_committed(self) -> bool:
        """Whether the last commit was done; if not, the connection is closed again.

        A transaction that writes asks it: once that is on a synchronous standby, so is all before.
        """
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                self.begin()
                is_noted = bool(self.execute(_NOTED, (self._writer_id, self._number)).fetchall())
                self._run([(_COUNT, ()), ("COMMIT", ())])
            except (psycopg.OperationalError, errors.ReadOnlySqlTransaction) as error:
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

    def rollback(self) -> None:
        """Undo the transaction, if there is one."""
        self.forget()
        self._is_begun = False
        super().rollback()

    def close(self) -> None:
        """Close the connection; the number of the last commit is not needed any more."""
        if not self.lost:
            with contextlib.suppress(psycopg.Error):  # another writer does it then
                self.execute(_FORGET, (self._writer_id,))
        super().close()


def _is_answer(error: psycopg.Error) -> bool:
    """Whether the server refused a statement and still runs: its transaction is not done."""
    return error.sqlstate is not None and not isinstance(error, ENDING)
