"""One small document of every format that is let in, made on the spot by encoders that are at hand.

What opens files, what decodes how exactly and what breaks are tested over this one list. Where an
encoder is rare, there is a file that it once made (`made/generate.py`).
"""

from __future__ import annotations

import io
import math
import struct
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FORMATS", "HEADS", "Format", "content_of", "encoded_sound", "encoded_video"]

PICTURE = (40, 30)
FRAMES, FRAMES_PER_SECOND = 12, 10
SECONDS = 1


@dataclass(frozen=True, slots=True)
class Format:
    """A document of a format: `content_of` makes it, `fragment` names a part from its middle."""

    name: str
    media_type: str
    fragment: str
    make: Callable[[], bytes]

    @property
    def kind(self) -> str:
        """What it is: "image", "audio" or "video"."""
        return self.media_type.partition("/")[0]


@cache
def content_of(one: Format) -> bytes:
    """Return the octets; the same whenever they are asked for."""
    return one.make()


# ---------------------------------------------------------------- pictures


def _av() -> Any:
    """Return the encoders."""
    import av  # noqa: PLC0415 - the extra may be missing

    return av


def pixels(mode: str, size: tuple[int, int] = PICTURE) -> Any:
    """Return a picture in which no two rows and no two columns are alike."""
    from PIL import Image  # noqa: PLC0415 - the extra may be missing

    width, height = size
    made = Image.new("RGBA", size)
    made.putdata(
        [
            (x * 255 // width, y * 255 // height, (x * y) % 256, 255 - (x + y) % 128)
            for y in range(height)
            for x in range(width)
        ]
    )
    if mode == "I;16":
        made = Image.new("I;16", size)
        made.putdata([x * 1500 + y * 40 for y in range(height) for x in range(width)])
        return made
    return made.convert("RGB").convert(mode) if mode not in {"RGBA", "LA"} else made.convert(mode)


def picture(kind: str, mode: str = "RGB", **options: object) -> Callable[[], bytes]:
    """Return what makes a picture of a kind."""

    def make() -> bytes:
        target = io.BytesIO()
        pixels(mode).save(target, kind, **options)
        return target.getvalue()

    return make


def animation(kind: str, **options: object) -> Callable[[], bytes]:
    """Return what makes an animation of three pictures, each of another brightness."""

    def make() -> bytes:
        first = pixels("RGB")
        more = [first.point([min(255, v + n * 30) for v in range(256)] * 3) for n in (1, 2)]
        target = io.BytesIO()
        first.save(target, kind, save_all=True, append_images=more, **options)
        return target.getvalue()

    return make


def deep_png() -> bytes:
    """Return a PNG of 16 bits in three channels."""
    av = _av()
    width, height = PICTURE
    frame = av.VideoFrame(width, height, "rgb48be")
    row = b"".join(struct.pack(">3H", x * 1600, x * 900 + 7, 65535 - x) for x in range(width))
    frame.planes[0].update(row.ljust(frame.planes[0].line_size, b"\0") * height)
    encoder = av.CodecContext.create("png", "w")
    encoder.width, encoder.height, encoder.pix_fmt = width, height, "rgb48be"
    encoder.time_base = Fraction(1)
    return b"".join(map(bytes, [*encoder.encode(frame), *encoder.encode(None)]))


_RECT, _RECT_OF_FRAME = "rect=(3,2),(21,17)", "rect=(3,2),(21,17),2"
_PICTURES = [
    ("png", "png", _RECT, picture("PNG")),
    ("png-rgba", "png", _RECT, picture("PNG", "RGBA")),
    ("png-palette", "png", _RECT, picture("PNG", "P")),
    ("png-bits", "png", _RECT, picture("PNG", "1")),
    ("png-grey16", "png", _RECT, picture("PNG", "I;16")),
    ("png-rgb16", "png", _RECT, deep_png),
    ("apng", "png", _RECT_OF_FRAME, animation("PNG")),
    ("jpeg", "jpeg", _RECT, picture("JPEG", quality=85)),
    ("jpeg-progressive", "jpeg", _RECT, picture("JPEG", progressive=True, subsampling=0)),
    ("jpeg-grey", "jpeg", _RECT, picture("JPEG", "L")),
    ("jpeg-cmyk", "jpeg", _RECT, picture("JPEG", "CMYK")),
    ("gif", "gif", _RECT, picture("GIF", "P")),
    ("gif-animation", "gif", _RECT_OF_FRAME, animation("GIF")),
    ("webp", "webp", _RECT, picture("WEBP", quality=80)),
    ("webp-lossless", "webp", _RECT, picture("WEBP", "RGBA", lossless=True, exact=True)),
    ("webp-animation", "webp", _RECT_OF_FRAME, animation("WEBP", lossless=True)),
    ("tiff", "tiff", _RECT, picture("TIFF")),
    ("tiff-lzw", "tiff", _RECT, picture("TIFF", compression="tiff_lzw")),
    ("tiff-deflate", "tiff", _RECT, picture("TIFF", compression="tiff_adobe_deflate")),
    ("tiff-jpeg", "tiff", _RECT, picture("TIFF", compression="jpeg")),
    ("tiff-fax", "tiff", _RECT, picture("TIFF", "1", compression="group4")),
    ("tiff-cmyk", "tiff", _RECT, picture("TIFF", "CMYK")),
    ("tiff-pages", "tiff", _RECT_OF_FRAME, animation("TIFF")),
    ("bmp", "bmp", _RECT, picture("BMP")),
    ("ico", "vnd.microsoft.icon", "rect=(3,2),(13,11)", picture("ICO", "RGBA", sizes=[(16, 16)])),
    ("avif", "avif", _RECT, picture("AVIF", quality=80)),
    ("avif-lossless", "avif", _RECT, picture("AVIF", quality=100, subsampling="4:4:4")),
    ("jp2", "jp2", _RECT, picture("JPEG2000")),
    ("ppm", "x-portable-pixmap", _RECT, picture("PPM")),
    ("pgm", "x-portable-graymap", _RECT, picture("PPM", "L")),
]  # fmt: skip


# ---------------------------------------------------------------- sound


_LAYOUTS = ("s16", "s16p", "fltp")
"""The layouts of samples that are taken first, of those that an encoder knows."""


def encoded_sound(
    container: str, codec: str, layout: str = "stereo", rate: int = 44100, **options: str
) -> bytes:
    """Return a second of two tones that rise, a channel each."""
    av = _av()
    target = io.BytesIO()
    with av.open(target, "w", format=container, options={"fflags": "+bitexact"}) as out:
        stream = out.add_stream(codec, rate=rate, layout=layout, options=options)
        context = stream.codec_context
        known = {each.name for each in context.codec.audio_formats or ()}
        context.format = next((name for name in _LAYOUTS if name in known), context.format)
        context.bit_rate = 128_000
        context.open()
        fitted = av.AudioResampler(context.format, layout, rate, context.frame_size or 1024)
        for piece in [*fitted.resample(tones(layout, rate)), *fitted.resample(None)]:
            out.mux(stream.encode(piece))
        out.mux(stream.encode(None))
    return target.getvalue()


def tones(layout: str, rate: int) -> Any:
    """Return the samples of the sound."""
    av = _av()
    channels = 2 if layout == "stereo" else 1
    frame = av.AudioFrame(format="s16", layout=layout, samples=rate * SECONDS)
    samples = [
        int(12000 * math.sin(2 * math.pi * (220 * (1 + channel) + 110 * n / rate) * n / rate))
        for n in range(rate * SECONDS)
        for channel in range(channels)
    ]
    frame.planes[0].update(
        struct.pack(f"<{len(samples)}h", *samples).ljust(frame.planes[0].buffer_size, b"\0")
    )
    frame.sample_rate, frame.pts = rate, 0
    return frame


def dsf() -> bytes:
    """Return a sound of one bit a sample, 2,822,400 a second, in one channel (DSF 1.01)."""
    blocks = 20
    form = struct.pack(
        "<4sQIIIIIIQII", b"fmt ", 52, 1, 0, 1, 1, 2822400, 1, blocks * 32768, 4096, 0
    )
    samples = b"\x69\x96" * (blocks * 2048)
    data = struct.pack("<4sQ", b"data", len(samples) + 12) + samples
    return struct.pack("<4sQQQ", b"DSD ", 28, 28 + len(form) + len(data), 0) + form + data


def oma() -> bytes:
    """Return the two tones as plain samples in Sony's OpenMG, whose codec 4 they are."""
    head = b"EA3\x01\0\x60" + b"\xff" * 2 + bytes(24) + b"\x04" + bytes(63)
    samples = struct.unpack(f"<{2 * 44100}h", bytes(tones("stereo", 44100).planes[0])[: 4 * 44100])
    return head + struct.pack(f">{len(samples)}h", *samples)


def made_before(name: str) -> Callable[[], bytes]:
    """Return what reads a file that an encoder made which is not at hand."""
    return (Path(__file__).parent / "made" / name).read_bytes


_PART = "msec=300,450"
_SOUNDS: list[Any] = [
    # name, media type, container, codec, layout, rate, options
    ("wav", "wav", "wav", "pcm_s16le"),
    ("wav-8", "wav", "wav", "pcm_u8", "mono", 8000),
    ("wav-24", "wav", "wav", "pcm_s24le"),
    ("wav-32", "wav", "wav", "pcm_s32le"),
    ("wav-float", "wav", "wav", "pcm_f32le"),
    ("wav-double", "wav", "wav", "pcm_f64le"),
    ("wav-a-law", "wav", "wav", "pcm_alaw", "mono", 8000),
    ("wav-mu-law", "wav", "wav", "pcm_mulaw", "mono", 8000),
    ("wav-adpcm", "wav", "wav", "adpcm_ms"),
    ("w64", "x-w64", "w64", "pcm_s16le"),
    ("aiff", "aiff", "aiff", "pcm_s16be"),
    ("au", "basic", "au", "pcm_s16be"),
    ("caf", "x-caf", "caf", "pcm_s16be"),
    ("voc", "x-voc", "voc", "pcm_u8", "mono", 8000),
    ("mp3", "mpeg", "mp3", "libmp3lame"),
    ("mp2", "mpeg", "mp2", "mp2"),
    ("aac", "aac", "adts", "aac"),
    ("ac3", "ac3", "ac3", "ac3"),
    ("eac3", "eac3", "eac3", "eac3"),
    ("flac", "flac", "flac", "flac"),
    ("tta", "x-tta", "tta", "tta"),
    ("wavpack", "x-wavpack", "wv", "wavpack"),
    ("ogg-vorbis", "ogg", "ogg", "vorbis", "stereo", 44100, {"strict": "-2"}),
    ("ogg-opus", "ogg", "ogg", "libopus", "stereo", 48000),
    ("ogg-flac", "ogg", "ogg", "flac"),
    ("matroska", "matroska", "matroska", "flac"),
    ("webm", "webm", "webm", "libopus", "stereo", 48000),
    ("mp4-aac", "mp4", "mp4", "aac"),
    ("mp4-alac", "mp4", "ipod", "alac"),
    ("mov", "quicktime", "mov", "pcm_s16be"),
    ("avi", "x-msvideo", "avi", "pcm_s16le"),
    ("mpegts", "mp2t", "mpegts", "aac"),
    ("mpeg", "mpeg", "mpeg", "mp2"),
    ("flv", "x-flv", "flv", "libmp3lame"),
    ("asf", "x-ms-wma", "asf", "wmav2"),
    ("rm", "x-pn-realaudio", "rm", "ac3"),
]


def _sound(name: str, minor: str, container: str, codec: str, *more: Any) -> Format:
    usual: tuple[Any, ...] = ("stereo", 44100, {})
    layout, rate, options = more + usual[len(more) :]

    def make() -> bytes:
        return encoded_sound(container, codec, layout, rate, **options)

    return Format(f"sound-{name}", f"audio/{minor}", _PART, make)


# ---------------------------------------------------------------- video


def encoded_video(
    container: str,
    codec: str,
    layout: str = "yuv420p",
    size: tuple[int, int] = (64, 48),
    rate: int = FRAMES_PER_SECOND,
    **options: str,
) -> bytes:
    """Return twelve pictures in which a bright edge moves to the right."""
    av = _av()
    target = io.BytesIO()
    with av.open(target, "w", format=container, options={"fflags": "+bitexact"}) as out:
        stream = out.add_stream(codec, rate=rate, options={"threads": "1", **options})
        stream.width, stream.height = size
        stream.pix_fmt = layout
        for number in range(FRAMES):
            out.mux(stream.encode(moving(number, size).reformat(format=layout)))
        out.mux(stream.encode(None))
    return target.getvalue()


def moving(number: int, size: tuple[int, int]) -> Any:
    """Return one of the pictures."""
    av = _av()
    width, height = size
    frame = av.VideoFrame(width, height, "yuv420p")
    for plane, start in zip(frame.planes, (40, 90, 150), strict=True):
        edge = plane.width * number // FRAMES
        row = bytes((start + x) % 200 + 20 for x in range(edge)) + bytes([start]) * plane.width
        plane.update(row[: plane.width].ljust(plane.line_size, b"\0") * plane.height)
    frame.pts = number
    return frame


_CLIP = "msec=300,700"
_DV = ("yuv420p", (720, 576), 25)
_VIDEOS: list[Any] = [
    # name, media type, container, codec, layout, size, rate
    ("mp4-h264", "mp4", "mp4", "libx264"),
    ("mp4-hevc", "mp4", "mp4", "libx265"),
    ("mp4-mpeg4", "mp4", "mp4", "mpeg4"),
    ("mp4-av1", "mp4", "mp4", "libsvtav1", "yuv420p", (64, 64)),
    ("mov-mjpeg", "quicktime", "mov", "mjpeg", "yuvj420p"),
    ("mov-prores", "quicktime", "mov", "prores_ks", "yuv422p10le"),
    ("matroska-ffv1", "matroska", "matroska", "ffv1"),
    ("matroska-h264", "matroska", "matroska", "libx264", "yuv444p"),
    ("webm-vp8", "webm", "webm", "libvpx"),
    ("webm-vp9", "webm", "webm", "libvpx-vp9"),
    ("ogg-vp8", "ogg", "ogg", "libvpx"),
    ("avi-mpeg4", "x-msvideo", "avi", "mpeg4"),
    ("avi-huffyuv", "x-msvideo", "avi", "huffyuv", "yuv422p"),
    ("mpegts-h264", "mp2t", "mpegts", "libx264"),
    ("mpegts-mpeg2", "mp2t", "mpegts", "mpeg2video", "yuv420p", (64, 48), 25),
    ("mpeg-mpeg1", "mpeg", "mpeg", "mpeg1video", "yuv420p", (64, 48), 25),
    ("flv", "x-flv", "flv", "flv"),
    ("asf-wmv2", "x-ms-wmv", "asf", "wmv2"),
    ("rm", "vnd.rn-realvideo", "rm", "rv20", "yuv420p", (176, 144)),
    ("dv", "dv", "dv", "dvvideo", *_DV),
    ("h264", "h264", "h264", "libx264"),
    ("hevc", "h265", "hevc", "libx265"),
    ("ivf", "x-ivf", "ivf", "libvpx-vp9"),
    ("m4v", "x-m4v", "m4v", "mpeg4"),
    ("mpegvideo", "mpv", "mpeg1video", "mpeg1video", "yuv420p", (64, 48), 25),
    ("mjpeg", "x-motion-jpeg", "mjpeg", "mjpeg", "yuvj420p"),
    ("obu", "av1", "obu", "libsvtav1", "yuv420p", (64, 64)),
    ("y4m", "x-yuv4mpeg", "yuv4mpegpipe", "wrapped_avframe"),
]


def _video(name: str, minor: str, container: str, codec: str, *more: Any) -> Format:
    def make() -> bytes:
        return encoded_video(container, codec, *more)

    return Format(f"video-{name}", f"video/{minor}", _CLIP, make)


FORMATS = [
    *[Format(f"picture-{row[0]}", f"image/{row[1]}", *row[2:]) for row in _PICTURES],
    *[_sound(*row) for row in _SOUNDS],
    Format("sound-dsf", "audio/x-dsf", "msec=10,40", dsf),
    Format("sound-oma", "audio/x-oma", _PART, oma),
    *[
        Format(f"sound-{name}", f"audio/{minor}", _PART, made_before(f"tones.{ending}"))
        for name, minor, ending in (
            ("ape", "x-ape", "ape"),
            ("dts", "vnd.dts", "dts"),
            ("gsm", "gsm", "gsm"),
            ("amr", "AMR", "amr"),
            ("mpc8", "x-musepack", "mpc"),
            ("amrwb", "AMR-WB", "awb"),
        )
    ],
    *[_video(*row) for row in _VIDEOS],
]
"""Every format that is let in."""

HEADS = {
    "mpc": b"MP+\x07" + bytes(60),
    "qcp": b"RIFF\xff\0\0\0QLCMfmt \x96\0\0\0" + bytes(150),
    "tak": b"tBaK\x01\x0a\0\0" + bytes(60),
}
"""The first octets of formats that nothing here writes: they are not read."""
