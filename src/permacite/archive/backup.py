"""A second archive with the same contents, made while the first one is in use."""

from __future__ import annotations

import secrets
import shutil
from typing import TYPE_CHECKING

from permacite.archive.objects import FileObjects
from permacite.errors import ConflictError, StorageError

if TYPE_CHECKING:
    from pathlib import Path

    from permacite.archive.catalog import Catalog

__all__ = ["backup"]

_CATALOG = "catalog.sqlite"
_KEY = "log.key"
_SMALL_FILES = ("README.txt", _KEY)


def backup(source: Path, catalog: Catalog, target: Path, *, link: bool) -> None:
    """Make the archive `target`, or bring it up to date, as `source` is at this moment.

    The catalog is copied first and the octets after: octets are on the disk before the catalog
    names them, so the copy lacks nothing. Raises ConflictError where `target` holds other things,
    StorageError.
    """
    try:
        target.mkdir(parents=True, exist_ok=True)
        if target.samefile(source):
            raise ConflictError("an archive is no backup of itself", str(target))
        _check_key(source, target)
        _copy_catalog(catalog, target)
        FileObjects(target / "objects").adopt(source / "objects", link=link)
        for name in _SMALL_FILES:
            if (source / name).exists() and not (target / name).exists():
                shutil.copy2(source / name, target / name)
    except OSError as error:
        raise StorageError(
            f"cannot write the backup: {error.strerror}", path=str(target), reason="io"
        ) from error


def _check_key(source: Path, target: Path) -> None:
    """Raise ConflictError where `target` is an archive with a key of its own."""
    keys = [folder / _KEY for folder in (source, target)]
    if all(key.exists() for key in keys) and keys[0].read_bytes() != keys[1].read_bytes():
        raise ConflictError(f"{target} is another archive", str(target))


def _copy_catalog(catalog: Catalog, target: Path) -> None:
    """Copy the catalog over that of an earlier backup, or aside first where there is none."""
    place = target / _CATALOG
    if place.exists():
        catalog.copy_to(place)
        return
    if any(target.iterdir()):
        raise ConflictError(f"{target} holds other things", str(target))
    aside = target / f"{_CATALOG}.{secrets.token_hex(8)}.new"
    try:
        catalog.copy_to(aside)
        aside.rename(place)
    finally:
        aside.unlink(missing_ok=True)
