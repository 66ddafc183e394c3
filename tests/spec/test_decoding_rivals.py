"""Parts of every format beside what ImageMagick, ffmpeg and sox make of it: the same, or how near.

Debian's programs, which share few decoders with ours: `./do parts` installs them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.media.formats import FORMATS, made_before
from tests.media.rivals import PROGRAMS, compared, rivals_of
from tests.needs import need

from permacite.errors import PermaciteError
from permacite.extract import extract

if TYPE_CHECKING:
    from pathlib import Path

    from tests.media.formats import Format

pytest.importorskip("av", reason="needs the media extra")
pytest.importorskip("PIL.Image", reason="needs the media extra")

PAIRS = [(one, program) for one in FORMATS for program in rivals_of(one)]
ROUNDED = re.compile(
    "aac|eac3|vorbis|opus|webm|asf|wmav|ac3|rm|mp3|flv|nelly|mpegts$|avif-lossless"
)
"""Decoders that reckon in fractions may round the last bit otherwise."""
FRACTIONS = re.compile("dts")
"""Whose samples are fractions of 1."""
APART = {
    ("sound-amrwb", "sox"): 256.0,
    ("sound-wav-adpcm_ima_wav", "ffmpeg"): 24.0,
    ("sound-avi-adpcm_ima_wav", "ffmpeg"): 24.0,
}
"""sox reckons AMR-WB in whole numbers, as its specification does, and IMA ADPCM to the bit as newer
ffmpegs do: Debian's, of 2022, takes a short way."""
SPREAD = {
    "picture-avif": 96.0,
    "picture-tiff-palette": 1.0,
    "picture-555.bmp": 1.0,
    "picture-565.bmp": 1.0,
}
"""How colours of half the size are spread over the pixels is left to who shows an AVIF; the colours
of a palette in a TIFF have 16 bits, of which its writer filled 8; five bits are made
eight."""


@pytest.fixture(scope="module", autouse=True)
def _programs() -> None:
    """Ask for every rival."""
    for name in PROGRAMS:
        need(name)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "program"),
    [
        pytest.param(
            one,
            program,
            id=f"media-pixel-{one.name}-{program}",
            marks=[pytest.mark.deep] if number % 6 else [],
        )
        for number, (one, program) in enumerate(PAIRS)
    ],
)
def test_others_cut_the_same(one: Format, program: str, tmp_path: Path) -> None:
    found = compared(one, program, tmp_path)
    assert found.count
    assert found.largest is not None
    assert found.largest <= allowed(one, program)


def allowed(one: Format, program: str) -> float:
    """The largest difference that has a reason."""
    if one.kind == "audio" and FRACTIONS.search(one.name):
        return 1e-5
    rounded = 1.0 if ROUNDED.search(one.name) and one.kind != "video" else 0.0
    return SPREAD.get(one.name) or APART.get((one.name, program), rounded)


def test_every_sound_and_video_has_a_rival() -> None:
    assert {one.name for one, _ in PAIRS} == {one.name for one in FORMATS}


def test_lossless_jpeg_is_refused_by_name() -> None:
    """Two decoders, two pictures: where no marker tells RGB from YCbCr, each takes its own."""
    for before in (b"", b"\xff" * 9, b"\xff\xe1\x00\x08Exif\x00\x00"):
        content = made_before("lossless.jpg")()
        with pytest.raises(PermaciteError, match="lossless JPEG is not read"):
            extract(content[:2] + before + content[2:], "image/jpeg", "rect=(3,2),(21,17)")
