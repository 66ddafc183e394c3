"""Connections to PostgreSQL: how each is set up, what its errors mean, who waits for a failover."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

import psycopg
from psycopg import errors, sql

from permacite.archive.postgresql.session import Session
from permacite.errors import PermaciteError, StorageError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.postgresql.location import PostgresqlLocation

__all__ = ["PATIENCE_S", "connect", "opening", "reading_rows", "reporting"]

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
