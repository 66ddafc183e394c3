"""Administration of an archive: settings, series, sealed days, access, erasure, copies."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING

from permacite.archive import names
from permacite.archive.engine.location import engine_of, engines
from permacite.archive.folder import Folder
from permacite.archive.model.answered import ERASURE_GROUNDS, Erased, Standing
from permacite.archive.records import access, days, settings, versions
from permacite.errors import ParseError, StorageError

if TYPE_CHECKING:
    from datetime import date

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.engine.intake import Intake
    from permacite.archive.engine.location import Location, Place
    from permacite.archive.entries import Leaf
    from permacite.archive.gate import Gate
    from permacite.archive.parts import ArchiveParts
    from permacite.archive.transport.backup import BackupResult
    from permacite.archive.transport.copying import Copied, CopySource
    from permacite.archive.transport.publishing import Publisher
    from permacite.archive.transport.stream import Progress
    from permacite.pdi import PDI

__all__ = ["AccessRecords", "ArchiveCopies", "ArchiveSettings", "SealedDays", "place_of"]


class ArchiveSettings:
    """Settings of one archive, and the series that mint in it."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    @property
    def series(self) -> str:
        """The series that mints where none is named."""
        return self.get(settings.SERIES) or self._catalog.read(settings.series_names)[0]

    def series_names(self) -> list[str]:
        """Return all series that mint here, that which mints where none is named first."""
        first = self.series
        return sorted(self._catalog.read(settings.series_names), key=lambda name: name != first)

    def add_series(self, name: str) -> None:
        """Let another series mint here. Raises ParseError."""
        self._catalog.write(settings.add_series, names.checked_series(name))

    def use_series(self, name: str) -> None:
        """Let a series mint from now on where none is named, and here at all. Raises ParseError.

        Names that were minted in others stay what they are.
        """
        self.add_series(name)
        self.set(settings.SERIES, names.checked_series(name))

    def get(self, name: str) -> str | None:
        """Return a setting, or None. Settings and notes of live pages are all that changes here."""
        return self._catalog.read(settings.setting, name)

    def set(self, name: str, value: str) -> None:
        """Set or replace a setting."""
        self._catalog.write(settings.set_setting, name, value)


class SealedDays:
    """Seals days of series, so that no document can get a name of them any more."""

    def __init__(self, parts: ArchiveParts) -> None:
        self._catalog = parts.catalog

    def seal(self, series: str, day: date, *, form: int = days.NEWEST_FORM) -> Leaf:
        """Seal a day of a series; the entry of the log that did is returned.

        An earlier `form` of the entry is for copies of archives of before. Raises ConflictError for
        a day that has not ended in UTC, NotFoundError where the series does not mint here,
        ParseError, StorageError (reason "clock").
        """
        return self._catalog.write(days.seal, names.checked_series(series), day, form=form)

    def seal_all(self) -> list[Leaf]:
        """Seal all days that have documents and have ended; the new entries are returned."""
        return self._catalog.write(days.seal_all)


class AccessRecords:
    """Who may see each document, why and how long it is kept, and what is erased."""

    def __init__(self, parts: ArchiveParts) -> None:
        self._catalog = parts.catalog
        self._clock = parts.clock
        self._objects = parts.objects

    def standing(self, pdi: PDI) -> Standing:
        """Who may see a document, why it is kept and how long. Raises NotFoundError."""
        document = self._catalog.read(versions.version, pdi).pdi.document
        return self._catalog.read(access.standings, [document]).get(document, Standing())

    def default_standing(self) -> Standing:
        """Return the standing that new documents get where none is given."""
        return self._catalog.read(access.default_standing)

    def overdue(self) -> dict[PDI, Standing]:
        """Return the documents that were to be kept until a day that has passed, oldest first."""
        return self._catalog.read(access.overdue, self._clock().astimezone(UTC).date())

    def changes(self, since: str | None) -> tuple[tuple[PDI, ...], str]:
        """The next documents whose access changed since a mark, and the mark behind them.

        A mark that stays the same says that there are none. Of None comes the mark of now alone.
        """
        today = self._clock().astimezone(UTC).date()
        return self._catalog.read(access.changes, since, today)

    def set_standing(self, pdi: PDI, standing: Standing) -> None:
        """Say who may see a document from now on, why it is kept, and how long.

        Raises NotFoundError.
        """
        self._catalog.write(access.set_standing, pdi, standing)

    def erase(self, pdi: PDI, *, ground: str) -> Erased:
        """Destroy a document, or the version that `pdi` names, with all that tells of it.

        What is left is its name, and an entry of the log: that and when it was erased, and on what
        `ground`, one of `ERASURE_GROUNDS`. Octets that other documents have too stay there. Where
        this is stopped, whoever opens the archive next goes on with it; it can be repeated. Raises
        NotFoundError, ParseError for another ground, StorageError where octets cannot be destroyed.
        """
        if ground not in ERASURE_GROUNDS:
            raise ParseError(f"expected a ground: {', '.join(ERASURE_GROUNDS)}", ground, 0)
        self._objects.store.check_deletes()
        erasure, shared = self._catalog.write(access.erase, pdi, ground)
        return Erased(erasure, shared, is_done=self.finish_erasing())

    def finish_erasing(self) -> bool:
        """Destroy what is left of all that is erased; False where other processes keep traces."""
        unfinished = self._catalog.read(access.unfinished)
        if not unfinished:
            return True
        self._objects.destroy()
        if not self._catalog.scour():
            return False
        self._catalog.write(access.finish, unfinished)
        return True


def place_of(location: Location) -> Place:
    """The place that a location names. Raises ParseError, StorageError."""
    if isinstance(location, Path) or not (scheme := engine_of(location)):
        return Folder(Path(location))
    engine = engines.find(scheme)
    if engine is None:  # what follows the scheme may hold a password
        problem = f"an archive is a folder, or in PostgreSQL; {scheme}: is neither"
        raise StorageError(problem, path=f"{scheme}:", reason="not-an-archive")
    place: Place = engine(location)
    return place


class ArchiveCopies:
    """Makes copies of one archive, and publishes it for mirrors."""

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
        self, target: Path, *, link: bool = True, full: bool = False, progress: Progress = max
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
    def intake(self) -> Intake:
        """Takes over and repairs contents."""
        from permacite.archive.engine.intake import Intake

        return Intake(self._objects, self._catalog)

    @property
    def publisher(self) -> Publisher:
        """What is handed out to mirrors, to the same audience."""
        from permacite.archive.transport.publishing import Publisher

        return Publisher(self._catalog, self._objects, self._log, self._gate)
