"""The hashes of a log elsewhere, by its tiles: enough to hold each stretch of entries to a root.

C2SP tlog-tiles: all hashes at level 8 that are not here already, and the last entries' own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.log.tiles import Tile
from permacite.archive.merkle import node_hash, tree_hash
from permacite.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permacite.archive.log import Log
    from permacite.service.mirroring.line import Line

__all__ = ["STRETCH", "Skeleton"]

_HEIGHT = 8
STRETCH = 1 << _HEIGHT
"""As many entries are held to one hash."""
_HASH_BYTES = 32


class Skeleton:
    """The hashes over a log of `size` entries, of which the first `known` are in `log`."""

    def __init__(self, line: Line, log: Log, known: int, size: int) -> None:
        """Fetch them. Raises CaptureError, IntegrityError for a tile of another length."""
        self._log = log
        self._known = known
        self._size = size
        self._first = known >> _HEIGHT
        whole, rest = divmod(size, STRETCH)
        self._above = list(_hashes(line, 1, self._first, whole))
        self._last = list(_hashes(line, 0, size - rest, size)) if rest else []

    def root(self) -> bytes:
        """The root that the hashes lead to."""
        return tree_hash(self._size, self._node)

    def check(self, start: int, hashes: Sequence[bytes]) -> None:
        """Hold entries from `start` to the end of their stretch, by their hashes, to this tree.

        Raises IntegrityError where they are others.
        """
        first = start - start % STRETCH
        row = [self._log.node(0, place) for place in range(first, start)] + list(hashes)
        expected = self._last
        actual: list[bytes] = row
        if len(row) == STRETCH:
            while len(row) > 1:
                row = [node_hash(*pair) for pair in zip(row[::2], row[1::2], strict=True)]
            expected, actual = [self._node(_HEIGHT, first >> _HEIGHT)], row
        if actual != expected:
            end = start + len(hashes)
            raise IntegrityError(
                f"the entries from {start} up to {end} are not those of the log",
                expected=expected[-1].hex() if expected else "none",
                actual=actual[-1].hex(),
            )

    def _node(self, level: int, position: int) -> bytes:
        """The hash of a complete subtree."""
        start = position << level
        if (position + 1) << level <= self._known:
            return self._log.node(level, position)
        if level == _HEIGHT:
            return self._above[position - self._first]
        if level == 0:
            return self._last[start % STRETCH]
        return node_hash(
            self._node(level - 1, 2 * position), self._node(level - 1, 2 * position + 1)
        )


def _hashes(line: Line, level: int, start: int, end: int) -> Iterator[bytes]:
    """The hashes of a level from `start` up to `end`."""
    for index in range(start // STRETCH, -(-end // STRETCH)):
        first = index * STRETCH
        tile = Tile(level, index, min(STRETCH, end - first))
        content = line.get(f"/-/log/{tile.path}")
        if len(content) != tile.width * _HASH_BYTES:
            raise IntegrityError(
                f"{tile.path} is no tile of {tile.width} hashes",
                expected=str(tile.width * _HASH_BYTES),
                actual=str(len(content)),
            )
        for place in range(max(0, start - first), tile.width):
            yield content[place * _HASH_BYTES : (place + 1) * _HASH_BYTES]
