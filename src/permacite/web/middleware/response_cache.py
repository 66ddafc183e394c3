"""Response cache: an LRU cache of small answers, bounded by bytes, valid until the next write.

Such an answer depends only on the request and on the catalog. SQLite reports in some microseconds
whether any connection of any process has written: this is faster than resolving a name, and no
thread waits for a disk. PostgreSQL is asked for a number; if it does not answer at once, the
application answers, in a thread that may wait. The key has the location of the caller (as a trusted
proxy reports it), so that callers in one location share answers, and those fields of the request
that may matter.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.limits import CACHED_ANSWER_BYTES, RESPONSE_CACHE_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    _Key = tuple[object, str, bytes, bytes, tuple[tuple[bytes, bytes], ...]]

__all__ = ["CachedAnswer", "ResponseCache"]

_OVERHEAD_BYTES = 1024
"""Estimate for the objects of one entry."""
_TAG, _SIZE = b"etag", b"content-length"
"""An answer with a tag is the same for the same request."""
_WITHOUT_EFFECT = frozenset(
    {
        b"user-agent",
        b"connection",
        b"cache-control",
        b"pragma",
        b"x-request-id",
        b"priority",
        b"x-forwarded-proto",  # it is in the scheme, if it is trusted
    }
)
"""Request fields that no cached answer depends on."""
_PASSED_ON = frozenset({b"forwarded", b"via", b"x-forwarded-for", b"x-real-ip"})
"""Of these only the presence counts; their values are in the client address, if trusted."""
_ADMITTING = frozenset({b"authorization", b"cookie"})
_OK, _NOT_MODIFIED = 200, 304


class CachedAnswer(NamedTuple):
    """A valid answer."""

    status: int
    head: bytes
    """Its fields, as bytes to send."""
    body: bytes
    endpoint: object
    """The handler, for metrics."""


class ResponseCache:
    """Middleware that caches small answers, for one thread."""

    def __init__(
        self,
        app: ASGIApp,
        moment: Callable[[], int | None],
        place: Callable[[Mapping[str, Any]], object],
    ) -> None:
        """`moment`: a number that changes with each write; None if it is unknown.

        `place`: the location of the caller of a request, apart from its fields.
        """
        self._app = app
        self._place = place
        self._ask_moment = moment
        self._moment = -1
        self._answers: OrderedDict[_Key, CachedAnswer] = OrderedDict()
        self._size_bytes = 0

    def known(self, scope: Mapping[str, Any]) -> CachedAnswer | None:
        """The cached answer to a request, if it is still valid."""
        if not _is_for_anybody(scope) or not self._holds():
            return None
        key = self._key(scope)
        answer = self._answers.get(key)
        if answer is not None:
            self._answers.move_to_end(key)
        return answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application, and cache its answer."""
        if scope["type"] != "http" or not _is_for_anybody(scope):
            await self._app(scope, receive, send)
            return
        self._holds()
        moment, key = self._moment, self._key(scope)
        seen = _RecordedAnswer(scope, send)
        await self._app(scope, receive, seen.send)
        if seen.answer is not None and self._holds() and moment == self._moment:
            self._remember(key, seen.answer)

    def _holds(self) -> bool:
        """Whether the cache is still valid; it is emptied after a write."""
        moment = self._ask_moment()
        if moment is None:
            return False
        if moment == self._moment:
            return True
        self._answers.clear()
        self._size_bytes = 0
        self._moment = moment
        return False

    def _remember(self, key: _Key, answer: CachedAnswer) -> None:
        if key in self._answers:
            return
        self._answers[key] = answer
        self._size_bytes += _size(key, answer)
        while self._size_bytes > RESPONSE_CACHE_BYTES:
            self._size_bytes -= _size(*self._answers.popitem(last=False))

    def _key(self, scope: Mapping[str, Any]) -> _Key:
        """Everything that an answer may depend on, apart from the archive."""
        return (
            self._place(scope),
            scope["scheme"],
            scope["raw_path"],
            scope["query_string"],
            tuple(
                (name, b"" if name in _PASSED_ON else value)
                for name, value in scope["headers"]
                if name not in _WITHOUT_EFFECT
            ),
        )


def _size(key: _Key, answer: CachedAnswer) -> int:
    """Size of an entry in bytes, estimated; fields may be long."""
    *_, path, query, fields = key
    asked = len(path) + len(query) + sum(len(name) + len(value) for name, value in fields)
    return asked + len(answer.head) + len(answer.body) + _OVERHEAD_BYTES


def _is_for_anybody(scope: Mapping[str, Any]) -> bool:
    """Whether a request has no token or cookie, which could be revoked."""
    return scope["method"] == "GET" and all(name not in _ADMITTING for name, _ in scope["headers"])


class _RecordedAnswer:
    """One answer that is sent and recorded."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.answer: CachedAnswer | None = None
        self._scope = scope
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        """Send a part of it, and record it if it is small."""
        if message["type"] == "http.response.start":
            if _is_small(message["status"], dict(message["headers"])):
                self._start = message
        elif self._start is not None:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                self._keep(self._start)
        await self._send(message)

    def _keep(self, start: Message) -> None:
        head = b"".join(b"%b: %b\r\n" % (name, value) for name, value in start["headers"])
        self.answer = CachedAnswer(start["status"], head, self._body, self._scope.get("endpoint"))


def _is_small(status: int, fields: Mapping[bytes, bytes]) -> bool:
    if _TAG not in fields:
        return False
    size = fields.get(_SIZE, b"")
    is_short = size.isdigit() and int(size) <= CACHED_ANSWER_BYTES
    return status == _NOT_MODIFIED or (status == _OK and is_short)
