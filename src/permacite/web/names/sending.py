"""Send what is large a stretch at a time, as fast as it is read at the other end.

Octets that are stored are read a stretch at a time too, when there is room for it on the network:
any number of such answers is in memory by a few stretches each.

What was cut out of a sound or a video is in memory until whoever asked has read it. A piece is
handed to the network when there is room for it there; whoever reads slowly takes room from other
large parts, which are told to come back, and from nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from permacite.errors import BusyError
from permacite.limits import LARGE_PARTS_BYTES

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from starlette.types import Receive, Scope, Send

__all__ = ["LARGE_BYTES", "STRETCH_BYTES", "LargePart", "Streamed"]

LARGE_BYTES = 1 << 20
"""What is smaller is sent whole."""

STRETCH_BYTES = 1 << 18
"""What is read and sent at a time."""


_on_their_way: dict[int, int] = {}
"""The octets of each answer that is being sent."""


class LargePart(Response):
    """A large part on its way. Raises BusyError where too many are."""

    def __init__(self, content: bytes, status: int, fields: Mapping[str, str]) -> None:
        if _on_their_way and sum(_on_their_way.values()) + len(content) > LARGE_PARTS_BYTES:
            raise BusyError("too many large parts are being sent", retry_after_s=10)
        super().__init__(status_code=status, headers=fields)
        self.raw_headers = [row for row in self.raw_headers if row[0] != b"content-length"]
        self.raw_headers.append((b"content-length", str(len(content)).encode()))
        self._part = content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, a piece when the one before is gone."""
        del scope, receive
        _on_their_way[id(self)] = len(self._part)
        try:
            start = {"type": "http.response.start", "status": self.status_code}
            await send({**start, "headers": self.raw_headers})
            view = memoryview(self._part)
            for at in range(0, len(view), STRETCH_BYTES):
                piece = bytes(view[at : at + STRETCH_BYTES])
                more = at + STRETCH_BYTES < len(view)
                await send({"type": "http.response.body", "body": piece, "more_body": more})
        finally:
            del _on_their_way[id(self)]


class Streamed(Response):
    """Stored octets on their way. What is altered ends the connection before it is sent."""

    def __init__(
        self, stretches: Generator[bytes, None, None], status: int, fields: Mapping[str, str]
    ) -> None:
        """`fields` have the Content-Length. Nothing is read before it is sent."""
        super().__init__(status_code=status, headers=fields)
        self._stretches = stretches

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, a stretch when the one before is gone; stop where nobody is there any more."""
        asking = Request(scope, receive)
        try:
            stretch = await run_in_threadpool(next, self._stretches, None)  # may raise, in time
            start = {"type": "http.response.start", "status": self.status_code}
            await send({**start, "headers": self.raw_headers})
            while stretch is not None:
                await send({"type": "http.response.body", "body": stretch, "more_body": True})
                if await asking.is_disconnected():
                    return
                stretch = await run_in_threadpool(next, self._stretches, None)
            await send({"type": "http.response.body", "body": b""})
        finally:
            self._stretches.close()
