"""Picture counts agree with the decoder, and any octets have a count."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from permacite.extract.media.count import frames

FORMATS: list[tuple[str, dict[str, Any]]] = [
    ("GIF", {}),
    ("PNG", {}),
    ("PNG", {"default_image": True}),
    ("WEBP", {"lossless": True}),
    ("AVIF", {}),
    ("TIFF", {}),
    ("TIFF", {"big_tiff": True}),
    ("JPEG", {}),
    ("BMP", {}),
]


def file(kind: str, count: int, options: dict[str, Any]) -> bytes:
    """Return a file of so many pictures; of one, where the format has no more."""
    pictures = [Image.new("RGB", (16, 12), (n * 40, 255 - n * 40, 9)) for n in range(count)]
    kept = io.BytesIO()
    if count > 1 and kind not in {"JPEG", "BMP"}:
        options = options | {"save_all": True, "append_images": pictures[1:]}
    else:
        options = {}
    pictures[0].save(kept, kind, **options)
    return kept.getvalue()


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize(("kind", "options"), FORMATS)
def test_as_many_as_the_decoder_finds(kind: str, options: dict[str, Any], count: int) -> None:
    content = file(kind, count, options)
    with Image.open(io.BytesIO(content)) as opened:
        assert frames(content) == getattr(opened, "n_frames", 1)


BEGINNINGS = [file(kind, 3, options)[:64] for kind, options in FORMATS]


@given(st.sampled_from(BEGINNINGS), st.integers(0, 64), st.binary(max_size=200))
def test_any_octets_hold_one_at_least(beginning: bytes, kept: int, rest: bytes) -> None:
    assert 1 <= frames(beginning[:kept] + rest) <= 10_000


def test_directories_in_a_circle_are_counted_once() -> None:
    circle = b"II*\0" + (8).to_bytes(4, "little") + b"\0\0" + (8).to_bytes(4, "little")
    assert frames(circle) == 1
