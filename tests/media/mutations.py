"""Broken documents of every format: reproducible by their number, at random and where it hurts.

Half of the changes are of any octets; the other half know where formats keep what decides: sizes
and counts in the first octets, and around the names of boxes and chunks. Check sums of a PNG are
made right again, or nothing behind them would ever be read.
"""

from __future__ import annotations

import random
import re
import struct
import zlib
from functools import cache
from typing import TYPE_CHECKING

from tests.media.formats import FORMATS, HEADS, content_of
from tests.media.tricks import TRICKS, trick_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["mutated"]

_LARGEST = 1_800_000
_HEAD = 400
_NUMBERS = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000)
_ALL = 0xFFFFFFFF
_NAME = re.compile(rb"[A-Za-z][A-Za-z0-9 ]{3}")
_PNG = b"\x89PNG\r\n\x1a\n"

FRAGMENTS = {
    "image": ["rect=(0,0),(1,1)", "rect=(0,0),(99999,99999)", "rect=(3,2),(21,17),1"],
    "audio": ["msec=0,1", "sec=0,30", "msec=300,450", "sec=9,10"],
    "video": ["msec=0,200", "sec=0,9", "rect=(0,0),(9,9),7", "crop=msec,0,400,(1,1),(9,8)"],
}


@cache
def _seeds() -> tuple[tuple[str, str, bytes], ...]:
    """Return all documents: name, media type, octets."""
    rows = [(one.name, one.media_type, content_of(one)) for one in FORMATS]
    rows += [(name, "audio/wav", head) for name, head in HEADS.items()]
    rows += [(one.name, one.media_type, trick_of(one)) for one in TRICKS if not one.heavy]
    return tuple(row for row in rows if len(row[2]) <= _LARGEST)


def mutated(number: int) -> tuple[str, bytes, str, str]:
    """Return a broken document by its number: a name to tell it by, octets, type and fragment."""
    rng = random.Random(number)  # noqa: S311 - reproducible, not secret
    name, media_type, content = rng.choice(_seeds())
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        rng.choice(_CHANGES)(data, rng)
    if rng.random() < 0.05:
        media_type = rng.choice(_seeds())[1]
    fragment = rng.choice(FRAGMENTS[media_type.partition("/")[0]])
    return f"{number} {name}", _checked(bytes(data[: 2 * _LARGEST])), media_type, fragment


# ---------------------------------------------------------------- anywhere


def _flip(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 4, 32))):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)


def _cut(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data) + 1)
    del data[start : start + rng.choice((1, 4, 17, 188, 2048))]


def _end(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data) + 1) :]


def _repeat(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data) + 1)
    piece = bytes(data[start : start + rng.choice((4, 24, 188, 1024))])
    data[start:start] = piece * rng.choice((1, 2, 16, 64))


def _splice(data: bytearray, rng: random.Random) -> None:
    other = rng.choice(_seeds())[2]
    start = rng.randrange(len(other) + 1)
    at = rng.randrange(len(data) + 1)
    data[at : at + rng.choice((0, 64))] = other[start : start + rng.choice((8, 64, 1024))]


# ---------------------------------------------------------------- where it hurts


def _number(data: bytearray, rng: random.Random, at: int) -> None:
    width = rng.choice("BHIQ")
    value = rng.choice((*_NUMBERS, _ALL, rng.randrange(_ALL)))
    octets = struct.pack(rng.choice("<>") + width, value & (1 << 8 * struct.calcsize(width)) - 1)
    data[at : at + len(octets)] = octets


def _in_head(data: bytearray, rng: random.Random) -> None:
    _number(data, rng, rng.randrange(min(len(data), _HEAD) + 1))


def _by_name(data: bytearray, rng: random.Random) -> None:
    """Change what stands beside the name of a box or a chunk: its size, its first fields."""
    places = [found.start() for found in _NAME.finditer(bytes(data[:65536]))]
    if places:
        _number(data, rng, max(0, rng.choice(places) + rng.choice((-4, -4, 4, 8, 12, 16, 20, 28))))


def _move_box(data: bytearray, rng: random.Random) -> None:
    """Put one named piece in the place of another, or twice."""
    places = [found.start() for found in _NAME.finditer(bytes(data[:65536]))]
    if places:
        first, second = rng.choice(places), rng.choice(places)
        data[second:second] = data[first - 4 : first + rng.choice((8, 32, 200))]


_CHANGES: list[Callable[[bytearray, random.Random], None]] = [
    _flip, _cut, _end, _repeat, _splice, _in_head, _in_head, _by_name, _by_name, _move_box,
]  # fmt: skip


def _checked(data: bytes) -> bytes:
    """Return a PNG with the check sums that its chunks ought to have; else the same."""
    if not data.startswith(_PNG):
        return data
    made = bytearray(data)
    at = len(_PNG)
    while at + 12 <= len(made):
        end = at + 8 + struct.unpack_from(">I", made, at)[0]
        if end + 4 > len(made):
            break
        struct.pack_into(">I", made, end, zlib.crc32(made[at + 4 : end]))
        at = end + 4
    return bytes(made)
