"""Archives of earlier schemas open, and all that is in them stays as it was, to the octet."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.earlier import unpack, with_texts

from permacite import pdi
from permacite.archive.log.bundles.checking import check_proof
from permacite.archive.model.submitted import NewCitation, NewRepresentation
from permacite.archive.objects.files import FileObjects
from permacite.archive.repository import Repository
from permacite.archive.schema import SCHEMA_VERSION
from permacite.archive.sqlite.catalog import bytes_of_digest, migrate
from permacite.archive.sqlite.connection import APPLICATION_ID
from permacite.archive.sqlite.schema import SCHEMA, earlier, step
from permacite.errors import StorageError

pytest.importorskip("cryptography", reason="the log's signatures need it")

DUMP = Path(__file__).parents[1] / "golden/archive/schema-1.sql"
KEY = "PRIVATE+KEY+lab.example.us/log+b4009a74+AdaSz2Ljt3AoNb2fsHOhao7cDWW3J+Odbb1hCo/8ugfc\n"
OCTETS = (b"<p>one", b"one", b"named", b"two")
TEXT = "urn:pdi://lab.example.us/2026/11/20/1.utf-8.1"
CITED = f"{TEXT}#char=0,3"


def noon() -> datetime:
    """Return the time that the clock of these tests shows."""
    return datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """An archive of schema 1, as the first versions of permacite wrote it."""
    directory = tmp_path / "archive"
    directory.mkdir()
    with contextlib.closing(sqlite3.connect(directory / "catalog.sqlite")) as connection:
        connection.executescript(DUMP.read_text("utf-8"))
        connection.execute("PRAGMA journal_mode = WAL")
    (directory / "log.key").write_text(KEY)
    objects = FileObjects(directory / "objects")
    for content in OCTETS:
        objects.put(content)
    return directory


def rows(directory: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows by table."""
    with contextlib.closing(sqlite3.connect(directory / "catalog.sqlite")) as connection:
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return {
            table: [
                tuple(map(as_text, row))
                for row in connection.execute(f"SELECT * FROM {table}")  # noqa: S608 - its own
            ]
            for (table,) in tables.fetchall()
        }


def as_text(value: object) -> object:
    """Return a digest as schemas before 13 have it, anything else as it is."""
    if isinstance(value, bytes) and len(value) in {20, 32}:
        return value.hex() if len(value) == 20 else f"sha-256:{value.hex()}"
    return value


def version_of(directory: Path) -> int:
    """Return the schema that the file says it has."""
    with contextlib.closing(sqlite3.connect(directory / "catalog.sqlite")) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_what_is_there_stays_as_it_was(directory: Path) -> None:
    before = rows(directory)
    with Repository.open(directory, clock=noon) as archive:
        assert [one.kind for one in archive.fixity.fsck()] == ["ok"] * 5
        assert archive.log.size() == 7
        assert [one.fragment for one in archive.passages.citations()] == [CITED]
    after = rows(directory)
    assert version_of(directory) == SCHEMA_VERSION
    for table, found in before.items():
        assert set(found) <= set(after[table]), table
        assert len(after[table]) == len(found) or table in {"leaf", "log_node"}, table


def test_what_no_entry_told_gets_its_entry(directory: Path) -> None:
    with Repository.open(directory, clock=noon) as archive:
        added = [archive.log.disclosed(leaf) for leaf in archive.log.leaves(4)]
        assert [(one["kind"], one.get("of")) for one in added] == [
            ("delegation", "resolver"),
            ("delegation", "minter"),
            ("citation", None),
        ]
        assert added[1] == {
            "kind": "delegation",
            "name": "press.lab.example.us",
            "of": "minter",
            "first": "2026-01-01",
            "last": "2026-12-31",
            "target": "ann",
            "recorded_at": "2026-11-20T12:00:00.000000Z",
        }
        assert (added[2]["reference"], added[2]["note"]) == (CITED, "a note")
        proof = archive.proofs.prove(_name(TEXT), citation=archive.passages.citations()[0])
        assert check_proof(proof, str(archive.log.keys.verifier)).ok
    with Repository.open(directory, clock=noon) as archive:
        assert archive.log.size() == 7


def test_every_part_reads_a_catalog_of_schema_1(directory: Path) -> None:
    # So it is on a disk that may only be read: the catalog stays as it is.
    with Repository.open(directory, clock=noon) as archive:
        _back_to_schema_1(directory)
        assert version_of(directory) == 1
        assert [one.kind for one in archive.fixity.fsck()] == ["ok"] * 5
        assert archive.proofs.prove(_name(TEXT), citation=archive.passages.citations()[0])


def _back_to_schema_1(directory: Path) -> None:
    """Put the catalog of schema 1 back under an archive that is open."""
    with contextlib.closing(sqlite3.connect(":memory:")) as source:
        source.executescript(DUMP.read_text("utf-8"))
        with contextlib.closing(sqlite3.connect(directory / "catalog.sqlite")) as target:
            source.backup(target)


def test_the_archive_goes_on_where_it_was(directory: Path) -> None:
    with Repository.open(directory, clock=noon) as archive:
        made = archive.committer.commit([NewRepresentation(b"new", "text/plain")])
        assert str(made.pdi.document) == "urn:pdi://lab.example.us/2026/11/22/1"
        again = NewCitation(CITED, _name(TEXT), 0, 3, "one", note="a note")
        assert archive.passages.record(again).cited_at == datetime(2026, 11, 20, 12, tzinfo=UTC)
        kinds = [json.loads(leaf.content)["kind"] for leaf in archive.log.leaves(7)]
        assert kinds == ["day", "version"]
        assert {one.kind for one in archive.fixity.fsck()} == {"ok"}


def test_a_step_that_fails_leaves_the_schema_before(directory: Path) -> None:
    before = rows(directory)
    with contextlib.closing(sqlite3.connect(directory / "catalog.sqlite")) as connection:
        connection.execute("CREATE TABLE timestamp (taken TEXT)")
    with pytest.raises(StorageError):
        Repository.open(directory)
    assert version_of(directory) == 1
    assert rows(directory) == before | {"timestamp": []}


def test_a_later_schema_is_refused(directory: Path) -> None:
    with contextlib.closing(sqlite3.connect(directory / "catalog.sqlite")) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(StorageError, match="use a later version of permacite") as error:
        Repository.open(directory)
    assert error.value.reason == "newer"


@pytest.mark.parametrize("number", range(1, 13))
def test_steps_only_add_and_triggers_give_way_to_others(number: int) -> None:
    words = step(number)
    dropped = re.findall(r"DROP TRIGGER (\w+);\nCREATE TRIGGER \1 BEFORE", words)
    assert words.upper().count("DROP ") == len(dropped)
    for word in ("ALTER TABLE", "DELETE FROM", "UPDATE OR"):
        assert word not in words.upper()


def things(version: int) -> tuple[dict[str, list[str]], set[tuple[str, str]]]:
    """Return the columns of all tables by table, and kinds and names of all that a schema has."""
    with contextlib.closing(sqlite3.connect(":memory:")) as made:
        made.create_function("octets_in", 2, bytes_of_digest, deterministic=True)
        made.executescript(earlier(version))
        question = "SELECT type, name FROM sqlite_schema"
        kinds = set(made.execute(question).fetchall())
        return {
            name: [row[1] for row in made.execute(f"PRAGMA table_info({name})")]
            for kind, name in kinds
            if kind == "table"
        }, kinds


def structure(connection: sqlite3.Connection) -> dict[str, object]:
    """Return what SQLite knows of a catalog's tables, column by column, and all statements."""
    question = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    found: dict[str, object] = {"statements": connection.execute(question).fetchall()}
    tables = "SELECT name, strict, wr FROM pragma_table_list WHERE schema = 'main' ORDER BY name"
    for row in connection.execute(tables).fetchall():
        asked = ("table_xinfo", "foreign_key_list", "index_list")
        columns = [connection.execute(f"PRAGMA {each}({row[0]})").fetchall() for each in asked]
        found[row[0]] = (row, *columns[:2], sorted(index[1:] for index in columns[2]))
    return found


@pytest.mark.parametrize("number", range(1, SCHEMA_VERSION))
def test_a_migrated_catalog_equals_a_new_one(tmp_path: Path, number: int) -> None:
    path = tmp_path / "catalog.sqlite"
    with (
        contextlib.closing(sqlite3.connect(path)) as old,
        contextlib.closing(sqlite3.connect(":memory:")) as new,
    ):
        old.executescript(
            f"{earlier(number)} PRAGMA user_version = {number};"
            f"PRAGMA application_id = {APPLICATION_ID};"
        )
        migrate(path, busy_timeout_s=1.0)
        new.executescript(SCHEMA)
        assert structure(old) == structure(new)


def test_the_step_that_writes_tables_anew_leaves_all_of_them_and_their_rules() -> None:
    assert things(13) == things(12)


def test_digests_become_octets_and_nothing_else_changes(tmp_path: Path) -> None:
    directory, _ = unpack(tmp_path)
    with Repository.open(directory, clock=noon) as archive:
        gone = archive.committer.commit(
            [NewRepresentation(b"a text", "text/plain")], unique_id="gone"
        )
        name = archive.committer.commit([NewRepresentation(b"page" * 20_000, "text/html")]).pdi
        archive.access.erase(gone.pdi, ground="court-order")
        kinds, root = (
            [one.kind for one in archive.fixity.fsck()],
            archive.log.root(archive.log.size()),
        )
    with_texts(directory / "catalog.sqlite")
    before = rows(directory)
    staged = before.pop("unsettled")
    assert version_of(directory) == 12
    assert not any(isinstance(row[6], bytes) for row in before["representation"])
    with Repository.open(directory, clock=noon) as archive:
        assert [one.kind for one in archive.fixity.fsck()] == kinds
        assert archive.log.root(archive.log.size()) == root
        assert archive.contents.read(archive.lookup.representation(name)) == b"page" * 20_000
    after = rows(directory)
    # Whenever an archive is open and quiet, files are made of what is staged.
    assert set(after.pop("unsettled")) <= set(staged)
    assert after == before
    with contextlib.closing(sqlite3.connect(directory / "catalog.sqlite")) as connection:
        lengths = "SELECT DISTINCT typeof(digest), length(digest) FROM "
        for table in ("representation", "attachment", "git_blob"):
            assert connection.execute(lengths + table).fetchall() == [("blob", 32)]


def test_a_catalog_with_texts_that_may_only_be_read_is_read(tmp_path: Path) -> None:
    directory, _ = unpack(tmp_path)
    with Repository.open(directory, clock=noon) as archive:
        made = archive.committer.commit([NewRepresentation(b"page" * 20_000, "text/html")])
    with Repository.open(directory, clock=noon) as archive:
        kinds = [one.kind for one in archive.fixity.fsck()]
        with_texts(directory / "catalog.sqlite")
        assert version_of(directory) == 12
        assert [one.kind for one in archive.fixity.fsck()] == kinds
        digest = made.representations[0].digest
        assert [each.pdi for each in archive.origins.find_by_digest(digest)] == [made.pdi]
        assert archive.origins.find_by_digest("no digest") == []
        archive.copies.backup(tmp_path / "copy")
    with Repository.open(tmp_path / "copy", clock=noon) as copy:
        assert [one.kind for one in copy.fixity.fsck()] == kinds


def test_a_row_that_has_no_digest_is_named_after_the_step_as_before(tmp_path: Path) -> None:
    directory, _ = unpack(tmp_path)
    Repository.open(directory, clock=noon).close()
    with_texts(directory / "catalog.sqlite")
    with contextlib.closing(sqlite3.connect(directory / "catalog.sqlite")) as hand, hand:
        hand.execute("DROP TRIGGER representation_no_update")
        hand.execute(
            "UPDATE representation SET digest = replace(digest, 'sha-256', 'sha-2:6')"
            " WHERE representation_id = 2"
        )
    with Repository.open(directory, clock=noon) as archive:
        told = {one.kind for one in archive.fixity.fsck()}
    assert {"ok", "log", "missing"} <= told


def test_the_first_step_is_what_was_written_first() -> None:
    with (
        contextlib.closing(sqlite3.connect(":memory:")) as written,
        contextlib.closing(sqlite3.connect(":memory:")) as ours,
    ):
        written.executescript(DUMP.read_text("utf-8"))
        ours.executescript(step(1))
        question = "SELECT type, name FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
        assert ours.execute(question).fetchall() == written.execute(question).fetchall()


def _name(text: str) -> pdi.PDI:
    value = pdi.parse(text)
    assert isinstance(value, pdi.PDI)
    return value
