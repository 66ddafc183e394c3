"""Seeking index: a part cut by an index is that of a full decode, for any interval and codec."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.spec.recordings import sound, spoilt

from permacite.decoding.workers import DecodingPool
from permacite.errors import NotFoundError
from permacite.extract import Excerpt, extract
from permacite.extract.media.seeking import SEEKING, Seeking

pytest.importorskip("av", reason="needs the video extra")

CODECS = [
    # encoder, container, octets that are spoilt
    ("libmp3lame", "mp3", 0),
    ("libmp3lame", "mp3", 2000),
    ("flac", "flac", 0),
    ("flac", "flac", 300),
    ("flac", "ogg", 300),
    ("libopus", "ogg", 0),
    ("libopus", "ogg", 300),
    ("aac", "mp4", 0),
    ("aac", "mp4", 500),
    ("aac", "adts", 0),
    ("alac", "mp4", 0),
    ("pcm_s16le", "wav", 0),
    ("libopus", "webm", 0),
]
MOST_MS = 76_000


@cache
def document(codec: str, kind: str, damage: int) -> tuple[bytes, bytes]:
    """A sound of 72 seconds, and its index."""
    content = sound(codec, kind, 12, 8000, 1)
    content = spoilt(content, 0.6, damage) if damage else content
    return content, part(content, "sec=71,80", b"")[1]


def part(content: bytes, fragment: str, index: bytes) -> tuple[Excerpt | None, bytes]:
    """A part that is cut by an index, and the index that was made by the way."""
    seeking = Seeking(index)
    token = SEEKING.set(seeking)
    try:
        return extract(content, "audio/mpeg", fragment), seeking.made
    except NotFoundError:
        return None, seeking.made
    finally:
        SEEKING.reset(token)


@pytest.mark.parametrize(("codec", "kind", "damage"), CODECS)
@given(times=st.lists(st.integers(0, MOST_MS), min_size=2, max_size=2, unique=True))
def test_a_part_by_the_index_is_that_of_a_full_decode(
    codec: str, kind: str, damage: int, times: list[int]
) -> None:
    """media-traps: seeking is exact, or is not done."""
    content, index = document(codec, kind, damage)
    assert index
    start, end = sorted(times)
    fragment = f"msec={start},{min(end, start + 2000)}"
    found, made = part(content, fragment, index)
    assert found == part(content, fragment, b"")[0]
    if start > MOST_MS // 2 and codec not in {"aac", "libopus"}:
        assert not made  # it was of use


@given(st.data())
def test_an_index_that_is_wrong_changes_nothing(data: st.DataObject) -> None:
    content, index = document("libmp3lame", "mp3", 0)
    place = data.draw(st.integers(0, len(index) - 1))
    wrong = index[:place] + bytes([index[place] ^ data.draw(st.integers(1, 255))])
    wrong += index[place + 1 :] if data.draw(st.booleans()) else b""
    assert part(content, "sec=65,66", wrong)[0] == part(content, "sec=65,66", b"")[0]


def test_workers_hand_an_index_from_one_cut_to_the_next() -> None:
    content, index = document("flac", "flac", 0)
    workers = DecodingPool(most=1)
    try:
        for fragment in ("sec=71,80", "sec=65,66"):
            found = workers.extract(content, "audio/flac", fragment, digest="d")
            assert found == extract(content, "audio/flac", fragment)
        assert workers._indexes.get("d", "audio/flac") == index  # noqa: SLF001 - what is handed on
    finally:
        workers.close()
