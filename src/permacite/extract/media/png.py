"""PNG pictures: single rows of large ones, and 16 bits in several channels, without loss.

A row depends on the one above it (PNG §9), so all rows above are decoded, a band at a time, as a
small picture whose first row is the last one of the band before. The result is a PNG file of the
rows, which is decoded like any other. Pictures with more bits than the usual decoder keeps are rows
of octets, read and written here (PNG §11.2, §11.3).
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from permacite.extract.media.decoders import load, undecodable
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.extract.media.decoders import Octets

__all__ = [
    "KINDS",
    "LEFT_TO_RIGHT",
    "SIGNATURE",
    "TOP_TO_BOTTOM",
    "TRANSPOSED",
    "Deep",
    "Large",
    "chunk",
    "decode_png",
    "encode_png",
    "is_deep_png",
    "large",
    "memory",
    "narrowed",
    "profile",
]


TRANSPOSED = frozenset({5, 6, 7, 8})
LEFT_TO_RIGHT = frozenset({2, 3, 6, 7})
TOP_TO_BOTTOM = frozenset({3, 4, 7, 8})
"""What each EXIF orientation asks for, in this order."""


@dataclass(frozen=True, slots=True)
class Deep:
    """Rows of pixels of so many `octets` each, big-endian. `kind` names their layout."""

    kind: str
    octets: int
    rows: tuple[bytes, ...]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return len(self.rows[0]) // self.octets, len(self.rows)

    def crop(self, box: tuple[int, int, int, int]) -> Deep:
        """Return a part: left, top, right, bottom, the last two excluded."""
        left, top, right, bottom = box
        rows = self.rows[top:bottom]
        return replace(
            self, rows=tuple(row[left * self.octets : right * self.octets] for row in rows)
        )

    def oriented(self, orientation: int) -> Deep:
        """Return the picture as EXIF orientation 1 to 8 has it displayed."""
        if orientation not in TRANSPOSED | LEFT_TO_RIGHT | TOP_TO_BOTTOM:
            return self
        rows = [self._pixels(row) for row in self.rows]
        if orientation in TRANSPOSED:
            rows = [list(column) for column in zip(*rows, strict=True)]
        if orientation in LEFT_TO_RIGHT:
            rows = [row[::-1] for row in rows]
        if orientation in TOP_TO_BOTTOM:
            rows = rows[::-1]
        return replace(self, rows=tuple(b"".join(row) for row in rows))

    def _pixels(self, row: bytes) -> list[bytes]:
        return [row[at : at + self.octets] for at in range(0, len(row), self.octets)]


SIGNATURE = b"\x89PNG\r\n\x1a\n"
_START = struct.Struct(">8xI4sIIBB")
_DEEP = 16
_COLOURS = {"ya16be": (4, 4), "rgb48be": (2, 6), "rgba64be": (6, 8)}
"""The decoder's name of a layout to PNG's colour type, and octets a pixel."""
KINDS = frozenset(_COLOURS)


def encode_png(picture: Deep, chunks: bytes) -> bytes:
    """Return a PNG file, with other chunks before the pixels."""
    width, height = picture.size
    head = struct.pack(">IIBBBBB", width, height, _DEEP, _COLOURS[picture.kind][0], 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in picture.rows))
    body = chunk(b"IHDR", head) + chunks + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return SIGNATURE + body


def chunk(name: bytes, data: bytes) -> bytes:
    """Return a chunk."""
    check = struct.pack(">I", zlib.crc32(name + data))
    return struct.pack(">I", len(data)) + name + data + check


def is_deep_png(data: Octets) -> bool:
    """Whether `data` is a PNG of 16 bits in more than one channel."""
    if data[: len(SIGNATURE)] != SIGNATURE or len(data) < _START.size:
        return False
    _, name, _, _, depth, colour = _START.unpack_from(data)
    return bool(name == b"IHDR" and depth == _DEEP and colour in {2, 4, 6})


def profile(data: Octets) -> bytes:
    """Return the chunks of a PNG that say what its colours mean, as they are."""
    found = b""
    at = len(SIGNATURE)
    while at + 8 <= len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        if name in {b"iCCP", b"sRGB", b"gAMA", b"cHRM"}:
            found += data[at : at + 12 + size]
        if name == b"IDAT":
            break
        at += 12 + size
    return found


def decode_png(data: Octets) -> Deep:
    """Decode a PNG that `is_deep_png`."""
    av = load("av")
    frames = av.CodecContext.create("png", "r").decode(av.Packet(data))
    if not frames or frames[0].format.name not in _COLOURS:
        raise undecodable("picture", "no such layout of 16 bits")
    frame = frames[0]
    kind = frame.format.name
    plane = frame.planes[0]
    octets = bytes(plane)
    width = frame.width * _COLOURS[kind][1]
    starts = range(0, frame.height * plane.line_size, plane.line_size)
    rows = tuple(octets[at : at + width] for at in starts)
    return Deep(kind, _COLOURS[kind][1], rows)


Box: TypeAlias = tuple[int, int, int, int]

_HEAD = struct.Struct(">IIBBBBB")
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
"""As which the decoder takes pixels of so many octets; what they mean is nothing to a filter."""
_COLOUR_OF = {6: 2, 8: 6}
"""The colour type of pixels of more octets, which another decoder takes."""
_BAND = 1 << 21
_LARGE = 1 << 22
"""Octets of a band, and of the pictures whose rows are taken alone."""
_OF_BAND, _OF_ROW = 8, 4
"""How often a band, and the rows that are kept, are there at once."""
_LEFT_OUT = frozenset({b"IHDR", b"IDAT", b"IEND"})


class Large(NamedTuple):
    """A PNG of one still picture, not interlaced, not to be turned: its size and its chunks.

    `whole`: whether a pixel is whole octets: `octets` of them, else 1. `row`: octets of a row.
    `head`: what IHDR holds. `chunks`: those before the pixels.
    """

    width: int
    height: int
    whole: bool
    octets: int
    row: int
    head: bytes
    chunks: bytes
    pixels: tuple[tuple[int, int], ...]
    """Where the compressed pixels are in the file."""


def large(data: Octets) -> Large | None:
    """Read the chunks of a PNG; None where its rows cannot be had alone, or need not."""
    if data[:8] != SIGNATURE:
        return None
    head, chunks, pixels = b"", b"", []
    for name, start, size in _chunks(data):
        if name in {b"acTL", b"eXIf"}:
            return None
        if name == b"IHDR":
            head = data[start : start + size]
        elif name == b"IDAT":
            pixels.append((start, start + size))
        elif name not in _LEFT_OUT and not pixels:
            chunks += data[start - 8 : start + size + 4]
    width, height, depth, colour, _, _, interlaced = _HEAD.unpack(head)
    bits = depth * _CHANNELS.get(colour, 0)
    row = -(-width * bits // 8)
    if interlaced or row * height < _LARGE or not pixels:
        return None
    return Large(width, height, bits % 8 == 0, max(1, bits // 8), row, head, chunks, tuple(pixels))


def memory(found: Large, box: Box) -> int:
    """Return the octets that taking an area out takes."""
    across = box[2] - box[0] if found.whole else found.width
    return _OF_BAND * _BAND + (_OF_ROW * found.octets + 4) * across * (box[3] - box[1])


def _chunks(data: Octets) -> Iterator[tuple[bytes, int, int]]:
    """Each chunk: its name, where its content begins, and how long that is (§5.3)."""
    at = len(SIGNATURE)
    name = b""
    while name != b"IEND":
        if at + 12 > len(data):
            raise undecodable("picture", "the file is cut off")
        size, name = struct.unpack_from(">I4s", data, at)
        yield name, at + 8, size
        at += 12 + size


def narrowed(data: Octets, found: Large, box: Box) -> tuple[bytes, int]:
    """Return a PNG file of the rows of an area, and the column that it begins with.

    It has the columns of the area alone where a pixel is an octet at least.
    """
    left, top, right, bottom = box if found.whole else (0, box[1], found.width, box[3])
    first, last = (left * found.octets, right * found.octets) if found.whole else (0, found.row)
    kept, row = [], 0
    for rows in _bands(data, found, bottom):
        starts = range(max(0, top - row) * found.row, len(rows), found.row)
        kept += [b"\0" + rows[at + first : at + last] for at in starts]
        row += len(rows) // found.row
    head = struct.pack(">II", right - left, bottom - top) + found.head[8:]
    pixels = zlib.compress(b"".join(kept), 0)
    return b"".join(
        [SIGNATURE, chunk(b"IHDR", head), found.chunks, chunk(b"IDAT", pixels), chunk(b"IEND", b"")]
    ), left


def _bands(data: Octets, found: Large, bottom: int) -> Iterator[bytes]:
    """Yield the rows above `bottom` without their filters, a band at a time."""
    each = max(1, _BAND // found.row)
    above = b""
    stored = _Stream(data, found)
    for top in range(0, bottom, each):
        count = min(each, bottom - top)
        band = stored.take(count * (found.row + 1))
        rows = _without_filters(found, above, band)
        above = rows[-found.row :]
        yield rows


def _without_filters(found: Large, above: bytes, band: bytes) -> bytes:
    """Return the rows of a band; `above` is the one above them, nothing for the first band."""
    first = b"\0" + above if above else b""
    lines = len(first + band) // (found.row + 1)
    pixels = zlib.compress(first + band, 0)
    width = found.row // found.octets
    if found.octets in _MODES:
        mode = _MODES[found.octets]
        rows = load("PIL.Image").frombytes(mode, (width, lines), pixels, "zip", mode, 0).tobytes()
    else:
        head = _HEAD.pack(width, lines, 16, _COLOUR_OF[found.octets], 0, 0, 0)
        parts = [(b"IHDR", head), (b"IDAT", pixels), (b"IEND", b"")]
        file = b"".join(chunk(*part) for part in parts)
        rows = b"".join(decode_png(SIGNATURE + file).rows)
    return bytes(rows)[len(above) :]


class _Stream:
    """The compressed pixels of a file as a stream."""

    def __init__(self, data: Octets, found: Large) -> None:
        self._data = data
        self._places = iter(found.pixels)
        self._inflate = zlib.decompressobj()
        self._waiting = b""

    def take(self, size: int) -> bytes:
        """Return so many octets. Raises PermaciteError where there are fewer."""
        gathered = bytearray()
        while len(gathered) < size:
            if not self._waiting:
                start, end = next(self._places, (0, 0))
                if start == end == 0 or self._inflate.eof:
                    raise undecodable("picture", "the file is cut off")
                self._waiting = self._data[start:end]
            gathered += self._inflate.decompress(self._waiting, size - len(gathered))
            self._waiting = self._inflate.unconsumed_tail
        return bytes(gathered)
