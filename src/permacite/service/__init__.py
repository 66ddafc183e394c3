"""The use cases: what the command line, the web and programs do, each a method of its room.

`archive` has them all. The class of a room opens an archive by itself, for a command that needs no
more; `base` is what they stand on. The names here are what the methods of `permacite.Archive`
answer with, beside those that `permacite` itself has.
"""

from permacite.exports import on_demand

TYPE_CHECKING = False  # to import typing would take longer than all the rest
if TYPE_CHECKING:
    from permacite.archive.model import Assertion, Restriction, Standing
    from permacite.service.access import Choice, Erased, Kept, Withdrawn
    from permacite.service.assertions.delegating import Delegated
    from permacite.service.citations.quoted import Passage
    from permacite.service.documents import VersionNote
    from permacite.service.preservation.copies import Copy, EarlierLog
    from permacite.service.proofs.logs import Consistency, LogState, SealedDay, StampedLog
    from permacite.service.proofs.proofs import Proof
    from permacite.service.quotations.composing import Composed
    from permacite.service.reader.pages import Page, PageState
    from permacite.service.reader.reading import Reading
    from permacite.service.resolution.holdings import About, Exported, NameSet, Shown

__all__ = [
    "About",
    "Assertion",
    "Choice",
    "Composed",
    "Consistency",
    "Copy",
    "Delegated",
    "EarlierLog",
    "Erased",
    "Exported",
    "Kept",
    "LogState",
    "NameSet",
    "Page",
    "PageState",
    "Passage",
    "Proof",
    "Reading",
    "Restriction",
    "SealedDay",
    "Shown",
    "StampedLog",
    "Standing",
    "VersionNote",
    "Withdrawn",
]

on_demand(
    __name__,
    {
        "permacite.archive.model": "Assertion, Restriction, Standing",
        "permacite.service.access": "Choice, Erased, Kept, Withdrawn",
        "permacite.service.assertions.delegating": "Delegated",
        "permacite.service.citations.quoted": "Passage",
        "permacite.service.documents": "VersionNote",
        "permacite.service.preservation.copies": "Copy, EarlierLog",
        "permacite.service.proofs.logs": "Consistency, LogState, SealedDay, StampedLog",
        "permacite.service.proofs.proofs": "Proof",
        "permacite.service.quotations.composing": "Composed",
        "permacite.service.reader.pages": "Page, PageState",
        "permacite.service.reader.reading": "Reading",
        "permacite.service.resolution.holdings": "About, Exported, NameSet, Shown",
    },
)
