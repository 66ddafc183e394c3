"""Job queue of an archive: jobs are put in, done by workers, and reported.

An archive in PostgreSQL has its queue there (Procrastinate), for workers on any machine. One in a
folder has it in an SQLite file beside the catalog, for one worker with several processes. Only one
worker at a time holds that file. So jobs that are under way when a worker opens it were left by a
dead worker.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from permacite.archive.administration import place_of
from permacite.archive.engine.location import engine_of
from permacite.archive.objects.durable import modes_of
from permacite.archive.repository import Repository
from permacite.archive.sqlite.connection import write_ahead
from permacite.errors import BusyError, PermaciteError, StorageError
from permacite.loops import to_the_end
from permacite.registry import Registry
from permacite.service.work.jobs import (
    COUNTED,
    ENTRIES,
    FORGET,
    TABLES,
    TRIES,
    Job,
    JobNotice,
    Outcome,
    TakenJob,
    of_list,
    of_log,
    of_sites,
    runs_of,
    times,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence
    from pathlib import Path
    from typing import TextIO

    from permacite.archive.engine.location import Location
    from permacite.service.work.jobs import JobRun, Queue, WorkerPool

__all__ = ["PATIENCE_S", "SqliteQueue", "do_jobs", "put_listed", "put_ranges", "runs"]

PATIENCE_S = 30.0
"""How long a worker may be silent until other workers do its jobs."""

_queues: Registry[Any] = Registry(
    "permacite.queues",
    {"postgresql": "permacite.service.work.postgresql_queue:PostgresqlQueue"},
    kind=type,
    extras={"postgresql": "cluster"},
)
"""Queues beside the records of an archive, by the name of the engine. A folder has its own."""

_PAUSE_S = 0.2
_TEND_S = 1.0
_FILE = "work.sqlite"
_TABLES = f"""
BEGIN IMMEDIATE;
CREATE TABLE job (job_id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES run,
  kind TEXT NOT NULL, what TEXT NOT NULL, lock TEXT, state TEXT NOT NULL DEFAULT 'todo',
  attempts INTEGER NOT NULL DEFAULT 0);
CREATE INDEX job_of_run ON job (run_id, state);
CREATE INDEX job_left ON job (state, job_id) WHERE state IN ('todo', 'doing');
{TABLES.format(id="INTEGER PRIMARY KEY", of_job="REFERENCES job ON DELETE CASCADE")}
PRAGMA user_version = 1;
COMMIT;
"""
_TAKE = """
UPDATE job SET state = 'doing' WHERE job_id = (
  SELECT job_id FROM job WHERE state = 'todo' AND (lock IS NULL OR lock NOT IN (
    SELECT lock FROM job WHERE state = 'doing' AND lock IS NOT NULL)) ORDER BY job_id LIMIT 1)
RETURNING job_id, kind, what, lock
"""
_AGAIN = f"""
UPDATE job SET attempts = attempts + 1,
  state = CASE WHEN attempts + 1 < {TRIES} THEN 'todo' ELSE 'failed' END
WHERE state = 'doing' AND (? IS NULL OR job_id = ?)
RETURNING job_id, kind, what, lock, state
"""  # noqa: S608 - ours
_DIED = "its worker ended before it"


def put_ranges(
    location: Location, kind: str, *, start: int = 0, entries: int = ENTRIES, **options: Any
) -> int:
    """Put in jobs over the log from the entry `start` on, with `entries` in each; how many.

    `kind`: "fixity", "derive" (option `renew`), "index", or "drift" (option `allow_private`).
    Raises StorageError.
    """
    with Repository.open(location) as archive:
        end = archive.log.size()
    divide = of_sites if kind == "drift" else of_log
    return _put(location, kind, list(divide(kind, start, end, entries, **options)))


def put_listed(location: Location, kind: str, listed: Sequence[str], **options: Any) -> int:
    """Put in jobs over slices of a list; how many.

    `kind`: "save", of addresses in normal form, or "import", of files by their whole paths. The
    options are those of `SaveOptions` and `CommitOptions` that can be written as JSON. Raises
    StorageError.
    """
    Repository.open(location).close()  # raises where none is there
    return _put(location, kind, list(of_list(kind, listed, options)))


def _put(location: Location, kind: str, jobs: Sequence[Job]) -> int:
    async def put() -> None:
        async with _queue(location) as queue:
            await queue.put(kind, jobs)

    if jobs:
        to_the_end(put())
    return len(jobs)


def runs(location: Location) -> list[JobRun]:
    """Return the latest runs, the latest first, with their progress. Raises StorageError."""

    async def ask() -> list[JobRun]:
        async with _queue(location) as queue:
            return await queue.runs()

    Repository.open(location).close()
    return to_the_end(ask())


def do_jobs(
    location: Location,
    pool: WorkerPool,
    *,
    once: bool = False,
    patience_s: float = PATIENCE_S,
    tell: Callable[[Job, Outcome], None] = lambda _job, _outcome: None,
    ending: Callable[[], None] = lambda: None,
) -> None:
    """Do jobs in a pool of workers until SIGINT or SIGTERM, or (`once`) until none is left.

    Jobs under way are finished then, and `ending` is called; a second signal ends the process at
    once. A worker without a heartbeat for `patience_s` counts as dead, and other workers do its
    jobs. Raises StorageError, BusyError.
    """

    async def run() -> None:
        stopping = asyncio.Event()
        async with _queue(location, works=True, patience_s=patience_s) as queue:
            _listen(stopping, ending)
            doing = asyncio.ensure_future(
                _work(queue, pool, once=once, stopping=stopping, tell=tell)
            )
            try:
                await asyncio.shield(doing)
            except asyncio.CancelledError:  # the thread that waits for this was interrupted
                stopping.set()
                await doing
                raise

    Repository.open(location).close()
    try:
        to_the_end(run())
    finally:
        pool.close()


def _listen(stopping: asyncio.Event, ending: Callable[[], None]) -> None:
    """End gracefully at the first signal, and at once at the second: that loses nothing either."""
    loop = asyncio.get_running_loop()

    def end() -> None:
        stopping.set()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)
        ending()

    with suppress(RuntimeError, ValueError):  # a thread of somebody's program gets no signals
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, end)


@asynccontextmanager
async def _queue(
    location: Location, *, works: bool = False, patience_s: float = PATIENCE_S
) -> AsyncIterator[Queue]:
    """Open the queue of an archive. Raises StorageError, BusyError."""
    queue: Queue
    if isinstance(location, str) and (engine := engine_of(location)):
        queue = await _queues.load(engine).open(location, works=works, patience_s=patience_s)
    else:
        queue = SqliteQueue(place_of(location).directory, works=works)
    try:
        yield queue
    finally:
        await queue.close()


async def _work(
    queue: Queue,
    pool: WorkerPool,
    *,
    once: bool,
    stopping: asyncio.Event,
    tell: Callable[[Job, Outcome], None],
) -> None:
    """Do jobs until `stopping` is set, or (`once`) until none is left; finish those under way.

    `tell` gets the outcome of each.
    """
    threads = ThreadPoolExecutor(pool.size, thread_name_prefix="job")
    loop = asyncio.get_running_loop()

    async def take_part() -> None:
        while not stopping.is_set():
            taken = await queue.take()
            if taken is None:
                if once and not await queue.tend():
                    stopping.set()
                await _wait(stopping, _PAUSE_S)
                continue
            outcome = await loop.run_in_executor(threads, pool.do, taken.job)
            await queue.finish(taken, outcome)
            tell(taken.job, outcome)

    async def tend() -> None:
        while not all(each.done() for each in parts):
            await queue.tend()
            await asyncio.wait(parts, timeout=_TEND_S)

    parts: list[asyncio.Task[None]] = []
    try:
        async with asyncio.TaskGroup() as group:
            parts += [group.create_task(take_part()) for _ in range(pool.size)]
            group.create_task(tend())
    except* PermaciteError as errors:
        raise errors.exceptions[0] from None
    finally:
        threads.shutdown(wait=True)


async def _wait(stopping: asyncio.Event, seconds: float) -> None:
    """Wait so long, or until `stopping` is set."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stopping.wait(), seconds)


class SqliteQueue:
    """The queue in the folder of an archive."""

    def __init__(self, folder: Path, *, works: bool) -> None:
        """Open it, made where it is missing; for a worker (`works`), or to put and to look.

        Raises BusyError where another worker is at it, StorageError.
        """
        self._where = str(folder / _FILE)
        self._held: TextIO | None = _hold(folder / f"{_FILE}-lock") if works else None
        try:
            with self._reporting():
                _make(folder / _FILE)
                self._connection = sqlite3.connect(
                    folder / _FILE, timeout=30, isolation_level=None, check_same_thread=False
                )
                self._prepare()
                if works:
                    # What a worker notes may be lost with the power: then a job is done again.
                    self._connection.execute("PRAGMA synchronous = NORMAL")
                    self._again(None, _DIED)
        except BaseException:
            self._let_go()
            raise

    def _prepare(self) -> None:
        connection = self._connection
        connection.execute("PRAGMA foreign_keys = ON")
        write_ahead(connection)
        if connection.execute("PRAGMA user_version").fetchone() == (0,):
            try:
                connection.executescript(_TABLES)
            except sqlite3.OperationalError:  # another process was quicker
                connection.rollback()
                if connection.execute("PRAGMA user_version").fetchone() == (0,):
                    raise

    async def put(self, kind: str, jobs: Sequence[Job]) -> int:
        """Put the jobs of a run, all or none; the number of the run. Raises StorageError."""
        now, long_ago = times()
        with self._writing() as connection:
            for statement in FORGET:
                connection.execute(statement.format(before="?"), (long_ago,))
            run = connection.execute(
                "INSERT INTO run (kind, put_at) VALUES (?, ?)", (kind, now)
            ).lastrowid
            connection.executemany(
                "INSERT INTO job (run_id, kind, what, lock) VALUES (?, ?, ?, ?)",
                [(run, job.kind, json.dumps(job.what), job.lock) for job in jobs],
            )
        return int(run or 0)

    async def take(self) -> TakenJob | None:
        """Take a job, if one waits that may be done now."""
        with self._writing() as connection:
            row = connection.execute(_TAKE).fetchone()
        return None if row is None else TakenJob(row[0], _job(row))

    async def finish(self, taken: TakenJob, outcome: Outcome) -> None:
        """Say what became of a job. What was not done is tried again, until it is given up."""
        if outcome.problem:
            self._again(taken.number, outcome.problem)
            return
        with self._writing() as connection:
            connection.execute(
                "UPDATE job SET state = 'succeeded', attempts = attempts + 1 WHERE job_id = ?",
                (taken.number,),
            )
            _note(connection, taken.number, outcome)

    async def tend(self) -> int:
        """How many jobs are left; of this worker alone somebody else would know that it died."""
        with self._reporting():
            (left,) = self._connection.execute(
                "SELECT count(*) FROM job WHERE state IN ('todo', 'doing')"
            ).fetchone()
        return int(left)

    async def runs(self) -> list[JobRun]:
        """The newest runs, the newest first."""
        with self._reporting():
            return runs_of(
                {name: self._connection.execute(sql).fetchall() for name, sql in COUNTED.items()}
            )

    async def close(self) -> None:
        """Close the file."""
        self._connection.close()
        self._let_go()

    def _again(self, number: int | None, problem: str) -> None:
        """Requeue a job that is being done, or all of them, or give it up."""
        with self._writing() as connection:
            for row in connection.execute(_AGAIN, (number, number)).fetchall():
                if row[-1] == "failed":
                    given_up = JobNotice("given up", str(_job(row)), problem)
                    _note(connection, row[0], Outcome(told=(given_up,)))

    def _let_go(self) -> None:
        if self._held is not None:
            self._held.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction."""
        with self._reporting():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """Turn errors of SQLite and of the disk into StorageError."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            problem = f"the jobs of this archive cannot be reached: {error}"
            raise StorageError(problem, path=self._where, reason="io") from error


def _make(path: Path) -> None:
    """Make a file that is missing, for those who may write the archive."""
    with suppress(FileExistsError):
        path.touch(exist_ok=False)
        path.chmod(modes_of(path.parent).file)


def _hold(path: Path) -> TextIO:
    """Lock a file until the worker ends, however it ends. Raises BusyError, StorageError."""
    try:
        _make(path)
        file = path.open("w")
    except OSError as error:
        problem = f"the jobs of this archive cannot be reached: {error.strerror}"
        raise StorageError(problem, path=str(path), reason="io") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise BusyError("another worker does the jobs of this archive", retry_after_s=60) from error
    return file


def _job(row: Sequence[str]) -> Job:
    return Job(row[1], json.loads(row[2]), row[3])


def _note(connection: sqlite3.Connection, number: int, outcome: Outcome) -> None:
    """Replace the counts and notices of a job."""
    connection.execute("DELETE FROM tally WHERE job_id = ?", (number,))
    connection.execute("DELETE FROM told WHERE job_id = ?", (number,))
    connection.executemany(
        "INSERT INTO tally VALUES (?, ?, ?)",
        [(number, what, many) for what, many in outcome.counts.items()],
    )
    connection.executemany(
        "INSERT INTO told (job_id, what, name, problem) VALUES (?, ?, ?, ?)",
        [(number, each.what, each.name, each.problem) for each in outcome.told],
    )
