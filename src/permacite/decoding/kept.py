"""Parts that were cut out lately, in memory: as many as fit, the least asked for go first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from permacite.extract import Excerpt

__all__ = ["Kept"]

_LARGEST = 4
"""A part takes at most one in so many of all octets, so that one does not drive out all others."""


class Kept:
    """Excerpts by what they are of: the digest of the document, its media type and the fragment.

    Any number of threads may use it. `octets`: how much all of them may take.
    """

    def __init__(self, octets: int) -> None:
        self._octets = octets
        self._taken = 0
        self._lock = threading.Lock()
        self._excerpts: OrderedDict[tuple[str, ...], Excerpt] = OrderedDict()

    def get(self, *key: str) -> Excerpt | None:
        """Return an excerpt that is kept."""
        with self._lock:
            excerpt = self._excerpts.get(key)
            if excerpt is not None:
                self._excerpts.move_to_end(key)
            return excerpt

    def put(self, excerpt: Excerpt, *key: str) -> None:
        """Keep an excerpt, unless it is large."""
        size = len(excerpt.data)
        with self._lock:
            if key in self._excerpts or size * _LARGEST > self._octets:
                return
            self._excerpts[key] = excerpt
            self._taken += size
            while self._taken > self._octets:
                _, oldest = self._excerpts.popitem(last=False)
                self._taken -= len(oldest.data)
