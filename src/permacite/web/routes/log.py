"""Log of all commits (RFC 6962, C2SP tlog-tiles), the entries and bytes for mirrors, and health.

Clients check the archive against the log. Process managers and load balancers ask for liveness and
readiness.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse, Response

from permacite.errors import ParseError, PermaciteError
from permacite.limits import FREE_DISK_BYTES
from permacite.web import headers
from permacite.web.requests import JSONAnswer, ask
from permacite.web.route import cache_field
from permacite.web.routes.content import Streamed

if TYPE_CHECKING:
    from starlette.requests import Request

    from permacite.service.archive import Archive

__all__ = ["checkpoint", "entries", "health", "log", "octets", "ready", "standings", "tile"]

_MOST_DIGITS = 15
_log = logging.getLogger("permacite.ready")


async def log(request: Request) -> Response:
    """GET /-/api/log?since= answers the LogState: size, root, signed checkpoint, public key.

    With `since`, also the proof that the log of that many entries is its beginning.
    """
    since = request.query_params.get("since")
    wanted = None if since is None else _count(since, "since")
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


def _count(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise ParseError(f"expected a number in `{name}`", text, 0)
    return int(text)


async def entries(request: Request) -> Response:
    """GET /-/log/entries?start=&end= answers HandedEntries: what a mirror enters.

    At most 256, from `start` on; fewer where they are large. An entry has its `content`, and the
    `openings` of what it commits to, of which it has the digests; those of what is closed,
    withdrawn or erased are `withheld`. 404 where the log has no such entry.
    """
    start, end = (
        _count(request.query_params.get("start", ""), "start"),
        _count(request.query_params.get("end", ""), "end"),
    )
    handed = await ask(request, lambda archive: archive.copies.entries.entries(start, end))
    return JSONAnswer(handed, headers=headers.reader_headers() | cache_field(request))


async def octets(request: Request) -> Response:
    """GET /-/log/octets/{digest} answers octets by their SHA-256, in hexadecimal.

    Those of documents, as they are and as they were received, and those beside them. 404 where
    nothing that is given out has them. Whoever asks compares them with the digest.
    """
    digest: str = request.path_params["digest"]
    held = await ask(request, lambda archive: archive.copies.entries.octets(f"sha-256:{digest}"))
    fields = (
        headers.bytes_headers()
        | cache_field(request)
        | {"Content-Type": "application/octet-stream"}
    )
    fields |= {"Content-Length": str(held.size)}
    if request.method == "HEAD":
        held.close()
        return Response(headers=fields)
    return Streamed(held.read(), 200, fields)


async def standings(request: Request) -> Response:
    """GET /-/log/standings?after= answers HandedStandings: who may see what, since when.

    Each has its `place`; the next question begins behind the last one. An empty list ends it.
    """
    told = await ask(
        request,
        lambda archive: archive.copies.entries.standings(
            _count(request.query_params.get("after", ""), "after")
        ),
    )
    return JSONAnswer(told, headers=headers.reader_headers() | cache_field(request))


async def health(request: Request) -> Response:
    """GET /-/health: `ok`, as long as the process answers. The archive is not asked."""
    return PlainTextResponse("ok\n", headers=_fields(request))


async def ready(request: Request) -> Response:
    """GET /-/ready: 200 where the archive can be read and there is room to commit, else 503.

    Why not is written to standard error; whoever asks learns which of the two it is.
    """
    archive: Archive = request.app.state.whole
    try:
        condition = await run_in_threadpool(archive.copies.status.condition)
    except (PermaciteError, OSError) as error:
        _log.error("not ready: %s", error)
        return _answer(request, 503, "the archive cannot be read")
    if request.app.state.writable and condition.free_bytes < FREE_DISK_BYTES:
        _log.error("not ready: %d bytes are free on the archive's disk", condition.free_bytes)
        return _answer(request, 503, "the archive's disk is nearly full")
    return _answer(request, 200, None)


def _answer(request: Request, status: int, problem: str | None) -> Response:
    content = {"ready": problem is None, "problem": problem}
    return JSONAnswer(content, status, _fields(request) | ({"Retry-After": "5"} if problem else {}))


def _fields(request: Request) -> dict[str, str]:
    return cache_field(request) | {"X-Content-Type-Options": "nosniff"}
