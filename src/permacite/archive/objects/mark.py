"""Store ownership: marker in the store, matching ID in the catalog."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from permacite.errors import ConflictError

__all__ = ["MARK", "StoreMark", "mark_of", "taken"]

MARK = "archive"
"""The name of the marker in the store."""
_MOST = 200
"""Characters of a line that are shown: anybody may have written it."""


class StoreMark(NamedTuple):
    """The marker, one field on each line."""

    number: str
    """A random ID; the catalog has the same."""
    where: str
    """The location of the records when it was written, for people."""

    def __bytes__(self) -> bytes:
        return f"{self.number}\n{self.where}\n".encode()


class MarkedStore(Protocol):
    """The part of a store that a marker needs."""

    @property
    def name(self) -> str:
        """The name of the store in errors."""

    def published(self, path: str) -> bytes | None:
        """Read the file under a path; None where there is none."""


def mark_of(store: MarkedStore) -> StoreMark | None:
    """Read the marker of a store, if it has one. Raises StorageError."""
    octets = store.published(MARK)
    if octets is None:
        return None
    number, _, rest = octets.decode(errors="replace").partition("\n")
    return StoreMark(number.strip()[:_MOST], rest.partition("\n")[0].strip()[:_MOST])


def taken(store: MarkedStore) -> ConflictError:
    """Return the error for a store that is not empty."""
    mark = mark_of(store)
    whose = "" if mark is None else f": it has the octets of the archive {mark.where}"
    return ConflictError(f"{store.name} is not empty{whose}", store.name)
