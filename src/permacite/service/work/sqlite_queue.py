"""Job queue in SQLite, for an archive in a folder: a file beside the catalog, for one worker.

Only one worker at a time holds the file. So jobs that are under way when a worker opens it were
left by a dead worker.
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Self

from permacite.archive.objects.durable import modes_of
from permacite.archive.sqlite.connection import write_ahead
from permacite.errors import BusyError, StorageError
from permacite.service.work.jobs import (
    COUNTED,
    FORGET,
    TABLES,
    TRIES,
    Job,
    JobNotice,
    Outcome,
    TakenJob,
    runs_of,
    times,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import TextIO

    from permacite.service.work.jobs import JobRun

__all__ = ["SqliteQueue"]

FILE = "work.sqlite"
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


class SqliteQueue:
    """The queue in the folder of an archive."""

    def __init__(self, folder: Path, *, works: bool) -> None:
        """Open it, made where it is missing; for a worker (`works`), or to put and to look.

        Raises BusyError where another worker is at it, StorageError.
        """
        self._where = str(folder / FILE)
        self._held: TextIO | None = _hold(folder / f"{FILE}-lock") if works else None
        try:
            with self._reporting():
                _make(folder / FILE)
                self._connection = sqlite3.connect(
                    folder / FILE, timeout=30, isolation_level=None, check_same_thread=False
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
        """Let go of it."""
        self._connection.close()
        self._let_go()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _again(self, number: int | None, problem: str) -> None:
        """Let a job that is being done wait again, or all of them; or give it up."""
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
        """Turn what the engine and the disk raise into the error that says it."""
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
    """Hold the lock of a worker until it ends, in whatever way."""
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
    """Note what a job told, in place of what it told before."""
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
