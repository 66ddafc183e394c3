"""Delegation of a series: its minters and its resolver, by interval of dates.

PDI draft:
  §2.2 subseries are delegated by a component on the left -> `winning`, `minters` of the records
  §2.3 intervals may have other policies and resolvers           -> `Delegation.first`, `.last`
  §3.8.1 finding a resolver                                      -> `resolver_of`, `follow`

Deviations: none.
Readings: a delegation covers its series and all below it, and the dates in names, not the date of
asking. The longest series wins, then the shortest interval, then the latest record; nothing is
ever taken back, only delegated anew. A target may be several resolvers, the best first: the others
hold copies, and are asked where it does not answer. An archive is one of the minters where a target
is a series that mints in it; where others are named alone, it mints nothing. A chain of resolvers
has three hops at most and no loop.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from permacite.archive import names
from permacite.archive.records import statements
from permacite.archive.records.statements import lineage, winning
from permacite.errors import CaptureError, ConflictError, LimitError, ParseError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.model.answered import Delegation, Kind
    from permacite.pdi import PDI

__all__ = ["Delegations", "follow"]

MAX_HOPS = 3


class Delegations:
    """The delegations of one archive."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def delegate(
        self, kind: Kind, series: str, target: str, *, first: date = date.min, last: date = date.max
    ) -> Delegation:
        """Record a delegation. Raises ParseError for a bad series or an interval run backwards."""
        name = names.checked_series(series)
        if not target:
            raise ParseError("expected who the series is delegated to", target, 0, "PDI §2.2")
        if last < first:
            interval = f"{first}/{last}"
            raise ParseError("the interval ends before it begins", interval, 11, "PDI §2.3")
        return self._catalog.write(
            statements.record_delegation, kind, name, target, first=first, last=last
        )

    def delegations(self, kind: Kind, series: str | None = None) -> list[Delegation]:
        """Return the delegations of a series and those above it, oldest first; all where None."""
        above = None if series is None else lineage(names.checked_series(series))
        return self._catalog.read(statements.delegations, kind, above)

    def resolver_of(self, pdi: PDI) -> Delegation | None:
        """Return the delegation that says which resolver answers for a name; None: this one."""
        series = ".".join(pdi.series)
        known = self._catalog.read(statements.delegations, "resolver", lineage(series))
        best = winning(known, series, _day(pdi))
        return best[-1] if best else None


def follow(pdi: PDI, start: Sequence[str], ask: Callable[[str, PDI], Sequence[str]]) -> list[str]:
    """Return the resolvers that lead to the one that answers for `pdi`, one of `start` first.

    `ask(resolver, pdi)` says to whom a resolver sends us on, the best first; () or itself where it
    answers. It raises CaptureError where there is no answer, and the next best is asked. Raises
    that of the last where none is left, ConflictError for a loop, LimitError after three hops.
    """
    way: list[str] = []
    onward = start
    while onward and onward[0] not in way[-1:]:
        onward = _ask_best(pdi, onward, ask, way)
    return way


def _ask_best(
    pdi: PDI,
    resolvers: Sequence[str],
    ask: Callable[[str, PDI], Sequence[str]],
    way: list[str],
) -> Sequence[str]:
    """Go to the first of the resolvers that answers, and return what it says."""
    for resolver in resolvers:
        if resolver in way:
            circle = " -> ".join([*way, resolver])
            raise ConflictError(f"the delegation runs in a circle: {circle}", resolver)
        if len(way) > MAX_HOPS:
            raise LimitError("too many delegations", limit="delegation_hops", maximum=MAX_HOPS)
        try:
            onward = ask(resolver, pdi)
        except CaptureError:
            if resolver == resolvers[-1]:
                raise
            continue
        way.append(resolver)
        return onward
    return ()


def _day(pdi: PDI) -> date:
    """Return the date in a name."""
    return date(int(pdi.year), int(pdi.month), int(pdi.day))
