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

from permacite.archive import Repository
from permacite.archive.canonical_json import canonical_json
from permacite.archive.entries import tombstone
from permacite.archive.sqlite.connection import connect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "urn:pdi://lab.example.us/2026/11/18/14"
"""Two versions: of html and utf-8, and a json that was added to the first one later."""
VERSION = """
UPDATE version SET title = NULL, uri = NULL, final_uri = NULL, retrieved_at = NULL, details = '{}'
"""
FORMAT = """
UPDATE representation SET digest = zeroblob(32), size_bytes = 0, charset = NULL,
  canonical_digest = NULL, received_digest = NULL, derived_from = NULL, rendition = NULL
"""
TOMBSTONES: dict[str, dict[str, object]] = {
    "version": {"erased": True, "formats": ["html", "utf-8"]},
    "format": {"erased": True, "formats": ["json"]},
    "citation": {"erased": True, "format": "utf-8"},
    "assertion": {"erased": True},
}


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """The catalog of an archive that was brought up."""
    directory, _ = unpack(tmp_path)
    Repository.open(directory, clock=lambda: datetime(2026, 11, 22, 12, tzinfo=UTC)).close()
    path = directory / "catalog.sqlite"
    with closing(connect(path, busy_timeout_s=1)) as opened:
        yield opened


def erase(
    connection: sqlite3.Connection,
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
          :entry, 'court-order', '2026'
        FROM document WHERE date = '2026-11-18' AND unique_id = '14'
    """
    values = {"sequence": sequence, "version": version, "token": token, "entry": entry}
    connection.execute(question, values)


def numbers(connection: sqlite3.Connection, question: str) -> set[int]:
    """Return the numbers that a question answers."""
    return {row[0] for row in connection.execute(question)}


def reaches(connection: sqlite3.Connection, statement: str, table: str, rows: set[int]) -> None:
    """Check that a statement is let pass for these rows of a table and refused for all others."""
    key = f"{table}_id"
    every = numbers(connection, f"SELECT {key} FROM {table}")
    assert rows <= every
    for one in every:
        if one in rows:
            connection.execute(f"{statement} WHERE {key} = {one}")
        else:
            with pytest.raises(sqlite3.IntegrityError, match=f"rows of {table} never change"):
                connection.execute(f"{statement} WHERE {key} = {one}")


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
    connection: sqlite3.Connection,
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


def test_a_row_is_emptied_in_one_way_only(connection: sqlite3.Connection) -> None:
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
        with pytest.raises(sqlite3.IntegrityError, match="never change"):
            connection.execute(change)


def test_entries_of_the_first_schema_leave_a_tombstone(connection: sqlite3.Connection) -> None:
    erase(connection)
    covered = numbers(connection, "SELECT sequence FROM erased_entry WHERE part IS NULL")
    change = "UPDATE leaf SET subject = ?, content = ? WHERE sequence = ?"
    for sequence, subject, content in connection.execute("SELECT * FROM leaf").fetchall():
        if sequence in covered:
            left = tombstone(content.encode())
            assert json.loads(left).items() >= TOMBSTONES[json.loads(content)["kind"]].items()
            row = (subject.partition("#")[0], left.decode(), sequence)
            for wrong in (("another", row[1], sequence), (row[0], content, sequence)):
                with pytest.raises(sqlite3.IntegrityError, match="never change"):
                    connection.execute(change, wrong)
            connection.execute(change, row)
        else:
            assert not subject.startswith(NAME) or '"erasure"' in content
            other = canonical_json({"erased": True, "name": subject}).decode()
            with pytest.raises(sqlite3.IntegrityError, match="never change"):
                connection.execute(change, (subject, other, sequence))
    assert numbers(connection, "SELECT sequence FROM erased_entry WHERE part IS NULL") == covered
    words = " ".join(
        str(row) for row in connection.execute("SELECT * FROM leaf WHERE subject = ?", (NAME,))
    )
    assert "canary" not in words


def test_rows_beside_a_format_go_with_it(connection: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="never change"):
        connection.execute("DELETE FROM attachment")
    erase(connection)
    of_document = OF_DOCUMENT.format(column="representation_id", condition="TRUE")
    connection.execute("BEGIN")
    connection.execute("PRAGMA defer_foreign_keys = ON")
    sequences = numbers(
        connection,
        "SELECT sequence FROM citation_leaf JOIN citation USING (citation_id)"
        f" WHERE representation_id IN ({of_document})",
    )
    for table in ("attachment", "quotation", "citation"):
        gone = connection.execute(f"DELETE FROM {table} WHERE representation_id IN ({of_document})")
        assert gone.rowcount or table == "quotation"
        with pytest.raises(sqlite3.IntegrityError, match="never change"):
            connection.execute(f"DELETE FROM {table}")
    for sequence in sequences:
        connection.execute("DELETE FROM citation_leaf WHERE sequence = ?", (sequence,))
    assert connection.execute("DELETE FROM assertion WHERE subject = ?", (NAME,)).rowcount
    connection.execute("COMMIT")
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_one_citation_goes_alone(connection: sqlite3.Connection) -> None:
    question = (
        "SELECT citation_id, sequence FROM citation_leaf JOIN citation USING (citation_id)"
        " WHERE note IS NOT NULL"
    )
    citation_id, sequence = connection.execute(question).fetchone()
    erase(connection, entry=sequence)
    reaches(connection, VERSION, "version", set())
    reaches(connection, FORMAT, "representation", set())
    connection.execute("PRAGMA foreign_keys = OFF")
    reaches(connection, "DELETE FROM citation", "citation", {citation_id})


def test_nothing_is_added_to_what_is_erased(connection: sqlite3.Connection) -> None:
    erase(connection)
    (document_id,) = connection.execute("SELECT document_id FROM erasure").fetchone()
    row = (document_id, 3, "2026", None, None, None, None, "{}")
    with pytest.raises(sqlite3.IntegrityError, match="the document is erased"):
        connection.execute("INSERT INTO version VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    for table, message in (("representation", "the version"), ("citation", "what it cites")):
        of_document = OF_DOCUMENT.format(column="representation_id", condition="TRUE")
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        changed = {"format": "'new'", f"{table}_id": "NULL", "identity": "'new'"}
        chosen = ", ".join(changed.get(one, f'"{one}"') for one in columns)
        with pytest.raises(sqlite3.IntegrityError, match=f"{message}.* is erased"):
            connection.execute(
                f"INSERT INTO {table} SELECT {chosen} FROM {table}"
                f" WHERE representation_id IN ({of_document})"
            )


def test_a_person_can_be_forgotten_and_not_become_another(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO person VALUES ('person:1', 'Jane Roe', '2026')")
    for change in ("SET name = 'Eve'", "SET person_id = 'person:2', name = NULL"):
        with pytest.raises(sqlite3.IntegrityError, match="never change"):
            connection.execute(f"UPDATE person {change}")
    connection.execute("UPDATE person SET name = NULL")
    assert connection.execute("SELECT name FROM person").fetchall() == [(None,)]
