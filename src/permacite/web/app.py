"""ASGI application: routes behind the host check, access control and error pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from permacite.errors import PermaciteError
from permacite.web import problems
from permacite.web.middleware.access import AccessControl, CrossSiteGuard
from permacite.web.middleware.networks import Building
from permacite.web.route_table import ROUTES
from permacite.web.routes.saving import Saves

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
    """The application of an open archive, which answers under the host `names`.

    `writable`: whether this machine may write without a token. `public`: whether pages describe
    public documents to link previews and other archives. `building`: the networks of the archive's
    building; `building_name`: its name.

    Without the host check, a page of another site could reach the archive by a name of its own
    that resolves to this machine (DNS rebinding).
    """
    premises = Building(building)
    app = Starlette(
        routes=ROUTES,
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=list(names), www_redirect=False),
            Middleware(CrossSiteGuard, public=public, building=premises),
            Middleware(
                AccessControl, archive=archive, writable=writable, public=public, building=premises
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
