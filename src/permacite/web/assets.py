"""Assets of the reader (style sheet, scripts, icon), and the OpenAPI description.

Pages ask for assets under a path with the digest of all of them, which browsers may keep for a
year. The digest covers all, because scripts import one another by name. The same names without a
digest, or with another one, are answered too, and are not kept.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import Response

from permacite.web import headers
from permacite.web.requests import JSONAnswer, at
from permacite.web.route import cache_field

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["FOLDER", "address_of", "asset", "description", "edition"]

FOLDER = Path(__file__).parent / "static"
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_ASSETS = {
    path.name: path.read_bytes() for path in sorted(FOLDER.iterdir()) if path.suffix in _TYPES
}
_DESCRIPTION = FOLDER / "openapi.json"
_EDITION = hashlib.sha256(
    b"".join(
        hashlib.sha256(name.encode() + b"\0" + content).digest()
        for name, content in _ASSETS.items()
    )
).hexdigest()[:16]


def address_of(name: str) -> str:
    """The address of one, for as long as none of them changes."""
    return f"/-/static/{_EDITION}/{name}"


async def asset(request: Request) -> Response:
    """GET /-/static/{file}: the reader's stylesheet, scripts and icon."""
    return _answer(request, headers.reader_headers())


async def edition(request: Request) -> Response:
    """GET /-/static/{edition}/{file}: the same, to be kept for a year; pages ask for these."""
    is_this = request.path_params["edition"] == _EDITION
    caching = cache_field(request) if is_this else {}
    return _answer(request, headers.reader_headers() | caching)


def _answer(request: Request, fields: dict[str, str]) -> Response:
    name = request.path_params["file"]
    content = _ASSETS.get(name)
    if content is None:
        raise HTTPException(404, "the reader has no such asset")
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    fields = fields | {"ETag": tag}
    if headers.names_tag(request.headers.get("if-none-match"), tag):
        return Response(status_code=304, headers=fields)
    return Response(content, headers=fields, media_type=_TYPES[Path(name).suffix])


async def description(request: Request) -> Response:
    """GET /-/openapi.json: this list of routes, for programs (OpenAPI 3.1)."""
    described = json.loads(_DESCRIPTION.read_bytes())
    described["servers"] = [{"url": at(request, "/").removesuffix("/") or "/"}]
    kind = "application/vnd.oai.openapi+json"
    return JSONAnswer(described, 200, headers.reader_headers(), kind)
