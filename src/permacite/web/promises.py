"""What programs ask an archive for beyond its documents: the log, proofs, who quotes whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from permacite.errors import ParseError
from permacite.service.plain import plain
from permacite.web import headers, paging

if TYPE_CHECKING:
    from starlette.requests import Request

    from permacite.service.archive import Archive

__all__ = ["checkpoint", "log", "proof", "quoters", "quotes", "statements", "tile"]

_MOST_DIGITS = 15
_FOR_EVER = "public, max-age=31536000, immutable"


async def log(request: Request) -> Response:
    """GET /-/api/log?since= answers the LogState: size, root, signed checkpoint, public key.

    With `since`, also the proof that the log of that many entries is its beginning.
    """
    archive: Archive = request.app.state.archive
    since = request.query_params.get("since")
    wanted = None if since is None else _count(since)
    state = await run_in_threadpool(archive.log, since=wanted)
    return JSONResponse(plain(state), headers=headers.reader_headers())


async def checkpoint(request: Request) -> Response:
    """GET /-/log/checkpoint answers the signed checkpoint (C2SP tlog-tiles, tlog-checkpoint)."""
    archive: Archive = request.app.state.archive
    state = await run_in_threadpool(archive.log)
    fields = headers.bytes_headers() | {"Cache-Control": "no-cache"}
    return Response(state.checkpoint, headers=fields, media_type="text/plain; charset=utf-8")


async def tile(request: Request) -> Response:
    """GET /-/log/tile/{path} answers a tile of hashes or a bundle of entries (C2SP tlog-tiles).

    Hashes never change, so they may be kept for ever. An entry that is withdrawn is empty in its
    bundle. 404 for a tile that is not filled so far.
    """
    archive: Archive = request.app.state.archive
    path: str = request.path_params["path"]
    content = await run_in_threadpool(archive.tile, f"tile/{path}")
    caching = "no-cache" if path.startswith("entries/") else _FOR_EVER
    fields = headers.bytes_headers() | {"Cache-Control": caching}
    return Response(content, headers=fields, media_type="application/octet-stream")


async def proof(request: Request) -> Response:
    """GET /-/api/proof?name= answers a proof bundle, which `permacite verify` checks offline."""
    archive: Archive = request.app.state.archive
    content = await run_in_threadpool(archive.prove, name_in(request))
    fields = headers.bytes_headers() | {
        "Content-Disposition": 'attachment; filename="proof.zip"',
        "Cache-Control": "no-cache",
    }
    return Response(content, headers=fields, media_type="application/zip")


async def quotes(request: Request) -> Response:
    """GET /-/api/quotes?name= answers a list of Quotation: what a document quotes."""
    archive: Archive = request.app.state.archive
    found = await run_in_threadpool(archive.quotes, name_in(request))
    return JSONResponse(plain(found), headers=headers.reader_headers())


async def quoters(request: Request) -> Response:
    """GET /-/api/quoters?name= answers a list of Quotation: who quotes a name, or overlaps it."""
    archive: Archive = request.app.state.archive
    found = await run_in_threadpool(archive.quoters, name_in(request))
    return JSONResponse(plain(found), headers=headers.reader_headers())


async def statements(request: Request) -> Response:
    """GET /-/api/statements?name=&predicate=&limit=&after= answers a list of Statement.

    About anything without a name. `Link: <...>; rel="next"` leads to the next page; 1000 are on one
    at most, and where `limit` says nothing. Where `Accept` says application/ld+json, the same as
    JSON-LD.
    """
    archive: Archive = request.app.state.archive
    name = request.query_params.get("name") or None
    predicate = request.query_params.get("predicate") or None
    wanted = paging.asked(request.query_params, usual=paging.LARGEST)
    page = await run_in_threadpool(
        archive.statement_page,
        name,
        predicate=predicate,
        parts=name is not None,
        limit=wanted["limit"],
        after=wanted["after"],
    )
    fields = headers.reader_headers() | {"Vary": "Accept"} | paging.next_of(request, page.next)
    if "application/ld+json" in request.headers.get("accept", ""):
        linked = await run_in_threadpool(archive.json_ld, list(page.items))
        return JSONResponse(linked, headers=fields, media_type="application/ld+json")
    return JSONResponse(plain(page.items), headers=fields)


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
