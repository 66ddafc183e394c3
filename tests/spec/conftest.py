"""What tests ask the machine for: a web server that answers as it is told, and a tracer."""

from __future__ import annotations

import ssl
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.needs import need

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator


@dataclass
class Web:
    """Answers by path. `asked` lists (path, headers) as they came, `port` is where it listens."""

    port: int
    answers: dict[str, Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    def uri(self, path: str = "/") -> str:
        """The URI of `path` on this server."""
        return f"http://127.0.0.1:{self.port}{path}"

    @property
    def paths(self) -> list[str]:
        """Which paths were asked for, in order."""
        return [path for path, _ in self.asked]

    def put(
        self,
        path: str,
        content: bytes | str,
        media_type: str | None = "text/html",
        *,
        status: int = 200,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> str:
        """Answer `path` with `content`, and return its URI."""
        data = content.encode() if isinstance(content, str) else content

        def answer(request: BaseHTTPRequestHandler) -> None:
            request.send_response(status)
            if media_type is not None:
                request.send_header("Content-Type", media_type)
            if not any(name == "Content-Length" for name, _ in headers):
                request.send_header("Content-Length", str(len(data)))
            for name, value in headers:
                request.send_header(name, value)
            request.end_headers()
            request.wfile.write(data)

        return self.behave(path, answer)

    def redirect(self, path: str, location: str, *, status: int = 302) -> str:
        """Answer `path` with a redirect, and return its URI."""
        return self.put(path, b"", status=status, headers=(("Location", location),))

    def behave(self, path: str, answer: Callable[[BaseHTTPRequestHandler], None]) -> str:
        """Answer `path` by what `answer` does with the request, and return its URI."""
        self.answers[path] = answer
        return self.uri(path)

    def endless(self, path: str, piece: bytes, *, pause_s: float = 0.0, head: bytes = b"") -> str:
        """Answer `path` with `head`, then with `piece` again and again until nobody listens."""

        def answer(request: BaseHTTPRequestHandler) -> None:
            request.send_response(200)
            request.send_header("Content-Type", "text/html")
            if head:
                request.send_header("Content-Encoding", "gzip")
            request.end_headers()
            request.wfile.write(head)
            while not self.stopping.wait(pause_s):
                request.wfile.write(piece)

        return self.behave(path, answer)


class _Handler(BaseHTTPRequestHandler):
    """Looks up the answer; an unknown path is 404."""

    web: Web
    timeout = 10

    def do_GET(self) -> None:
        self.web.asked.append((self.path, dict(self.headers.items())))
        answer = self.web.answers.get(self.path)
        self.close_connection = True
        try:
            if answer is None:
                self.send_error(404)
            else:
                answer(self)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client has seen enough

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""


def _secured(plain: socket.socket, certificate: Path, names: list[str]) -> socket.socket:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    context.sni_callback = lambda _socket, name, _context: names.append(name)
    return context.wrap_socket(plain, server_side=True)


@contextmanager
def _serving(certificate: Path | None = None) -> Iterator[Web]:
    handler = type("Handler", (_Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    web = handler.web = Web(server.server_address[1])  # type: ignore[attr-defined]
    if certificate is not None:
        server.socket = _secured(server.socket, certificate, web.names)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield web
    finally:
        web.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def web() -> Iterator[Web]:
    """A server of this test's own."""
    with _serving() as running:
        yield running


CERTIFICATE = Path(__file__).with_name("harbour.example.pem")
"""A certificate for harbour.example that signs itself, good for a hundred years, with its key."""


@pytest.fixture
def tls_web() -> Iterator[Web]:
    """A server that speaks TLS as harbour.example; `names` lists what its clients asked for."""
    with _serving(CERTIFICATE) as running:
        yield running


@pytest.fixture(scope="session")
def tracer() -> str:
    """Return the program that sees system calls."""
    return need("strace")
