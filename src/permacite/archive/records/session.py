"""What questions and changes ask of an engine: a narrow session, and where SQL differs.

All statements are plain SQL that every engine takes. Parameters are `?`, or `:name` for all of a
statement; ids that the engine gives come by RETURNING. What no one spelling serves is in `Dialect`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["Dialect", "Rows", "Session", "WritingSession"]


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
    keeps_nul: bool
    """Whether texts may have U+0000 in them."""


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
        """Run one statement for each of the rows, in their order."""

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
        """Begin a transaction, alone: nobody else writes until it ends."""

    def commit(self) -> None:
        """Commit; on return it is on the disk."""
