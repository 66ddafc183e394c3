"""Connections to PostgreSQL: how each is set up, what its errors mean, and the session that writes.

Whoever holds the row of `log_head` writes, and nobody else. A transaction takes two round trips,
whatever it writes. It begins, and takes the row, together with all that is asked first; what it
changes waits, and goes to the server together with its COMMIT.

Each commit has a number of its own, which stands in the row of its writer from then on. Where the
connection is lost on the way, the writer connects again, waits for the row (until it has that,
the server may still be at the commit), and looks whether the number is there.
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
"""How long a server that answered before is waited for: a standby takes over in less."""
_PAUSE_S = 0.1
_CONNECT_S = 5
_SILENT_MS = 25_000
"""How long a machine that lost its power may leave what it was sent unanswered; the system's own
is a quarter of an hour. Where nothing was sent, the signs of life below find out as soon."""

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
"""What comes of rows that hold other values than were ever written."""
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
    """Turn what PostgreSQL raises, or a row that is damaged, into the error that says it."""
    try:
        yield
    except PermaciteError:
        raise
    except (psycopg.Error, *_OF_DAMAGE) as error:
        raise _refusal(error, where) from error


@contextlib.contextmanager
def opening(where: str) -> Iterator[None]:
    """Do the same, and tell what PostgreSQL says of it, to who opens or makes an archive.

    Who is answered by one that is open is not told: it names hosts and tables.
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
    """What libpq says of a connection that is not made, or the server of a right that lacks."""
    if isinstance(error, errors.InsufficientPrivilege):
        return error.diag.message_primary
    if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
        return _NOISE.sub("", " ".join(str(error).split()))
    return None


@contextlib.contextmanager
def reading_rows(where: str) -> Iterator[None]:
    """Do the same where no value of a caller's can be wrong, so that each ValueError is damage."""
    with reporting(where):
        try:
            yield
        except (PermaciteError, UnicodeEncodeError):
            raise
        except ValueError as error:
            raise _refusal(error, where) from error


def _refusal(error: Exception, where: str) -> StorageError:
    """The error of a catalog that PostgreSQL, or whoever reads its rows, does not understand."""
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
    """Whether the server is not there at the moment, and does not just let us not in.

    What a server says before it lets anybody in comes as words, without a code.
    """
    away = (errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow)
    if error.sqlstate is not None:
        return isinstance(error, away)
    return _NOT_LET_IN.search(str(error)) is None


def connect(
    place: PostgresqlLocation, *, busy_timeout_s: float, read_only: bool, patience_s: float = 0.0
) -> Session:
    """A session, in autocommit mode, once a server answers. Raises what psycopg does.

    A commit is on the disk when it returns, on that of a synchronous standby too, if there is one.
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
        if read_only:  # else it is the administrator's word, who may want rest
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

    def __init__(
        self, place: PostgresqlLocation, *, busy_timeout_s: float, clock: ServerClock
    ) -> None:
        """Connect. Raises what psycopg does."""
        self._place = place
        self._busy_timeout_s = busy_timeout_s
        self._clock = clock
        self._writer_id = secrets.token_hex(16)
        self._number = 0
        self._is_begun = False
        self._commits: int | None = None
        """How many commits there were when this session had written last."""
        self._others_write = False
        """Whether somebody else had, when this session took the row last."""
        self._waiting: list[Statement] = []
        """What the server has not been told."""
        connected = connect(place, busy_timeout_s=busy_timeout_s, read_only=False)
        super().__init__(connected.connection, name=place.schema)

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is begun, and its connection is not lost."""
        return self._is_begun and not self.lost

    def begin(self) -> None:
        """Begin a transaction as the only writer, on a new connection where the last is lost.

        The server hears of it with what comes next; at once where others write too, for then it
        takes a while.
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
        """Run one statement for each of the rows: in a transaction, with what comes next."""
        statements = self._statements(statement, list(rows))
        if self._is_begun:
            self._waiting += statements
        else:
            self._run(statements)

    def settle(self) -> None:
        """Wait for what was begun or changed so far."""
        self._run([])

    def forget(self) -> None:
        """Let go of changes that the server has not been told."""
        self._waiting.clear()

    def _run(self, statements: Sequence[Statement]) -> list[Rows]:
        """Run what waits, and statements behind it; what each of these gave."""
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
                self.connection.close()  # whatever it was, a new one begins anew
            raise
        if takes_row:
            self._take_row(*rows[1].fetchall()[0])
        return rows[len(waiting) :]

    def _take_row(self, now: datetime, commits: int) -> None:
        """Note what stands in the row that is held from now on."""
        self._clock.tell(now)
        self._others_write = self._commits not in {None, commits}
        self._commits = commits

    def commit(self) -> None:
        """Commit; where the connection is lost meanwhile, ask whether it came to be.

        Raises what psycopg does where it did not, StorageError (reason "away") where nobody
        answers in time.
        """
        self._number += 1
        self.executemany(_NOTE, [(self._writer_id, self._number)])
        try:
            self._run([(_COUNT, ()), ("COMMIT", ())])
        except psycopg.OperationalError as error:
            if _is_answer(error) and not self.lost:
                raise
            self.connection.close()
            if not self._came_to_be():
                raise
        self._is_begun = False
        if self._commits is not None:
            self._commits += 1

    def _came_to_be(self) -> bool:
        """Whether the last commit did; the connection is lost again where it did not.

        It is asked in a transaction that writes: where that is on a synchronous standby, so is all
        before it.
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
        """Close the connection; nobody will ask for the last commit any more."""
        if not self.lost:
            with contextlib.suppress(psycopg.Error):  # another writer does it then
                self.execute(_FORGET, (self._writer_id,))
        super().close()


def _is_answer(error: psycopg.Error) -> bool:
    """Whether the server has refused a statement, and goes on: what it is part of is not done."""
    return error.sqlstate is not None and not isinstance(error, ENDING)
