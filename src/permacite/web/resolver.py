"""GET /{name}: a document or a part of it, under its permanent name (PDI §3.6.3, §3.8).

The name stands in the path as it is (`/urn:pdi://...`). A fragment travels as `%23...` at its end
or as `?fragment=`, because clients keep `#...` to themselves.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response

from permacite.service.plain import plain
from permacite.web import headers, problems, reader
from permacite.web.addresses import reference_of
from permacite.web.negotiation import chosen_view

if TYPE_CHECKING:
    from starlette.requests import Request

    from permacite.service.cases import Service
    from permacite.service.model import Resolved

__all__ = ["resolution"]

_FOREVER = "public, max-age=31536000, immutable"
_ONE_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
_COLLAPSED = re.compile(r"(?i)((?:urn:)?pdi:)/(?!/)")
"""A name whose two slashes some program between us and the user has made one."""


async def resolution(request: Request) -> Response:
    """Answer a name with the reader's page, the bytes, or JSON; errors: `problems`.

    OPTIONS tells what may be done with a name (PDI §3.8.2); nothing changes one.
    """
    if request.method == "OPTIONS":
        return Response(status_code=204, headers={"Allow": problems.ALLOWED})
    service: Service = request.app.state.service
    reference = reference_of(request, "/")
    whole = _COLLAPSED.match(reference)
    if whole:
        return RedirectResponse(_restored(request, whole), 308)
    view = chosen_view(request.headers.get("accept", ""), request.query_params.get("view"))
    if view == "reader":
        return await reader.document(request, reference)
    found = await run_in_threadpool(service.resolve, reference)
    if view == "json":
        return JSONResponse(plain(found), headers=_naming(found))
    return _bytes(request, found)


def _restored(request: Request, collapsed: re.Match[str]) -> str:
    """Return the address of a request with both slashes of its name."""
    rest = collapsed.string[collapsed.end() :]
    query = request.url.query
    if "fragment" in request.query_params:
        rest = rest.partition("#")[0]
    rest = rest.replace("#", "%23")
    return f"/{collapsed[1]}//{rest}" + (f"?{query}" if query else "")


def _naming(found: Resolved) -> dict[str, str]:
    """Return the fields that say which version answers, and for how long that holds."""
    caching = "no-cache" if found.assumed else _FOREVER
    return {
        "Content-Location": found.pdi,
        "Cache-Control": caching,
        "Vary": "Accept",
        "Link": f'<{found.pdi}>; rel="cite-as"',
    }


def _bytes(request: Request, found: Resolved) -> Response:
    """Answer with the part's bytes: whole, a range of them, or "not modified"."""
    described = headers.repr_digest(found.content)
    fields = headers.bytes_headers() | _naming(found) | described | {"Accept-Ranges": "bytes"}
    tags = {
        tag.strip().removeprefix("W/")
        for tag in request.headers.get("if-none-match", "").split(",")
    }
    if described["ETag"] in tags or "*" in tags:
        return Response(status_code=304, headers=fields)
    # A charset travels in the Content-Type field; Starlette would add utf-8 to any text.
    charset = f"; charset={found.charset}" if found.charset else ""
    fields["Content-Type"] = found.media_type + charset
    span = _range(request, described["ETag"], len(found.content))
    if span is None:
        return Response(found.content, headers=fields)
    start, end = span
    if start >= end:
        fields["Content-Range"] = f"bytes */{len(found.content)}"
        return Response(status_code=416, headers=fields)
    fields["Content-Range"] = f"bytes {start}-{end - 1}/{len(found.content)}"
    return Response(found.content[start:end], 206, headers=fields)


def _range(request: Request, tag: str, size: int) -> tuple[int, int] | None:
    """Return the one byte range asked for, end excluded; None for none, several or a stale one.

    An empty range cannot be satisfied (RFC 9110 §14.1.2).
    """
    wanted = _ONE_RANGE.fullmatch(request.headers.get("range", ""))
    if wanted is None or request.headers.get("if-range", tag) != tag:
        return None
    first, last = wanted.groups()
    if not first:
        return (max(0, size - int(last)), size) if last else None
    if last and int(last) < int(first):
        return None
    return int(first), min(size, int(last) + 1) if last else size
