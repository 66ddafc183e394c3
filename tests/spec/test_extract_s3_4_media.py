"""PDI §3.4.4 and §3.4.5: rectangles of pictures, seconds of sound, clips of video.

The documents are made here, sample by sample, so that what is cut is known. Without the `media`
extra only the refusals are run.
"""

from __future__ import annotations

import io
import struct
import sys
import zlib
from typing import Any

import pytest

from permacite.errors import LimitError, NotFoundError, ParseError, PermaciteError
from permacite.extract import extract
from permacite.extract.media.picture import _reader

WIDTH, HEIGHT = 8, 6
RATE = 8000


def picture_module() -> Any:
    return pytest.importorskip("PIL.Image", reason="needs the media extra")


def av_module() -> Any:
    return pytest.importorskip("av", reason="needs the media extra")


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(rows: list[bytes], colour: int, depth: int = 8, extra: bytes = b"") -> bytes:
    """A PNG of these rows, without a filter."""
    octets = {0: 1, 2: 3, 4: 2, 6: 4}[colour] * depth // 8
    head = struct.pack(">IIBBBBB", len(rows[0]) // octets, len(rows), depth, colour, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    body = chunk(b"IHDR", head) + extra + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def pixel(x: int, y: int) -> bytes:
    return bytes([x * 30, y * 40, 200])


def plain() -> bytes:
    return png([b"".join(pixel(x, y) for x in range(WIDTH)) for y in range(HEIGHT)], 2)


def pixels(data: bytes) -> tuple[tuple[int, int], bytes]:
    """The size and the RGBA pixels of a picture."""
    with picture_module().open(io.BytesIO(data)) as image:
        return image.size, image.convert("RGBA").tobytes()


def expected(box: tuple[int, int, int, int]) -> bytes:
    left, top, right, bottom = box
    return b"".join(pixel(x, y) + b"\xff" for y in range(top, bottom) for x in range(left, right))


# ---------------------------------------------------------------- pictures

BOXES = [
    # clause id, fragment, left, top, right, bottom, clipped
    ("media-rect-first", "rect=(0,0),(1,1)", (0, 0, 1, 1), False),
    ("media-rect-default", "(2,1),(5,4)", (2, 1, 5, 4), False),
    ("media-rect-whole", "(0,0),(8,6)", (0, 0, 8, 6), False),
    ("media-rect-frame-0", "(2,1),(5,4),0", (2, 1, 5, 4), False),
    ("pdi-66-rect", "rect=%282,1%29,%285,4%29", (2, 1, 5, 4), False),
    ("pdi-67-rect", "%282%2c1%29%2C(5%2c4)%2c0", (2, 1, 5, 4), False),
    ("media-clip-right", "(6,1),(99,4)", (6, 1, 8, 4), True),
    ("media-clip-below", "(6,1),(8,99)", (6, 1, 8, 6), True),
]


@pytest.mark.parametrize(
    ("fragment", "box", "clipped"), [c[1:] for c in BOXES], ids=[c[0] for c in BOXES]
)
def test_a_rectangle(fragment: str, box: tuple[int, int, int, int], *, clipped: bool) -> None:
    picture_module()
    found = extract(plain(), "image/png", fragment)
    assert pixels(found.data) == ((box[2] - box[0], box[3] - box[1]), expected(box))
    assert (found.media_type, found.text, found.source_range) == ("image/png", None, None)
    assert found.clipped is clipped


OUTSIDE = [
    # clause id, fragment
    ("media-err-right", "(8,0),(9,1)"),
    ("media-err-below", "(0,6),(1,7)"),
    ("media-err-frame", "(0,0),(1,1),1"),
]


@pytest.mark.parametrize("fragment", [c[1] for c in OUTSIDE], ids=[c[0] for c in OUTSIDE])
def test_a_rectangle_outside(fragment: str) -> None:
    picture_module()
    with pytest.raises(NotFoundError):
        extract(plain(), "image/png", fragment)


EMPTY = [
    # clause id, media type, fragment, offset
    ("media-err-no-width", "image/png", "rect=(1,1),(1,2)", 5),
    ("media-err-no-height", "image/png", "(1,1),(2,1)", 0),
    ("pdi-66-no-width", "image/png", "rect=%281,1%29,(1,2)", 5),
    ("pdi-67-no-frame", "image/png", "(1,1)%2c(2,1)%2c7", 0),
    ("pdi-67-crop", "video/mp4", "crop=sec%2c1,2,%280%2c0),(0,9%29", 5),
    ("media-time-empty", "audio/wav", "sec=1,1", 4),
    ("media-crop-empty-time", "video/mp4", "crop=sec,1,1", 5),
    ("media-crop-empty-area", "video/mp4", "crop=sec,1,2,(0,0),(0,9)", 5),
]


@pytest.mark.parametrize(
    ("media_type", "fragment", "offset"), [c[1:] for c in EMPTY], ids=[c[0] for c in EMPTY]
)
def test_an_empty_part_is_refused(media_type: str, fragment: str, offset: int) -> None:
    with pytest.raises(ParseError, match="not empty") as error:
        extract(b"", media_type, fragment)
    assert error.value.offset == offset


@pytest.mark.parametrize(
    ("media_type", "fragment", "extra"),
    [
        ("image/png", "(0,0),(1,1)", "media"),
        ("audio/wav", "0,1", "video"),
        ("video/mp4", "0,1", "video"),
    ],
    ids=["media-limits-pictures", "media-limits-sound", "media-limits-video"],
)
def test_without_the_extra_the_error_says_so(
    media_type: str, fragment: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _reader.cache_clear()
    for name in ("PIL", "PIL.Image", "av"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(PermaciteError) as error:
        extract(plain(), media_type, fragment)
    assert error.value.hint == f"pip install 'permacite[{extra}]'"


@pytest.mark.parametrize("orientation", range(1, 9), ids="media-exif-{}".format)
@pytest.mark.parametrize("depth", [8, 16])
def test_coordinates_are_those_of_the_displayed_picture(orientation: int, depth: int) -> None:
    picture_module()
    if depth == 16:
        av_module()
    table = struct.pack("<2sHIHHHIII", b"II", 42, 8, 1, 0x0112, 3, 1, orientation, 0)
    wide = depth // 8
    rows = [
        b"".join(bytes([octet]) * wide for x in range(WIDTH) for octet in pixel(x, y))
        for y in range(HEIGHT)
    ]
    found = extract(png(rows, 2, depth, chunk(b"eXIf", table)), "image/png", "(1,2),(2,3)")
    turned = {
        1: (1, 2),
        2: (WIDTH - 2, 2),
        3: (WIDTH - 2, HEIGHT - 3),
        4: (1, HEIGHT - 3),
        5: (2, 1),
        6: (2, HEIGHT - 2),
        7: (WIDTH - 3, HEIGHT - 2),
        8: (WIDTH - 3, 1),
    }[orientation]
    assert pixels(found.data)[1] == pixel(*turned) + b"\xff"


def test_sixteen_bits_are_kept() -> None:
    """media-pixel: in several channels too, with the chunks that give colours their meaning."""
    av_module()
    picture_module()
    rows = [struct.pack(">9H", *range(y * 1000 + 1, y * 1000 + 10)) for y in range(3)]
    found = extract(png(rows, 2, 16, chunk(b"gAMA", b"\0\0\xb1\x8f")), "image/png", "(1,1),(3,2)")
    cut = png([struct.pack(">6H", *range(1004, 1010))], 2, 16, chunk(b"gAMA", b"\0\0\xb1\x8f"))
    assert found.data == cut
    assert found.digest.startswith("rgb48be:")


def test_grey_of_sixteen_bits_is_kept() -> None:
    """media-pixel: one channel."""
    images = picture_module()
    rows = [struct.pack(">3H", *range(y * 1000 + 1, y * 1000 + 4)) for y in range(3)]
    found = extract(png(rows, 0, 16), "image/png", "(1,1),(3,2)")
    with images.open(io.BytesIO(found.data)) as image:
        assert image.mode == "I;16"
        assert [image.getpixel((x, 0)) for x in (0, 1)] == [1002, 1003]


def test_cmyk_stays_cmyk() -> None:
    """media-out: PNG has no such colours, TIFF has."""
    images = picture_module()
    source = io.BytesIO()
    images.new("CMYK", (4, 4), (10, 20, 30, 40)).save(source, "TIFF")
    found = extract(source.getvalue(), "image/tiff", "(1,1),(3,2)")
    assert found.media_type == "image/tiff"
    with images.open(io.BytesIO(found.data)) as image:
        assert (image.mode, image.size) == ("CMYK", (2, 1))
        assert image.getpixel((0, 0)) == (10, 20, 30, 40)


def test_profiles_are_carried() -> None:
    """media-pixel: what the colours mean goes with them."""
    images = picture_module()
    source = io.BytesIO()
    images.new("RGB", (4, 4)).save(source, "PNG", icc_profile=b"a profile")
    found = extract(source.getvalue(), "image/png", "(0,0),(1,1)")
    with images.open(io.BytesIO(found.data)) as image:
        assert image.info["icc_profile"] == b"a profile"


def test_the_digest_is_that_of_what_is_seen() -> None:
    """media-digest: colours under full transparency do not count."""
    picture_module()
    one, other = (png([bytes([r, 2, 3, 0, 9, 9, 9, 255])], 6) for r in (1, 7))
    digests = [extract(data, "image/png", "(0,0),(2,1)").digest for data in (one, other)]
    assert digests[0] == digests[1]
    assert digests[0] != extract(one, "image/png", "(1,0),(2,1)").digest


@pytest.mark.parametrize("kind", ["JPEG", "PNG"], ids=["media-traps-jpeg", "media-traps-png"])
@pytest.mark.parametrize("left", [0.3, 0.7, 0.95])
def test_a_picture_that_was_cut_off_is_refused(kind: str, left: float) -> None:
    images = picture_module()
    source = io.BytesIO()
    images.effect_noise((64, 64), 50).save(source, kind)
    data = source.getvalue()
    extract(data, f"image/{kind.lower()}", "(0,0),(1,1)")
    with pytest.raises(PermaciteError, match="cannot be decoded"):
        extract(data[: int(len(data) * left)], f"image/{kind.lower()}", "(0,0),(1,1)")


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"not a picture", b"%!PS-Adobe-3.0 EPSF-3.0\n"])
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    """media-limits: and no reader is tried that runs another program."""
    picture_module()
    with pytest.raises(PermaciteError, match="cannot be decoded"):
        extract(data, "image/png", "(0,0),(1,1)")


def test_a_picture_that_is_too_large_is_refused_by_its_header() -> None:
    """media-limits: before it is decoded."""
    picture_module()
    head = struct.pack(">IIBBBBB", 1 << 20, 1 << 20, 8, 2, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")
    with pytest.raises(LimitError):
        extract(data, "image/png", "(0,0),(1,1)")


def gif_frame(box: tuple[int, int, int, int], colour: int, disposal: int) -> bytes:
    """One frame of one colour (1 red, 2 green, 3 blue; 0 is transparent)."""
    left, top, width, height = box
    control = bytes([0x21, 0xF9, 4, disposal << 2 | 1, 10, 0, 0, 0])
    place = struct.pack("<BHHHHB", 0x2C, left, top, width, height, 0)
    # A clear code before every pixel keeps the codes at three bits: no dictionary is needed.
    codes = [code for _ in range(width * height) for code in (4, colour)] + [5]
    bits = sum(code << 3 * at for at, code in enumerate(codes))
    octets = bits.to_bytes((len(codes) * 3 + 7) // 8, "little")
    blocks = b"".join(
        bytes([len(octets[at : at + 255])]) + octets[at : at + 255]
        for at in range(0, len(octets), 255)
    )
    return control + place + b"\x02" + blocks + b"\0"


def animation() -> bytes:
    screen = struct.pack("<6sHHBBB", b"GIF89a", 4, 2, 0x81, 0, 0)
    table = bytes([9, 9, 9, 255, 0, 0, 0, 255, 0, 0, 0, 255])
    frames = [
        gif_frame((0, 0, 4, 2), 1, 1),
        gif_frame((0, 0, 1, 2), 2, 2),  # leaves nothing behind
        gif_frame((1, 0, 1, 2), 3, 3),  # leaves what was there before
        gif_frame((3, 0, 1, 1), 2, 1),
    ]
    return screen + table + b"".join(frames) + b";"


CANVASES = [
    # clause id, frame, first row of the canvas
    ("media-frame-first", 0, "rrrr"),
    ("media-frame-second", 1, "grrr"),
    ("media-frame-after-background", 2, ".brr"),
    ("media-frame-after-previous", 3, ".rrg"),
]


@pytest.mark.parametrize(("number", "row"), [c[1:] for c in CANVASES], ids=[c[0] for c in CANVASES])
def test_a_frame_is_the_whole_canvas(number: int, row: str) -> None:
    picture_module()
    found = extract(animation(), "image/gif", f"(0,0),(4,1),{number}")
    size, octets = pixels(found.data)
    colours = {b"\xff\0\0\xff": "r", b"\0\xff\0\xff": "g", b"\0\0\xff\xff": "b"}
    assert size == (4, 1)
    assert "".join(colours.get(octets[at : at + 4], ".") for at in range(0, 16, 4)) == row


def test_an_animation_has_so_many_frames() -> None:
    """media-err: counted from 0."""
    picture_module()
    with pytest.raises(NotFoundError, match="4 frames"):
        extract(animation(), "image/gif", "(0,0),(1,1),4")
    with pytest.raises(PermaciteError, match="cut off"):
        extract(animation()[:60], "image/gif", "(0,0),(1,1),3")


def test_a_frame_of_a_tiff_is_a_page() -> None:
    """media-frame: with a size of its own."""
    images = picture_module()
    source = io.BytesIO()
    first, second = images.new("L", (4, 4), 7), images.new("L", (9, 2), 8)
    first.save(source, "TIFF", save_all=True, append_images=[second])
    found = extract(source.getvalue(), "image/tiff", "(8,1),(9,2),1")
    assert pixels(found.data) == ((1, 1), b"\x08\x08\x08\xff")
    with pytest.raises(NotFoundError):
        extract(source.getvalue(), "image/tiff", "(8,1),(9,2)")


# ---------------------------------------------------------------- sound


def wave(samples: bytes, bits: int = 16, channels: int = 1, tag: int = 1) -> bytes:
    frame = channels * bits // 8
    form = struct.pack("<HHIIHH", tag, channels, RATE, RATE * frame, frame, bits)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form
    body += b"data" + struct.pack("<I", len(samples)) + samples
    return b"RIFF" + struct.pack("<I", len(body)) + body


def counted(count: int) -> bytes:
    return struct.pack(f"<{count}h", *range(count))


TIMES = [
    # clause id, fragment, first sample, sample after the last, clipped
    ("media-time-second", "sec=1,2", 8000, 16000, False),
    ("media-time-default", "0,1", 0, 8000, False),
    ("media-time-milliseconds", "msec=1,2", 8, 16, False),
    ("pdi-67-time", "sec=1%2c2", 8000, 16000, False),
    ("media-time-case", "MSEC=999,1001", 7992, 8008, False),
    ("media-clip-sound", "sec=1,9", 8000, 20000, True),
    ("media-time-to-the-end", "msec=2000,2500", 16000, 20000, False),
]


@pytest.mark.parametrize(
    ("fragment", "start", "end", "clipped"), [c[1:] for c in TIMES], ids=[c[0] for c in TIMES]
)
def test_samples_of_an_interval(fragment: str, start: int, end: int, *, clipped: bool) -> None:
    av_module()
    samples = counted(20000)
    found = extract(wave(samples), "audio/wav", fragment)
    assert found.data == wave(samples[2 * start : 2 * end])
    assert (found.media_type, found.clipped) == ("audio/wav", clipped)
    assert found.digest.startswith("s16le:")


LAYOUTS = [
    # clause id, bits, channels, tag
    ("media-out-bytes", 8, 1, 1),
    ("media-out-stereo", 16, 2, 1),
    ("media-out-32-bits", 32, 1, 1),
    ("media-out-floats", 32, 2, 3),
]


@pytest.mark.parametrize(
    ("bits", "channels", "tag"), [c[1:] for c in LAYOUTS], ids=[c[0] for c in LAYOUTS]
)
def test_samples_keep_their_layout(bits: int, channels: int, tag: int) -> None:
    av_module()
    frame = bits // 8 * channels
    samples = (counted(16000) * 8)[: RATE * frame * 2]
    if tag == 3:
        samples = struct.pack(
            f"<{len(samples) // 4}f", *(n / 1e6 for n in range(len(samples) // 4))
        )
    found = extract(wave(samples, bits, channels, tag), "audio/wav", "msec=100,1100")
    first, last = 800 * frame, 8800 * frame
    assert found.data == wave(samples[first:last], bits, channels, tag)


def test_sound_outside() -> None:
    """media-err: an interval that begins at the end names nothing."""
    av_module()
    with pytest.raises(NotFoundError):
        extract(wave(counted(16000)), "audio/wav", "sec=2,3")


@pytest.mark.parametrize("media_type", ["audio/wav", "video/mp4"])
@pytest.mark.parametrize("data", [b"", b"RIFF\0\0\0\0WAVE", b"no such thing"])
def test_what_is_no_sound_or_video_is_refused(data: bytes, media_type: str) -> None:
    """media-err: broken files are errors of ours."""
    av_module()
    with pytest.raises(PermaciteError, match="cannot be decoded"):
        extract(data, media_type, "0,1")


# ---------------------------------------------------------------- video


def film(count: int = 50, rate: int = 25) -> bytes:
    """Grey pictures of 16 by 12 pixels, each as bright as its number, and brighter to the right."""
    av = av_module()
    target = io.BytesIO()
    with av.open(target, "w", format="matroska") as out:
        stream = out.add_stream("ffv1", rate=rate)
        stream.width, stream.height, stream.pix_fmt = 16, 12, "gray"
        for number in range(count):
            frame = av.VideoFrame(16, 12, "gray")
            size = frame.planes[0].line_size
            row = bytes(number * 2 + x for x in range(16)).ljust(size, b"\0")
            frame.planes[0].update(row * 12)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return target.getvalue()


def shown(data: bytes) -> list[tuple[int, int, int]]:
    """Width, height and first sample of each picture of a film."""
    with av_module().open(io.BytesIO(data)) as container:
        return [
            (frame.width, frame.height, bytes(frame.planes[0])[0])
            for frame in container.decode(video=0)
        ]


CLIPS = [
    # clause id, fragment, size, numbers of the first picture and the one after the last, brightness
    # added by the left edge, clipped
    ("media-time-video", "sec=1,2", (16, 12), (25, 50), 0, False),
    ("media-time-video-default", "0,1", (16, 12), (0, 25), 0, False),
    ("media-time-video-milliseconds", "msec=40,120", (16, 12), (1, 3), 0, False),
    ("media-crop-time", "crop=sec,0,1", (16, 12), (0, 25), 0, False),
    ("media-crop-area", "crop=sec,1,2,(3,1),(8,12)", (5, 11), (25, 50), 3, False),
    ("media-clip-area", "crop=sec,0,1,(3,1),(99,12)", (13, 11), (0, 25), 3, True),
    ("media-clip-video", "sec=1,9", (16, 12), (25, 50), 0, True),
    ("media-frame-still", "rect=(3,1),(8,12),31", (5, 11), (31, 32), 3, False),
]


@pytest.mark.parametrize(
    ("fragment", "size", "numbers", "added", "clipped"),
    [c[1:] for c in CLIPS],
    ids=[c[0] for c in CLIPS],
)
def test_pictures_of_a_film(
    fragment: str,
    size: tuple[int, int],
    numbers: tuple[int, int],
    added: int,
    *,
    clipped: bool,
) -> None:
    av_module()
    found = extract(film(), "video/matroska", fragment)
    assert shown(found.data) == [(*size, number * 2 + added) for number in range(*numbers)]
    assert (found.media_type, found.clipped) == ("video/matroska", clipped)
    assert found.digest.startswith("gray:")


@pytest.mark.parametrize(
    "fragment",
    ["sec=2,3", "rect=(0,0),(1,1),50", "rect=(16,0),(17,1),0"],
    ids=["media-err-late", "media-err-no-such-frame", "media-err-outside-the-picture"],
)
def test_a_film_outside(fragment: str) -> None:
    av_module()
    with pytest.raises(NotFoundError):
        extract(film(), "video/matroska", fragment)


CODECS = [
    # clause id, codec, container, rate that it works at
    ("media-gapless-mp3", "libmp3lame", "mp3", 44100),
    ("media-gapless-opus", "libopus", "ogg", 48000),
]


@pytest.mark.parametrize(
    ("codec", "container", "rate"), [c[1:] for c in CODECS], ids=[c[0] for c in CODECS]
)
def test_time_zero_is_the_first_sample_of_the_sound(codec: str, container: str, rate: int) -> None:
    """What an encoder puts before and after a sound does not count: neighbours tile exactly."""
    av = av_module()
    target = io.BytesIO()
    with av.open(target, "w", format=container) as out:
        stream = out.add_stream(codec, rate=rate, layout="mono")
        loud = struct.pack("<200h", *(20000 if n % 100 < 50 else -20000 for n in range(200)))
        frame = av.AudioFrame(format="s16", layout="mono", samples=rate)
        # Half a second of silence, then half a second of noise.
        samples = (b"\0\0" * (rate // 2) + loud * (rate // 200))[: 2 * rate]
        frame.planes[0].update(samples.ljust(frame.planes[0].buffer_size, b"\0"))
        frame.sample_rate = rate
        frame.pts = 0
        fitted = av.AudioResampler(
            stream.codec_context.format, "mono", rate, stream.codec_context.frame_size
        )
        for piece in [*fitted.resample(frame), *fitted.resample(None)]:
            out.mux(stream.encode(piece))
        out.mux(stream.encode(None))
    data = target.getvalue()
    whole = extract(data, "audio/ogg", "msec=0,1000").data[44:]
    assert len(whole) == 2 * rate
    values = struct.unpack(f"<{rate}h", whole)
    first_loud = next(at for at, value in enumerate(values) if abs(value) > 8000)
    assert abs(first_loud - rate // 2) < rate // 500
    halves = [extract(data, "audio/ogg", f"msec={at},{at + 500}").data[44:] for at in (0, 500)]
    assert b"".join(halves) == whole
