"""The bodies of requests, read whole and no further than is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["body_of"]


async def body_of(request: Request, *, most_bytes: int) -> bytes:
    """The body of a request. Raises 413 (Content Too Large) for more than `most_bytes`."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most_bytes:
            raise HTTPException(413, f"expected at most {most_bytes} bytes")
    return bytes(body)
