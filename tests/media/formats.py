"""One small document of every format that is let in, made on the spot by encoders that are at hand.

What opens files, what decodes how exactly and what breaks are tested over this one list. Where an
encoder is rare, there is a file that it once made (`made/generate.py`).
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import struct
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.media.once import MadeOnce

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "FORMATS",
    "HEADS",
    "Format",
    "content_of",
    "encoded_sound",
    "encoded_video",
    "made_before",
]

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
    return MadeOnce.octets(f"format-{one.name}", one.make)


# ---------------------------------------------------------------- pictures


def _av() -> Any:
    """Return the encoders."""
    import av

    return av


def pixels(mode: str, size: tuple[int, int] = PICTURE) -> Any:
    """Return a picture in which no two rows and no two columns are alike."""
    from PIL import Image

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


def plain_ppm() -> bytes:
    """Return a PPM whose samples are written in figures (P3)."""
    samples = " ".join(map(str, pixels("RGB").tobytes()))
    return f"P3 {PICTURE[0]} {PICTURE[1]} 255\n{samples}\n".encode()


def bmp_of_runs(bits: int) -> bytes:
    """Return a BMP of runs (RLE8 or RLE4): in each row ten runs of four pixels, and its end."""
    width, height = PICTURE
    count = 1 << bits
    runs = b"".join(
        b"".join(bytes([4, (x * 25 + y) % 256]) for x in range(width // 4)) + b"\0\0"
        for y in range(height)
    )
    colours = b"".join(bytes([n, 255 - n, n * 7 % 256, 0]) for n in range(count))
    kind = 1 if bits == 8 else 2
    form = struct.pack("<3i2H6I", 40, width, height, 1, bits, kind, len(runs) + 2, 0, 0, count, 0)
    head = struct.pack("<2sIHHI", b"BM", 56 + 4 * count + len(runs), 0, 0, 54 + 4 * count)
    return head + form + colours + runs + b"\0\1"


_RECT, _RECT_OF_FRAME = "rect=(3,2),(21,17)", "rect=(3,2),(21,17),2"
_PICTURES: list[tuple[str, str, str, Callable[[], bytes]]] = [
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
    ("tiff-packbits", "tiff", _RECT, picture("TIFF", compression="packbits")),
    ("tiff-fax3", "tiff", _RECT, picture("TIFF", "1", compression="group3")),
    ("tiff-ccitt", "tiff", _RECT, picture("TIFF", "1", compression="tiff_ccitt")),
    ("tiff-deflate-old", "tiff", _RECT, picture("TIFF", compression="tiff_deflate")),
    ("tiff-lzma", "tiff", _RECT, picture("TIFF", compression="lzma")),
    ("tiff-zstd", "tiff", _RECT, picture("TIFF", compression="zstd")),
    ("tiff-palette", "tiff", _RECT, picture("TIFF", "P")),
    ("tiff-grey16", "tiff", _RECT, picture("TIFF", "I;16")),
    ("tiff-lab", "tiff", _RECT, picture("TIFF", "LAB")),
    ("tiff-pages", "tiff", _RECT_OF_FRAME, animation("TIFF")),
    ("bmp", "bmp", _RECT, picture("BMP")),
    ("bmp-palette", "bmp", _RECT, picture("BMP", "P")),
    ("bmp-rgba", "bmp", _RECT, picture("BMP", "RGBA")),
    ("bmp-bits", "bmp", _RECT, picture("BMP", "1")),
    ("bmp-runs", "bmp", _RECT, partial(bmp_of_runs, 8)),
    ("bmp-runs4", "bmp", _RECT, partial(bmp_of_runs, 4)),
    ("ico", "vnd.microsoft.icon", "rect=(3,2),(13,11)", picture("ICO", "RGBA", sizes=[(16, 16)])),
    ("avif", "avif", _RECT, picture("AVIF", quality=80)),
    ("avif-lossless", "avif", _RECT, picture("AVIF", quality=100, subsampling="4:4:4")),
    ("jp2", "jp2", _RECT, picture("JPEG2000")),
    ("ppm", "x-portable-pixmap", _RECT, picture("PPM")),
    ("pgm", "x-portable-graymap", _RECT, picture("PPM", "L")),
    ("pbm", "x-portable-bitmap", _RECT, picture("PPM", "1")),
    ("ppm-plain", "x-portable-pixmap", _RECT, plain_ppm),
    ("pfm", "x-portable-floatmap", _RECT, picture("PPM", "F")),
    ("jp2-stream", "jp2", _RECT, picture("JPEG2000", no_jp2=True)),
    ("jp2-lossy", "jp2", _RECT, picture("JPEG2000", irreversible=True)),
    ("ico-bmp", "vnd.microsoft.icon", "rect=(3,2),(13,11)",
     picture("ICO", "RGBA", sizes=[(16, 16)], bitmap_format="bmp")),
    ("jpeg-mpo", "jpeg", _RECT, animation("MPO")),
    ("png-grey-alpha", "png", _RECT, picture("PNG", "LA")),
    ("webp-alpha", "webp", _RECT, picture("WEBP", "RGBA", quality=80)),
]  # fmt: skip
_RARE_PICTURES = {
    "arithmetic.jpg": "jpeg", "arithmetic-scans.jpg": "jpeg",
    "interlaced.png": "png", "interlaced.gif": "gif", "alpha.jp2": "jp2",
    "555.bmp": "bmp", "565.bmp": "bmp", "os2.bmp": "bmp", "alpha.bmp": "bmp",
    "planes.tif": "tiff", "lsb.tif": "tiff", "msb.tif": "tiff", "tiles.tif": "tiff",
    "rgb16.tif": "tiff", "float.tif": "tiff", "white.tif": "tiff",
}  # fmt: skip
"""Minor types of the pictures that an encoder made which is not at hand, by their files' names."""


# ---------------------------------------------------------------- sound


_LAYOUTS = ("s16", "s16p", "fltp")
"""The layouts of samples that are taken first, of those that an encoder knows."""


def encoded_sound(
    container: str, codec: str, layout: str = "stereo", rate: int = 44100, **options: str
) -> bytes:
    """Return a second of two tones that rise, a channel each."""
    av = _av()
    target = io.BytesIO()
    with av.open(target, "w", format=container, options={"fflags": "+bitexact"} | options) as out:
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


def dsf(order: int = 1) -> bytes:
    """Return a sound of one bit a sample, 2,822,400 a second, in one channel (DSF 1.01).

    `order`: 1 where the lowest bit of an octet is the first, 8 where it is the highest.
    """
    blocks = 20
    form = struct.pack(
        "<4sQIIIIIIQII", b"fmt ", 52, 1, 0, 1, 1, 2822400, order, blocks * 32768, 4096, 0
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


def repacked(name: str, container: str) -> Callable[[], bytes]:
    """Return what puts the packets of such a file into another container."""

    def make() -> bytes:
        av = _av()
        target = io.BytesIO()
        options = {"fflags": "+bitexact"}
        with (
            av.open(io.BytesIO(made_before(name)())) as source,
            av.open(target, "w", format=container, options=options) as out,
        ):
            stream = out.add_stream_from_template(source.streams[0], opaque=True)
            for packet in source.demux():
                if packet.size:
                    packet.stream = stream
                    out.mux(packet)
        return target.getvalue()

    return make


def film(
    container: str, codec: str, sound_codec: str, size: tuple[int, int] = (64, 48)
) -> Callable[[], bytes]:
    """Return what makes twelve pictures, 25 a second, with the tones beside them."""

    def make() -> bytes:
        av = _av()
        target = io.BytesIO()
        with av.open(target, "w", format=container, options={"fflags": "+bitexact"}) as out:
            pictures = out.add_stream(codec, rate=25)
            pictures.width, pictures.height, pictures.pix_fmt = *size, "yuv420p"
            sound = out.add_stream(sound_codec, rate=_RATE, layout="stereo")
            sound.codec_context.open()
            length = sound.codec_context.frame_size or _RATE // 25
            fitted = av.AudioResampler("s16", "stereo", _RATE, length)
            samples = iter(fitted.resample(tones("stereo", _RATE)))
            for number in range(FRAMES):
                out.mux(pictures.encode(moving(number, size)))
                for _ in range(-(-_RATE // 25 // length)):
                    out.mux(sound.encode(next(samples)))
            out.mux([*pictures.encode(None), *sound.encode(None)])
        return target.getvalue()

    return make


_RATE = 48000


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
    ("mpegts-aac-latm", "mp2t", "mpegts", "aac", "stereo", 44100, {"mpegts_flags": "latm"}),
]
_PCM_LITTLE = "pcm_s16le pcm_s24le pcm_s32le pcm_f32le pcm_f64le"
_PCM_BIG = "pcm_s16be pcm_s24be pcm_s32be pcm_f32be pcm_f64be"
_LAWS = "pcm_alaw pcm_mulaw"
_ENCODED_IN = {
    # container: encoders whose sound it holds as well
    "wav": "ac3 adpcm_g722 adpcm_ima_wav adpcm_yamaha g726 libmp3lame mp2",
    "w64": f"pcm_u8 {_PCM_LITTLE} {_LAWS}",
    "aiff": f"pcm_u8 pcm_s8 pcm_s16le {_PCM_BIG} {_LAWS} adpcm_ima_qt",
    "au": f"pcm_s8 {_PCM_BIG} {_LAWS} adpcm_g722 g726le",
    "caf": f"pcm_s8 {_PCM_LITTLE} {_PCM_BIG} {_LAWS} adpcm_ima_qt alac flac libmp3lame",
    "voc": f"pcm_s16le {_LAWS}",
    "matroska": f"pcm_u8 {_PCM_LITTLE} pcm_s16be pcm_s24be pcm_s32be aac ac3 alac eac3 libmp3lame "
    "mp2 tta vorbis wavpack",
    "mov": f"pcm_u8 pcm_s8 {_PCM_LITTLE} {_PCM_BIG} {_LAWS} ac3 adpcm_ima_qt eac3 "
    "libopencore_amrnb mp2",
    "mp4": "flac libmp3lame libopus vorbis",
    "avi": f"pcm_u8 {_PCM_LITTLE} {_LAWS} aac ac3 adpcm_ima_wav adpcm_ms flac libmp3lame mp2 "
    "vorbis wmav1 wmav2",
    "mpegts": "ac3 eac3 libmp3lame libopus",
    "mpeg": "ac3 libmp3lame pcm_dvd",
    "flv": f"pcm_u8 pcm_s16le {_LAWS} aac adpcm_swf nellymoser",
    "asf": "pcm_u8 pcm_s16le aac ac3 adpcm_ms libmp3lame mp2 wmav1",
    "rm": "aac real_144",
}
_SUITED: dict[str, Any] = dict.fromkeys(
    ["libopencore_amrnb", "real_144", "g726", "g726le", "nellymoser"], ("mono", 8000)
)
_SUITED |= {"libopus": ("stereo", 48000), "pcm_dvd": ("stereo", 48000)}
_SUITED |= {"adpcm_g722": ("mono", 16000), "flv-pcm_alaw": ("mono", 8000)}
_SUITED |= {"flv-pcm_mulaw": ("mono", 8000)}
"""Channels and samples a second, of those who take no others."""


def _sounds_in_others() -> list[Format]:
    """The rows of encoders in other containers than their usual ones."""
    return [
        _sound(f"{container}-{codec}", f"x-{container}", container, codec, layout, rate, _ALL)
        for container, codecs in _ENCODED_IN.items()
        for codec in codecs.split()
        for layout, rate in [
            _SUITED.get(f"{container}-{codec}") or _SUITED.get(codec, ("stereo", 44100))
        ]
    ]


_ALL = {"strict": "-2"}


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
    opened = av.open(target, "w", format=container, options={"fflags": "+bitexact"})
    with _still_in_turn(), opened as out:
        stream = out.add_stream(codec, rate=rate, options={"threads": "1", **options})
        stream.width, stream.height = size
        stream.pix_fmt = layout
        for number in range(FRAMES):
            out.mux(stream.encode(moving(number, size).reformat(format=layout)))
        out.mux(stream.encode(None))
    return target.getvalue()


@contextlib.contextmanager
def _still_in_turn() -> Iterator[None]:
    """Take back what SVT-AV1 gives a thread of root that calls it: real time, before all others."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        yield
    finally:
        os.sched_setscheduler(0, *before)


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
    ("mpegvideo-2", "mpv", "mpeg2video", "mpeg2video", "yuv420p", (64, 48), 25),
]
_FILMED_IN = {
    # container: encoders whose pictures it holds as well
    "mp4": "libvpx-vp9",
    "mov": "cinepak dnxhd dvvideo h263 libx264 libx265 mpeg1video mpeg2video mpeg4 png qtrle svq1 "
    "v210",
    "matroska": "libsvtav1 libx265 mjpeg mpeg1video mpeg2video mpeg4 msmpeg4 prores_ks rawvideo",
    "avi": "cinepak dvvideo ffv1 ffvhuff libx264 magicyuv mjpeg msmpeg4 msmpeg4v2 msvideo1 png "
    "rawvideo utvideo wmv1 wmv2",
    "mpegts": "libx265 mpeg1video mpeg4",
    "mpeg": "mpeg2video",
    "flv": "flashsv libx264",
    "asf": "mjpeg mpeg4 msmpeg4 msmpeg4v2 wmv1",
    "rm": "rv10",
    "ivf": "libsvtav1 libvpx",
}
_FILMED: dict[str, Any] = {
    "dnxhd": ("yuv422p", (256, 120), 25, {"profile": "dnxhr_lb"}),
    "dvvideo": _DV,
    "flashsv": ("bgr24",),
    "libsvtav1": ("yuv420p", (64, 64)),
    "mjpeg": ("yuvj420p",),
    "msvideo1": ("rgb555le",),
    "prores_ks": ("yuv422p10le",),
    "svq1": ("yuv410p",),
    "v210": ("yuv422p10le", (96, 48)),
    "avi-libx264": ("yuv420p", (64, 48), 10, {"bf": "0"}),
}
_FILMED |= dict.fromkeys(["cinepak", "png", "qtrle"], ("rgb24",))
_FILMED |= dict.fromkeys(["h263", "rv10"], ("yuv420p", (176, 144)))
_FILMED |= dict.fromkeys(["mpeg1video", "mpeg2video"], ("yuv420p", (64, 48), 25))
"""Layout, size, pictures a second and options, where the usual ones do not do."""


def _videos_in_others() -> list[Format]:
    """The rows of encoders in other containers than their usual ones."""
    return [
        _video(f"{container}-{codec}", f"x-{container}", container, codec, *suited)
        for container, codecs in _FILMED_IN.items()
        for codec in codecs.split()
        for suited in [_FILMED.get(f"{container}-{codec}") or _FILMED.get(codec, ())]
    ]


def _video(name: str, minor: str, container: str, codec: str, *more: Any) -> Format:
    usual: tuple[Any, ...] = ("yuv420p", (64, 48), FRAMES_PER_SECOND, {})
    layout, size, rate, options = more + usual[len(more) :]

    def make() -> bytes:
        return encoded_video(container, codec, layout, size, rate, **options)

    return Format(f"video-{name}", f"video/{minor}", _CLIP, make)


_DTS, _THEORA = "tones.dts", "moving.ogv"
FORMATS = [
    *[Format(f"picture-{row[0]}", f"image/{row[1]}", *row[2:]) for row in _PICTURES],
    *[
        Format(f"picture-{name}", f"image/{minor}", _RECT, made_before(name))
        for name, minor in _RARE_PICTURES.items()
    ],
    *[_sound(*row) for row in _SOUNDS],
    Format("sound-dsf", "audio/x-dsf", "msec=10,40", dsf),
    Format("sound-dsf-msb", "audio/x-dsf", "msec=10,40", partial(dsf, 8)),
    Format("sound-dv", "audio/x-dv", _PART, film("dv", "dvvideo", "pcm_s16le", (720, 576))),
    Format("sound-mpegts-mp2", "audio/mp2t", _PART, film("mpegts", "mpeg2video", "mp2")),
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
            ("speex", "ogg", "spx"),
        )
    ],
    *[
        Format(f"sound-{container}-dts", f"audio/x-{container}", _PART, repacked(_DTS, container))
        for container in ("avi", "matroska", "mov", "mpeg", "mpegts", "wav")
    ],
    Format("sound-3gp-amrwb", "audio/3gpp", _PART, repacked("tones.awb", "3gp")),
    *_sounds_in_others(),
    *[_video(*row) for row in _VIDEOS],
    Format("video-ogg-theora", "video/ogg", _CLIP, made_before(_THEORA)),
    Format("video-matroska-theora", "video/matroska", _CLIP, repacked(_THEORA, "matroska")),
    *_videos_in_others(),
]
"""Every format that is let in."""

HEADS = {
    "mpc": b"MP+\x07" + bytes(60),
    "qcp": b"RIFF\xff\0\0\0QLCMfmt \x96\0\0\0" + bytes(150),
    "tak": b"tBaK\x01\x0a\0\0" + bytes(60),
    "atrac3-wav": b"RIFF\xff\0\0\0WAVEfmt \x20\0\0\0"
    + struct.pack("<HHIIHHH", 0x270, 2, 44100, 16537, 384, 0, 14)
    + b"\x01\0\0\x10\0\0\x01\0\x01\0\x01\0\0\0data\0\x30\0\0"
    + bytes(0x3000),
    "atrac3-oma": b"EA3\x01\0\x60" + b"\xff" * 2 + bytes(24) + b"\0\0\x20\x30" + bytes(0x3000),
}
"""The first octets of formats, or of codecs, that nothing here writes: they are not read."""
