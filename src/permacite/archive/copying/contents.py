"""The octets of a copy: read from one store, held to their digests, and put into the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.engine.bringing import Bringing
from permacite.archive.objects import FileObjects

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permacite.archive.engine import Catalog, WriteBehind
    from permacite.archive.objects import ObjectStore

__all__ = ["Contents"]


class Contents:
    """What brings octets into the store of a copy."""

    def __init__(self, source: WriteBehind, target: ObjectStore, catalog: Catalog) -> None:
        """Take the octets of the archive, and the store and the catalog of the copy."""
        self._source = source
        self._target = target
        self._bringing = Bringing(source.get, target, catalog, compares=True)
        self.came = 0
        """How many contents came."""
        self.lost: list[str] = []
        """The digests of those that the archive has altered, or not at all."""

    def bring(self, digests: Iterable[str], *, check: bool = False) -> list[tuple[str, bytes]]:
        """Put octets where they are to be; those that the catalog is to keep first are returned.

        `check` recomputes the digests of files that are there.

        Small octets for a store elsewhere are staged with the rows that name them, and packed after
        that: see `engine.bringing`. Raises StorageError.
        """
        if isinstance(self._target, FileObjects):
            came, lost = self._target.adopt(
                self._source, digests, link=None, flush_all=True, check=check
            )
            self.came += came
            self.lost += lost
            return []
        brought = self._bringing.bring(list(dict.fromkeys(digests)))
        self.came += brought.came
        self.lost += brought.lost
        return list(brought.staged)
