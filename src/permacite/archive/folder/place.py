"""The place of an archive in one folder: catalog.sqlite, the octets, and the key of the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.folder.making import CATALOG, make
from permacite.archive.objects import ADDRESS, store_of
from permacite.archive.sqlite import Catalog
from permacite.errors import StorageError

if TYPE_CHECKING:
    from pathlib import Path

    from permacite.archive.engine.place import Fill
    from permacite.archive.entries import Sealer
    from permacite.archive.model import Clock
    from permacite.archive.objects import ObjectStore

__all__ = ["Folder"]


class Folder:
    """The place of such an archive."""

    def __init__(self, directory: Path) -> None:
        """Take the folder."""
        self.directory = directory
        self.where = str(directory)
        self.log_key: Path | None = directory / "log.key"

    def make(self, fill: Fill, clock: Clock, objects: str | None) -> None:
        """Make the files of an archive. Raises ConflictError, ParseError, StorageError."""
        make(self.directory, fill, clock, objects)

    @property
    def names_objects(self) -> bool:
        """Whether a file names the store of octets; else they are in the folder."""
        return (self.directory / ADDRESS).exists()

    def objects(self) -> ObjectStore:
        """Open the store of octets. Raises as `open_store`."""
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
