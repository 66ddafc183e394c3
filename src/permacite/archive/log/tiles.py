"""The log as files that any program for transparency logs reads: tiles of 256 hashes.

C2SP tlog-tiles (c2sp.org):
  Merkle Tree, tile paths -> `Tile.path`, `Tile.parse`
  Merkle Tree, tiles      -> `tiles_of`, `content_of`
  Log Entries, bundles    -> `_bundled`

Deviations: an entry of more than 65,535 octets has no place in a bundle, where lengths have 16
bits; the bundle that would hold it is refused, and the hashes above it are given out all the same.
Readings: an entry that is not given out, or was erased, stands in its bundle with the length 0; its
hash stands in the tile of hashes as ever, so that all that is proven holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from permacite.archive.entries import is_erased
from permacite.errors import LimitError, NotFoundError, ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from permacite.archive.entries import Leaf
    from permacite.archive.log.log import Log

__all__ = ["Tile", "content_of", "tiles_of"]

_HEIGHT = 8
_WIDTH = 1 << _HEIGHT
_MOST_OCTETS = (1 << 16) - 1
_ENTRIES = "entries"
_SPEC = "C2SP tlog-tiles, Merkle Tree"
_PATH = compile_pattern(
    r"tile/(entries|[0-9]|[1-5][0-9]|6[0-3])/((?:x[0-9]{3}/){0,5}[0-9]{3})"
    r"(?:\.p/([1-9][0-9]{0,2}))?"
)


@dataclass(frozen=True, slots=True)
class Tile:
    """`width` hashes (of 256) at `level` * 8 of the tree, or as many entries where `level` is None.

    `index` counts tiles from the left, from 0.
    """

    level: int | None
    index: int
    width: int = _WIDTH

    @classmethod
    def parse(cls, path: str) -> Self:
        """Read "tile/<level>/<index>[.p/<width>]". Raises ParseError."""
        match = _PATH.fullmatch(path)
        if match is None:
            raise ParseError("expected the path of a tile", path, 0, _SPEC)
        level, index, width = match.groups()
        tile = cls(
            None if level == _ENTRIES else int(level),
            int(index.replace("x", "").replace("/", "")),
            _WIDTH if width is None else int(width),
        )
        if tile.path != path:  # leading groups of zeros, or a width that is whole
            raise ParseError("expected the path of a tile", path, 0, _SPEC)
        return tile

    @property
    def path(self) -> str:
        """The path below the log's prefix."""
        groups = [f"{self.index % 1000:03}"]
        left = self.index // 1000
        while left:
            groups.insert(0, f"x{left % 1000:03}")
            left //= 1000
        level = _ENTRIES if self.level is None else self.level
        part = "" if self.width == _WIDTH else f".p/{self.width}"
        return f"tile/{level}/{'/'.join(groups)}{part}"

    @property
    def end(self) -> int:
        """How many leaves a log must have for this tile."""
        return (self.index * _WIDTH + self.width) << (_HEIGHT * (self.level or 0))


def tiles_of(size: int) -> Iterator[Tile]:
    """Return every tile of a log of `size` leaves, its bundles of entries first."""
    yield from _row(None, size)
    level = 0
    while size >> (_HEIGHT * level):
        yield from _row(level, size >> (_HEIGHT * level))
        level += 1


def _row(level: int | None, count: int) -> Iterator[Tile]:
    """Return the tiles over `count` hashes of one level."""
    for index in range(count // _WIDTH):
        yield Tile(level, index)
    if count % _WIDTH:
        yield Tile(level, count // _WIDTH, count % _WIDTH)


def content_of(tile: Tile, log: Log, seen: Callable[[Iterable[Leaf]], Iterable[Leaf]]) -> bytes:
    """Return the octets of a tile; `seen` are the entries as they may be given out.

    Raises NotFoundError where the log is not that long.
    """
    size = log.size()
    if tile.end > size:
        raise NotFoundError(f"the log has {size} entries, too few for {tile.path}", tile.path)
    start = tile.index * _WIDTH
    if tile.level is None:
        return _bundled(seen(log.leaves(start, start + tile.width)))
    level = tile.level * _HEIGHT
    return b"".join(log.node(level, start + place) for place in range(tile.width))


def _bundled(leaves: Iterable[Leaf]) -> bytes:
    """Return entries one after the other, the length of each in two octets before it."""
    bundle = bytearray()
    for leaf in leaves:
        content = b"" if is_erased(leaf.content) else leaf.content
        if len(content) > _MOST_OCTETS:
            raise LimitError(
                f"entry {leaf.sequence} has {len(content)} octets, too many for a bundle",
                limit="entry_octets",
                maximum=_MOST_OCTETS,
            )
        bundle += len(content).to_bytes(2, "big") + content
    return bytes(bundle)
