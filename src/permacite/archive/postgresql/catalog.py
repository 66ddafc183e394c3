"""Catalog in one schema of a PostgreSQL database: its sessions, faults, settings and commit count.

`faults` compares the triggers, functions, indexes, keys and references with those of the schema.
`cautions` warns of settings of the server that may lose acknowledged commits. A role without
pg_monitor sees only the names of programs that replicate. Backups, copies of the log and
subscriptions are not counted as standbys. `Moments` asks for the number of commits at each request
of a server. It uses libpq's own calls, which take a fifth of the time of a statement, and waits for
the answer at most 20 ms. A thread of its own connects.
"""

from __future__ import annotations

import contextlib
import select
import threading
import time
from typing import TYPE_CHECKING

import psycopg
from psycopg.pq import ExecStatus

from permacite.archive.engine.catalog import Catalog as AnyCatalog
from permacite.archive.model.answered import Timekeeper, utc_now
from permacite.archive.postgresql.connection import (
    PATIENCE_S,
    ServerClock,
    WritingSession,
    connect,
    opening,
    reading_rows,
    reporting,
)
from permacite.archive.postgresql.schema import FUNCTIONS, INDEXES, KEYS, TABLE_NAMES, TRIGGERS
from permacite.archive.records.days import kept
from permacite.archive.schema import SCHEMA_VERSION
from permacite.errors import PermaciteError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from permacite.archive.entries import Sealer
    from permacite.archive.model.answered import Clock
    from permacite.archive.postgresql.location import PostgresqlLocation
    from permacite.archive.postgresql.session import Session
    from permacite.archive.records.rows import Session as AnySession

__all__ = ["Catalog", "Moments", "cautions", "faults"]

_HERE = "(SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
_TRIGGERS = f"""
SELECT c.relname, t.tgname, t.tgenabled = 'O'
FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
WHERE c.relnamespace = {_HERE} AND NOT t.tgisinternal
"""
_FUNCTIONS = f"SELECT proname, prosrc FROM pg_proc WHERE pronamespace = {_HERE}"
_INDEXES = f"""
SELECT c.relname FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
WHERE c.relnamespace = {_HERE} AND i.indisvalid
"""
_KEYS = f"""
SELECT t.relname, c.conname, CAST(c.contype AS TEXT), c.convalidated, f.relname, (
  SELECT array_agg(CAST(a.attname AS TEXT) ORDER BY k.place)
  FROM unnest(c.conkey) WITH ORDINALITY AS k (attnum, place)
  JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = k.attnum
), (SELECT a.attname FROM pg_attribute AS a WHERE a.attrelid = f.oid AND a.attnum = c.confkey[1])
FROM pg_constraint AS c JOIN pg_class AS t ON t.oid = c.conrelid
LEFT JOIN pg_class AS f ON f.oid = c.confrelid
WHERE c.connamespace = {_HERE} AND c.conparentid = 0
"""
_BROKEN = """
SELECT DISTINCT n.{column} FROM {table} AS n LEFT JOIN {other} AS o ON o.{to} = n.{column}
WHERE n.{column} IS NOT NULL AND o.{to} IS NULL
"""
_KINDS = {"p": "primary key", "u": "unique key", "f": "reference"}
_ASKED = """
SELECT current_setting('fsync') = 'off', current_setting('full_page_writes') = 'off',
  current_setting('synchronous_standby_names'), count(s.pid),
  count(s.pid) FILTER (WHERE coalesce(s.sync_state, 'hidden') IN ('sync', 'quorum', 'hidden')),
  quote_literal('ANY 1 (' || string_agg(DISTINCT quote_ident(s.application_name), ', ') || ')'),
  bool_and(s.state IS NULL), pg_is_in_recovery()
FROM (SELECT 1) AS one LEFT JOIN pg_stat_replication AS s
  ON s.application_name NOT IN ('pg_basebackup', 'pg_receivewal')
  AND (s.state IS NULL OR s.replay_lsn IS NOT NULL)
  AND NOT EXISTS (
    SELECT 1 FROM pg_replication_slots WHERE active_pid = s.pid AND slot_type = 'logical'
  )
"""
"""A hidden walsender has nulls except for its pid and name; receivers of the write-ahead log and
backups have no `replay_lsn`."""

_CHANGE = "Say ALTER SYSTEM SET {} = {}, and SELECT pg_reload_conf()"
_UNFLUSHED = (
    "fsync is off: where the machine of the database crashes, what was acknowledged is lost, or the"
    " whole database broken. " + _CHANGE.format("fsync", "on")
)
_TORN = (
    "full_page_writes is off: where the machine of the database crashes, pages of it may be torn,"
    " unless its file system writes them whole. " + _CHANGE.format("full_page_writes", "on")
)
_UNAWAITED = (
    "{} follows the database, and no commit waits for it: a failover loses what was acknowledged"
    " last, and gives names that people have seen to others. "
    + _CHANGE.format("synchronous_standby_names", "{}")
)
_SEEN, _HIDDEN = "a standby", "a standby, or what looks like one to a role without pg_monitor,"
_AWAITED = (
    "commits wait for a standby, and none that synchronous_standby_names = {!r} names is connected:"
    " nothing is acknowledged until one is"
)
_NAME = b"moment"
_QUESTION = b"SELECT commits FROM log_head"
_MOST_S = 0.02
_REST_S = 1.0
"""The pause after an answer that came too late, or not at all."""


class Catalog(AnyCatalog):
    """The catalog of an archive in PostgreSQL. Any number of machines may use it at once."""

    is_remote = True

    def __init__(
        self, place: PostgresqlLocation, *, clock: Clock, busy_timeout_s: float, sealer: Sealer
    ) -> None:
        """Open it. Raises StorageError (reasons "not-an-archive", "newer", "locked", "io").

        The server's clock dates names, unless `clock` is another than the system's.
        """
        self._place = place
        self._busy_timeout_s = busy_timeout_s
        self._server_clock = ServerClock()
        self._patience_s = 0.0  # no wait for a server that has never answered
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
        """Run the migrations that are left, all or none."""
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
        """Turn errors of PostgreSQL, and of damaged rows, into StorageError."""
        return reporting(self.where)

    def reading_rows(self) -> AbstractContextManager[None]:
        """Do the same where no argument can be wrong, so that each ValueError is damage."""
        return reading_rows(self.where)

    @contextlib.contextmanager
    def moments(self) -> Iterator[Callable[[], int | None]]:
        """Return a function, for one thread, whose number changes with each write of anybody."""
        moments = Moments(self.reader)
        moments.open()
        try:
            yield moments
        finally:
            moments.close()

    def rule_faults(self, session: AnySession) -> Iterator[str]:
        """Yield faults of the schema: missing or altered rules and keys, broken references."""
        yield from faults(session)

    def cautions(self) -> tuple[str, ...]:
        """Return warnings of settings that may lose acknowledged commits, or stop all commits."""
        return self.read(cautions)

    def scour(self) -> bool:
        """Free the pages of deleted rows, so that they are overwritten.

        The server's write-ahead log, copies and backups keep their data until they are removed.
        """
        with self.reporting(), contextlib.closing(self.writer()) as session:
            session.execute("VACUUM")
        return True


def faults(session: AnySession) -> Iterator[str]:
    """Yield what is missing, disabled or altered in the schema, and broken references."""
    yield from _trigger_faults(session)
    yield from _index_faults(session)
    yield from _key_faults(session)


def _trigger_faults(session: AnySession) -> Iterator[str]:
    found = session.execute(_TRIGGERS).fetchall()
    for name in sorted(TRIGGERS - {name for _, name, is_on in found if is_on}):
        yield f"the trigger {name} is missing or off"
    for table, name, _ in sorted(found):
        if table in TABLE_NAMES and name not in TRIGGERS:
            yield f"the trigger {name} of {table} is not ours"
    sources = dict(session.execute(_FUNCTIONS).fetchall())
    for name, source in sorted(FUNCTIONS.items()):
        if sources.get(name, "").strip() != source.strip():
            yield f"the function {name} is missing or another"


def _index_faults(session: AnySession) -> Iterator[str]:
    for name in sorted(INDEXES - {name for (name,) in session.execute(_INDEXES)}):
        yield f"the index {name} is missing or not finished"


def _key_faults(session: AnySession) -> Iterator[str]:
    left = set(KEYS)
    for table, name, kind, is_checked, other, columns, to in session.execute(_KEYS).fetchall():
        if table not in TABLE_NAMES:
            continue
        left.discard((table, kind, tuple(columns or ())))
        if not is_checked:
            yield f"{name} of {table} was never checked"
        if kind == "f":
            (column,) = columns
            question = _BROKEN.format(table=table, column=column, other=other, to=to)
            for (value,) in session.execute(question):
                yield f"{column} {value} of {table} refers to no row of {other}"
    for table, kind, columns in sorted(left):
        yield f"the {_KINDS[kind]} ({', '.join(columns)}) of {table} is missing"


def cautions(session: AnySession) -> tuple[str, ...]:
    """Return warnings of what may lose or stop commits, and what to do.

    A standby reports the settings that hold once it takes over. Only its primary knows its delay.
    """
    ((unflushed, torn, names, standbys, awaited, those, hidden, is_standby),) = session.execute(
        _ASKED
    )
    told = [words for is_so, words in ((unflushed, _UNFLUSHED), (torn, _TORN)) if is_so]
    if is_standby:
        return tuple(told)
    if standbys and not names:
        told.append(_UNAWAITED.format(_HIDDEN if hidden else _SEEN, those))
    if names and not awaited:
        told.append(_AWAITED.format(names))
    return tuple(told)


class Moments:
    """Return the number of commits, None if it does not come at once. For one thread."""

    def __init__(self, connect: Callable[[], Session]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._is_closed = self._is_connecting = self._is_asked = False
        self._rests_until = 0.0

    def __call__(self) -> int | None:
        """Return the number of commits at the call, or a later one."""
        session = self._session
        if time.monotonic() < self._rests_until:
            return None
        if session is None:
            self._begin()
            return None
        try:
            if self._is_asked:  # that answer is of an earlier moment
                self._answer(session, 0.0)
            number = None if self._is_asked else self._ask(session)
        except psycopg.Error:
            self._drop()
            number = None
        if number is None:
            self._rests_until = time.monotonic() + _REST_S
        return number

    def close(self) -> None:
        """Close the connection; no further one is made."""
        with self._lock:
            self._is_closed = True
        self._drop()

    def open(self) -> None:
        """Connect. Raises StorageError."""
        session = self._connect()
        session.connection.pgconn.prepare(_NAME, _QUESTION)
        with self._lock:
            if not self._is_closed:
                self._session = session
                return
        session.close()

    def _begin(self) -> None:
        """Connect in a thread, unless one does so already."""
        if not self._is_connecting:
            self._is_connecting = True
            threading.Thread(target=self._reopen, name="permacite-moments", daemon=True).start()

    def _reopen(self) -> None:
        try:
            with contextlib.suppress(PermaciteError, psycopg.Error):
                self.open()
        finally:
            self._is_connecting = False

    def _drop(self) -> None:
        self._is_asked = False
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _ask(self, session: Session) -> int | None:
        session.connection.pgconn.send_query_prepared(_NAME, [])
        self._is_asked = True
        return self._answer(session, _MOST_S)

    def _answer(self, session: Session, wait_s: float) -> int | None:
        """Return the answer if it comes in time; otherwise it is read at the next call."""
        line = session.connection.pgconn
        deadline = time.monotonic() + wait_s
        number = None
        while True:
            line.flush()
            while line.is_busy():
                left_s = max(0.0, deadline - time.monotonic())
                if not select.select([line.socket], [], [], left_s)[0]:
                    return None
                line.consume_input()
            result = line.get_result()
            if result is None:
                self._is_asked = False
                return number
            if result.status != ExecStatus.TUPLES_OK:
                raise psycopg.OperationalError(result.get_error_message())
            number = int(result.get_value(0, 0) or 0)
