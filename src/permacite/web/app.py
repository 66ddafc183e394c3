"""The routes, and what every answer passes through: the host check, the doors, the error pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Route

from permacite.errors import PermaciteError
from permacite.service.feeds.news import PATH
from permacite.web import assets, headers, problems
from permacite.web.addresses import at
from permacite.web.health import health, ready
from permacite.web.middleware.access import Guard
from permacite.web.middleware.building import Building
from permacite.web.middleware.cross_site import OwnPages
from permacite.web.news import news
from permacite.web.requests import JSONAnswer
from permacite.web.routes import annotations as annotation_routes
from permacite.web.routes import (
    api,
    feeds,
    links,
    log,
    memento,
    mirrors,
    names,
    reader,
    save_page,
    saving,
    search,
    sign_in,
    sites,
    thttp,
    uploads,
    witness,
)
from permacite.web.routes.history import changes, changes_answer, versions
from permacite.web.saves import Saves
from permacite.web.unknown_routes import nowhere

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from permacite.service.archive import Archive

__all__ = ["ROUTES", "create_app"]

_DESCRIPTION = Path(__file__).parent / "static" / "openapi.json"


async def description(request: Request) -> Response:
    """GET /-/openapi.json: this list of routes, for programs (OpenAPI 3.1)."""
    described = json.loads(_DESCRIPTION.read_bytes())
    described["servers"] = [{"url": at(request, "/").removesuffix("/") or "/"}]
    kind = "application/vnd.oai.openapi+json"
    return JSONAnswer(described, 200, headers.reader_headers(), kind)


_APART = frozenset({uploads.PATH, uploads.ASKED})

_PAGES = [
    Route("/", reader.home),
    Route("/-/static/{file}", assets.asset),
    Route("/-/static/{edition}/{file}", assets.edition),
    Route("/-/openapi.json", description),
    Route("/-/health", health),
    Route("/-/ready", ready),
    Route("/-/page/{name:path}", reader.frame),
    Route("/-/search", search.search),
    Route("/robots.txt", feeds.robots),
    Route("/sitemap.xml", feeds.sitemaps),
    Route("/-/sitemap", feeds.sitemap),
    Route("/-/feed", feeds.feed),
    Route("/-/timegate/{uri:path}", memento.timegate),
    Route("/-/timemap/{form}/{uri:path}", memento.timemap),
    Route("/web/{stamp}/{uri:path}", memento.web),
    Route("/-/follow", links.follow),
    Route("/-/sites", sites.sites),
    Route("/-/api/sites", sites.sites_answer),
    Route("/-/calendar", sites.calendar),
    Route("/-/api/calendar", sites.calendar_answer),
    Route("/-/save", save_page.save, methods=["GET", "POST"]),
    Route("/-/extension.zip", save_page.extension),
    Route(sign_in.PATH, sign_in.sign_in, methods=["GET", "HEAD", "POST"]),
    Route("/-/save/{id}", saving.progress),
    Route(uploads.PATH, uploads.take, methods=["POST", "OPTIONS"]),
    Route(uploads.ASKED, uploads.token, methods=["GET", "OPTIONS"]),
    Route("/-/api/search", search.answer),
    Route("/-/jottings", annotation_routes.jottings, methods=["GET", "HEAD", "POST"]),
    Route("/-/api/jottings", annotation_routes.answer, methods=["GET", "HEAD", "POST"]),
    Route("/-/api/follow", links.answer),
    Route("/-/versions/{name:path}", versions),
    Route("/-/changes/{name:path}", changes),
    Route("/-/api/changes", changes_answer),
    Route(PATH, news),
    Route("/-/api/documents", api.documents),
    Route("/-/api/document", api.show),
    Route("/-/api/look-up", api.look_up, methods=["POST"]),
    Route("/-/api/passages", api.passages),
    Route("/-/api/place", api.place, methods=["POST"]),
    Route("/-/api/log", log.log),
    Route("/-/api/proof", api.proof),
    Route("/-/log/checkpoint", log.checkpoint),
    Route("/-/log/tile/{path:path}", log.tile),
    Route("/-/log/entries", mirrors.entries),
    Route("/-/log/octets/{digest}", mirrors.octets),
    Route("/-/log/standings", mirrors.standings),
    Route("/-/witness/add-checkpoint", witness.add_checkpoint, methods=["POST"]),
    Route("/-/witness/{origin}/checkpoint", witness.checkpoint),
    Route("/-/api/quotes", api.quotes),
    Route("/-/api/reference", api.reference),
    Route("/-/api/quoters", api.quoters),
    Route("/-/api/versions", api.versions),
    Route("/-/api/statements", api.statements),
    Route("/-/api/cite", api.cite, methods=["POST"]),
    Route("/-/api/derive", api.derive, methods=["POST"]),
    Route("/-/cite", api.cite_form, methods=["POST"]),
    Route("/uri-res/{service}", thttp.answer),
]

_OURS = (
    "/robots.txt",
    "/sitemap.xml",
    "/-/{rest:path}",
    "/uri-res/{rest:path}",
    "/web/{rest:path}",
)

ROUTES = [
    *_PAGES,
    *(nowhere(path, _PAGES) for path in _OURS),
    Route("/{name:path}", names.resolution, methods=["GET", "HEAD", "OPTIONS", "PUT"]),
]


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
            Middleware(OwnPages, apart=_APART, public=public, building=inside),
            Middleware(
                Guard,
                archive=archive,
                routes=ROUTES,
                apart=_APART,
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
