"""PUT /{name}: the next version of a document, or a new name in a series (PDI §3.8.2).

A token of the scope `save` lets do it, in its series; on a server that was started with --writable
so does being on its machine. Browsers cannot be made to do it from another site, since PUT asks
first and nothing here answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

from permacite.errors import ConflictError
from permacite.web import headers
from permacite.web.addresses import at, reference_of
from permacite.web.caller import caller_of, check_reference, note_written
from permacite.web.requests import JSONAnswer, ask, body_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


__all__ = ["allowed", "put"]

_READING = "GET, HEAD, OPTIONS"


def allowed(request: Request) -> str:
    """The methods that a name answers to, for who asks."""
    return f"{_READING}, PUT" if caller_of(request).may("save") else _READING


async def put(request: Request) -> Response:
    """Commit the body: 201, with the full name in Content-Location and what was committed as JSON.

    404 for an unknown name; 405 where the server does not write without a token, or cannot give a
    name in the series; 403 where the token is of another one; 409 for words that are quoted wrong,
    unless `?misquoted` is asked for; 415 without a Content-Type. An Idempotency-Key makes it safe
    to repeat.
    """
    content_type = request.headers.get("content-type")
    if not content_type:
        raise HTTPException(415, "expected a Content-Type: it decides the format of the name")
    reference = reference_of(request, "/")
    check_reference(request, reference)
    content = await body_of(request)
    key, token = request.headers.get("idempotency-key"), caller_of(request).token
    if key and token is not None:
        key = f"token:{token.id}:{key}"
    misquoted = "misquoted" in request.query_params
    try:
        saved = await ask(
            request,
            lambda archive: archive.lists.files.put(
                reference, content, content_type, key=key, misquoted=misquoted
            ),
        )
    except ConflictError as error:
        if error.name == reference:
            raise HTTPException(405, error.problem, {"Allow": _READING}) from error
        raise
    await note_written(request, saved.pdi)
    fields = headers.reader_headers() | {
        "Content-Location": saved.pdi,
        "Location": at(request, f"/{saved.pdi}"),
    }
    return JSONAnswer(saved, 201, fields)
