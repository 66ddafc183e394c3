"""What was archived from an address, through time: mementos (RFC 7089)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import PermaciteError
from permacite.lazy_dataclass import dataclass
from permacite.service import addresses, names

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from permacite.archive import Repository, Representation, Version

__all__ = ["Memento", "Mementos", "mementos", "nearest"]


@dataclass(frozen=True, slots=True)
class Memento:
    """A version of a page, as it was at a time."""

    pdi: str
    """Its permanent name, which is its address here too."""
    original: str
    """The address that it was saved from."""
    captured_at: datetime
    """When it was fetched; of a file that was imported, when it was committed."""


class Mementos:
    """Pages through time."""

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
