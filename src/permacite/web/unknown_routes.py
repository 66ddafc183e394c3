"""404 for unknown routes under `/-/` and the like, 405 for a method that a route does not take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["unknown_route"]

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
