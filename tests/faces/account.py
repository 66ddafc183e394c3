"""A site with a login, whose pages scripts draw; and a proxy that notes what leaves a browser."""

from __future__ import annotations

import contextlib
import http.client
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

from tests.faces.fighting import FIELDS, FIGHTING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["COOKIE", "Answer", "Sent", "Wire", "account_site", "recording"]

COOKIE = "session=heron-4711-canary"
_PAGE = b"""<!doctype html><meta charset=utf-8><title>My account</title>
<link rel=stylesheet href=/style.css><h1>Letters</h1><div id=words>Loading</div>
<img src=/picture.png width=40 height=30 alt=""><canvas id=c width=20 height=10></canvas>
<script>
fetch("/letters").then((answer) => answer.json()).then(({ words }) => {
  document.getElementById("words").textContent = words;
  c.getContext("2d").fillRect(0, 0, 20, 10);
  document.title = "Letters";
});
</script>"""
_COUNTED = b"""<!doctype html><link rel=icon href=data:,><title>Counted</title>
<link rel=stylesheet href=/counted.css>
<p id=words>The same words.</p><!-- answer @count --><img src="@other/counted.gif">"""
_PICTURE = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\x00!\xf9\x04\x00\x00\x00\x00\x00,"
    b"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)


class _Pages(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    pages: dict[str, tuple[str, bytes]]
    counts: Counter[str]
    """How often each was asked for: `@count` in a page."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        is_known = COOKIE in self.headers.get("Cookie", "")
        self.counts[path] += 1
        kind, body = self.pages.get(path, ("text/plain", b"nothing"))
        port: int = self.connection.getsockname()[1]
        body = body.replace(b"@count", b"%d" % self.counts[path])
        body = body.replace(b"@other", b"http://localhost:%d" % port)
        if path in {"/account", "/letters"} and not is_known:
            self.send_response(403)
            kind, body = "text/plain", b"log in first"
        else:
            self.send_response(200)
        if path == "/login":
            self.send_header("Set-Cookie", f"{COOKIE}; HttpOnly; SameSite=Lax; Path=/")
        for name, value in FIELDS.get(path, ()):
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        """Take the report of a browser."""
        self.counts[self.path] += 1
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


@contextlib.contextmanager
def account_site(size: int = 0) -> Iterator[str]:
    """Serve a site with a login until the block ends; a page has `size` more octets."""
    more = b"<!--" + b"x" * size + b"-->" if size else b""
    pages = {
        "/login": ("text/html", b"<title>In</title>You are logged in."),
        "/account": ("text/html; charset=utf-8", _PAGE + more),
        "/letters": ("application/json", b'{"words": "The herons came back in spring."}'),
        "/style.css": ("text/css", b"h1 { color: teal }"),
        "/picture.png": ("image/gif", _PICTURE),
        "/counted": ("text/html", _COUNTED),
        "/unstored": ("text/html", _COUNTED),
        "/counted.css": ("text/css", b"p { color: teal } /* @count */"),
        "/counted.gif": ("image/gif", _PICTURE + b"@count"),
        **FIGHTING,
        "/open": (
            "text/html",
            b"<link rel=icon href=data:,><title>Open</title><p id=words>Everybody sees this.</p>",
        ),
    }
    handler = type("Pages", (_Pages,), {"pages": pages, "counts": Counter()})
    with _serving(handler) as base:
        yield base


@dataclass(frozen=True)
class Sent:
    """A request that left the browser."""

    method: str
    address: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes = field(repr=False)

    @property
    def host(self) -> str:
        """Host and port that it went to."""
        return urlsplit(self.address).netloc


Answer: TypeAlias = "Callable[[BaseHTTPRequestHandler, Sent], bool]"
"""Answers a request that left the browser, or gives False."""


@dataclass
class Wire:
    """What left a browser through a proxy."""

    address: str = ""
    sent: list[Sent] = field(default_factory=list)
    instead: dict[str, Answer] = field(default_factory=dict)
    """Who answers for a host; where it gives False, the host does."""


@contextlib.contextmanager
def recording() -> Iterator[Wire]:
    """Answer as an HTTP proxy until the block ends, which notes each request."""
    wire = Wire()
    methods = [f"do_{each}" for each in ("GET", "HEAD", "POST", "OPTIONS", "CONNECT")]
    forward = dict.fromkeys(methods, _Proxy.forward)
    with _serving(type("Proxy", (_Proxy,), {"wire": wire, **forward})) as base:
        wire.address = base
        yield wire


class _Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wire: Wire

    def forward(self) -> None:
        """Note a request, and hand it on."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        sent = Sent(self.command, self.path, headers, self._body())
        self.wire.sent.append(sent)
        place = urlsplit(self.path)
        instead = self.wire.instead.get(place.netloc)
        if instead is not None and instead(self, sent):
            return
        if place.hostname not in {"127.0.0.1", "localhost"} or self.command == "CONNECT":
            self.send_error(502)
            return
        onward = {n: v for n, v in headers.items() if n != "transfer-encoding"}
        onward["connection"], onward["content-length"] = "close", str(len(sent.body))
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=30)
        target = place.path + (f"?{place.query}" if place.query else "")
        try:
            with contextlib.closing(connection):
                connection.request(self.command, target, sent.body, onward)
                answer = connection.getresponse()
                content = answer.read()
        except OSError:  # the server has gone: the browser is to see it as it is
            self.close_connection = True
            return
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in {"connection", "content-length", "transfer-encoding"}:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        with contextlib.suppress(OSError):  # the browser has gone
            self.wfile.write(content)

    def _body(self) -> bytes:
        """What was sent along."""
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.headers.get("Transfer-Encoding", "") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        return body

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of browsers that have gone."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


@contextlib.contextmanager
def _serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = _Server(("127.0.0.1", 0), handler)
    threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    ).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
