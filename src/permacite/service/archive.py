"""The face of an archive: every use case, each a method of the room where its code is.

Methods check their arguments, do the work, and answer with values. An Archive may be used from
several threads at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.service import decoders, names
from permacite.service.access import Access
from permacite.service.assertions.delegating import Delegations
from permacite.service.assertions.former import FormerNames
from permacite.service.assertions.jottings import Jottings
from permacite.service.base import DEFAULT_RESOLVER, Location, default_directory
from permacite.service.citations.describing import References
from permacite.service.citations.selecting.annotations import Annotations
from permacite.service.drift.changes import Changes
from permacite.service.drift.checking import Checks
from permacite.service.drift.versions import Versions
from permacite.service.handed.taking import Uploads
from permacite.service.ingest.crawls import Crawls
from permacite.service.ingest.deriving import Derivations
from permacite.service.libraries.bags import Bags
from permacite.service.libraries.zotero import Libraries
from permacite.service.lists.saving import Lists
from permacite.service.mirroring.handing import Handouts
from permacite.service.mirroring.witnessing import Witnessing
from permacite.service.preservation.condition import Conditions
from permacite.service.preservation.keeping import Preservation
from permacite.service.proofs.logs import Logs
from permacite.service.proofs.proofs import Proofs
from permacite.service.proofs.witnesses import Witnesses
from permacite.service.quotations.composing import Compositions
from permacite.service.reader.reading import Reader
from permacite.service.resolution.holdings import Holdings
from permacite.service.resolution.looking import LookUps
from permacite.service.resolution.mementos import Mementos
from permacite.service.resolution.sites import Sites
from permacite.service.search.finding import Search
from permacite.service.watches.watching import Watches

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

__all__ = ["DEFAULT_RESOLVER", "Archive", "create", "default_directory", "open"]


class Archive(
    Uploads,
    Lists,
    Watches,
    Crawls,
    Libraries,
    Bags,
    Derivations,
    Annotations,
    References,
    Changes,
    Checks,
    Versions,
    LookUps,
    Compositions,
    Proofs,
    Logs,
    Witnesses,
    Preservation,
    Conditions,
    Reader,
    Jottings,
    Delegations,
    FormerNames,
    Access,
    Search,
    Sites,
    Mementos,
    Holdings,
    Handouts,
    Witnessing,
):
    """One open archive. Use it as a context manager, or call `close`."""

    def decoders(self, *, many: bool = False) -> str:
        """A sentence on how pictures, sound and video are decoded here.

        With `many`, parts are no larger from now on than what many at once can be given.
        """
        if many:
            decoders.keep_parts_small()
        return decoders.described()

    def prepare(self) -> None:
        """Bring in what the first answers would wait for: rules of names, and of large texts."""
        from permacite.archive.texts import index  # noqa: F401 - most commands have none

        names.parse(f"urn:pdi://{self.series()[0]}/2026/11/22/1.text.1")

    def moments(self) -> AbstractContextManager[Callable[[], int | None]]:
        """What gives, to one thread, a number that changes with each write of any process.

        Whatever an archive answered holds as long as the number is the same, for the same public
        or operator, but for what depends on the time.
        """
        return self._repository.moments()


def create(path: Location, *, series: str, objects: str | None = None) -> Archive:
    """Make an archive in the folder `path`, which is new or empty, or in a database: see `open`.

    `series` is the authority in every name that it mints, such as "lab.example.us": its last part
    is a country code; zz is left to users. `objects` is where its octets are kept if not in the
    folder, "s3://BUCKET/PREFIX". Raises ConflictError where an archive is, ParseError for what is
    no series or no such address, StorageError.
    """
    return Archive.create(path, series=series, objects=objects)


def open(location: Location) -> Archive:  # noqa: A001 - the word for it
    """Open the archive in a folder, or at `postgresql://host/database?objects=/folder`.

    Raises StorageError where there is none that can be read, ParseError for a location that is
    none, or has a password in it.
    """
    return Archive.open(location)
