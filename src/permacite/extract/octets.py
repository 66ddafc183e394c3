"""Cut octets out of anything (PDI §3.4.6).

The end is excluded; HTTP ranges include theirs, so `byte=23,57` is `Range: bytes=23-56`.
"""

from __future__ import annotations

from typing import Protocol

from permacite.extract.excerpt import Excerpt, digest_of, extent

__all__ = ["Sliced", "octets"]


class Sliced(Protocol):
    """Octets in memory, mapped, or in a store."""

    def __len__(self) -> int:
        """How many there are."""

    def __getitem__(self, wanted: slice, /) -> bytes:
        """Some of them."""


def octets(data: Sliced, start: int, end: int) -> Excerpt:
    """Return the bytes from `start` up to `end`."""
    found = extent(start, end, len(data), "bytes")
    part = data[found.start : found.end]
    place = (found.start, found.end)
    kind = "application/octet-stream"
    return Excerpt(part, kind, None, place, found.clipped, digest_of("octets", part))
