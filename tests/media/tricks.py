"""Small documents that ask for much: headers that lie, endless parts, lists of other files.

Each is made on the spot. What is right to answer is a refusal, or the right part; never a large
server, a dead one, or one that makes others wait.
"""

from __future__ import annotations

import io
import struct
import zlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from tests.media.formats import encoded_video
from tests.media.once import MadeOnce

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["LISTS", "TRICKS", "Trick", "png", "trick_of"]


@dataclass(frozen=True, slots=True)
class Trick:
    """A document, the part that is asked of it, and its colour where the part can be had.

    A `heavy` one takes more than a second to make or to decode: it is left out of samples.
    """

    name: str
    media_type: str
    fragment: str
    make: Callable[[], bytes]
    colour: tuple[int, ...] | None = None
    heavy: bool = False


@cache
def trick_of(one: Trick) -> bytes:
    """Return the octets of a trick."""
    return MadeOnce.octets(f"trick-{one.name}", one.make)


# ---------------------------------------------------------------- pictures


def chunk(name: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(
    width: int, height: int, depth: int, colour: int, pixels: bytes, extra: bytes = b""
) -> bytes:
    """Return a PNG of compressed pixels, with chunks before them."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + extra + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def zeros(count: int) -> bytes:
    """Return so many zeros compressed, without having them all at once."""
    packer = zlib.compressobj(9)
    piece = bytes(1 << 20)
    packed = [
        packer.compress(piece[: min(len(piece), count - at)]) for at in range(0, count, 1 << 20)
    ]
    return b"".join([*packed, packer.flush()])


def hollow_png(width: int, height: int, depth: int = 8) -> Callable[[], bytes]:
    """Return what makes a PNG with a large header and no pixels to speak of."""
    return lambda: png(width, height, depth, 6, zlib.compress(b"\0" * 4096))


def full_png(side: int, depth: int, colour: int, octets: int) -> Callable[[], bytes]:
    """Return what makes a PNG with all pixels that its header tells of, all black."""
    return lambda: png(side, side, depth, colour, zeros((side * octets + 1) * side))


def swollen_text_png() -> bytes:
    """Return a PNG with a small picture, and texts and a profile that unpack to much."""
    text = chunk(b"zTXt", b"Comment\0\0" + zeros(200 << 20))
    profile = chunk(b"iCCP", b"x\0\0" + zeros(200 << 20))
    return png(8, 8, 8, 2, zlib.compress(bytes(25 * 8)), profile + text)


def endless_apng() -> bytes:
    """Return an APNG that tells of a million frames on a large canvas and has two."""
    control = struct.pack(">IIIIIHHBB", 0, 6000, 6000, 0, 0, 1, 10, 0, 0)
    extra = chunk(b"acTL", struct.pack(">II", 1 << 20, 0)) + chunk(b"fcTL", control)
    return png(6000, 6000, 8, 2, zeros(18001 * 6000), extra)


def gif_frames() -> bytes:
    """Return a GIF of a hundred frames, each as large as the canvas."""
    from PIL import Image

    target = io.BytesIO()
    frames = [Image.new("L", (3000, 3000), 90 + number) for number in range(100)]
    frames[0].save(target, "GIF", save_all=True, append_images=frames[1:])
    return target.getvalue()


def gif_of(width: int, height: int, left: int = 0) -> Callable[[], bytes]:
    """Return what makes a GIF whose canvas or frame is larger than what is in it."""
    screen = struct.pack("<6sHHBBB", b"GIF89a", width if not left else 8, height, 0x80, 0, 0)
    frame = b"," + struct.pack("<HHHHB", left, 0, width, height, 0) + b"\x02\x02\x4c\x01\0;"
    return lambda: screen + bytes(6) + frame


def solid(kind: str, size: tuple[int, int], **options: object) -> Callable[[], bytes]:
    """Return what makes a large picture of one colour, which packs to little."""

    def make() -> bytes:
        from PIL import Image

        target = io.BytesIO()
        Image.new("RGB", size, (200, 100, 50)).save(target, kind, **options)
        return target.getvalue()

    return make


def jpeg_with_size(width: int, height: int) -> Callable[[], bytes]:
    """Return what makes a small progressive JPEG whose header tells of another size."""

    def make() -> bytes:
        small = bytearray(solid("JPEG", (16, 16), progressive=True)())
        at = small.index(b"\xff\xc2") + 5
        small[at : at + 4] = struct.pack(">HH", height, width)
        return bytes(small)

    return make


def tiff(width: int, height: int, *more: tuple[int, int, int, int]) -> Callable[[], bytes]:
    """Return what makes a TIFF of a directory alone: (tag, type, count, value) each."""
    own = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1)]
    own += [(273, 4, 1, 8), (277, 3, 1, 1), (278, 4, 1, height), (279, 4, 1, 64)]
    rows = sorted({row[0]: row for row in [*own, *more]}.values())
    body = b"".join(struct.pack("<HHII", *row) for row in rows)
    return lambda: (
        struct.pack("<2sHI", b"II", 42, 72)
        + bytes(64)
        + struct.pack("<H", len(rows))
        + body
        + bytes(4)
    )


def bmp(width: int, height: int) -> bytes:
    """Return a BMP whose runs fill what its header tells of (RLE8)."""
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 1, 0, 0, 0, 2, 0)
    pixels = b"\xff\x01" * 4096 + b"\0\x01"
    return struct.pack("<2sIHHI", b"BM", 62 + len(pixels), 0, 0, 62) + head + bytes(8) + pixels


def jp2(width: int, height: int) -> Callable[[], bytes]:
    """Return what makes a JPEG 2000 code stream of a header that tells of another size."""

    def make() -> bytes:
        small = bytearray(solid("JPEG2000", (16, 16), no_jp2=True)())
        at = small.index(b"\xff\x51") + 6
        small[at : at + 8] = struct.pack(">II", width, height)
        return bytes(small)

    return make


# ---------------------------------------------------------------- sound and video


def wav(channels: int, rate: int, bits: int, size: int) -> Callable[[], bytes]:
    """Return what makes a WAV of 4 KiB whose header says what it likes."""
    width = channels * bits // 8 & 0xFFFF
    form = struct.pack("<HHIIHH", 1, channels, rate, rate, width or 1, bits)
    body = b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", size)
    return lambda: b"RIFF" + struct.pack("<I", size) + body + bytes(4096)


def long_silence() -> bytes:
    """Return half an hour of silence as FLAC, which packs to little."""
    import av

    target = io.BytesIO()
    with av.open(target, "w", format="flac") as out:
        stream = out.add_stream("flac", rate=48000, layout="stereo")
        stream.codec_context.open()
        size = stream.codec_context.frame_size
        frame = av.AudioFrame(format="s16", layout="stereo", samples=size)
        frame.sample_rate = 48000
        frame.planes[0].update(bytes(frame.planes[0].buffer_size))
        for number in range(1800 * 48000 // size):
            frame.pts = number * size
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return target.getvalue()


def video_4k() -> bytes:
    """Return twelve pictures of 3840 by 2160 pixels."""
    return encoded_video("mp4", "libx264", size=(3840, 2160), preset="ultrafast")


def lying_mp4(name: bytes, *values: int) -> Callable[[], bytes]:
    """Return what makes an MP4 in which the numbers of one box are others."""

    def make() -> bytes:
        film = bytearray(encoded_video("mp4", "libx264"))
        at = film.index(name) + 4
        octets = b"".join(struct.pack(">I", value) for value in values)
        film[at : at + len(octets)] = octets
        return bytes(film)

    return make


def lying_size_mp4() -> bytes:
    """Return an MP4 whose box and whose codec tell of 16,384 by 16,384 pixels."""
    film = bytearray(encoded_video("mp4", "mpeg4"))
    at = film.index(b"mp4v", film.index(b"stsd")) + 28
    film[at : at + 4] = struct.pack(">HH", 16384, 16384)
    return bytes(film)


def box(name: bytes, *parts: bytes) -> bytes:
    """Return a box of an MP4."""
    body = b"".join(parts)
    return struct.pack(">I4s", len(body) + 8, name) + body


def nested_mp4() -> bytes:
    """Return an MP4 of boxes in boxes, two thousand deep."""
    nested = b""
    for _ in range(2000):
        nested = box(b"moov", nested)
    return box(b"ftyp", b"isom\0\0\0\0isom") + nested


def streams_mp4(count: int) -> Callable[[], bytes]:
    """Return what makes an MP4 of so many tracks."""
    handler = box(b"hdlr", bytes(8) + b"vide" + bytes(13))
    table = box(b"stbl", box(b"stsd", bytes(8)))
    media = box(
        b"mdia", box(b"mdhd", bytes(12) + b"\0\0\3\xe8" + bytes(8)), handler, box(b"minf", table)
    )

    def make() -> bytes:
        tracks = [
            box(b"trak", box(b"tkhd", bytes(12) + struct.pack(">I", 1 + n) + bytes(68)), media)
            for n in range(count)
        ]
        head = box(b"mvhd", bytes(12) + b"\0\0\3\xe8" + bytes(84))
        return box(b"ftyp", b"isom\0\0\0\0isom") + box(b"moov", head, *tracks)

    return make


def streams_mpegts(count: int) -> Callable[[], bytes]:
    """Return what makes an MPEG transport stream in which each packet is of another stream."""
    start = b"\0\0\1\xe0\0\0\x80\0\0\0\0\1\xb3\x04\x00\x30\x13\xff\xff\xe0\x18"
    return lambda: b"".join(
        b"\x47" + struct.pack(">H", 0x4000 | 32 + n % 8000) + b"\x10" + start.ljust(184, b"\xff")
        for n in range(count)
    )


def streams_avi(count: int) -> Callable[[], bytes]:
    """Return what makes an AVI of so many streams."""

    def piece(name: bytes, data: bytes) -> bytes:
        return name + struct.pack("<I", len(data)) + data

    head = struct.pack(
        "<4s4sIHHIIIIIIII4H", b"vids", b"MJPG", 0, 0, 0, 0, 1, 10, 0, 9, 0, 0, 0, 0, 0, 0, 0
    )
    form = struct.pack("<IiiHH4sIiiII", 40, 64, 48, 1, 24, b"MJPG", 0, 0, 0, 0, 0)
    one = piece(b"LIST", b"strl" + piece(b"strh", head) + piece(b"strf", form))
    main = piece(b"avih", struct.pack("<14I", 100000, 0, 0, 0, 9, 0, count, 0, 64, 48, 0, 0, 0, 0))
    lists = piece(b"LIST", b"hdrl" + main + one * count) + piece(b"LIST", b"movi")
    return lambda: piece(b"RIFF", b"AVI " + lists)


# ---------------------------------------------------------------- lists of other files

SESSION = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
PLAYLIST = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n{}#EXTINF:1,\nsecret.wav\n#EXT-X-ENDLIST\n"
KEY = '#EXT-X-KEY:METHOD=AES-128,URI="secret.wav"\n'
MANIFEST = """<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period><AdaptationSet><Representation>
<BaseURL>secret.wav</BaseURL></Representation></AdaptationSet></Period></MPD>
"""
SUBTITLES = """# VobSub index file, v7 (do not modify this line!)
id: en, index: 0
timestamp: 00:00:01:000, filepos: 000000000
"""
DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="99999" height="99999">
<image href="secret.wav"/><script>fetch("http://127.0.0.1/")</script></svg>
"""
LISTS = [
    # clause id, a document that is a list of others
    ("media-limits-concat", "ffconcat version 1.0\nfile secret.wav\n"),
    ("media-limits-sdp-audio", SESSION + "m=audio 49170 RTP/AVP 0\r\n"),
    ("media-limits-sdp-video", SESSION + "m=video 49172 RTP/AVP 26\r\n"),
    ("media-limits-hls", PLAYLIST.format("")),
    ("media-limits-hls-key", PLAYLIST.format(KEY)),
    ("media-limits-dash", MANIFEST),
    ("media-limits-vobsub", SUBTITLES),
]


_CORNER, _SOME = "rect=(0,0),(4,4)", "msec=0,500"
_GREY = (189, 189, 189, 255)
_WEBP = solid("WEBP", (16383, 8191), lossless=True, method=0)
_TIFF = solid("TIFF", (16000, 8000), compression="tiff_lzw")
TRICKS = [
    Trick("png-hollow", "image/png", _CORNER, hollow_png(6600, 6600)),
    Trick("png-hollow-16", "image/png", _CORNER, hollow_png(5000, 4500, 16)),
    Trick("png-2-to-31-pixels", "image/png", _CORNER, hollow_png(1 << 16, 1 << 15)),
    Trick("png-full-16", "image/png", _CORNER, full_png(10_000, 16, 2, 6)),
    Trick("png-full-8", "image/png", _CORNER, full_png(8000, 8, 0, 1), (0, 0, 0, 255)),
    Trick("png-texts", "image/png", _CORNER, swollen_text_png),
    Trick("apng-endless", "image/png", f"{_CORNER},9000", endless_apng),
    Trick("svg-in-png", "image/png", _CORNER, DRAWING.encode),
    Trick("gif-frame-99", "image/gif", f"{_CORNER},99", gif_frames, _GREY, heavy=True),
    Trick("gif-canvas", "image/gif", _CORNER, gif_of(65535, 65535)),
    Trick("gif-frame-far-out", "image/gif", _CORNER, gif_of(65535, 65535, 60_000)),
    Trick("webp-large", "image/webp", _CORNER, _WEBP, heavy=True),
    Trick("avif-large", "image/avif", _CORNER, solid("AVIF", (8192, 8192), speed=10), heavy=True),
    Trick("tiff-large", "image/tiff", _CORNER, _TIFF),
    Trick("tiff-hollow", "image/tiff", _CORNER, tiff(40_000, 1000)),
    Trick("tiff-2-to-40-pixels", "image/tiff", _CORNER, tiff(1 << 20, 1 << 20)),
    Trick("tiff-tags", "image/tiff", _CORNER, tiff(8, 8, (700, 1, 0xFFFFFFF0, 8))),
    Trick("jpeg-large", "image/jpeg", _CORNER, jpeg_with_size(65500, 1300)),
    Trick("jpeg-largest", "image/jpeg", _CORNER, jpeg_with_size(65500, 65500)),
    Trick("bmp-runs", "image/bmp", _CORNER, lambda: bmp(12_000, 7000)),
    Trick("jp2-large", "image/jp2", _CORNER, jp2(8000, 8000)),
    Trick("ppm-hollow", "image/x-portable-pixmap", _CORNER, lambda: b"P6 9000 9000 255\n\0\0"),
    Trick("wav-channels", "audio/wav", _SOME, wav(65535, 8000, 16, 4096)),
    Trick("wav-rate", "audio/wav", _SOME, wav(1, 0x7FFFFFFF, 16, 0xFFFFFFFF)),
    Trick("wav-wide", "audio/wav", _SOME, wav(8, 1, 65535, 4096)),
    Trick("flac-long", "audio/flac", "sec=0,1700", long_silence),
    Trick("mp4-4k", "video/mp4", _SOME, video_4k),
    Trick("mp4-many-samples", "video/mp4", _SOME, lying_mp4(b"stsz", 0, 1, 0xFFFFFFF0)),
    Trick("mp4-many-times", "video/mp4", _SOME, lying_mp4(b"stts", 0, 1, 0xFFFFFFF0, 1)),
    Trick("mp4-size", "video/mp4", _SOME, lying_size_mp4),
    Trick("mp4-nested", "video/mp4", _SOME, nested_mp4),
    Trick("mp4-streams", "video/mp4", _SOME, streams_mp4(10_000)),
    Trick("mpegts-streams", "video/mp2t", _SOME, streams_mpegts(10_000)),
    Trick("avi-streams", "video/x-msvideo", _SOME, streams_avi(10_000)),
]  # fmt: skip
