"""What programs ask an archive for beyond its documents: the log, proofs, who quotes whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from permacite.errors import ParseError
from permacite.service.plain import plain
from permacite.web import headers

if TYPE_CHECKING:
    from starlette.requests import Request

    from permacite.service.cases import Service

__all__ = ["log", "proof"]

_MOST_DIGITS = 15


async def log(request: Request) -> Response:
    """GET /-/api/log?since= answers the LogState: size, root, signed checkpoint, public key.

    With `since`, also the proof that the log of that many entries is its beginning.
    """
    service: Service = request.app.state.service
    since = request.query_params.get("since")
    wanted = None if since is None else _count(since)
    state = await run_in_threadpool(service.log, since=wanted)
    return JSONResponse(plain(state), headers=headers.reader_headers())


async def proof(request: Request) -> Response:
    """GET /-/api/proof?name= answers a proof bundle, which `permacite verify` checks offline."""
    service: Service = request.app.state.service
    made = await run_in_threadpool(service.prove, name_in(request))
    fields = headers.bytes_headers() | {
        "Content-Disposition": 'attachment; filename="proof.zip"',
        "Cache-Control": "no-cache",
    }
    return Response(made.content, headers=fields, media_type="application/zip")


def name_in(request: Request) -> str:
    """Return the name that a request is about. Raises ParseError where it has none."""
    name = request.query_params.get("name")
    if not name:
        raise ParseError("expected the parameter `name`", request.url.query, 0)
    return name


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise ParseError("expected a number in `since`", text, 0)
    return int(text)
