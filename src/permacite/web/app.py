"""ASGI application: routes behind the host check, access control and error pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from permacite.errors import PermaciteError
from permacite.web import problems
from permacite.web.middleware.access import Guard
from permacite.web.middleware.cross_site import OwnPages
from permacite.web.middleware.networks import Building
from permacite.web.route_table import CROSS_ORIGIN, ROUTES
from permacite.web.saves import Saves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.service.archive import Archive

__all__ = ["create_app"]


def create_app(
    archive: Archive,
    *,
    names: Sequence[str],
    writable: bool = False,
    public: bool = False,
    building: Sequence[str] = (),
    building_name: str = "",
) -> Starlette:
    """The application over an open service, answering under host `names` alone.

    `writable`: whether this machine may write without a token. `public`: whether pages say to
    chats and the like what they may show of open documents; else nobody but who opens a page is
    told of it. A token admits whoever bears it to what it names, in any case. `building` and its
    name: the networks of the archive's building, and what that is called.

    Without the host check, a page of another site could reach the archive under a name of its
    own that leads to this machine (DNS rebinding).
    """
    inside = Building(building)
    app = Starlette(
        routes=ROUTES,
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=list(names), www_redirect=False),
            Middleware(OwnPages, apart=CROSS_ORIGIN, public=public, building=inside),
            Middleware(
                Guard,
                archive=archive,
                routes=ROUTES,
                apart=CROSS_ORIGIN,
                writable=writable,
                public=public,
                building=inside,
            ),
        ],
        exception_handlers={
            PermaciteError: problems.refusal,
            HTTPException: problems.refusal,
            Exception: problems.unexpected,
        },
    )
    app.state.whole = archive
    app.state.writable = writable
    app.state.saves = Saves()
    app.state.uploads = 0
    app.state.public = public
    app.state.building_name = building_name
    app.state.witness = None
    return app
