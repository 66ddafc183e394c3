"""Records in PostgreSQL: the same tables and rules, locations without secrets, lost connections."""

# ruff: noqa: S608 - the names of tables and columns are our own
from __future__ import annotations

import contextlib
import os
import random
import re
import sqlite3
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

import psycopg
import pytest
from tests.engines import Between, Repository, Server

from permacite.archive.administration import place_of
from permacite.archive.model.answered import Standing
from permacite.archive.model.submitted import NewRepresentation, NewVersion
from permacite.archive.postgresql.schema import SCHEMA
from permacite.archive.sqlite import schema as of_sqlite
from permacite.errors import ParseError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SERIES = "lab.example.us"


def page(text: str = "one") -> NewRepresentation:
    """A small document."""
    return NewRepresentation(text.encode(), "text/html", charset="utf-8")


@pytest.fixture
def location(postgresql: Server, tmp_path: Path) -> str:
    """Where the archive of a test is."""
    return postgresql.location(tmp_path / "archive")


@pytest.fixture
def archive(location: str) -> Iterator[Repository]:
    """An archive with a document."""
    with Repository.create(location, series=SERIES) as opened:
        opened.committer.commit([page()], key="first")
        yield opened


@contextlib.contextmanager
def by_hand(location: str) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """A connection as somebody has it who uses psql."""
    server, _, parameters = location.partition("?")
    host = re.search(r"host=[^&]*", parameters)
    schema = re.search(r"schema=(\w+)", parameters)
    assert host
    assert schema
    with psycopg.connect(f"{server}?{host[0]}&user=permacite", autocommit=True) as connection:
        connection.execute(f"SET search_path = {schema[1]}".encode())
        yield connection


LOCATIONS = [
    # what is wrong, a location, what is said
    ("password", "postgresql://me:sesame@h/d?objects=/o", "password"),
    ("empty-password", "postgresql://me:@h/d?objects=/o", "password"),
    ("password-behind", "postgresql://h/d?objects=/o&password=sesame", "password"),
    ("passfile", "postgresql://h/d?objects=/o&passfile=/sesame", "password"),
    ("no-objects", "postgresql://h/d", "objects=/path"),
    ("relative", "postgresql://h/d?objects=o", "objects=/path"),
    ("schema", 'postgresql://h/d?objects=/o&schema=a"b', "schema"),
    ("role", "postgresql://h/d?objects=/o&grant=a;b", "role"),
    ("fragment", "postgresql://h/d?objects=/o#x", "fragment"),
    ("port", "postgresql://h/d?objects", "expected postgresql://"),
    ("no-port", "postgresql://h:sesame/d?objects=/o", "number of its port"),
    ("slash-in-password", "postgresql://me:ses/ame@h/d?objects=/o", "password"),
    ("hash-in-password", "postgresql://me:ses#ame@h/d?objects=/o", "password"),
    ("mark-in-password", "postgresql://me:1?sesame@h/d?a=b&objects=/o", "small letters"),
    ("capitals", "postgresql://h/d?objects=/o&Password=sesame", "small letters"),
    ("key-of-store", "postgresql://h/d?objects=s3://me:sesame@bucket", "s3://BUCKET/PREFIX"),
    ("one-slash", "postgresql:/me:sesame@h/d?objects=/o", "expected a folder, or postgresql://"),
    ("no-slash", "postgres:me:sesame@h/d", "expected a folder, or postgresql://"),
    ("for-libpq", "host=/run dbname=d password=sesame", "expected a folder, or postgresql://"),
]


@pytest.mark.parametrize(
    ("location", "said"), [case[1:] for case in LOCATIONS], ids=[case[0] for case in LOCATIONS]
)
def test_a_location_says_what_is_wrong_and_repeats_no_secret(location: str, said: str) -> None:
    with pytest.raises(ParseError) as error:
        place_of(location)
    assert said in str(error.value)
    assert "sesame" not in f"{error.value!s} {error.value.details()} {error.value!r}"


def test_a_place_tells_where_it_is_without_folders() -> None:
    place = place_of("postgresql://me@db.example/kept?schema=a&objects=/o&log-key=/k/log.key")
    assert place.where == "postgresql://me@db.example/kept?schema=a"
    assert place.directory == Path("/k")
    place = place_of("postgresql:///kept?host=/run&passwd=sesame&objects=/o&local=/l")
    assert place.where == "postgresql:///kept?host=/run&schema=permacite"


def test_both_engines_have_the_same_tables(location: str, archive: Repository) -> None:
    del archive
    with contextlib.closing(sqlite3.connect(":memory:")) as memory:
        memory.executescript(of_sqlite.SCHEMA)
        tables = [
            name for (name,) in memory.execute("SELECT name FROM sqlite_schema WHERE type='table'")
        ]
        expected = {
            name: [row[1] for row in memory.execute(f"PRAGMA table_info({name})")]
            for name in tables
        }
    question = (
        "SELECT table_name, column_name FROM information_schema.columns"
        " WHERE table_schema = current_schema() ORDER BY ordinal_position"
    )
    actual: dict[str, list[str]] = {}
    with by_hand(location) as hand:
        for table, column in hand.execute(question):
            actual.setdefault(str(table), []).append(str(column))
    ours = {"archive", "log_head", "writer"}
    views = {"erased_entry", "erased_representation", "erased_version"}
    assert {name: columns for name, columns in actual.items() if name not in ours | views} == (
        expected
    )


def test_what_is_for_the_building_is_kept_so(location: str, archive: Repository) -> None:
    first, second = (archive.committer.commit([page(text)]).pdi for text in ("two", "three"))
    archive.access.set_standing(first, Standing("building"))
    archive.access.set_standing(second, Standing("public"))
    assert [archive.access.standing(name).access for name in (first, second)] == [
        "building",
        "public",
    ]
    with by_hand(location) as hand, pytest.raises(psycopg.IntegrityError, match="closed elsewhere"):
        hand.execute("INSERT INTO building SELECT max(standing_id) FROM standing")


LASTING = sorted(set(re.findall(r"CREATE TRIGGER (\w+)_no_delete", SCHEMA)))


def test_no_row_can_be_changed_by_hand(location: str, archive: Repository) -> None:
    archive.log.checkpoints.current()
    with by_hand(location) as hand:
        for table in LASTING:
            (column, *_), *_ = hand.execute(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum = 1",
                (table,),
            ).fetchall()
            ((rows,),) = cast(
                "list[tuple[int]]",
                hand.execute(f"SELECT count(*) FROM {table}".encode()).fetchall(),
            )
            for statement in (f"UPDATE {table} SET {column} = {column}", f"DELETE FROM {table}"):
                if rows:
                    with pytest.raises(psycopg.IntegrityError, match="permacite"):
                        hand.execute(statement.encode())
    assert {finding.kind for finding in archive.fixity.fsck()} == {"ok"}


BROKEN = {
    "version-gap": "INSERT INTO version VALUES (9, 1, 3, 'x', NULL, NULL, NULL, NULL, '{}')",
    "version-0": "INSERT INTO version VALUES (9, 1, 0, 'x', NULL, NULL, NULL, NULL, '{}')",
    "earlier-date": f"INSERT INTO document VALUES (9, '{SERIES}', '1999-01-01', 'x', NULL)",
    "same-serial": "INSERT INTO document SELECT 9, series, date, 'x', serial FROM document",
    "no-date": f"INSERT INTO document VALUES (9, '{SERIES}', 'tomorrow', 'x', NULL)",
    "leaf-gap": "INSERT INTO leaf VALUES (7, 'x', 'y')",
    "no-series": "INSERT INTO document VALUES (9, 'other.us', '2999-01-01', 'x', NULL)",
}


@pytest.mark.parametrize("statement", BROKEN.values(), ids=BROKEN)
def test_rows_that_break_the_order_are_refused(
    location: str, archive: Repository, statement: str
) -> None:
    with by_hand(location) as hand, pytest.raises(psycopg.IntegrityError):
        hand.execute(statement.encode())
    assert archive.lists.count() == 1


def test_fsck_names_what_was_done_by_hand(location: str, archive: Repository) -> None:
    with by_hand(location) as hand:
        hand.execute("ALTER TABLE version DISABLE TRIGGER version_no_update")
        hand.execute("UPDATE version SET title = 'another'")
        hand.execute("DROP TRIGGER leaf_next ON leaf")
        hand.execute(
            "CREATE OR REPLACE FUNCTION leaf_no_delete() RETURNS TRIGGER LANGUAGE plpgsql"
            " AS $$BEGIN RETURN OLD; END$$"
        )
        hand.execute("UPDATE setting SET value = 'other.us' WHERE name = 'series'")
    told = {(finding.kind, finding.detail) for finding in archive.fixity.fsck()}
    for detail in (
        "the trigger version_no_update is missing or off",
        "the trigger leaf_next is missing or off",
        "the function leaf_no_delete is missing or another",
        "the settings, or the series that mint, are not those that were set",
    ):
        assert ("catalog", detail) in told
    assert "log" in {kind for kind, _ in told}


ZEROS = "decode(repeat('00', 32), 'hex')"
FAULTS = {
    "a-trigger-added": (
        "CREATE TRIGGER mine BEFORE UPDATE ON leaf EXECUTE FUNCTION leaf_next()",
        "the trigger mine of leaf is not ours",
    ),
    "an-index-gone": ("DROP INDEX version_uri", "the index version_uri is missing or not finished"),
    "a-key-gone": (
        "ALTER TABLE document DROP CONSTRAINT document_series_date_unique_id_key",
        "the unique key (series, date, unique_id) of document is missing",
    ),
    "a-primary-key-gone": (
        "ALTER TABLE log_node DROP CONSTRAINT log_node_pkey",
        "the primary key (level, position) of log_node is missing",
    ),
    "a-reference-gone": (
        "ALTER TABLE version DROP CONSTRAINT version_document_id_fkey",
        "the reference (document_id) of version is missing",
    ),
    "a-check-not-made": (
        "ALTER TABLE leaf ADD CHECK (sequence > 9) NOT VALID",
        "leaf_sequence_check1 of leaf was never checked",
    ),
    "a-broken-reference": (
        f"SET session_replication_role = replica; INSERT INTO attachment VALUES (99, '', {ZEROS})",
        "representation_id 99 of attachment refers to no row of representation",
    ),
}


@pytest.mark.parametrize(("statement", "told"), FAULTS.values(), ids=FAULTS)
def test_fsck_finds_a_schema_that_is_not_as_it_was_made(
    location: str, archive: Repository, statement: str, told: str
) -> None:
    with by_hand(location) as hand:
        hand.execute("CREATE TABLE of_others (a INTEGER, b INTEGER, PRIMARY KEY (a, b))")
        hand.execute(
            'CREATE TABLE "Of Others" (a INTEGER, b INTEGER, FOREIGN KEY (a, b)'
            " REFERENCES of_others)"
        )  # they may stand beside ours
    assert {one.kind for one in archive.fixity.fsck()} == {"ok"}
    with by_hand(location) as hand:
        hand.execute(statement.encode())
    assert [one.detail for one in archive.fixity.fsck() if one.kind != "ok"] == [told]


def test_a_role_of_its_own_writes_and_may_do_no_more(location: str) -> None:
    role = "w" + re.findall(r"schema=(\w+)", location)[0]
    with psycopg.connect(location.partition("&schema")[0], autocommit=True) as hand:
        hand.execute(f"CREATE ROLE {role} LOGIN".encode())
    Repository.create(f"{location}&grant={role}", series=SERIES).close()
    with Repository.open(location.replace("user=permacite", f"user={role}")) as archive:
        name = archive.committer.commit([page()]).pdi
        archive.committer.commit([page("two")], replaces=name)
        assert archive.access.erase(name, ground="court-order").is_done
        assert {finding.kind for finding in archive.fixity.fsck()} <= {"ok", "erased"}
    with by_hand(location) as hand:
        hand.execute(f"SET ROLE {role}".encode())
        for statement in ("DELETE FROM leaf", "UPDATE document SET serial = 2", "TRUNCATE leaf"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                hand.execute(statement.encode())


def test_a_whole_document_is_erased(archive: Repository) -> None:
    name = archive.committer.commit([page("two")]).pdi.document
    assert archive.access.erase(name, ground="court-order").is_done
    assert {finding.kind for finding in archive.fixity.fsck()} == {"ok", "erased"}


def test_what_is_taken_or_no_archive_is_told(
    postgresql: Server, location: str, archive: Repository, tmp_path: Path
) -> None:
    del archive
    with pytest.raises(Exception, match="is an archive already"):
        Repository.create(location, series=SERIES)
    with pytest.raises(StorageError) as error:
        Repository.open(postgresql.location(tmp_path / "other"))
    assert error.value.reason == "not-an-archive"
    with pytest.raises(StorageError) as error:
        Repository.open(location.replace("/postgres?", "/nowhere?"))
    assert 'database "nowhere" does not exist' in error.value.problem
    with pytest.raises(StorageError) as error:
        Repository.open(location.replace(str(postgresql.folder), str(tmp_path)))
    assert error.value.reason == "away"
    with by_hand(location) as hand:
        hand.execute("UPDATE archive SET schema = 99")
    with pytest.raises(StorageError) as error:
        Repository.open(location)
    assert error.value.reason == "newer"


def test_a_locked_archive_is_told_and_serves_readers(location: str, archive: Repository) -> None:
    with by_hand(location) as holder, Repository.open(location, busy_timeout_s=0.05) as second:
        holder.execute("BEGIN")
        holder.execute("SELECT commits FROM log_head FOR UPDATE")
        with pytest.raises(StorageError) as error:
            second.committer.commit([page("two")])
        assert error.value.reason == "locked"
        assert second.lists.count() == archive.lists.count() == 1
        holder.execute("ROLLBACK")
        assert second.committer.commit([page("two")]).pdi.unique_id == "2"


class Cut(Between):
    """Cuts the connection at the first COMMIT."""

    def __init__(self, folder: Path, server: Server, *, told: bool) -> None:
        """`told`: the server hears of the COMMIT, and its answer is lost; else it does not."""
        self.cuts = 0
        self._told = told
        self._asked: set[int] = set()
        super().__init__(folder, server)

    def passes(self, octets: bytes, *, by_client: bool) -> bool:
        """Whether they go on; else nothing does."""
        me = threading.get_ident()
        if not by_client and me in self._asked:
            self._asked.remove(me)  # threads to come may bear its number
            return False
        if by_client and b"COMMIT" in octets:
            self.cuts += 1
            if self.cuts == 1:
                if self._told:
                    self._asked.add(me)
                return self._told
        return True


@pytest.mark.parametrize("told", [True, False])
def test_a_commit_whose_connection_is_lost_happens_once(
    postgresql: Server, location: str, archive: Repository, tmp_path: Path, *, told: bool
) -> None:
    cut = Cut(tmp_path, postgresql, told=told)
    try:
        with Repository.open(location.replace(str(postgresql.folder), str(tmp_path))) as another:
            name = another.committer.commit([page("two")]).pdi
            assert cut.cuts == (2 if told else 3), "whoever asks commits too"
            assert another.committer.commit([page("three")]).pdi.unique_id == "3"
    finally:
        cut.close()
    assert name.unique_id == "2"
    assert archive.lists.count() == 3
    assert {finding.kind for finding in archive.fixity.fsck()} == {"ok"}


def test_backends_and_the_server_die_and_nothing_is_lost_or_doubled(
    tmp_path: Path, postgresql: Server, times: Callable[[int, int], int]
) -> None:
    kills = times(8, 250)
    chance = random.Random(os.urandom(8))  # noqa: S311 - no secret: when to kill
    location = postgresql.location(tmp_path / "archive")
    Repository.create(location, series=SERIES).close()
    acknowledged: list[str] = []
    failed: list[Exception] = []
    stop = threading.Event()

    def mint(archive: Repository, number: int) -> None:
        count = 0
        while not stop.is_set():
            count += 1
            try:
                drafts = [NewVersion([page(f"{number} {count} {which}")]) for which in range(2)]
                for version in archive.committer.commit_all(drafts):
                    assert not isinstance(version, Exception), version
                    acknowledged.append(str(version.pdi))
            except Exception as error:  # noqa: BLE001 - a writer that lives is always answered
                failed.append(error)

    with Repository.open(location) as first, Repository.open(location) as second:
        threads = [
            threading.Thread(target=mint, args=(archive, number))
            for number, archive in enumerate((first, first, second, second))
        ]
        for thread in threads:
            thread.start()
        for kill in range(kills):
            before = len(acknowledged)
            while len(acknowledged) == before and not failed:
                time.sleep(0.02)
            time.sleep(chance.random() / 10)
            if kill % 8 == 5:
                postgresql.stop("immediate")
                postgresql.start()
                continue
            with by_hand(location) as hand:
                hand.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE application_name = 'permacite' AND pid <> pg_backend_pid()"
                )
        stop.set()
        for thread in threads:
            thread.join()
        assert failed == []
        assert len(acknowledged) == len(set(acknowledged))
        assert sorted(acknowledged) == sorted(str(version.pdi) for version in first.lists.list())
        assert {finding.kind for finding in first.fixity.fsck()} == {"ok"}
