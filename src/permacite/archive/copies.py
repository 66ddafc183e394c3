"""Copies of an archive: backups, copies on any engine, and mirrors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from permacite.archive.folder import Folder
from permacite.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permacite.archive.administration import AccessRecords
    from permacite.archive.engine.place import Location, Place
    from permacite.archive.gate import Gate
    from permacite.archive.objects import Opens
    from permacite.archive.parts import ArchiveParts
    from permacite.archive.transport.backup import BackupResult
    from permacite.archive.transport.copying import Copied, CopySource
    from permacite.archive.transport.mirror import Mirror
    from permacite.archive.transport.publishing import Publisher
    from permacite.archive.transport.stream import Progress

__all__ = ["ArchiveCopies", "place_of"]


def place_of(location: Location) -> Place:
    """The place that a location names. Raises ParseError, StorageError."""
    if isinstance(location, str) and not {":", "="}.isdisjoint(location):
        from permacite.archive import postgresql

        if postgresql.is_meant(location):
            return postgresql.Server.at(location)
        scheme, mark, _ = location.partition("://")  # the rest may hold a password
        if mark:
            problem = f"an archive is a folder, or in PostgreSQL; {scheme}: is neither"
            raise StorageError(problem, path=f"{scheme}:", reason="not-an-archive")
    return Folder(Path(location))


class ArchiveCopies:
    """Makes copies of one archive, and follows others as a mirror."""

    def __init__(
        self, place: Place, parts: ArchiveParts, gate: Gate, access: AccessRecords
    ) -> None:
        self._place = place
        self._catalog = parts.catalog
        self._log = parts.log
        self._objects = parts.objects
        self._gate = gate
        self._access = access

    def backup(
        self,
        target: Path,
        *,
        link: bool = True,
        full: bool = False,
        progress: Progress = max,
    ) -> BackupResult:
        """Make `target` an archive with all that is committed now, or bring an earlier one up.

        `link` makes hard links where the disk is the same, which takes no space; copies guard
        against a disk that fails. See `transport.backup`. Raises ConflictError where `target` holds
        other things, or entries that this archive does not have; StorageError.
        """
        from permacite.archive.transport.backup import backup

        return backup(self._source(), target, link=link, full=full, progress=progress)

    def copy(
        self,
        location: Location,
        *,
        with_key: bool = False,
        objects: str | None = None,
        full: bool = False,
        progress: Progress = max,
    ) -> Copied:
        """Copy all that is committed now to a place on any engine, or bring an earlier copy up.

        Others may go on committing meanwhile. Raises as `copying.copy`.
        """
        from permacite.archive.transport import copying

        source, place = self._source(), place_of(location)
        return copying.copy(
            source, place, with_key=with_key, objects=objects, full=full, progress=progress
        )

    def _source(self) -> CopySource:
        """What is copied, once nothing in it waits to be erased."""
        from permacite.archive.transport.copying import CopySource

        self._access.finish_erasing()
        return CopySource(self._place, self._catalog, self._objects, self._log)

    @property
    def mirror(self) -> Mirror:
        """The archive as the mirror of another, if it is one."""
        from permacite.archive.transport.mirror import Mirror

        return Mirror(self._catalog, self._objects)

    def mend(self, source: Opens, digests: Iterable[str]) -> tuple[int, list[str]]:
        """Take octets over from elsewhere; how many came, and which did not.

        Those that are here are compared with their digests, and put right. Raises StorageError.
        """
        return self._objects.mend(source, digests)

    @property
    def publisher(self) -> Publisher:
        """What is handed out to mirrors, to the same audience."""
        from permacite.archive.transport.publishing import Publisher

        return Publisher(self._catalog, self._objects, self._log, self._gate)
