"""Nobody but its owner reads the files of an archive, unless the folder is shared with a group."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository

from permacite.archive.model.submitted import NewRepresentation
from permacite.service import preservation
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.engines(deep=True)

SERIES = "lab.example.us"
NOBODY = 65534


@pytest.fixture(params=[0o000, 0o022, 0o027, 0o077], ids=oct, autouse=True)
def _umask(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever the umask is: nothing here may depend on it."""
    before = os.umask(request.param)
    yield
    os.umask(before)


def filled(directory: Path) -> Path:
    """Make an archive with a document and a signed log, if cryptography is there to sign it."""
    with Repository.create(directory, series=SERIES) as archive:
        commit(archive)
    return directory


def commit(archive: Repository) -> None:
    """Commit a document of its own content."""
    archive.committer.commit([NewRepresentation(str(archive.log.size()).encode(), "text/plain")])


def modes(directory: Path) -> dict[str, int]:
    """Return the modes of everything in an archive by what it is."""
    found = {"archive": stat.S_IMODE(directory.stat().st_mode)}
    for path in directory.rglob("*"):
        is_content = len(path.name) == 64 or path.name == "archive"  # the mark of a store
        kind = "content" if is_content else "folder" if path.is_dir() else path.name
        mode = stat.S_IMODE(path.stat().st_mode)
        assert found.setdefault(kind, mode) == mode, path
    return found


def expected(*, folder: int, file: int, content: int, key: int) -> dict[str, int]:
    """Return what `modes` should be of an archive that is open."""
    rest = {"archive": folder, "folder": folder, "content": content, "log.key": key}
    return dict.fromkeys(OF_SQLITE, file) | rest


OF_SQLITE = ("catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-shm", "README.txt")
PRIVATE = expected(folder=0o700, file=0o600, content=0o400, key=0o600)
SHARED = expected(folder=0o2770, file=0o660, content=0o440, key=0o640)


def on_the_engine(modes: dict[str, int]) -> dict[str, int]:
    """Return those of `modes` that are of files: records in PostgreSQL have none here."""
    left_out = () if Repository.engine is None else OF_SQLITE
    return {kind: mode for kind, mode in modes.items() if kind not in left_out}


def test_a_new_archive_is_private(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    with Repository.open(filled(tmp_path / "above" / "archive")) as archive:
        commit(archive)
        assert modes(archive.directory) == on_the_engine(PRIVATE)
    assert (tmp_path / "above").stat().st_mode & 0o700 == 0o700


def test_so_is_one_in_a_folder_that_was_open(tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive").chmod(0o755)
    found = modes(filled(tmp_path / "archive"))
    assert found.pop("backup.txt", 0o600) == 0o600
    assert found == {kind: PRIVATE[kind] for kind in found}


def test_an_archive_of_before_becomes_private(tmp_path: Path) -> None:
    directory = filled(tmp_path / "archive")
    for path in (directory, *directory.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    Repository.open(directory).close()
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700, (
        "this keeps out whoever is not its owner"
    )
    files = [path for path in directory.iterdir() if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


@pytest.mark.sqlite  # what may not be written in PostgreSQL, its roles and standbys say
def test_one_that_may_only_be_read_stays_as_it_is() -> None:
    with tempfile.TemporaryDirectory() as name:  # pytest's own folder lets in nobody but its owner
        directory = filled(Path(name) / "archive")
        Repository.open(directory).close()  # so that all is imported that `nobody` could not read
        directory.chmod(0o555)
        with nobody(Path(name)):
            Repository.open(directory).close()
        assert stat.S_IMODE(directory.stat().st_mode) == 0o555
        directory.chmod(0o755)


@contextmanager
def nobody(folder: Path) -> Iterator[None]:
    """Work as a user who owns what is in the folder, and may not always write, as root may."""
    if os.geteuid() != 0:
        yield
        return
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


def test_a_folder_that_is_no_archive_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "README.txt").touch(mode=0o644)
    before = modes(tmp_path)
    with pytest.raises(Exception, match="no archive"):
        Repository.open(tmp_path)
    assert modes(tmp_path) == before


def test_a_group_shares_an_archive_whose_folder_says_so(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    directory = filled(tmp_path / "archive")
    directory.chmod(0o2770)
    with Repository.open(directory) as archive:
        commit(archive)
        assert modes(directory) == on_the_engine(SHARED)
    directory.chmod(0o700)
    Repository.open(directory).close()
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_a_bit_of_the_folder_above_shares_nothing(tmp_path: Path) -> None:
    (tmp_path / "above").mkdir()
    (tmp_path / "above").chmod(0o2775)
    found = modes(filled(tmp_path / "above" / "archive"))
    assert found.pop("backup.txt", 0o600) == 0o600
    assert found == {kind: PRIVATE[kind] for kind in found}


def test_a_copy_in_the_layout_of_others_is_private_too(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    with Repository.open(filled(tmp_path / "archive")) as archive:
        Archive(archive).copies.export("ocfl", tmp_path / "ocfl")
    assert stat.S_IMODE((tmp_path / "ocfl").stat().st_mode) == 0o700


@pytest.mark.parametrize("link", [True, False])
def test_copies_are_private_too(tmp_path: Path, *, link: bool) -> None:
    with Repository.open(filled(tmp_path / "archive")) as archive:
        archive.copies.backup(tmp_path / "copy", link=link)
    preservation.restore(tmp_path / "copy", tmp_path / "anew")
    for folder in (tmp_path / "copy", tmp_path / "anew"):
        found = modes(folder)
        assert found.pop("backup.txt", 0o600) == 0o600
    assert found == {kind: PRIVATE[kind] for kind in found}
