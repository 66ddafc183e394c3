"""A row that somebody altered, or took away, is told of or changes no answer, on each engine."""

# ruff: noqa: S608 - the names of tables and columns are our own
from __future__ import annotations

import contextlib
import random
import shutil
import sqlite3
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.engines import Refused, Repository
from tests.property.test_flipped_bits import SERIES, START, Clock, asked, fault, fill

from permacite.archive.sqlite.schema import SCHEMA
from permacite.archive.transport.rows import COMPARED, LOG, SLICED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.property.test_flipped_bits import Answers

pytest.importorskip("cryptography", reason="the log's signatures need it")

pytestmark = pytest.mark.engines(deep=True)

UNTOLD = {
    "person": "what a person is called stands in no entry, so that it can be forgotten",
    "checkpoint": "where the last one is gone, another one is signed",
}
"""Tables of which a row may be lost, or be another, and nobody can tell."""
NUMBERS = {"assertion_id", "citation_id", "jotting_id"}
"""What only puts rows in order, and is shown."""
TABLES = sorted({*SLICED, LOG, *COMPARED} - UNTOLD.keys())


def columns() -> dict[str, list[str]]:
    """Return the columns of each table; both engines have the same."""
    with contextlib.closing(sqlite3.connect(":memory:")) as memory:
        memory.executescript(SCHEMA)
        return {
            table: [row[1] for row in memory.execute(f"PRAGMA table_info({table})")]
            for table in TABLES
        }


def literal(value: object) -> str:
    """Return a value as a statement has it."""
    if isinstance(value, bytes):
        octets = value.hex()
        return f"x'{octets}'" if Repository.engine is None else f"'\\x{octets}'::bytea"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value)


def altered(value: object, chance: random.Random) -> object:
    """Return another value of the same kind."""
    if isinstance(value, int):
        return value ^ 1 << chance.randrange(3)
    assert isinstance(value, str | bytes)
    place = chance.randrange(len(value) or 1)
    if isinstance(value, bytes):
        octet = value[place] ^ 1 << chance.randrange(8) if value else 0
        return value[:place] + bytes([octet]) + value[place + 1 :]
    sign = chr(ord(value[place]) ^ 1) if value[place:] > "\1" else "x"
    return value[:place] + sign + value[place + 1 :]


def alterations(folder: Path, chance: random.Random) -> Iterator[str]:
    """Return statements without end, each of which alters a value, or takes a row away."""
    names = columns()
    rows = {table: Repository.rows(folder, f"SELECT * FROM {table}") for table in TABLES}
    while True:
        table = chance.choice([table for table in TABLES if rows[table]])
        row = dict(zip(names[table], chance.choice(rows[table]), strict=True))
        values = {name: value for name, value in row.items() if value is not None}
        this = " AND ".join(f'"{name}" = {literal(value)}' for name, value in values.items())
        if chance.randrange(8) == 0:
            yield f"DELETE FROM {table} WHERE {this}"
        else:
            name = chance.choice(sorted(values.keys() - NUMBERS))
            value = literal(altered(values[name], chance))
            yield f'UPDATE {table} SET "{name}" = {value} WHERE {this}'


class Case:
    """An archive with every kind of record, closed, and what it answers while it is whole."""

    def __init__(self, folder: Path) -> None:
        self.whole = folder / "whole"
        self._damaged = folder / "damaged"
        clock = Clock(START)
        with Repository.create(self.whole, series=SERIES, clock=clock) as archive:
            self._names = fill(archive, clock)
        self.answers = self._ask()
        assert self.answers.findings == self.answers.faults == []

    def fault(self, statement: str) -> str:
        """Say what is not as it should be after a statement by hand; "" if all is."""
        try:
            found = self._ask(statement)
        except Refused:
            return ""
        # What a document without a version is depends on the versions that are left.
        full = [*self._names[:3], self._names[4], self._names[7]]
        return fault(found, self.answers, full)

    def _ask(self, *statements: str) -> Answers:
        Repository.duplicate(self.whole, self._damaged)
        try:
            Repository.tamper(self._damaged, *statements)
            return asked(partial(Repository.open, self._damaged), self._names)
        finally:
            Repository.drop(self._damaged)
            shutil.rmtree(self._damaged)


@pytest.mark.timeout(36_000)
def test_what_is_altered_by_hand_is_told_or_changes_no_answer(
    tmp_path: Path, times: Callable[[int, int], int]
) -> None:
    case = Case(tmp_path)
    statements = alterations(case.whole, random.Random(2026))  # noqa: S311 - no secret
    found = {next(statements): "" for _ in range(times(10, 600))}
    found = {statement: case.fault(statement) for statement in found}
    assert {statement: problem for statement, problem in found.items() if problem} == {}
