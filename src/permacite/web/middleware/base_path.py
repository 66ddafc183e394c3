"""A server under a path of another site: what is asked for there is its own, all else is not.

The proxy passes addresses on as they are, that path with them. What names begin with stays behind
it: `/archive/urn:pdi://...` asks for `urn:pdi://...` where the server stands at `/archive`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse, Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["Based"]


class Based:
    """An application that stands under a path; at the root of its host for none."""

    def __init__(self, app: ASGIApp, base: str) -> None:
        self._app = app
        self._base = base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on what is under the path, as ASGI tells of it (`root_path`); else answer 404."""
        if scope["type"] == "http" and self._base:
            path: bytes = scope.get("raw_path") or scope["path"].encode()
            resource = path.partition(b"?")[0].decode("ascii", "replace")
            if resource == self._base:
                await RedirectResponse(f"{self._base}/", 308)(scope, receive, send)
                return
            if not resource.startswith(f"{self._base}/"):
                nothing = f"this server stands under {self._base}/\n"
                await Response(nothing, 404, media_type="text/plain")(scope, receive, send)
                return
            scope["root_path"] = self._base
        await self._app(scope, receive, send)
