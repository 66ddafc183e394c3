"""Citations of an archive: find passages by their words, and what else is done with citations."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from permacite.fragments import quote as quotes
from permacite.service import addresses, names
from permacite.service.citations import citing
from permacite.service.citations.quoted import passage

if TYPE_CHECKING:
    from datetime import datetime

    from permacite.archive.repository import Repository
    from permacite.service.citations.describing import References
    from permacite.service.citations.quoted import Passage
    from permacite.service.citations.selecting.programs import SelectionExport
    from permacite.service.citations.selecting.selections import Selections

__all__ = ["Citations"]

_MOST_CHOICES = 100


class Citations:
    """Find the passages that words name; select, describe and annotate them."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def passages(
        self, reference: str, quote: str, *, when: datetime | None = None
    ) -> list[Passage]:
        """Where `quote` stands in the text of `reference`, in order; empty if nowhere."""
        reference = addresses.reference_of(self._repository, reference, when)
        source = citing.quoted_text(self._repository, names.document_of(reference)[0], quote)
        spans = sorted(quotes.occurrences(source.document.text, quote))
        return [passage(source, start, end) for start, end in spans]

    def choices(self, reference: str, quote: str) -> tuple[int, list[Passage]]:
        """How often `quote` stands in a text, and the first places; else what is most like it."""
        source = citing.quoted_text(self._repository, names.document_of(reference)[0], quote)
        text = source.document.text
        spans = sorted(quotes.occurrences(text, quote)) if quote.strip() else []
        count = len(spans)
        if quote.strip() and not spans:
            spans = [(near.start, near.end) for near in quotes.nearest(text, quote)]
        return count, [passage(source, start, end) for start, end in spans[:_MOST_CHOICES]]

    @cached_property
    def selections(self) -> Selections:
        """Passages that other programs selected."""
        from permacite.service.citations.selecting.selections import Selections

        return Selections(self._repository)

    @cached_property
    def selection_export(self) -> SelectionExport:
        """Passages as other programs keep them."""
        from permacite.service.citations.selecting.programs import SelectionExport

        return SelectionExport(self._repository)

    @cached_property
    def references(self) -> References:
        """References to documents: their metadata, printed in a style."""
        from permacite.service.citations.describing import References

        return References(self._repository)
