"""What the database lets pass where an erasure covers a row, and refuses everywhere else."""
# ruff: noqa: S608 - the questions are our own

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.earlier import unpack
from tests.engines import Repository

from permacite.archive.canonical_json import canonical_json
from permacite.archive.entries import tombstone
from permacite.archive.sqlite.schema import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from permacite.archive.records.rows import Session

pytestmark = pytest.mark.engines

NAME = "urn:pdi://lab.example.us/2026/11/18/14"
"""Two versions: of html and utf-8, and a json that was added to the first one later."""
VERSION = """
UPDATE version SET title = NULL, uri = NULL, final_uri = NULL, retrieved_at = NULL, details = '{}'
"""
FORMAT = """
UPDATE representation SET digest = zeroblob(32), size_bytes = 0, charset = NULL,
  canonical_digest = NULL, received_digest = NULL, derived_from = NULL, rendition = NULL
"""
ZEROBLOB = """
CREATE FUNCTION zeroblob(INTEGER) RETURNS BYTEA LANGUAGE sql
AS $$SELECT decode(repeat('00', $1), 'hex')$$
"""
"""What SQLite has by itself."""
TOMBSTONES: dict[str, dict[str, object]] = {
    "version": {"erased": True, "formats": ["html", "utf-8"]},
    "format": {"erased": True, "formats": ["json"]},
    "citation": {"erased": True, "format": "utf-8"},
    "assertion": {"erased": True},
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, engine: object) -> Path:
    """Where an archive is that was brought up."""
    assert engine is Repository.engine
    directory, _ = unpack(tmp_path_factory.mktemp("erasable"))
    Repository.adopt(directory)
    return directory


@pytest.fixture
def connection(whole: Path) -> Iterator[Session]:
    """Its catalog, as it is for one test: in a transaction, in which references may wait."""
    clock = lambda: datetime(2026, 11, 22, 12, tzinfo=UTC)  # noqa: E731 - for this alone
    with (
        Repository.open(whole, clock=clock) as archive,
        closing(archive._catalog.writer()) as opened,  # noqa: SLF001 - rules are looked at
    ):
        opened.begin()
        opened.defer_references()
        if Repository.engine is not None:
            opened.execute(ZEROBLOB)
        yield opened
        opened.rollback()


def refused(
    connection: Session, statement: str, values: Sequence[object] = (), *, match: str
) -> None:
    """Check that a statement is refused, by such words."""
    connection.execute("SAVEPOINT before")
    with pytest.raises(connection.Error, match=match):
        connection.execute(statement, values)
    connection.execute("ROLLBACK TO before")


def erase(
    connection: Session,
    version: int | None = None,
    token: str | None = None,
    *,
    entry: int | None = None,
) -> None:
    """Put an erasure of a document, or a part of it, on record, and nothing else."""
    (sequence,) = connection.execute("SELECT max(sequence) + 1 FROM leaf").fetchone()
    said = json.dumps({"kind": "erasure", "name": NAME, "schema": 2})
    connection.execute("INSERT INTO leaf VALUES (?, ?, ?)", (sequence, NAME, said))
    question = """
        INSERT INTO erasure
          (sequence, document_id, version_id, representation_id, entry, ground, erased_at)
        SELECT :sequence, document_id,
          (SELECT version_id FROM version AS v
           WHERE v.document_id = document.document_id AND number = :version),
          (SELECT representation_id FROM representation JOIN version AS v USING (version_id)
           WHERE v.document_id = document.document_id AND number = :version AND format = :token),
          CAST(:entry AS BIGINT), 'court-order', '2026'
        FROM document WHERE date = '2026-11-18' AND unique_id = '14'
    """
    values = {"sequence": sequence, "version": version, "token": token, "entry": entry}
    connection.execute(question, values)


def numbers(connection: Session, question: str) -> set[int]:
    """Return the numbers that a question answers."""
    return {row[0] for row in connection.execute(question)}


def reaches(connection: Session, statement: str, table: str, rows: set[int]) -> None:
    """Check that a statement is let pass for these rows of a table and refused for all others."""
    key = f"{table}_id"
    every = numbers(connection, f"SELECT {key} FROM {table}")
    assert rows <= every
    for one in every:
        if one in rows:
            connection.execute(f"{statement} WHERE {key} = {one}")
        else:
            match = f"rows of {table} never change"
            refused(connection, f"{statement} WHERE {key} = {one}", match=match)


def check_references(connection: Session) -> None:
    """Check that each row refers to one that is there, as a commit would."""
    if Repository.engine is None:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    else:
        connection.execute("SET CONSTRAINTS ALL IMMEDIATE")


OF_DOCUMENT = """
SELECT {column} FROM representation
JOIN version USING (version_id) JOIN document USING (document_id)
WHERE date = '2026-11-18' AND unique_id = '14' AND {condition}
"""


@pytest.mark.parametrize(
    ("version", "token", "versions", "formats"),
    [
        (None, None, "TRUE", "TRUE"),
        (1, None, "number = 1", "number = 1"),
        (1, "html", "FALSE", "number = 1 AND format = 'html'"),
    ],
)
def test_an_erasure_reaches_what_it_covers(
    connection: Session,
    version: int | None,
    token: str | None,
    versions: str,
    formats: str,
) -> None:
    reaches(connection, VERSION, "version", set())
    reaches(connection, FORMAT, "representation", set())
    erase(connection, version, token)
    of_version = OF_DOCUMENT.format(column="version_id", condition=versions)
    of_format = OF_DOCUMENT.format(column="representation_id", condition=formats)
    reaches(connection, VERSION, "version", numbers(connection, of_version))
    reaches(connection, FORMAT, "representation", numbers(connection, of_format))


def test_a_row_is_emptied_in_one_way_only(connection: Session) -> None:
    erase(connection)
    for change in (
        f"{VERSION.rstrip()}, title = 'another'".replace("title = NULL, ", ""),
        f"{VERSION.rstrip()}, number = 9",
        "UPDATE representation SET format = 'other'",
        "UPDATE representation SET size_bytes = 0",
        f"{FORMAT.rstrip()}, format = 'other'",
        "UPDATE leaf SET content = ''",
        "UPDATE idempotency SET request = 'x'",
        "DELETE FROM version",
        "DELETE FROM representation",
        "DELETE FROM leaf",
        "DELETE FROM log_node",
        "DELETE FROM erasure",
        "UPDATE erasure SET ground = 'safety'",
    ):
        refused(connection, change, match="never change")


def test_entries_of_the_first_schema_leave_a_tombstone(connection: Session) -> None:
    erase(connection)
    covered = numbers(connection, "SELECT sequence FROM erased_entry WHERE part IS NULL")
    change = "UPDATE leaf SET subject = ?, content = ? WHERE sequence = ?"
    for sequence, subject, content in connection.execute("SELECT * FROM leaf").fetchall():
        if sequence in covered:
            left = tombstone(content.encode())
            assert json.loads(left).items() >= TOMBSTONES[json.loads(content)["kind"]].items()
            row = (subject.partition("#")[0], left.decode(), sequence)
            for wrong in (("another", row[1], sequence), (row[0], content, sequence)):
                refused(connection, change, wrong, match="never change")
            connection.execute(change, row)
        else:
            assert not subject.startswith(NAME) or '"erasure"' in content
            other = canonical_json({"erased": True, "name": subject}).decode()
            refused(connection, change, (subject, other, sequence), match="never change")
    assert numbers(connection, "SELECT sequence FROM erased_entry WHERE part IS NULL") == covered
    words = " ".join(
        str(row) for row in connection.execute("SELECT * FROM leaf WHERE subject = ?", (NAME,))
    )
    assert "canary" not in words


def test_rows_beside_a_format_go_with_it(connection: Session) -> None:
    refused(connection, "DELETE FROM attachment", match="never change")
    erase(connection)
    of_document = OF_DOCUMENT.format(column="representation_id", condition="TRUE")
    sequences = numbers(
        connection,
        "SELECT sequence FROM citation_leaf JOIN citation USING (citation_id)"
        f" WHERE representation_id IN ({of_document})",
    )
    for table in ("attachment", "quotation", "citation"):
        gone = connection.execute(f"DELETE FROM {table} WHERE representation_id IN ({of_document})")
        assert gone.rowcount or table == "quotation"
        refused(connection, f"DELETE FROM {table}", match="never change")
    for sequence in sequences:
        connection.execute("DELETE FROM citation_leaf WHERE sequence = ?", (sequence,))
    assert connection.execute("DELETE FROM assertion WHERE subject = ?", (NAME,)).rowcount
    check_references(connection)


def test_one_citation_goes_alone(connection: Session) -> None:
    question = (
        "SELECT citation_id, sequence FROM citation_leaf JOIN citation USING (citation_id)"
        " WHERE note IS NOT NULL"
    )
    citation_id, sequence = connection.execute(question).fetchone()
    erase(connection, entry=sequence)
    reaches(connection, VERSION, "version", set())
    reaches(connection, FORMAT, "representation", set())
    reaches(connection, "DELETE FROM citation", "citation", {citation_id})


def columns(table: str) -> list[str]:
    """The columns of a table, which are the same on all engines."""
    with closing(sqlite3.connect(":memory:")) as made:
        made.executescript(SCHEMA)
        return [row[1] for row in made.execute(f"PRAGMA table_info({table})")]


def test_nothing_is_added_to_what_is_erased(connection: Session) -> None:
    erase(connection)
    (document_id,) = connection.execute("SELECT document_id FROM erasure").fetchone()
    row = (999, document_id, 3, "2026", None, None, None, None, "{}")
    inserted = "INSERT INTO version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
    refused(connection, inserted, row, match="the document is erased")
    for table, message in (("representation", "the version"), ("citation", "what it cites")):
        of_document = OF_DOCUMENT.format(column="representation_id", condition="TRUE")
        changed = {
            "format": "format || 'new'",
            f"{table}_id": f"{table}_id + 1000",
            "identity": "identity || 'new'",
        }
        chosen = ", ".join(changed.get(one, f'"{one}"') for one in columns(table))
        again = f"INSERT INTO {table} SELECT {chosen} FROM {table}"
        match = f"{message}.* is erased"
        refused(connection, f"{again} WHERE representation_id IN ({of_document})", match=match)


def test_a_person_can_be_forgotten_and_not_become_another(connection: Session) -> None:
    connection.execute("INSERT INTO person VALUES ('person:1', 'Jane Roe', '2026')")
    for change in ("SET name = 'Eve'", "SET person_id = 'person:2', name = NULL"):
        refused(connection, f"UPDATE person {change}", match="never change")
    connection.execute("UPDATE person SET name = NULL")
    assert connection.execute("SELECT name FROM person").fetchall() == [(None,)]
