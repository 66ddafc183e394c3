"""Job queue in PostgreSQL (Procrastinate), for workers on any number of machines.

It has a schema of its own, SCHEMA_work, in the database of the archive. The rules and grants of the
archive do not apply to it, and it can be dropped at any time. The role that makes the tables owns
them; the role that may write (`grant=` in the location) may use them.

A worker that dies loses nothing. Workers send heartbeats; jobs of a dead worker, and jobs that only
the tables assign to this worker (an answer was lost), are requeued or given up. One statement does
both, so that two workers who see the same job start it once.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Self, TypeVar

import psycopg
from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import DEFAULT_QUEUE, Status
from procrastinate.jobs import Job as Row
from procrastinate.schema import SchemaManager
from psycopg import errors, sql

from permacite.archive.postgresql.connection import PATIENCE_S as AWAY_S
from permacite.archive.postgresql.connection import reporting
from permacite.archive.postgresql.location import located
from permacite.service.work.jobs import (
    COUNTED,
    FORGET,
    TABLES,
    TRIES,
    Job,
    Outcome,
    TakenJob,
    runs_of,
    times,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence

    from permacite.archive.postgresql.location import PostgresqlLocation
    from permacite.service.work.jobs import JobRun

__all__ = ["PostgresqlQueue"]

Answer = TypeVar("Answer")
Connection = psycopg.AsyncConnection[Any]

_LONGEST = 58
"""Characters of a name before "_work": PostgreSQL takes 63."""
_AT_ONCE = 1000
_PAUSE_S = 0.2
_FORGOTTEN_S = 3600.0
"""After so long the row of a dead worker is deleted."""
_BEATS = 6
"""Heartbeats in the time after which a worker counts as dead."""
_IS_THERE = "SELECT to_regclass('run') IS NOT NULL"
_TABLES = (
    TABLES.format(
        id="BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY",
        of_job="REFERENCES procrastinate_jobs ON DELETE CASCADE",
    )
    + """
CREATE VIEW job AS SELECT id AS job_id, (args ->> 'run')::BIGINT AS run_id, status::TEXT AS state
FROM procrastinate_jobs;
CREATE INDEX job_of_run ON procrastinate_jobs (((args ->> 'run')::BIGINT), status);
CREATE INDEX job_left ON procrastinate_jobs (status) WHERE status IN ('todo', 'doing');
"""
)
_GRANTS = (
    "GRANT USAGE ON SCHEMA {schema} TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}",
    "GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}",
)
_TAKEN = (errors.UniqueViolation, errors.DuplicateObject, errors.DuplicateTable)
_LEFT = "SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')"
_AGAIN = f"""
WITH again AS (
  UPDATE procrastinate_jobs SET attempts = attempts + 1, worker_id = NULL,
    status = (CASE WHEN attempts + 1 < {TRIES} THEN 'todo' ELSE 'failed' END)
      ::procrastinate_job_status
  WHERE status = 'doing' AND ({{which}}) RETURNING id, status, args)
INSERT INTO told (job_id, what, name, problem)
SELECT id, 'given up', args ->> 'name', %(problem)s FROM again WHERE status = 'failed'
"""  # noqa: S608 - ours
_FAILED = _AGAIN.format(which="id = %(job)s AND worker_id = %(worker)s")
_DEAD = _AGAIN.format(
    which="""worker_id IS NULL OR (worker_id = %(worker)s AND id <> ALL(%(held)s))
  OR worker_id IN (SELECT id FROM procrastinate_workers
    WHERE last_heartbeat < now() - %(patience)s * INTERVAL '1 second')"""
)
_DIED = "its worker gave no sign of life any more"


class PostgresqlQueue:
    """The job queue of an archive in PostgreSQL."""

    def __init__(self, place: PostgresqlLocation, *, patience_s: float) -> None:
        """Take the place of the archive; `open` opens the queue."""
        self._patience_s = patience_s
        self._database = _QueueDatabase(place)
        self._worker: int | None = None
        self._held: set[int] = set()
        """The jobs that this worker does."""
        self._turn = asyncio.Lock()
        """A job that is being taken is not held yet: nobody looks for lost jobs meanwhile."""
        self._beat_at = 0.0

    @classmethod
    async def open(cls, location: str, *, works: bool, patience_s: float) -> Self:
        """Open the queue at a location; tables that are missing are made.

        Raises StorageError where the role may not make them.
        """
        queue = cls(located(location), patience_s=patience_s)
        with queue._database.reporting():
            await queue._database.app.open_async()
            try:
                await queue._database.make()
                if works:
                    await queue._register()
            except BaseException:
                await queue._database.app.close_async()
                raise
        return queue

    async def put(self, kind: str, jobs: Sequence[Job]) -> int:
        """Put the jobs of a run, all or none; the number of the run. Raises StorageError."""
        now, long_ago = times()
        with self._database.reporting():
            async with self._database.connection() as connection, connection.transaction():
                for statement in FORGET:
                    await connection.execute(statement.format(before="%s").encode(), (long_ago,))
                made = await connection.execute(
                    "INSERT INTO run (kind, put_at) VALUES (%s, %s) RETURNING run_id", (kind, now)
                )
                ((run,),) = await made.fetchall()
                for first in range(0, len(jobs), _AT_ONCE):
                    rows = [_row(job, run) for job in jobs[first : first + _AT_ONCE]]
                    await self._database.app.job_manager.batch_defer_jobs_async(rows, connection)
        return int(run)

    async def take(self) -> TakenJob | None:
        """Take a job, if one waits that may be done now."""
        async with self._turn:
            row = await self._database.patiently(self._fetched)
            if row is None or row.id is None:
                return None
            self._held.add(row.id)
        kwargs: dict[str, Any] = row.task_kwargs
        return TakenJob(row.id, Job(row.task_name, kwargs["what"], row.lock))

    async def _fetched(self) -> Row | None:
        try:
            return await self._database.app.job_manager.fetch_job(None, self._worker or 0)
        except ConnectorException as error:
            if not isinstance(error.__cause__, errors.ForeignKeyViolation):
                raise
        await self._register()  # others took this worker for dead, and forgot it
        return None

    async def finish(self, taken: TakenJob, outcome: Outcome) -> None:
        """Report the outcome of a job. A failed job is repeated until it is given up.

        If another worker has taken the job since, its outcome counts.
        """
        await self._database.patiently(lambda: self._finished(taken, outcome))
        self._held.discard(taken.number)

    async def _finished(self, taken: TakenJob, outcome: Outcome) -> None:
        async with self._database.connection() as connection, connection.transaction():
            said = {"job": taken.number, "worker": self._worker, "problem": outcome.problem}
            if outcome.problem:
                await connection.execute(_FAILED, said)
                return
            ours = await connection.execute(
                "SELECT FROM procrastinate_jobs"
                " WHERE id = %(job)s AND status = 'doing' AND worker_id = %(worker)s FOR UPDATE",
                said,
            )
            if ours.rowcount:
                await _note(connection, taken.number, outcome)
                await connection.execute(
                    "SELECT procrastinate_finish_job_v1(%s, %s, false)",
                    (taken.number, Status.SUCCEEDED.value),
                )

    async def tend(self) -> int:
        """Say that this worker lives; let the jobs of the dead wait again; how many are left."""
        async with self._turn:
            return await self._database.patiently(self._tended)

    async def _tended(self) -> int:
        worker, manager = self._worker or 0, self._database.app.job_manager
        if time.monotonic() >= self._beat_at:
            await manager.update_heartbeat(worker)
            self._beat_at = time.monotonic() + self._patience_s / _BEATS
        async with self._database.connection() as connection:
            said = {
                "worker": worker,
                "held": list(self._held),
                "patience": self._patience_s,
                "problem": _DIED,
            }
            await connection.execute(_DEAD, said)
            ((left,),) = await (await connection.execute(_LEFT)).fetchall()
        return int(left)

    async def runs(self) -> list[JobRun]:
        """The newest runs, the newest first."""
        with self._database.reporting():
            async with self._database.connection() as connection:
                return runs_of(
                    {
                        name: await (await connection.execute(statement.encode())).fetchall()
                        for name, statement in COUNTED.items()
                    }
                )

    async def close(self) -> None:
        """Let go of it."""
        with self._database.reporting():
            if self._worker is not None:
                await self._database.app.job_manager.unregister_worker(self._worker)
            await self._database.app.close_async()

    async def _register(self) -> None:
        manager = self._database.app.job_manager
        await manager.prune_stalled_workers(max(_FORGOTTEN_S, self._patience_s))
        self._worker = await manager.register_worker()


class _QueueDatabase:
    """The schema of the queue, and the connections to it."""

    def __init__(self, place: PostgresqlLocation) -> None:
        self._place = place
        self._schema = f"{place.schema[:_LONGEST]}_work"
        self._connector = PsycopgConnector(
            conninfo=place.server,
            min_size=1,
            max_size=2,
            timeout=AWAY_S,
            configure=self._configure,
            kwargs={"application_name": "permacite work", "autocommit": True},
        )
        self.app = App(connector=self._connector)

    async def _configure(self, connection: Connection) -> None:
        """Set the search path to the schema of the queue only."""
        await connection.execute("SELECT set_config('search_path', %s, false)", (self._schema,))

    async def make(self) -> None:
        """Make the tables, whole or not at all, where they are missing."""
        async with self.connection() as connection:
            ((is_there,),) = await (await connection.execute(_IS_THERE)).fetchall()
            if is_there:
                return
            role = self._place.grant
            names = {"schema": sql.Identifier(self._schema), "role": sql.Identifier(role or "")}
            with suppress(*_TAKEN):  # another process makes them at the same moment
                async with connection.transaction():
                    made = sql.SQL("CREATE SCHEMA IF NOT EXISTS {schema}").format(**names)
                    await connection.execute(made)
                    await connection.execute(SchemaManager.get_schema().encode())
                    await connection.execute(_TABLES.encode())
                    for grant in _GRANTS if role is not None else ():
                        await connection.execute(sql.SQL(grant).format(**names))

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """Lend a connection of the pool."""
        async with self._connector.pool.connection() as connection:
            yield connection

    async def patiently(self, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        """Ask, and repeat while the database is unavailable: it restarts, or fails over."""
        until = time.monotonic() + AWAY_S
        with self.reporting():
            while True:
                try:
                    return await ask()
                except (ConnectorException, psycopg.OperationalError) as error:
                    away = error.__cause__ if isinstance(error, ConnectorException) else error
                    if not isinstance(away, psycopg.OperationalError) or time.monotonic() > until:
                        raise
                await asyncio.sleep(_PAUSE_S)

    @contextmanager
    def reporting(self) -> Iterator[None]:
        """Turn errors of PostgreSQL and Procrastinate into StorageError."""
        with reporting(self._place.where):
            try:
                yield
            except ConnectorException as error:
                raise error.__cause__ or error from error


def _row(job: Job, run: int) -> Row:
    """Return a job in the form of Procrastinate."""
    return Row(
        id=None,
        queue=DEFAULT_QUEUE,
        lock=job.lock,
        queueing_lock=None,
        task_name=job.kind,
        task_kwargs={"run": run, "name": str(job), "what": dict(job.what)},
    )


async def _note(connection: Connection, number: int, outcome: Outcome) -> None:
    """Replace the counts and notices of a job."""
    await connection.execute("DELETE FROM tally WHERE job_id = %s", (number,))
    await connection.execute("DELETE FROM told WHERE job_id = %s", (number,))
    cursor = connection.cursor()
    await cursor.executemany(
        "INSERT INTO tally VALUES (%s, %s, %s)",
        [(number, what, many) for what, many in outcome.counts.items()],
    )
    await cursor.executemany(
        "INSERT INTO told (job_id, what, name, problem) VALUES (%s, %s, %s, %s)",
        [(number, each.what, each.name, each.problem) for each in outcome.told],
    )
