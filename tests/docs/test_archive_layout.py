"""The page about the layout of an archive names every table, every column and every file."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from permacite.archive.log.bundles.writing import README
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository
from permacite.archive.schema import SCHEMA_VERSION
from permacite.archive.sqlite.connection import APPLICATION_ID
from permacite.archive.sqlite.schema import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/archive-layout.md").read_text("utf-8")


def sections() -> dict[str, str]:
    """Return the sections of the page about tables, by table."""
    parts = re.split(r"^### (\w+)$", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def columns() -> Iterator[tuple[str, str]]:
    """Return every table with every column."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        for (table,) in tables.fetchall():
            for row in connection.execute(f"PRAGMA table_info({table})"):
                yield table, row[1]


@pytest.mark.parametrize(("table", "column"), list(columns()))
def test_every_column_is_described(table: str, column: str) -> None:
    assert f"`{column}`" in sections()[table]


def test_no_table_is_described_that_is_not_there() -> None:
    assert set(sections()) == {table for table, _ in columns()}


def test_the_numbers_in_the_header_are_told() -> None:
    assert f"{APPLICATION_ID:#x}" in PAGE.lower()
    assert f"version of this schema: {SCHEMA_VERSION}." in PAGE


def test_the_query_of_the_page_finds_a_document(tmp_path: Path) -> None:
    (query,) = re.findall(r"```sql\n(.*?)```", PAGE, flags=re.DOTALL)
    with Repository.create(tmp_path / "archive", series="lab.example.us") as archive:
        version = archive.committer.commit([NewRepresentation(b"<p>", "text/html")], unique_id="7")
        version = archive.committer.commit(
            [NewRepresentation(b"<p>2", "text/html")], replaces=version.pdi
        )
        name = version.representations[0].digest.removeprefix("sha-256:")
    query = query.replace("2026-11-21", f"{version.committed_at:%Y-%m-%d}")
    with closing(sqlite3.connect(tmp_path / "archive" / "catalog.sqlite")) as connection:
        assert connection.execute(query).fetchall() == [(name, "text/html", "windows-1252/2")]
    assert (tmp_path / "archive" / "objects" / name[:2] / name[2:4] / name).is_file()
    found = {one.name for one in (tmp_path / "archive").iterdir()}
    assert found == {"catalog.sqlite", "objects", "log.key", "README.txt"}


def test_the_files_of_a_bundle_are_those_its_readme_names() -> None:
    for name in re.findall(r"^  ([\w.-]+) +\S", README, flags=re.MULTILINE):
        assert f"`{name}`" in PAGE
