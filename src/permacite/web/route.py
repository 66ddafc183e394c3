"""One row of the route table: path, handler, scopes, body limit, cache class; unknown routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from starlette.requests import HTTPConnection, Request
    from starlette.responses import Response
    from starlette.types import Scope as Connection

    from permacite.service.tokens import Scope


__all__ = [
    "READING",
    "CacheClass",
    "TableRoute",
    "cache_field",
    "find_route",
    "route_of",
    "unknown_route",
]

CacheClass: TypeAlias = Literal["no-cache", "no-store", "max-age=31536000, immutable"]
"""How long an answer may be kept: until asked again, never, or for a year."""

READING = frozenset({"GET", "HEAD", "OPTIONS"})


class TableRoute(Route):
    """A route with the scope that each method needs.

    Reading needs no token: answers leave out closed documents for callers who may not see them. A
    token of their series opens them.
    """

    def __init__(
        self,
        path: str,
        handler: Callable[[Request], Awaitable[Response] | Response],
        scopes: Mapping[str, Scope] | None = None,
        *,
        body_bytes: int = 0,
        cache: CacheClass = "no-cache",
        is_cross_origin: bool = False,
    ) -> None:
        """`scopes`: by method; GET without a token if None. HEAD needs what GET needs.

        `body_bytes`: the largest body of a request. `is_cross_origin`: whether pages of any origin
        may call it, so that its handler must refuse callers itself.
        """
        self.scopes: Mapping[str, Scope] = scopes or {"GET": "read"}
        self.body_bytes = body_bytes
        self.cache: CacheClass = cache
        self.is_cross_origin = is_cross_origin
        super().__init__(path, handler, methods=list(self.scopes))

    def matches(self, scope: Connection) -> tuple[Match, Connection]:
        """Match a request, and put this route into its scope for the handler."""
        match, child = super().matches(scope)
        return match, {**child, "route": self}

    def scope_of(self, method: str) -> Scope:
        """The scope that a method needs; for an unknown method, the highest."""
        if method == "HEAD":
            method = "GET"
        return self.scopes.get(method, "read" if method in READING else "admin")


def find_route(routes: Iterable[Route], connection: Connection) -> Route | None:
    """The route that takes the path and the method of a request; None for no such route."""
    for route in routes:
        if route.matches(connection)[0] is Match.FULL:
            return route
    return None


def route_of(request: HTTPConnection) -> TableRoute:
    """The route whose handler answers a request."""
    route: TableRoute = request.scope["route"]
    return route


def cache_field(request: HTTPConnection) -> dict[str, str]:
    """The Cache-Control field of the answer, by the cache class of its route."""
    return {"Cache-Control": route_of(request).cache}


_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def unknown_route(path: str, routes: Sequence[Route]) -> Route:
    """The route after `routes` that takes all of a path such as `/-/{rest:path}`, by any method.

    Without it, the route of permanent names would take `PUT /-/search` for a faulty name.
    """

    async def answer(request: Request) -> Response:
        asked = request.url.path
        found = [each for each in routes if each.matches(request.scope)[0] is not Match.NONE]
        if not found:
            raise HTTPException(404, f"no page of this server has the address {asked}")
        methods = ", ".join(sorted(set().union(*(each.methods or () for each in found))))
        raise HTTPException(405, f"{asked} takes {methods}", {"Allow": methods})

    return Route(path, answer, methods=_METHODS, include_in_schema=False)
