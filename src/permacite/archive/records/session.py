"""Database session: the narrow interface of an engine, and where its SQL differs.

All statements are plain SQL that every engine takes. Parameters are `?`, or `:name` for all of a
statement; ids that the engine gives come by RETURNING. What no one spelling serves is in `Dialect`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Question = tuple[str, Sequence[object] | Mapping[str, object]]
    """A statement that changes nothing, and its parameters."""

__all__ = ["Dialect", "Rows", "Session", "Together", "WritingSession"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """The few spellings in which engines differ."""

    texts: str
    """A query for the texts in the JSON array that is its one parameter."""
    keys: str
    """The same for the keys of documents, arrays of three texts."""
    as_octets: str
    """The octets of the text in a column, be they text still or not."""
    site: str
    """The site of the address in a column: see `lists.sites`."""
    entry_name: str
    """The name that the content of a leaf tells, NULL where it is damaged."""


class Rows(Protocol):
    """What a statement gave."""

    @property
    def rowcount(self) -> int:
        """How many rows it changed."""

    def fetchone(self) -> Any:
        """The next row, None behind the last."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...


class Session(Protocol):
    """A connection to one catalog, of one thread at a time."""

    @property
    def dialect(self) -> Dialect:
        """How the engine spells what engines spell otherwise."""

    @property
    def Error(self) -> type[Exception]:  # noqa: N802 - the name that Python's DB-API has for it
        """What the engine raises."""

    @property
    def lost(self) -> bool:
        """Whether its connection is: what was begun has not come to be, and may be begun again."""

    def schema(self) -> int:
        """The schema of the catalog, which may be earlier than ours."""

    def execute(
        self, statement: str, parameters: Sequence[object] | Mapping[str, object] = ..., /
    ) -> Rows:
        """Run one statement."""

    def executemany(
        self, statement: str, rows: Iterable[Sequence[object] | Mapping[str, object]], /
    ) -> object:
        """Run one statement for each of the rows, in their order.

        Who writes may not be waited for: what the engine refuses is raised later, when something is
        asked, at `settle`, or by the commit.
        """

    def ask(self, questions: Sequence[Question], /) -> list[list[Any]]:
        """The rows that answer each of several questions, which reach the engine together."""

    def has_row(self, statement: str, texts: Sequence[str], /) -> bool:
        """Whether a statement gives any row, as quickly as the engine can tell."""

    def settle(self) -> None:
        """Wait for all that was begun or changed so far. Raises what the engine refuses."""

    def defer_references(self) -> None:
        """Let references to rows that are gone stand until the transaction ends."""

    def resume_ids(self) -> None:
        """Let the ids that the engine gives go on behind those of rows that came with theirs."""

    def one_view(self) -> None:
        """Begin a transaction that sees all tables as they are now; `rollback` ends it."""

    def rollback(self) -> None:
        """Undo the transaction, if there is one."""

    def close(self) -> None:
        """Give the connection back."""


class WritingSession(Session, Protocol):
    """A session of the thread that writes."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is begun, and its connection is not lost."""

    def begin(self) -> None:
        """Begin a transaction, alone: nobody else writes until it ends.

        It may begin as late as what is asked first; the clock of an engine is right from then on.
        """

    def forget(self) -> None:
        """Let go of changes that the engine has not been given yet."""

    def commit(self) -> None:
        """Commit; on return it is on the disk."""


class Together:
    """Questions of several rooms, which are put to an engine together: one round trip for all."""

    def __init__(self, connection: Session) -> None:
        self.connection = connection
        self._asked: list[tuple[Question, list[Any]]] = []

    def ask(
        self, statement: str, parameters: Sequence[object] | Mapping[str, object] = ()
    ) -> list[Any]:
        """The rows that answer a question, once `put` has returned; until then there are none."""
        rows: list[Any] = []
        self._asked.append(((statement, parameters), rows))
        return rows

    def put(self) -> None:
        """Put the questions."""
        answers = self.connection.ask([question for question, _ in self._asked])
        for (_, rows), answer in zip(self._asked, answers, strict=True):
            rows.extend(answer)
