"""Send large parts piece by piece, and only so much of them at once.

What was cut out of a sound or a video is in memory until whoever asked has read it. A piece is
handed to the network when there is room for it there; whoever reads slowly takes room from other
large parts, which are told to come back, and from nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from permacite.errors import BusyError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Receive, Scope, Send

__all__ = ["LARGE_BYTES", "LargePart"]

LARGE_BYTES = 1 << 20
"""What is smaller is sent whole."""

_PIECE = 1 << 18
_MOST_BYTES = 64 << 20
"""What may be on its way at once; one part always may."""

_on_their_way: dict[int, int] = {}
"""The octets of each answer that is being sent."""


class LargePart(Response):
    """A large part on its way. Raises BusyError where too many are."""

    def __init__(self, content: bytes, status: int, fields: Mapping[str, str]) -> None:
        if _on_their_way and sum(_on_their_way.values()) + len(content) > _MOST_BYTES:
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
            for at in range(0, len(view), _PIECE):
                piece = bytes(view[at : at + _PIECE])
                more = at + _PIECE < len(view)
                await send({"type": "http.response.body", "body": piece, "more_body": more})
        finally:
            del _on_their_way[id(self)]
