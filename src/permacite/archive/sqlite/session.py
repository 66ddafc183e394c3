"""Sessions with SQLite: connections of its own, and how it spells what engines spell otherwise."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, ClassVar

from permacite.archive.records.session import Dialect
from permacite.archive.schema import SITE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.archive.records.session import Question

__all__ = ["Session"]

_DIALECT = Dialect(
    texts="SELECT value FROM json_each(?)",
    keys="SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'),"
    " json_extract(value, '$[2]') FROM json_each(?)",
    as_octets="CAST(content AS BLOB)",
    site=SITE,
    entry_name="CASE WHEN json_valid(content) THEN json_extract(content, '$.name') END",
)


class Session(sqlite3.Connection):
    """A connection; all that runs a statement is sqlite3's own."""

    dialect: ClassVar = _DIALECT
    lost: ClassVar = False

    def schema(self) -> int:
        """The schema of the catalog, which may be earlier than ours."""
        return int(self.execute("PRAGMA user_version").fetchone()[0])

    def ask(self, questions: Sequence[Question], /) -> list[list[Any]]:
        """The rows that answer each of several questions."""
        return [self.execute(*question).fetchall() for question in questions]

    def has_row(self, statement: str, texts: Sequence[str], /) -> bool:
        """Whether a statement gives any row."""
        return self.execute(statement, texts).fetchone() is not None

    def defer_references(self) -> None:
        """Let references to rows that are gone stand until the transaction ends."""
        self.execute("PRAGMA defer_foreign_keys = ON")

    def one_view(self) -> None:
        """Begin a transaction that sees all tables as they are now."""
        self.execute("BEGIN")

    def begin(self) -> None:
        """Begin a transaction in which nobody else writes."""
        self.execute("BEGIN IMMEDIATE")

    def resume_ids(self) -> None:
        """Do nothing: SQLite gives the id behind the highest."""

    def settle(self) -> None:
        """Nothing waits: each statement is done when it returns."""

    def forget(self) -> None:
        """Nothing waits."""
