"""What requests need: a use case asked in a thread, who asks, bodies, answers in JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from permacite.service.plain import opened
from permacite.web.caller import caller_of
from permacite.web.route import route_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from permacite.service.archive import Archive

__all__ = ["JSONAnswer", "ask", "body_of", "is_own", "refuse_embedding", "refuse_others"]

Answer = TypeVar("Answer")


async def ask(request: Request, use_case: Callable[[Archive], Answer]) -> Answer:
    """Run a use case in a thread, on the archive as the caller of this request may see it."""
    return await run_in_threadpool(use_case, caller_of(request).archive)


class JSONAnswer(JSONResponse):
    """A value that a use case gave, as JSON (`service.plain`)."""

    def render(self, content: object) -> bytes:
        """The octets of the answer."""
        text = json.dumps(
            content, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=opened
        )
        return text.encode()


def is_own(request: Request) -> bool:
    """Whether a request comes from a page of this server, or from no page at all.

    The browser says from which site (Fetch Metadata, Origin). Where it has the first, the second
    says nothing: our pages give no referrer, and so no origin either.
    """
    site = request.headers.get("sec-fetch-site")
    own = f"{request.url.scheme}://{request.headers.get('host', '')}"
    if site is None:
        return request.headers.get("origin") in (None, own)
    return site in ("same-origin", "none")


def refuse_others(request: Request) -> None:
    """Raise 403 for what the page of another site asks for."""
    if not is_own(request):
        raise HTTPException(403, "this archive tells its own pages alone what it holds")


def refuse_embedding(request: Request) -> None:
    """Raise 403 for what is no page that somebody opens."""
    if request.headers.get("sec-fetch-dest", "document") != "document":
        refuse_others(request)


async def body_of(request: Request) -> bytes:
    """The body of a request. Raises 413 (Content Too Large) for more than its route takes."""
    most_bytes = route_of(request).body_bytes
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most_bytes:
            raise HTTPException(413, f"expected at most {most_bytes} bytes")
    return bytes(body)
