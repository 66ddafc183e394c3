"""An archive on a disk that fills up says so, keeps what it promised, and goes on afterwards."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest
from tests.crash.replay.invariants import complaints, examine
from tests.crash.replay.states import Explorer, moments
from tests.crash.replay.trace import FULL, record, write_files
from tests.disks import fill_up, small_disk
from tests.faces.conftest import served
from tests.media.formats import FORMATS, content_of
from tests.media.watching import ask

from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository
from permacite.errors import StorageError
from permacite.service import preservation
from permacite.service.exchange import ocfl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(name="small_disk")
def _small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two mebibytes."""
    with small_disk(tmp_path / "disk", "2m") as place:
        yield place


def fill(archive: Repository, size_bytes: int, kept: dict[str, bytes], reasons: list[str]) -> None:
    """Commit documents of `size_bytes` until the disk is full; note what was acknowledged."""
    while True:
        content = os.urandom(size_bytes)
        try:
            version = archive.committer.commit([NewRepresentation(content, "image/png")])
        except StorageError as error:
            reasons.append(error.reason)
            return
        kept[version.pdi.unique_id] = content


@pytest.mark.parametrize("size_bytes", [100, 3_000, 200_000])
def test_a_full_disk(small_disk: Path, size_bytes: int) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(500_000))
    kept: dict[str, bytes] = {}
    reasons: list[str] = []
    with Repository.create(small_disk / "archive", series="lab.example.zz") as archive:
        threads = [
            threading.Thread(target=fill, args=(archive, size_bytes, kept, reasons))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(reasons) == {"full"}
        assert kept
        check(archive, kept)
        ballast.unlink()
        archive.committer.commit([NewRepresentation(b"after", "text/plain")])
    with Repository.open(small_disk / "archive") as archive:
        assert archive.lists.count() == len(kept) + 1
        assert {finding.kind for finding in archive.fixity.verify()} == {"ok"}


def test_copies_onto_a_full_disk_leave_nothing_half(small_disk: Path, tmp_path: Path) -> None:
    backup, objects = small_disk / "backup", small_disk / "ocfl"
    with Repository.create(tmp_path / "archive", series="lab.example.zz") as archive:
        archive.committer.commit([NewRepresentation(b"first", "image/png")])
        archive.copies.backup(backup)
        for _ in range(30):
            archive.committer.commit([NewRepresentation(os.urandom(100_000), "image/png")])
        for full in (False, True):
            with pytest.raises(StorageError) as error:
                archive.copies.backup(backup, full=full)
            assert error.value.reason == "full"
            with Repository.open(backup) as copy:
                assert copy.lists.count() == 1
                assert "missing" not in {finding.kind for finding in copy.fixity.fsck()}
        shutil.rmtree(backup)
        with pytest.raises(StorageError) as error:
            ocfl.export(archive, objects)
        assert error.value.reason == "full"
        assert not objects.exists()
        larger = ["mount", "-o", "remount,size=64m", str(small_disk)]
        subprocess.run(larger, check=True)
        archive.copies.backup(backup)
        ocfl.export(archive, objects)
        size = archive.log.size()
    with Repository.open(backup) as copy:
        assert {finding.kind for finding in copy.fixity.fsck()} == {"ok"}
    assert preservation.restore(objects, tmp_path / "anew").entries == size


def test_copies_onto_a_disk_that_may_only_be_read(small_disk: Path, tmp_path: Path) -> None:
    with Repository.create(tmp_path / "archive", series="lab.example.zz") as archive:
        archive.committer.commit([NewRepresentation(b"first", "image/png")])
        archive.copies.backup(small_disk / "backup")
        archive.committer.commit([NewRepresentation(b"second", "image/png")])
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
        with pytest.raises(StorageError, match=r"Read-only|may only be read"):
            archive.copies.backup(small_disk / "backup")
        with pytest.raises(StorageError, match="Read-only"):
            ocfl.export(archive, small_disk / "ocfl")
        with Repository.open(small_disk / "backup") as copy:
            assert copy.lists.count() == 1


@pytest.mark.slow
def test_a_disk_that_is_full_at_any_call(recorder: Path, quick_folder: Path) -> None:
    """No root is needed: the recorder fails calls one by one, for octets, folders and catalog."""
    recording = record(recorder, quick_folder / "full", FULL, seed=1)
    outcomes = [fact for event in recording.events for fact in event.facts]
    reasons = {fact[1] for fact in outcomes if fact[0] == "refused"}
    assert "full" in reasons
    assert reasons <= {"full", "io"}  # SQLite has no word of its own for some calls
    explorer = Explorer(quick_folder / "scratch-full")
    report = explorer.explore(recording, {"none": 0.1, "all": 0.02, "any": 0.02}, seed=1)
    assert report.losses == []
    *_, last = moments(recording)
    (quick_folder / "left").mkdir()
    write_files(quick_folder / "left", recording.left)
    assert complaints(examine(quick_folder / "left" / "shelf" / "archive"), last.told) == []


def check(archive: Repository, kept: dict[str, bytes]) -> None:
    """Check that exactly what was acknowledged is there."""
    found = {
        version.pdi.unique_id: archive.contents.read(version.representations[0])
        for version in archive.lists.list()
    }
    assert found == kept


def test_parts_of_media_are_cut_while_the_disk_for_temporary_files_is_full(
    small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("PIL.Image", reason="needs the media extra")
    archive = tmp_path / "archive"
    one = next(one for one in FORMATS if one.name == "picture-jpeg")
    with Repository.create(archive, series="lab.example.zz") as repository:
        made = repository.committer.commit([NewRepresentation(content_of(one), one.media_type)])
        name = str(made.representations[0].pdi)
        part = repository.contents.excerpt(made.representations[0], "rect=(0,0),(9,9)").data
    monkeypatch.setenv("TMPDIR", str(small_disk))
    fill_up(small_disk)
    with served(archive) as running:
        answer = ask(running.base, f"{name}#rect=(0,0),(9,9)")
        assert (answer.status, answer.body) == (200, part)
        assert ask(running.base, name).body == content_of(one)
