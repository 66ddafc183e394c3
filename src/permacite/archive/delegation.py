"""Who mints in a series, and which resolver answers for it, in which interval of dates.

PDI draft:
  §2.2 subseries are delegated by adding a component on the left -> `winning`, `minters`
  §2.3 intervals may have other policies and resolvers           -> `Delegation.first`, `.last`
  §3.8.1 finding a resolver                                      -> `resolver_of`, `follow`

Deviations: none.
Readings: a delegation covers its series and all below it, and the dates in names, not the date of
asking. The longest series wins, then the shortest interval, then the latest record; nothing is
ever taken back, only delegated anew. An archive is one of the minters where a target is a series
that mints in it; where others are named alone, it mints nothing. A chain of resolvers has three
hops at most and no loop.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from permacite.archive import names
from permacite.errors import ConflictError, LimitError, ParseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from permacite.archive.catalog import Catalog
    from permacite.pdi import PDI

__all__ = ["Delegation", "Delegations", "Kind", "follow", "lineage", "minters", "winning"]

Kind: TypeAlias = Literal["resolver", "minter"]

MAX_HOPS = 3


@dataclass(frozen=True, slots=True)
class Delegation:
    """One record: `target` answers for, or mints in, `series` from `first` to `last` inclusive."""

    kind: Kind
    series: str
    first: date
    last: date
    target: str
    """A resolver's base URI, or the name of someone who mints, as the caller knows them."""
    recorded_at: datetime
    binds: bool = field(default=True, metadata={"json": False})
    """Whether minting heeds it: whoever recorded one before schema 4 could rely on no effect."""

    def covers(self, series: str, day: date) -> bool:
        """Say whether a name of `series` with this date falls under the delegation."""
        below = series == self.series or series.endswith(f".{self.series}")
        return below and self.first <= day <= self.last


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
        return self._catalog.record_delegation(kind, name, target, first=first, last=last)

    def delegations(self, kind: Kind, series: str | None = None) -> list[Delegation]:
        """Return the delegations of a series and those above it, oldest first; all where None."""
        if series is None:
            return self._catalog.delegations(kind, None)
        return self._catalog.delegations(kind, lineage(names.checked_series(series)))

    def resolver_of(self, pdi: PDI) -> Delegation | None:
        """Return the delegation that says which resolver answers for a name; None: this one."""
        series = ".".join(pdi.series)
        found = self._catalog.delegations("resolver", lineage(series))
        best = winning(found, series, _day(pdi))
        return best[-1] if best else None

    def may_mint(self, who: str, series: str, day: date) -> bool:
        """Say whether `who` may mint in `series` on a day.

        Where minting is delegated, those with the longest series and the shortest interval may;
        where it is not, anyone may whom the archive lets in.
        """
        name = names.checked_series(series)
        best = minters(self._catalog.delegations("minter", lineage(name)), name, day)
        return not best or who.lower() in {one.lower() for one in best}


def follow(pdi: PDI, start: str, ask: Callable[[str, PDI], str | None]) -> list[str]:
    """Return the resolvers that lead to the one that answers for `pdi`, `start` first.

    `ask(resolver, pdi)` says to whom a resolver sends us on, or None where it answers itself.
    Raises ConflictError for a loop, LimitError after three hops.
    """
    way = [start]
    while (onward := ask(way[-1], pdi)) is not None and onward != way[-1]:
        if onward in way:
            raise ConflictError(f"the delegation runs in a circle: {' -> '.join(way)}", onward)
        if len(way) > MAX_HOPS:
            raise LimitError("too many delegations", limit="delegation_hops", maximum=MAX_HOPS)
        way.append(onward)
    return way


def winning(found: Iterable[Delegation], series: str, day: date) -> list[Delegation]:
    """Return those of the delegations that count for a series on a day, the latest last."""
    covering = [one for one in found if one.covers(series, day)]
    if not covering:
        return []
    best = min(_rank(one) for one in covering)
    return [one for one in covering if _rank(one) == best]


def minters(found: Iterable[Delegation], series: str, day: date) -> set[str]:
    """Return who mints in a series on a day; empty where nobody was named."""
    return {one.target for one in winning((one for one in found if one.binds), series, day)}


def lineage(series: str) -> list[str]:
    """Return a series and all above it, the longest first."""
    parts = series.split(".")
    return [".".join(parts[start:]) for start in range(len(parts) - 1)]


def _rank(delegation: Delegation) -> tuple[int, int]:
    """Return what to compare: less is better."""
    return -delegation.series.count("."), (delegation.last - delegation.first).days


def _day(pdi: PDI) -> date:
    """Return the date in a name."""
    return date(int(pdi.year), int(pdi.month), int(pdi.day))
