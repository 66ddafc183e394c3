"""Entity tags for answers without one, made of their bytes; 304 for an unchanged answer.

A page is made again for each request, because documents can be withdrawn and callers differ. Its
bytes are then compared. Handlers that know the tag before they make the answer set it themselves.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders

from permacite.web.headers import names_tag

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["EntityTags"]

_LARGE_BYTES = 1 << 20
"""Larger answers are hashed in a thread, so that other requests do not wait."""
_OF_CONTENT = (
    "content-encoding",
    "content-type",
    "content-length",
    "content-language",
    "content-disposition",
    "repr-digest",
    "unencoded-digest",
)
"""Fields that a 304 need not repeat (RFC 9110 §15.4.5)."""
_OK, _NOT_MODIFIED = 200, 304


class EntityTags:
    """Middleware that adds entity tags."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application, and tag its answer."""
        is_read = scope["type"] == "http" and scope["method"] in {"GET", "HEAD"}
        sending = _TaggedAnswer(scope, send).send if is_read else send
        await self._app(scope, receive, sending)


class _TaggedAnswer:
    """One answer that is being sent."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._start: Message | None = None
        """The head, which waits for the body."""

    async def send(self, message: Message) -> None:
        """Send a part of it, with a tag if the answer is whole."""
        if message["type"] == "http.response.start" and _is_untagged(message):
            self._start = message
            return
        start, self._start = self._start, None
        if start is not None:
            if not message.get("more_body"):
                start, message = await self._tagged(start, message)
            await self._send(start)
        await self._send(message)

    async def _tagged(self, start: Message, whole: Message) -> tuple[Message, Message]:
        content = whole.get("body", b"")
        is_large = len(content) > _LARGE_BYTES
        digest = (
            await run_in_threadpool(hashlib.sha256, content)
            if is_large
            else hashlib.sha256(content)
        )
        tag = f'"{digest.hexdigest()[:32]}"'
        fields = MutableHeaders(raw=start["headers"])
        fields["ETag"] = tag
        if not names_tag(Headers(scope=self._scope).get("if-none-match"), tag):
            return start, whole
        for name in _OF_CONTENT:
            del fields[name]
        return {**start, "status": _NOT_MODIFIED}, {**whole, "body": b""}


def _is_untagged(start: Message) -> bool:
    fields = Headers(raw=start["headers"])
    caching = fields.get("cache-control", "")
    return start["status"] == _OK and "etag" not in fields and "no-store" not in caching
