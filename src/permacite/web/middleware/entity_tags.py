"""Answers that have no entity tag of their own get one of their octets, and need not be sent again.

What is made from the archive is made anew each time, for it may be withdrawn, or somebody else may
ask; what came of it is compared. Handlers that know without making anything give a tag themselves.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders

from permacite.web.headers import names_tag

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Tagged"]

_LARGE_BYTES = 1 << 20
"""What is larger is read in a thread, for others would wait."""
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


class Tagged:
    """An application whose answers have tags."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, and tag what comes of it."""
        is_read = scope["type"] == "http" and scope["method"] in {"GET", "HEAD"}
        sending = _Answer(scope, send).send if is_read else send
        await self._app(scope, receive, sending)


class _Answer:
    """One answer on its way."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._start: Message | None = None
        """The head, while it waits for the octets that it is about."""

    async def send(self, message: Message) -> None:
        """Send on, with a tag where one can be made."""
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
