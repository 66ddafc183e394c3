"""The catalog on any engine: where the questions and changes of `records` are put to it."""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from permacite.archive.engine.writer import Writer
from permacite.archive.records import fixity
from permacite.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from permacite.archive.entries import Sealer
    from permacite.archive.model.answered import Timekeeper
    from permacite.archive.records.rows import Session, Transaction, WritingSession
    from permacite.errors import PermaciteError

__all__ = ["Catalog"]

P = ParamSpec("P")
T = TypeVar("T")
Input = TypeVar("Input")


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
        self._writer = Writer(where, self.writer, self.reporting, clock=clock, sealer=sealer)

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
        return self._writer.run(lambda transaction: change(transaction, *args, **kwargs))

    def write_all(
        self,
        change: Callable[[Transaction, Sequence[Input]], Sequence[T | Exception]],
        items: Sequence[Input],
    ) -> list[T | PermaciteError]:
        """The same of a change that takes what several callers hand in at the same time.

        It answers each item with a value, or with an error.
        """
        return self._writer.run_all(change, items)

    def announced(self) -> AbstractContextManager[int]:
        """Say that a commit is coming, until the block ends; how many are is given, with this one.

        Others that commit at the same time may wait for it a little.
        """
        return self._writer.announced()

    def faults(self) -> Iterator[str]:
        """The faults of the records, and of columns that follow from others, in words."""
        with self.lent() as session, self.reading_rows():
            yield from self.rule_faults(session)
            yield from fixity.row_faults(session)

    def close(self) -> None:
        """Finish what waits to be written and give all sessions back.

        What is lent is closed when it comes back.
        """
        self._writer.close()
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
