"""Canvas of an animated GIF at a frame (GIF89a §18 to §23).

The decoder reads pixels; the frames are put together here, since decoders differ in what a frame
leaves behind: "restore to background" leaves nothing (transparent), as browsers have it.
"""

from __future__ import annotations

import io
import struct
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from permacite.errors import LimitError
from permacite.extract.media.decoders import MAX_FRAMES, Octets, admit, load, undecodable
from permacite.extract.text import nothing

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["canvas", "is_gif", "patches", "size"]

Box: TypeAlias = tuple[int, int, int, int]

_SCREEN = struct.Struct("<6sHHBBB")
_DESCRIPTOR = struct.Struct("<HHHHB")
_EXTENSION, _IMAGE, _TRAILER = 0x21, 0x2C, 0x3B
_CONTROL = 0xF9
_TO_BACKGROUND, _TO_PREVIOUS = 2, 3
_MAX_PIXELS_ON_THE_WAY = 1_000_000_000
_COPIES = 3
"""Octets that a pixel of a frame takes."""


class _Patch(NamedTuple):
    """One frame: where it lies, what it leaves behind, and a GIF file of it alone, in pieces."""

    left: int
    top: int
    right: int
    bottom: int
    control: bytes
    file: tuple[bytes, int, int]
    """What stands before its pixels, and where these are in the whole file."""

    @property
    def disposal(self) -> int:
        """What becomes of it after its time."""
        return self.control[3] >> 2 & 7 if self.control else 0

    @property
    def opaque(self) -> bool:
        """Whether none of its pixels is transparent."""
        return not (self.control and self.control[3] & 1)

    def meets(self, box: Box) -> bool:
        """Whether any of its pixels is in an area."""
        left, top, right, bottom = box
        return self.left < right and left < self.right and self.top < bottom and top < self.bottom

    def covers(self, box: Box) -> bool:
        """Whether it fills an area."""
        left, top, right, bottom = box
        return (
            self.left <= left and self.top <= top and self.right >= right and self.bottom >= bottom
        )


def is_gif(data: Octets) -> bool:
    """Whether `data` begins as a GIF."""
    return data[:6] in {b"GIF87a", b"GIF89a"}


def size(data: Octets) -> tuple[int, int]:
    """Return the size of the canvas."""
    _, width, height, *_ = _SCREEN.unpack_from(data)
    return width, height


def canvas(data: Octets, number: int, box: Box) -> Any:
    """Return an area of the canvas at frame `number`, counted from 0, as RGBA.

    Raises NotFoundError where there are fewer frames, PermaciteError for a file that is cut off or
    broken, LimitError for one too large.
    """
    if number > MAX_FRAMES:
        raise LimitError("the frame is too far on", limit="frames", maximum=MAX_FRAMES)
    try:
        frames = list(islice(patches(data), number + 1))
    except (struct.error, IndexError):
        raise undecodable("picture", "the file is cut off") from None
    if len(frames) <= number:
        nothing(str(number), f"the picture has {len(frames)} frames")
    counting = _that_count(frames, box)
    drawn = [one for one in counting if one.disposal != _TO_BACKGROUND or one is frames[-1]]
    pixels = [(one.right - one.left) * (one.bottom - one.top) for one in drawn]
    if sum(pixels) > _MAX_PIXELS_ON_THE_WAY:
        raise LimitError("the frame is too far on", limit="pixels", maximum=_MAX_PIXELS_ON_THE_WAY)
    admit(max(pixels, default=0) * _COPIES)
    shown = load("PIL.Image").new("RGBA", (box[2] - box[0], box[3] - box[1]))
    for one in counting:
        if one.disposal != _TO_BACKGROUND or one is frames[-1]:
            _draw(data, shown, one, box)
        else:
            _clear(shown, one, box)
    return shown


def _that_count(frames: list[_Patch], box: Box) -> list[_Patch]:
    """Return the frames that leave something in an area until the last one, which is the last."""
    *earlier, last = frames
    counting = [patch for patch in earlier if patch.disposal != _TO_PREVIOUS and patch.meets(box)]
    counting += [last] if last.meets(box) else []
    for index in range(len(counting) - 1, -1, -1):
        patch = counting[index]
        cleared = patch.disposal == _TO_BACKGROUND and patch is not last
        if patch.covers(box) and (patch.opaque or cleared):
            return counting[index:]
    return counting


def _draw(data: Octets, shown: Any, patch: _Patch, box: Box) -> None:
    head, start, end = patch.file
    file = io.BytesIO(head + data[start:end] + b";")
    with load("PIL.Image").open(file, formats=("GIF",)) as picture:
        left, top = max(0, box[0] - patch.left), max(0, box[1] - patch.top)
        right, bottom = min(patch.right, box[2]), min(patch.bottom, box[3])
        part = picture.crop((left, top, right - patch.left, bottom - patch.top)).convert("RGBA")
    place = patch.left + left - box[0], patch.top + top - box[1]
    opaque = part.getchannel("A").point([0, *[255] * 255])
    shown.paste(part, place, opaque)


def _clear(shown: Any, patch: _Patch, box: Box) -> None:
    left, top = max(0, patch.left - box[0]), max(0, patch.top - box[1])
    right, bottom = min(patch.right, box[2]) - box[0], min(patch.bottom, box[3]) - box[1]
    shown.paste((0, 0, 0, 0), (left, top, right, bottom))


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
    head = screen + own.ljust(3 << size, b"\0") + control + place
    return _Patch(left, top, left + width, top + height, control, (head, pixels, end)), end


def _table_size(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _blocks_end(data: Octets, at: int) -> int:
    """Return the offset behind a run of data blocks (§15)."""
    while size := data[at]:
        at += 1 + size
    return at + 1
