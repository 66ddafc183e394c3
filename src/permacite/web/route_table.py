"""What each route asks of who comes: the scope for each of its methods.

Reading needs no token. What is closed is in no answer to those who may not see it, whatever the
route; a token of its series opens it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import Match

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.routing import Route
    from starlette.types import Scope as Connection

    from permacite.service.handed.tokens import Scope

__all__ = ["NEEDS", "READING", "need_of", "route_of"]

READING = frozenset({"GET", "HEAD", "OPTIONS"})

NEEDS: dict[str, dict[str, Scope]] = {
    "/": {},
    "/-/static/{file}": {},
    "/-/static/{edition}/{file}": {},
    "/-/openapi.json": {},
    "/-/health": {},
    "/-/ready": {},
    "/-/page/{name:path}": {},
    "/-/search": {},
    "/robots.txt": {},
    "/sitemap.xml": {},
    "/-/sitemap": {},
    "/-/feed": {},
    "/-/timegate/{uri:path}": {},
    "/-/timemap/{form}/{uri:path}": {},
    "/web/{stamp}/{uri:path}": {},
    "/-/follow": {},
    "/-/sites": {},
    "/-/api/sites": {},
    "/-/calendar": {},
    "/-/api/calendar": {},
    "/-/save": {"POST": "save"},
    "/-/extension.zip": {},
    "/-/save/{id}": {},
    "/-/sign-in": {"POST": "read"},
    "/-/api/captures": {"POST": "save"},
    "/-/api/token": {},
    "/-/api/search": {},
    "/-/jottings": {"GET": "admin", "HEAD": "admin", "POST": "admin"},
    "/-/api/jottings": {"GET": "admin", "HEAD": "admin", "POST": "admin"},
    "/-/api/follow": {},
    "/-/versions/{name:path}": {},
    "/-/changes/{name:path}": {},
    "/-/api/changes": {},
    "/-/news.atom": {},
    "/-/api/documents": {},
    "/-/api/document": {},
    "/-/api/look-up": {"POST": "read"},
    "/-/api/passages": {},
    "/-/api/place": {"POST": "read"},
    "/-/api/log": {},
    "/-/api/proof": {},
    "/-/log/checkpoint": {},
    "/-/log/tile/{path:path}": {},
    "/-/log/entries": {},
    "/-/log/octets/{digest}": {},
    "/-/log/standings": {},
    "/-/witness/add-checkpoint": {"POST": "read"},
    "/-/witness/{origin}/checkpoint": {},
    "/-/api/quotes": {},
    "/-/api/reference": {},
    "/-/api/quoters": {},
    "/-/api/versions": {},
    "/-/api/statements": {},
    "/-/api/cite": {"POST": "cite"},
    "/-/api/derive": {"POST": "save"},
    "/-/cite": {"POST": "cite"},
    "/uri-res/{service}": {},
    "/{name:path}": {"PUT": "save"},
}
"""By the path of the route, the scope for each method that does not merely read what is open."""


def route_of(routes: Iterable[Route], connection: Connection) -> Route | None:
    """The route that a request comes to, as the router finds it; None for none of that method."""
    for route in routes:
        if route.matches(connection)[0] is Match.FULL:
            return route
    return None


def need_of(route: Route, method: str) -> Scope:
    """What a route asks of who comes; of one that is in no table, everything."""
    if not route.include_in_schema:  # nothing is there
        return "read"
    asked = NEEDS.get(route.path)
    if asked is None:
        return "admin"
    return asked.get(method, "read" if method in READING else "admin")
