"""Use cases: the objects that the properties of an archive lead to, and the values they return.

`archive` has the archive itself. What is here beside the values that `permacite` has is imported
when it is first asked for.
"""

from permacite.exports import on_demand

TYPE_CHECKING = False  # to import typing would take longer than all the rest
if TYPE_CHECKING:
    from permacite.archive.model.answered import Assertion, Restriction, Standing
    from permacite.service.access import Access, Choice, Erased, Kept, Withdrawn
    from permacite.service.assertions.delegating import Delegated
    from permacite.service.assertions.jottings import Annotations
    from permacite.service.checking import Drift
    from permacite.service.citations.citations import Citations
    from permacite.service.citations.quoted import Passage
    from permacite.service.documents import VersionNote
    from permacite.service.holdings import About, Documents, Exported, NameSet, Shown
    from permacite.service.lists.saving import Lists
    from permacite.service.preservation import Copies, Copy
    from permacite.service.proofs.logs import (
        ArchiveLog,
        Consistency,
        EarlierLog,
        LogState,
        SealedDay,
        StampedLog,
    )
    from permacite.service.proofs.proofs import Proof, Proofs
    from permacite.service.quotations.comparing import Quotations
    from permacite.service.quotations.composing import Composed
    from permacite.service.reader.pages import FramedPage, PageState
    from permacite.service.reader.reading import Reading

__all__ = [
    "About",
    "Access",
    "Annotations",
    "ArchiveLog",
    "Assertion",
    "Choice",
    "Citations",
    "Composed",
    "Consistency",
    "Copies",
    "Copy",
    "Delegated",
    "Documents",
    "Drift",
    "EarlierLog",
    "Erased",
    "Exported",
    "FramedPage",
    "Kept",
    "Lists",
    "LogState",
    "NameSet",
    "PageState",
    "Passage",
    "Proof",
    "Proofs",
    "Quotations",
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
        "permacite.service.quotations.comparing": "Quotations",
        "permacite.service.lists.saving": "Lists",
        "permacite.service.checking": "Drift",
        "permacite.service.preservation": "Copies, Copy",
        "permacite.service.citations.citations": "Citations",
        "permacite.service.assertions.jottings": "Annotations",
        "permacite.archive.model.answered": "Assertion, Restriction, Standing",
        "permacite.service.access": "Access, Choice, Erased, Kept, Withdrawn",
        "permacite.service.assertions.delegating": "Delegated",
        "permacite.service.citations.quoted": "Passage",
        "permacite.service.documents": "VersionNote",
        "permacite.service.proofs.logs": (
            "ArchiveLog, Consistency, EarlierLog, LogState, SealedDay, StampedLog"
        ),
        "permacite.service.proofs.proofs": "Proof, Proofs",
        "permacite.service.quotations.composing": "Composed",
        "permacite.service.reader.pages": "FramedPage, PageState",
        "permacite.service.reader.reading": "Reading",
        "permacite.service.holdings": "About, Documents, Exported, NameSet, Shown",
    },
)
