"""Captures of addresses: by time (RFC 7089), by site, and by day."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from permacite.archive.gate import of_all
from permacite.errors import ParseError, PermaciteError
from permacite.lazy_dataclass import dataclass
from permacite.service import addresses, names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date, datetime

    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.repository import Repository


__all__ = [
    "Calendar",
    "Captures",
    "Day",
    "LastSaved",
    "Memento",
    "SavedFrom",
    "SavedSites",
    "Year",
    "mementos",
    "nearest",
]

_MOST = 1000


@dataclass(frozen=True, slots=True)
class SavedSites:
    """A page of the sites that something was saved from, by name."""

    sites: tuple[str, ...]
    next: str | None
    """The site to go on behind; None on the last page."""


@dataclass(frozen=True, slots=True)
class LastSaved:
    """An address that a page was saved from."""

    uri: str
    pdi: str
    """The last version from there that is given out."""
    title: str | None
    saved_at: datetime


@dataclass(frozen=True, slots=True)
class SavedFrom:
    """A page of the addresses of a site, in their order."""

    site: str
    addresses: tuple[LastSaved, ...]
    next: str | None
    """The address to go on behind; None on the last page."""


@dataclass(frozen=True, slots=True)
class Year:
    """How many versions were saved in a year."""

    year: int
    count: int


@dataclass(frozen=True, slots=True)
class Day:
    """What was saved from an address on a day (UTC), the earliest first."""

    day: date
    versions: tuple[Memento, ...]


@dataclass(frozen=True, slots=True)
class Calendar:
    """The versions of an address, through time."""

    address: str
    """As asked."""
    normal: str
    """Its normal form, by which versions are found whatever they were saved as."""
    total: int
    years: tuple[Year, ...]
    """The years with versions, the earliest first."""
    year: int | None
    """The one whose days are told; None where there is no version at all."""
    days: tuple[Day, ...]


class Captures:
    """Captures of addresses: by time (RFC 7089), by site, and by day."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def mementos(self, address: str) -> list[Memento]:
        """The versions saved from an address that are given out, the oldest first.

        Raises ParseError for what is no address.
        """
        return mementos(self._repository, address)

    def memento(self, reference: str) -> Memento | None:
        """The memento that a name means; None where it is of no page of the web, or of no version.

        What is not given out is none.
        """
        try:
            name, fragment = names.document_of(reference)
            if fragment is not None or name.version is None:
                return None
            version = self._repository.lookup.version(name)
            main = self._repository.lookup.main(version)
            self._repository.contents.check_access(main)
        except PermaciteError:
            return None
        if name.format not in {None, main.format} or version.provenance.uri is None:
            return None
        return _memento(version, main)

    def sites(self, *, after: str = "", limit: int = 100) -> SavedSites:
        """Up to `limit` sites behind `after`: hosts, with their ports where addresses have them.

        A site of which nothing is given out is none.
        """
        repository, most = self._repository, _within(limit)
        found = repository.origins.by_site(after=after.lower(), limit=most + 1)
        shown = tuple(
            site
            for site, _, main in found[:most]
            if main is not None or any(_pages(repository, site))
        )
        return SavedSites(shown, found[most - 1][0] if len(found) > most else None)

    def site(self, site: str, *, after: str = "", limit: int = 100) -> SavedFrom:
        """Up to `limit` addresses of a site behind `after`, each with its last version.

        An address of which nothing is given out is left out.
        """
        repository, most = self._repository, _within(limit)
        site = site.strip().lower()
        found = repository.origins.by_site(site, after=after, limit=most + 1)
        shown = (_page(repository, *each) for each in found[:most])
        following = found[most - 1][0] if len(found) > most else None
        return SavedFrom(site, tuple(page for page in shown if page is not None), following)

    def calendar(self, address: str, *, year: int | None = None) -> Calendar:
        """The days of a year on which an address was saved; of the last year that has any.

        Raises ParseError for what is no address.
        """
        usual = addresses.normal(address)
        if ":" not in usual:
            raise ParseError("expected an address, such as https://example.org/", address, 0)
        found = mementos(self._repository, address)
        years = tuple(
            Year(number, sum(1 for _ in same))
            for number, same in groupby(found, lambda each: each.captured_at.year)
        )
        shown = year if year is not None or not years else years[-1].year
        of_year = (each for each in found if each.captured_at.year == shown)
        days = groupby(of_year, lambda each: each.captured_at.date())
        told = tuple(Day(day, tuple(same)) for day, same in days)
        return Calendar(address.strip(), usual, len(found), years, shown, told)


def _within(limit: int) -> int:
    if not 1 <= limit <= _MOST:
        raise ParseError(f"expected a number from 1 to {_MOST}", str(limit), 0)
    return limit


def _pages(repository: Repository, site: str) -> Iterator[LastSaved]:
    """All addresses of a site of which anything is given out."""
    after: str | None = ""
    while after is not None:
        found = repository.origins.by_site(site, after=after, limit=_MOST)
        shown = (_page(repository, *each) for each in found)
        yield from (page for page in shown if page is not None)
        after = found[-1][0] if len(found) == _MOST else None


def _page(
    repository: Repository, uri: str, version: Version, main: Representation | None
) -> LastSaved | None:
    """An address with its last version, or the last one before it that is given out."""
    if main is None:
        every = [each for each in repository.origins.find_by_uri(uri) if each.provenance.uri == uri]
        restricted = repository.lookup.restrictions(
            item for each in every for item in each.representations
        )
        before = next((each for each in every if of_all(each, restricted) is None), None)
        if before is None:
            return None
        version, main = before, repository.lookup.main(before, restricted)
    return LastSaved(uri, str(main.pdi), version.title, addresses.captured_at(version))


@dataclass(frozen=True, slots=True)
class Memento:
    """A version of a page, as it was at a time."""

    pdi: str
    """Its permanent name, which is its address here too."""
    original: str
    """The address that it was saved from."""
    captured_at: datetime
    """When it was fetched; of a file that was imported, when it was committed."""


def mementos(repository: Repository, address: str) -> list[Memento]:
    """The versions saved from an address that are given out, the oldest first.

    Raises ParseError for what is no address.
    """
    addresses.normal(address)
    found = reversed(addresses.given_out(repository, address))
    known = (_memento(version, main) for version, main in found)
    return [memento for memento in known if memento is not None]


def nearest(found: Sequence[Memento], when: datetime | None) -> Memento:
    """The memento nearest to a time, of two the earlier; without a time the last."""
    if when is None:
        return found[-1]
    return min(found, key=lambda each: (abs(each.captured_at - when), each.captured_at))


def _memento(version: Version, main: Representation) -> Memento | None:
    """A version as a memento; None where no more than its text is given out."""
    if main.derived_from is not None:
        return None
    address = version.provenance.uri or version.provenance.final_uri or ""
    return Memento(str(main.pdi), address, addresses.captured_at(version))
