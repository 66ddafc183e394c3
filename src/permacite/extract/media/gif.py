"""The canvas of an animated GIF as it stands at a frame (GIF89a §18 to §23).

The decoder reads pixels; the frames are put together here, since decoders differ in what a frame
leaves behind: "restore to background" leaves nothing (transparent), as browsers have it.
"""

from __future__ import annotations

import io
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.errors import LimitError
from permacite.extract.media.decoders import (
    MAX_FRAMES,
    MAX_OUTPUT_PIXELS,
    Octets,
    load,
    undecodable,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["canvas", "is_gif", "patches"]

_SCREEN = struct.Struct("<6sHHBBB")
_DESCRIPTOR = struct.Struct("<HHHHB")
_EXTENSION, _IMAGE, _TRAILER = 0x21, 0x2C, 0x3B
_CONTROL = 0xF9
_TO_BACKGROUND, _TO_PREVIOUS = 2, 3
_MAX_PIXELS_ON_THE_WAY = 1_000_000_000


class _Patch(NamedTuple):
    """One frame: where it lies, what it leaves behind, and a GIF file of it alone."""

    left: int
    top: int
    width: int
    height: int
    disposal: int
    file: bytes


def is_gif(data: Octets) -> bool:
    """Whether `data` begins as a GIF."""
    return data[:6] in {b"GIF87a", b"GIF89a"}


def canvas(data: Octets, number: int) -> Any:
    """Return the canvas at frame `number`, counted from 0, as RGBA; an int if there are fewer.

    Raises PermaciteError for a file that is cut off or broken, LimitError for one too large.
    """
    images = load("PIL.Image")
    try:
        width, height = _SCREEN.unpack_from(data)[1:3]
        _check_limit(width * height, MAX_OUTPUT_PIXELS)
        shown = images.new("RGBA", (width, height))
        count = pixels = 0
        for patch in patches(data):
            pixels += patch.width * patch.height + 1
            _check_limit(pixels, _MAX_PIXELS_ON_THE_WAY)
            before = shown.copy() if patch.disposal == _TO_PREVIOUS else None
            _draw(shown, patch)
            if count == number:
                return shown
            count += 1
            if before is not None:
                shown = before
            elif patch.disposal == _TO_BACKGROUND:
                _clear(shown, patch)
    except (struct.error, IndexError):
        raise undecodable("picture", "the file is cut off") from None
    return count


def _check_limit(pixels: int, maximum: int) -> None:
    if pixels > maximum:
        raise LimitError("the picture is too large", limit="pixels", maximum=maximum)


def _draw(shown: Any, patch: _Patch) -> None:
    images = load("PIL.Image")
    with images.open(io.BytesIO(patch.file), formats=("GIF",)) as picture:
        pixels = picture.convert("RGBA")
    opaque = pixels.getchannel("A").point([0, *[255] * 255])
    shown.paste(pixels, (patch.left, patch.top), opaque)


def _clear(shown: Any, patch: _Patch) -> None:
    right, bottom = patch.left + patch.width, patch.top + patch.height
    shown.paste((0, 0, 0, 0), (patch.left, patch.top, right, bottom))


def patches(data: Octets) -> Iterator[_Patch]:
    """Each frame, read from the blocks of the file (§15)."""
    flags = data[10]
    at = _SCREEN.size
    colours = data[at : at + _table_size(flags)]
    at += len(colours)
    control = b""
    for _ in range(MAX_FRAMES * 100):
        kind = data[at]
        if kind == _EXTENSION:
            end = _blocks_end(data, at + 2)
            if data[at + 1] == _CONTROL:
                control = data[at:end]
            at = end
        elif kind == _IMAGE:
            patch, at = _patch(data, at, colours, control)
            yield patch
            control = b""
        elif kind == _TRAILER:
            return
        else:
            raise undecodable("picture", "what is no block of a GIF stands between two")
    raise LimitError("the picture has too many blocks", limit="frames", maximum=MAX_FRAMES)


def _patch(data: Octets, at: int, colours: bytes, control: bytes) -> tuple[_Patch, int]:
    left, top, width, height, flags = _DESCRIPTOR.unpack_from(data, at + 1)
    table = at + 1 + _DESCRIPTOR.size
    pixels = table + _table_size(flags)
    own = data[table:pixels] or colours
    end = _blocks_end(data, pixels + 1)
    size = max(1, (len(own) // 3 - 1).bit_length())
    screen = _SCREEN.pack(b"GIF89a", width, height, 0x80 | size - 1, 0, 0)
    place = bytes([_IMAGE]) + _DESCRIPTOR.pack(0, 0, width, height, flags & 0x40)
    file = screen + own.ljust(3 << size, b"\0") + control + place + data[pixels:end] + b";"
    disposal = control[3] >> 2 & 7 if control else 0
    return _Patch(left, top, width, height, disposal, file), end


def _table_size(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _blocks_end(data: Octets, at: int) -> int:
    """Return the offset behind a run of data blocks (§15)."""
    while size := data[at]:
        at += 1 + size
    return at + 1
