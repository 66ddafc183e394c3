"""What pages of other sites may ask for: they lead people here, and learn nothing by it.

| what comes from a page of another site | is answered, before anything is looked at, with |
|---|---|
| what writes | 403 |
| part of a page: a frame, a picture, a script, what a script fetches | 403 |
| a page that somebody is led to | a page that leads on, always the same |
| an answer for programs | 403 |

So it is where the archive is not public, and where who asks is in its building: whoever has a door
opened for them by their address must not lend it to others. What an answer is, how long it takes,
whether it leads elsewhere and whether it is a page or a file are then the same for whatever is
asked. A public archive tells all that is open in it to everybody anyway.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request

from permacite.web import problems
from permacite.web.addresses import asked_path
from permacite.web.requests import is_own
from permacite.web.route import READING
from permacite.web.templates import page

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from permacite.web.middleware.networks import Building

__all__ = ["OwnPages"]

_FOR_PROGRAMS = (
    "/-/api/",
    "/-/log/",
    "/-/witness/",
    "/-/timegate/",
    "/-/timemap/",
    "/uri-res/",
    "/web/",
)


class OwnPages:
    """Answers pages of other sites. `apart`: the paths that let in by a token."""

    def __init__(
        self, app: ASGIApp, *, apart: frozenset[str], public: bool, building: Building
    ) -> None:
        self._app = app
        self._apart = apart
        self._public = public
        self._building = building

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what comes from elsewhere, or hand on."""
        request = Request(scope) if scope["type"] == "http" else None
        if request is None or asked_path(request) in self._apart:
            await self._app(scope, receive, send)
            return
        answer = None if is_own(request) else await self._answer(request)
        if self._tells_all(request):
            await (answer or self._app)(scope, receive, send)
        else:
            await (answer or self._app)(scope, receive, _for_one_site(send))

    def _tells_all(self, request: Request) -> bool:
        return self._public and not self._building.where(request).is_inside

    async def _answer(self, request: Request) -> Response | None:
        """What is answered to the page of another site; None for what it may ask."""
        if request.method not in READING:
            problem = "the page of another site cannot write here; a page of this server can"
            return await problems.refusal(request, HTTPException(403, problem))
        if self._tells_all(request) or "sec-fetch-site" not in request.headers:
            return None
        is_led = request.headers.get("sec-fetch-dest", "document") == "document"
        if is_led and not asked_path(request).startswith(_FOR_PROGRAMS):
            return page(request, "led.html", address=_address(request))
        problem = "pages of other sites may link to this archive, and show nothing of it"
        return await problems.refusal(request, HTTPException(403, problem))


def _address(request: Request) -> str:
    """The path and the query that are asked for, as they were written."""
    path: bytes = request.scope.get("raw_path") or request.url.path.encode()
    query: bytes = request.scope["query_string"]
    return (path.partition(b"?")[0] + (b"?" + query if query else b"")).decode("ascii", "replace")


def _for_one_site(send: Send) -> Send:
    """Answers that a browser's cache gives to no page of another site.

    Another port of the same host is the same site to a cache, and may not ask what is in it.
    """

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).add_vary_header("Sec-Fetch-Site")
        await send(message)

    return sending
