"""Samples of a TIFF that the usual decoder would shorten: read and written octet for octet.

Integers of 8 bits with a sign, of 16, 32 and 64 bits, and floating ones, in any number of channels.
What a strip or tile is compressed by is undone by the decoder, to which its octets are shown as
grey ones; differences between neighbours (TIFF 6.0 §14, and supplement 3) are undone here.
"""

from __future__ import annotations

import io
import sys
import zlib
from array import array
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from permacite.extract.media import png
from permacite.extract.media.decoders import load, undecodable
from permacite.extract.media.png import Deep
from permacite.extract.media.tiff import BY_OCTETS, PROFILE, as_grey, file_with, needed

if TYPE_CHECKING:
    from permacite.extract.media.tiff import Box, Samples, TiffPage, Values

__all__ = ["decode", "encode", "is_deep", "memory", "picture_of"]

_GREY_AND_ALPHA = 2
_DIFFERENCES, _FLOAT_DIFFERENCES = 2, 3
"""Predictors."""
_BITS = frozenset({8, 16, 32, 64})
_UNSIGNED, _SIGNED, _FLOAT = 1, 2, 3
_FORMS = {_UNSIGNED: "u", _SIGNED: "i", _FLOAT: "f"}
_COLOURS = {0: "white-first", 1: "grey", 2: "rgb", 3: "palette", 5: "inks", 6: "ycbcr", 8: "lab"}
_SHALLOW = 8
_ALPHA = 2
_AS_PNG = {(1, 2, (_ALPHA,)): "ya16be", (2, 3, ()): "rgb48be", (2, 4, (_ALPHA,)): "rgba64be"}
_AS_PNG[2, 4, ()] = "rgba64be"
"""What PNG has at 16 bits: by colours, channels, and those beyond the colours."""
_AS_PICTURE = {
    "grey1u16be": ("I;16", "I;16B"),
    "grey1i16be": ("I", "I;16BS"),
    "grey1i32be": ("I", "I;32BS"),
    "grey1f32be": ("F", "F;32BF"),
    "grey1u8be": ("L", "L"),
    "grey2u8be": ("LA", "LA"),
    "rgb3u8be": ("RGB", "RGB"),
    "rgb4u8be": ("RGBA", "RGBA"),
}
"""What the usual decoder has a kind of picture for: its names of that, and of octets."""
_OF_EACH, _OF_PART = 4, 6
"""How often what is decoded is kept on the way, and the part of it."""
_WORDS = {16: "H", 32: "I", 64: "Q"}


def is_deep(samples: Samples) -> bool:
    """Whether samples are to be read here. Raises PermaciteError for those that nobody reads.

    The usual decoder shortens samples, mistakes those of compressed pages of the other byte order,
    and those of a page that keeps grey and its alpha apart or its bits in the other order.
    """
    bits = set(samples.bits)
    if max(bits) <= _SHALLOW and samples.form == _UNSIGNED:
        apart = samples.planes == _GREY_AND_ALPHA or samples.reversed
        return bits == {_SHALLOW} and apart and samples.compression in BY_OCTETS
    if len(bits) > 1 or not bits <= _BITS or samples.form not in _FORMS:
        said = ", ".join(map(str, samples.bits))
        raise undecodable("picture", f"samples of {said} bits are not read")
    if samples.compression not in BY_OCTETS:
        said = f"samples of {max(bits)} bits in compression {samples.compression}"
        raise undecodable("picture", f"{said} are not read")
    return True


def memory(found: TiffPage, box: Box) -> int:
    """Return the octets that reading an area takes."""
    across, down = needed(found, box)
    part = (box[2] - box[0]) * (box[3] - box[1])
    return (_OF_EACH * across * down + _OF_PART * part) * sum(found.samples.bits) // 8


def decode(found: TiffPage, box: Box) -> Deep:
    """Return an area: left, top, right and bottom as stored, the last two excluded."""
    samples = found.samples
    planes = [_plane(found, samples, box, number) for number in range(samples.planes)]
    octets = samples.bits[0] // 8
    rows = tuple(_together(each, octets) for each in zip(*planes, strict=True))
    bits, form = samples.bits[0], _FORMS[samples.form]
    kind = f"{_COLOURS[samples.photometric]}{samples.per_pixel}{form}{bits}be"
    if (bits, form) == (16, "u"):
        kind = _AS_PNG.get((samples.photometric, samples.per_pixel, samples.extra), kind)
    return Deep(kind, octets * samples.per_pixel, rows)


def picture_of(deep: Deep, found: TiffPage) -> Any:
    """Return samples as a picture of the usual kind, where there is such a one, else None."""
    mode, layout = _AS_PICTURE.get(deep.kind, ("", ""))
    extra = (_ALPHA,) if mode in {"LA", "RGBA"} else ()
    if not mode or found.samples.extra not in {extra, ()}:
        return None
    images = load("PIL.Image")
    picture = images.frombytes(mode, deep.size, b"".join(deep.rows), "raw", layout)
    colour = found.colour()
    if PROFILE in colour:
        picture.info["icc_profile"] = bytes(int(octet) for octet in colour[PROFILE][1])
    return picture


def encode(picture: Deep, found: TiffPage) -> tuple[bytes, str]:
    """Return a file of a part of a page, and its media type: PNG, or TIFF where that is no PNG."""
    colour = found.colour()
    if picture.kind in png.KINDS:
        profile = bytes(int(octet) for octet in colour[PROFILE][1]) if PROFILE in colour else b""
        packed = b"ICC\0\0" + zlib.compress(profile)
        chunks = png.chunk(b"iCCP", packed) if profile else b""
        return png.encode_png(picture, chunks), "image/png"
    samples = found.samples
    entries: dict[int, Values] = colour | {
        258: (3, samples.bits),
        259: (3, (8,)),
        277: (3, (samples.per_pixel,)),
        339: (3, (samples.form,) * samples.per_pixel),
    }
    pixels = zlib.compress(b"".join(picture.rows))
    shape = (None, picture.size[1])
    return file_with(picture.size, entries, shape, [pixels]), "image/tiff"


def _together(rows: tuple[bytes, ...], octets: int) -> bytes:
    """Return a row of all channels, from one row of each."""
    if len(rows) == 1:
        return rows[0]
    joined = bytearray(sum(map(len, rows)))
    for channel, row in enumerate(rows):
        for octet in range(octets):
            joined[channel * octets + octet :: len(rows) * octets] = row[octet::octets]
    return bytes(joined)


def _plane(found: TiffPage, samples: Samples, box: Box, number: int) -> list[bytes]:
    """Return the rows of an area, of all channels or of one that is stored apart."""
    channels = samples.per_pixel // samples.planes
    octets = samples.bits[0] // 8 * channels
    grey = as_grey(found, box, number, octets)
    with load("PIL.TiffImagePlugin").TiffImageFile(io.BytesIO(grey.file)) as picture:
        picture.load()
        pixels = picture.tobytes()
    wide, each = grey.size[0] * octets, grey.segment * octets
    first, last = ((edge - grey.corner[0]) * octets for edge in (box[0], box[2]))
    parts = []
    for at in range((box[1] - grey.corner[1]) * wide, (box[3] - grey.corner[1]) * wide, wide):
        tiles = (pixels[tile : tile + each] for tile in range(at, at + wide, each))
        row = b"".join(_undone(tile, samples, channels, found.order) for tile in tiles)
        parts.append(row[first:last])
    return parts


def _undone(row: bytes, samples: Samples, channels: int, order: str) -> bytes:
    """Return a row of one strip or tile with its differences added up, and big-endian."""
    bits = samples.bits[0]
    if samples.predictor == _FLOAT_DIFFERENCES:
        return _floats(row, channels, bits // 8)
    if bits == _SHALLOW:
        return _sums(row, channels) if samples.predictor == _DIFFERENCES else row
    words = array(_WORDS[bits], row)
    if (order == "<") != (sys.byteorder == "little"):
        words.byteswap()
    if samples.predictor == _DIFFERENCES:
        mask = (1 << bits) - 1
        for channel in range(channels):
            sums = accumulate(words[channel::channels])
            words[channel::channels] = array(_WORDS[bits], [total & mask for total in sums])
    if sys.byteorder == "little":
        words.byteswap()
    return words.tobytes()


def _sums(row: bytes, channels: int) -> bytes:
    joined = bytearray(row)
    for channel in range(channels):
        joined[channel::channels] = bytes(
            total & 255 for total in accumulate(row[channel::channels])
        )
    return bytes(joined)


def _floats(row: bytes, channels: int, octets: int) -> bytes:
    """Undo the differences of floating samples: the first octets of all stand before the second."""
    plain = _sums(row, channels)
    count = len(row) // octets
    joined = bytearray(len(row))
    for octet in range(octets):
        joined[octet::octets] = plain[octet * count : (octet + 1) * count]
    return bytes(joined)
