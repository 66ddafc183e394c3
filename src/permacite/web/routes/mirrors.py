"""What mirrors take: entries of the log with their openings, octets, who may see what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from permacite.errors import ParseError
from permacite.web import headers
from permacite.web.requests import JSONAnswer, ask
from permacite.web.route import cache_field
from permacite.web.routes.content import Streamed

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["entries", "octets", "standings"]

_MOST_DIGITS = 15


async def entries(request: Request) -> Response:
    """GET /-/log/entries?start=&end= answers HandedEntries: what a mirror enters.

    At most 256, from `start` on; fewer where they are large. An entry has its `content`, and the
    `openings` of what it commits to, of which it has the digests; those of what is closed,
    withdrawn or erased are `withheld`. 404 where the log has no such entry.
    """
    start, end = _count(request, "start"), _count(request, "end")
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
        request, lambda archive: archive.copies.entries.standings(_count(request, "after"))
    )
    return JSONAnswer(told, headers=headers.reader_headers() | cache_field(request))


def _count(request: Request, name: str) -> int:
    text = request.query_params.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise ParseError(f"expected a number in `{name}`", text, 0)
    return int(text)
