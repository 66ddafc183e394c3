"""Intake of contents from other archives, several at the same time.

Each thread stores the large contents that it fetched, so that no more are in memory than there are
threads. Small ones for a remote store are returned: the catalog stages them in the transaction that
names them, as in a commit, and they are packed afterwards. So each staged or packed content has a
name, and a killed process loses only contents without one, which the next run fetches again.
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

__all__ = ["ContentTransfer", "Intake", "ReceivedContents"]

_THREADS = 8


@dataclass(frozen=True, slots=True)
class ReceivedContents:
    """The outcome of a transfer of contents."""

    came: int
    """How many contents are new."""
    lost: list[str]
    """The digests of missing or altered contents."""
    staged: Sequence[tuple[str, bytes]] = ()
    """Digests and bytes that the catalog is to stage, in the transaction that names them."""
    digests: Sequence[str] = ()
    """All that were requested."""
    erasing_round: int = 0
    """As it was before: known contents may have been erased since, see `octets.check_since`."""


class ContentTransfer:
    """Transfers contents into a remote store."""

    def __init__(
        self,
        read: Callable[[str], bytes],
        objects: ObjectStore,
        catalog: Catalog,
        *,
        compares: bool,
        stages: bool = True,
    ) -> None:
        """`read` returns checked contents, or raises NotFoundError or IntegrityError.

        `compares` fetches known objects too, and compares them. `stages` returns small contents to
        be staged.
        """
        self._read = read
        self._objects = objects
        self._catalog = catalog
        self._compares = compares
        self._stages = stages

    def run(self, digests: Sequence[str]) -> ReceivedContents:
        """Transfer contents by their digests. Raises StorageError, and what `read` raises."""
        if len(digests) <= 1:  # a pool of threads is refused while Python ends
            every = [self._receive(digest) for digest in digests]
        else:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(min(_THREADS, len(digests))) as pool:
                every = list(pool.map(self._receive, digests))
        return ReceivedContents(
            sum(one.came for one in every),
            [digest for one in every for digest in one.lost],
            [content for one in every for content in one.staged],
        )

    def _receive(self, digest: str) -> ReceivedContents:
        place = self._catalog.read(packs.found, digest)
        if isinstance(place, bytes):  # it may be erased before the rows come that name it again
            return ReceivedContents(0, [], [(digest, place)])
        if place is not None or (not self._compares and self._objects.has(digest)):
            return ReceivedContents(0, [])
        try:
            content = self._read(digest)
        except (NotFoundError, IntegrityError):
            return ReceivedContents(0, [digest])
        if self._stages and len(content) <= packs.SMALL_BYTES:
            return ReceivedContents(1, [], [(digest, content)])
        self._objects.put_all([(digest, content)])
        return ReceivedContents(1, [])


class Intake:
    """Receives contents of other archives, and repairs contents."""

    def __init__(self, objects: ArchiveObjects, catalog: Catalog) -> None:
        """Take both that are open."""
        self._objects = objects
        self._store = objects.store
        self._catalog = catalog

    @contextlib.contextmanager
    def receiving(self, source: Opens, digests: Sequence[str]) -> Iterator[ReceivedContents]:
        """Receive contents by their digests; the caller stages small ones with their rows.

        Raises StorageError.
        """
        erasing_round = self._catalog.read(octets.erasing_round)
        received = self._receive(source, digests)
        try:
            yield replace(received, digests=digests, erasing_round=erasing_round)
        finally:
            self._objects.write_behind.count(received.staged)

    def _receive(self, source: Opens, digests: Sequence[str]) -> ReceivedContents:
        if isinstance(self._store, FileObjects):
            return ReceivedContents(*self._store.adopt(source, digests, link=None, flush_all=True))
        return ContentTransfer(
            partial(_whole, source),
            self._store,
            self._catalog,
            compares=False,
            stages=self._has_room(),
        ).run(digests)

    def _has_room(self) -> bool:
        """Whether more may be staged, once all full packs are made."""
        while self._catalog.read(packs.is_full) and self._objects.write_behind.flush_some():
            pass
        return self._catalog.read(octets.staged_bytes) < MOST_BYTES

    def mend(self, source: Opens, digests: Iterable[str]) -> tuple[int, list[str]]:
        """Replace missing and altered contents; return how many, and the digests of lost ones.

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
        """Whether contents are here and have their digest."""
        try:
            self._objects.check(digest)
        except (NotFoundError, IntegrityError):
            return False
        return True


def _whole(source: Opens, digest: str) -> bytes:
    """Read contents. Raises NotFoundError, IntegrityError, and what `source` does."""
    with source.open(digest) as content:
        return content.whole()
