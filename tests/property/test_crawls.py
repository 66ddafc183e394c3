"""Records of crawls: whatever octets there are, they are read to the end, and once."""

from __future__ import annotations

import gzip
import io

from hypothesis import given
from hypothesis import strategies as st
from tests.crawled import crawl, packed

from permacite.capture.crawls.records import WarcReader

WHOLE = b"".join(crawl())
PACKED = packed(crawl())
PIECES = [
    WHOLE,
    PACKED,
    gzip.compress(WHOLE),
    *crawl(),
    b"WARC/1.1\r\n",
    b"\r\n\r\n",
    b"\x1f\x8b\x08",
]


def kinds(octets: bytes) -> list[str]:
    """The records of some octets, each read to its end; "" for what is none."""
    reader = WarcReader(io.BytesIO(octets))
    found = []
    while (record := reader.next()) is not None:
        assert sum(map(len, reader.pieces())) <= record.length
        reader.end()
        found.append("" if record.trouble else record.kind)
    return found


EVERY = kinds(WHOLE)


@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=20), max_size=8))
def test_any_octets_are_read_to_the_end(pieces: list[bytes]) -> None:
    kinds(b"".join(pieces))


@given(st.integers(0, len(WHOLE)), st.integers(0, len(PACKED)))
def test_what_is_cut_off_loses_no_whole_record(plain: int, compressed: int) -> None:
    for octets in (WHOLE[:plain], PACKED[:compressed]):
        found = [kind for kind in kinds(octets) if kind]
        assert found == EVERY[: len(found)]


@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
def test_an_octet_harms_no_record_before_it(place: int, octet: int) -> None:
    changed = WHOLE[:place] + bytes([octet]) + WHOLE[place + 1 :]
    before = 0
    for number, each in enumerate(crawl()):
        before += len(each)
        if before <= place:
            assert kinds(changed)[: number + 1] == EVERY[: number + 1]
