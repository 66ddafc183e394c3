"""A server between a mirror and its origin: what is altered, cut off, or done meanwhile."""

from __future__ import annotations

import contextlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from tests.faces.test_http import ask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextlib.contextmanager
def altering(base: str, part: str, *, cuts: int = 0) -> Iterator[str]:
    """Answer as a server does, but with a bit of what is at some paths altered.

    The first `cuts` requests for contents get no answer at all.
    """
    left = list(range(cuts))

    def altered(path: str, body: bytearray) -> bool:
        if "octets" in path and left:
            left.pop()
            return False
        if part and part in path:
            at = body.find(b"schema") if b"schema" in body else len(body) // 2
            body[at] ^= 1
        return True

    with _between(base, altered) as address:
        yield address


@contextlib.contextmanager
def meanwhile(base: str, part: str, happens: Callable[[], object]) -> Iterator[str]:
    """Answer as a server does; once, before what is at some path is given, something happens."""
    left = [happens]

    def given(path: str, body: bytearray) -> bool:
        del body
        if part in path and left:
            left.pop()()
        return True

    with _between(base, given) as address:
        yield address


@contextlib.contextmanager
def _between(base: str, given: Callable[[str, bytearray], bool]) -> Iterator[str]:
    """Ask a server for each answer, and give what becomes of it, or nothing."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = ask(base, self.path)
            body = bytearray(answer.body)
            if not given(self.path, body):
                return
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.headers["content-type"])
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(bytes(body))

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
