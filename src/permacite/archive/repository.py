"""An archive: octets under permanent names, committed once, never changed.

What is committed goes to the objects first and is named by the catalog after, so that a name never
lacks its octets; whatever fails in between leaves octets that no name points to, and nothing else.
"""

from __future__ import annotations

import contextlib
import os
from functools import cached_property, partial
from typing import TYPE_CHECKING, Self

from permacite.archive import names
from permacite.archive.administration import (
    AccessRecords,
    ArchiveCopies,
    ArchiveSettings,
    SealedDays,
    place_of,
)
from permacite.archive.annotations import AnnotationRecords
from permacite.archive.engine.location import open_objects
from permacite.archive.engine.write_behind import ArchiveObjects
from permacite.archive.entries import OwnSealer, seal
from permacite.archive.gate import PUBLIC, Audience, Gate
from permacite.archive.log.log import Log
from permacite.archive.lookup import (
    DocumentContents,
    StatementSearch,
    VersionLists,
    VersionLookup,
    VersionOrigins,
)
from permacite.archive.model.answered import Clock, utc_now
from permacite.archive.objects.durable import keep_modes
from permacite.archive.parts import ArchiveParts
from permacite.archive.passages import CitedPassages, LivePages
from permacite.archive.records import settings
from permacite.archive.statements import Delegations, Statements
from permacite.errors import PermaciteError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from permacite.archive.committing import Committer
    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.engine.location import Location, Place
    from permacite.archive.entries import Sealer
    from permacite.archive.objects.store import ObjectStore
    from permacite.archive.verification import FixityCheck, Proofs

__all__ = ["Repository"]


class Repository:
    """One open archive. Use it as a context manager, or call `close`.

    Any number of threads may use one Repository, and any number of processes one directory. A
    process that forks opens the archive after the fork. `directory` is where this machine keeps its
    own files, `log` the Merkle log over all commits, `statements` assertions and withdrawals,
    `delegations` who mints where, and which resolver answers for which names.
    """

    settings = cached_property(lambda self: ArchiveSettings(self._catalog))
    """Settings, and the series that mint."""
    lookup = cached_property(lambda self: VersionLookup(self.parts, self._gate))
    origins = cached_property(lambda self: VersionOrigins(self.parts, self._gate, self.lookup))
    """Versions by address, digest or idempotency key."""
    lists = cached_property(lambda self: VersionLists(self.parts, self._gate))
    contents = cached_property(lambda self: DocumentContents(self.parts, self._gate))
    """Bytes, texts and excerpts of formats."""
    passages = cached_property(
        lambda self: CitedPassages(self.parts, self._gate, self.lookup, self.contents)
    )
    """Citations of passages, and quotations between documents."""
    statement_search = cached_property(
        lambda self: StatementSearch(self.parts, self._gate, self.statements)
    )
    """Statements about names, as the audience may see them."""
    annotations = cached_property(lambda self: AnnotationRecords(self.parts, self._gate))
    live_pages = cached_property(lambda self: LivePages(self.parts, self._gate))
    """Checks of live pages, and watched pages."""
    access = cached_property(lambda self: AccessRecords(self.parts))
    """Who may see each document, and what is erased."""
    days = cached_property(lambda self: SealedDays(self.parts))
    copies = cached_property(
        lambda self: ArchiveCopies(self._place, self.parts, self._gate, self.access)
    )
    """Backups, copies and mirrors."""

    def __init__(self, place: Place, parts: ArchiveParts, gate: Gate) -> None:
        self._place = place
        self._catalog = parts.catalog
        self._objects = parts.objects
        self._gate = gate
        self.parts = parts
        self.directory = place.directory
        self.where = place.where
        self.log = parts.log
        self.statements = Statements(parts.catalog)
        self.delegations = Delegations(parts.catalog)

    @cached_property
    def committer(self) -> Committer:
        """Commits versions and formats."""
        from permacite.archive.committing import Committer

        return Committer(self.parts, self._gate, self.settings)

    @cached_property
    def fixity(self) -> FixityCheck:
        """Checks of contents, records and log."""
        from permacite.archive.verification import FixityCheck

        return FixityCheck(self.parts, self.passages, self.lists)

    @cached_property
    def proofs(self) -> Proofs:
        """Proofs, and tiles of the log."""
        from permacite.archive.verification import Proofs

        return Proofs(self.parts, self._gate, self.lookup, self.contents)

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

        `series` mints unless another is named; `objects` is the address of its store of objects.
        Raises ParseError (series or address), ConflictError (a place is not empty), StorageError.
        """
        name = names.checked_series(series)
        place_of(location).make(partial(settings.fill, series=name), clock, objects)
        archive = cls.open(location, clock=clock, sealer=sealer)
        with contextlib.suppress(StorageError):  # made later where cryptography is not installed
            archive.log.keys.signer  # noqa: B018 - making it is the point
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

        `busy_timeout_s` is how long to wait for other writers; `sealer` makes leaves of the log.
        Raises StorageError: "missing", "not-an-archive", "newer", "locked", "unfinished" (a copy
        that was cut short), "other-store".
        """
        place = place_of(location)
        if sealer is seal:
            sealer = OwnSealer(lambda: catalog.read(settings.written_elsewhere))
        catalog = place.catalog(clock=clock, sealer=sealer, busy_timeout_s=busy_timeout_s)
        try:
            catalog.read(settings.check_finished)
            archive = cls.of(place, catalog, open_objects(place, catalog), clock=clock)
        except PermaciteError:
            catalog.close()
            raise
        if os.access(place.directory, os.W_OK):
            keep_modes(place.directory)
            archive.parts.objects.write_behind.resume()
            with contextlib.suppress(StorageError):  # others hold the archive: later then
                archive.access.finish_erasing()
        return archive

    @classmethod
    def of(cls, place: Place, catalog: Catalog, objects: ObjectStore, *, clock: Clock) -> Self:
        """Return the archive of an open catalog and store of objects, for its operator."""
        kept = ArchiveSettings(catalog)
        log = Log(catalog, place.log_key, lambda: f"{kept.series}/log")
        parts = ArchiveParts.of(catalog, ArchiveObjects(objects, catalog), log, clock=clock)
        return cls(place, parts, Gate(catalog, clock=clock, audience=None))

    def public(self, audience: Audience = PUBLIC) -> Self:
        """Return the same archive as the public sees it, or some of it: see `access.gate`."""
        gate = Gate(self._catalog, clock=self.parts.clock, audience=audience)
        return type(self)(self._place, self.parts, gate)

    def close(self) -> None:
        """Finish what is being written, octets into their files too, and let go of the archive."""
        self._objects.write_behind.close()
        self._catalog.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def moments(self) -> AbstractContextManager[Callable[[], int | None]]:
        """What gives, to one thread, a number that changes with each write of any process."""
        return self._catalog.moments()
