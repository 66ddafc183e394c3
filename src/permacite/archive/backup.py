"""A second archive with the same contents, made while the first one is in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.objects import FileObjects, flush_folder, make_folders, write_file
from permacite.errors import ConflictError, StorageError

if TYPE_CHECKING:
    from pathlib import Path

    from permacite.archive.catalog import Catalog

__all__ = ["backup"]

_CATALOG = "catalog.sqlite"
_KEY = "log.key"
_README = "README.txt"
_OBJECTS = "objects"


def backup(source: Path, catalog: Catalog, target: Path, *, link: bool) -> None:
    """Make the archive `target`, or bring it up to date, as `source` is at this moment.

    The catalog is copied aside first, and takes its place when the octets that it names are there:
    wherever this is cut short, `target` is what it was before, or no archive yet. Raises
    ConflictError where `target` holds other things, StorageError.
    """
    try:
        make_folders(target)
        _check(source, target)

        def take_over() -> None:
            """Bring all else that the catalog needs beside it."""
            FileObjects(target / _OBJECTS).adopt(source / _OBJECTS, link=link)
            _copy_small_files(source, target)
            flush_folder(target)

        catalog.copy_to(target / _CATALOG, before=take_over)
        flush_folder(target)
    except OSError as error:
        raise StorageError(
            f"cannot write the backup: {error.strerror}", path=str(target), reason="io"
        ) from error


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
    return name in {_OBJECTS, _README, _KEY} or (
        name.startswith((_CATALOG, _README, _KEY)) and ".new" in name
    )


def _copy_small_files(source: Path, target: Path) -> None:
    """Copy the files beside the catalog."""
    for name, mode in ((_README, 0o644), (_KEY, 0o600)):
        if (source / name).exists() and not (target / name).exists():
            write_file(target / name, (source / name).read_bytes(), mode=mode)
