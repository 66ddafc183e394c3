"""An archive of the first schema in PostgreSQL is brought up, whole or not at all."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.earlier import POSTGRESQL_12, to_texts, unpack
from tests.engines import Between, Repository, Server
from tests.spec.test_archive_copying import dumped

from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.postgresql import catalog, connection
from permacite.archive.postgresql.schema import SCHEMA, step
from permacite.archive.schema import SCHEMA_VERSION
from permacite.errors import StorageError

if TYPE_CHECKING:
    from pathlib import Path

    from permacite.archive.engine.location import Location

pytest.importorskip("cryptography", reason="the log's signatures need it")

CONSTRAINTS = """
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE connamespace = '{}'::regnamespace
"""
COLUMNS = """
SELECT table_name, column_name, data_type, collation_name, is_nullable
FROM information_schema.columns WHERE table_schema = '{}'
"""
RULES = "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = '{}'::regnamespace"
LARGE = b"page" * 20_000

State = list[set[tuple[object, ...]]]


def noon() -> datetime:
    """Return the time that the clock of these tests shows."""
    return datetime(2026, 11, 22, 12, tzinfo=UTC)


class Case:
    """An archive with every kind of entry, closed, as schema 12 had it."""

    def __init__(self, server: Server, folder: Path) -> None:
        """Make it."""
        self.server = server
        self.folder, _ = unpack(folder)
        Repository.adopt(self.folder)
        with Repository.open(self.folder, clock=noon) as archive:
            gone = archive.committer.commit(
                [NewRepresentation(b"a text", "text/plain")], unique_id="gone"
            )
            self.large = archive.committer.commit([NewRepresentation(LARGE, "text/html")])
            archive.access.erase(gone.pdi, ground="court-order")
            archive._objects.write_behind.flush()  # noqa: SLF001 - the thread that does it waits for quiet
            self.rows = dumped(archive)
            self.kinds = [one.kind for one in archive.fixity.fsck()]
        self.schema = server.location(self.folder).partition("&schema=")[2].partition("&")[0]
        self.after = self.state()
        self.take_back()
        self.before = self.state()
        assert self.before != self.after

    def take_back(self) -> None:
        """Make it what it was as schema 12."""
        Repository.tamper(self.folder, *to_texts())

    def state(self) -> State:
        """The schema that it says, its columns, and its rules."""
        questions = (f"SELECT schema FROM {self.schema}.archive", CONSTRAINTS, COLUMNS, RULES)  # noqa: S608
        return [set(self.server.execute(each.format(self.schema))) for each in questions]

    def check(self, location: Location | None = None) -> None:
        """Check that it opens, and that all is as it was."""
        with Repository.open(location or self.folder, clock=noon) as archive:
            assert dumped(archive) == self.rows
            assert [one.kind for one in archive.fixity.fsck()] == self.kinds
            digest = self.large.representations[0].digest
            assert [each.pdi for each in archive.origins.find_by_digest(digest)] == [self.large.pdi]
            assert archive.contents.read(self.large.representations[0]) == LARGE
        assert self.state() == self.after


@pytest.fixture
def case(postgresql: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """Return such an archive."""
    monkeypatch.setattr(Repository, "engine", postgresql)
    return Case(postgresql, tmp_path)


STRUCTURE = (
    CONSTRAINTS,
    """
SELECT table_name, column_name, ordinal_position, data_type, collation_name, is_nullable,
  column_default, is_identity, identity_generation
FROM information_schema.columns WHERE table_schema = '{}'
""",
    "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = '{}'",
    (
        "SELECT proname, prosrc, provolatile, proisstrict, prolang FROM pg_proc"
        " WHERE pronamespace = '{}'::regnamespace"
    ),
    (
        "SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid), tgenabled FROM pg_trigger"
        " WHERE tgrelid::regclass::text LIKE '{}.%' AND NOT tgisinternal"
    ),
    "SELECT viewname, definition FROM pg_views WHERE schemaname = '{}'",
    "SELECT relname, reloptions FROM pg_class WHERE relnamespace = '{}'::regnamespace",
)
"""What PostgreSQL knows of a schema."""


def test_a_migrated_archive_equals_a_new_one(postgresql: Server) -> None:
    made: dict[str, list[list[str]]] = {}
    steps = [POSTGRESQL_12.read_text(), *map(step, range(13, SCHEMA_VERSION + 1))]
    for schema, statements in (("migrated", steps), ("created", [SCHEMA])):
        postgresql.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}")
        for each in statements:
            postgresql.execute(f"SET search_path = {schema}; {each}")
        made[schema] = [
            sorted(
                repr(row).replace(schema, "schema")
                for row in postgresql.execute(question.format(schema))
            )
            for question in STRUCTURE
        ]
        assert all(made[schema])
        postgresql.execute(f"DROP SCHEMA {schema} CASCADE")
    assert made["migrated"] == made["created"]


def test_digests_that_were_texts_become_octets_and_nothing_else_changes(case: Case) -> None:
    assert {(12,)} == case.before[0]
    assert {(SCHEMA_VERSION,)} == case.after[0]
    case.check()
    with Repository.open(case.folder, clock=noon) as archive:
        assert archive.access.erase(case.large.pdi, ground="court-order").is_done
        assert {one.kind for one in archive.fixity.fsck()} <= {*case.kinds, "erased"}


def test_a_step_that_fails_leaves_the_schema_before(case: Case) -> None:
    case.server.execute(f"CREATE VIEW {case.schema}.mine AS SELECT pack FROM {case.schema}.packed")  # noqa: S608
    before = case.state()
    with pytest.raises(StorageError, match="view"):
        Repository.open(case.folder, clock=noon)
    assert case.state() == before
    case.server.execute(f"DROP VIEW {case.schema}.mine")
    case.check()


def test_several_bring_it_up_at_once(case: Case) -> None:
    failed: list[Exception] = []

    def open_it() -> None:
        try:
            Repository.open(case.folder, clock=noon).close()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault
            failed.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    case.check()


class Cut(Between):
    """Ends connections from what the client says as number `at`, until it is mended."""

    def __init__(self, folder: Path, server: Server, at: int, *, told: bool) -> None:
        """`told`: the server hears of it, and its answer is lost; else it does not."""
        self.said = 0
        self._at = at
        self._told = told
        super().__init__(folder, server)

    def passes(self, octets: bytes, *, by_client: bool) -> bool:
        """Whether they go on."""
        del octets
        if by_client:
            self.said += 1
            return self.said < self._at or (self._told and self.said == self._at)
        return self.said < self._at


@pytest.mark.parametrize("told", [True, pytest.param(False, marks=pytest.mark.deep)])
def test_wherever_the_connection_is_lost_it_is_whole_before_or_after(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, told: bool
) -> None:
    for room in (catalog, connection):
        monkeypatch.setattr(room, "PATIENCE_S", 0.2)  # nobody comes back
    states: list[State] = []
    while True:
        between = tmp_path / f"at {len(states)}"
        between.mkdir()
        place = str(Repository.at(case.folder)).replace(str(case.server.folder), str(between))
        cut = Cut(between, case.server, len(states) + 1, told=told)
        try:
            Repository.open(place, clock=noon).close()
        except StorageError:
            pass
        else:
            break
        finally:
            cut.close()
        states.append(case.state())
        assert states[-1] in (case.before, case.after)
        if states[-1] == case.after:
            case.take_back()
    assert len(states) > 5
    assert case.before in states
    case.check()
