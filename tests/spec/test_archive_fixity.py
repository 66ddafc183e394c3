"""Fixity check: fsck reports altered values; GAPS lists the columns that it does not check."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.earlier import unpack
from tests.property.test_altered_rows import altered, literal

from permacite.archive.model.answered import Provenance, Standing
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.records.fixity import DERIVED
from permacite.archive.repository import Repository
from permacite.archive.schema import SCHEMA_VERSION
from permacite.archive.schema.declaration import BYTES, TEXT, ColumnCheck, Nature
from permacite.archive.schema.tables import TABLES
from permacite.errors import PermaciteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from permacite.archive.schema.declaration import Column, Table

pytest.importorskip("cryptography", reason="the log's signatures need it")
pytest.importorskip("rfc3161_client", reason="one checkpoint has a time-stamp")

GAPS = {
    "representation": {"representation_id", "canonical_digest"},
    "idempotency": {"request"},
    "quotation": {"quotation_id"},
    "assertion": {"assertion_id"},
    "checkpoint": {"signed_at"},
    "timestamp": {"timestamp_id", "authority", "stamped_at"},
    "person": {"person_id", "name", "added_at"},
    "erasure": {"erasure_id", "ground", "done_at"},
    "standing": {"standing_id"},
    "git_blob": {"digest", "name"},
    "content_pieces": {"digest"},
}
"""Columns of committed and rebuildable tables in which fsck does not report another value today."""

CHECKED = [table for table in TABLES if table.nature is not Nature.FREE]
COLUMNS = [
    (table, column, column.name in GAPS.get(table.name, ()))
    for table in CHECKED
    for column in table.columns
]


def noon() -> datetime:
    """Return the time that the clock of these tests shows."""
    return datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an archive with rows in all tables that fsck checks."""
    folder, _ = unpack(tmp_path_factory.mktemp("fixity"))
    with Repository.open(folder, clock=noon) as archive:
        made = archive.committer.commit(
            [NewRepresentation(b"page" * 20_000, "text/html")], key="a key"
        )
        archive.access.set_standing(made.pdi, Standing("building"))
        provenance = Provenance("A title", "https://a.example/", "https://b.example/", noon())
        both = NewRepresentation(b"plain", "text/plain", received=b"pl\x00in")
        archive.committer.commit([both], provenance=provenance)
        gone = archive.committer.commit(
            [NewRepresentation(b"a text", "text/plain")], unique_id="gone"
        )
        archive.access.erase(gone.pdi, ground="court-order")
        archive.contents.pieces(made.representations[0])
        archive.statements.state(str(made.pdi), "text", "a statement", who="Ann")
    return folder


def findings(folder: Path) -> set[str]:
    """Return what fsck reports, or why the archive cannot be opened."""
    try:
        with Repository.open(folder, clock=noon) as archive:
            found = {f"{one.kind} {one.name} {one.detail}" for one in archive.fixity.fsck()}
    except PermaciteError as error:
        return {str(error)}
    return {one for one in found if not one.startswith("ok ")}


def alterations(folder: Path, table: Table, column: Column) -> Iterator[str]:
    """Return statements that each alter one value of a column."""
    chance = random.Random(2026)  # noqa: S311 - no secret
    with contextlib.closing(sqlite3.connect(folder / "catalog.sqlite")) as catalog:
        names = [each.name for each in table.columns]
        rows = catalog.execute(f"SELECT * FROM {table.name}").fetchall()  # noqa: S608 - the schema's
    empty = {TEXT: "x", BYTES: bytes(32)}.get(column.kind, 1)
    rows.sort(key=lambda row: row[names.index(column.name)] is None)
    for row in rows[:3]:
        before = dict(zip(names, row, strict=True))
        value = before[column.name]
        this = " AND ".join(
            f'"{name}" IS {literal(each)}' for name, each in before.items() if each is not None
        )
        for _ in range(3):
            after = literal(empty if value is None else altered(value, chance))
            yield f'UPDATE {table.name} SET "{column.name}" = {after} WHERE {this}'  # noqa: S608 - the schema's


def tamper(path: Path, table: Table, statement: str) -> None:
    """Run a statement without the triggers of its table. Raises sqlite3.IntegrityError."""
    with contextlib.closing(sqlite3.connect(path)) as catalog, catalog:
        catalog.execute("PRAGMA synchronous = OFF")
        rules = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?"
        triggers = catalog.execute(rules, (table.name,)).fetchall()
        for name, _ in triggers:
            catalog.execute(f"DROP TRIGGER {name}")
        catalog.execute(statement)
        for _, rule in triggers:
            catalog.execute(rule)


def is_noticed(folder: Path, whole: set[str], table: Table, column: Column) -> bool:
    """Tell whether an altered value of a column is refused by the database or reported by fsck."""
    path = folder / "catalog.sqlite"
    content = path.read_bytes()
    try:
        for statement in alterations(folder, table, column):
            with contextlib.suppress(sqlite3.IntegrityError):
                tamper(path, table, statement)
                return findings(folder) != whole
    finally:
        path.write_bytes(content)
    return True


def test_fsck_checks_each_column_but_the_gaps(
    folder: Path, times: Callable[[int, int], int]
) -> None:
    whole = findings(folder)
    assert {finding.partition(" ")[0] for finding in whole} == {"erased"}
    checked = [one for one in COLUMNS if not one[2]]
    sample = random.Random(2026).sample(checked, min(times(6, 1000), len(checked)))  # noqa: S311
    for table, column, is_gap in (*sample, *(one for one in COLUMNS if one[2])):
        noticed = is_noticed(folder, whole, table, column)
        assert noticed is not is_gap, (table.name, column.name)


def test_tables_are_declared_as_fsck_checks_them() -> None:
    for table in TABLES:
        assert (ColumnCheck.DERIVED in table.checks) == (table.name in DERIVED), table.name
        assert {*table.summed} <= {column.name for column in table.columns}
        assert 1 <= table.since <= SCHEMA_VERSION
        if table.nature is Nature.COMMITTED:
            assert table.checks or table.summed or table.name in GAPS, table.name
    assert {*GAPS} <= {table.name for table in CHECKED}
