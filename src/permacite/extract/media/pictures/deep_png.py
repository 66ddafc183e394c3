"""PNG pictures of 16 bits in several channels, read and written without loss (PNG §11.2, §11.3)."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from permacite.extract.media.decoders import load, undecodable
from permacite.extract.media.pictures.deep import Deep

if TYPE_CHECKING:
    from permacite.extract.media.decoders import Octets

__all__ = ["KINDS", "SIGNATURE", "chunk", "decode", "encode", "is_deep", "profile"]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEAD = struct.Struct(">8xI4sIIBB")
_DEEP = 16
_COLOURS = {"ya16be": (4, 4), "rgb48be": (2, 6), "rgba64be": (6, 8)}
"""The decoder's name of a layout to PNG's colour type, and octets a pixel."""
KINDS = frozenset(_COLOURS)


def encode(picture: Deep, chunks: bytes) -> bytes:
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


def is_deep(data: Octets) -> bool:
    """Whether `data` is a PNG of 16 bits in more than one channel."""
    if data[: len(SIGNATURE)] != SIGNATURE or len(data) < _HEAD.size:
        return False
    _, name, _, _, depth, colour = _HEAD.unpack_from(data)
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
    rows = tuple(octets[at : at + width] for at in starts)
    return Deep(kind, _COLOURS[kind][1], rows)
