"""PDI §3.4.5 for TIFF: every kind of samples exactly, and no more of a page than a part needs.

The files are made here, sample by sample, in both byte orders, by strips and tiles, in planes and
together, with differences and without.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import struct
import zlib
from typing import Any, NamedTuple

import pytest

from permacite.errors import LimitError, PermaciteError
from permacite.extract import extract

images = pytest.importorskip("PIL.Image", reason="needs the media extra")

WIDTH, HEIGHT = 37, 29
TILE = 16
BOX = (5, 3, 30, 27)
FRAGMENT = "rect=(5,3),(30,27)"
CODES = {(8, 1): "B", (8, 2): "b", (16, 1): "H", (16, 2): "h", (32, 1): "I", (32, 2): "i"}
CODES |= {(64, 1): "Q", (64, 2): "q", (16, 3): "e", (32, 3): "f", (64, 3): "d"}


class Kind(NamedTuple):
    """What a page is made of: see TIFF 6.0 §8 and §14."""

    bits: int = 16
    form: int = 1
    channels: int = 3
    photometric: int = 2
    extra: tuple[int, ...] = ()
    order: str = "<"
    planar: int = 1
    tiled: bool = False
    compression: int = 8
    predictor: int = 1
    big: bool = False


def sample(kind: Kind, x: int, y: int, channel: int) -> float:
    """A sample, of which all octets matter."""
    mixed = (x * 2654435761 + y * 40503 * 65537 + channel * 97 + 12345) & (1 << kind.bits) - 1
    if kind.form == 3:
        return (mixed % 4099) / 7 if kind.bits > 16 else float(mixed % 2048)
    return mixed - (1 << kind.bits) if kind.form == 2 and mixed >> kind.bits - 1 else mixed


def differences(words: list[int], channels: int, mask: int) -> list[int]:
    """What horizontal differencing leaves of a row (TIFF 6.0 §14)."""
    return [
        word - (words[at - channels] if at >= channels else 0) & mask
        for at, word in enumerate(words)
    ]


def row_of(kind: Kind, columns: range, y: int, channels: list[int]) -> bytes:
    """A row of a strip or tile as it is stored; beyond the picture stand zeros."""
    inside = [x < WIDTH and y < HEIGHT for x in columns]
    values = [
        sample(kind, x, y, channel) if there else 0
        for x, there in zip(columns, inside, strict=True)
        for channel in channels
    ]
    code = CODES[kind.bits, kind.form]
    row = struct.pack(f"{kind.order}{len(values)}{code}", *values)
    if kind.predictor == 2:
        words = struct.unpack(f"{kind.order}{len(values)}{CODES[kind.bits, 1]}", row)
        left = differences(list(words), len(channels), (1 << kind.bits) - 1)
        row = struct.pack(f"{kind.order}{len(values)}{CODES[kind.bits, 1]}", *left)
    if kind.predictor == 3:
        large = struct.pack(f">{len(values)}{code}", *values)
        each = kind.bits // 8
        row = bytes(
            differences(list(b"".join(large[at::each] for at in range(each))), len(channels), 255)
        )
    return row


def tiff(
    kind: Kind, entries: dict[int, tuple[int, ...]] | None = None, *, damaged: bool = False
) -> bytes:
    """A file of one page, its last segment `damaged`."""
    across, down = (TILE, TILE) if kind.tiled else (WIDTH, 7)
    together = list(range(kind.channels))
    planes = [together] if kind.planar == 1 else [[channel] for channel in together]
    segments = [
        b"".join(
            row_of(kind, range(left, left + across), y, plane)
            for y in range(top, top + down if kind.tiled else min(top + down, HEIGHT))
        )
        for plane in planes
        for top in range(0, HEIGHT, down)
        for left in range(0, WIDTH, across)
    ]
    packed = [zlib.compress(each) if kind.compression == 8 else each for each in segments]
    if damaged:
        packed[-1] = bytes(len(packed[-1]))
    tags = {256: (WIDTH,), 257: (HEIGHT,), 258: (kind.bits,) * kind.channels}
    tags |= {259: (kind.compression,), 262: (kind.photometric,), 277: (kind.channels,)}
    tags |= {284: (kind.planar,), 317: (kind.predictor,), 339: (kind.form,) * kind.channels}
    tags |= {338: kind.extra} if kind.extra else {}
    tags |= {322: (across,), 323: (down,)} if kind.tiled else {278: (down,)}
    return written(tags | (entries or {}), packed, kind)


def written(tags: dict[int, tuple[int, ...]], octets: list[bytes], kind: Kind) -> bytes:
    """A file of these entries and segments: all values are LONG, or LONG8."""
    places, sizes = (324, 325) if kind.tiled else (273, 279)
    code, size, head = ("Q", 16, "HHQ") if kind.big else ("I", 4, "HHI")
    wide = struct.calcsize("=" + code)
    start = 16 if kind.big else 8
    offsets = [start + end for end in itertools.accumulate(map(len, octets), initial=0)]
    body = b"".join(octets)
    tags = tags | {places: tuple(offsets[:-1]), sizes: tuple(map(len, octets))}
    listed = b""
    for tag in sorted(tags):
        values = struct.pack(f"{kind.order}{len(tags[tag])}{code}", *tags[tag])
        if len(values) > wide:
            values, at = struct.pack(kind.order + code, start + len(body)), values
            body += at
        listed += struct.pack(kind.order + head, tag, size, len(tags[tag])) + values
    count = struct.pack(kind.order + ("Q" if kind.big else "H"), len(tags))
    first = struct.pack(kind.order + code, start + len(body))
    mark = b"II" if kind.order == "<" else b"MM"
    mark += struct.pack(
        kind.order + ("HHH" if kind.big else "H"), *([43, 8, 0] if kind.big else [42])
    )
    return mark + first + body + count + listed + bytes(wide)


def expected(kind: Kind, box: tuple[int, int, int, int] = BOX, order: str = ">") -> bytes:
    """The samples of an area."""
    left, top, right, bottom = box
    values = [
        sample(kind, x, y, channel)
        for y in range(top, bottom)
        for x in range(left, right)
        for channel in range(kind.channels)
    ]
    return struct.pack(f"{order}{len(values)}{CODES[kind.bits, kind.form]}", *values)


def samples_of(data: bytes) -> bytes:
    """The samples of a part, read by hand: a PNG without filters, or a TIFF of one strip."""
    if data.startswith(b"\x89PNG"):
        at, pixels = 8, b""
        while at < len(data):
            size, name = struct.unpack_from(">I4s", data, at)
            pixels += data[at + 8 : at + 8 + size] if name == b"IDAT" else b""
            at += 12 + size
        rows = zlib.decompress(pixels)
        each = len(rows) // (BOX[3] - BOX[1])
        return b"".join(rows[at + 1 : at + each] for at in range(0, len(rows), each))
    (count,) = struct.unpack_from(">H", data, 8)
    entries = [struct.unpack_from(">HHII", data, 10 + 12 * at) for at in range(count)]
    place = {tag: value for tag, _, _, value in entries}
    return zlib.decompress(data[place[273] : place[273] + place[279]])


DEEP = {
    "rgb48be": Kind(),
    "rgba64be": Kind(channels=4, extra=(2,)),
    "ya16be": Kind(channels=2, photometric=1, extra=(2,)),
    "rgb4u16be": Kind(channels=4, extra=(1,)),
    "inks4u16be": Kind(channels=4, photometric=5),
    "lab3u16be": Kind(photometric=8),
    "white-first1u16be": Kind(channels=1, photometric=0),
    "grey1u32be": Kind(bits=32, channels=1, photometric=1),
    "grey1i8be": Kind(bits=8, form=2, channels=1, photometric=1),
    "grey1f64be": Kind(bits=64, form=3, channels=1, photometric=1),
    "grey1f16be": Kind(bits=16, form=3, channels=1, photometric=1),
    "rgb3f32be": Kind(bits=32, form=3),
    "rgb3i32be": Kind(bits=32, form=2),
    "rgb3u64be": Kind(bits=64),
}
USUAL = {
    "L": Kind(bits=8, channels=1, photometric=1),
    "LA": Kind(bits=8, channels=2, photometric=1, extra=(2,)),
    "RGB": Kind(bits=8),
    "RGBA": Kind(bits=8, channels=4, extra=(2,)),
    "CMYK": Kind(bits=8, channels=4, photometric=5),
    "I;16": Kind(bits=16, channels=1, photometric=1),
    "I": Kind(bits=32, form=2, channels=1, photometric=1),
    "F": Kind(bits=32, form=3, channels=1, photometric=1),
}
WAYS: dict[str, dict[str, Any]] = {
    "strips": {},
    "big-endian": {"order": ">"},
    "bigtiff": {"big": True},
    "tiles": {"tiled": True},
    "planes": {"planar": 2},
    "planes-of-tiles": {"planar": 2, "tiled": True, "order": ">"},
    "plain": {"compression": 1},
    "plain-planes": {"compression": 1, "planar": 2},
    "differences": {"predictor": 2},
    "differences-of-tiles": {"predictor": 2, "tiled": True, "order": ">"},
}


ALL_WAYS = {"rgb48be", "rgb3f32be", "RGB"}
"""Of these kinds every way is tried; of the others, a few."""
ROWS = [
    (name, way)
    for name in [*DEEP, *USUAL]
    for way in WAYS
    if name in ALL_WAYS or way in {"strips", "planes-of-tiles", "differences-of-tiles"}
]


@pytest.mark.parametrize(
    ("name", "way"),
    [row for row in ROWS if row[0] in DEEP],
    ids=[f"media-pixel-{name}-{way}" for name, way in ROWS if name in DEEP],
)
def test_samples_of_more_bits_are_kept(name: str, way: str) -> None:
    kind = DEEP[name]._replace(**WAYS[way])
    if kind.form == 3 and kind.predictor == 2:
        kind = kind._replace(predictor=3)
    found = extract(tiff(kind), "image/tiff", FRAGMENT)
    samples = expected(kind)
    assert found.digest == f"{name}:{hashlib.sha256(samples).hexdigest()}"
    assert samples_of(found.data) == samples
    png = name in {"rgb48be", "rgba64be", "ya16be"}
    assert found.media_type == ("image/png" if png else "image/tiff")


@pytest.mark.parametrize(
    ("mode", "way"),
    [row for row in ROWS if row[0] in USUAL],
    ids=[f"media-pixel-{name}-{way}" for name, way in ROWS if name in USUAL],
)
def test_samples_of_the_usual_kinds_are_kept(mode: str, way: str) -> None:
    kind = USUAL[mode]._replace(**WAYS[way])
    if kind.form == 3 and kind.predictor == 2:
        kind = kind._replace(predictor=3)
    found = extract(tiff(kind), "image/tiff", FRAGMENT)
    with images.open(io.BytesIO(found.data)) as image:
        assert image.mode == mode
        assert image.tobytes() == expected(kind, order="<")


@pytest.mark.parametrize("orientation", range(1, 9), ids="media-exif-{}".format)
@pytest.mark.parametrize("bits", [8, 16])
def test_a_page_is_turned_as_it_says(orientation: int, bits: int) -> None:
    kind = Kind(bits=bits, tiled=True)
    found = extract(tiff(kind, {274: (orientation,)}), "image/tiff", "rect=(1,2),(2,3)")
    x, y = {
        1: (1, 2),
        2: (WIDTH - 2, 2),
        3: (WIDTH - 2, HEIGHT - 3),
        4: (1, HEIGHT - 3),
        5: (2, 1),
        6: (2, HEIGHT - 2),
        7: (WIDTH - 3, HEIGHT - 2),
        8: (WIDTH - 3, 1),
    }[orientation]
    samples = expected(kind, (x, y, x + 1, y + 1))
    digest = hashlib.sha256(samples if bits == 16 else samples + b"\xff").hexdigest()
    assert found.digest == f"{'rgb48be' if bits == 16 else 'rgba8'}:{digest}"


REFUSED = [
    # clause id, page, what is said of it
    ("media-pixel-twelve-bits", {258: (12, 12, 12)}, "samples of 12, 12, 12 bits"),
    ("media-pixel-mixed-bits", {258: (16, 8, 8)}, "samples of 16, 8, 8 bits"),
    ("media-pixel-complex", {339: (5, 5, 5)}, "samples of 16, 16, 16 bits"),
    ("media-pixel-raw-sensor", {262: (32803,)}, "photometric interpretation 32803"),
    ("media-pixel-deep-jpeg", {259: (7,)}, "compression 7"),
    ("media-pixel-webp", {258: (8, 8, 8), 259: (50001,)}, "compression 50001 is not read"),
    ("media-pixel-old-jpeg", {258: (8, 8, 8), 259: (6,)}, "compression 6 is not read"),
    ("media-limits-no-width", {256: (0,)}, "0 pixels across"),
]


@pytest.mark.parametrize(
    ("entries", "said"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_what_is_not_read_exactly_is_refused(
    entries: dict[int, tuple[int, ...]], said: str
) -> None:
    with pytest.raises(PermaciteError, match=said):
        extract(tiff(Kind(), entries), "image/tiff", FRAGMENT)


def test_a_page_whose_strips_are_not_there_is_refused() -> None:
    """media-traps: some writers leave out what is empty."""
    empty = tiff(Kind(), {322: (16,), 323: (16,), 324: (0,) * 6, 325: (0,) * 6})
    with pytest.raises(PermaciteError, match="not there"):
        extract(empty, "image/tiff", FRAGMENT)


def test_strips_of_sizes_that_are_not_said_end_where_they_end() -> None:
    """media-traps: old writers leave the sizes out."""
    data = tiff(Kind())
    said, unsaid = (struct.pack("<HHI", 279, 4, count) for count in (5, 0))
    assert data.count(said) == 1
    found = extract(data.replace(said, unsaid), "image/tiff", FRAGMENT)
    assert found == extract(data, "image/tiff", FRAGMENT)


@pytest.mark.parametrize("tiled", [False, True], ids=["media-limits-strips", "media-limits-tiles"])
@pytest.mark.parametrize("bits", [8, 16])
def test_only_what_the_area_lies_in_is_read(bits: int, *, tiled: bool) -> None:
    """What is damaged elsewhere does no harm."""
    kind = Kind(bits=bits, tiled=tiled)
    data = tiff(kind, damaged=True)
    whole = extract(tiff(kind), "image/tiff", "rect=(0,0),(9,5)")
    assert extract(data, "image/tiff", "rect=(0,0),(9,5)") == whole
    with pytest.raises(PermaciteError, match="cannot be decoded"):
        extract(data, "image/tiff", f"rect=(0,0),({WIDTH},{HEIGHT})")


def test_a_page_is_refused_by_what_its_part_needs() -> None:
    """media-limits: a column of a page of plain rows needs all of them, a corner does not."""
    kind = Kind(bits=8, compression=1)
    vast = tiff(kind, {256: (1 << 20,), 257: (1 << 20,), 278: (1 << 20,)})
    with pytest.raises(LimitError):
        extract(vast, "image/tiff", f"rect=(0,0),(1,{1 << 20})")
    with pytest.raises(PermaciteError, match="cut off"):
        extract(vast, "image/tiff", "rect=(0,0),(1,1)")
    tiles = tiff(kind._replace(tiled=True), {256: (1 << 30,)})
    found = extract(tiles, "image/tiff", "rect=(0,0),(5,3)")
    assert found.digest == extract(tiff(kind), "image/tiff", "rect=(0,0),(5,3)").digest
