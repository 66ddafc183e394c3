"""One thread that writes, so that those who commit at the same time share one flush of the disk.

Whoever writes hands in a job and waits. The thread takes all jobs that wait, runs each in a
savepoint of its own inside one transaction, commits once, and only then answers them all.
"""

from __future__ import annotations

import contextlib
import os
import queue
import sqlite3
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Generic, TypeVar

from permacite.archive.sqlite.connection import Readers, connect, reporting
from permacite.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from permacite.archive.model import Clock

__all__ = ["Access", "Writer"]

T = TypeVar("T")

_MAX_JOBS = 256
"""In one transaction: keeps the wait of the first one short."""


class _Job(Generic[T]):
    """Something to be written, and the place of its answer."""

    def __init__(self, work: Callable[[sqlite3.Connection], T]) -> None:
        self._work = work
        self._value: T | None = None
        self._error: Exception | None = None
        self.answer: Future[T] = Future()

    def attempt(self, connection: sqlite3.Connection) -> None:
        """Do the work in a savepoint; keep its outcome for `acknowledge`.

        Raises sqlite3.Error where the failure took the whole transaction with it.
        """
        connection.execute("SAVEPOINT job")
        try:
            self._value = self._work(connection)
        except Exception as error:
            if not connection.in_transaction:
                raise
            connection.execute("ROLLBACK TO job")
            self._error = error
        connection.execute("RELEASE job")

    def acknowledge(self) -> None:
        """Answer: the transaction is on the disk."""
        if self._error is not None:
            self.answer.set_exception(self._error)
        else:
            self.answer.set_result(self._value)  # type: ignore[arg-type]


class Writer:
    """The only writer of this process; it starts with the first job."""

    def __init__(self, path: Path, *, busy_timeout_s: float) -> None:
        self._path = path
        self._busy_timeout_s = busy_timeout_s
        self._jobs: queue.SimpleQueue[_Job[object] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._process = os.getpid()

    def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in a transaction and return its value once that is on the disk.

        Raises what `work` raises, after undoing it alone; StorageError where SQLite refuses.
        """
        job = _Job(work)
        with self._lock:
            self._start()
            self._jobs.put(job)  # type: ignore[arg-type]
        with reporting(self._path):
            return job.answer.result()

    def close(self) -> None:
        """Finish the jobs that wait, and stop."""
        with self._lock:
            self._closed = True
            self._jobs.put(None)
            thread, self._thread = self._thread, None
        if thread is not None and os.getpid() == self._process:
            thread.join()

    def _start(self) -> None:
        """Start the thread if it does not run. Raises StorageError."""
        if self._closed:
            raise StorageError("the archive is closed", path=str(self._path), reason="closed")
        if os.getpid() != self._process:
            raise StorageError(
                "the archive was opened before this process was forked: open it in each process",
                path=str(self._path),
                reason="io",
            )
        if self._thread is None:
            with reporting(self._path):
                connection = connect(self._path, busy_timeout_s=self._busy_timeout_s)
            self._thread = threading.Thread(
                target=self._work, args=(connection,), name="permacite-writer", daemon=True
            )
            self._thread.start()

    def _work(self, connection: sqlite3.Connection) -> None:
        """Serve until the sentinel comes."""
        try:
            while jobs := self._waiting():
                _commit(connection, jobs)
        finally:
            connection.close()

    def _waiting(self) -> list[_Job[object]]:
        """Wait for a job and return it with those behind it; empty at the end."""
        jobs: list[_Job[object]] = []
        job = self._jobs.get()
        while job is not None:
            jobs.append(job)
            if len(jobs) == _MAX_JOBS or self._jobs.empty():
                return jobs
            job = self._jobs.get()
        if jobs:
            self._jobs.put(None)  # seen too early: these jobs come first
        return jobs


def _commit(connection: sqlite3.Connection, jobs: list[_Job[object]]) -> None:
    """Run `jobs` in one transaction, commit, then answer each."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        for job in jobs:
            job.attempt(connection)
        connection.execute("COMMIT")
    except Exception as error:  # noqa: BLE001 - none of the jobs happened: all are told
        with contextlib.suppress(sqlite3.Error):
            connection.rollback()
        for job in jobs:
            job.answer.set_exception(error)
    else:
        for job in jobs:
            job.acknowledge()


class Access:
    """The file as the parts of a catalog use it: many read, one writes, a clock dates the rows."""

    def __init__(self, path: Path, *, clock: Clock, busy_timeout_s: float) -> None:
        self._clock = clock
        self._readers = Readers(path, busy_timeout_s=busy_timeout_s)
        self._writer = Writer(path, busy_timeout_s=busy_timeout_s)

    def close(self) -> None:
        """Finish what waits to be written and give all connections back."""
        self._writer.close()
        self._readers.close()
