"""The browser extension over HTTP: its ZIP file, and uploads from it, admitted by a token.

A caller with a valid token is admitted from any origin, and no other caller is. No cookie counts,
and a page without a token learns nothing else. So browsers may allow requests from every site.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from permacite import media_types
from permacite.errors import BusyError, LimitError, PermaciteError, TokenError
from permacite.limits import UPLOAD_BYTES, UPLOAD_RETRY_S, UPLOADS
from permacite.service.extension.folder import zipped
from permacite.service.tokens import ADD, lets
from permacite.version import __version__
from permacite.web import headers, problems
from permacite.web.requests import JSONAnswer, caller_of, note_written
from permacite.web.route import route_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import BinaryIO

    from starlette.requests import Request

    from permacite.service.extension.taking import Uploads
    from permacite.service.tokens import Scope, Token

__all__ = ["extension", "take", "token"]

_MEDIA_TYPE = "application/vnd.permacite.capture"
_DIGITS = 16
_BUFFER = 1024 * 1024
_SHARED = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Retry-After",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
_PREFLIGHT = _SHARED | {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
    "Access-Control-Allow-Private-Network": "true",
    "Access-Control-Max-Age": "600",
}


async def extension(_: Request) -> Response:
    """GET /-/extension.zip: the extension for Chromium and Firefox, to be unpacked and loaded."""
    content = await run_in_threadpool(zipped)
    fields = headers.reader_headers() | {
        "Content-Disposition": 'attachment; filename="permacite-extension.zip"'
    }
    return Response(content, headers=fields, media_type="application/zip")


async def take(request: Request) -> Response:
    """POST /-/api/captures: commit a page in a parcel, and cite what is selected in it.

    Answers a Taken, 201, or 200 where the page is as it was. `Authorization: Bearer` has a token
    of the scope `save`; the content is application/vnd.permacite.capture.
    """
    return await _shared(request, _take)


async def token(request: Request) -> Response:
    """GET /-/api/token answers {"permacite", "series", "scope", "note"}: what a token lets do."""
    return await _shared(request, _token)


async def _shared(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
    """An answer that pages of other origins may read, refusals too."""
    if request.method == "OPTIONS":
        return Response(status_code=204, headers=headers.reader_headers() | _PREFLIGHT)
    try:
        told = await answer(request)
    except (PermaciteError, HTTPException) as error:
        told = await problems.refusal(request, error)
    told.headers.update(_SHARED)
    return told


async def _token(request: Request) -> Response:
    found = _admitted(request, "read")
    told = {
        "permacite": __version__,
        "series": found.series,
        "scope": found.scope,
        "note": found.note,
    }
    return JSONAnswer(told, headers=headers.reader_headers())


async def _take(request: Request) -> Response:
    found = _admitted(request, "save")
    if media_types.essence(request.headers.get("content-type", "")) != _MEDIA_TYPE:
        raise HTTPException(415, f"expected Content-Type: {_MEDIA_TYPE}")
    state, archive = request.app.state, caller_of(request).whole
    if state.uploads >= UPLOADS:
        raise BusyError(f"{UPLOADS} pages are coming in already", retry_after_s=UPLOAD_RETRY_S)
    uploads: Uploads = archive.lists.importer("extension")
    state.uploads += 1
    try:
        with await run_in_threadpool(uploads.staging) as file:
            await _stage(request, file)
            taken = await run_in_threadpool(uploads.take, file, found)
    finally:
        state.uploads -= 1
    await note_written(request, taken.saved.pdi)
    if taken.cited is not None:
        await note_written(request, taken.cited.reference)
    status = 200 if taken.saved.unchanged else 201
    return JSONAnswer(taken, status, headers.reader_headers() | {"Location": taken.url})


async def _stage(request: Request, file: BinaryIO) -> None:
    """Write what comes in to a file, and go back to its start. Raises LimitError."""
    most_bytes = route_of(request).body_bytes
    said = request.headers.get("content-length", "0")
    _check_size(int(said) if said.isdecimal() and len(said) < _DIGITS else 0, most_bytes)
    waiting, size = bytearray(), 0
    async for chunk in request.stream():
        waiting += chunk
        size += len(chunk)
        _check_size(size, most_bytes)
        if len(waiting) >= _BUFFER:
            await run_in_threadpool(file.write, bytes(waiting))
            waiting.clear()
    await run_in_threadpool(file.write, bytes(waiting))
    file.seek(0)


def _check_size(size: int, most_bytes: int) -> None:
    if size > most_bytes:
        raise LimitError("the page is too large", limit="total_bytes", maximum=UPLOAD_BYTES)


def _admitted(request: Request, scope: Scope) -> Token:
    """The token that a request shows. Raises TokenError."""
    caller = caller_of(request)
    if caller.problem is not None:
        raise caller.problem
    if caller.token is None:
        raise TokenError("expected a token", reason="missing", hint=ADD)
    if not lets(caller.token, scope):
        problem = f"the token lets you {caller.token.scope}, and not {scope}"
        raise TokenError(problem, reason="scope")
    return caller.token
