"""Time, size, number, redirects and decompression have limits; http and https only (C5)."""

from __future__ import annotations

import asyncio
import gzip
import socket
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import brotli
import pytest
from backports import zstd

from permacite.capture import capture, fetch
from permacite.capture.model import FetchLimits, FetchOptions
from permacite.errors import CaptureError

if TYPE_CHECKING:
    from http.server import BaseHTTPRequestHandler

    from tests.spec.conftest import Web

SMALL = FetchLimits(
    total_s=20, load_s=10, total_bytes=40_000, part_bytes=10_000, parts=5, redirects=3
)


def _problem(uri: str, limits: FetchLimits = SMALL) -> CaptureError:
    with pytest.raises(CaptureError) as error:
        fetch(uri, FetchOptions(limits=limits, allow_private=True))
    assert error.value.uri == uri
    return error.value


def test_default_limits() -> None:
    """capture-c5-defaults: 60 s, 20 s, 200 MiB, 50 MiB, 500 parts, 8 at once, 10 redirects."""
    limits = FetchLimits()
    assert (limits.total_s, limits.load_s) == (60, 20)
    assert (limits.total_bytes, limits.part_bytes) == (200 * 2**20, 50 * 2**20)
    assert (limits.parts, limits.concurrent, limits.redirects) == (500, 8, 10)


SCHEMES = [
    ("capture-c5-ftp", "ftp://example.com/a", "scheme"),
    ("capture-c5-file", "file:///etc/passwd", "scheme"),
    ("capture-c5-data", "data:text/html,x", "scheme"),
    ("capture-c5-javascript", "javascript:alert(1)", "scheme"),
    ("capture-c5-no-scheme", "example.com/a", "scheme"),
    ("capture-c5-empty", "", "scheme"),
    ("capture-c5-no-host", "http:///a", "syntax"),
    ("capture-c5-no-slashes", "http:a", "syntax"),
    ("capture-c5-port-too-large", "http://example.com:65536/", "syntax"),
    ("capture-c5-port-zero", "http://example.com:0/", "syntax"),
    ("capture-c5-host-too-long", f"http://{'a' * 64}.example/", "syntax"),
    ("capture-c5-empty-label", "http://a..example/", "syntax"),
]


@pytest.mark.parametrize(("uri", "reason"), [c[1:] for c in SCHEMES], ids=[c[0] for c in SCHEMES])
def test_refuses_what_is_not_fetched(uri: str, reason: str) -> None:
    assert _problem(uri).reason == reason


def test_a_missing_scheme_is_hinted_at() -> None:
    assert _problem("example.com/a").hint == "did you mean https://example.com/a"


STATUSES = [
    ("capture-c5-status-404", 404),
    ("capture-c5-status-500", 500),
    ("capture-c5-status-401", 401),
    ("capture-c5-status-304", 304),
    ("capture-c5-status-206", 206),
    ("capture-c5-status-300", 300),
]


@pytest.mark.parametrize("status", [c[1] for c in STATUSES], ids=[c[0] for c in STATUSES])
def test_refuses_an_answer_that_is_not_the_page(web: Web, status: int) -> None:
    error = _problem(web.put("/page", b"", status=status))
    assert error.reason == "status"
    assert f"{status} " in error.problem
    assert web.uri("/page") in error.problem


def test_redirect_loop_shows_the_chain(web: Web) -> None:
    web.redirect("/a", "/b")
    web.redirect("/b", "/a")
    error = _problem(web.uri("/a"))
    assert error.reason == "redirects"
    assert " -> ".join(map(web.uri, ["/a", "/b", "/a"])) in error.problem


def test_redirects_end(web: Web) -> None:
    for n in range(9):
        web.redirect(f"/{n}", f"/{n + 1}")
    web.put("/9", "end")
    assert "more than 3 redirects" in _problem(web.uri("/0")).problem
    assert len(web.asked) == 4
    patient = replace(SMALL, redirects=9)
    assert fetch(web.uri("/0"), FetchOptions(limits=patient, allow_private=True)).content == b"end"


REDIRECTED = [
    ("capture-c5-redirect-file", "file:///etc/passwd", "scheme"),
    ("capture-c5-redirect-javascript", "javascript:alert(1)", "scheme"),
    ("capture-c5-redirect-nonsense", "http://[", "syntax"),
]


@pytest.mark.parametrize(
    ("location", "reason"), [c[1:] for c in REDIRECTED], ids=[c[0] for c in REDIRECTED]
)
def test_refuses_redirects_elsewhere(web: Web, location: str, reason: str) -> None:
    error = _problem(web.redirect("/", location))
    assert (error.reason, location in error.problem) == (reason, True)


LARGE = [
    # clause id, content, coding: each more than 10,000 bytes
    ("capture-c5-large", b"x" * 10_001, ""),
    ("capture-c5-bomb", gzip.compress(bytes(10_000_000)), "gzip"),
    ("capture-c5-bomb-br", brotli.compress(bytes(10_000_000)), "br"),
    ("capture-c5-bomb-zstd", zstd.compress(bytes(10_000_000)), "zstd"),
    ("capture-c5-members", gzip.compress(b"") * 600, "gzip"),
    ("capture-c5-just-too-large", gzip.compress(bytes(10_001)), "gzip"),
]


@pytest.mark.parametrize(("content", "coding"), [c[1:] for c in LARGE], ids=[c[0] for c in LARGE])
@pytest.mark.parametrize("declared", [True, False])
def test_refuses_what_is_too_large(
    web: Web, content: bytes, coding: str, *, declared: bool
) -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        if declared:
            request.send_header("Content-Length", str(len(content)))
        request.send_header("Content-Encoding", coding)
        request.end_headers()
        request.wfile.write(content)

    error = _problem(web.behave("/", answer))
    assert (error.reason, "part_bytes = 10000" in error.problem) == ("size", True)


def test_what_just_fits_is_kept(web: Web) -> None:
    coded = gzip.compress(bytes(10_000))
    uri = web.put("/", coded, headers=(("Content-Encoding", "gzip"),))
    assert len(fetch(uri, FetchOptions(limits=SMALL, allow_private=True)).content) == 10_000


EMPTY_BLOCK = b"\0\0\0\xff\xff"
"""Of a deflate stream: a stored block of no bytes, not the last one."""

ENDLESS = [
    ("capture-c5-endless", b"x" * 1000, b""),
    ("capture-c5-endless-nothing", EMPTY_BLOCK * 1000, gzip.compress(b"")[:10]),
]


@pytest.mark.parametrize(("piece", "head"), [c[1:] for c in ENDLESS], ids=[c[0] for c in ENDLESS])
def test_an_endless_body_is_stopped_by_its_size(web: Web, piece: bytes, head: bytes) -> None:
    assert _problem(web.endless("/", piece, head=head)).reason == "size"


def test_a_slow_body_is_stopped_by_the_time(web: Web) -> None:
    error = _problem(web.endless("/", b"x", pause_s=0.05), replace(SMALL, load_s=0.3))
    assert (error.reason, "load_s = 0.3 seconds" in error.problem) == ("timeout", True)


def test_a_name_server_that_says_nothing_is_stopped_by_the_time() -> None:
    async def silent(_host: str, _port: int) -> list[str]:
        await asyncio.Event().wait()
        return []

    hasty = replace(SMALL, load_s=0.2)
    with pytest.raises(CaptureError, match=r"load_s = 0\.2") as error:
        fetch("http://harbour.example/", FetchOptions(limits=hasty, lookup=silent))
    assert error.value.reason == "timeout"


def test_a_server_that_says_nothing_is_stopped_by_the_time(web: Web) -> None:
    def silent(_request: BaseHTTPRequestHandler) -> None:
        web.stopping.wait(10)

    web.put("/", '<img src="silent"><img src="a.png">')
    web.put("/a.png", "a", "image/png")
    web.behave("/silent", silent)
    hasty = replace(SMALL, total_s=0.5)
    captured = capture(web.uri(), FetchOptions(limits=hasty, allow_private=True))
    assert [each.uri for each in captured.resources] == [web.uri("/a.png")]
    assert [(each.uri, each.reason) for each in captured.failures] == [
        (web.uri("/silent"), "timeout")
    ]
    assert "total_s = 0.5" in captured.failures[0].problem
    with pytest.raises(CaptureError, match=r"total_s = 0\.5") as error:
        capture(web.uri("/silent"), FetchOptions(limits=hasty, allow_private=True))
    assert error.value.reason == "timeout"


def test_parts_beyond_the_limit_are_named(web: Web) -> None:
    web.put("/", "".join(f'<img src="{n}.png">' for n in range(7)))
    for n in range(7):
        web.put(f"/{n}.png", b"x", "image/png")
    captured = capture(web.uri(), FetchOptions(limits=SMALL, allow_private=True))
    assert len(captured.resources) == 4
    assert [(each.uri, each.reason) for each in captured.failures] == [
        (web.uri(f"/{n}.png"), "parts") for n in (4, 5, 6)
    ]


def test_the_whole_has_a_size_and_what_is_given_up_does_not_count(web: Web) -> None:
    names = ["huge", *(f"{n}" for n in range(6))]
    web.put("/", "".join(f'<img src="{name}">' for name in names))
    web.put("/huge", bytes(10_001), "image/png")
    for name in names[1:]:
        web.put(f"/{name}", bytes(9_000), "image/png")
    limits = replace(SMALL, parts=50, concurrent=1)
    captured = capture(web.uri(), FetchOptions(limits=limits, allow_private=True))
    assert len(captured.resources) == 4
    assert {each.reason for each in captured.failures} == {"size"}
    assert "part_bytes" in captured.failures[0].problem
    assert "total_bytes" in captured.failures[1].problem
    assert captured.size_bytes <= 40_000


def test_nesting_has_a_depth(web: Web) -> None:
    for n in range(6):
        web.put(f"/{n}", f'<iframe src="/{n + 1}"></iframe>')
    captured = capture(
        web.uri("/0"), FetchOptions(limits=replace(SMALL, depth=2), allow_private=True)
    )
    assert [each.uri for each in captured.resources] == [web.uri("/1"), web.uri("/2")]
    assert [(each.uri, each.reason) for each in captured.failures] == [(web.uri("/3"), "depth")]


BROKEN = [
    # clause id, what the server says on the wire, reason
    ("capture-c5-cut-short", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "connect"),
    ("capture-c5-no-answer", b"", "connect"),
    ("capture-c5-not-http", b"SSH-2.0-x\r\n\r\n", "decode"),
    ("capture-c5-bad-chunk", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", ""),
    ("capture-c5-header-too-long", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 99_999, "decode"),
    (
        "capture-c5-damaged-gzip",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nhalf",
        "decode",
    ),
    (
        "capture-c5-half-a-gzip",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n"
        + gzip.compress(b"words and words")[:20],
        "decode",
    ),
    (
        "capture-c5-unknown-coding",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: dcb\r\nContent-Length: 4\r\n\r\nhalf",
        "decode",
    ),
]


@pytest.mark.parametrize(("said", "reason"), [c[1:] for c in BROKEN], ids=[c[0] for c in BROKEN])
def test_broken_answers_are_one_sentence(web: Web, said: bytes, reason: str) -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(said)

    error = _problem(web.behave("/", answer))
    assert error.reason in ({reason} if reason else {"connect", "decode"})
    assert "\n" not in str(error)


def test_asks_again_once_after_a_reset(web: Web) -> None:
    def reset_first(request: BaseHTTPRequestHandler) -> None:
        if web.paths.count("/") > 1:
            request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwords")

    uri = web.behave("/", reset_first)
    assert fetch(uri, FetchOptions(allow_private=True)).content == b"words"
    assert web.paths == ["/", "/"]


def test_nothing_listens() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        error = _problem(f"http://127.0.0.1:{bound.getsockname()[1]}/")
    assert error.reason == "connect"
    assert "cannot be reached" in error.problem


def test_a_host_that_does_not_exist() -> None:
    error = _problem("http://no-such-host.invalid/")
    assert (error.reason, "no-such-host.invalid" in error.problem) == ("connect", True)


def test_a_server_without_tls(web: Web) -> None:
    error = _problem(web.uri().replace("http:", "https:"))
    assert error.reason == "tls"


WITHOUT = """
import sys
sys.modules["aiohttp"] = None
from permacite.capture import capture
from permacite.errors import CaptureError
try:
    capture("http://harbour.example/")
except CaptureError as error:
    print(error.reason, error.problem, error.hint, sep="|")
"""


def test_without_its_extra_it_says_so() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True
    )
    assert done.stdout == (
        "extra|saving pages needs aiohttp, which is not installed"
        "|pip install 'permacite[capture]'\n"
    )
