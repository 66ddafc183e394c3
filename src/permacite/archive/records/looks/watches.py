"""Pages that are looked at again and again. A private list: no entry of the log tells of it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from permacite.archive.model import Watch
from permacite.archive.records.rows import WATCH, has_schema, instant, timestamp

if TYPE_CHECKING:
    from datetime import datetime

    from permacite.archive.records.rows import Transaction
    from permacite.archive.records.session import Session

__all__ = ["add", "all_of_them", "note", "remove"]

_ADD = """
INSERT INTO watch (uri, every_s, added_at) VALUES (?, ?, ?)
ON CONFLICT (uri) DO UPDATE SET every_s = excluded.every_s
"""
_ALL = (
    "SELECT uri, every_s, added_at, looked_at, outcome, problem FROM watch ORDER BY added_at, uri"
)
_NOTE = "UPDATE watch SET looked_at = ?, outcome = ?, problem = ? WHERE uri = ?"


def add(transaction: Transaction, uri: str, every: timedelta) -> None:
    """Watch a page from now on, or as often as this."""
    row = (uri, round(every.total_seconds()), timestamp(transaction.clock()))
    transaction.connection.execute(_ADD, row)


def remove(transaction: Transaction, uri: str) -> bool:
    """Watch a page no longer; False where it was not watched."""
    return transaction.connection.execute("DELETE FROM watch WHERE uri = ?", (uri,)).rowcount > 0


def note(
    transaction: Transaction, uri: str, looked_at: datetime, *, outcome: str, problem: str
) -> None:
    """Note when a page was looked at, and what came of it."""
    transaction.connection.execute(_NOTE, (timestamp(looked_at), outcome, problem, uri))


def all_of_them(connection: Session) -> list[Watch]:
    """All that is watched, in the order in which it was added."""
    if not has_schema(connection, WATCH):
        return []
    return [
        Watch(
            uri,
            timedelta(seconds=every_s),
            instant(added_at),
            None if looked_at is None else instant(looked_at),
            outcome,
            problem,
        )
        for uri, every_s, added_at, looked_at, outcome, problem in connection.execute(_ALL)
    ]
