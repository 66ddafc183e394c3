"""One thread that writes, so that those who commit at the same time share one flush of the disk.

Whoever writes hands in a job and waits. The thread takes all jobs that wait, runs them inside one
transaction, commits once, and only then answers them all. Jobs of one kind are done in one go;
where any fails, all is undone and each runs again in a savepoint of its own, so that what fails
harms nobody else.
"""

from __future__ import annotations

import contextlib
import os
import queue
import sqlite3
import threading
import time
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from permacite.archive.records.rows import Transaction
from permacite.archive.sqlite.connection import connect, reporting
from permacite.errors import PermaciteError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from permacite.archive.entries import Sealer
    from permacite.archive.model import Timekeeper

__all__ = ["Writer"]

T = TypeVar("T")
I = TypeVar("I")  # noqa: E741 - what goes in

_MAX_JOBS = 256
"""In one transaction: keeps the wait of the first one short."""
_PATIENCE_S = 0.005
"""How long a transaction waits for announced jobs at most, and never over half as long as the last
one took: what it may gain is a flush."""


class _Job(Generic[I, T]):
    """Something to be written, and the place of its answer."""

    __slots__ = ("_done", "item", "outcome", "work")

    def __init__(
        self, work: Callable[[Transaction, Sequence[I]], Sequence[T | Exception]], item: I
    ) -> None:
        self.work = work
        self.item = item
        self.outcome: T | Exception | None = None
        self._done = threading.Lock()  # half the cost of an event or a future
        self._done.acquire()

    def wait(self, path: Path) -> T | PermaciteError:
        """Wait until the outcome is on the disk; what SQLite refused is a StorageError."""
        self._done.acquire()
        try:
            with reporting(path):
                if isinstance(self.outcome, Exception):
                    raise self.outcome
        except PermaciteError as error:
            return error
        return self.outcome  # type: ignore[return-value]

    def acknowledge(self) -> None:
        """Answer: the transaction is on the disk, or gone."""
        self._done.release()


class Writer:
    """The only writer of this process; it starts with the first job."""

    def __init__(
        self, path: Path, *, clock: Timekeeper, sealer: Sealer, busy_timeout_s: float
    ) -> None:
        self._path = path
        self._clock = clock
        self._sealer = sealer
        self._busy_timeout_s = busy_timeout_s
        self._jobs: queue.SimpleQueue[_Job[Any, Any] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._process = os.getpid()
        self._announced = 0

    @contextlib.contextmanager
    def announced(self) -> Iterator[int]:
        """Say that a job is coming, until the block ends; give how many are, this one included.

        A transaction waits a little for them, so that they share its flush.
        """
        with self._lock:
            self._announced += 1
            many = self._announced
        try:
            yield many
        finally:
            with self._lock:
                self._announced -= 1

    def run(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a transaction and return its value once that is on the disk.

        Raises what `work` raises, after undoing it alone; StorageError where SQLite refuses.
        """
        (outcome,) = self.run_all(_one_by_one, [work])
        if isinstance(outcome, PermaciteError):
            raise outcome
        return outcome

    def run_all(
        self,
        work: Callable[[Transaction, Sequence[I]], Sequence[T | Exception]],
        items: Sequence[I],
    ) -> list[T | PermaciteError]:
        """Run `work` on these items and on those that others hand in at the same time, in order.

        It answers for each item with a value or with an error. Where it raises, all it did is
        undone, and it is called again for each item by itself.
        """
        jobs = [_Job(work, item) for item in items]
        with self._lock:
            self._start()
            for job in jobs:
                self._jobs.put(job)
        return [job.wait(self._path) for job in jobs]

    @contextlib.contextmanager
    def beside(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection of its own, for what cannot be done in a transaction."""
        with reporting(self._path):
            connection = connect(self._path, busy_timeout_s=self._busy_timeout_s)
            with contextlib.closing(connection):
                yield connection

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
        if self._thread is not None and os.getpid() == self._process:
            return
        if os.getpid() != self._process:
            raise StorageError(
                "the archive was opened before this process was forked: open it in each process",
                path=str(self._path),
                reason="io",
            )
        with reporting(self._path):
            connection = connect(self._path, busy_timeout_s=self._busy_timeout_s)
        self._thread = threading.Thread(
            target=self._work, args=(connection,), name="permacite-writer", daemon=True
        )
        self._thread.start()

    def _work(self, connection: sqlite3.Connection) -> None:
        """Serve until the sentinel comes."""
        patience_s = 0.0
        transaction = Transaction(connection, self._clock, self._sealer)
        try:
            while jobs := self._waiting(patience_s):
                start = time.monotonic()
                _commit(transaction, jobs)
                patience_s = min(_PATIENCE_S, (time.monotonic() - start) / 2)
        finally:
            connection.close()

    def _waiting(self, patience_s: float) -> list[_Job[Any, Any]]:
        """Wait for a job; return it with those that come with it; empty at the end."""
        jobs: list[_Job[Any, Any]] = []
        job = self._jobs.get()
        deadline = time.monotonic() + patience_s
        while job is not None:
            jobs.append(job)
            if len(jobs) == _MAX_JOBS:
                return jobs
            left_s = deadline - time.monotonic() if len(jobs) < self._announced else 0.0
            try:
                job = self._jobs.get(timeout=max(0.0, left_s))
            except queue.Empty:
                return jobs
        if jobs:
            self._jobs.put(None)  # seen too early: these jobs come first
        return jobs


def _one_by_one(
    transaction: Transaction, items: Iterable[Callable[[Transaction], T]]
) -> list[T | Exception]:
    """Run items that have nothing in common; the first that fails raises."""
    return [work(transaction) for work in items]


def _commit(transaction: Transaction, jobs: list[_Job[Any, Any]]) -> None:
    """Run `jobs` in one transaction, commit, then answer each."""
    connection = transaction.connection
    try:
        connection.execute("BEGIN IMMEDIATE")
        if not _all_at_once(transaction, jobs):
            connection.execute("ROLLBACK")
            connection.execute("BEGIN IMMEDIATE")
            for job in jobs:
                _attempt(transaction, job)
        connection.execute("COMMIT")
    except Exception as error:  # noqa: BLE001 - none of the jobs happened: all are told
        with contextlib.suppress(sqlite3.Error):
            connection.rollback()
        for job in jobs:
            job.outcome = error
    for job in jobs:
        job.acknowledge()


def _all_at_once(transaction: Transaction, jobs: list[_Job[Any, Any]]) -> bool:
    """Do all jobs, those of one kind in one go, and say whether every one of them was answered.

    There is no savepoint: SQLite would copy every page before it is changed. Raises sqlite3.Error
    where a failure took the whole transaction with it.
    """
    kinds: dict[Callable[..., Sequence[object]], list[_Job[Any, Any]]] = {}
    for job in jobs:
        kinds.setdefault(job.work, []).append(job)
    try:
        for work, same in kinds.items():
            outcomes = work(transaction, [job.item for job in same])
            for job, outcome in zip(same, outcomes, strict=True):
                job.outcome = outcome
    except Exception:
        if not transaction.connection.in_transaction:
            raise
        return False
    return True


def _attempt(transaction: Transaction, job: _Job[Any, Any]) -> None:
    """Do one job in a savepoint of its own.

    Raises sqlite3.Error where the failure took the whole transaction with it.
    """
    connection = transaction.connection
    connection.execute("SAVEPOINT job")
    try:
        (job.outcome,) = job.work(transaction, [job.item])
    except Exception as error:
        if not connection.in_transaction:
            raise
        connection.execute("ROLLBACK TO job")
        job.outcome = error
    connection.execute("RELEASE job")
