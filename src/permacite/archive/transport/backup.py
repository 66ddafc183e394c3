"""Backup of an archive into a folder, made or brought up to date while the archive is in use."""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING, NamedTuple

from permacite.archive.folder import CATALOG, Folder
from permacite.archive.objects.durable import (
    flush_folder,
    keep_modes,
    make_folders,
    modes_of,
    write_file,
    writing,
)
from permacite.archive.objects.files import FileObjects
from permacite.archive.records import access, octets
from permacite.archive.sqlite import copying
from permacite.archive.sqlite.catalog import Catalog as FileCatalog
from permacite.archive.transport.copying import copy
from permacite.archive.transport.stream import BatchOutcome, carry
from permacite.errors import ConflictError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from permacite.archive.engine.write_behind import ArchiveObjects
    from permacite.archive.transport.copying import CopySource
    from permacite.archive.transport.stream import Progress

__all__ = ["FINISHED", "BackupResult", "FolderSink", "FolderSource", "backup", "is_cut_short"]

FINISHED = "backup.txt"
"""The file beside a copy that was completed once, and can be brought up to date by what is new."""

_FINISHED_TEXT = """\
This archive is a backup, and was finished. `permacite backup` brings it up to date by adding what
is new; without this file it compares everything.
"""

_KEY = "log.key"
_README = "README.txt"
_OBJECTS = "objects"


@dataclass(frozen=True, slots=True)
class BackupResult:
    """The outcome of a backup."""

    whole: bool
    """Whether all was compared; False where only what is new was added."""
    files: int
    """How many contents are new in the backup."""
    lost: tuple[str, ...]
    """The digests of contents that the archive names, but has altered or not at all."""


def backup(
    source: CopySource, target: Path, *, link: bool, full: bool = False, progress: Progress = max
) -> BackupResult:
    """Make a folder a second archive, or bring it up to date, as the archive is at this moment.

    Where an earlier backup was finished, what is new is added: contents first, then all rows in one
    transaction. Otherwise, and where something was erased, and with `full`, the whole catalog is
    copied aside and replaces the old one once the contents that it names are there. After a stop,
    `target` is what it was before, or no archive yet. Erased contents are then destroyed there too.
    `full` also recomputes the digests of all contents in `target`, and replaces altered ones.

    The records of a database are copied as `copying.copy` does, with the key of the log if it is on
    this machine. Raises ConflictError where `target` holds other things, StorageError.
    """
    if not isinstance(source.catalog, FileCatalog):
        key = source.place.log_key
        has_key = key is not None and key.exists()
        copied = copy(source, Folder(target), with_key=has_key, full=full, progress=progress)
        return BackupResult(copied.entries == copied.size, copied.files, copied.lost)
    folder = FolderSource(source.place.directory, source.catalog, source.objects)
    hint = "what was there before is whole; run it again, and it goes on"
    with writing("the backup", target, hint=hint):
        make_folders(target)
        with _locked(target):
            _check(folder.directory, target)
            keep_modes(target)
            sink = FolderSink(folder, target, link=link, full=full, progress=progress)
            carried = carry(folder, sink)
    return BackupResult(sink.is_whole, carried.contents, carried.lost)


class CatalogBatch(NamedTuple):
    """All rows of a catalog as they are now: a backup takes them together."""

    end: int


@dataclass(frozen=True, slots=True)
class FolderSource:
    """An archive in a folder."""

    directory: Path
    catalog: FileCatalog
    objects: ArchiveObjects

    @property
    def size(self) -> int:
        """One batch is all."""
        return 1

    def batches(self, start: int) -> Iterator[CatalogBatch]:
        """Yield the whole catalog as one batch."""
        yield CatalogBatch(start + 1)


class FolderSink:
    """A folder that is being made a copy of an archive; nothing else writes there."""

    def __init__(
        self, source: FolderSource, target: Path, *, link: bool, full: bool, progress: Progress
    ) -> None:
        """Take whether files of the same disk may be linked; `progress` counts contents."""
        self.catalog = target / CATALOG
        self.is_whole = False
        """Whether all was compared; False where only what is new was added."""
        self._source = source
        self._target = target
        self._aside = [path for path in target.iterdir() if _is_aside(path.name)]
        can_link = link and not source.objects.is_far
        self._link = source.directory / _OBJECTS if can_link else None
        self._full = full
        self._flush_all = True
        self._progress = progress
        self._contents = 0
        self._lost: list[str] = []

    def position(self) -> int:
        """Every backup starts with the rows: they say themselves which are new."""
        return 0

    def take(self, batch: CatalogBatch) -> BatchOutcome:  # noqa: ARG002 - the catalog itself is read
        """Add what is new, or copy the whole catalog where only that will do."""
        catalog = self._source.catalog
        is_finished = (self._target / FINISHED).exists() and self.catalog.exists()
        if not self._full and is_finished and self._follow():
            keep_modes(self._target)
        else:
            self._replace(is_finished=is_finished)
        # Contents that were erased meanwhile are not lost.
        lost = [digest for digest in self._lost if catalog.read(octets.is_named, digest)]
        return BatchOutcome(self._contents, lost)

    def _follow(self) -> bool:
        """Add what is new; False where only a whole copy will do."""
        source = self._source.catalog
        return copying.follow(
            source.path, self.catalog, bring=self._receive, busy_timeout_s=source.busy_timeout_s
        )

    def _replace(self, *, is_finished: bool) -> None:
        """Compare everything, and copy what is not there."""
        self.is_whole = True
        catalog = self._source.catalog
        was_cut_short = bool(self._aside) or not self.catalog.exists()
        self._flush_all = was_cut_short or not is_finished
        (self._target / FINISHED).unlink(missing_ok=True)
        flush_folder(self._target)
        replace = self._full or (self._target / _KEY).exists()
        catalog.read(copying.copy, self.catalog, bring=self._receive, replace=replace)
        if catalog.read(access.erasures):
            self._delete_erased()
        for path in self._aside:  # only now: they show that names may not have been flushed
            path.unlink(missing_ok=True)
        keep_modes(self._target)
        mode = modes_of(self._target).file
        write_file(self._target / FINISHED, _FINISHED_TEXT.encode(), mode=mode)
        flush_folder(self._target)

    def _receive(self, total: int, digests: Iterable[str]) -> None:
        """Store contents, and the other files beside the catalog."""
        done = 0

        def report(more: int) -> None:
            nonlocal done
            done += more
            self._progress(done, max(total, done))

        came, lost = FileObjects(self._target / _OBJECTS).adopt(
            self._source.objects,
            digests,
            link=self._link,
            flush_all=self._flush_all,
            check=self._full,
            progress=report,
        )
        self._contents += came
        self._lost += lost
        _copy_small_files(self._source.directory, self._target)
        flush_folder(self._target)

    def _delete_erased(self) -> None:
        """Delete contents that are erased: nothing names them, and the archive has them no more."""
        target = FileObjects(self._target / _OBJECTS)
        catalog, objects = self._source.catalog, self._source.objects
        for digest in list(target.digests()):
            if not objects.has(digest) and not catalog.read(octets.is_named, digest):
                target.delete(digest)


def is_cut_short(folder: Path) -> bool:
    """Whether a folder holds only what a backup that was stopped left there."""
    left = [path.name for path in folder.iterdir()]
    return bool(left) and CATALOG not in left and all(_is_ours(name) for name in left)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder against other backups until the block ends."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


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
    """Whether a file is one that a stopped backup leaves."""
    return name in {_OBJECTS, _README, _KEY, FINISHED} or _is_aside(name)


def _is_aside(name: str) -> bool:
    """Whether a file is temporary: it was being written."""
    beginnings = tuple(f"{name}." for name in (CATALOG, _README, _KEY, FINISHED))
    return name.startswith(beginnings) and ".new" in name


def _copy_small_files(source: Path, target: Path) -> None:
    """Copy the files beside the catalog."""
    modes = modes_of(target)
    for name, mode in ((_README, modes.file), (_KEY, modes.secret)):
        if (source / name).exists() and not (target / name).exists():
            write_file(target / name, (source / name).read_bytes(), mode=mode)
