"""Cut rectangles out of pictures (PDI §3.4.5 Image).

Coordinates are those of the picture as it is displayed, its EXIF orientation applied; the lower
right corner is excluded. A frame of an animation is the whole canvas as it stands then; a frame of
a TIFF is a page. Samples keep their depth and their profile: the part is a PNG, or a TIFF where PNG
has no such colours.
"""

from __future__ import annotations

import io
import warnings
from functools import cache
from typing import Any

from permacite.errors import LimitError, PermaciteError
from permacite.extract.excerpt import Excerpt, Extent, digest_of, extent, nothing
from permacite.extract.media import deep_png, gif
from permacite.extract.media.decoders import (
    MAX_FRAMES,
    MAX_OUTPUT_PIXELS,
    Octets,
    admit,
    file_of,
    load,
    undecodable,
)

__all__ = ["Area", "area", "rectangle"]

_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP", "ICO", "AVIF", "JPEG2000", "PPM")
"""The readers that may be tried: none that runs another program."""

_AS_PNG = frozenset({"1", "L", "LA", "P", "RGB", "RGBA", "I;16"})
_BITS_PER_SAMPLE = 258
_ORIENTATION = 0x0112
_SHALLOW = 8
_CHANNELS, _COPIES = 4, 4
"""What the decoder keeps of a pixel, and how often: decoded, composed, turned, cut and compared."""
_MAX_PIXELS_ON_THE_WAY = 500_000_000


class Area(tuple[Extent, Extent]):
    """Two extents, across and down."""

    __slots__ = ()

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Left, top, right and bottom, the last two excluded."""
        return self[0].start, self[1].start, self[0].end, self[1].end

    @property
    def clipped(self) -> bool:
        """Whether the area reaches beyond the picture."""
        return self[0].clipped or self[1].clipped


def area(first: tuple[int, int], second: tuple[int, int], size: tuple[int, int]) -> Area:
    """What of a rectangle lies in a picture. Raises NotFoundError where nothing does."""
    found = Area(
        extent(first[axis], second[axis], size[axis], "pixels " + ("across", "down")[axis])
        for axis in (0, 1)
    )
    pixels = (found[0].end - found[0].start) * (found[1].end - found[1].start)
    if pixels > MAX_OUTPUT_PIXELS:
        raise LimitError(
            f"the part has more than {MAX_OUTPUT_PIXELS} pixels",
            limit="pixels",
            maximum=MAX_OUTPUT_PIXELS,
        )
    return found


def rectangle(data: Octets, first: tuple[int, int], second: tuple[int, int], frame: int) -> Excerpt:
    """Return the pixels from corner `first` up to corner `second` of a frame."""
    images = _reader()
    formats = tuple(name for name in _FORMATS if name in images.OPEN)
    try:
        with images.open(file_of(data), formats=formats) as picture:
            _check_whole(data, picture)
            admit(_memory(picture))
            if deep_png.is_deep(data):
                shown = _deep(data, picture, frame)
                found = area(first, second, shown.size)
                return _deep_excerpt(data, shown.crop(found.box), clipped=found.clipped)
            shown = load("PIL.ImageOps").exif_transpose(_canvas(data, picture, frame))
            found = area(first, second, shown.size)
            return _excerpt(shown.crop(found.box), clipped=found.clipped)
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


def _memory(picture: Any) -> int:
    """Return the memory in octets that decoding takes, by what the header says."""
    deep = picture.mode.startswith(("I", "F")) or picture.format in {"PNG", "TIFF"}
    return int(picture.width * picture.height * _CHANNELS * (2 if deep else 1) * _COPIES)


def _check_whole(data: Octets, picture: Any) -> None:
    """Refuse files that were cut off, which decoders fill up with grey."""
    if picture.format == "JPEG" and b"\xff\xd9" not in data[-65536:]:
        raise undecodable("picture", "the file is cut off")
    if picture.format == "PNG" and b"IEND" not in data[-65536:]:
        raise undecodable("picture", "the file is cut off")


def _check_depth(picture: Any) -> None:
    """Refuse what would lose samples silently."""
    if picture.format != "TIFF" or picture.mode not in {"RGB", "RGBA", "CMYK"}:
        return
    depths = picture.tag_v2.get(_BITS_PER_SAMPLE, (_SHALLOW,))
    if max(depths) > _SHALLOW:
        raise undecodable("picture", f"{max(depths)} bits a sample are not kept by the decoder")


def _seek(picture: Any, frame: int) -> None:
    if frame > MAX_FRAMES or (frame + 1) * picture.width * picture.height > _MAX_PIXELS_ON_THE_WAY:
        if frame >= getattr(picture, "n_frames", 1):
            _no_frame(frame, picture)
        raise LimitError("the frame is too far on", limit="frames", maximum=MAX_FRAMES)
    try:
        picture.seek(frame)
    except EOFError:
        _no_frame(frame, picture)


def _no_frame(frame: int, picture: Any) -> None:
    nothing(str(frame)[:80], f"the picture has {getattr(picture, 'n_frames', 1)} frames")


def _canvas(data: Octets, picture: Any, frame: int) -> Any:
    """Return the frame decoded; of an animation, the whole picture as it stands then."""
    if gif.is_gif(data):
        shown = gif.canvas(data, frame)
        if isinstance(shown, int):
            nothing(str(frame)[:80], f"the picture has {shown} frames")
        return shown
    _check_depth(picture)
    _seek(picture, frame)
    picture.load()
    if picture.format in {"WEBP", "PNG"} and getattr(picture, "is_animated", False):
        return picture.convert("RGBA")
    return picture


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


def _digest(part: Any) -> str:
    """Return the digest of the pixels: RGBA, with colours zeroed where nothing is seen."""
    if part.mode.startswith(("I", "F", "CMYK", "LAB")):
        return digest_of(part.mode, part.tobytes())
    images = load("PIL.Image")
    pixels = part.convert("RGBA")
    seen = pixels.getchannel("A").point([0, *[255] * 255])
    pixels = images.composite(pixels, images.new("RGBA", pixels.size), seen)
    return digest_of("rgba8", pixels.tobytes())


def _deep(data: Octets, picture: Any, frame: int) -> deep_png.Deep:
    """Decode a PNG of 16 bits in several channels, which the usual decoder makes 8."""
    if frame:
        _no_frame(frame, picture)
    return deep_png.decode(data).oriented(picture.getexif().get(_ORIENTATION, 1))


def _deep_excerpt(data: Octets, part: deep_png.Deep, *, clipped: bool) -> Excerpt:
    digest = digest_of(part.kind, b"".join(part.rows))
    return Excerpt(part.encode(deep_png.profile(data)), "image/png", None, None, clipped, digest)
