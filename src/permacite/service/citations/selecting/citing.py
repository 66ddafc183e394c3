"""Passages that other programs select, cited; and cited ones, as other programs keep them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from permacite.errors import ParseError
from permacite.service import addresses, names
from permacite.service.citations.citing import cite
from permacite.service.citations.selecting import selectors, telling
from permacite.service.citations.selecting.finding import find
from permacite.service.citations.typed import CiteTarget

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from permacite.archive import Repository
    from permacite.service.citations.recorded import Cited

__all__ = ["PROGRAMS", "Selections"]

PROGRAMS: dict[str, Callable[[Repository, str], str]] = {
    "hypothesis": telling.hypothesis,
    "zotero": telling.zotero,
}
"""Programs that are told of passages, by their names."""


class Selections:
    """Passages that others selected."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def cite(
        self,
        reference: str,
        selector: str,
        *,
        note: str | None = None,
        when: datetime | None = None,
    ) -> Cited:
        """Cite what a selector selects in a document, and record it; `found_by` tells how.

        `selector` is JSON: a Web Annotation, a selector or several that select the same, an
        annotation of Hypothesis, an annotation or a position of Zotero. Raises ParseError for what
        is not read, NotFoundError where nothing or more than one passage is selected.
        """
        repository = self._repository
        targets = selectors.read(selector)
        named = addresses.reference_of(repository, reference, when)
        found = find(repository, names.document_of(named)[0], targets)
        cited = cite(repository, found.reference, CiteTarget(), note=note)
        return dataclasses.replace(
            cited, found_by=found.by, nth=found.nth, occurrences=found.occurrences
        )

    def export(self, program: str, reference: str) -> str:
        """A passage as "hypothesis" or "zotero" keeps it: JSON for its interface.

        Raises ParseError for another program, NotFoundError for what it cannot keep.
        """
        if program not in PROGRAMS:
            raise ParseError(f"expected {' or '.join(PROGRAMS)}", program, 0)
        return PROGRAMS[program](self._repository, reference)
