"""Laws of the guards of capture: every address that is not public is refused, whatever its form."""

from __future__ import annotations

import gzip
import socket
import zlib
from contextlib import suppress
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

import brotli
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from permacite.capture.address import parse_target, refusal
from permacite.capture.codings import CodingError, ContentDecoder
from permacite.capture.collect import Collector
from permacite.capture.fetcher import Fetcher
from permacite.capture.model import CaptureProgress, Exchange, FetchLimits, Sent
from permacite.errors import CaptureError
from permacite.file_types import sniff
from permacite.loops import to_the_end


@given(st.ip_addresses())
def test_every_address_that_is_not_global_is_refused(address: IPv4Address | IPv6Address) -> None:
    if not address.is_global or address.is_multicast:
        assert refusal(str(address))


@given(st.ip_addresses(v=4), st.sampled_from(["::", "::ffff:", "64:ff9b::", "::ffff:0:"]))
def test_no_address_inside_another_gets_through(inner: IPv4Address, prefix: str) -> None:
    assert refusal(str(ip_address(f"{prefix}{inner}")))
    assert refusal(str(IPv6Address((0x2002 << 112) | (int(inner) << 80))))


@given(
    st.ip_addresses().map(str) | st.ip_addresses(v=6).map(lambda one: one.exploded),
    st.integers(0),
    st.sampled_from([*"0123456789abcdef:.%x/ []", "00", "::", "0x", "%eth0", "\u0661", "\n"]),
    st.sampled_from([0, 1, 2]),
)
def test_a_changed_address_is_one_that_sockets_know_or_is_refused(
    text: str, at: int, letter: str, replaced: int
) -> None:
    at %= len(text)
    for source in (text, text[:at] + letter + text[at + replaced :]):
        if refusal(source) is None:
            plain = source.partition("%")[0]
            family = socket.AF_INET6 if ":" in plain else socket.AF_INET
            known = ip_address(socket.inet_pton(family, plain))
            assert known.is_global
            assert known == ip_address(plain)


@given(st.ip_addresses(v=4))
def test_what_is_not_refused_is_what_the_registries_leave(address: IPv4Address) -> None:
    told = refusal(str(address))
    assert (told is None) == (
        address.is_global
        and not address.is_multicast
        and all(address not in each for each in _NOT_FOR_EVERYONE)
    )


_NOT_FOR_EVERYONE = [
    ip_network(each)
    for each in (
        "168.63.129.16/32",
        "192.0.0.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.175.48.0/24",
    )
]

_HOSTS = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,5}(\.[a-z][a-z0-9-]{0,5}){0,2}\.?", fullmatch=True)
_LITERALS = st.ip_addresses().map(lambda one: f"[{one}]" if one.version == 6 else str(one))
_PATHS = st.from_regex(r"(/[a-z0-9:@%;.]{0,6}){0,2}(\?[a-z/?@:]{0,6})?", fullmatch=True)


@st.composite
def _uris(draw: st.DrawFn) -> str:
    port = draw(st.just("") | st.integers(1, 65535).map(":{}".format))
    scheme = draw(st.sampled_from(["http", "https", "HTTP"]))
    return f"{scheme}://{draw(_HOSTS | _LITERALS)}{port}{draw(_PATHS)}"


@given(_uris(), st.sampled_from(["", "#", "#a/b"]))
def test_every_uri_of_the_web_is_a_target(uri: str, fragment: str) -> None:
    target = parse_target(uri + fragment)
    split = urlsplit(uri)
    assert (target.scheme, target.host) == (split.scheme, split.hostname)
    assert target.port == (split.port or {"http": 80, "https": 443}[split.scheme])
    assert urlsplit(target.uri)._replace(path="", query="") == split._replace(
        netloc=split.netloc.lower(), path="", query=""
    )
    assert parse_target(target.uri) == target


@given(
    _uris(),
    st.integers(0),
    st.sampled_from([*"@:/?#[]\\%\t\n \0.", "//", "..", "\u3002", "\u2100", "user:p@", "0"]),
    st.sampled_from([0, 1, 3]),
)
def test_a_changed_uri_goes_where_others_go_or_is_refused(
    uri: str, at: int, letter: str, replaced: int
) -> None:
    at %= len(uri)
    changed = uri[:at] + letter + uri[at + replaced :]
    with suppress(CaptureError):
        target = parse_target(changed)
        split = urlsplit(changed.replace("\\", "/"))  # as browsers take it
        assert (target.scheme, target.host) == (split.scheme, split.hostname)
        assert target.port == (split.port or {"http": 80, "https": 443}[split.scheme])
        assert split.username is None
        assert split.password is None
        assert "#" not in target.uri
        assert target.uri.isascii()
        assert parse_target(target.uri) == target


@given(st.ip_addresses(v=4), st.sampled_from(["{:d}", "{:#x}", "{:#o}"]))
def test_no_number_passes_for_a_name(address: IPv4Address, form: str) -> None:
    with pytest.raises(CaptureError, match="neither a name nor four decimal numbers"):
        parse_target("http://" + form.format(int(address)).replace("0o", "0") + "/")


def _decoded(coding: str, data: bytes, piece: int, room: int) -> bytes:
    decoder = ContentDecoder(coding)
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
        ("br", brotli.compress(data)),
        ("zstd", zstd.compress(data[:7]) + zstd.compress(data[7:])),
    ]:
        assert _decoded(coding, coded, piece, 10_000) == data


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate"]), st.data())
def test_damaged_content_is_told_apart_or_was_not_damaged(
    data: bytes, coding: str, draw: st.DataObject
) -> None:
    coded = bytearray(gzip.compress(data) if coding == "gzip" else zlib.compress(data))
    at = draw.draw(st.integers(0, len(coded) - 1))
    coded[at] ^= draw.draw(st.integers(1, 255))
    with suppress(CodingError):
        found = _decoded(coding, bytes(coded), 50, 1000)
        # A bare stream has no sum to check: one changed byte of the head makes it one.
        assert found == data or (coding == "deflate" and at == 0)


_CODERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


@given(st.binary(max_size=300), st.sampled_from(["br", "zstd"]), st.integers(1, 300))
def test_any_octets_are_content_or_an_error(data: bytes, coding: str, piece: int) -> None:
    """These have no sum of their own, so that damage need not show."""
    with suppress(CodingError):
        _decoded(coding, data, piece, 1000)


@given(st.binary(min_size=1, max_size=300), st.sampled_from(sorted(_CODERS)), st.data())
def test_content_that_ends_too_early_is_refused(
    data: bytes, coding: str, draw: st.DataObject
) -> None:
    coded = _CODERS[coding](data)
    end = draw.draw(st.integers(1, len(coded) - 1))
    with pytest.raises(CodingError):
        _decoded(coding, coded[:end], 50, 1000)


@given(
    st.integers(min_value=0, max_value=300_000),
    st.integers(min_value=1, max_value=1000) | st.integers(min_value=60_000, max_value=200_000),
    st.sampled_from(sorted(_CODERS)),
)
def test_no_more_than_the_room_and_one_byte_comes_out(size: int, room: int, coding: str) -> None:
    coded = _CODERS[coding](bytes(size))
    assert len(ContentDecoder(coding).feed(coded, room)) == min(size, room + 1)


_SPACE = st.sampled_from(
    [b"", b"\xef\xbb\xbf", b" \r\n", b"<?xml version='1.0'?>", b"<!-- a -->\n"]
)
_TAGS = st.sampled_from([b"<!DOCTYPE html", b"<html", b"<P", b"<a", b"<svg", b"<table", b"<h1"])
_AFTER_TAGS = st.sampled_from([b">", b" a=b>", b"\n>", b""])


@given(_SPACE, _TAGS, _AFTER_TAGS, st.binary(max_size=4))
def test_what_begins_with_a_tag_is_a_page_or_a_drawing(
    before: bytes, tag: bytes, after: bytes, rest: bytes
) -> None:
    wanted = "image/svg+xml" if tag == b"<svg" else "text/html"
    ends = bool(after) or (not rest[:1].isalnum() and rest[:1] != b"_")
    found = sniff(before + tag + after + rest)
    assert (found == wanted) == ends or tag == b"<a", "<abc is no <a"


@given(
    st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"\0\0\0\x18ftypavif", b"%PDF-", b"BM"]),
    st.binary(max_size=40),
    st.binary(min_size=1, max_size=9),
)
def test_the_type_is_told_by_the_head_alone(head: bytes, body: bytes, tail: bytes) -> None:
    content = (head + body).ljust(1024, b" ")
    assert sniff(content) == sniff(content + tail)
    if not head and b"<" not in body and sniff(body) in {"text/html", "image/svg+xml"}:
        raise AssertionError("markup has a tag")
    if sniff(content) == "text/plain":
        assert b"\0" not in content


class _Empty(Fetcher):
    """A web where nothing is found, without a network."""

    async def fetch(
        self,
        uri: str,
        *,
        accept: str = "*/*",
        likely: str | None = None,
        referrer: str = "",
        sent: Sent | None = None,
        onward: bool = True,
    ) -> Exchange:
        raise CaptureError(
            f"nothing for {accept} {likely} {referrer} {sent} {onward}", uri=uri, reason="status"
        )


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
    seen: list[CaptureProgress] = []

    async def collected() -> Collector:
        async with _Empty(FetchLimits(parts=10)) as fetcher:
            collector = Collector(fetcher, seen.append)
            await collector.collect(root)
            return collector

    collector = to_the_end(collected())
    assert collector.resources() == ()
    lost = [each.uri for each in collector.failures()]
    assert len(lost) == len(set(lost))
    assert (seen[-1].done, seen[-1].known) == (1 + len(lost), 1 + len(lost))
