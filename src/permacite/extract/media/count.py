"""Number of pictures in a file, from its blocks: nothing is decoded.

| format | pictures |
|---|---|
| GIF89a §20 | image descriptors |
| PNG, 3rd edition §11.3.6 | what `acTL` says, and the still one that stands outside the animation |
| WebP, RFC 9649 §2.7.1.1 | `ANMF` chunks |
| AVIF §2 (image sequences) | samples of the first track (ISO/IEC 14496-12 §8.7.3) |
| TIFF 6.0 §2 | directories of the chain |

A file that is broken holds as many as were found up to there, and one at least.
"""

from __future__ import annotations

import contextlib
import struct
from typing import TYPE_CHECKING

from permacite.errors import PermaciteError
from permacite.extract.media import gif, tiff
from permacite.extract.media.decoders import MAX_FRAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["frames"]

_PNG = b"\x89PNG\r\n\x1a\n"
_BROKEN = (PermaciteError, struct.error, IndexError, ValueError, OverflowError)


def frames(data: bytes) -> int:
    """The number of pictures in a file, MAX_FRAMES at most; 1 for what is no such file."""
    count = 0
    with contextlib.suppress(*_BROKEN):
        for _ in _blocks(data):
            count += 1
            if count == MAX_FRAMES:
                break
    return max(1, count)


def _blocks(data: bytes) -> Iterator[object]:
    """One value for each picture."""
    if gif.is_gif(data):
        return gif.patches(data)
    if data.startswith(_PNG):
        return _of_png(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return (name for name, _ in _chunks(data, 12, "<4sI", trailer=0) if name == b"ANMF")
    if data[4:12] == b"ftypavis":
        return _of_avif(data)
    if tiff.is_tiff(data):
        return tiff.pages(data)
    return iter(())


def _of_png(data: bytes) -> Iterator[object]:
    """The frames of an animation, and before them the still picture that is none of its frames."""
    animated = 0
    for name, at in _chunks(data, len(_PNG), ">I4s", trailer=4):
        if name == b"acTL":
            (animated,) = struct.unpack_from(">I", data, at)
        elif name == b"fcTL":
            yield from range(animated)
            return
        elif name == b"IDAT":
            yield from range(animated + 1)
            return


def _chunks(data: bytes, at: int, head: str, *, trailer: int) -> Iterator[tuple[bytes, int]]:
    """The names of the chunks of PNG or RIFF, and where their content begins."""
    while True:
        first, second = struct.unpack_from(head, data, at)
        name, size = (first, second) if isinstance(first, bytes) else (second, first)
        at += 8
        yield name, at
        at += size + trailer + (size % 2 if trailer == 0 else 0)


def _of_avif(data: bytes) -> Iterator[object]:
    """The samples that the first sample size box counts."""
    (count,) = struct.unpack_from(">I", data, data.index(b"stsz") + 12)
    return iter(range(count))
