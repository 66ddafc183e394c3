"""Drift of cited passages: on the live page, in other versions, and on watched pages."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from permacite.archive import Repository
    from permacite.service.drift.changes import Changed
    from permacite.service.drift.checking import Checked
    from permacite.service.drift.versions import Through
    from permacite.service.drift.watching import Watches

__all__ = ["Drift"]


class Drift:
    """Compare cited passages with the live page and with other versions; watch pages."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def check(
        self, reference: str, *, allow_private: bool = False, when: datetime | None = None
    ) -> Checked:
        """Compare the live page with the archived one, passage by passage, and record the result.

        A web address means the page saved from there nearest to the time `when`, or last.
        Raises CaptureError, or NotFoundError where it never had an address.
        """
        from permacite.service.drift.checking import check

        return check(self._repository, reference, allow_private=allow_private, when=when)

    def versions(
        self,
        reference: str,
        *,
        limit: int | None = None,
        after: int | None = None,
        longest: int | None = None,
    ) -> Through:
        """Find a passage in the other versions of its document: later ones first.

        All of them, or a page of up to `limit`, which begins behind the version `after`. Texts of
        more than `longest` octets are not compared, which takes a second for each million or so.
        Raises NotFoundError, RestrictedError, ParseError for a name without a fragment.
        """
        from permacite.service.drift.versions import through_versions

        return through_versions(
            self._repository, reference, limit=limit, after=after, longest=longest
        )

    def changes(
        self, reference: str, *, other: int | None = None, longest: int | None = None
    ) -> Changed:
        """List the changes between a version and the one with the number `other`.

        Without it, the version before; of the first one, the next. Raises NotFoundError where
        there is no other, RestrictedError, ParseError for a part of a document, LimitError where a
        text has more than `longest` octets.
        """
        from permacite.service.drift.changes import changes

        return changes(self._repository, reference, other=other, longest=longest)

    @cached_property
    def watches(self) -> Watches:
        """Pages that are fetched again at intervals."""
        from permacite.service.drift.watching import Watches

        return Watches(self._repository)
