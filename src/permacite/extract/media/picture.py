"""Extraction of rectangles from pictures (PDI §3.4.5 Image).

Coordinates are those of the picture as it is displayed, its EXIF orientation applied; the lower
right corner is excluded. A frame of an animation is the whole canvas at that time; a frame of
a TIFF is a page. Samples keep their depth and their profile: the part is a PNG, or a TIFF where PNG
has no such colours.
"""

from __future__ import annotations

import hashlib
import io
import struct
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from permacite.errors import LimitError, PermaciteError
from permacite.extract.media import gif, png, tiff, tiff_samples
from permacite.extract.media.decoders import (
    MAX_FRAMES,
    MAX_OUTPUT_PIXELS,
    Octets,
    admit,
    file_of,
    load,
    undecodable,
)
from permacite.extract.media.png import LEFT_TO_RIGHT, TOP_TO_BOTTOM, TRANSPOSED
from permacite.extract.text import Excerpt, Extent, digest_of, extent, nothing

if TYPE_CHECKING:
    from permacite.extract.media.png import Deep

__all__ = ["PixelArea", "area", "rectangle"]

_FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "ICO", "AVIF", "JPEG2000", "PPM")
"""The readers that may be tried: none that runs another program."""

Box: TypeAlias = tuple[int, int, int, int]
Corners: TypeAlias = tuple[tuple[int, int], tuple[int, int]]

_HEIC = frozenset({b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1"})
"""What files of these begin with; an AVIF may begin so too, and names itself behind it."""
_AS_PNG = frozenset({"1", "L", "LA", "P", "RGB", "RGBA", "I;16"})
_ORIENTATION = 0x0112
_TURNED_BY_EXIF = frozenset({"JPEG", "MPO", "PNG", "AVIF"})
"""What browsers turn by EXIF; for AVIF the reader gives what the picture itself asks for."""
_COPIES = {
    "JPEG": 5,
    "MPO": 5,
    "PNG": 4,
    "BMP": 5,
    "PPM": 5,
    "JPEG2000": 24,
    "WEBP": 24,
    "AVIF": 16,
}
"""Octets that a reader takes for a pixel, all copies together; the others take as many as these."""
_OF_PROGRESSIVE = 11
"""The same for a JPEG in several scans, whose coefficients are kept."""
_OF_PAGE, _OF_DEEP_PNG = 9, 24
"""The same for what is read of a TIFF, and for a PNG of 16 bits."""
_OF_PART = 16
"""Octets that a pixel of the part takes: cut, turned, compared and written."""
_MARKER = 0xFF
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of a JPEG's frame, each of another process."""
_LOSSLESS = frozenset({0xC3, 0xCB})
"""Those whose colours decoders take for RGB or for YCbCr, each as it likes."""
_SHALLOW, _DEEP = 8, 10
_MAX_PIXELS = 500_000_000
_BAND = 1 << 20


class PixelArea(tuple[Extent, Extent]):
    """Two extents, across and down."""

    __slots__ = ()

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Left, top, right and bottom, the last two excluded."""
        return self[0].start, self[1].start, self[0].end, self[1].end

    @property
    def pixels(self) -> int:
        """How many there are."""
        return (self[0].end - self[0].start) * (self[1].end - self[1].start)

    @property
    def clipped(self) -> bool:
        """Whether the area reaches beyond the picture."""
        return self[0].clipped or self[1].clipped


def area(first: tuple[int, int], second: tuple[int, int], size: tuple[int, int]) -> PixelArea:
    """What of a rectangle lies in a picture. Raises NotFoundError where nothing does."""
    found = PixelArea(
        extent(first[axis], second[axis], size[axis], "pixels " + ("across", "down")[axis])
        for axis in (0, 1)
    )
    if found.pixels > MAX_OUTPUT_PIXELS:
        raise LimitError(
            f"the part has more than {MAX_OUTPUT_PIXELS} pixels",
            limit="pixels",
            maximum=MAX_OUTPUT_PIXELS,
        )
    return found


def rectangle(data: Octets, first: tuple[int, int], second: tuple[int, int], frame: int) -> Excerpt:
    """Return the pixels from corner `first` up to corner `second` of a frame."""
    corners = first, second
    images = _reader()
    formats = tuple(name for name in _FORMATS if name in images.OPEN)
    try:
        if tiff.is_tiff(data):
            return _of_page(data, corners, frame)
        if gif.is_gif(data):
            return _of_gif(data, corners, frame)
        _check_read(data)
        large = png.large(data) if frame == 0 else None
        if large is not None:
            return _of_large_png(data, large, corners)
        with images.open(file_of(data), formats=formats) as picture:
            _check_whole(data, picture)
            _check_depth(data, picture)
            if png.is_deep_png(data):
                return _of_deep_png(data, picture, corners, frame)
            return _of_picture(picture, corners, frame, len(data))
    except images.DecompressionBombError:
        maximum = 2 * images.MAX_IMAGE_PIXELS
        raise LimitError("the picture is too large", limit="pixels", maximum=maximum) from None
    except (PermaciteError, MemoryError):
        raise
    except Exception as error:  # whatever a decoder likes to raise for a broken file
        raise undecodable("picture", error) from error


@cache
def _reader() -> Any:
    """Load the decoder and all it can read, and have it keep its warnings to itself."""
    images = load("PIL.Image")
    images.init()
    warnings.filterwarnings("ignore", module=r"PIL\.")
    return images


# ---------------------------------------------------------------- each kind of file


def _of_picture(picture: Any, corners: Corners, frame: int, size: int) -> Excerpt:
    """Cut what is decoded whole. `size`: of the file, in octets."""
    each = _COPIES.get(picture.format, max(_COPIES.values()))
    if picture.info.get("progressive"):
        each = _OF_PROGRESSIVE
    admit(picture.width * picture.height * each + size)
    before = picture.size
    _seek(picture, frame)
    if picture.size != before:
        admit(picture.width * picture.height * each)
    orientation = _orientation(picture)
    found = area(*corners, _turned(picture.size, orientation))
    admit(_OF_PART * found.pixels)
    picture.load()
    part = picture.crop(_stored(found.box, orientation, picture.size))
    if picture.format in {"WEBP", "PNG"} and getattr(picture, "is_animated", False):
        part = part.convert("RGBA")
    return _excerpt(_oriented(part, orientation), clipped=found.clipped)


def _of_page(data: Octets, corners: Corners, frame: int) -> Excerpt:
    """Cut a page of a TIFF: only the strips or tiles that the area lies in are decoded."""
    page = tiff.page(data, frame)
    if isinstance(page, int):
        nothing(str(frame)[:80], f"the picture has {page} frames")
    orientation = page.orientation
    found = area(*corners, _turned(page.size, orientation))
    box = _stored(found.box, orientation, page.size)
    size = tiff.needed(page, box)
    _check_pixels(size)
    if tiff_samples.is_deep(page.samples):
        admit(tiff_samples.memory(page, box))
        part = tiff_samples.decode(page, box)
        shown = tiff_samples.picture_of(part, page)
        if shown is not None:
            return _excerpt(_oriented(shown, orientation), clipped=found.clipped)
        part = part.oriented(orientation)
        return _deep_excerpt(part, *tiff_samples.encode(part, page), clipped=found.clipped)
    admit(size[0] * size[1] * _OF_PAGE + _OF_PART * found.pixels)
    file, (left, top) = tiff.narrowed(page, box)
    with load("PIL.TiffImagePlugin").TiffImageFile(io.BytesIO(file)) as picture:
        picture.load()
        shown = picture.crop((box[0] - left, box[1] - top, box[2] - left, box[3] - top))
    return _excerpt(_oriented(shown, orientation), clipped=found.clipped)


def _of_large_png(data: Octets, large: png.Large, corners: Corners) -> Excerpt:
    """Cut a large PNG: out of a file of the rows that the area lies in."""
    _check_pixels((large.width, large.height))
    found = area(*corners, (large.width, large.height))
    admit(png.memory(large, found.box) + _OF_PART * found.pixels)
    file, first = png.narrowed(data, large, found.box)
    left, top, right, bottom = found.box
    box = left - first, 0, right - first, bottom - top
    if png.is_deep_png(file):
        part = png.decode_png(file).crop(box)
        file = png.encode_png(part, png.profile(file))
        return _deep_excerpt(part, file, "image/png", clipped=found.clipped)
    with load("PIL.PngImagePlugin").PngImageFile(io.BytesIO(file)) as picture:
        part = picture.crop(box)
    return _excerpt(part, clipped=found.clipped)


def _of_gif(data: Octets, corners: Corners, frame: int) -> Excerpt:
    """Cut a frame of a GIF: an area of its canvas."""
    found = area(*corners, gif.size(data))
    admit(_OF_PART * found.pixels)
    return _excerpt(gif.canvas(data, frame, found.box), clipped=found.clipped)


def _of_deep_png(data: Octets, picture: Any, corners: Corners, frame: int) -> Excerpt:
    """Cut a PNG of 16 bits in several channels, which the usual decoder makes 8."""
    if frame:
        _no_frame(frame, picture)
    orientation = _orientation(picture)
    found = area(*corners, _turned(picture.size, orientation))
    admit(picture.width * picture.height * _OF_DEEP_PNG + 2 * _OF_PART * found.pixels)
    shown = png.decode_png(data).crop(_stored(found.box, orientation, picture.size))
    part = shown.oriented(orientation)
    file = png.encode_png(part, png.profile(data))
    return _deep_excerpt(part, file, "image/png", clipped=found.clipped)


# ---------------------------------------------------------------- what they share


def _check_read(data: Octets) -> None:
    """Refuse by name the formats that browsers or cameras have, and no reader here."""
    if data[4:8] == b"ftyp" and data[8:12] in _HEIC and b"avif" not in data[12:64]:
        raise undecodable("picture", "HEIC is not read")
    if data[:2] == b"\xff\x0a" or data[:8] == b"\0\0\0\x0cJXL ":
        raise undecodable("picture", "JPEG XL is not read")
    if data[:2] == b"\xff\xd8" and _process(data) in _LOSSLESS:
        raise undecodable("picture", "lossless JPEG is not read")


def _check_whole(data: Octets, picture: Any) -> None:
    """Refuse files that were cut off, which decoders fill up with grey."""
    if picture.format in {"JPEG", "MPO"} and b"\xff\xd9" not in data[-65536:]:
        raise undecodable("picture", "the file is cut off")
    if picture.format == "PNG" and b"IEND" not in data[-65536:]:
        raise undecodable("picture", "the file is cut off")


def _process(data: Octets) -> int | None:
    """Return the marker of the first frame of a JPEG, which says its process (T.81 Table B.1)."""
    at = 2
    while at + 4 <= len(data) and data[at] == _MARKER:
        if data[at + 1] in _FRAMES:
            return data[at + 1]
        at += 1 if data[at + 1] == _MARKER else 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None


def _check_depth(data: Octets, picture: Any) -> None:
    """Refuse what the decoder would make eight bits a sample, without a word."""
    depths = []
    if picture.format == "AVIF":  # the bit of av1C that says 10 or 12 (AV1 in ISOBMFF §2.3.3)
        at = data.find(b"av1C", 0)
        while at >= 0:
            depths.append(_DEEP if data[at + 6] & 0x40 else _SHALLOW)
            at = data.find(b"av1C", at + 4)
    if picture.format == "JPEG2000" and len(picture.getbands()) > 1:
        at = data.find(b"\xff\x4f\xff\x51", 0) + 40  # behind the sizes (T.800 §A.5.1)
        (channels,) = struct.unpack_from(">H", data, at)
        depths = [(each & 0x7F) + 1 for each in data[at + 2 : at + 2 + 3 * channels : 3]]
    if max(depths, default=_SHALLOW) > _SHALLOW:
        raise undecodable("picture", "more than 8 bits a sample are not kept by the decoder")


def _check_pixels(size: tuple[int, int]) -> None:
    if size[0] * size[1] > _MAX_PIXELS:
        raise LimitError("the picture is too large", limit="pixels", maximum=_MAX_PIXELS)


def _seek(picture: Any, frame: int) -> None:
    if frame > MAX_FRAMES or (frame + 1) * picture.width * picture.height > _MAX_PIXELS:
        if frame >= getattr(picture, "n_frames", 1):
            _no_frame(frame, picture)
        raise LimitError("the frame is too far on", limit="frames", maximum=MAX_FRAMES)
    try:
        picture.seek(frame)
    except EOFError:
        _no_frame(frame, picture)


def _no_frame(frame: int, picture: Any) -> None:
    nothing(str(frame)[:80], f"the picture has {getattr(picture, 'n_frames', 1)} frames")


def _orientation(picture: Any) -> int:
    """Return how browsers turn a picture, as EXIF counts: by its EXIF alone, where they read it."""
    if picture.format not in _TURNED_BY_EXIF:
        return 1
    exif = _reader().Exif()
    exif.load(picture.info.get("exif", b""))
    turned = exif.get(_ORIENTATION, 1)
    return turned if turned in TRANSPOSED | LEFT_TO_RIGHT | TOP_TO_BOTTOM else 1


def _turned(size: tuple[int, int], orientation: int) -> tuple[int, int]:
    """Return the size of a picture as it is displayed, from that which is stored."""
    return size[::-1] if orientation in TRANSPOSED else size


def _stored(box: Box, orientation: int, size: tuple[int, int]) -> Box:
    """Return where an area of the displayed picture lies in the stored one, of this size."""
    left, top, right, bottom = box
    width, height = _turned(size, orientation)
    if orientation in TOP_TO_BOTTOM:
        top, bottom = height - bottom, height - top
    if orientation in LEFT_TO_RIGHT:
        left, right = width - right, width - left
    if orientation in TRANSPOSED:
        left, top, right, bottom = top, left, bottom, right
    return left, top, right, bottom


def _oriented(part: Any, orientation: int) -> Any:
    """Return a part as it is displayed."""
    turns = _reader().Transpose
    if orientation in TRANSPOSED:
        part = part.transpose(turns.TRANSPOSE)
    if orientation in LEFT_TO_RIGHT:
        part = part.transpose(turns.FLIP_LEFT_RIGHT)
    if orientation in TOP_TO_BOTTOM:
        part = part.transpose(turns.FLIP_TOP_BOTTOM)
    return part


def _excerpt(part: Any, *, clipped: bool) -> Excerpt:
    profile = part.info.get("icc_profile")
    target = io.BytesIO()
    if part.mode in _AS_PNG or part.mode.startswith("I;16"):
        part.save(target, "PNG", icc_profile=profile)
        kind = "image/png"
    else:
        part.save(target, "TIFF", compression="tiff_lzw", icc_profile=profile)
        kind = "image/tiff"
    return Excerpt(target.getvalue(), kind, None, None, clipped, _digest(part))


def _deep_excerpt(part: Deep, file: bytes, kind: str, *, clipped: bool) -> Excerpt:
    digest = digest_of(part.kind, b"".join(part.rows))
    return Excerpt(file, kind, None, None, clipped, digest)


def _digest(part: Any) -> str:
    """Return the digest of the pixels: RGBA, with colours zeroed where nothing is seen."""
    if part.mode.startswith(("I", "F", "CMYK", "LAB")):
        return digest_of(part.mode, part.tobytes())
    images = load("PIL.Image")
    digest = hashlib.sha256()
    rows = max(1, _BAND // part.width)
    for top in range(0, part.height, rows):
        band = part.crop((0, top, part.width, min(part.height, top + rows))).convert("RGBA")
        seen = band.getchannel("A").point([0, *[255] * 255])
        band = images.composite(band, images.new("RGBA", band.size), seen)
        digest.update(band.tobytes())
    return f"rgba8:{digest.hexdigest()}"
