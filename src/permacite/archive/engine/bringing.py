"""Octets come into a store elsewhere from another archive, several at the same time.

Large ones are put by whoever fetched them, so that no more are in memory than there are hands.
Small ones are given back: the catalog keeps them in the transaction that names them, as it does
those of a commit, and they are packed after it. So nothing that is staged or packed is nobody's,
and who is killed has lost what no row names yet, and fetches it again.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from permacite.archive.engine import packs
from permacite.archive.engine.write_behind import MOST_BYTES
from permacite.archive.objects.files import FileObjects
from permacite.archive.records import octets
from permacite.errors import IntegrityError, NotFoundError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.engine.write_behind import ArchiveObjects
    from permacite.archive.objects.files import Opens
    from permacite.archive.objects.store import ObjectStore

__all__ = ["Bringing", "BroughtOctets", "Intake"]

_HANDS = 8


@dataclass(frozen=True, slots=True)
class BroughtOctets:
    """What became of octets that were to be taken over."""

    came: int
    """How many came."""
    lost: list[str]
    """The digests of those that were not to be had."""
    staged: Sequence[tuple[str, bytes]] = ()
    """Digests and octets that the catalog is to keep, in the transaction that names them."""
    digests: Sequence[str] = ()
    """All that were asked for."""
    erasing_round: int = 0
    """As the catalog told it before: those that were here may be gone, see `octets.check_since`."""


class Bringing:
    """What takes octets over into a store elsewhere."""

    def __init__(
        self,
        read: Callable[[str], bytes],
        objects: ObjectStore,
        catalog: Catalog,
        *,
        compares: bool,
        stages: bool = True,
    ) -> None:
        """Take what reads octets there, right ones, and raises NotFoundError or IntegrityError.

        `compares`: octets that are objects here are fetched too, and compared with them. `stages`:
        small ones are given back to be staged.
        """
        self._read = read
        self._objects = objects
        self._catalog = catalog
        self._compares = compares
        self._stages = stages

    def bring(self, digests: Sequence[str]) -> BroughtOctets:
        """Take octets over by their digests. Raises StorageError, and what reading raises."""
        if len(digests) <= 1:  # a pool of threads is refused while Python ends
            every = [self._bring_one(digest) for digest in digests]
        else:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(min(_HANDS, len(digests))) as hands:
                every = list(hands.map(self._bring_one, digests))
        return BroughtOctets(
            sum(one.came for one in every),
            [digest for one in every for digest in one.lost],
            [content for one in every for content in one.staged],
        )

    def _bring_one(self, digest: str) -> BroughtOctets:
        """The same of one."""
        place = self._catalog.read(packs.found, digest)
        if isinstance(place, bytes):  # it may be erased before the rows come that name it again
            return BroughtOctets(0, [], [(digest, place)])
        if place is not None or (not self._compares and self._objects.has(digest)):
            return BroughtOctets(0, [])
        try:
            content = self._read(digest)
        except (NotFoundError, IntegrityError):
            return BroughtOctets(0, [digest])
        if self._stages and len(content) <= packs.SMALL_BYTES:
            return BroughtOctets(1, [], [(digest, content)])
        self._objects.put_all([(digest, content)])
        return BroughtOctets(1, [])


class Intake:
    """Takes contents of other archives over into one."""

    def __init__(self, objects: ArchiveObjects, catalog: Catalog) -> None:
        """Take both that are open."""
        self._objects = objects
        self._store = objects.store
        self._catalog = catalog

    @contextlib.contextmanager
    def bringing(self, source: Opens, digests: Sequence[str]) -> Iterator[BroughtOctets]:
        """Take octets over by their digests; small ones are lent until rows name them, or not.

        They are packed in whole packs from then on, and what is left when this is closed. Raises
        StorageError.
        """
        erasing_round = self._catalog.read(octets.erasing_round)
        brought = self._brought(source, digests)
        try:
            yield replace(brought, digests=digests, erasing_round=erasing_round)
        finally:
            self._objects.write_behind.count(brought.staged)

    def _brought(self, source: Opens, digests: Sequence[str]) -> BroughtOctets:
        """What becomes of octets that are taken over. Raises StorageError."""
        if isinstance(self._store, FileObjects):
            return BroughtOctets(*self._store.adopt(source, digests, link=None, flush_all=True))
        return Bringing(
            partial(_whole, source),
            self._store,
            self._catalog,
            compares=False,
            stages=self._has_room(),
        ).bring(digests)

    def _has_room(self) -> bool:
        """Whether more may be staged for rows that come, once what fills packs is packed."""
        while self._catalog.read(packs.is_full) and self._objects.write_behind.flush_some():
            pass
        return self._catalog.read(octets.staged_bytes) < MOST_BYTES

    def mend(self, source: Opens, digests: Iterable[str]) -> tuple[int, list[str]]:
        """Take octets over where those here are missing or altered; how many, and which are lost.

        Raises StorageError.
        """
        if isinstance(self._store, FileObjects):
            return self._store.adopt(source, digests, link=None, flush_all=True, check=True)
        came, lost = 0, list[str]()
        for digest in digests:
            try:
                if not self._is_right(digest):
                    self._store.put(_whole(source, digest))
                    if self._catalog.read(octets.is_packed, digest):
                        self._catalog.write(packs.take_out, digest)
                    came += 1
            except (NotFoundError, IntegrityError):
                lost.append(digest)
        return came, lost

    def _is_right(self, digest: str) -> bool:
        """Whether octets are kept, and are those of their digest."""
        try:
            self._objects.check(digest)
        except (NotFoundError, IntegrityError):
            return False
        return True


def _whole(source: Opens, digest: str) -> bytes:
    """All octets with a digest. Raises NotFoundError, IntegrityError, and what `source` does."""
    with source.open(digest) as found:
        return found.whole()
