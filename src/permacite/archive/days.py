"""Sealed days: an archive says once and for all which names it minted on a day that has passed.

PDI draft §2.1 and §2.3 date every name, and nothing is minted with a date that has passed. So the
list of a day's names is whole when the day has ended (00:00 UTC), and a name that is not in it does
not exist and never will. Versions and formats may still be added to documents of a sealed day.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive import names
from permacite.errors import IntegrityError, NotFoundError

if TYPE_CHECKING:
    from datetime import date

    from permacite.archive.catalog import Catalog, Leaf
    from permacite.pdi import PDI

__all__ = ["Days"]


class Days:
    """The days of one archive."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def seal(self, series: str, day: date) -> Leaf:
        """Seal a day of a series, or return the entry of the log that did.

        Raises ConflictError for a day that has not ended in UTC, NotFoundError where the series
        does not mint here, ParseError.
        """
        return self._catalog.seal(names.checked_series(series), day.isoformat())

    def is_sealed(self, series: str, day: date) -> bool:
        """Say whether a day of a series is sealed."""
        return self._catalog.seal_of(names.checked_series(series), day.isoformat()) is not None

    def seal_all(self) -> list[Leaf]:
        """Seal all days that have documents and have ended, and return the new entries."""
        return self._catalog.seal_all()

    def seal_and_names(self, pdi: PDI) -> tuple[Leaf, list[str]]:
        """Return the entry that seals the day in a name, and the day's unique ids.

        Raises NotFoundError where the day is not sealed.
        """
        series, date = ".".join(pdi.series), f"{pdi.year}-{pdi.month}-{pdi.day}"
        leaf = self._catalog.seal_of(series, date)
        if leaf is None:
            raise NotFoundError(f"{date} is not sealed in {series}", str(pdi))
        if self._catalog.rebuilt(leaf) != leaf.content:
            raise IntegrityError(
                f"{date} is sealed in {series}, and other documents are there now",
                expected=leaf.content.decode("utf-8", "replace"),
                actual="other names",
            )
        return leaf, self._catalog.unique_ids(series, date)
