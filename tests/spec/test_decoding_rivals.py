"""Parts of every format beside what ImageMagick, ffmpeg and sox make of it: the same, or how near.

Debian's programs, which share few decoders with ours: `./do outside` installs them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.media.formats import FORMATS
from tests.media.rivals import compared, lacking, rivals_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.media.formats import Format

pytest.importorskip("av", reason="needs the media extra")
pytest.importorskip("PIL.Image", reason="needs the media extra")

PAIRS = [(one, program) for one in FORMATS for program in rivals_of(one)]
ROUNDED = dict.fromkeys(
    [f"sound-{name}" for name in ("aac", "eac3", "ogg-vorbis", "ogg-opus", "webm", "mp4-aac")]
    + [f"sound-{name}" for name in ("mpegts", "asf", "ac3", "rm", "mp3", "flv")]
    + ["picture-avif-lossless"],
    1.0,
)
"""Decoders that reckon in fractions may round the last bit otherwise."""
APART = {("sound-dts", "ffmpeg"): 1e-5, ("sound-amrwb", "sox"): 256.0}
"""DTS is in fractions of 1; sox reckons AMR-WB in whole numbers, as its specification does."""
SPREAD = {"picture-avif": 96.0}
"""How colours of half the size are spread over the pixels is left to who shows an AVIF."""


@pytest.fixture(scope="module", autouse=True)
def _programs() -> None:
    """Skip where a program is not here, unless none may be skipped."""
    if lacking():
        reason = f"{', '.join(lacking())}: ./do outside installs what is not here"
        if os.environ.get("PERMACITE_CI") or os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "program"), PAIRS, ids=[f"media-pixel-{one.name}-{program}" for one, program in PAIRS]
)
def test_others_cut_the_same(one: Format, program: str, tmp_path: Path) -> None:
    found = compared(one, program, tmp_path)
    assert found.count
    assert found.largest is not None
    allowed = (ROUNDED | SPREAD).get(one.name, 0)
    assert found.largest <= APART.get((one.name, program), allowed)


def test_every_sound_and_video_has_a_rival() -> None:
    assert {one.name for one, _ in PAIRS} == {one.name for one in FORMATS}
