"""A second archive with the same contents, made while the first one is in use."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from permacite.archive.folder.making import CATALOG
from permacite.archive.objects import (
    FileObjects,
    flush_folder,
    keep_modes,
    make_folders,
    modes_of,
    write_file,
)
from permacite.archive.records import access, octets
from permacite.errors import ConflictError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from permacite.archive.engine import WriteBehind
    from permacite.archive.sqlite import Catalog

__all__ = ["FINISHED", "Brought", "Progress", "backup", "is_cut_short"]

FINISHED = "backup.txt"
"""What stands beside a copy that was made whole once, and can be brought up by what is new."""

_FINISHED_TEXT = """\
This archive is a backup, and was finished. `permacite backup` brings it up to date by adding what
is new; without this file it compares everything.
"""

_KEY = "log.key"
_README = "README.txt"
_OBJECTS = "objects"


@dataclass(frozen=True, slots=True)
class Brought:
    """What a backup brought to its target."""

    whole: bool
    """Whether all was compared; False where what is new was added alone."""
    files: int
    """How many contents came."""
    lost: tuple[str, ...]
    """The digests of contents that the archive names, and has altered or not at all."""


class Progress(Protocol):
    """What is told how far a backup has come."""

    def __call__(self, looked_at: int, of: int, /) -> object:
        """Take how many contents were looked at, of about how many."""


def backup(
    source: Path,
    catalog: Catalog,
    objects: WriteBehind,
    target: Path,
    *,
    link: bool,
    full: bool = False,
    progress: Progress = max,
) -> Brought:
    """Make the archive `target`, or bring it up to date, as `source` is at this moment.

    Where an earlier backup was finished, what is new is added: octets first, then all rows in one
    transaction. Else, where something was erased, and where `full` says so, the whole catalog is
    copied aside, and takes its place when the octets that it names are there: wherever this is cut
    short, `target` is what it was before, or no archive yet. What is erased is then destroyed there
    too. `full` also recomputes the digests of all octets in `target`, and puts right what is
    altered. Raises ConflictError where `target` holds other things, StorageError.
    """
    with _telling(target):
        make_folders(target)
        with _held(target):
            _check(source, target)
            keep_modes(target)
            origin = source / _OBJECTS if link and not objects.is_far else None
            copy = _Copy(source, objects, target, link=origin, check=full, progress=progress)
            if not full and copy.is_finished and catalog.follow_to(copy.catalog, bring=copy.bring):
                keep_modes(target)
                return copy.brought(catalog, whole=False)
            copy.make_whole(catalog, replace=full or (target / _KEY).exists())
            return copy.brought(catalog, whole=True)


class _Copy:
    """A folder that is being made a copy of an archive; nobody else writes there."""

    def __init__(
        self,
        source: Path,
        objects: WriteBehind,
        target: Path,
        *,
        link: Path | None,
        check: bool,
        progress: Progress,
    ) -> None:
        self.catalog = target / CATALOG
        self._source = source
        self._objects = objects
        self._target = target
        self._aside = [path for path in target.iterdir() if _is_aside(path.name)]
        self._link = link
        self._check = check
        self._flush_all = True
        self._progress = progress
        self._files = 0
        self._lost: list[str] = []

    @property
    def is_finished(self) -> bool:
        """Whether an earlier copy was made whole."""
        return (self._target / FINISHED).exists() and self.catalog.exists()

    def make_whole(self, catalog: Catalog, *, replace: bool) -> None:
        """Compare everything, and copy what is not there."""
        cut_short = bool(self._aside) or not self.catalog.exists()
        self._flush_all = cut_short or not self.is_finished
        (self._target / FINISHED).unlink(missing_ok=True)
        flush_folder(self._target)
        catalog.copy_to(self.catalog, bring=self.bring, replace=replace)
        if catalog.read(access.erasures):
            self._erase(catalog)
        for path in self._aside:  # only now: they tell of names that may not have been flushed
            path.unlink(missing_ok=True)
        keep_modes(self._target)
        mode = modes_of(self._target).file
        write_file(self._target / FINISHED, _FINISHED_TEXT.encode(), mode=mode)
        flush_folder(self._target)

    def bring(self, total: int, digests: Iterable[str]) -> None:
        """Bring octets, and all else that the catalog needs beside it."""
        looked_at = 0

        def told(more: int) -> None:
            nonlocal looked_at
            looked_at += more
            self._progress(looked_at, max(total, looked_at))

        came, lost = FileObjects(self._target / _OBJECTS).adopt(
            self._objects,
            digests,
            link=self._link,
            flush_all=self._flush_all,
            check=self._check,
            progress=told,
        )
        self._files += came
        self._lost += lost
        _copy_small_files(self._source, self._target)
        flush_folder(self._target)

    def brought(self, catalog: Catalog, *, whole: bool) -> Brought:
        """What came; octets that were erased meanwhile are not lost."""
        lost = [digest for digest in self._lost if catalog.read(octets.is_named, digest)]
        return Brought(whole, self._files, tuple(lost))

    def _erase(self, catalog: Catalog) -> None:
        """Destroy what the copy has of what is erased: nothing names it, and the source has not."""
        target = FileObjects(self._target / _OBJECTS)
        for digest in list(target.digests()):
            if not self._objects.has(digest) and not catalog.read(octets.is_named, digest):
                target.delete(digest)


def is_cut_short(folder: Path) -> bool:
    """Say whether a folder holds what a backup leaves that was cut short, and nothing else."""
    left = [path.name for path in folder.iterdir()]
    return bool(left) and CATALOG not in left and all(_is_ours(name) for name in left)


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Hold a folder against other backups until the block ends."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _telling(target: Path) -> Iterator[None]:
    """Turn what the system says of a backup's folder into the StorageError that says it."""
    try:
        yield
    except OSError as error:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        raise StorageError(
            "cannot write the backup: "
            + ("the disk is full" if full else error.strerror or str(error)),
            path=str(target),
            reason="full" if full else "io",
            hint="what was there before is whole; run it again, and it goes on",
        ) from error


def _check(source: Path, target: Path) -> None:
    """Raise ConflictError where `target` holds other things than a backup of `source`."""
    if target.samefile(source):
        raise ConflictError("an archive is no backup of itself", str(target))
    if (target / _KEY).exists() and not _has_our_key(source, target):
        raise ConflictError(f"{target} is another archive", str(target))
    if (target / CATALOG).exists():
        return
    if any(not _is_ours(path.name) for path in target.iterdir()):
        raise ConflictError(f"{target} holds other things", str(target))


def _has_our_key(source: Path, target: Path) -> bool:
    """Whether a folder has the key that signs the log of the archive, or the archive has none."""
    ours, theirs = (folder / _KEY for folder in (source, target))
    if not ours.exists():
        return True
    return theirs.exists() and ours.read_bytes() == theirs.read_bytes()


def _is_ours(name: str) -> bool:
    """Say whether a file is one that a backup leaves that was cut short."""
    return name in {_OBJECTS, _README, _KEY, FINISHED} or _is_aside(name)


def _is_aside(name: str) -> bool:
    """Say whether a file was being written, under a name of its own."""
    beginnings = tuple(f"{name}." for name in (CATALOG, _README, _KEY, FINISHED))
    return name.startswith(beginnings) and ".new" in name


def _copy_small_files(source: Path, target: Path) -> None:
    """Copy the files beside the catalog."""
    modes = modes_of(target)
    for name, mode in ((_README, modes.file), (_KEY, modes.secret)):
        if (source / name).exists() and not (target / name).exists():
            write_file(target / name, (source / name).read_bytes(), mode=mode)
