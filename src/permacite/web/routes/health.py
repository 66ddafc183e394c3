"""Liveness and readiness of the server, for process managers and load balancers."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse

from permacite.errors import PermaciteError
from permacite.limits import FREE_DISK_BYTES
from permacite.web.requests import JSONAnswer
from permacite.web.route import cache_field

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from permacite.service.archive import Archive

__all__ = ["health", "ready"]


_log = logging.getLogger("permacite.ready")


async def health(request: Request) -> Response:
    """GET /-/health: `ok`, as long as the process answers. The archive is not asked."""
    return PlainTextResponse("ok\n", headers=_fields(request))


async def ready(request: Request) -> Response:
    """GET /-/ready: 200 where the archive can be read and there is room to commit, else 503.

    Why not is written to standard error; whoever asks learns which of the two it is.
    """
    archive: Archive = request.app.state.whole
    try:
        condition = await run_in_threadpool(archive.copies.status.condition)
    except (PermaciteError, OSError) as error:
        _log.error("not ready: %s", error)
        return _answer(request, 503, "the archive cannot be read")
    if request.app.state.writable and condition.free_bytes < FREE_DISK_BYTES:
        _log.error("not ready: %d bytes are free on the archive's disk", condition.free_bytes)
        return _answer(request, 503, "the archive's disk is nearly full")
    return _answer(request, 200, None)


def _answer(request: Request, status: int, problem: str | None) -> Response:
    content = {"ready": problem is None, "problem": problem}
    return JSONAnswer(content, status, _fields(request) | ({"Retry-After": "5"} if problem else {}))


def _fields(request: Request) -> dict[str, str]:
    return cache_field(request) | {"X-Content-Type-Options": "nosniff"}
