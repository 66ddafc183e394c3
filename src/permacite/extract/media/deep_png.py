"""PNG pictures of 16 bits in several channels, read and written without loss (PNG §11.2, §11.3)."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, replace

from permacite.extract.media.decoders import Octets, load, undecodable

__all__ = ["Deep", "decode", "is_deep", "profile"]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEAD = struct.Struct(">8xI4sIIBB")
_DEEP = 16
_COLOURS = {"ya16be": (4, 4), "rgb48be": (2, 6), "rgba64be": (6, 8)}
"""The decoder's name of a layout to PNG's colour type, and octets a pixel."""

_TRANSPOSED = frozenset({5, 6, 7, 8})
_LEFT_TO_RIGHT = frozenset({2, 3, 6, 7})
_TOP_TO_BOTTOM = frozenset({3, 4, 7, 8})
"""What each EXIF orientation asks for, in this order."""


@dataclass(frozen=True, slots=True)
class Deep:
    """Rows of pixels, big-endian. `kind` is the layout, as the decoder names it."""

    kind: str
    rows: tuple[bytes, ...]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return len(self.rows[0]) // _COLOURS[self.kind][1], len(self.rows)

    def crop(self, box: tuple[int, int, int, int]) -> Deep:
        """Return a part: left, top, right, bottom, the last two excluded."""
        octets = _COLOURS[self.kind][1]
        left, top, right, bottom = box
        rows = tuple(row[left * octets : right * octets] for row in self.rows[top:bottom])
        return replace(self, rows=rows)

    def oriented(self, orientation: int) -> Deep:
        """Return the picture as EXIF orientation 1 to 8 has it displayed."""
        if orientation not in _TRANSPOSED | _LEFT_TO_RIGHT | _TOP_TO_BOTTOM:
            return self
        rows = [self._pixels(row) for row in self.rows]
        if orientation in _TRANSPOSED:
            rows = [list(column) for column in zip(*rows, strict=True)]
        if orientation in _LEFT_TO_RIGHT:
            rows = [row[::-1] for row in rows]
        if orientation in _TOP_TO_BOTTOM:
            rows = rows[::-1]
        return replace(self, rows=tuple(b"".join(row) for row in rows))

    def _pixels(self, row: bytes) -> list[bytes]:
        octets = _COLOURS[self.kind][1]
        return [row[at : at + octets] for at in range(0, len(row), octets)]

    def encode(self, chunks: bytes) -> bytes:
        """Return a PNG file, with other chunks before the pixels."""
        width, height = self.size
        head = struct.pack(">IIBBBBB", width, height, _DEEP, _COLOURS[self.kind][0], 0, 0, 0)
        pixels = zlib.compress(b"".join(b"\0" + row for row in self.rows))
        body = _chunk(b"IHDR", head) + chunks + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")
        return _SIGNATURE + body


def _chunk(name: bytes, data: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(name + data))
    return struct.pack(">I", len(data)) + name + data + check


def is_deep(data: Octets) -> bool:
    """Whether `data` is a PNG of 16 bits in more than one channel."""
    if data[: len(_SIGNATURE)] != _SIGNATURE or len(data) < _HEAD.size:
        return False
    _, name, _, _, depth, colour = _HEAD.unpack_from(data)
    return bool(name == b"IHDR" and depth == _DEEP and colour in {2, 4, 6})


def profile(data: Octets) -> bytes:
    """Return the chunks of a PNG that say what its colours mean, as they are."""
    found = b""
    at = len(_SIGNATURE)
    while at + 8 <= len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        if name in {b"iCCP", b"sRGB", b"gAMA", b"cHRM"}:
            found += data[at : at + 12 + size]
        if name == b"IDAT":
            break
        at += 12 + size
    return found


def decode(data: Octets) -> Deep:
    """Decode a PNG that `is_deep`."""
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
    return Deep(kind, tuple(octets[at : at + width] for at in starts))
