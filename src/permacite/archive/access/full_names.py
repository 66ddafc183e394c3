"""Full names that were asked for of late, where each question is a round trip.

What a full name stands for never changes, so what was found once is found for good. Whether it is
still given out is asked each time, in one small question: what somebody else closes, withdraws or
erases is closed, withdrawn or erased for the next who asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.archive.records.access import standing_alone
from permacite.archive.statements import EFFECTS, subjects_of
from permacite.cache import Cache

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.archive.engine import Catalog
    from permacite.archive.model import Representation
    from permacite.archive.records.session import Session
    from permacite.pdi import PDI

__all__ = ["FullNames"]

_OCTETS = 16 << 20
_EACH = 2 << 10
"""About what one takes."""


class _Known(NamedTuple):
    """What a full name stands for, and the question whether nothing stands before it."""

    representation: Representation
    is_open: tuple[str, Sequence[str]]


class FullNames:
    """The formats that names of late stand for. Any number of threads may use it."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._known = Cache[_Known](_OCTETS, lambda _: _EACH)

    def find(self, pdi: PDI) -> Representation | None:
        """The format that a full name stands for, where it is known and open to all."""
        known = self._known.get(str(pdi))
        if known is None or not self._catalog.read(_has_row, *known.is_open):
            return None
        return known.representation

    def keep(self, pdi: PDI, representation: Representation) -> None:
        """Keep what a name stands for, if that is a full name."""
        if representation.pdi == pdi:
            is_open = standing_alone(pdi, subjects_of([representation]), EFFECTS)
            self._known.put(_Known(representation, is_open), str(pdi))


def _has_row(session: Session, statement: str, texts: Sequence[str]) -> bool:
    return session.has_row(statement, texts)
