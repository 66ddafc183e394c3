"""Objects as files: written once, whole, by digest; damage and full disks are told."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import resource
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.kept import file_of
from tests.needs import no_right

from permacite.archive.objects.files import FileObjects
from permacite.errors import IntegrityError, NotFoundError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator

HELLO = b"hello"
DIGEST = "sha-256:" + hashlib.sha256(HELLO).hexdigest()


@pytest.fixture
def objects(tmp_path: Path) -> FileObjects:
    """An empty store."""
    return FileObjects(tmp_path / "objects")


def test_the_file_is_named_by_the_digest(objects: FileObjects, tmp_path: Path) -> None:
    assert objects.put(HELLO) == DIGEST
    name = DIGEST.removeprefix("sha-256:")
    path = tmp_path / "objects" / name[:2] / name[2:4] / name
    assert path.read_bytes() == HELLO
    assert objects.get(DIGEST) == HELLO
    assert list(objects.digests()) == [DIGEST]


def test_the_file_may_only_be_read(objects: FileObjects, tmp_path: Path) -> None:
    objects.put(HELLO)
    assert file_of(tmp_path, DIGEST).stat().st_mode & 0o777 == 0o400


def test_nothing_temporary_is_left(objects: FileObjects, tmp_path: Path) -> None:
    objects.put(HELLO)
    objects.put(HELLO)
    assert list((tmp_path / "objects" / "tmp").iterdir()) == []


def test_the_same_octets_are_one_file(objects: FileObjects, tmp_path: Path) -> None:
    objects.put(HELLO)
    before = file_of(tmp_path, DIGEST).stat()
    objects.put(HELLO)
    after = file_of(tmp_path, DIGEST).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_empty_octets_are_octets(objects: FileObjects) -> None:
    assert objects.get(objects.put(b"")) == b""


@pytest.mark.parametrize("damage", [b"", b"hellO", b"hello, world"])
def test_altered_octets_are_told_and_never_taken_for_good(
    objects: FileObjects, tmp_path: Path, damage: bytes
) -> None:
    objects.put(HELLO)
    path = file_of(tmp_path, DIGEST)
    path.unlink()
    path.write_bytes(damage)
    with pytest.raises(IntegrityError) as error:
        objects.get(DIGEST)
    assert error.value.expected == DIGEST
    assert error.value.actual == "sha-256:" + hashlib.sha256(damage).hexdigest()
    # A new commit of the same octets must not lean on the damaged file, nor replace it in silence.
    with pytest.raises(IntegrityError):
        objects.put(HELLO)
    assert path.read_bytes() == damage


@pytest.mark.parametrize("digest", [DIGEST, "sha-256:" + "0" * 63, "md5:00", "sha-256:../../x"])
def test_what_is_not_there_is_not_found(objects: FileObjects, digest: str) -> None:
    with pytest.raises(NotFoundError):
        objects.get(digest)


def test_temporary_files_of_the_dead_are_swept_and_of_the_living_are_not(tmp_path: Path) -> None:
    folder = tmp_path / "objects" / "tmp"
    folder.mkdir(parents=True)
    (folder / "dead").write_bytes(b"half")
    living = os.open(folder / "living", os.O_CREAT | os.O_RDWR)
    try:
        fcntl.flock(living, fcntl.LOCK_EX)
        FileObjects(tmp_path / "objects")
        assert [path.name for path in folder.iterdir()] == ["living"]
    finally:
        os.close(living)


def test_stores_that_open_meanwhile_never_sweep_a_file_away(tmp_path: Path) -> None:
    objects = FileObjects(tmp_path / "objects")
    stop = threading.Event()

    def sweep() -> None:
        while not stop.is_set():
            FileObjects(tmp_path / "objects")

    thread = threading.Thread(target=sweep)
    thread.start()
    try:
        digests = [objects.put(number.to_bytes(2)) for number in range(100)]
    finally:
        stop.set()
        thread.join()
    assert [objects.get(digest) for digest in digests] == [n.to_bytes(2) for n in range(100)]


def test_threads_that_put_the_same_octets_all_succeed(objects: FileObjects) -> None:
    answers: list[str] = []
    threads = [
        threading.Thread(target=lambda: answers.append(objects.put(HELLO))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [DIGEST] * 8
    assert objects.get(DIGEST) == HELLO


@pytest.fixture
def small_files() -> Iterator[int]:
    """No file of this process may grow beyond this many octets: writing fails as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, hard))
    yield 64 * 1024
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_told_and_leaves_nothing(
    objects: FileObjects, tmp_path: Path, small_files: int
) -> None:
    content = bytes(small_files + 1)
    with pytest.raises(StorageError) as error:
        objects.put(content)
    assert error.value.reason == "full"
    assert isinstance(error.value.__cause__, OSError)
    assert error.value.__cause__.errno == errno.EFBIG
    assert list((tmp_path / "objects" / "tmp").iterdir()) == []
    assert list(objects.digests()) == []
    assert objects.get(objects.put(HELLO)) == HELLO


def test_a_folder_that_is_a_file_is_told(objects: FileObjects, tmp_path: Path) -> None:
    name = DIGEST.removeprefix("sha-256:")
    (tmp_path / "objects" / name[:2]).write_bytes(b"")
    with pytest.raises(StorageError) as error:
        objects.put(HELLO)
    assert error.value.reason == "io"


def test_a_store_whose_folder_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "objects").write_bytes(b"")
    with pytest.raises(StorageError) as error:
        FileObjects(tmp_path / "objects")
    assert error.value.reason == "io"


def test_octets_that_the_disk_refuses_are_told(objects: FileObjects, tmp_path: Path) -> None:
    file_of(tmp_path, DIGEST).mkdir(parents=True)
    with pytest.raises(StorageError) as error:
        objects.get(DIGEST)
    assert error.value.reason == "io"


def test_files_on_another_disk_are_copied(objects: FileObjects, tmp_path: Path) -> None:
    objects.put(HELLO)
    folders = [Path("/dev/shm"), Path(tempfile.gettempdir())]  # noqa: S108 - disk, memory
    here = tmp_path.stat().st_dev
    others = [each for each in folders if each.is_dir() and each.stat().st_dev != here]
    if not others:
        no_right("there is no second file system")
    with tempfile.TemporaryDirectory(dir=others[0]) as folder:
        copy = FileObjects(Path(folder) / "objects")
        copy.adopt(objects, objects.digests(), link=tmp_path / "objects")
        assert copy.get(DIGEST) == HELLO
        assert file_of(Path(folder), DIGEST).stat().st_nlink == 1


def test_a_source_gives_ranges_size_and_all(objects: FileObjects) -> None:
    with objects.open(objects.put(HELLO)) as source:
        assert source.size == len(HELLO)
        assert source.read(1, 4) == HELLO[1:4]
        assert source.read(3, 100) == HELLO[3:]
        assert source.read(100, 200) == b""
        source.check()
        assert source.whole() == HELLO
        assert source.descriptor is not None
        assert os.pread(source.descriptor, 4, 1) == HELLO[1:5]


def test_a_source_of_altered_octets_is_told_when_all_is_read(
    objects: FileObjects, tmp_path: Path
) -> None:
    objects.put(HELLO)
    file_of(tmp_path, DIGEST).chmod(0o600)
    file_of(tmp_path, DIGEST).write_bytes(b"hellO")
    with objects.open(DIGEST) as source:
        assert source.read(0, 5) == b"hellO"
        for act in (source.whole, source.check):
            with pytest.raises(IntegrityError) as error:
                act()
            assert error.value.expected == DIGEST


@pytest.mark.parametrize("digest", [DIGEST, "sha-256:../../etc/passwd", ""])
def test_what_is_not_there_is_not_opened(objects: FileObjects, digest: str) -> None:
    with pytest.raises(NotFoundError):
        objects.open(digest)
