"""Pages of a TIFF file, and the strips or tiles of an area of a page, unchanged.

TIFF 6.0 and BigTIFF. Nothing is decoded here: what a part needs of a large page is copied into a
small TIFF file, compressed as it came, so that decoding it takes no more memory and
time than the part is worth.

| section | function |
|---|---|
| 2 structure: header, directory, entries | page, Page.numbers, file_with |
| 3 strips, 15 tiles, planes | Page.segments, narrowed, as_grey |

Deviations: none. Readings:
- A frame is a page of the main chain, whatever it is for; subdirectories are no pages.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from permacite.errors import LimitError
from permacite.extract.media.decoders import MAX_FRAMES, undecodable
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.extract.media.decoders import Octets

__all__ = [
    "BY_OCTETS",
    "PROFILE",
    "Box",
    "Grey",
    "Samples",
    "TiffPage",
    "Values",
    "as_grey",
    "file_with",
    "is_tiff",
    "narrowed",
    "needed",
    "page",
    "pages",
]

_MOST_SAMPLES = 64
"""Samples of a pixel: more than any reader takes."""
_APART, _LOW_BITS_FIRST, _BIG_TIFF, _VALUE_BYTES = 2, 2, 43, 4
"""Values of PlanarConfiguration and FillOrder, the version of a BigTIFF, octets of a value."""
_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _PHOTOMETRIC = 256, 257, 258, 259, 262
_STRIPS, _ORIENTATION, _SAMPLES, _ROWS, _STRIP_SIZES = 273, 274, 277, 278, 279
_PLANAR, _PREDICTOR, _TILE_WIDTH, _TILE_HEIGHT = 284, 317, 322, 323
_FILL_ORDER, _TILES, _TILE_SIZES, _EXTRA, _FORMAT = 266, 324, 325, 338, 339
PROFILE = 34675
_COLOUR = (_PHOTOMETRIC, 320, 332, _EXTRA, PROFILE)
"""What samples mean: the palette, inks, and the profile among them."""
_DECODING = (
    _BITS,
    _COMPRESSION,
    266,
    _SAMPLES,
    _PLANAR,
    292,
    293,
    _PREDICTOR,
    _FORMAT,
    347,
    529,
    530,
    531,
    532,
)
"""How samples are kept: the order of bits, options of fax, tables of JPEG, and so on."""

_NONE, _DEFLATE, _YCBCR = 1, 8, 6
BY_OCTETS = frozenset({1, 5, _DEFLATE, 32946, 32773, 34925, 50000})
"""Compressions of octets, whatever these mean: none, LZW, Deflate, PackBits, LZMA, Zstandard."""
_COMPRESSIONS = BY_OCTETS | {2, 3, 4, 7}
"""Those that are read: these, the three of fax machines, and JPEG."""
_READ = frozenset({0, 1, 2, 3, 5, 6, 8})
"""Kinds of colours: black or white first, RGB, a palette, inks, YCbCr, Lab."""
_CODES = {
    1: "B",
    2: "B",
    3: "H",
    4: "I",
    5: "2I",
    6: "b",
    7: "B",
    8: "h",
    9: "i",
    10: "2i",
    11: "f",
    12: "d",
    13: "I",
    16: "Q",
    17: "q",
    18: "Q",
}
_AS_LONG = frozenset({13, 16, 18})
"""Types that old readers do not know; their values are written as LONG."""
_ALL_ROWS = 1 << 32

Values: TypeAlias = tuple[int, tuple[float, ...]]
"""A type of the format, and values of it."""
Box: TypeAlias = tuple[int, int, int, int]


class Samples(NamedTuple):
    """How the samples of a page are kept. `form`: 1 without a sign, 2 with one, 3 floating."""

    bits: tuple[int, ...]
    form: int
    per_pixel: int
    photometric: int
    compression: int
    predictor: int
    planes: int
    extra: tuple[int, ...]
    reversed: bool
    """Whether the lowest bit of each octet stands first."""


class _Segments(NamedTuple):
    """Strips or tiles: their size in pixels, and how many stand side by side."""

    tiled: bool
    width: int
    height: int
    across: int
    down: int

    @property
    def shape(self) -> tuple[int | None, int]:
        """Their width and height as they are written; strips have no width."""
        return (self.width if self.tiled else None), self.height

    def around(self, box: Box) -> tuple[range, range]:
        """Return the columns and rows of them that an area lies in."""
        left, top, right, bottom = box
        columns = range(left // self.width, -(-right // self.width))
        return columns, range(top // self.height, -(-bottom // self.height))


@dataclass(frozen=True, slots=True)
class TiffPage:
    """A page: its entries, each a type, a count, and where its values are in the file."""

    data: Octets
    order: str
    entries: dict[int, tuple[int, int, int]]

    def numbers(self, tag: int, start: int = 0, end: int | None = None) -> tuple[int, ...]:
        """Return the whole numbers of an entry, or some of them; none where it is not there."""
        kind, count, at = self.entries.get(tag, (1, 0, 0))
        code = _CODES[kind]
        last = count if end is None else max(start, min(end, count))
        if kind in {2, 5, 10, 11, 12}:
            raise undecodable("picture", f"entry {tag} holds no whole numbers")
        step = struct.calcsize(code)
        return struct.unpack_from(f"{self.order}{last - start}{code}", self.data, at + start * step)

    def number(self, tag: int, default: int | None = None) -> int:
        """Return the first number of an entry. Raises PermaciteError where there must be one."""
        found = self.numbers(tag, 0, 1)
        if not found and default is None:
            raise undecodable("picture", f"it has no entry {tag}")
        return found[0] if found else int(default or 0)

    def values(self, tag: int) -> Values:
        """Return all values of an entry, in a type that every reader knows."""
        kind, count, at = self.entries[tag]
        code = _CODES[kind]
        repeated = code * count if len(code) > 1 else f"{count}{code}"
        found = struct.unpack_from(self.order + repeated, self.data, at)
        return 4 if kind in _AS_LONG else kind, found

    @property
    def size(self) -> tuple[int, int]:
        """Width and height as stored, in pixels."""
        return self.number(_WIDTH), self.number(_HEIGHT)

    @property
    def orientation(self) -> int:
        """How it is to be turned, as EXIF counts."""
        return self.number(_ORIENTATION, 1)

    @property
    def samples(self) -> Samples:
        """How the samples are kept. Raises PermaciteError for kinds that are not read."""
        per_pixel = self.number(_SAMPLES, 1)
        bits = self.numbers(_BITS, 0, per_pixel) or (1,)
        forms = set(self.numbers(_FORMAT, 0, per_pixel)) or {1}
        photometric = self.number(_PHOTOMETRIC, 0)
        if len(forms) > 1 or not 0 < per_pixel <= _MOST_SAMPLES:
            raise undecodable("picture", "its samples are of several kinds")
        if photometric not in _READ:
            raise undecodable("picture", f"photometric interpretation {photometric} is not read")
        compression = self.number(_COMPRESSION, _NONE)
        if compression not in _COMPRESSIONS:
            raise undecodable("picture", f"compression {compression} is not read")
        return Samples(
            bits if len(bits) == per_pixel else bits[:1] * per_pixel,
            forms.pop(),
            per_pixel,
            photometric,
            compression,
            self.number(_PREDICTOR, 1),
            per_pixel if self.number(_PLANAR, 1) == _APART else 1,
            self.numbers(_EXTRA, 0, per_pixel),
            self.number(_FILL_ORDER, 1) == _LOW_BITS_FIRST,
        )

    @property
    def segments(self) -> _Segments:
        """The strips or tiles of each plane."""
        width, height = self.size
        tiled = _TILES in self.entries
        across = self.number(_TILE_WIDTH) if tiled else width
        down = self.number(_TILE_HEIGHT) if tiled else min(self.number(_ROWS, _ALL_ROWS), height)
        if min(width, height, across, down) < 1:
            raise undecodable("picture", "it has no pixels")
        return _Segments(tiled, across, down, -(-width // across), -(-height // down))

    def segment(self, index: int) -> bytes:
        """Return the octets of a strip or a tile."""
        tiled = _TILES in self.entries
        places, sizes = (_TILES, _TILE_SIZES) if tiled else (_STRIPS, _STRIP_SIZES)
        at = self.numbers(places, index, index + 1)[0]
        size = (self.numbers(sizes, index, index + 1) or (len(self.data) - at,))[0]
        if not 0 < size <= len(self.data) - at:
            raise undecodable("picture", "a strip or tile of it is not there")
        return self.data[at : at + size]

    def colour(self) -> dict[int, Values]:
        """Return the entries that say what samples mean."""
        return {tag: self.values(tag) for tag in _COLOUR if tag in self.entries}


def is_tiff(data: Octets) -> bool:
    """Whether `data` begins as a TIFF or a BigTIFF."""
    return data[:4] in {b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"}


def page(data: Octets, number: int) -> TiffPage | int:
    """Return page `number`, counted from 0, or how many there are if they are fewer."""
    count = 0
    for found in pages(data):
        if count == number:
            return found
        count += 1
    return count


def pages(data: Octets) -> Iterator[TiffPage]:
    """Each page of the chain of directories (§2), which may lead round."""
    order = "<" if data[:2] == b"II" else ">"
    big = struct.unpack_from(order + "H", data, 2)[0] == _BIG_TIFF
    pointer, head, entry = ("Q", "Q", "HHQ") if big else ("I", "H", "HHI")
    inline = struct.calcsize(pointer)
    seen: set[int] = set()
    (at,) = struct.unpack_from(order + pointer, data, 8 if big else 4)
    while at:
        if at in seen or len(seen) > MAX_FRAMES:
            raise undecodable("picture", "its pages lead round")
        seen.add(at)
        (count,) = struct.unpack_from(order + head, data, at)
        at += struct.calcsize(order + head)
        step = struct.calcsize(order + entry) + inline
        entries = {}
        for place in range(at, min(at + count * step, len(data)), step):
            tag, kind, length = struct.unpack_from(order + entry, data, place)
            value = place + step - inline
            if struct.calcsize("=" + _CODES.get(kind, "B")) * length > inline:
                (value,) = struct.unpack_from(order + pointer, data, value)
            entries[tag] = (kind, length, value)
        yield TiffPage(
            data, order, {tag: held for tag, held in entries.items() if held[0] in _CODES}
        )
        (at,) = struct.unpack_from(order + pointer, data, at + count * step)


def needed(found: TiffPage, box: Box) -> tuple[int, int]:
    """Return how many pixels across and down are decoded for an area, at most."""
    samples, segments = found.samples, found.segments
    columns, rows = segments.around(box)
    if _by_rows(samples, segments):
        return segments.width, box[3] - box[1]
    last = rows.stop * segments.height
    if not segments.tiled and samples.compression in BY_OCTETS:
        last = box[3]
    return len(columns) * segments.width, last - rows.start * segments.height


def narrowed(found: TiffPage, box: Box) -> tuple[bytes, tuple[int, int]]:
    """Return a TIFF file of what an area lies in, and where its corner is in the page.

    `box`: left, top, right and bottom as stored, the last two excluded. The lower right corner of
    the file is that of the area, where no pixel depends on those beyond.
    """
    samples, segments = found.samples, found.segments
    entries = found.colour()
    entries |= {tag: found.values(tag) for tag in _DECODING if tag in found.entries}
    if _by_rows(samples, segments):
        strips = [_rows(found, samples, box, plane) for plane in range(samples.planes)]
        size = segments.width, box[3] - box[1]
        return file_with(size, entries, (None, size[1]), strips, order=found.order), (0, box[1])
    columns, rows = segments.around(box)
    corner = columns.start * segments.width, rows.start * segments.height
    right, bottom = box[2:]
    if samples.photometric == _YCBCR or not segments.tiled:
        right = columns.stop * segments.width
    if samples.photometric == _YCBCR or not (segments.tiled or samples.compression in BY_OCTETS):
        bottom = rows.stop * segments.height
    width, height = found.size
    size = min(right, width) - corner[0], min(bottom, height) - corner[1]
    octets = [each for plane in range(samples.planes) for each in _of_plane(found, box, plane)]
    if samples.compression == _NONE and samples.photometric == _YCBCR:
        # The decoder takes subsampled colours apart only where they are compressed.
        entries[_COMPRESSION] = 3, (_DEFLATE,)
        octets = [zlib.compress(each, 1) for each in octets]
    return file_with(size, entries, segments.shape, octets, order=found.order), corner


class Grey(NamedTuple):
    """A TIFF file that shows octets as grey pixels: of a plane around an area."""

    file: bytes
    corner: tuple[int, int]
    size: tuple[int, int]
    segment: int
    """Where it begins in the page, how large it is, and how wide its tiles are, in its pixels."""


def as_grey(found: TiffPage, box: Box, plane: int, octets: int) -> Grey:
    """Return the octets of a plane that an area lies in, so many a pixel, as grey pixels."""
    samples, segments = found.samples, found.segments
    entries: dict[int, Values] = {_BITS: (3, (8,)), _PHOTOMETRIC: (3, (1,))}
    entries |= {
        tag: found.values(tag) for tag in (_COMPRESSION, _FILL_ORDER) if tag in found.entries
    }
    if _by_rows(samples, segments):
        strips = [_rows(found, samples, box, plane)]
        corner, size = (0, box[1]), (segments.width, box[3] - box[1])
        shape: tuple[int | None, int] = (None, size[1])
    else:
        columns, rows = segments.around(box)
        corner = columns.start * segments.width, rows.start * segments.height
        size = len(columns) * segments.width, box[3] - corner[1]
        strips = _of_plane(found, box, plane)
        shape = (segments.width * octets if segments.tiled else None, segments.height)
    file = file_with((size[0] * octets, size[1]), entries, shape, strips, order=found.order)
    return Grey(file, corner, size, segments.width)


def _by_rows(samples: Samples, segments: _Segments) -> bool:
    """Whether any row can be had by itself, as nothing is compressed."""
    return samples.compression == _NONE and not segments.tiled and samples.photometric != _YCBCR


def _rows(found: TiffPage, samples: Samples, box: Box, plane: int) -> bytes:
    """Return the rows of an area, of all channels or of one that is stored apart."""
    _, top, _, bottom = box
    segments = found.segments
    bits = sum(samples.bits) if samples.planes == 1 else samples.bits[plane]
    octets = -(-segments.width * bits // 8)
    pieces = []
    for strip in range(top // segments.height, -(-bottom // segments.height)):
        first = max(top, strip * segments.height)
        last = min(bottom, (strip + 1) * segments.height)
        index = plane * segments.down + strip
        at = found.numbers(_STRIPS, index, index + 1)[0]
        at += (first - strip * segments.height) * octets
        pieces.append(found.data[at : at + (last - first) * octets])
    rows = b"".join(pieces)
    if len(rows) != (bottom - top) * octets:
        raise undecodable("picture", "the file is cut off")
    return rows


def _of_plane(found: TiffPage, box: Box, plane: int) -> list[bytes]:
    """Return the strips or tiles of a plane that an area lies in."""
    segments = found.segments
    columns, rows = segments.around(box)
    return [
        found.segment((plane * segments.down + row) * segments.across + column)
        for row in rows
        for column in columns
    ]


def file_with(
    size: tuple[int, int],
    entries: dict[int, Values],
    shape: tuple[int | None, int],
    octets: list[bytes],
    *,
    order: str = ">",
) -> bytes:
    """Return a TIFF file of one page. `shape`: of tiles; without a width, the rows of a strip."""
    across, down = shape
    entries = entries | {_WIDTH: (4, (size[0],)), _HEIGHT: (4, (size[1],))}
    if across is None:
        entries |= {_ROWS: (4, (down,))}
    else:
        entries |= {_TILE_WIDTH: (4, (across,)), _TILE_HEIGHT: (4, (down,))}
    places, sizes = (_STRIPS, _STRIP_SIZES) if across is None else (_TILES, _TILE_SIZES)
    entries |= {places: (4, (0,) * len(octets)), sizes: (4, tuple(map(len, octets)))}
    start = 8 + 2 + 12 * len(entries) + 4
    start += sum(len(_packed(order, each)) + 3 & ~3 for each in entries.values())
    offsets = [start]
    for each in octets[:-1]:
        offsets.append(offsets[-1] + len(each))
    if start + sum(map(len, octets)) >= _ALL_ROWS:
        raise LimitError("the part is too large", limit="bytes", maximum=_ALL_ROWS)
    entries[places] = (4, tuple(offsets))
    return b"".join([_directory(order, entries).ljust(start, b"\0"), *octets])


def _directory(order: str, entries: dict[int, Values]) -> bytes:
    """Return a header, and one directory with its values."""
    head = (b"II" if order == "<" else b"MM") + struct.pack(order + "HIH", 42, 8, len(entries))
    listed, beyond = b"", b""
    after = len(head) + 12 * len(entries) + 4
    for tag in sorted(entries):
        packed = _packed(order, entries[tag])
        kind, _ = entries[tag]
        count = len(packed) // struct.calcsize("=" + _CODES[kind])
        listed += struct.pack(order + "HHI", tag, kind, count)
        if len(packed) <= _VALUE_BYTES:
            listed += packed.ljust(4, b"\0")
        else:
            listed += struct.pack(order + "I", after + len(beyond))
            beyond += packed.ljust(len(packed) + 3 & ~3, b"\0")
    return head + listed + bytes(4) + beyond


def _packed(order: str, held: Values) -> bytes:
    kind, values = held
    return struct.pack(f"{order}{len(values)}{_CODES[kind][-1]}", *values)
