"""The mark of a store of octets: a small file that says whose octets these are."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from permacite.errors import ConflictError

__all__ = ["MARK", "StoreMark", "mark_of", "taken"]

MARK = "archive"
"""Its name there, beside the octets."""
_MOST = 200
"""How much of a line is told: anybody may have written it."""


class StoreMark(NamedTuple):
    """What it says, a line each."""

    number: str
    """By chance; the catalog has the same."""
    where: str
    """Where the records were when it was written, for people."""

    def __bytes__(self) -> bytes:
        return f"{self.number}\n{self.where}\n".encode()


class MarkedStore(Protocol):
    """A store, as far as it has a mark."""

    @property
    def name(self) -> str:
        """What errors call it."""

    def published(self, path: str) -> bytes | None:
        """What is kept under a name of its own; None where nothing is."""


def mark_of(store: MarkedStore) -> StoreMark | None:
    """The mark of a store; None where there is none. Raises StorageError."""
    octets = store.published(MARK)
    if octets is None:
        return None
    number, _, rest = octets.decode(errors="replace").partition("\n")
    return StoreMark(number.strip()[:_MOST], rest.partition("\n")[0].strip()[:_MOST])


def taken(store: MarkedStore) -> ConflictError:
    """The error of a store that is not empty."""
    mark = mark_of(store)
    whose = "" if mark is None else f": it has the octets of the archive {mark.where}"
    return ConflictError(f"{store.name} is not empty{whose}", store.name)
