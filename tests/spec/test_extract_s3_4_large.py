"""PDI §3.4.5: parts of large pictures are those of the whole picture, decoded at once."""

from __future__ import annotations

import base64
import io
import mmap
import struct
import zlib
from typing import TYPE_CHECKING

import pytest

from permacite.errors import LimitError, PermaciteError
from permacite.extract import extract
from permacite.extract.media import png

if TYPE_CHECKING:
    from pathlib import Path

images = pytest.importorskip("PIL.Image", reason="needs the media extra")

SIZE = (1500, 1460)
BOX = (700, 1300, 731, 1311)
FRAGMENT = "rect=(700,1300),(731,1311)"


def noise(mode: str) -> bytes:
    """A PNG in which no pixel can be told from its neighbours; all filters are used."""
    bands = [images.effect_noise(SIZE, 60 + 10 * number) for number in range(4)]
    picture = {
        "1": lambda: bands[0].resize((9000, 4000)).point(lambda value: value > 128, "1"),
        "L": lambda: bands[0].resize((3000, 1460)),
        "P": lambda: bands[0].resize((3000, 1460)).quantize(60),
        "LA": lambda: images.merge("LA", bands[:2]),
        "RGB": lambda: images.merge("RGB", bands[:3]),
        "RGBA": lambda: images.merge("RGBA", bands),
        "I;16": lambda: images.frombytes("I;16", SIZE, images.merge("LA", bands[:2]).tobytes()),
    }[mode]()
    target = io.BytesIO()
    picture.save(target, "PNG", compress_level=1, icc_profile=b"a profile")
    return target.getvalue()


@pytest.mark.parametrize(
    "mode", ["1", "L", "P", "LA", "RGB", "RGBA", "I;16"], ids="media-pixel-{}".format
)
def test_rows_of_a_large_png_are_those_of_the_whole(mode: str) -> None:
    data = noise(mode)
    assert png.large(data) is not None
    found = extract(data, "image/png", FRAGMENT)
    with images.open(io.BytesIO(data)) as whole, images.open(io.BytesIO(found.data)) as part:
        cut = whole.crop(BOX)
        assert (part.mode, part.size, part.tobytes()) == (cut.mode, cut.size, cut.tobytes())
        assert part.getpalette() == whole.getpalette()
        assert part.info["icc_profile"] == b"a profile"


def chunk(name: bytes, data: bytes) -> bytes:
    """A chunk of a PNG."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def deep(colour: int, rows: int = 900) -> bytes:
    """A PNG of 16 bits, each row of which is the difference to the one above it (filter 2)."""
    width, octets = 800, {2: 6, 6: 8}[colour]
    row = b"\2" + bytes((at * 7 + 1) % 256 for at in range(width * octets))
    head = struct.pack(">IIBBBBB", width, rows, 16, colour, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(row * rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.mark.parametrize(("colour", "octets"), [(2, 6), (6, 8)], ids="media-pixel-deep-{}".format)
def test_rows_of_sixteen_bits_are_kept(colour: int, octets: int) -> None:
    data = deep(colour)
    assert png.large(data) is not None
    found = extract(data, "image/png", "rect=(3,790),(5,793)")
    head, pixels = struct.pack(">IIBBBBB", 2, 3, 16, colour, 0, 0, 0), b""
    for y in range(790, 793):
        pixels += b"\0" + bytes(
            (at * 7 + 1) * (y + 1) % 256 for at in range(3 * octets, 5 * octets)
        )
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")
    assert found.data == b"\x89PNG\r\n\x1a\n" + body


def test_a_large_png_that_is_cut_off_is_refused() -> None:
    """media-traps: below the part as well as within it."""
    data = noise("RGB")
    for left in (len(data) // 2, len(data) - 20):
        with pytest.raises(PermaciteError, match="cut off"):
            extract(data[:left], "image/png", "rect=(0,0),(9,9)")
    short = data[: len(data) // 2] + chunk(b"IEND", b"")
    with pytest.raises(PermaciteError, match="cannot be decoded"):
        extract(short, "image/png", FRAGMENT)


def test_what_lies_below_the_part_is_never_looked_at() -> None:
    """media-limits: 400 million pixels, of which 64 rows are there."""
    head = struct.pack(">IIBBBBB", 2000, 200_000, 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + bytes([y]) * 2000 for y in range(64))
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    data = b"\x89PNG\r\n\x1a\n" + body
    found = extract(data, "image/png", "rect=(5,9),(7,10)")
    with images.open(io.BytesIO(found.data)) as part:
        assert part.tobytes() == b"\x09\x09"
    with pytest.raises(PermaciteError, match="cut off"):
        extract(data, "image/png", "rect=(5,900),(7,901)")
    with pytest.raises(LimitError):
        extract(data, "image/png", "rect=(0,0),(2000,100000)")


def test_a_frame_far_on_composes_only_what_is_left_of_those_before() -> None:
    """media-frame: frames that others cover, or that leave nothing behind, are passed over."""
    screen = struct.pack("<6sHHBBB", b"GIF89a", 4, 4, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    broken = struct.pack("<BHHHHB", 0x2C, 0, 0, 4, 4, 0) + b"\x02\x01\xff\0"
    whole = io.BytesIO()
    images.new("1", (4, 4), 1).save(whole, "GIF")
    frame = whole.getvalue()[whole.getvalue().index(b",\0\0\0\0\x04") : -1]
    found = extract(screen + broken * 500 + frame + b";", "image/gif", "rect=(0,0),(4,4),500")
    with images.open(io.BytesIO(found.data)) as part:
        assert part.getextrema()[3] == (255, 255)


TEN_BITS = """
AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAA
AAAAACJpbG9jAAAAAERAAAEAAQAAAAAA+gABAAAAAAAAACMAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAA
AA5waXRtAAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgQBMAAAAABRpc3BlAAAAAAAAAAgAAAAIAAAAEHBpeGkAAAAA
AwoKCgAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAArbWRhdBIACggYCL9qgIaDQjIVHEeHhd3AACwAAJA1jjx2WQRyZdCG
"""
"""An AVIF of 8 by 8 pixels, 10 bits a sample, written by libvips 8.18."""


def sixteen_bits() -> bytes:
    """A JPEG 2000 whose header says 16 bits a sample, in three channels."""
    target = io.BytesIO()
    images.merge("RGB", [images.effect_noise((32, 24), 60)] * 3).save(target, "JPEG2000")
    data = bytearray(target.getvalue())
    assert extract(bytes(data), "image/jp2", "rect=(0,0),(9,9)").data
    data[data.index(b"\xff\x4f\xff\x51") + 42] = 15
    return bytes(data)


@pytest.mark.parametrize(
    "data",
    [base64.b64decode(TEN_BITS), sixteen_bits()],
    ids=["media-pixel-avif", "media-pixel-jpeg2000"],
)
def test_samples_that_the_decoder_would_shorten_are_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "picture"
    path.write_bytes(data)
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
        pytest.raises(PermaciteError, match="more than 8 bits"),
    ):
        extract(mapped, "image/avif", "rect=(0,0),(9,9)")
    with pytest.raises(PermaciteError, match="more than 8 bits"):
        extract(data, "image/avif", "rect=(0,0),(9,9)")


@pytest.mark.parametrize("kind", ["AVIF", "JPEG2000", "WEBP", "JPEG"], ids="media-apart-{}".format)
def test_what_is_mapped_is_cut_as_what_is_read(kind: str, tmp_path: Path) -> None:
    """A file that is mapped has a place where it was read last, which must not matter."""
    path = tmp_path / "picture"
    images.merge("RGB", [images.effect_noise((32, 24), 60)] * 3).save(path, kind)
    read = extract(path.read_bytes(), f"image/{kind.lower()}", "rect=(1,2),(9,9)")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        mapped.seek(0, 2)
        assert extract(mapped, f"image/{kind.lower()}", "rect=(1,2),(9,9)") == read


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", "HEIC"),
        (b"\0\0\0\x0cJXL \r\n\x87\n", "JPEG XL"),
        (b"\xff\x0a\x7f", "JPEG XL"),
    ],
    ids=["media-err-heic", "media-err-mif1", "media-err-jxl-box", "media-err-jxl"],
)
def test_formats_that_are_not_read_are_named(head: bytes, name: str) -> None:
    with pytest.raises(PermaciteError, match=f"{name} is not read"):
        extract(head + bytes(99), "image/heic", "rect=(0,0),(1,1)")
