"""The log of all commits, for whoever holds the archive to it (RFC 6962, C2SP tlog-tiles)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from permacite.errors import ParseError
from permacite.web import headers
from permacite.web.requests import JSONAnswer, ask
from permacite.web.route import cache_field

if TYPE_CHECKING:
    from starlette.requests import Request


__all__ = ["checkpoint", "log", "tile"]

_MOST_DIGITS = 15


async def log(request: Request) -> Response:
    """GET /-/api/log?since= answers the LogState: size, root, signed checkpoint, public key.

    With `since`, also the proof that the log of that many entries is its beginning.
    """
    since = request.query_params.get("since")
    wanted = None if since is None else _count(since)
    state = await ask(request, lambda archive: archive.log.state(since=wanted))
    return JSONAnswer(state, headers=headers.reader_headers())


async def checkpoint(request: Request) -> Response:
    """GET /-/log/checkpoint answers the signed checkpoint (C2SP tlog-tiles, tlog-checkpoint)."""
    state = await ask(request, lambda archive: archive.log.state())
    fields = headers.bytes_headers() | cache_field(request)
    return Response(state.checkpoint, headers=fields, media_type="text/plain; charset=utf-8")


async def tile(request: Request) -> Response:
    """GET /-/log/tile/{path} answers a tile of hashes or a bundle of entries (C2SP tlog-tiles).

    Hashes never change, so they may be kept for ever. An entry that is withdrawn is empty in its
    bundle. 404 for a tile that is not filled so far.
    """
    path: str = request.path_params["path"]
    content = await ask(request, lambda archive: archive.log.tile(f"tile/{path}"))
    is_immutable = not path.startswith("entries/")
    caching = cache_field(request) if is_immutable else {"Cache-Control": "no-cache"}
    fields = headers.bytes_headers() | caching
    return Response(content, headers=fields, media_type="application/octet-stream")


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise ParseError("expected a number in `since`", text, 0)
    return int(text)
