"""Statements about names, and delegations: each one row, never changed."""

from __future__ import annotations

import os
from datetime import UTC, date
from typing import TYPE_CHECKING, Any

from permacite import pdi as grammar
from permacite.archive.entries import Entry
from permacite.archive.model.answered import Assertion, Delegation
from permacite.archive.names import as_urn
from permacite.archive.records import leaves
from permacite.archive.records.rows import (
    DAYS,
    ERASABLE,
    USUAL_EFFORT,
    Effort,
    among,
    has_schema,
    instant,
    timestamp,
)
from permacite.pdi import PDI, PDIPattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from permacite.archive.model.answered import JSON, Kind
    from permacite.archive.records.rows import Question, Session, Together, Transaction

__all__ = [
    "ask_assertions",
    "assertions",
    "assertions_of",
    "assertions_within",
    "delegated",
    "delegation",
    "delegation_entry_at",
    "delegations",
    "entry_at",
    "lineage",
    "log_all",
    "minters",
    "persons",
    "record_assertion",
    "record_delegation",
    "record_person",
    "remarks",
    "winning",
]

_DELEGATION = "kind, series, first_date, last_date, target, recorded_at"
_BINDS = """
EXISTS (SELECT 1 FROM delegation_leaf AS d JOIN leaf USING (sequence)
  WHERE d.delegation_id = delegation.delegation_id AND content LIKE '%"schema":2%')
"""
"""Delegations have been heeded since their entries have the second schema."""
_COLUMNS = "subject, predicate, object, who, stated_at"
_ADD = f"INSERT INTO assertion (sequence, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"
_NO_INDEX = "subject || ''"
"""The same text, by which no index is found."""
_ADD_PERSON = "INSERT INTO person VALUES (?, ?, ?)"
_PERSON = "person:"
"""Begins the random id that stands where a name would, so that the name can be forgotten."""


def record_assertion(
    transaction: Transaction,
    subject: str,
    predicate: str,
    text: str,
    *,
    who: str | None,
    remark: str | None = None,
    again: bool = False,
) -> Assertion:
    """Record a statement; `subject` is a canonical name. A `remark` is for the operator.

    With `again`, `who` stands as it stood in another archive: an id, or a name of before.
    """
    connection, now = transaction.connection, transaction.clock()
    person_id = who if again or who is None else _id_of(connection, who, now)
    row = (subject, predicate, text, person_id, timestamp(now))
    sequence = leaves.append(transaction, _entry(row))
    connection.execute(_ADD, (sequence, *row))
    if remark is not None:
        connection.execute("INSERT INTO remark VALUES (?, ?)", (sequence, remark))
    return _assertion((*row[:3], _name_of(connection, person_id), row[-1]))


def assertions(
    connection: Session,
    subjects: Sequence[str] | None = None,
    predicates: Sequence[str] | None = None,
    objects: Sequence[str] | None = None,
) -> list[Assertion]:
    """The statements about `subjects` with `predicates` and `objects`, any of each, oldest first.

    Without subjects all statements are searched.
    """
    return assertions_of(connection, connection.execute(*_asserted(subjects, predicates, objects)))


def ask_assertions(
    together: Together, subjects: Sequence[str], predicates: Sequence[str]
) -> list[Any]:
    """The rows of such statements, to be asked with other questions."""
    return together.ask(*_asserted(subjects, predicates))


def assertions_of(connection: Session, rows: Iterable[Any]) -> list[Assertion]:
    """The statements that rows tell; persons are asked for one by one."""
    return [_assertion((*said, _name_of(connection, who), at)) for *said, who, at in rows]


def _asserted(
    subjects: Sequence[str] | None,
    predicates: Sequence[str] | None,
    objects: Sequence[str] | None = None,
) -> Question:
    """The question for the rows of statements."""
    conditions = ["TRUE"]
    parameters: list[str] = []
    columns = (("subject", subjects), ("predicate", predicates), ("object", objects))
    for column, values in columns:
        if values is not None:
            condition, named = among(column, values)
            conditions.append(condition)
            parameters += named
    where = " AND ".join(conditions)
    return f"SELECT {_COLUMNS} FROM assertion WHERE {where} ORDER BY assertion_id", parameters


def assertions_within(
    connection: Session,
    ranges: Sequence[tuple[str, str]],
    predicate: str | None,
    *,
    after: int,
    limit: int,
    effort: Effort = USUAL_EFFORT,
) -> tuple[list[Assertion], int | None]:
    """Up to `limit` statements recorded after a row, and the row after which to go on, if any.

    They are about subjects in any of the half-open `ranges`, about any where there are none. Few
    are sorted; of many, a bounded number of rows is read, as in lists of versions.
    """
    within = " OR ".join(["(subject >= ? AND subject < ?)"] * len(ranges))
    bounds = [bound for pair in ranges for bound in pair]
    conditions = [f"({within})"] if ranges else []
    end = int(
        connection.execute("SELECT coalesce(max(assertion_id), 0) FROM assertion").fetchone()[0]
    )
    last = end
    if not ranges or not _are_few(connection, within, bounds, effort.few):
        last = min(end, after + max(limit, effort.rows))
        conditions = [text.replace("subject", _NO_INDEX) for text in conditions]
    conditions.append("assertion_id > ? AND assertion_id <= ?")
    parameters: list[str | int] = [*bounds, after, last]
    if predicate is not None:
        conditions.append("predicate || '' = ?")
        parameters.append(predicate)
    rows = connection.execute(
        f"SELECT assertion_id, {_COLUMNS} FROM assertion WHERE {' AND '.join(conditions)}"
        " ORDER BY assertion_id LIMIT ?",
        [*parameters, limit + 1],
    ).fetchall()
    shown = [
        _assertion((*said, _name_of(connection, who), at)) for _, *said, who, at in rows[:limit]
    ]
    if len(rows) > limit:
        return shown, int(rows[limit - 1][0])
    return shown, last if last < end else None


def _are_few(connection: Session, within: str, bounds: Sequence[str], few: int) -> bool:
    """Say whether no more than `few` statements are about subjects within bounds."""
    question = f"SELECT count(*) FROM (SELECT 1 FROM assertion WHERE {within} LIMIT ?) AS few"
    return int(connection.execute(question, (*bounds, few + 1)).fetchone()[0]) <= few


def remarks(connection: Session, subjects: Sequence[str]) -> list[str]:
    """The private words beside statements about any of `subjects`, oldest first."""
    if not has_schema(connection, ERASABLE):
        return []
    condition, parameters = among("subject", subjects)
    rows = connection.execute(
        "SELECT content FROM remark JOIN assertion USING (sequence)"
        f" WHERE {condition} ORDER BY sequence",
        parameters,
    )
    return [content for (content,) in rows]


def persons(connection: Session) -> dict[str, str]:
    """The names of persons by their ids."""
    if not has_schema(connection, ERASABLE):
        return {}
    question = "SELECT person_id, name FROM person WHERE name IS NOT NULL ORDER BY added_at"
    return dict(connection.execute(question).fetchall())


def record_person(transaction: Transaction, person_id: str, name: str) -> None:
    """Keep the name of a person under an id that was given before, as copies do."""
    row = (person_id, name, timestamp(transaction.clock()))
    transaction.connection.execute(_ADD_PERSON, row)


def delegations(connection: Session, kind: Kind, series: Sequence[str] | None) -> list[Delegation]:
    """The delegations of any of these series (of all where None), oldest first."""
    statement, parameters = delegated(connection, kind, series)
    return [delegation(row) for row in connection.execute(statement, parameters)]


def delegated(connection: Session, kind: Kind, series: Sequence[str] | None) -> Question:
    """The question that finds their rows."""
    condition, named = ("TRUE", []) if series is None else among("series", series)
    binds = _BINDS if has_schema(connection, DAYS) else "FALSE"
    statement = (
        f"SELECT {_DELEGATION}, {binds} FROM delegation WHERE kind = ? AND {condition}"
        " ORDER BY delegation_id"
    )
    return statement, (kind, *named)


def record_delegation(
    transaction: Transaction, kind: Kind, series: str, target: str, *, first: date, last: date
) -> Delegation:
    """Record a delegation."""
    recorded_at = transaction.clock().astimezone(UTC)
    row = (kind, series, str(first), str(last), target, timestamp(recorded_at))
    statement = (
        f"INSERT INTO delegation ({_DELEGATION}) VALUES (?, ?, ?, ?, ?, ?) RETURNING delegation_id"
    )
    ((delegation_id,),) = transaction.connection.execute(statement, row).fetchall()
    _log_delegation(transaction, delegation_id, row)
    return Delegation(kind, series, first, last, target, recorded_at)


def log_all(transaction: Transaction) -> None:
    """Append the leaves of all delegations that have none, oldest first."""
    question = (
        f"SELECT delegation_id, {_DELEGATION} FROM delegation WHERE delegation_id NOT IN"
        " (SELECT delegation_id FROM delegation_leaf) ORDER BY delegation_id"
    )
    for delegation_id, *row in transaction.connection.execute(question).fetchall():
        _log_delegation(transaction, delegation_id, tuple(row))


def _log_delegation(transaction: Transaction, delegation_id: int, row: tuple[Any, ...]) -> None:
    """Append the leaf of a delegation."""
    place = (delegation_id, leaves.append(transaction, _delegation_entry(row)))
    transaction.connection.execute("INSERT INTO delegation_leaf VALUES (?, ?)", place)


def _id_of(connection: Session, name: str, now: datetime) -> str:
    """Return the id of a person; it is made where there is none."""
    row = connection.execute("SELECT person_id FROM person WHERE name = ?", (name,)).fetchone()
    if row is not None:
        return str(row[0])
    person_id = f"{_PERSON}{os.urandom(16).hex()}"
    connection.execute(_ADD_PERSON, (person_id, name, timestamp(now)))
    return person_id


def _name_of(connection: Session, person_id: str | None) -> str | None:
    """Return the name behind an id; the id where it was forgotten; a name of before as it is."""
    if person_id is None or not person_id.startswith(_PERSON):
        return person_id
    question = "SELECT name FROM person WHERE person_id = ?"
    row = connection.execute(question, (person_id,)).fetchone()
    return person_id if row is None or row[0] is None else str(row[0])


def entry_at(connection: Session, sequence: int) -> Entry | None:
    """Return the entry of the statement whose leaf is `sequence`, as its row has it now."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM assertion WHERE sequence = ?", (sequence,)
    ).fetchone()
    return None if row is None else _entry(row)


def delegation_entry_at(connection: Session, sequence: int) -> Entry | None:
    """Return the entry of the delegation whose leaf is `sequence`, as its row has it now."""
    row = connection.execute(
        f"SELECT {_DELEGATION} FROM delegation JOIN delegation_leaf USING (delegation_id)"
        " WHERE sequence = ?",
        (sequence,),
    ).fetchone()
    return None if row is None else _delegation_entry(row)


def _delegation_entry(row: tuple[Any, ...]) -> Entry:
    """The entry of a delegation."""
    kind, series, first, last, target, recorded_at = row
    clear: dict[str, JSON] = {"kind": "delegation", "name": series, "recorded_at": recorded_at}
    delegation: dict[str, JSON] = {"of": kind, "first": first, "last": last, "target": target}
    return Entry(clear, {"delegation": delegation})


def _entry(row: tuple[Any, ...]) -> Entry:
    """The entry of a statement: in clear only which document it is about."""
    subject, predicate, text, who, stated_at = row
    clear: dict[str, JSON] = {"kind": "assertion", **_about(subject), "stated_at": stated_at}
    statement: dict[str, JSON] = {
        "subject": subject,
        "predicate": predicate,
        "object": text,
        "who": who,
    }
    return Entry(clear, {"statement": statement})


def _about(subject: str) -> dict[str, JSON]:
    """Return the document, version and format that a canonical name of any kind begins with."""
    subject_name = grammar.parse(subject)
    name = subject_name if isinstance(subject_name, PDI | PDIPattern) else subject_name.pdi
    if isinstance(name, PDIPattern):
        return {"name": as_urn(name)}
    return {"name": as_urn(name.document), "version": name.version, "format": name.format}


def _assertion(row: tuple[Any, ...]) -> Assertion:
    """Return the statement of one row."""
    subject, predicate, text, who, stated_at = row
    return Assertion(subject, predicate, text, who, instant(stated_at))


def delegation(row: tuple[Any, ...]) -> Delegation:
    """Return the delegation of one row."""
    kind, series, first, last, target, recorded_at, binds = row
    return Delegation(
        kind,
        series,
        date.fromisoformat(first),
        date.fromisoformat(last),
        target,
        instant(recorded_at),
        bool(binds),
    )


def winning(delegations: Iterable[Delegation], series: str, day: date) -> list[Delegation]:
    """Return those of the delegations that count for a series on a day, the latest last."""
    covering = [delegation for delegation in delegations if delegation.covers(series, day)]
    if not covering:
        return []
    best = min(_rank(delegation) for delegation in covering)
    return [delegation for delegation in covering if _rank(delegation) == best]


def minters(delegations: Iterable[Delegation], series: str, day: date) -> set[str]:
    """Who mints in a series on a day; empty where nobody was named."""
    return {
        delegation.target
        for delegation in winning(
            (delegation for delegation in delegations if delegation.binds), series, day
        )
    }


def lineage(series: str) -> list[str]:
    """Return a series and all above it, the longest first."""
    parts = series.split(".")
    return [".".join(parts[start:]) for start in range(len(parts) - 1)]


def _rank(delegation: Delegation) -> tuple[int, int]:
    """The rank of a delegation: less is better."""
    return -delegation.series.count("."), (delegation.last - delegation.first).days
