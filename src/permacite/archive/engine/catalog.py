"""The catalog on any engine, and group commit: one thread writes for all that commit together.

Each caller submits a job and waits. The thread takes all waiting jobs, runs them in one
transaction, commits once, and only then answers them all. Jobs of one kind run together. If one
fails, all is undone and each job runs again in a savepoint of its own, so that a failure harms no
other job.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

from permacite.archive.records import fixity
from permacite.archive.records.rows import Transaction
from permacite.errors import PermaciteError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from permacite.archive.entries import Sealer
    from permacite.archive.model.answered import Timekeeper
    from permacite.archive.records.rows import Session, WritingSession

__all__ = ["Catalog", "Writer"]

P = ParamSpec("P")
T = TypeVar("T")
Input = TypeVar("Input")

_MAX_JOBS = 256
"""In one transaction, so that the first one does not wait long."""
_AGAIN_S = 30
"""How long a transaction is tried again after its connection is lost."""
_PATIENCE_S = 0.005
"""The longest wait of a transaction for announced jobs. It never waits longer than half the time of
the last transaction: all that it may gain is a flush."""


class Catalog(ABC):
    """The records of one archive. Any number of threads and processes may use them at once.

    A question is a function of a session, and a change a function of a Transaction.
    """

    is_remote = False
    """Whether each question is a round trip to another process, perhaps on this machine."""

    def __init__(self, where: str, *, clock: Timekeeper, sealer: Sealer) -> None:
        """The `clock` dates rows, and the `sealer` makes leaves of log entries.

        `where` is the location for people, without secrets.
        """
        self.where = where
        self.clock = clock
        self._lock = threading.Lock()
        self._free: list[Session] = []
        """Read-only sessions that are not in use."""
        self._closed = False
        self.group_commit = Writer(where, self.writer, self.reporting, clock=clock, sealer=sealer)

    @abstractmethod
    def reader(self) -> Session:
        """Open a read-only session. Raises StorageError."""

    @abstractmethod
    def writer(self) -> WritingSession:
        """Open a session that writes. Raises StorageError."""

    @abstractmethod
    def reporting(self) -> AbstractContextManager[None]:
        """Turn errors of the engine and damaged rows into StorageError."""

    @abstractmethod
    def reading_rows(self) -> AbstractContextManager[None]:
        """Do the same where a ValueError can only come from a damaged row."""

    @abstractmethod
    def moments(self) -> AbstractContextManager[Callable[[], int | None]]:
        """Yield a function for one thread, whose number changes with each write of any process.

        It never waits: it returns None where the engine does not answer at once.
        """

    @abstractmethod
    def scour(self) -> bool:
        """Remove traces of deleted rows from the files; return whether all are gone."""

    @abstractmethod
    def rule_faults(self, session: Session) -> Iterator[str]:
        """Yield the faults that the engine finds: damage, broken references, missing rules."""

    @abstractmethod
    def cautions(self) -> tuple[str, ...]:
        """Warnings about settings of the engine that may lose acknowledged commits.

        Raises StorageError.
        """

    def read(
        self, question: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Answer a question in a read-only session. Raises StorageError.

        Our own errors of `question` are raised; all others mean that rows are damaged. If the
        connection is lost, the question is asked again in a new session.
        """
        while True:
            session = self._take()
            try:
                return question(session, *args, **kwargs)
            except Exception as error:
                if not session.lost:
                    if isinstance(error, StorageError) and not error.path:
                        error.path = self.where  # records do not know their location
                    with self.reading_rows():
                        raise
            finally:
                self._give_back(session)

    @contextlib.contextmanager
    def lent(self) -> Iterator[Session]:
        """Lend a read-only session until the block ends."""
        session = self._take()
        try:
            yield session
        finally:
            self._give_back(session)

    def write(
        self, change: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Make a change, and return its value once it is on the disk.

        Raises what `change` raises, after undoing it alone; StorageError.
        """
        return self.group_commit.run(lambda transaction: change(transaction, *args, **kwargs))

    def faults(self) -> Iterator[str]:
        """Yield the faults of records, and of columns that follow from others."""
        with self.lent() as session, self.reading_rows():
            yield from self.rule_faults(session)
            yield from fixity.row_faults(session)

    def close(self) -> None:
        """Finish waiting jobs and close all sessions; lent ones are closed when returned."""
        self.group_commit.close()
        with self._lock:
            self._closed = True
        self.forget_free()

    def forget_free(self) -> None:
        """Close the sessions that are not in use."""
        with self._lock:
            free, self._free = self._free, []
        for session in free:
            session.close()

    def _take(self) -> Session:
        """Return a session that is not in use. Raises StorageError."""
        with self._lock:
            if self._closed:
                raise StorageError("the archive is closed", path=self.where, reason="closed")
            if self._free:
                return self._free.pop()
        return self.reader()

    def _give_back(self, session: Session) -> None:
        """Return a session to the pool."""
        with self._lock:
            if not (self._closed or session.lost):
                self._free.append(session)
                return
        session.close()


class _Job(Generic[Input, T]):
    """A change that waits, and later its outcome."""

    __slots__ = ("_done", "item", "outcome", "work")

    def __init__(
        self, work: Callable[[Transaction, Sequence[Input]], Sequence[T | Exception]], item: Input
    ) -> None:
        self.work = work
        self.item = item
        self.outcome: T | Exception | None = None
        self._done = threading.Lock()  # half the cost of an event or a future
        self._done.acquire()

    def wait(self, reporting: Callable[[], AbstractContextManager[None]]) -> T | PermaciteError:
        """Wait until the outcome is on the disk; an error of the engine is a StorageError."""
        self._done.acquire()
        try:
            with reporting():
                if isinstance(self.outcome, Exception):
                    raise self.outcome
        except PermaciteError as error:
            return error
        return self.outcome  # type: ignore[return-value]

    def acknowledge(self) -> None:
        """Answer: the transaction is on the disk, or undone."""
        self._done.release()


class Writer:
    """The only writer of this process; it starts with the first job."""

    def __init__(
        self,
        where: str,
        session: Callable[[], WritingSession],
        reporting: Callable[[], AbstractContextManager[None]],
        *,
        clock: Timekeeper,
        sealer: Sealer,
    ) -> None:
        """`session` opens a session; `reporting` turns errors of the engine into StorageError."""
        self._where = where
        self._session = session
        self._reporting = reporting
        self._clock = clock
        self._sealer = sealer
        self._jobs: queue.SimpleQueue[_Job[Any, Any] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._process = os.getpid()
        self._announced = 0

    @contextlib.contextmanager
    def announced(self) -> Iterator[int]:
        """Announce a job until the block ends; yield how many are announced, with this one.

        A transaction waits a little for announced jobs, so that they share its flush.
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

        Raises what `work` raises, after undoing it alone; StorageError where the engine refuses.
        """
        (outcome,) = self.run_all(_one_by_one, [work])
        if isinstance(outcome, PermaciteError):
            raise outcome
        return outcome

    def run_all(
        self,
        work: Callable[[Transaction, Sequence[Input]], Sequence[T | Exception]],
        items: Sequence[Input],
    ) -> list[T | PermaciteError]:
        """Run `work` on these items, together with those of other callers, in order.

        It returns a value or an error for each item. If it raises, all is undone, and it is called
        again for each item alone.
        """
        jobs = [_Job(work, item) for item in items]
        with self._lock:
            self._start()
            for job in jobs:
                self._jobs.put(job)
        return [job.wait(self._reporting) for job in jobs]

    def close(self) -> None:
        """Finish the waiting jobs, and stop."""
        with self._lock:
            self._closed = True
            self._jobs.put(None)
            thread, self._thread = self._thread, None
        if thread is not None and os.getpid() == self._process:
            thread.join()

    def _start(self) -> None:
        """Start the thread if it does not run. Raises StorageError."""
        if self._closed:
            raise StorageError("the archive is closed", path=self._where, reason="closed")
        if self._thread is not None and os.getpid() == self._process:
            return
        if os.getpid() != self._process:
            raise StorageError(
                "the archive was opened before this process was forked: open it in each process",
                path=self._where,
                reason="io",
            )
        session = self._session()
        self._thread = threading.Thread(
            target=self._work, args=(session,), name="permacite-writer", daemon=True
        )
        self._thread.start()

    def _work(self, session: WritingSession) -> None:
        """Serve until the sentinel comes."""
        patience_s = 0.0
        transaction = Transaction(session, self._clock, self._sealer)
        try:
            while jobs := self._waiting(patience_s):
                start = time.monotonic()
                _commit(session, transaction, jobs, self._come_meanwhile)
                patience_s = min(_PATIENCE_S, (time.monotonic() - start) / 2)
        finally:
            session.close()

    def _waiting(self, patience_s: float) -> list[_Job[Any, Any]]:
        """Wait for a job; return it with all others that wait; none at the end."""
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

    def _come_meanwhile(self, most: int) -> Iterator[_Job[Any, Any]]:
        """Yield the jobs that wait now, `most` at most."""
        with contextlib.suppress(queue.Empty):
            for _ in range(most):
                job = self._jobs.get_nowait()
                if job is None:
                    self._jobs.put(None)
                    return
                yield job


def _one_by_one(
    transaction: Transaction, items: Iterable[Callable[[Transaction], T]]
) -> list[T | Exception]:
    """Run unrelated items; the first that fails raises."""
    transaction.connection.settle()  # each may begin with the clock
    return [work(transaction) for work in items]


def _commit(
    session: WritingSession,
    transaction: Transaction,
    jobs: list[_Job[Any, Any]],
    come_meanwhile: Callable[[int], Iterable[_Job[Any, Any]]],
) -> None:
    """Run `jobs` in one transaction, commit, then answer each.

    To begin may take a while if another process writes. Jobs that have `come_meanwhile` then join,
    and need not wait for the next turn. If the connection is lost, no job was done, and all run
    again.
    """
    deadline = time.monotonic() + _AGAIN_S
    while True:
        try:
            session.begin()
            jobs += come_meanwhile(_MAX_JOBS - len(jobs))
            if not _all_at_once(session, transaction, jobs):
                session.rollback()
                session.begin()
                for job in jobs:
                    _attempt(session, transaction, job)
                session.commit()
            break
        except Exception as error:  # noqa: BLE001 - none of the jobs happened: all get the error
            is_over = isinstance(error, PermaciteError) or time.monotonic() > deadline
            if session.lost and not is_over:
                continue
            with contextlib.suppress(session.Error):
                session.rollback()
            for job in jobs:
                job.outcome = error
            break
    for job in jobs:
        job.acknowledge()


def _all_at_once(
    session: WritingSession, transaction: Transaction, jobs: list[_Job[Any, Any]]
) -> bool:
    """Run all jobs, those of one kind together, commit, and return whether that succeeded.

    There is no savepoint: SQLite would copy every page before it is changed. Raises errors of the
    engine that ended the transaction.
    """
    kinds: dict[Callable[..., Sequence[object]], list[_Job[Any, Any]]] = {}
    for job in jobs:
        kinds.setdefault(job.work, []).append(job)
    try:
        for work, same in kinds.items():
            outcomes = work(transaction, [job.item for job in same])
            for job, outcome in zip(same, outcomes, strict=True):
                job.outcome = outcome
        session.commit()
    except Exception:
        if not session.in_transaction:
            raise
        return False
    return True


def _attempt(session: WritingSession, transaction: Transaction, job: _Job[Any, Any]) -> None:
    """Run one job in a savepoint of its own. Raises errors that ended the transaction."""
    session.execute("SAVEPOINT job")
    try:
        (job.outcome,) = job.work(transaction, [job.item])
        session.settle()
    except Exception as error:
        if not session.in_transaction:
            raise
        session.forget()
        session.execute("ROLLBACK TO job")
        job.outcome = error
    session.execute("RELEASE job")
