"""A backup is an archive of its own, in a folder; fsck finds what nobody asked about."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository
from tests.kept import file_of

from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository as InFolder
from permacite.errors import ConflictError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.engines(deep=True)

SERIES = "lab.example.us"


def noon() -> datetime:
    """Return the time that the clock of these tests shows."""
    return datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Repository]:
    """An archive with one document."""
    with Repository.create(tmp_path / "archive", series=SERIES, clock=noon) as opened:
        commit(opened, "one")
        yield opened


def commit(archive: InFolder, text: str) -> None:
    """Commit a text."""
    archive.committer.commit([NewRepresentation(text.encode(), "text/plain", charset="utf-8")])


def texts(directory: Path) -> list[bytes]:
    """Return what an archive holds, after checking all of it."""
    with InFolder.open(directory, clock=noon) as opened:
        assert {finding.kind for finding in opened.fixity.fsck()} == {"ok"}
        return [opened.contents.read(version.representations[0]) for version in opened.lists.list()]


@pytest.mark.parametrize("link", [True, False], ids=["linked", "copied"])
def test_a_backup_is_an_archive(
    archive: Repository, tmp_path: Path, engine: object, *, link: bool
) -> None:
    archive.copies.backup(tmp_path / "backup", link=link)
    assert texts(tmp_path / "backup") == [b"one"]
    file = file_of(archive.directory, next(archive.lists.list()).representations[0].digest)
    assert file.stat().st_nlink == (2 if link and engine is None else 1)
    with InFolder.open(tmp_path / "backup", clock=noon) as copy:
        assert copy.log.keys.verifiers == archive.log.keys.verifiers
        assert copy.settings.series == SERIES
        commit(copy, "in the copy")
    assert archive.lists.count() == 1


def test_a_backup_is_brought_up_to_date(archive: Repository, tmp_path: Path) -> None:
    archive.copies.backup(tmp_path / "backup")
    archive.copies.backup(tmp_path / "backup")
    commit(archive, "two")
    archive.log.checkpoints.current()
    archive.copies.backup(tmp_path / "backup")
    assert texts(tmp_path / "backup") == [b"one", b"two"]


def test_a_backup_never_overwrites_other_things(archive: Repository, tmp_path: Path) -> None:
    archive.copies.backup(tmp_path / "backup")
    with InFolder.open(tmp_path / "backup", clock=noon) as copy:
        commit(copy, "in the copy")
    with pytest.raises(ConflictError):
        archive.copies.backup(tmp_path / "backup")
    assert texts(tmp_path / "backup") == [b"one", b"in the copy"]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine")
    for target in (tmp_path / "other", archive.directory):
        with pytest.raises(ConflictError):
            archive.copies.backup(target)
    InFolder.create(tmp_path / "third", series=SERIES, clock=noon).close()
    with pytest.raises(ConflictError):
        archive.copies.backup(tmp_path / "third")
    with InFolder.open(tmp_path / "third", clock=noon) as third:
        commit(third, "of the third")
    (tmp_path / "third" / "log.key").unlink()
    with pytest.raises(ConflictError):
        archive.copies.backup(tmp_path / "third")
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=r"[Ff]ile (is there|exists)"):
        archive.copies.backup(tmp_path / "file")
    with pytest.raises(StorageError, match="a file is there"):
        InFolder.create(tmp_path / "file", series=SERIES)


def test_a_backup_while_others_commit_lacks_nothing(archive: Repository, tmp_path: Path) -> None:
    stop = threading.Event()

    def work() -> None:
        number = 0
        while not stop.is_set():
            commit(archive, f"number {number}")
            number += 1

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(3):
            archive.copies.backup(tmp_path / "backup")
    finally:
        stop.set()
        thread.join()
    with InFolder.open(tmp_path / "backup") as copy:
        assert {finding.kind for finding in copy.fixity.verify()} == {"ok"}
        held = [str(version.pdi.document) for version in copy.lists.list()]
    assert held == [str(one.pdi.document) for one in archive.lists.list(limit=len(held))]


def test_fsck_finds_octets_that_nothing_names(archive: Repository) -> None:
    digest = archive._objects.store.put(b"left by a failed commit")  # noqa: SLF001 - as a crash leaves it
    findings = [finding for finding in archive.fixity.fsck() if finding.kind != "ok"]
    assert [(one.name, one.kind) for one in findings] == [(digest, "orphan")]


FAULTS = [
    ("a-trigger-gone", "DROP TRIGGER leaf_no_delete"),
    ("a-trigger-weakened", "CREATE TRIGGER mine BEFORE UPDATE ON leaf BEGIN SELECT 1; END"),
    ("an-index-gone", "DROP INDEX version_uri"),
    ("a-table-added", "CREATE TABLE mine (x)"),
    (
        "a-broken-reference",
        "INSERT INTO attachment VALUES (99, 'map', zeroblob(32))",
    ),
]


@pytest.mark.sqlite  # in test_archive_postgresql.py stands what PostgreSQL calls the same
@pytest.mark.parametrize("statement", [row[1] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_fsck_finds_a_database_that_is_not_as_it_was_made(
    archive: Repository, statement: str
) -> None:
    connection = sqlite3.connect(archive.directory / "catalog.sqlite")
    with contextlib.closing(connection), connection:
        connection.execute(statement)
    findings = [finding for finding in archive.fixity.fsck() if finding.kind != "ok"]
    assert [one.kind for one in findings] == ["catalog"]
