"""Statements about names, and delegations: each one row, never changed."""

from __future__ import annotations

from datetime import UTC, date
from typing import TYPE_CHECKING, Any

from permacite.archive.delegation import Delegation, Kind
from permacite.archive.model import JSON, Assertion
from permacite.archive.sqlite import leaves
from permacite.archive.sqlite.rows import instant, timestamp
from permacite.archive.sqlite.writer import Access

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from datetime import datetime

__all__ = ["SqliteStatements", "delegation_entry_at", "entry_at", "log_all"]

_DELEGATION = "kind, series, first_date, last_date, target, recorded_at"
_COLUMNS = "subject, predicate, object, who, stated_at"


class SqliteStatements(Access):
    """The statements of one catalog."""

    def record_assertion(
        self, subject: str, predicate: str, text: str, who: str | None
    ) -> Assertion:
        """Record a statement; `subject` is a canonical name."""
        return self._writer.run(
            lambda connection: _record(
                connection, subject, predicate, text, who=who, now=self._clock()
            )
        )

    def assertions(
        self, subjects: Sequence[str] | None, predicates: Sequence[str] | None
    ) -> list[Assertion]:
        """Return the statements about any of `subjects` with any of `predicates`, oldest first."""
        with self._readers.lend() as connection:
            return _assertions(connection, subjects, predicates)

    def record_delegation(
        self, kind: Kind, series: str, target: str, *, first: date, last: date
    ) -> Delegation:
        """Record a delegation."""
        made = Delegation(kind, series, first, last, target, self._clock().astimezone(UTC))
        self._writer.run(lambda connection: _delegate(connection, made))
        return made

    def delegations(self, kind: Kind, series: Sequence[str] | None) -> list[Delegation]:
        """Return the delegations of any of these series (of all where None), oldest first."""
        condition = "TRUE" if series is None else f"series IN ({','.join('?' * len(series))})"
        question = (
            f"SELECT {_DELEGATION} FROM delegation WHERE kind = ? AND {condition}"  # noqa: S608 - ours
            " ORDER BY delegation_id"
        )
        with self._readers.lend() as connection:
            rows = connection.execute(question, (kind, *(series or ())))
            return [_delegation(row) for row in rows]


def _delegate(connection: sqlite3.Connection, made: Delegation) -> None:
    """Write a delegation and its leaf."""
    row = (
        made.kind,
        made.series,
        str(made.first),
        str(made.last),
        made.target,
        timestamp(made.recorded_at),
    )
    question = f"INSERT INTO delegation ({_DELEGATION}) VALUES (?, ?, ?, ?, ?, ?)"  # noqa: S608 - ours
    _log(connection, connection.execute(question, row).lastrowid, row)


def _log(connection: sqlite3.Connection, delegation_id: int | None, row: tuple[Any, ...]) -> None:
    """Append the leaf of a delegation."""
    sequence = leaves.append(connection, _delegation_entry(row))
    connection.execute("INSERT INTO delegation_leaf VALUES (?, ?)", (delegation_id, sequence))


def log_all(connection: sqlite3.Connection) -> None:
    """Append the leaves of all delegations that have none, oldest first."""
    question = (
        f"SELECT delegation_id, {_DELEGATION} FROM delegation WHERE delegation_id NOT IN"  # noqa: S608 - ours
        " (SELECT delegation_id FROM delegation_leaf) ORDER BY delegation_id"
    )
    for delegation_id, *row in connection.execute(question).fetchall():
        _log(connection, delegation_id, tuple(row))


def _record(
    connection: sqlite3.Connection,
    subject: str,
    predicate: str,
    text: str,
    *,
    who: str | None,
    now: datetime,
) -> Assertion:
    """Write a statement and its leaf."""
    row = (subject, predicate, text, who, timestamp(now))
    sequence = leaves.append(connection, _entry(row))
    connection.execute(
        f"INSERT INTO assertion (sequence, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",  # noqa: S608 - ours
        (sequence, *row),
    )
    return _assertion(row)


def _assertions(
    connection: sqlite3.Connection,
    subjects: Sequence[str] | None,
    predicates: Sequence[str] | None,
) -> list[Assertion]:
    """Return the statements about any of `subjects` with any of `predicates`, oldest first."""
    conditions = ["TRUE"]
    parameters: list[str] = []
    for column, values in (("subject", subjects), ("predicate", predicates)):
        if values is not None:
            conditions.append(f"{column} IN ({','.join('?' * len(values))})")
            parameters += values
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM assertion WHERE {' AND '.join(conditions)} ORDER BY assertion_id",  # noqa: S608 - ours
        parameters,
    )
    return [_assertion(row) for row in rows]


def entry_at(connection: sqlite3.Connection, sequence: int) -> dict[str, JSON] | None:
    """Return the entry of the statement whose leaf is `sequence`, as its row has it now."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM assertion WHERE sequence = ?",  # noqa: S608 - ours
        (sequence,),
    ).fetchone()
    return None if row is None else _entry(row)


def delegation_entry_at(connection: sqlite3.Connection, sequence: int) -> dict[str, JSON] | None:
    """Return the entry of the delegation whose leaf is `sequence`, as its row has it now."""
    row = connection.execute(
        f"SELECT {_DELEGATION} FROM delegation JOIN delegation_leaf USING (delegation_id)"  # noqa: S608 - ours
        " WHERE sequence = ?",
        (sequence,),
    ).fetchone()
    return None if row is None else _delegation_entry(row)


def _delegation_entry(row: tuple[Any, ...]) -> dict[str, JSON]:
    """Return what the leaf of a delegation says."""
    kind, series, first, last, target, recorded_at = row
    return {
        "kind": "delegation",
        "name": series,
        "of": kind,
        "first": first,
        "last": last,
        "target": target,
        "recorded_at": recorded_at,
    }


def _entry(row: tuple[Any, ...]) -> dict[str, JSON]:
    """Return what the leaf of a statement says."""
    subject, predicate, text, who, stated_at = row
    return {
        "kind": "assertion",
        "name": subject,
        "predicate": predicate,
        "object": text,
        "who": who,
        "stated_at": stated_at,
    }


def _assertion(row: tuple[Any, ...]) -> Assertion:
    """Return the statement of one row."""
    subject, predicate, text, who, stated_at = row
    return Assertion(subject, predicate, text, who, instant(stated_at))


def _delegation(row: tuple[Any, ...]) -> Delegation:
    """Return the delegation of one row."""
    kind, series, first, last, target, recorded_at = row
    return Delegation(
        kind,
        series,
        date.fromisoformat(first),
        date.fromisoformat(last),
        target,
        instant(recorded_at),
    )
