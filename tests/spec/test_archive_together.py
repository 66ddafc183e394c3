"""Those who commit at the same time share a flush, and nobody notices the others."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import sqlite3
import subprocess
import sys
import threading
import traceback
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Protocol

import pytest
from tests.engines import Refused, Repository
from tests.kept import file_of

from permacite.archive.committing import deposit
from permacite.archive.engine.write_behind import ArchiveObjects
from permacite.archive.model.answered import Provenance, Version
from permacite.archive.model.submitted import NewRepresentation, NewVersion
from permacite.archive.objects.files import FileObjects
from permacite.archive.records import octets
from permacite.archive.records.commits import CommitRequest, commit
from permacite.archive.records.rows import version_of
from permacite.archive.sqlite.connection import APPLICATION_ID
from permacite.archive.sqlite.schema import earlier
from permacite.errors import (
    ConflictError,
    IntegrityError,
    NotFoundError,
    PermaciteError,
    StorageError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

pytestmark = pytest.mark.engines

SERIES = "lab.example.us"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LARGE = 64 * 1024 + 1


class Gate:
    """A clock that can be stopped: whoever reads it meanwhile waits, the writer with all others."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.open.set()
        self.reached = threading.Event()

    def __call__(self) -> datetime:
        """Return noon, once the gate is open."""
        self.reached.set()
        self.open.wait()
        return NOON


class Together(Protocol):
    """Runs commits so that one transaction takes them all; returns values and errors."""

    def __call__(self, commits: Sequence[Callable[[], Version]]) -> list[Version | Exception]:
        """Run them."""
        ...


@pytest.fixture
def gate() -> Gate:
    """The clock of the archive."""
    return Gate()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Where the archive of a test is."""
    return tmp_path / "archive"


@pytest.fixture
def archive(directory: Path, gate: Gate) -> Iterator[Repository]:
    """An empty archive."""
    with Repository.create(directory, series=SERIES, clock=gate) as opened:
        yield opened


@pytest.fixture
def together(archive: Repository, gate: Gate) -> Together:
    """Return what runs commits in one transaction."""

    def run(commits: Sequence[Callable[[], Version]]) -> list[Version | Exception]:
        outcomes: list[Version | Exception] = [LookupError()] * len(commits)

        def attempt(place: int) -> None:
            try:
                outcomes[place] = commits[place]()
            except Exception as error:  # noqa: BLE001 - it is what the test looks at
                outcomes[place] = error

        gate.reached.clear()
        gate.open.clear()
        first = threading.Thread(target=archive.committer.commit, args=([picture(b"first")],))
        first.start()
        gate.reached.wait()
        threads = [threading.Thread(target=attempt, args=(one,)) for one in range(len(commits))]
        for thread in threads:
            thread.start()
        waiting = archive._catalog.group_commit._jobs  # noqa: SLF001 - nobody else knows
        while waiting.qsize() < len(commits):
            os.sched_yield()
        gate.open.set()
        for thread in (first, *threads):
            thread.join()
        return outcomes

    return run


def picture(content: bytes) -> NewRepresentation:
    """Return octets in a format that says nothing about them."""
    return NewRepresentation(content, "image/png")


def unsettled(directory: Path) -> int:
    """Return how many contents wait to become files."""
    ((number,),) = Repository.rows(directory, "SELECT count(*) FROM unsettled")
    return int(number)


def is_clean(archive: Repository) -> bool:
    """Say whether a check of everything finds nothing; what nothing names is harmless."""
    return {finding.kind for finding in archive.fixity.fsck()} <= {"ok", "orphan"}


def test_versions_that_one_caller_commits_keep_their_order(archive: Repository) -> None:
    """More than the files that are open at a time, and large ones among them."""
    contents = [b"%d" % number * (1 if number % 7 else LARGE) for number in range(100)]
    outcomes = archive.committer.commit_all([NewVersion([picture(one)]) for one in contents])
    versions = [one for one in outcomes if isinstance(one, Version)]
    assert [archive.contents.read(one.representations[0]) for one in versions] == contents
    assert [one.pdi.unique_id for one in versions] == [str(number + 1) for number in range(100)]
    assert is_clean(archive)


def test_what_cannot_be_committed_harms_none_beside_it(archive: Repository) -> None:
    taken = archive.committer.commit([picture(b"taken")], unique_id="taken")
    wrong = NewVersion([picture(b"twice"), picture(b"twice again")])
    outcomes = archive.committer.commit_all(
        [
            NewVersion([picture(b"before")]),
            NewVersion([picture(b"other")], unique_id="taken"),
            wrong,
            NewVersion([picture(b"next")], replaces=taken.pdi),
            NewVersion(
                [picture(b"lost")], replaces=dataclasses.replace(taken.pdi, unique_id="nobody")
            ),
            NewVersion([picture(b"behind")]),
        ]
    )
    kinds = [type(one) for one in outcomes]
    assert kinds == [Version, ConflictError, ConflictError, Version, NotFoundError, Version]
    assert is_clean(archive)


def test_an_object_that_was_altered_harms_none_beside_it(
    archive: Repository, directory: Path
) -> None:
    file = file_of(
        directory, archive.committer.commit([picture(b"altered")]).representations[0].digest
    )
    file.chmod(0o600)
    file.write_bytes(b"ALTERED")
    contents = (b"before", b"altered", b"behind")
    outcomes = archive.committer.commit_all([NewVersion([picture(one)]) for one in contents])
    assert [type(one) for one in outcomes] == [Version, IntegrityError, Version]


def test_each_gets_a_name_of_its_own(archive: Repository, together: Together) -> None:
    contents = [f"content {number}".encode() for number in range(20)]
    found = together([partial(archive.committer.commit, [picture(one)]) for one in contents])
    versions = [one for one in found if isinstance(one, Version)]
    assert sorted(int(one.pdi.unique_id) for one in versions) == list(range(2, 22))
    assert [archive.contents.read(one.representations[0]) for one in versions] == contents
    assert [archive.lookup.version(one.pdi) for one in versions] == versions
    assert archive.log.size() == 21
    assert is_clean(archive)


def test_a_number_that_is_taken_is_passed_over(archive: Repository, together: Together) -> None:
    for unique_id in ("2", "4", "5"):
        archive.committer.commit([picture(b"own")], unique_id=unique_id)
    found = together([partial(archive.committer.commit, [picture(b"counted")])] * 3)
    assert sorted(one.pdi.unique_id for one in found if isinstance(one, Version)) == ["3", "6", "7"]


def failing(archive: Repository) -> list[tuple[Callable[[], Version], type[Exception]]]:
    """Return commits that cannot be, with what each is told."""
    unknown = archive.lookup.version(
        archive.committer.commit([picture(b"x")], unique_id="taken").pdi
    ).pdi
    nan = Provenance(details={"score": float("nan")})
    return [
        (partial(archive.committer.commit, [picture(b"a")], unique_id="taken"), ConflictError),
        (
            partial(archive.committer.commit, [picture(b"b")], series="press.example.us"),
            NotFoundError,
        ),
        (partial(archive.committer.commit, [picture(b"c")], provenance=nan), ValueError),
        (
            partial(
                archive.committer.commit,
                [picture(b"d")],
                replaces=unknown.make(series=SERIES, date="2026/11/20", unique_id="none"),
            ),
            NotFoundError,
        ),
    ]


def test_what_fails_harms_nobody_else(archive: Repository, together: Together) -> None:
    bad = failing(archive)
    before = archive.lists.count()
    good = [
        partial(archive.committer.commit, [picture(b"good %d" % number)]) for number in range(4)
    ]
    found = together(
        [one for pair in zip(good, [act for act, _ in bad], strict=True) for one in pair]
    )
    assert [type(one) for one in found[1::2]] == [kind for _, kind in bad]
    for number, version in enumerate(found[::2]):
        assert isinstance(version, Version)
        assert archive.contents.read(version.representations[0]) == b"good %d" % number
    assert archive.lists.count() == before + 5
    assert is_clean(archive)


def test_two_that_want_the_same_name_come_one_after_the_other(
    archive: Repository, together: Together
) -> None:
    document = archive.committer.commit([picture(b"zero")]).pdi
    found = together(
        [
            partial(archive.committer.commit, [picture(b"one")], unique_id="mine"),
            partial(archive.committer.commit, [picture(b"two")], unique_id="mine"),
            partial(archive.committer.commit, [picture(b"three")], replaces=document),
            partial(archive.committer.commit, [picture(b"four")], replaces=document),
            partial(archive.committer.commit, [picture(b"five")], key="k"),
            partial(archive.committer.commit, [picture(b"five")], key="k"),
        ]
    )
    assert {type(one) for one in found[:2]} == {Version, ConflictError}
    numbers = [one.number for one in found[2:4] if isinstance(one, Version)]
    assert sorted(numbers) == [2, 3]
    assert isinstance(found[4], Version)
    assert found[4] == found[5]
    assert is_clean(archive)


def test_what_comes_while_another_writes_is_in_the_next_transaction(
    directory: Path, archive: Repository, gate: Gate
) -> None:
    """Who kept one waiting kept all waiting who came meanwhile: they need not let it in again."""
    ticks = itertools.count()
    clock = lambda: NOON + timedelta(seconds=next(ticks))  # noqa: E731 - one a transaction
    with Repository.open(directory, clock=clock) as mine:
        for each in (mine, archive, mine):  # so that mine knows of the other one
            each.committer.commit([picture(b"before")])
        gate.reached.clear()
        gate.open.clear()
        names: list[Version] = []
        other = threading.Thread(target=archive.committer.commit, args=([picture(b"other")],))
        threads = [
            threading.Thread(target=lambda: names.append(mine.committer.commit([picture(b"mine")])))
            for _ in range(4)
        ]
        other.start()
        gate.reached.wait()
        threads[0].start()
        while not _begins(mine._catalog.group_commit._thread):  # noqa: SLF001 - nobody else knows
            os.sched_yield()
        for thread in threads[1:]:
            thread.start()
        waiting = mine._catalog.group_commit._jobs  # noqa: SLF001 - nobody else knows
        while waiting.qsize() < len(threads) - 1:
            os.sched_yield()
        gate.open.set()
        for thread in (other, *threads):
            thread.join()
    assert len({version.pdi for version in names}) == len(threads)
    assert len({version.representations[0].committed_at for version in names}) == 1


def _begins(thread: threading.Thread | None) -> bool:
    """Whether a thread waits for its turn to write."""
    frame = sys._current_frames().get(thread.ident or 0) if thread else None  # noqa: SLF001 - public
    return any(each.f_code.co_name == "begin" for each, _ in traceback.walk_stack(frame))


def test_octets_wait_in_the_catalog_and_are_files_once_it_is_closed(
    archive: Repository, together: Together, directory: Path
) -> None:
    contents = [b"same", b"same", b"other", bytes(LARGE)]
    found = together([partial(archive.committer.commit, [picture(one)]) for one in contents])
    one, _, other, large = (found[place] for place in range(4))
    assert isinstance(one, Version)
    assert isinstance(other, Version)
    assert isinstance(large, Version)
    path = directory / "objects"
    digest = other.representations[0].digest.removeprefix("sha-256:")
    assert archive.contents.read(other.representations[0]) == b"other"
    for version, content in ((one, b"same"), (large, bytes(LARGE))):
        with archive.contents.source(version.representations[0]) as source:
            assert (source.size, source.whole()) == (len(content), content)
            assert source.read(1, 3) == content[1:3]
    archive.close()
    assert unsettled(directory) == 0
    assert (path / digest[:2] / digest[2:4] / digest).read_bytes() == b"other"


class Parts:
    """An archive in parts, whose octets stay staged until they are told to be flushed."""

    def __init__(self, directory: Path) -> None:
        Repository.create(directory, series=SERIES, clock=Gate()).close()
        self.catalog = Repository.catalog(directory, clock=Gate())
        self.objects = FileObjects(directory / "objects")
        self.contents = ArchiveObjects(self.objects, self.catalog)
        self.held = contextlib.ExitStack()

    def commit(self, content: bytes) -> Version:
        """Commit octets as one of several at the same time; the thread is not started."""
        staging = self.held.enter_context(self.contents.write_behind.staging(together=True))
        formats = deposit(staging.put, [picture(content)])
        contents = tuple(staging.contents)
        request = CommitRequest(SERIES, None, None, formats, Provenance(), None, contents=contents)
        (written,) = self.catalog.group_commit.run_all(commit, [request])
        assert not isinstance(written, PermaciteError)
        return version_of(written.version, written.formats)


@pytest.fixture
def parts(directory: Path) -> Iterator[Parts]:
    """An archive in parts."""
    made = Parts(directory)
    yield made
    made.held.close()
    made.contents.write_behind.close()
    made.catalog.close()


def test_what_a_dead_process_left_is_read_and_settled_by_the_next(
    parts: Parts, directory: Path, tmp_path: Path
) -> None:
    digest = parts.commit(b"left").representations[0].digest
    assert unsettled(directory) == 1
    assert not parts.objects.has(digest)
    left = tmp_path / "left"
    Repository.duplicate(directory, left)  # as a crash leaves it
    with Repository.open(left) as archive:
        (version,) = archive.lists.list()
        assert archive.contents.read(version.representations[0]) == b"left"
        assert is_clean(archive)
        assert archive.contents.read(version.representations[0]) == b"left"
    with Repository.open(left) as archive:
        archive.committer.commit([picture(b"next")])
        archive._objects.write_behind.flush()  # noqa: SLF001 - to see it done
        assert unsettled(left) == 0
        assert is_clean(archive)


LEAVES_IT_OPEN = """
import sys, threading
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository

archive = Repository.open(sys.argv[1])
def work(who):
    for number in range(20):
        archive.committer.commit([NewRepresentation(b"%d %d" % (who, number), "image/png")])
threads = [threading.Thread(target=work, args=(who,)) for who in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_a_program_that_ends_without_closing_loses_nothing(directory: Path) -> None:
    Repository.create(directory, series=SERIES).close()
    command = [sys.executable, "-c", LEAVES_IT_OPEN, str(Repository.at(directory))]
    ended = subprocess.run(command, capture_output=True, check=True)
    assert ended.stderr == b""
    with Repository.open(directory) as archive:
        kept = sorted(archive.contents.read(one.representations[0]) for one in archive.lists.list())
        assert kept == sorted(b"%d %d" % (who, number) for who in range(8) for number in range(20))
        assert is_clean(archive)


def test_a_backup_has_what_waits_too(parts: Parts, directory: Path, tmp_path: Path) -> None:
    parts.commit(b"waits")
    with Repository.open(directory) as archive:
        archive.copies.backup(tmp_path / "backup")
    with Repository.open(str(tmp_path / "backup")) as copy:
        assert is_clean(copy)
        assert [copy.contents.read(one.representations[0]) for one in copy.lists.list()] == [
            b"waits"
        ]


def test_octets_that_cannot_be_settled_stay_where_they_are(parts: Parts, directory: Path) -> None:
    digest = parts.commit(b"stays").representations[0].digest
    obstacle = directory / "objects" / digest.removeprefix("sha-256:")[:2]
    obstacle.write_bytes(b"")  # no folder can be made here
    parts.contents.write_behind.flush()
    assert unsettled(directory) == 1
    assert parts.contents.has(digest)
    obstacle.unlink()
    parts.contents.write_behind.flush()
    assert unsettled(directory) == 0
    assert parts.contents.get(digest) == b"stays"


def test_octets_whose_file_is_altered_stay_where_they_are(parts: Parts, directory: Path) -> None:
    digest = parts.commit(b"good").representations[0].digest
    other = parts.commit(b"other").representations[0].digest
    path = file_of(directory, digest)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"evil")
    parts.contents.write_behind.flush()
    assert unsettled(directory) == 1
    assert parts.objects.get(other) == b"other"
    assert parts.catalog.read(octets.staged, digest) == b"good"
    with pytest.raises(IntegrityError):
        parts.contents.check(digest)  # as fsck does
    assert parts.contents.get(digest) == b"good"
    again = parts.commit(b"good").representations[0].digest
    assert parts.contents.get(again) == b"good", "nobody leans on the altered file"
    parts.contents.write_behind.flush()
    assert unsettled(directory) == 1
    path.unlink()
    fresh = ArchiveObjects(parts.objects, parts.catalog)
    fresh.write_behind.flush()
    assert (unsettled(directory), parts.objects.get(digest)) == (0, b"good")


def test_octets_altered_in_the_catalog_are_told(parts: Parts, directory: Path) -> None:
    digest = parts.commit(b"good").representations[0].digest
    Repository.tamper(directory, "UPDATE unsettled SET content = zeroblob(32)")
    with pytest.raises(IntegrityError):
        parts.contents.get(digest)
    parts.contents.write_behind.flush()
    assert unsettled(directory) == 1


def test_what_waits_cannot_be_changed_by_hand(parts: Parts, directory: Path) -> None:
    parts.commit(b"waits")
    with pytest.raises(Refused, match="never change"):
        Repository.by_hand(directory, "UPDATE unsettled SET content = zeroblob(32)")


@pytest.mark.sqlite  # no other engine puts a row in the place of one that is there
def test_what_waits_is_not_replaced_by_hand(parts: Parts, directory: Path) -> None:
    parts.commit(b"waits")
    for row in ("9, digest, x'00'", "1, zeroblob(32), x'00'"):
        with pytest.raises(Refused, match="never change"):
            Repository.by_hand(
                directory,
                f"INSERT OR REPLACE INTO unsettled SELECT {row} FROM unsettled",  # noqa: S608 - ours
            )


def make_old(directory: Path) -> None:
    """Make an archive an empty one of the schema before there was a table of what waits."""
    with (
        contextlib.closing(sqlite3.connect(":memory:")) as old,
        contextlib.closing(sqlite3.connect(directory / "catalog.sqlite")) as catalog,
    ):
        old.executescript(earlier(2))
        old.execute("INSERT INTO series VALUES (1, ?, '2026-11-20T12:00:00.000000Z')", (SERIES,))
        old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        old.execute("PRAGMA user_version = 2")
        old.commit()
        old.backup(catalog)


@pytest.mark.sqlite  # the schema of then was never in PostgreSQL
def test_an_archive_of_an_earlier_schema_gets_the_table(
    archive: Repository, directory: Path
) -> None:
    archive.close()
    make_old(directory)
    with Repository.open(directory, clock=Gate()) as opened:
        assert unsettled(directory) == 0
        opened.committer.commit([picture(b"new")])
        assert {finding.kind for finding in opened.fixity.fsck()} == {"ok"}


@pytest.mark.sqlite  # the same
def test_a_catalog_of_an_earlier_schema_can_be_read_as_it_is(parts: Parts, directory: Path) -> None:
    make_old(directory)
    assert parts.catalog.read(octets.staged_digests, 1) == []
    assert list(parts.catalog.faults()) == []
    with pytest.raises(NotFoundError):
        parts.contents.get(f"sha-256:{'0' * 64}")


def test_a_closed_archive_starts_nothing(archive: Repository) -> None:
    archive.close()
    with pytest.raises(StorageError):
        archive.committer.commit([picture(b"late")])
