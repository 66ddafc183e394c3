"""Octets come into a store elsewhere from another archive, several at the same time.

Large ones are put by whoever fetched them, so that no more are in memory than there are hands.
Small ones are given back: the catalog keeps them in the transaction that names them, as it does
those of a commit, and they are packed after it. So nothing that is staged or packed is nobody's,
and who is killed has lost what no row names yet, and fetches it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.engine import packs
from permacite.errors import IntegrityError, NotFoundError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.objects.store import ObjectStore

__all__ = ["Bringing", "BroughtOctets"]

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
