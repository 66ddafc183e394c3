"""An archive in one folder: catalog.sqlite, the contents, and the key of the log."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from permacite.archive.objects.durable import (
    flush_folder,
    keep_modes,
    make_folders,
    modes_of,
    write_file,
)
from permacite.archive.objects.store import ADDRESS, claim, store_of
from permacite.archive.records.settings import name_store
from permacite.archive.sqlite.catalog import Catalog
from permacite.archive.sqlite.connection import recognize
from permacite.errors import ConflictError, StorageError

if TYPE_CHECKING:
    from pathlib import Path

    from permacite.archive.engine.location import Fill
    from permacite.archive.entries import Sealer
    from permacite.archive.model.answered import Clock
    from permacite.archive.objects.store import ObjectStore
    from permacite.archive.records.rows import Transaction

__all__ = ["CATALOG", "Folder"]

CATALOG = "catalog.sqlite"
_BUSY_S = 10.0

_README = """\
This folder is a permacite archive.

catalog.sqlite     an SQLite 3 database: names, versions, digests, where each document came from
objects/ab/cd/...  the bytes, each file named by the SHA-256 of its content
objects.at         where there: the bytes are in the store at this address, by the same names
                   (where a computer stopped in the middle of its work, the last bytes may still be
                   in the table unsettled, under the same digest)
log.key            the key that signs the log: keep it secret

To find a document without permacite: look up its name in the tables document, version and
representation; the digest there, which hex() shows, is the file objects/ab/cd/abcd...
Copy the whole folder to keep it. Change nothing in it: nothing in it ever changes.
"""


class Folder:
    """The location of an archive in one folder."""

    def __init__(self, directory: Path) -> None:
        """Take the folder."""
        self.directory = directory
        self.where = str(directory)
        self.log_key: Path | None = directory / "log.key"

    def make(self, fill: Fill, clock: Clock, objects: str | None) -> None:
        """Make the files of an archive. Raises ConflictError, ParseError, StorageError."""
        _make(self.directory, fill, clock, objects)

    @property
    def names_objects(self) -> bool:
        """Whether a file names the object store; otherwise the contents are in the folder."""
        return (self.directory / ADDRESS).exists()

    def objects(self) -> ObjectStore:
        """Open the object store. Raises as `open_store`."""
        return store_of(self.directory)

    def catalog(self, *, clock: Clock, sealer: Sealer, busy_timeout_s: float) -> Catalog:
        """Open the catalog. Raises StorageError: reasons as in `Repository.open`."""
        directory = self.directory
        if not directory.is_dir():
            raise StorageError(
                f"there is no folder {directory}", path=str(directory), reason="missing"
            )
        return Catalog(
            directory / CATALOG, clock=clock, sealer=sealer, busy_timeout_s=busy_timeout_s
        )


def _make(directory: Path, fill: Fill, clock: Clock, objects: str | None) -> None:
    """Make the files of an archive. Raises ConflictError, ParseError, StorageError.

    The catalog is made first, as a whole. After a stop there is an archive, or there are temporary
    files, which do not prevent a second try.
    """
    try:
        make_folders(directory)
        taken = (directory / CATALOG).exists()
        if taken:
            recognize(directory / CATALOG, busy_timeout_s=_BUSY_S)
        if taken or any(not _is_aside(path.name) for path in directory.iterdir()):
            what = "is an archive already" if taken else "is not empty"
            raise ConflictError(f"{directory} {what}", str(directory))
        keep_modes(directory)
        claim(directory, objects)
        fills = fill if objects is None else partial(_with_store, fill)
        Catalog.make(directory / CATALOG, fill=fills, clock=clock)
        flush_folder(directory)
        mode = modes_of(directory).file
        write_file(directory / "README.txt", _README.encode(), mode=mode)
        flush_folder(directory)
    except FileExistsError as error:
        if not directory.is_dir():
            problem = f"cannot make {directory}: a file is there"
            raise StorageError(problem, path=str(directory), reason="io") from error
        raise ConflictError(f"{directory} is an archive already", str(directory)) from error
    except OSError as error:
        raise StorageError(
            f"cannot make {directory}: {error.strerror}", path=str(directory), reason="io"
        ) from error


def _with_store(fill: Fill, transaction: Transaction) -> None:
    """Write the first rows of an archive with another object store."""
    fill(transaction)
    name_store(transaction)


def _is_aside(name: str) -> bool:
    """Whether a file is left of an archive whose making was stopped."""
    return name == ADDRESS or (name.startswith((f"{CATALOG}.", f"{ADDRESS}.")) and ".new" in name)
