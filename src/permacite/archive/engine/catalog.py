"""The catalog on any engine, and group commit: one thread writes for all that commit together.

Whoever writes hands in a job and waits. The thread takes all jobs that wait, runs them inside one
transaction, commits once, and only then answers them all. Jobs of one kind are done in one go;
where any fails, all is undone and each runs again in a savepoint of its own, so that what fails
harms nobody else.
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
"""In one transaction: keeps the wait of the first one short."""
_AGAIN_S = 30
"""How long a transaction whose connection is lost is begun again."""
_PATIENCE_S = 0.005
"""How long a transaction waits for announced jobs at most, and never over half as long as the last
one took: what it may gain is a flush."""


class Catalog(ABC):
    """The records of one archive. Any number of threads and processes may use them at once.

    A question is a function that takes a session, a change one that takes a Transaction.
    """

    is_remote = False
    """Whether each question is a round trip to another process, be it on this machine."""

    def __init__(self, where: str, *, clock: Timekeeper, sealer: Sealer) -> None:
        """The `clock` dates rows, the `sealer` makes leaves of what is entered.

        `where` the records are is for people: no secret is in it.
        """
        self.where = where
        self.clock = clock
        self._lock = threading.Lock()
        self._free: list[Session] = []
        """Sessions that only read, of those that nobody uses at the moment."""
        self._closed = False
        self.group_commit = Writer(where, self.writer, self.reporting, clock=clock, sealer=sealer)

    @abstractmethod
    def reader(self) -> Session:
        """A new session that only reads. Raises StorageError."""

    @abstractmethod
    def writer(self) -> WritingSession:
        """A new session that writes. Raises StorageError."""

    @abstractmethod
    def reporting(self) -> AbstractContextManager[None]:
        """Turns what the engine raises, or a row that is damaged, into its StorageError."""

    @abstractmethod
    def reading_rows(self) -> AbstractContextManager[None]:
        """The same where no value of a caller's can be wrong, so that each ValueError is damage."""

    @abstractmethod
    def moments(self) -> AbstractContextManager[Callable[[], int | None]]:
        """What gives a number that changes with each write of anybody; for one thread.

        It never waits: it gives None where the engine does not answer at once.
        """

    @abstractmethod
    def scour(self) -> bool:
        """Leave no traces of what was deleted where they can be told; whether all of them went."""

    @abstractmethod
    def rule_faults(self, session: Session) -> Iterator[str]:
        """The faults that the engine finds: damage, broken references, rules that are gone."""

    @abstractmethod
    def cautions(self) -> tuple[str, ...]:
        """What of the engine's settings may lose what was acknowledged, and what to do, in words.

        Raises StorageError.
        """

    def read(
        self,
        question: Callable[Concatenate[Session, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """The answer to a question, by a session that only reads. Raises StorageError.

        What `question` raises of ours is raised; all else shows that rows are damaged. Where the
        session is lost, the question is put again, by a new one.
        """
        while True:
            session = self._take()
            try:
                return question(session, *args, **kwargs)
            except Exception as error:
                if not session.lost:
                    if isinstance(error, StorageError) and not error.path:
                        error.path = self.where  # the records do not know where they are
                    with self.reading_rows():
                        raise
            finally:
                self._give_back(session)

    @contextlib.contextmanager
    def lent(self) -> Iterator[Session]:
        """Lend a session that only reads until the block ends."""
        session = self._take()
        try:
            yield session
        finally:
            self._give_back(session)

    def write(
        self,
        change: Callable[Concatenate[Transaction, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Make a change, and give its value once that is on the disk.

        Raises what `change` raises, which is then undone alone; StorageError.
        """
        return self.group_commit.run(lambda transaction: change(transaction, *args, **kwargs))

    def faults(self) -> Iterator[str]:
        """The faults of the records, and of columns that follow from others, in words."""
        with self.lent() as session, self.reading_rows():
            yield from self.rule_faults(session)
            yield from fixity.row_faults(session)

    def close(self) -> None:
        """Finish what waits to be written and give all sessions back.

        What is lent is closed when it comes back.
        """
        self.group_commit.close()
        with self._lock:
            self._closed = True
        self.forget_free()

    def forget_free(self) -> None:
        """Close the sessions that nobody uses at the moment."""
        with self._lock:
            free, self._free = self._free, []
        for session in free:
            session.close()

    def _take(self) -> Session:
        """Return a session that nobody else has. Raises StorageError."""
        with self._lock:
            if self._closed:
                raise StorageError("the archive is closed", path=self.where, reason="closed")
            if self._free:
                return self._free.pop()
        return self.reader()

    def _give_back(self, session: Session) -> None:
        """Take back what was taken."""
        with self._lock:
            if not (self._closed or session.lost):
                self._free.append(session)
                return
        session.close()


class _Job(Generic[Input, T]):
    """Something to be written, and the place of its answer."""

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
        """Wait until the outcome is on the disk; what the engine refused is a StorageError."""
        self._done.acquire()
        try:
            with reporting():
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
        self,
        where: str,
        session: Callable[[], WritingSession],
        reporting: Callable[[], AbstractContextManager[None]],
        *,
        clock: Timekeeper,
        sealer: Sealer,
    ) -> None:
        """Take how to get a session, and what turns errors of the engine into a StorageError."""
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
        """Run `work` on these items and on those that others hand in at the same time, in order.

        It answers for each item with a value or with an error. Where it raises, all it did is
        undone, and it is called again for each item by itself.
        """
        jobs = [_Job(work, item) for item in items]
        with self._lock:
            self._start()
            for job in jobs:
                self._jobs.put(job)
        return [job.wait(self._reporting) for job in jobs]

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

    def _come_meanwhile(self, most: int) -> Iterator[_Job[Any, Any]]:
        """The jobs that wait now, so many at the most."""
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
    """Run items that have nothing in common; the first that fails raises."""
    transaction.connection.settle()  # each may begin with the clock
    return [work(transaction) for work in items]


def _commit(
    session: WritingSession,
    transaction: Transaction,
    jobs: list[_Job[Any, Any]],
    come_meanwhile: Callable[[int], Iterable[_Job[Any, Any]]],
) -> None:
    """Run `jobs` in one transaction, commit, then answer each.

    Whoever wrote before may have kept it from beginning: then what has `come_meanwhile` is with
    them, and need not wait for all others to write once more. Where the connection is lost on the
    way, none of them happened, and they are run again.
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
        except Exception as error:  # noqa: BLE001 - none of the jobs happened: all are told
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
    """Do all jobs, those of one kind in one go, commit, and say whether that came to be.

    There is no savepoint: SQLite would copy every page before it is changed. Raises what the engine
    does where a failure took the whole transaction with it.
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
    """Do one job in a savepoint of its own.

    Raises what the engine does where the failure took the whole transaction with it.
    """
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
