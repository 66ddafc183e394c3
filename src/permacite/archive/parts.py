"""Parts of an open archive, which the objects of a repository share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.engine.pieces import KnownPieces
from permacite.archive.gate import full_names_of
from permacite.archive.log.agreement import Agreement
from permacite.archive.texts import Texts
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.engine.write_behind import ArchiveObjects
    from permacite.archive.gate import FullNames
    from permacite.archive.log.log import Log
    from permacite.archive.model.answered import Clock
    from permacite.extract import Decode

__all__ = ["ArchiveParts"]


@dataclass(slots=True)
class ArchiveParts:
    """The catalog, the objects and the log of one archive, and what is remembered of them."""

    catalog: Catalog
    objects: ArchiveObjects
    log: Log
    clock: Clock
    texts: Texts
    pieces: KnownPieces
    agreement: Agreement
    full_names: FullNames | None
    decoder_of: Callable[[str], Decode] | None = None
    """From a digest to what cuts its picture, sound or video; None: the decoders of `extract`."""

    @classmethod
    def of(
        cls, catalog: Catalog, objects: ArchiveObjects, log: Log, *, clock: Clock
    ) -> ArchiveParts:
        """The parts of an archive of which these are open; the clock is for embargoes."""
        return cls(
            catalog,
            objects,
            log,
            clock,
            Texts(catalog, objects),
            KnownPieces(catalog, objects),
            Agreement(catalog),
            full_names_of(catalog),
        )
