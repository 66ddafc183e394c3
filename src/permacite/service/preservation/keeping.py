"""Preservation of an archive: backups, fixity checks, exports and health."""

from __future__ import annotations

import contextlib
import dataclasses
import shutil
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from permacite.errors import StorageError
from permacite.lazy_dataclass import dataclass
from permacite.service import decoders, names
from permacite.service.findings import Report
from permacite.service.mirroring import forks
from permacite.service.preservation.copies import Copy, counted

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from permacite.archive.model.answered import Finding
    from permacite.archive.repository import Repository
    from permacite.archive.transport.stream import Progress
    from permacite.service.mirroring.published import PublishedLog
    from permacite.service.preservation.documents import DocumentExport

__all__ = ["ArchiveStatus", "Condition", "Copies", "Done"]

_COPIED = "last backup"
_CHECKED = "last fixity check"
_PART_CHECKED = "last fixity check of a part"
_REACHED = "fixity checked up to"
"""The entry of the log up to which everything was checked, by one check or several."""


class Copies:
    """Copies of an archive: backup, fixity check and export."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def backup(
        self, directory: Path, *, link: bool = True, full: bool = False, progress: Progress = max
    ) -> Copy:
        """Make a second archive in `directory`, or bring it up to date, while this one is in use.

        What is new is added to an earlier backup; with `full` everything in it is compared and
        repaired. `progress` counts contents. Raises ConflictError where `directory` holds anything
        else, StorageError.
        """
        brought = self._repository.copies.backup(directory, link=link, full=full, progress=progress)
        if not brought.lost:
            _note(self._repository, _COPIED)
        copy = counted(directory)
        return dataclasses.replace(
            copy, whole=brought.whole, files=brought.files, lost=brought.lost
        )

    def fsck(
        self,
        *,
        new: bool = False,
        since: int | None = None,
        sample: int = 0,
        repair_from: str | None = None,
        allow_private: bool = False,
        progress: Callable[[Finding], None] | None = None,
    ) -> Report:
        """Check every digest, the log and the catalog, and find bytes without a name.

        `repair_from` is the address or location of a copy from which missing or altered bytes are
        fetched, if the log says what they must be: see `mending.mend`.

        `new` checks only the digests of what was committed since the last such check, `since` from
        an entry of the log on, `sample` those of so many random versions. `progress` gets each
        finding at once.
        """
        repository = self._repository
        cautions, size = repository.fixity.cautions(), repository.log.size()
        start = self._start(new=new, since=since)
        is_whole = start is None and not sample
        if is_whole:
            found = repository.fixity.fsck()
        else:
            fresh = iter(()) if start is None else repository.fixity.verify_new(start)
            found = chain(fresh, repository.fixity.verify_sample(sample))
        report = Report.of(chain(found, forks.findings(repository)), progress)
        report = self._repaired(report, repair_from, allow_private=allow_private)
        _note(repository, _CHECKED if is_whole else _PART_CHECKED, len(report.bad))
        if report.ok and (new or is_whole):
            _keep(repository, _REACHED, str(size))
        return dataclasses.replace(report, cautions=cautions)

    def _repaired(self, report: Report, copy: str | None, *, allow_private: bool) -> Report:
        """Return the report after repairs from a copy."""
        if copy is None or report.ok:
            return report
        from permacite.service.mirroring import mending

        repository = self._repository
        mended = mending.mend(repository, report.bad, copy, allow_private=allow_private)
        again = {each.name for each in mended if each.outcome == "mended"}
        left = [finding for finding in report.findings if finding.name not in again]
        for name in again:
            left += Report.of(repository.fixity.verify(names.document_of(name)[0])).findings
        return Report(report.checked, tuple(left), tuple(mended))

    def to_check(self, *, new: bool = False, since: int | None = None, sample: int = 0) -> int:
        """Return about how many findings such a check makes."""
        start = self._start(new=new, since=since)
        if start is None and not sample:
            return self._repository.lists.formats()
        fresh = 0 if start is None else max(0, self._repository.log.size() - start)
        return fresh + min(sample, self._repository.lists.count())

    def _start(self, *, new: bool, since: int | None) -> int | None:
        """Return the first entry of the log to check; None for other checks."""
        starts = [] if since is None else [since]
        if new:
            starts.append(int(self._repository.settings.get(_REACHED) or 0))
        return min(starts, default=None)

    def export_ocfl(self, directory: Path) -> Copy:
        """Write the whole archive as OCFL objects; `restore` makes an archive of them.

        An earlier copy of this archive is replaced. Raises ConflictError where anything else
        is there, IntegrityError where that copy cannot be read.
        """
        from permacite.service.preservation import ocfl

        return ocfl.export(self._repository, directory)

    def export_warc(self, path: Path, pattern: str | None = None) -> DocumentExport:
        """Write the versions that `pattern` covers as a WARC file.

        Raises FileExistsError where `path` is there.
        """
        from permacite.service.preservation import warc

        return warc.export(self._repository, path, pattern)

    def export_bag(self, folder: Path, pattern: str | None = None) -> DocumentExport:
        """Write the versions that `pattern` covers as a bag (RFC 8493).

        Raises FileExistsError where `folder` is there.
        """
        from permacite.service.preservation import bagit

        return bagit.export(self._repository, folder, pattern)

    def export_wacz(self, path: Path, pattern: str | None = None) -> DocumentExport:
        """Write the versions that `pattern` covers as a WACZ file.

        Raises FileExistsError where `path` is there.
        """
        from permacite.service.preservation import wacz

        return wacz.export(self._repository, path, pattern)

    @cached_property
    def status(self) -> ArchiveStatus:
        """Counts and dates for operators."""
        return ArchiveStatus(self._repository)

    @cached_property
    def entries(self) -> PublishedLog:
        """Entries and octets for mirrors."""
        from permacite.service.mirroring.published import PublishedLog

        return PublishedLog(self._repository)


@dataclass(frozen=True, slots=True)
class Done:
    """The time of a backup or check, and how many faults it found."""

    at: datetime
    faults: int = 0


@dataclass(frozen=True, slots=True)
class Condition:
    """The state of an archive at this moment."""

    documents: int
    versions: int
    log_size: int
    staged_bytes: int
    """Bytes that were committed and have no file yet."""
    free_bytes: int
    """Free bytes of its disk."""
    decoders_busy: int
    decoders_waiting: int
    """Jobs of this process that wait for a decoder."""
    copied: Done | None
    """The last backup of this archive."""
    checked: Done | None
    """The last complete fixity check."""
    part_checked: Done | None
    """The last fixity check of new versions or of a sample."""
    cautions: tuple[str, ...]
    """Settings of the database that may lose acknowledged commits."""


class ArchiveStatus:
    """Counts and dates for operators."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def condition(self) -> Condition:
        """Return the state now, at little cost. Raises StorageError where it cannot be read."""
        repository = self._repository
        busy, waiting = decoders.load()
        return Condition(
            documents=repository.lists.documents(),
            versions=repository.lists.count(),
            log_size=repository.log.size(),
            staged_bytes=repository.contents.staged_bytes(),
            free_bytes=shutil.disk_usage(repository.directory).free,
            decoders_busy=busy,
            decoders_waiting=waiting,
            copied=_done(repository, _COPIED),
            checked=_done(repository, _CHECKED),
            part_checked=_done(repository, _PART_CHECKED),
            cautions=repository.fixity.cautions(),
        )

    def cautions(self) -> tuple[str, ...]:
        """Return warnings about database settings that may lose acknowledged commits.

        An archive in a folder has none. Raises StorageError.
        """
        return self._repository.fixity.cautions()


def _note(repository: Repository, what: str, faults: int = 0) -> None:
    """Note that something was done just now."""
    _keep(repository, what, f"{datetime.now(UTC).isoformat(timespec='seconds')} {faults}")


def _keep(repository: Repository, what: str, value: str) -> None:
    """Keep a setting; an archive that may only be read is left as it is."""
    with contextlib.suppress(StorageError):
        repository.settings.set(what, value)


def _done(repository: Repository, what: str) -> Done | None:
    said = repository.settings.get(what)
    if said is None:
        return None
    at, _, faults = said.partition(" ")
    return Done(datetime.fromisoformat(at), int(faults))
