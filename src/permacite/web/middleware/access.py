"""Lets in to each route who may come there, and counts what comes with a token.

A token is shown as `Authorization: Bearer`, or by the cookie that the sign-in page sets. One that
is unknown or revoked is refused by itself; a cookie with it counts for nothing.
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
from permacite.web.addresses import asked_path
from permacite.web.caller import Caller
from permacite.web.route import READING, TableRoute, find_route

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.routing import Route
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from permacite.service.archive import Archive
    from permacite.web.middleware.networks import Building

__all__ = ["COOKIE", "Guard"]

COOKIE = "permacite"
_COUNTED_AT_ONCE = 1 << 20
_REFUSED = {
    "save": "this server only reads: permacite serve --writable, or a token, would let you write",
    "admin": "what you jot down is told and kept by permacite serve --writable, or with a token",
}


class Guard:
    """Finds out who asks, and refuses what they may not. `apart`: paths that refuse by themselves.

    Those answer pages of any origin, and so must their refusals. `building`: from where what
    is for the archive's building may be read.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        archive: Archive,
        routes: Sequence[Route],
        apart: frozenset[str],
        writable: bool,
        public: bool,
        building: Building,
    ) -> None:
        self._app = app
        self._archive = archive
        self._routes = routes
        self._apart = apart
        self._anybody = Caller(
            public_view(archive), archive, is_writable=writable, is_public=public
        )
        self._building = building
        self._seen: dict[Audience, Archive] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, or refuse."""
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
            caller = await self._known(request, caller)
            scope["state"]["caller"] = caller
            if asked_path(request) not in self._apart:
                self._check(request, caller)
        except (PermaciteError, HTTPException) as error:
            refusal = await problems.refusal(request, error)
            await refusal(scope, receive, send)
            return
        if caller.token is not None:
            receive = _counted(request, caller, receive)
        if caller.token is not None or is_inside:
            send = _kept_private(send)
        await self._app(scope, receive, send)

    async def _known(self, request: Request, caller: Caller) -> Caller:
        """Who asks, by their token if they show one."""
        shown, by_cookie = _shown(request)
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
            if asked_path(request) in self._apart:
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
        route = find_route(self._routes, request.scope)
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


def _shown(request: Request) -> tuple[str, bool]:
    """The secret that a request shows, and whether it is in a cookie; "" for none."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return secret.strip() or "-", False
    try:
        morsel = SimpleCookie(request.headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return "", False
    return ("", False) if morsel is None else (morsel.value, True)


def _size(request: Request) -> int:
    """How many octets a request says that it has; 0 where they come in chunks."""
    said = request.headers.get("content-length", "0")
    return int(said) if said.isdecimal() else 0


def _counted(request: Request, caller: Caller, receive: Receive) -> Receive:
    """What comes in chunks, counted as it comes: nobody has said how much it will be."""
    if "content-length" in request.headers:
        return receive
    token, whole = caller.token, caller.whole
    waiting = 0

    async def counting() -> Message:
        nonlocal waiting
        message = await receive()
        waiting += len(message.get("body", b""))
        if token is not None and (waiting >= _COUNTED_AT_ONCE or not message.get("more_body")):
            octets, waiting = waiting, 0
            await run_in_threadpool(whole.access.tokens.spend, token, octets=octets)
        return message

    return counting


def _kept_private(send: Send) -> Send:
    """Answers to a token, and within the building, are kept by nobody but who asked."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            fields: Any = MutableHeaders(scope=message)
            kept = "no-store" if "no-store" in fields.get("cache-control", "") else "no-cache"
            fields["Cache-Control"] = f"private, {kept}"
            fields.add_vary_header("Authorization, Cookie")
        await send(message)

    return sending
