"""Search of statements about names, as an audience may see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.model import Page
from permacite.archive.records import statements

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from permacite.archive.gate import Gate
    from permacite.archive.model import Assertion, Representation
    from permacite.archive.parts import ArchiveParts
    from permacite.archive.statements import Statements

__all__ = ["StatementSearch"]


class StatementSearch:
    """Finds the statements of one archive."""

    def __init__(self, parts: ArchiveParts, gate: Gate, recorded: Statements) -> None:
        self._catalog = parts.catalog
        self._gate = gate
        self._statements = recorded

    def page(
        self, ranges: Sequence[tuple[str, str]], predicate: str | None, *, after: int, limit: int
    ) -> Page[Assertion]:
        """Return a page of the statements about subjects in half-open ranges, oldest first."""
        said, last = self._catalog.read(
            statements.assertions_within, ranges, predicate, after=after, limit=limit
        )
        following = None if last is None else str(last)
        return Page(tuple(self._gate.assertions(said)), following)

    def about(self, subjects: Sequence[str], predicates: Sequence[str]) -> Sequence[Assertion]:
        """Return the statements about any of `subjects` with any of `predicates`, oldest first."""
        return self._gate.assertions(
            self._catalog.read(statements.assertions, subjects, predicates)
        )

    def about_objects(
        self, objects: Sequence[str], predicates: Sequence[str]
    ) -> Sequence[Assertion]:
        """Return those that have any of `objects` likewise; all statements are searched."""
        return self._gate.assertions(
            self._catalog.read(statements.assertions, None, predicates, objects)
        )

    def remarks(self, representations: Iterable[Representation]) -> Sequence[str]:
        """Notes of the operator on withdrawals; none for the public."""
        return [] if self._gate.public else self._statements.remarks(representations)
