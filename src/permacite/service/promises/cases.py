"""The promises of an archive, each one method: `Service` has them beside its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.service.promises import proofs
from permacite.service.promises.quotations import comparing, composing

if TYPE_CHECKING:
    from permacite.archive import Archive
    from permacite.service.model import Quotation
    from permacite.service.promises.model import Composed, LogState, Proof

__all__ = ["Promises"]


class Promises:
    """What an open archive can be asked beyond its documents."""

    _archive: Archive

    def prove(self, reference: str) -> Proof:
        """Return a bundle that proves, offline, that this archive holds what `reference` names."""
        return proofs.prove(self._archive, reference)

    def log(self, *, since: int | None = None) -> LogState:
        """Return the log, signed; with the proof that it grew from `since` entries."""
        return proofs.log_state(self._archive, since=since)

    def held_to(self, checkpoint: str) -> LogState:
        """Return the log, once it is found to extend a checkpoint that someone kept."""
        return proofs.held_to(self._archive, checkpoint)

    def quotes(self, reference: str) -> list[Quotation]:
        """Return what a document quotes, each quotation compared with its source."""
        return comparing.quotes(self._archive, reference)

    def quoters(self, reference: str) -> list[Quotation]:
        """Return who quotes what `reference` names, or anything that overlaps it."""
        return comparing.quoters(self._archive, reference)

    def compose(self, template: str, *, suffix: str) -> Composed:
        """Return `template` with its quotations filled in from their names."""
        return composing.compose(self._archive, template, suffix=suffix)
