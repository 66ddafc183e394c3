"""Preservation of an archive: backups, copies, restoration, exports, fixity checks and health."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import shutil
from dataclasses import field
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from types import FunctionType
from typing import TYPE_CHECKING, NamedTuple

from permacite.archive.records.settings import ORIGIN
from permacite.archive.repository import Repository
from permacite.errors import ConflictError, IntegrityError, StorageError
from permacite.lazy_dataclass import dataclass
from permacite.registry import Registry
from permacite.service import decoders, names
from permacite.service.findings import HARMLESS, Report
from permacite.service.plain import UNPRINTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from permacite.archive.engine.location import Location
    from permacite.archive.model.answered import Finding
    from permacite.archive.transport.publishing import Publisher
    from permacite.archive.transport.stream import LeftOut, Progress

__all__ = [
    "ArchiveStatus",
    "Condition",
    "Copies",
    "Copy",
    "DocumentExport",
    "Done",
    "copy",
    "promote",
    "restore",
]

_exporters = Registry(
    "permacite.exporters",
    {
        "bag": "permacite.service.exchange.bag_export:export",
        "ocfl": "permacite.service.exchange.ocfl:export",
        "warc": "permacite.service.exchange.warc:export",
        "wacz": "permacite.service.exchange.wacz:export",
    },
    kind=FunctionType,
    extras={"wacz": "archive"},
)
"""Writers of exchange formats. Each takes the repository, the target and a pattern of names."""

_restorers = Registry(
    "permacite.restorers",
    {"0=ocfl_1.1": "permacite.service.exchange.ocfl_import:restore"},
    kind=FunctionType,
)
"""Readers of whole archives, by the file that marks a folder of theirs."""

_COPIED = "last backup"
_CHECKED = "last fixity check"
_PART_CHECKED = "last fixity check of a part"
_REACHED = "fixity checked up to"
"""The entry of the log up to which everything was checked, by one check or several."""

_mirroring = Registry(
    "permacite.mirroring",
    {
        "findings": "permacite.service.mirroring.witness:findings",
        "mend": "permacite.service.mirroring.remote:mend",
    },
    kind=FunctionType,
)
"""Checks of mirrors, and repairs from copies: functions of an annex."""


@dataclass(frozen=True, slots=True)
class Copy:
    """The outcome of a backup, copy, export or restoration."""

    directory: str
    documents: int
    versions: int
    entries: int
    """The number of entries in its log."""
    whole: bool = True
    """Whether everything was compared or written; False where only what is new was added."""
    files: int | None = None
    """How many contents are new in a backup."""
    lost: tuple[str, ...] = ()
    """Digests of contents that the archive names, but has altered or not at all."""
    root: str | None = None
    """The root of that log in Base64, where a copy was compared with the archive."""
    new_key: str | None = None
    """The public key of a restored archive, which does not have the earlier secret key."""
    left_out: tuple[LeftOut, ...] = field(default=(), metadata=UNPRINTED)
    """What this kind of copy does not take."""


class DocumentExport(NamedTuple):
    """The outcome of an export of documents."""

    versions: int
    records: int
    """How many records or files were written."""
    left_out: tuple[LeftOut, ...]
    """Formats that are not public, and what the exchange format does not take."""


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
        copy = _counted(directory)
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
        fetched, if the log says what they must be: see `mirroring.remote.mend`.

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
        report = Report.of(chain(found, _mirror_findings(repository)), progress)
        report = self._repaired(report, repair_from, allow_private=allow_private)
        _note(repository, _CHECKED if is_whole else _PART_CHECKED, len(report.bad))
        if report.ok and (new or is_whole):
            _keep(repository, _REACHED, str(size))
        return dataclasses.replace(report, cautions=cautions)

    def _repaired(self, report: Report, copy: str | None, *, allow_private: bool) -> Report:
        """Return the report after repairs from a copy."""
        if copy is None or report.ok:
            return report
        repository = self._repository
        mended = _mirroring.load("mend")(repository, report.bad, copy, allow_private=allow_private)
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

    def export(self, form: str, target: Path, pattern: str | None = None) -> Copy | DocumentExport:
        """Write the archive, or the versions that `pattern` covers, in an exchange format.

        | form | what is written |
        |---|---|
        | ocfl | a `Copy`: OCFL objects of the whole archive, from which `restore` makes one |
        | bag | a `DocumentExport`: a bag (RFC 8493) |
        | warc, wacz | a `DocumentExport`: a WARC or WACZ file |

        Raises FileExistsError where a bag or a file is at `target`. An earlier OCFL copy of this
        archive is replaced: raises ConflictError where anything else is there, IntegrityError where
        that copy cannot be read. Raises NotFoundError for another form.
        """
        written: Copy | DocumentExport = _exporters.load(form)(self._repository, target, pattern)
        return written

    @cached_property
    def status(self) -> ArchiveStatus:
        """Counts and dates for operators."""
        return ArchiveStatus(self._repository)

    @cached_property
    def entries(self) -> Publisher:
        """Entries and octets for mirrors."""
        return self._repository.copies.publisher


def _counted(directory: Path) -> Copy:
    """Return what the archive in a folder holds."""
    with Repository.open(directory) as copy:
        return Copy(str(directory), copy.lists.documents(), copy.lists.count(), copy.log.size())


def copy(
    source: Location,
    target: Location,
    *,
    with_key: bool = False,
    objects: str | None = None,
    full: bool = False,
    progress: Callable[[int, int], object] = max,
) -> Copy:
    """Copy the archive `source` to `target`, or bring an earlier copy there up to date.

    With the key of its log the copy can replace the archive; without it, it is read-only. `objects`
    is the address of the object store of a new copy. `progress` counts entries of the log. Raises
    ConflictError where `target` holds anything else, or entries that `source` does not have;
    ParseError, StorageError, IntegrityError.
    """
    with Repository.open(source) as archive:
        copied = archive.copies.copy(
            target, with_key=with_key, objects=objects, full=full, progress=progress
        )
    with Repository.open(target) as made:
        return Copy(
            made.where,
            made.lists.documents(),
            made.lists.count(),
            copied.size,
            whole=copied.entries == copied.size,
            files=copied.files,
            lost=copied.lost,
            root=base64.b64encode(copied.root).decode(),
        )


def promote(location: Location) -> str:
    """Let a read-only copy mint and sign in place of its archive; its public key is returned.

    Raises ConflictError where it is no copy that reads, StorageError where the key of the log is
    not there, IntegrityError where that key is another log's.
    """
    from permacite.archive.administration import place_of
    from permacite.archive.transport.copying import promote as promote_copy

    return str(promote_copy(place_of(location)))


def restore(source: Path, directory: Path) -> Copy:
    """Make the archive `directory` from the backup `source`, once every digest in it is right.

    A folder of OCFL objects that was exported is a backup too.

    Raises ConflictError where `directory` holds anything but what an earlier restore left that was
    cut short, IntegrityError where the backup is damaged, StorageError where it is none.
    """
    for mark in _restorers:
        if (source / mark).is_file():
            restored: Copy = _restorers.load(mark)(source, directory)
            return restored
    from permacite.archive.transport.backup import FINISHED, is_cut_short

    if directory.exists() and any(directory.iterdir()) and not is_cut_short(directory):
        raise ConflictError(f"{directory} is not empty", str(directory))
    with Repository.open(source) as kept:
        for finding in kept.fixity.fsck():
            if finding.kind not in HARMLESS:
                raise IntegrityError(
                    f"the backup is damaged: {finding.name}: {finding.kind}",
                    expected="what was committed",
                    actual=finding.detail,
                    hint="permacite --archive BACKUP fsck lists all that is wrong",
                )
        kept.copies.backup(directory, link=False)
    (directory / FINISHED).unlink()  # it is no backup, but an archive
    return _counted(directory)


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


def _mirror_findings(repository: Repository) -> Iterator[Finding]:
    """Yield what is overdue or forked in a mirror, and nothing of another archive."""
    if repository.settings.get(ORIGIN) is not None:
        yield from _mirroring.load("findings")(repository)


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
