"""The bytes from the network are what is kept, each under the URI the page knows it by (C1)."""

from __future__ import annotations

import asyncio
import gzip
import re
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import brotli
import pytest
from backports import zstd

from permacite import mhtml
from permacite.capture import capture, fetch
from permacite.capture.model import Capture, FetchOptions, body_parts
from permacite.mhtml.links import references

if TYPE_CHECKING:
    from http.server import BaseHTTPRequestHandler

    from tests.spec.conftest import Web


def _capture(uri: str) -> Capture:
    return capture(uri, FetchOptions(allow_private=True))


def _uris(captured: Capture, web: Web) -> list[str]:
    """The resources' URIs, without the server."""
    return [each.uri.removeprefix(web.uri("")) for each in captured.resources]


SHOWN = [
    # clause id, body of the page, paths that it shows in the order of their references
    ("capture-c1-img", '<img src="a.png">', ["/a.png"]),
    ("capture-c1-img-srcset", '<img srcset="a.png 1x, b.png 2x">', ["/a.png", "/b.png"]),
    (
        "capture-c1-picture",
        '<picture><source srcset="a.png"><img src="b.png"></picture>',
        ["/a.png", "/b.png"],
    ),
    ("capture-c1-style-sheet", '<link rel="stylesheet" href="a.css">', ["/a.css"]),
    ("capture-c1-icon", '<link rel="icon" href="a.png">', ["/a.png"]),
    ("capture-c1-style-element", "<style>p { background: url(a.png) }</style>", ["/a.png"]),
    ("capture-c1-style-attribute", '<p style="background: url(a.png)">', ["/a.png"]),
    ("capture-c1-frame", '<iframe src="a.html"></iframe>', ["/a.html"]),
    ("capture-c1-object", '<object data="a.png"></object>', ["/a.png"]),
    ("capture-c1-embed", '<embed src="a.png">', ["/a.png"]),
    ("capture-c1-media", '<audio src="a.wav"></audio>', ["/a.wav"]),
    ("capture-c1-poster", '<video poster="a.png" src="b.webm"></video>', ["/a.png", "/b.webm"]),
    ("capture-c1-track", '<video><track src="a.vtt"></video>', ["/a.vtt"]),
    ("capture-c1-input-image", '<input type="image" src="a.png">', ["/a.png"]),
    ("capture-c1-body-background", '<body background="a.png">', ["/a.png"]),
    ("capture-c1-svg-image", '<svg><image href="a.png"/></svg>', ["/a.png"]),
    ("capture-c1-svg-use", '<svg><use href="a.svg#part"/></svg>', ["/a.svg"]),
    ("capture-c1-once", '<img src="a.png"><img src="./a.png#x"><img src="/a.png">', ["/a.png"]),
    ("capture-c1-base", '<base href="deep/"><img src="a.png">', ["/deep/a.png"]),
    ("capture-c1-base-first", '<base href="x/"><base href="y/"><img src="a">', ["/x/a"]),
    ("capture-c1-query", '<img src="a?x=1&amp;y=2">', ["/a?x=1&y=2"]),
    ("capture-c1-unmodified", '<img src="%7Ea/b;c,d%2Fe">', ["/%7Ea/b;c,d%2Fe"]),
    ("capture-c1-space", '<img src="my picture.png">', ["/my%20picture.png"]),
    ("capture-c1-non-ascii", '<img src="h\u00e4fen.png">', ["/h%C3%A4fen.png"]),
    ("capture-c1-backslash", '<img src="pictures\\a.png">', ["/pictures/a.png"]),
    ("capture-c1-query-alone", '<img src="?a">', ["/?a"]),
    ("capture-c1-same-scheme", '<img src="http:a.png">', ["/a.png"]),
    ("capture-c1-link-is-not-shown", '<a href="a.html">a</a>', []),
    ("capture-c1-hint-is-not-shown", '<link rel="prefetch" href="a.html">', []),
    ("capture-c1-data", '<img src="data:image/gif;base64,R0lGODlh">', []),
    ("capture-c1-blob", '<img src="blob:http://a/b"><iframe src="about:blank"></iframe>', []),
    ("capture-c1-same-document", '<svg><use href="#part"/></svg><img src="">', []),
    ("capture-c1-comment", '<!-- <img src="a.png"> -->', []),
]


@pytest.mark.parametrize(("body", "paths"), [c[1:] for c in SHOWN], ids=[c[0] for c in SHOWN])
def test_fetches_what_the_page_shows(web: Web, body: str, paths: list[str]) -> None:
    web.put("/", f"<!DOCTYPE html><title>t</title>{body}", "text/html; charset=utf-8")
    for path in paths:
        web.put(path, path.encode(), "application/octet-stream")
    captured = _capture(web.uri())
    assert _uris(captured, web) == paths
    assert [each.content for each in captured.resources] == [path.encode() for path in paths]
    assert captured.failures == ()
    assert sorted(web.paths) == sorted(["/", *paths])


@pytest.mark.parametrize(("body", "paths"), [c[1:] for c in SHOWN], ids=[c[0] for c in SHOWN])
def test_the_aggregate_answers_each_reference(web: Web, body: str, paths: list[str]) -> None:
    """capture-c1-labels: a part is found by the reference that it was fetched for."""
    web.put("/", f"<!DOCTYPE html><title>t</title>{body}", "text/html; charset=utf-8")
    for path in paths:
        web.put(path, path, "application/octet-stream")
    aggregate = mhtml.open(mhtml.build(*body_parts(_capture(web.uri()))))
    root = aggregate.root
    assert aggregate.defects == ()
    embedded = [
        link.value
        for link in references(root.content, "text/html", "utf-8")
        if link.role == "embed" and not re.match("#|$|data:|blob:|about:", link.value)
    ]
    found = [aggregate.resolve(value, within=root, profile="browser") for value in embedded]
    assert {each.part.content.decode() for each in found if each.part} == set(paths)
    assert all(each.kind == "part" for each in found)


def test_follows_style_sheets_and_frames_with_their_own_bases(web: Web) -> None:
    """capture-c1-nested: a style sheet is the base of its references, a frame of its own."""
    web.put("/", '<link rel=stylesheet href="css/a.css"><iframe src="in/frame.html"></iframe>')
    web.put("/css/a.css", '@import "more/b.css"; p { background: url(a.png) }', "text/css")
    web.put("/css/more/b.css", "@font-face { src: url('f.woff2') }", "text/css")
    web.put("/in/frame.html", '<iframe src="again.html"></iframe><img src="../top.png">')
    web.put("/in/again.html", '<img src="last.png">')
    binary = ["/css/a.png", "/css/more/f.woff2", "/top.png", "/in/last.png"]
    for path in binary:
        web.put(path, path, "application/octet-stream")
    assert _uris(_capture(web.uri()), web) == [
        "/css/a.css",
        "/css/more/b.css",
        "/css/more/f.woff2",
        "/css/a.png",
        "/in/frame.html",
        "/in/again.html",
        "/in/last.png",
        "/top.png",
    ]


def test_frames_that_show_each_other_end(web: Web) -> None:
    """capture-c1-cycle: what is known is not fetched again."""
    web.put("/", '<iframe src="/a"></iframe><link rel=stylesheet href=s.css>')
    web.put("/a", '<iframe src="/"></iframe><iframe src="/a"></iframe>')
    web.put("/s.css", "@import 's.css';", "text/css")
    assert _uris(_capture(web.uri()), web) == ["/a", "/s.css"]


def test_a_document_that_is_no_frame_is_not_looked_into(web: Web) -> None:
    """capture-c1-not-a-frame: a page served for an image shows nothing."""
    web.put("/", '<img src="/page">')
    web.put("/page", '<img src="/never.png">')
    assert _uris(_capture(web.uri()), web) == ["/page"]


def test_scripts_are_left_out_and_named(web: Web) -> None:
    web.put("/", '<script src="a.js"></script><script src="b.js"></script><p>words</p>')
    captured = _capture(web.uri())
    assert web.paths == ["/"]
    assert [(left.uri, left.reason) for left in captured.left_out] == [
        (web.uri("/a.js"), "script"),
        (web.uri("/b.js"), "script"),
    ]


BYTES = [
    # clause id, content as the page's author wrote it, content type, coding, coded
    (
        "capture-c1-latin-1",
        "\u00c5kerblom".encode("latin-1"),
        "text/html; charset=iso-8859-1",
        "",
        None,
    ),
    ("capture-c1-utf-16", "\u00c5kerblom".encode("utf-16"), "text/html", "", None),
    ("capture-c1-line-endings", b"a\r\nb\nc\rd", "text/html", "", None),
    ("capture-c1-wrong-charset", b"\xff\xfe\xfd", "text/html; charset=utf-8", "", None),
    ("capture-c1-nul", b"\0\0", "text/html", "", None),
    ("capture-c1-gzip", b"words " * 100, "text/html", "gzip", gzip.compress(b"words " * 100)),
    ("capture-c1-deflate", b"words", "text/html", "deflate", zlib.compress(b"words")),
    ("capture-c1-deflate-bare", b"words", "text/html", "deflate", zlib.compress(b"words")[2:-4]),
    ("capture-c1-br", b"words", "text/html", "br", brotli.compress(b"words")),
    ("capture-c1-zstd", b"words", "text/html", "zstd", zstd.compress(b"words")),
    ("capture-c1-identity", b"words", "text/html", "identity", None),
    ("capture-c1-gzip-file", gzip.compress(b"a file"), "application/gzip", "", None),
]


@pytest.mark.parametrize(
    ("content", "media_type", "coding", "coded"), [c[1:] for c in BYTES], ids=[c[0] for c in BYTES]
)
def test_keeps_the_bytes(
    web: Web, content: bytes, media_type: str, coding: str, coded: bytes | None
) -> None:
    headers = (("Content-Encoding", coding),) if coding else ()
    uri = web.put("/", content if coded is None else coded, media_type, headers=headers)
    exchange = fetch(uri, FetchOptions(allow_private=True))
    assert exchange.content == content
    assert exchange.content_type == media_type
    assert not exchange.sniffed


SNIFFED = [
    ("capture-c1-sniff-html", b" \n<!doctype HTML><p>", "text/html"),
    ("capture-c1-sniff-html-comment", b"<!-- x --><html>", "text/html"),
    ("capture-c1-sniff-png", b"\x89PNG\r\n\x1a\n", "image/png"),
    ("capture-c1-sniff-jpeg", b"\xff\xd8\xff\xe0", "image/jpeg"),
    ("capture-c1-sniff-gif", b"GIF89a", "image/gif"),
    ("capture-c1-sniff-webp", b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
    ("capture-c1-sniff-svg", b'<?xml version="1.0"?><svg>', "image/svg+xml"),
    ("capture-c1-sniff-woff2", b"wOF2", "font/woff2"),
    ("capture-c1-sniff-text", b"words", "text/plain"),
    ("capture-c1-sniff-binary", b"\x01\0\x02", "application/octet-stream"),
    ("capture-c1-sniff-empty", b"", "application/octet-stream"),
]


@pytest.mark.parametrize(
    ("content", "media_type"), [c[1:] for c in SNIFFED], ids=[c[0] for c in SNIFFED]
)
def test_tells_a_missing_type_by_the_looks(web: Web, content: bytes, media_type: str) -> None:
    exchange = fetch(web.put("/", content, None), FetchOptions(allow_private=True))
    assert (exchange.content_type, exchange.sniffed) == (media_type, True)


NO_TYPES = [
    ("capture-c1-type-without-subtype", "text"),
    ("capture-c1-type-empty", ""),
    ("capture-c1-type-with-space", "text / html"),
    ("capture-c1-type-slash-only", "/"),
]


@pytest.mark.parametrize("value", [c[1] for c in NO_TYPES], ids=[c[0] for c in NO_TYPES])
def test_a_field_that_is_no_type_is_none(web: Web, value: str) -> None:
    exchange = fetch(web.put("/", "<!DOCTYPE html>", value), FetchOptions(allow_private=True))
    assert (exchange.content_type, exchange.sniffed) == ("text/html", True)
    assert ("Content-Type", value) in exchange.response_headers


def test_a_style_sheet_without_a_type_is_one(web: Web) -> None:
    """capture-c1-sniff-css: nothing in a style sheet's bytes tells it, but its reference does."""
    web.put("/", '<link rel="stylesheet" href="a">')
    web.put("/a", "p { background: url(b.png) }", None)
    web.put("/b.png", "b", "image/png")
    captured = _capture(web.uri())
    assert _uris(captured, web) == ["/a", "/b.png"]
    assert captured.resources[0].content_type == "text/css"


def test_redirects_keep_the_name_that_the_page_uses(web: Web) -> None:
    """capture-c1-redirected: labels are URIs before redirects, bases those after."""
    web.redirect("/", "/real/page.html", status=301)
    web.put("/real/page.html", '<img src="a.png"><link rel=stylesheet href="/s.css">')
    web.redirect("/real/a.png", "/store/1.png")
    web.put("/store/1.png", "picture", "image/png")
    web.redirect("/s.css", "/styles/v2/s.css", status=307)
    web.put("/styles/v2/s.css", "p { background: url(bg.png) }", "text/css")
    web.put("/styles/v2/bg.png", "ground", "image/png")
    captured = _capture(web.uri())
    assert captured.root.final_uri == web.uri("/real/page.html")
    assert _uris(captured, web) == ["/real/a.png", "/s.css", "/styles/v2/bg.png"]
    # The aggregate knows no redirects: there, url(bg.png) of /s.css is /bg.png.
    assert captured.aliases == ((web.uri("/bg.png"), web.uri("/styles/v2/bg.png")),)
    root, parts = body_parts(captured)
    assert root.content_location == web.uri("/real/page.html")
    assert [(part.content_location, part.content) for part in parts][-1] == (
        web.uri("/bg.png"),
        b"ground",
    )


def test_a_location_in_octets_is_escaped(web: Web) -> None:
    """capture-c1-location: octets beyond ASCII are sent back as they came."""

    def redirect(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"HTTP/1.1 302 \xfc\r\nLocation: /h\xc3\xa4fen\r\n\r\n")

    web.put("/h%C3%A4fen", "there", "text/html; x=\xff")
    exchange = fetch(web.behave("/", redirect), FetchOptions(allow_private=True))
    assert exchange.final_uri == web.uri("/h%C3%A4fen")
    assert exchange.redirects[0].location == "/h\xc3\xa4fen"
    assert exchange.content_type == "text/html; x=\xff"


def test_the_request_says_no_more_than_it_must(web: Web) -> None:
    """capture-c1-request: one name that says what asks; where it came from, within a site."""
    web.put("/", '<img src="a.png">')
    web.put("/a.png", "a", "image/png")
    _capture(web.uri("/#part"))
    (_, page), (_, picture) = web.asked
    assert set(page) == {"Host", "User-Agent", "Accept", "Accept-Encoding"}
    assert set(picture) - set(page) == {"Referer"}
    assert page["User-Agent"] == picture["User-Agent"]
    assert page["User-Agent"].startswith("permacite/")


def test_works_where_a_loop_is_running(web: Web) -> None:
    """capture-c1-in-a-loop: notebooks run one all the time."""
    uri = web.put("/", "words")

    async def inside() -> bytes:
        return fetch(uri, FetchOptions(allow_private=True)).content

    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(asyncio.run, inside()).result() == b"words"
