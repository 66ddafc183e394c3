"""Authentication and access control for routes, and the answer to cross-site requests.

A token comes as `Authorization: Bearer`, or in the cookie that the sign-in page sets. An unknown or
revoked token is refused; a cookie with such a token is ignored.

Pages of other sites may link here, and learn nothing about the archive:

| request from a page of another site | answer, before anything is looked up |
|---|---|
| a write | 403 |
| a part of a page: frame, picture, script, fetch | 403 |
| a page that somebody opens by a link | one page, always the same, that leads on |
| an API | 403 |

This holds for an archive that is not public, and for callers in its building: they have access by
their address, and no other site may use it. The kind of answer, its time and its redirects are then
the same for every path. A public archive shows its public documents to everybody anyway.
"""

from __future__ import annotations

from dataclasses import replace
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request

from permacite.errors import PermaciteError, TokenError
from permacite.service.archive import Audience, public_view
from permacite.web import problems
from permacite.web.requests import COOKIE, Caller, asked_path, is_own
from permacite.web.route import READING, TableRoute, find_route
from permacite.web.route_table import CROSS_ORIGIN, ROUTES
from permacite.web.templates import page

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from permacite.service.archive import Archive
    from permacite.web.middleware.networks import Building


__all__ = ["AccessControl", "CrossSiteGuard"]

_COUNT_BYTES = 1 << 20
_REFUSED = {
    "save": "this server only reads: permacite serve --writable, or a token, would let you write",
    "admin": "what you jot down is told and kept by permacite serve --writable, or with a token",
}


class AccessControl:
    """Middleware that identifies the caller, and refuses routes that they may not use.

    Handlers of `CROSS_ORIGIN` paths refuse callers themselves, because pages of any origin must be
    able to read the refusal.
    """

    def __init__(
        self, app: ASGIApp, *, archive: Archive, writable: bool, public: bool, building: Building
    ) -> None:
        self._app = app
        self._archive = archive
        self._anybody = Caller(
            public_view(archive), archive, is_writable=writable, is_public=public
        )
        self._building = building
        self._seen: dict[Audience, Archive] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application, or refuse."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        is_here, is_inside = self._building.where(request)
        caller = replace(self._anybody, is_here=is_here, is_inside=is_inside)
        if is_inside:
            caller = replace(caller, archive=self._seen_by(Audience(is_inside=True)))
        scope.setdefault("state", {})["caller"] = caller
        try:
            caller = await self._authenticated(request, caller)
            scope["state"]["caller"] = caller
            if asked_path(request) not in CROSS_ORIGIN:
                self._check(request, caller)
        except (PermaciteError, HTTPException) as error:
            refusal = await problems.refusal(request, error)
            await refusal(scope, receive, send)
            return
        if caller.token is not None:
            receive = _count_body(request, caller, receive)
        if caller.token is not None or is_inside:
            send = _make_private(send)
        await self._app(scope, receive, send)

    async def _authenticated(self, request: Request, caller: Caller) -> Caller:
        """The caller, with the rights of their token, if the request has one."""
        shown, by_cookie = _secret_in(request)
        if not shown:
            return caller
        try:
            token = await run_in_threadpool(self._archive.access.tokens.find, shown)
            await run_in_threadpool(
                self._archive.access.tokens.spend, token, requests=1, octets=_size(request)
            )
        except PermaciteError as error:
            if by_cookie and isinstance(error, TokenError):
                return caller
            if asked_path(request) in CROSS_ORIGIN:
                return replace(caller, problem=error)
            raise
        archive = self._seen_by(Audience(token.series, caller.is_inside))
        return replace(caller, token=token, archive=archive)

    def _seen_by(self, audience: Audience) -> Archive:
        if audience not in self._seen:
            self._seen[audience] = public_view(self._archive, audience)
        return self._seen[audience]

    def _check(self, request: Request, caller: Caller) -> None:
        """Raise TokenError, or 403 or 405, for what a caller may not do."""
        route = find_route(ROUTES, request.scope)
        need = route.scope_of(request.method) if isinstance(route, TableRoute) else "read"
        if caller.may(need):
            return
        if caller.token is not None:
            problem = f"the token lets you {caller.token.scope}, and not {need}"
            raise TokenError(problem, reason="scope")
        if need == "cite" or (need == "save" and caller.is_writable):
            problem = f"expected a token: without one, this machine alone may {need}"
            raise TokenError(problem, reason="missing")
        if need == "save" and route is not None and route.path != "/-/save":
            allowed = sorted((route.methods or set()) & READING)
            raise HTTPException(405, _REFUSED[need], {"Allow": ", ".join(allowed) or "OPTIONS"})
        raise HTTPException(403, _REFUSED[need])


def _secret_in(request: Request) -> tuple[str, bool]:
    """The secret in a request ("" for none), and whether it is in a cookie."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return secret.strip() or "-", False
    try:
        morsel = SimpleCookie(request.headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return "", False
    return ("", False) if morsel is None else (morsel.value, True)


def _size(request: Request) -> int:
    """The Content-Length of a request; 0 for a body in chunks."""
    said = request.headers.get("content-length", "0")
    return int(said) if said.isdecimal() else 0


def _count_body(request: Request, caller: Caller, receive: Receive) -> Receive:
    """Count a body in chunks as it arrives, because its size is unknown before."""
    if "content-length" in request.headers:
        return receive
    token, whole = caller.token, caller.whole
    waiting = 0

    async def counting() -> Message:
        nonlocal waiting
        message = await receive()
        waiting += len(message.get("body", b""))
        if token is not None and (waiting >= _COUNT_BYTES or not message.get("more_body")):
            octets, waiting = waiting, 0
            await run_in_threadpool(whole.access.tokens.spend, token, octets=octets)
        return message

    return counting


def _make_private(send: Send) -> Send:
    """Let only the caller's own cache keep answers to a token, or within the building."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            fields: Any = MutableHeaders(scope=message)
            kept = "no-store" if "no-store" in fields.get("cache-control", "") else "no-cache"
            fields["Cache-Control"] = f"private, {kept}"
            fields.add_vary_header("Authorization, Cookie")
        await send(message)

    return sending


_FOR_PROGRAMS = (
    "/-/api/",
    "/-/log/",
    "/-/witness/",
    "/-/timegate/",
    "/-/timemap/",
    "/uri-res/",
    "/web/",
)


class CrossSiteGuard:
    """Middleware that answers cross-site requests."""

    def __init__(self, app: ASGIApp, *, public: bool, building: Building) -> None:
        self._app = app
        self._public = public
        self._building = building

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a cross-site request, or call the application."""
        request = Request(scope) if scope["type"] == "http" else None
        if request is None or asked_path(request) in CROSS_ORIGIN:
            await self._app(scope, receive, send)
            return
        answer = None if is_own(request) else await self._answer(request)
        if self._is_public_for(request):
            await (answer or self._app)(scope, receive, send)
        else:
            await (answer or self._app)(scope, receive, _vary_by_site(send))

    def _is_public_for(self, request: Request) -> bool:
        return self._public and not self._building.where(request).is_inside

    async def _answer(self, request: Request) -> Response | None:
        """The answer to a cross-site request; None if it is allowed."""
        if request.method not in READING:
            problem = "the page of another site cannot write here; a page of this server can"
            return await problems.refusal(request, HTTPException(403, problem))
        if self._is_public_for(request) or "sec-fetch-site" not in request.headers:
            return None
        is_led = request.headers.get("sec-fetch-dest", "document") == "document"
        if is_led and not asked_path(request).startswith(_FOR_PROGRAMS):
            return page(request, "led.html", address=_address(request))
        problem = "pages of other sites may link to this archive, and show nothing of it"
        return await problems.refusal(request, HTTPException(403, problem))


def _address(request: Request) -> str:
    """Path and query of a request, as they were written."""
    path: bytes = request.scope.get("raw_path") or request.url.path.encode()
    query: bytes = request.scope["query_string"]
    return (path.partition(b"?")[0] + (b"?" + query if query else b"")).decode("ascii", "replace")


def _vary_by_site(send: Send) -> Send:
    """Keep a browser's cache from giving answers to pages of other sites.

    A cache takes another port of the same host for the same site.
    """

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).add_vary_header("Sec-Fetch-Site")
        await send(message)

    return sending
