"""The octets of a copy: read from one store, held to their digests, and put into the other."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from permacite.archive.engine import SMALL_BYTES, packs
from permacite.archive.objects import FileObjects
from permacite.errors import IntegrityError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from permacite.archive.engine import Catalog, WriteBehind
    from permacite.archive.objects import ObjectStore

__all__ = ["Contents"]

_AT_ONCE = 64
_HANDS = 8
"""How many contents are read at the same time from a store elsewhere."""


class Contents:
    """What brings octets into the store of a copy."""

    def __init__(self, source: WriteBehind, target: ObjectStore, catalog: Catalog) -> None:
        """Take the octets of the archive, and the store and the catalog of the copy."""
        self._source = source
        self._target = target
        self._catalog = catalog
        self.came = 0
        """How many contents came."""
        self.lost: list[str] = []
        """The digests of those that the archive has altered, or not at all."""

    def bring(self, digests: Iterable[str], *, check: bool = False) -> list[tuple[str, bytes]]:
        """Put octets where they are to be; those that the catalog is to keep first are returned.

        `check` recomputes the digests of files that are there.

        Small octets for a store elsewhere are staged with the rows that name them, and packed after
        that: see `engine.write_behind`. Raises StorageError.
        """
        if isinstance(self._target, FileObjects):
            came, lost = self._target.adopt(
                self._source, digests, link=None, flush_all=True, check=check
            )
            self.came += came
            self.lost += lost
            return []
        staged: list[tuple[str, bytes]] = []
        left = iter(digests)
        while batch := list(islice(left, _AT_ONCE)):
            wanted = [digest for digest in batch if not self._has(digest)]
            contents = self._read(wanted)
            self.lost += [digest for digest in wanted if digest not in contents]
            self.came += len(contents)
            large = [each for each in contents.items() if len(each[1]) > SMALL_BYTES]
            self._target.put_all(large)
            staged += [each for each in contents.items() if len(each[1]) <= SMALL_BYTES]
        return staged

    def _has(self, digest: str) -> bool:
        """Whether the copy has octets: large ones are compared when they are put again."""
        return self._catalog.read(packs.found, digest) is not None

    def _read(self, digests: Sequence[str]) -> dict[str, bytes]:
        """Octets of the archive, by digest, without those that are altered or missing."""
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - for stores elsewhere

        with ThreadPoolExecutor(_HANDS if self._source.is_far else 1) as hands:
            contents = hands.map(self._content, digests)
            return {
                digest: content
                for digest, content in zip(digests, contents, strict=True)
                if content is not None
            }

    def _content(self, digest: str) -> bytes | None:
        try:
            return self._source.get(digest)
        except (NotFoundError, IntegrityError):
            return None
