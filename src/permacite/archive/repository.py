"""An archive: octets under permanent names, committed once, never changed.

What is committed goes to the objects first and is named by the catalog after, so that a name never
lacks its octets; whatever fails in between leaves octets that no name points to, and nothing else.
"""

from __future__ import annotations

import contextlib
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from permacite.archive import jottings, names
from permacite.archive.engine import WriteBehind, open_objects
from permacite.archive.entries import OwnSealer, seal
from permacite.archive.folder import Folder
from permacite.archive.log import Log
from permacite.archive.model import (
    ERASURE_GROUNDS,
    NOBODY,
    Citation,
    Clock,
    Erased,
    Provenance,
    Standing,
    Version,
    Witness,
    utc_now,
)
from permacite.archive.objects import keep_modes
from permacite.archive.records import access, citations, days, octets, settings, versions
from permacite.archive.records.lists import listing
from permacite.archive.records.looks import live, watches
from permacite.archive.records.rows import version_of
from permacite.archive.verification import Verification
from permacite.errors import IntegrityError, ParseError, PermaciteError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date, datetime, timedelta

    from permacite.archive.engine import Catalog
    from permacite.archive.engine.place import Location, Place
    from permacite.archive.engine.write_behind import Staging
    from permacite.archive.entries import Leaf, Sealer
    from permacite.archive.jottings import Kind, Subject
    from permacite.archive.model import NewCitation, NewRepresentation, NewVersion
    from permacite.archive.objects import ObjectStore
    from permacite.archive.records.commits import CommitRequest
    from permacite.archive.records.leaves import Committed
    from permacite.archive.transport.backup import BackupResult
    from permacite.archive.transport.copying import Copied, CopySource
    from permacite.archive.transport.stream import Progress
    from permacite.pdi import PDI

__all__ = ["Repository", "place_of"]

_SERIES = "series"


class Repository(Verification):
    """One open archive. Use it as a context manager, or call `close`.

    Any number of threads may use one Repository, and any number of processes one directory. A
    process that forks opens the archive after the fork.
    """

    def __init__(
        self, place: Place, catalog: Catalog, objects: ObjectStore, *, clock: Clock = utc_now
    ) -> None:
        """Take where the archive is, its catalog and its octets; `open` and `create` open them."""
        log = Log(catalog, place.log_key, lambda: f"{self.series}/log")
        super().__init__(catalog, WriteBehind(objects, catalog), log, clock)
        self._located = place
        self.directory = place.directory
        """Of what this machine keeps for itself; of an archive in a folder, that."""
        self.where = place.where

    @classmethod
    def create(
        cls,
        location: Location,
        *,
        series: str,
        objects: str | None = None,
        clock: Clock = utc_now,
        sealer: Sealer = seal,
    ) -> Self:
        """Make an archive in a new or empty folder, or in a database.

        `series` mints unless another is named; `objects` is the address of the store of its octets:
        see `open_store`. Raises ParseError for a bad series or address, ConflictError where a place
        is not empty, StorageError.
        """
        name = names.checked_series(series)
        place_of(location).make(partial(settings.fill, series=name), clock, objects)
        archive = cls.open(location, clock=clock, sealer=sealer)
        with contextlib.suppress(StorageError):  # made later where cryptography is not installed
            archive.log.signer  # noqa: B018 - making it is the point
        return archive

    @classmethod
    def open(
        cls,
        location: Location,
        *,
        clock: Clock = utc_now,
        sealer: Sealer = seal,
        busy_timeout_s: float = 10.0,
    ) -> Self:
        """Open an archive.

        `busy_timeout_s` is how long to wait for other processes that write; `sealer` makes the
        log's leaves of what is entered. Raises StorageError: reasons "missing", "not-an-archive",
        "newer", "locked", "unfinished" (a copy that was cut short), "other-store".
        """
        place = place_of(location)
        if sealer is seal:
            sealer = OwnSealer(lambda: catalog.read(settings.written_elsewhere))
        catalog = place.catalog(clock=clock, sealer=sealer, busy_timeout_s=busy_timeout_s)
        try:
            catalog.read(settings.check_finished)
            archive = cls(place, catalog, open_objects(place, catalog), clock=clock)
        except PermaciteError:
            catalog.close()
            raise
        if os.access(place.directory, os.W_OK):
            keep_modes(place.directory)
            archive._objects.resume()
            with contextlib.suppress(StorageError):  # others hold the archive: later then
                archive.finish_erasing()
        return archive

    def close(self) -> None:
        """Finish what is being written, octets into their files too, and let go of the archive."""
        self._objects.close()
        self._catalog.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def series(self) -> str:
        """The series that mints where none is named."""
        return self.setting(_SERIES) or self._catalog.read(settings.series_names)[0]

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
        self.set_setting(_SERIES, names.checked_series(name))

    def setting(self, name: str) -> str | None:
        """Return a setting, or None. Settings and notes of live pages are all that changes here."""
        return self._catalog.read(settings.setting, name)

    def set_setting(self, name: str, value: str) -> None:
        """Set or replace a setting."""
        self._catalog.write(settings.set_setting, name, value)

    def formats(self) -> int:
        """Return the number of formats of all versions."""
        return self._catalog.read(listing.formats)

    def staged_bytes(self) -> int:
        """Return how many octets are committed and have no file yet."""
        return self._catalog.read(octets.staged_bytes)

    def commit(
        self,
        representations: Sequence[NewRepresentation],
        *,
        series: str | None = None,
        unique_id: str | None = None,
        replaces: PDI | None = None,
        provenance: Provenance | None = None,
        key: str | None = None,
        witness: Witness = NOBODY,
        standing: Standing | None = None,
    ) -> Version:
        """Commit all formats of a document together, and return once that is durable.

        A new name is minted in `series`, with the date of the clock (UTC) and the next serial
        number of that day, or `unique_id` where given; with `replaces`, the next version of that
        document is made instead, whichever version is named. The same idempotency `key` again gives
        the first Version. `standing` is that of a new document. More than 31 days after the last
        commit, the date must be borne out: by the system, or by the `witness`. Raises ConflictError
        (a name that is taken, a key used for other bytes, one format twice), NotFoundError,
        ParseError, StorageError (reason "clock": the date is not borne out, or the series is ahead
        of it).
        """
        from permacite.archive.model import NewVersion

        draft = NewVersion(
            representations,
            series,
            unique_id,
            replaces,
            provenance or Provenance(),
            key,
            witness,
            standing,
        )
        (outcome,) = self.commit_all([draft])
        if isinstance(outcome, PermaciteError):
            raise outcome
        return outcome

    def commit_all(self, drafts: Sequence[NewVersion]) -> list[Version | PermaciteError]:
        """Commit several versions as `commit` does, in their order, and return once all is durable.

        They share what the disk has to do. Each gives its Version, or the error that `commit` would
        raise; the others are committed all the same.
        """
        outcomes: dict[int, Version | PermaciteError] = {}
        left = list(range(len(drafts)))
        while left:
            outcomes.update(zip(left, self._attempt([drafts[at] for at in left]), strict=True))
            left = [at for at in left if _met_erasing(outcomes[at])]
            if left:
                self._objects.destroy()
        return [outcomes[at] for at in range(len(drafts))]

    def _attempt(self, drafts: Sequence[NewVersion]) -> list[Version | PermaciteError]:
        """Commit versions together; one by one where the octets of all cannot be kept."""
        try:
            return self._commit(drafts)
        except (IntegrityError, StorageError) as error:
            if len(drafts) == 1:
                return [error]
        return [outcome for draft in drafts for outcome in self._attempt([draft])]

    def _commit(self, drafts: Sequence[NewVersion]) -> list[Version | PermaciteError]:
        """Put the octets of versions, and commit them. Raises StorageError, IntegrityError."""
        from permacite.archive.records import commits

        with (
            self._catalog.announced() as under_way,
            self._objects.staging(together=under_way > 1) as staging,
        ):
            told = self._catalog.read(settings.settings)  # before any octets are looked for
            if not told.get(_SERIES):
                told[_SERIES] = self.series
            prepared = [self._prepared(draft, staging, told) for draft in drafts]
            staging.flush()
            requests = [outcome for outcome in prepared if not isinstance(outcome, PermaciteError)]
            written = iter(self._catalog.write_all(commits.commit, requests))
        with self._catalog.reading_rows():
            return [
                outcome if isinstance(outcome, PermaciteError) else _committed(next(written))
                for outcome in prepared
            ]

    def _prepared(
        self, draft: NewVersion, staging: Staging, told: dict[str, str]
    ) -> CommitRequest | PermaciteError:
        """The request for a version whose octets are put; or the error that refuses it."""
        if not draft.representations:
            raise ValueError("a version has at least one format (PDI §2.6)")
        try:
            return self._request(draft, staging, told)
        except PermaciteError as error:
            return error

    def _request(self, draft: NewVersion, staging: Staging, told: dict[str, str]) -> CommitRequest:
        """Put the octets of a version once all that is said of it is right. Raises as `commit`."""
        from permacite.archive import deposit
        from permacite.archive.records.commits import CommitRequest

        replaces, series, unique_id = draft.replaces, draft.series, draft.unique_id
        if replaces is not None:
            names.check_same(replaces, series, unique_id)
            self._gate.check_document(replaces)
        representations = [deposit.with_decoding(new) for new in draft.representations]
        before = len(staging.contents)
        return CommitRequest(
            series=told[_SERIES] if series is None else names.checked_series(series),
            unique_id=None if unique_id is None else names.checked_unique_id(unique_id),
            replaces=None if replaces is None else replaces.document,
            provenance=deposit.with_charsets(draft.provenance, representations),
            key=draft.key,
            witness=draft.witness,
            standing=draft.standing,
            formats=deposit.deposit(staging.put, representations),
            contents=tuple(staging.contents[before:]),
            erasing_round=octets.round_in(told),
        )

    def _again_after_erasing(self, add: Callable[[], Version]) -> Version:
        """Add once more while octets that were found there are erased meanwhile."""
        while True:
            try:
                return add()
            except StorageError as error:
                if not _met_erasing(error):
                    raise
            self._objects.destroy()

    def add_format(self, pdi: PDI, representation: NewRepresentation) -> Version:
        """Add a format, with the same meaning as those there, to a version (PDI §2.6).

        The highest version is taken where `pdi` names none. Raises ConflictError where the version
        has this format with other octets; NotFoundError.
        """
        from permacite.archive import deposit
        from permacite.archive.records import commits

        version = self._catalog.read(versions.version, pdi)

        def add() -> Version:
            erasing_round = self._catalog.read(octets.erasing_round)
            (stored,) = deposit.deposit(self._objects.put, [deposit.with_decoding(representation)])
            row = self._catalog.write(
                commits.add_format,
                version.pdi,
                version.number,
                stored,
                erasing_round=erasing_round,
            )
            return self._catalog.read(versions.version_by_id, row)

        return self._again_after_erasing(add)

    def erase(self, pdi: PDI, *, ground: str) -> Erased:
        """Destroy a document, or the version that `pdi` names, with all that tells of it.

        What is left is its name, and an entry of the log: that and when it was erased, and on what
        `ground`, one of `ERASURE_GROUNDS`. Octets that other documents have too stay there. Where
        this is stopped, whoever opens the archive next goes on with it; it can be repeated. Raises
        NotFoundError, ParseError for another ground, StorageError where octets cannot be destroyed.
        """
        if ground not in ERASURE_GROUNDS:
            raise ParseError(f"expected a ground: {', '.join(ERASURE_GROUNDS)}", ground, 0)
        self._objects.check_deletes()
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

    def set_standing(self, pdi: PDI, standing: Standing) -> None:
        """Say who may see a document from now on, why it is kept, and how long.

        Raises NotFoundError.
        """
        self._catalog.write(access.set_standing, pdi, standing)

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

        self.finish_erasing()
        return CopySource(self._located, self._catalog, self._objects, self.log)

    def record_citation(self, citation: NewCitation) -> Citation:
        """Record a citation once; the same again, at whatever time, gives the first record.

        Raises NotFoundError where what it cites is not committed here.
        """
        return self._catalog.write(citations.record, citation)

    def note_check(
        self,
        pdi: PDI,
        uri: str,
        outcome: str,
        passages: Mapping[str, str],
        *,
        news: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        """Note what a look at the live page of a version found, in place of the look before.

        `outcome` as in LiveCheck; `passages` tells what became of each citation, by its name.
        `news` is what of that is told: the fate, and the name of what stands there now.
        """
        self._catalog.write(
            live.note_check, pdi, uri, outcome=outcome, passages=passages, news=news or {}
        )

    def watch(self, uri: str, every: timedelta) -> None:
        """Look at a page again and again, from now on or as often as this."""
        self._catalog.write(watches.add, uri, every)

    def unwatch(self, uri: str) -> bool:
        """Look at a page no longer; False where it was not watched."""
        return self._catalog.write(watches.remove, uri)

    def note_watched(self, uri: str, looked_at: datetime, outcome: str, problem: str = "") -> None:
        """Note when a page that is watched was looked at, and what came of that."""
        self._catalog.write(watches.note, uri, looked_at, outcome=outcome, problem=problem)

    def jot(self, subject: Subject, kind: Kind, text: str, *, at: datetime | None = None) -> None:
        """Keep a tag, a collection or a note of a document or a part. Raises NotFoundError."""
        self._catalog.write(jottings.jot, subject, kind, text, at=at)

    def strike(self, subject: Subject, kind: Kind, text: str | None = None) -> int:
        """Take one away, or all of its kind; return how many there were."""
        return self._catalog.write(jottings.strike, subject, kind, text)

    def seal_day(self, series: str, day: date, *, form: int = days.NEWEST_FORM) -> Leaf:
        """Seal a day of a series; the entry of the log that did is returned.

        An earlier `form` of the entry is for copies of archives of before. Raises ConflictError for
        a day that has not ended in UTC, NotFoundError where the series does not mint here,
        ParseError, StorageError (reason "clock").
        """
        return self._catalog.write(days.seal, names.checked_series(series), day, form=form)

    def seal_days(self) -> list[Leaf]:
        """Seal all days that have documents and have ended; the new entries are returned."""
        return self._catalog.write(days.seal_all)


def _met_erasing(outcome: object) -> bool:
    """Whether octets that were found there were erased meanwhile."""
    return isinstance(outcome, StorageError) and outcome.reason == "erasing"


def _committed(written: Committed | PermaciteError) -> Version | PermaciteError:
    if isinstance(written, PermaciteError):
        return written
    return version_of(written.version, written.formats)


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
