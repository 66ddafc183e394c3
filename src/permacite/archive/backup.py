"""A second archive with the same contents, made while the first one is in use."""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING

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
    from collections.abc import Iterator
    from pathlib import Path

    from permacite.archive.engine import Catalog, WriteBehind

__all__ = ["backup", "is_cut_short"]

_CATALOG = "catalog.sqlite"
_KEY = "log.key"
_README = "README.txt"
_OBJECTS = "objects"
_HANDS = 8
"""How many octets are fetched at the same time."""


def backup(
    source: Path, catalog: Catalog, objects: WriteBehind, target: Path, *, link: bool
) -> None:
    """Make the archive `target`, or bring it up to date, as `source` is at this moment.

    The catalog is copied aside first, and takes its place when the octets that it names are there:
    wherever this is cut short, `target` is what it was before, or no archive yet. What is erased is
    then destroyed there too. Raises
    ConflictError where `target` holds other things, StorageError.
    """
    try:
        make_folders(target)
        with _held(target):
            _check(source, target)
            keep_modes(target)
            _bring_up(source, catalog, objects, target, link=link)
    except OSError as error:
        raise StorageError(
            f"cannot write the backup: {error.strerror}", path=str(target), reason="io"
        ) from error


def is_cut_short(folder: Path) -> bool:
    """Say whether a folder holds what a backup leaves that was cut short, and nothing else."""
    left = [path.name for path in folder.iterdir()]
    return bool(left) and _CATALOG not in left and all(_is_ours(name) for name in left)


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Hold a folder against other backups until the block ends."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _bring_up(
    source: Path, catalog: Catalog, objects: WriteBehind, target: Path, *, link: bool
) -> None:
    """Copy all that the target lacks; nobody else writes there."""
    left = [path for path in target.iterdir() if _is_aside(path.name)]
    cut_short = bool(left) or not (target / _CATALOG).exists()

    def take_over() -> None:
        """Bring all else that the catalog needs beside it."""
        copies = FileObjects(target / _OBJECTS)
        if objects.is_far:
            _fetch(objects, copies)
        else:
            copies.adopt(source / _OBJECTS, link=link, flush_all=cut_short)
        _copy_small_files(source, target)
        flush_folder(target)

    catalog.copy_to(target / _CATALOG, before=take_over)
    if catalog.read(access.erasures):
        _erase(objects, catalog, FileObjects(target / _OBJECTS))
    for path in left:  # only now: they tell that names may be there which nobody flushed
        path.unlink(missing_ok=True)
    keep_modes(target)
    flush_folder(target)


def _fetch(source: WriteBehind, target: FileObjects) -> None:
    """Copy what the target lacks out of a store elsewhere, several at a time, each checked."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - for such archives alone

    def bring(digest: str) -> None:
        if not target.has(digest):
            target.put(source.get(digest))

    with ThreadPoolExecutor(_HANDS) as hands:
        list(hands.map(bring, source.digests()))


def _erase(source: WriteBehind, catalog: Catalog, target: FileObjects) -> None:
    """Destroy what the target has of what is erased: nothing names it, and the source has not."""
    for digest in list(target.digests()):
        if not source.has(digest) and not catalog.read(octets.is_named, digest):
            target.delete(digest)


def _check(source: Path, target: Path) -> None:
    """Raise ConflictError where `target` holds other things than a backup of `source`."""
    if target.samefile(source):
        raise ConflictError("an archive is no backup of itself", str(target))
    keys = [folder / _KEY for folder in (source, target)]
    if all(key.exists() for key in keys) and keys[0].read_bytes() != keys[1].read_bytes():
        raise ConflictError(f"{target} is another archive", str(target))
    if (target / _CATALOG).exists():
        return
    if any(not _is_ours(path.name) for path in target.iterdir()):
        raise ConflictError(f"{target} holds other things", str(target))


def _is_ours(name: str) -> bool:
    """Say whether a file is one that a backup leaves that was cut short."""
    return name in {_OBJECTS, _README, _KEY} or _is_aside(name)


def _is_aside(name: str) -> bool:
    """Say whether a file was being written, under a name of its own."""
    return name.startswith((f"{_CATALOG}.", f"{_README}.", f"{_KEY}.")) and ".new" in name


def _copy_small_files(source: Path, target: Path) -> None:
    """Copy the files beside the catalog."""
    modes = modes_of(target)
    for name, mode in ((_README, modes.file), (_KEY, modes.secret)):
        if (source / name).exists() and not (target / name).exists():
            write_file(target / name, (source / name).read_bytes(), mode=mode)
