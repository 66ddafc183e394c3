"""Laws of the guards of capture: every address that is not public is refused, whatever its form."""

from __future__ import annotations

import gzip
import zlib
from contextlib import suppress
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permacite.capture import Exchange, Limits, Progress
from permacite.capture.address import parse_target, refusal
from permacite.capture.collect import Collector
from permacite.capture.content import CodingError, Decoder, sniff
from permacite.capture.fetcher import Fetcher
from permacite.capture.run import to_the_end
from permacite.errors import CaptureError


@given(st.ip_addresses())
def test_every_address_that_is_not_global_is_refused(address: IPv4Address | IPv6Address) -> None:
    if not address.is_global or address.is_multicast:
        assert refusal(str(address))


@given(st.ip_addresses(v=4), st.sampled_from(["::", "::ffff:", "64:ff9b::", "::ffff:0:"]))
def test_no_address_inside_another_gets_through(inner: IPv4Address, prefix: str) -> None:
    assert refusal(str(ip_address(f"{prefix}{inner}")))
    assert refusal(str(IPv6Address((0x2002 << 112) | (int(inner) << 80))))


@given(st.text())
def test_any_text_is_an_address_or_refused(text: str) -> None:
    if refusal(text) is None:
        assert ip_address(text.partition("%")[0]).is_global


@given(st.text(), st.sampled_from(["", "http://", "https://", "http://127.0.0.1:"]))
def test_any_text_is_a_target_or_a_capture_error(text: str, prefix: str) -> None:
    with suppress(CaptureError):
        target = parse_target(prefix + text)
        assert target.uri.startswith(f"{target.scheme}://")
        assert "#" not in target.uri
        assert parse_target(target.uri) == target


@given(st.ip_addresses(v=4), st.sampled_from(["{:d}", "{:#x}", "{:#o}"]))
def test_no_number_passes_for_a_name(address: IPv4Address, form: str) -> None:
    with pytest.raises(CaptureError, match="neither a name nor four decimal numbers"):
        parse_target("http://" + form.format(int(address)).replace("0o", "0") + "/")


def _decoded(coding: str, data: bytes, piece: int, room: int) -> bytes:
    decoder = Decoder(coding)
    found = b""
    for start in range(0, len(data), piece):
        found += decoder.feed(data[start : start + piece], room - len(found))
    decoder.finish()
    return found


@given(st.binary(max_size=2000), st.integers(min_value=1, max_value=300))
def test_content_codings_come_off(data: bytes, piece: int) -> None:
    bare = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    for coding, coded in [
        ("", data),
        ("gzip", gzip.compress(data)),
        ("x-gzip", gzip.compress(data[:7]) + gzip.compress(data[7:]) + b"\0\0"),
        ("deflate", zlib.compress(data)),
        ("deflate", bare.compress(data) + bare.flush()),
    ]:
        assert _decoded(coding, coded, piece, 10_000) == data


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate", "identity", "br"]))
def test_any_bytes_are_content_or_a_coding_error(data: bytes, coding: str) -> None:
    with suppress(CodingError):
        assert len(_decoded(coding, data, 50, 1000)) <= 1001


@given(st.integers(min_value=0, max_value=100_000), st.integers(min_value=1, max_value=1000))
def test_no_more_than_the_room_and_one_byte_comes_out(size: int, room: int) -> None:
    assert len(Decoder("gzip").feed(gzip.compress(bytes(size)), room)) == min(size, room + 1)


@given(st.binary())
def test_any_bytes_look_like_something(data: bytes) -> None:
    assert "/" in sniff(data)


class _Empty(Fetcher):
    """A web where nothing is found, without a network."""

    async def fetch(self, uri: str, *, accept: str = "*/*", likely: str | None = None) -> Exchange:
        raise CaptureError(f"nothing for {accept} {likely}", uri=uri, reason="status")


_PIECES = [
    "<img src=",
    "<base href=",
    "<iframe src=",
    "<style>",
    "url(",
    "@import ",
    "srcset='",
    "'",
    '"',
    "a.png",
    "//",
    "http:",
    "http://[",
    "data:,",
    "?",
    "#",
    "%",
    "\\",
    " ",
    ">",
    "2x,",
    "ä",
]


@given(st.lists(st.sampled_from(_PIECES) | st.text(max_size=5), max_size=30).map("".join))
def test_any_page_is_collected_to_the_end(page: str) -> None:
    root = Exchange(
        uri="http://harbour.example/",
        final_uri="http://harbour.example/",
        method="GET",
        status=200,
        reason="OK",
        request_headers=(),
        response_headers=(),
        content=page.encode("utf-8", "replace"),
        content_type="text/html",
        sniffed=False,
        peer_address=None,
        certificate=None,
        redirects=(),
        started_at=datetime.now(UTC),
        duration_s=0.0,
        digest="",
    )
    seen: list[Progress] = []

    async def collected() -> Collector:
        async with _Empty(Limits(parts=10)) as fetcher:
            collector = Collector(fetcher, seen.append)
            await collector.collect(root)
            return collector

    collector = to_the_end(collected())
    assert collector.resources() == ()
    lost = [each.uri for each in collector.failures()]
    assert len(lost) == len(set(lost))
    assert (seen[-1].done, seen[-1].known) == (1 + len(lost), 1 + len(lost))
