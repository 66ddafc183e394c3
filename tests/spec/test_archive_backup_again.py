"""A backup that is made again is what a whole one would be, whatever happened in between."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from tests.changed import CHANGES, changed, clock, commit, everything, first, rows
from tests.engines import Repository
from tests.kept import file_of
from tests.spec import test_archive_copying

from permacite.archive.model.answered import Standing
from permacite.archive.model.submitted import NewRepresentation, NewVersion
from permacite.archive.objects.source import digest_of
from permacite.archive.records import octets
from permacite.archive.repository import Repository as InFolder
from permacite.archive.sqlite import copying
from permacite.archive.sqlite.schema import SCHEMA
from permacite.errors import ConflictError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from permacite.archive.transport.backup import BackupResult


pytestmark = pytest.mark.engines(deep=True)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Repository]:
    """An archive with some of everything, and a backup of it."""
    with changed(tmp_path / "archive") as opened:
        assert opened.copies.backup(tmp_path / "copy").whole
        yield opened


def is_whole(brought: BackupResult) -> bool:
    """Say whether a backup was made anew; of records in PostgreSQL, what is new suffices."""
    return brought.whole is (Repository.engine is None)


def assert_same(archive: Repository, copy: Path) -> None:
    """Check that a backup has the same rows, and all octets that they name."""
    if Repository.engine is not None:
        test_archive_copying.assert_same(archive, copy)
        return
    assert rows(copy) == rows(archive.directory)
    held = {path.name for path in (copy / "objects").rglob("*") if path.is_file()}
    for table in ("representation", "attachment"):
        with contextlib.closing(sqlite3.connect(copy / "catalog.sqlite")) as catalog:
            question = f"SELECT lower(hex(digest)) FROM {table} WHERE digest <> zeroblob(32)"  # noqa: S608
            named = {digits for (digits,) in catalog.execute(question)}
        assert named <= held


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_changed_follows_and_nothing_else_is_touched(
    archive: Repository, tmp_path: Path, change: Callable[[Repository], object]
) -> None:
    change(archive)
    assert not archive.copies.backup(tmp_path / "copy").whole
    assert_same(archive, tmp_path / "copy")
    everything(archive)
    assert not archive.copies.backup(tmp_path / "copy", link=False).whole
    assert_same(archive, tmp_path / "copy")


@pytest.mark.engines
def test_what_is_erased_goes_from_the_copy_with_all_traces(
    archive: Repository, tmp_path: Path
) -> None:
    name = commit(archive, "the words of Jane Roe")
    archive.copies.backup(tmp_path / "copy", link=False)
    version = next(one for one in archive.lists.list() if str(one.pdi.document) == name)
    file = file_of(tmp_path / "copy", version.representations[0].digest)
    assert file.read_bytes() == b"the words of Jane Roe"
    archive.access.erase(version.pdi.document, ground="data-protection")
    assert is_whole(archive.copies.backup(tmp_path / "copy"))
    assert not file.exists()
    assert_same(archive, tmp_path / "copy")
    for path in (tmp_path / "copy").glob("catalog.sqlite*"):
        assert b"Jane Roe" not in path.read_bytes()
    commit(archive, "later")
    assert not archive.copies.backup(tmp_path / "copy").whole
    assert_same(archive, tmp_path / "copy")


@pytest.mark.sqlite  # from PostgreSQL they come as objects: test_archive_copying.py
def test_octets_that_waited_come_when_they_are_files(archive: Repository, tmp_path: Path) -> None:
    text = b"waits"
    archive._catalog.write(  # noqa: SLF001 - as a commit beside others does
        lambda transaction: octets.stage(transaction.connection, [(digest_of(text), text)])
    )
    archive.committer.commit([NewRepresentation(text, "image/png")])
    file_of(archive.directory, digest_of(text)).unlink()  # as a commit beside others does
    archive.copies.backup(tmp_path / "copy")
    octets_of = bytes.fromhex(digest_of(text).removeprefix("sha-256:"))
    assert octets_of in {digest for _, digest, _ in rows(tmp_path / "copy")["unsettled"]}
    archive._objects.write_behind.flush()  # noqa: SLF001 - the thread that does it waits for quiet
    assert not archive.copies.backup(tmp_path / "copy").whole
    assert_same(archive, tmp_path / "copy")


@pytest.mark.sqlite  # copies of PostgreSQL have others: test_archive_copying.py
def test_the_rules_are_about_tables_that_there_are() -> None:
    with contextlib.closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(SCHEMA)
        for table, (column, of) in copying._GROWS.items():  # noqa: SLF001 - the rules themselves
            empty.execute(f"SELECT {column} FROM {table}")  # noqa: S608
            empty.execute(f"SELECT {copying._GROWS[of][0]} FROM {of}")  # noqa: S608, SLF001


def test_a_copy_that_someone_else_changed_is_made_whole(
    archive: Repository, tmp_path: Path
) -> None:
    with InFolder.open(tmp_path / "copy", clock=clock) as copy:
        copy.settings.set("resolver", "https://other.example")
    assert not archive.copies.backup(tmp_path / "copy").whole
    assert_same(archive, tmp_path / "copy")
    with InFolder.open(tmp_path / "copy", clock=clock) as copy:
        copy.access.set_standing(first(copy), Standing("closed", ground="licence"))
    if Repository.engine is None:
        assert archive.copies.backup(tmp_path / "copy").whole
        assert_same(archive, tmp_path / "copy")
        with InFolder.open(tmp_path / "copy", clock=clock) as copy:
            commit(copy, "of the copy")
    with pytest.raises(ConflictError):
        archive.copies.backup(tmp_path / "copy")


@pytest.mark.parametrize("octets_at", [0, 100, 4096], ids=["head", "header", "schema"])
def test_a_damaged_catalog_is_replaced(archive: Repository, tmp_path: Path, octets_at: int) -> None:
    """A copy of what is in PostgreSQL is compared row by row: of it the damage is told."""
    catalog = tmp_path / "copy" / "catalog.sqlite"
    with catalog.open("r+b") as file:
        file.seek(octets_at)
        file.write(b"\xff" * 3000)
    if Repository.engine is not None:
        with pytest.raises(StorageError, match=r"damaged|no SQLite file"):
            archive.copies.backup(tmp_path / "copy")
        return
    assert is_whole(archive.copies.backup(tmp_path / "copy"))
    assert_same(archive, tmp_path / "copy")


def test_a_full_backup_mends_octets_and_tells_what_is_lost(
    archive: Repository, tmp_path: Path
) -> None:
    archive.copies.backup(tmp_path / "other", link=False)
    digests = [one.representations[0].digest for one in archive.lists.list()]
    damage(file_of(tmp_path / "other", digests[0]))
    file_of(tmp_path / "other", digests[1]).unlink()
    assert archive.copies.backup(tmp_path / "other", link=False).files == 0, (
        "nothing is looked at again"
    )
    mended = archive.copies.backup(tmp_path / "other", full=True)
    assert is_whole(mended)
    assert (mended.files, mended.lost) == (2, ())
    with InFolder.open(tmp_path / "other", clock=clock) as copy:
        assert {finding.kind for finding in copy.fixity.fsck()} <= {"ok", "orphan"}
    damage(file_of(archive.directory, digests[0]))
    file_of(archive.directory, digests[1]).unlink()
    assert archive.copies.backup(tmp_path / "third", link=False).lost == tuple(sorted(digests[:2]))
    with InFolder.open(tmp_path / "other", clock=clock) as copy:
        assert {finding.kind for finding in copy.fixity.fsck()} <= {"ok", "orphan"}, (
            "the good ones are kept"
        )


def damage(file: Path) -> None:
    """Alter a file."""
    content = file.read_bytes()
    file.chmod(0o600)
    file.write_bytes(bytes([content[0] ^ 1]) + content[1:])


def test_what_cannot_be_written_is_told_and_the_last_copy_stays(
    archive: Repository, tmp_path: Path
) -> None:
    before = rows(tmp_path / "copy")
    commit(archive, "more")
    octets_there = tmp_path / "copy" / "objects"
    octets_there.rename(tmp_path / "aside")
    octets_there.write_bytes(b"")  # nothing can be written there, not even by root
    for full in (False, True):
        with pytest.raises(StorageError, match="cannot use"):
            archive.copies.backup(tmp_path / "copy", full=full)
        assert rows(tmp_path / "copy") == before
    octets_there.unlink()
    (tmp_path / "aside").rename(octets_there)
    archive.copies.backup(tmp_path / "copy")
    assert_same(archive, tmp_path / "copy")


BACK_UP = """
import os, sys, threading
from pathlib import Path
from permacite.archive.repository import Repository
with Repository.open(Path(sys.argv[1])) as archive:
    print("ready", flush=True)
    archive.copies.backup(Path(sys.argv[2]), link=False, full=sys.argv[3] == "full")
    print("done", flush=True)
"""


@pytest.mark.sqlite  # copies from engine to engine are killed in test_kill_while_copying.py
@pytest.mark.slow
@pytest.mark.parametrize("way", ["new", "full"])
def test_a_backup_killed_at_any_moment_leaves_the_last_one_whole(
    archive: Repository, tmp_path: Path, way: str, times: Callable[[int, int], int]
) -> None:
    chance = random.Random(way)  # noqa: S311 - no secret
    copy = tmp_path / "copy"
    killed = 0
    for turn in range(times(12, 200)):
        texts = [NewRepresentation(b"%d %d" % (turn, number), "image/png") for number in range(20)]
        archive.committer.commit_all([NewVersion([text]) for text in texts])
        command = [sys.executable, "-c", BACK_UP, str(archive.directory), str(copy), way]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(chance.random() * 0.08)
            os.kill(process.pid, signal.SIGKILL)
            killed += process.stdout.readline() == ""
        with InFolder.open(copy, clock=clock) as opened:
            kinds = {finding.kind for finding in opened.fixity.fsck()}
            assert kinds <= {"ok", "orphan"}
            assert opened.lists.count() % 20 == archive.lists.count() % 20, "rows come together"
    assert killed
    archive.copies.backup(copy)
    assert_same(archive, copy)
