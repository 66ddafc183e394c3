"""Route table of the server: the handler, scopes, body limit and cache class of each path.

A path that is in no row is unknown (404): see `web.unknown_routes`. The last row takes permanent
names, which may have any path.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING

from permacite.limits import (
    ANNOTATION_BODY_BYTES,
    API_BODY_BYTES,
    CHECKPOINT_BODY_BYTES,
    DOCUMENT_BODY_BYTES,
    SAVE_BODY_BYTES,
    SIGN_IN_BODY_BYTES,
    UPLOAD_BYTES,
    UPLOAD_LINES_BYTES,
)
from permacite.registry import Registry
from permacite.service.feeds import PATH as DRIFT_FEED
from permacite.web import templates
from permacite.web.route import CacheClass, TableRoute, unknown_route
from permacite.web.routes import (
    api,
    feeds,
    history,
    log,
    memento,
    names,
    reader,
    saving,
    search,
    sign_in,
    sites,
    thttp,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permacite.service.tokens import Scope

__all__ = ["CROSS_ORIGIN", "ROUTES", "TABLE"]

_IMMUTABLE: CacheClass = "max-age=31536000, immutable"
_READ: Mapping[str, Scope] = {"POST": "read"}
_CITE: Mapping[str, Scope] = {"POST": "cite"}
_SAVE: Mapping[str, Scope] = {"POST": "save"}
_OWNER: Mapping[str, Scope] = {"GET": "admin", "POST": "admin"}

_annexes = Registry(
    "permacite.routes",
    {
        "annotations": "permacite.web.routes.annotations:answer",
        "annotations page": "permacite.web.routes.annotations:jottings",
        "cosigned": "permacite.web.routes.witness:checkpoint",
        "extension": "permacite.web.routes.uploads:extension",
        "submitted": "permacite.web.routes.witness:add_checkpoint",
        "take": "permacite.web.routes.uploads:take",
        "token": "permacite.web.routes.uploads:token",
    },
    kind=FunctionType,
)
"""Handlers of the annexes, which no other module imports."""

TABLE = (
    TableRoute("/", reader.home),
    TableRoute("/-/static/{file}", templates.asset),
    TableRoute("/-/static/{edition}/{file}", templates.edition, cache=_IMMUTABLE),
    TableRoute("/-/openapi.json", templates.description),
    TableRoute("/-/health", log.health, cache="no-store"),
    TableRoute("/-/ready", log.ready, cache="no-store"),
    TableRoute("/-/page/{name:path}", reader.frame),
    TableRoute("/-/search", search.search),
    TableRoute("/robots.txt", feeds.robots),
    TableRoute("/sitemap.xml", feeds.sitemaps),
    TableRoute("/-/sitemap", feeds.sitemap),
    TableRoute("/-/feed", feeds.feed),
    TableRoute("/-/timegate/{uri:path}", memento.timegate),
    TableRoute("/-/timemap/{form}/{uri:path}", memento.timemap),
    TableRoute("/web/{stamp}/{uri:path}", memento.web),
    TableRoute("/web/{uri:path}", memento.web),
    TableRoute("/-/follow", reader.follow),
    TableRoute("/-/sites", sites.sites),
    TableRoute("/-/api/sites", sites.sites_answer, cache="no-store"),
    TableRoute("/-/calendar", sites.calendar),
    TableRoute("/-/api/calendar", sites.calendar_answer, cache="no-store"),
    TableRoute("/-/save", saving.save, {"GET": "read", "POST": "save"}, body_bytes=SAVE_BODY_BYTES),
    TableRoute("/-/extension.zip", _annexes.load("extension")),
    TableRoute(
        "/-/sign-in",
        sign_in.sign_in,
        {"GET": "read", "POST": "read"},
        body_bytes=SIGN_IN_BODY_BYTES,
    ),
    TableRoute("/-/save/{id}", saving.progress),
    TableRoute(
        "/-/api/captures",
        _annexes.load("take"),
        {"POST": "save", "OPTIONS": "read"},
        body_bytes=UPLOAD_BYTES + UPLOAD_LINES_BYTES,
        is_cross_origin=True,
    ),
    TableRoute(
        "/-/api/token",
        _annexes.load("token"),
        {"GET": "read", "OPTIONS": "read"},
        is_cross_origin=True,
    ),
    TableRoute("/-/api/search", search.answer, cache="no-store"),
    TableRoute(
        "/-/jottings", _annexes.load("annotations page"), _OWNER, body_bytes=ANNOTATION_BODY_BYTES
    ),
    TableRoute(
        "/-/api/jottings",
        _annexes.load("annotations"),
        _OWNER,
        body_bytes=ANNOTATION_BODY_BYTES,
        cache="no-store",
    ),
    TableRoute("/-/api/follow", reader.answer),
    TableRoute("/-/versions/{name:path}", history.versions),
    TableRoute("/-/changes/{name:path}", history.changes),
    TableRoute("/-/api/changes", history.changes_answer),
    TableRoute(DRIFT_FEED, history.news),
    TableRoute("/-/api/documents", api.documents),
    TableRoute("/-/api/document", api.show),
    TableRoute("/-/api/look-up", api.look_up, _READ, body_bytes=API_BODY_BYTES),
    TableRoute("/-/api/passages", api.passages),
    TableRoute("/-/api/place", api.place, _READ, body_bytes=API_BODY_BYTES),
    TableRoute("/-/api/log", log.log),
    TableRoute("/-/api/proof", api.proof),
    TableRoute("/-/log/checkpoint", log.checkpoint),
    TableRoute("/-/log/tile/{path:path}", log.tile, cache=_IMMUTABLE),
    TableRoute("/-/log/entries", log.entries),
    TableRoute("/-/log/octets/{digest}", log.octets),
    TableRoute("/-/log/standings", log.standings),
    TableRoute(
        "/-/witness/add-checkpoint",
        _annexes.load("submitted"),
        _READ,
        body_bytes=CHECKPOINT_BODY_BYTES,
    ),
    TableRoute("/-/witness/{origin}/checkpoint", _annexes.load("cosigned")),
    TableRoute("/-/api/quotes", api.quotes),
    TableRoute("/-/api/reference", api.reference),
    TableRoute("/-/api/quoters", api.quoters),
    TableRoute("/-/api/versions", api.versions),
    TableRoute("/-/api/statements", api.statements),
    TableRoute("/-/api/cite", api.cite, _CITE, body_bytes=API_BODY_BYTES),
    TableRoute("/-/api/derive", api.derive, _SAVE, body_bytes=API_BODY_BYTES),
    TableRoute("/-/cite", api.cite_form, _CITE, body_bytes=API_BODY_BYTES),
    TableRoute("/uri-res/{service}", thttp.answer),
    TableRoute(
        "/{name:path}",
        names.resolution,
        {"GET": "read", "OPTIONS": "read", "PUT": "save"},
        body_bytes=DOCUMENT_BODY_BYTES,
    ),
)

_OWN_PATHS = (
    *("/robots.txt", "/sitemap.xml", "/-/{rest:path}", "/uri-res/{rest:path}", "/web/{rest:path}"),
)
"""Paths that begin like those of the table, and never name a document."""

ROUTES = (*TABLE[:-1], *(unknown_route(path, TABLE[:-1]) for path in _OWN_PATHS), TABLE[-1])
"""The routes in the order in which they are tried."""

CROSS_ORIGIN = frozenset(route.path for route in TABLE if route.is_cross_origin)
"""The paths whose handlers refuse callers themselves."""
