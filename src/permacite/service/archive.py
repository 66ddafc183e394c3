"""The face of an archive: every use case, each a method of the room where its code is.

Methods check their arguments, do the work, and answer with values. An Archive may be used from
several threads at once.
"""

from __future__ import annotations

from permacite.service import decoders
from permacite.service.access import Access
from permacite.service.assertions.delegating import Delegations
from permacite.service.assertions.statements import Assertions
from permacite.service.base import DEFAULT_RESOLVER, default_directory
from permacite.service.citations.checking import Checks
from permacite.service.citations.citing import Citations
from permacite.service.ingest.saving import Ingest
from permacite.service.preservation.keeping import Preservation
from permacite.service.proofs.logs import Logs
from permacite.service.proofs.proofs import Proofs
from permacite.service.quotations.composing import Compositions
from permacite.service.reader.reading import Reader
from permacite.service.resolution.holdings import Holdings

__all__ = ["DEFAULT_RESOLVER", "Archive", "default_directory"]


class Archive(
    Ingest,
    Citations,
    Checks,
    Compositions,
    Proofs,
    Logs,
    Preservation,
    Reader,
    Assertions,
    Delegations,
    Access,
    Holdings,
):
    """One open archive. Use it as a context manager, or call `close`."""

    def decoders(self) -> str:
        """A sentence on how pictures, sound and video are decoded here."""
        return decoders.described()
