"""Small answers with octets of documents, given again while nothing was written anywhere.

Such an answer follows from the request and from what the catalog holds. SQLite tells whether any
connection, of any process, has written since the last look, which takes some microseconds: less
than to resolve the name, and no thread waits for a disk. PostgreSQL is asked for a number; where it
does not tell at once, the application is asked, in a thread that may wait. What depends on who asks
is remembered for what their address is (that which a proxy tells where one is believed), so that
visitors share it; and what depends on fields of the request for each set of them.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.limits import CACHED_ANSWER_BYTES, RESPONSE_CACHE_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    _Key = tuple[object, str, bytes, bytes, tuple[tuple[bytes, bytes], ...]]

__all__ = ["Known", "Remembered"]

_OVERHEAD_BYTES = 1024
"""Of the objects that hold it, about."""
_TAG, _SIZE = b"etag", b"content-length"
"""What has a tag is the same whenever it is given."""
_WITHOUT_EFFECT = frozenset(
    {
        b"user-agent",
        b"connection",
        b"cache-control",
        b"pragma",
        b"x-request-id",
        b"priority",
        b"x-forwarded-proto",  # what it says is the scheme, where it is believed
    }
)
"""Request fields that no such answer depends on."""
_PASSED_ON = frozenset({b"forwarded", b"via", b"x-forwarded-for", b"x-real-ip"})
"""Of these it counts that they are there; what they say is the address, where it is believed."""
_ADMITTING = frozenset({b"authorization", b"cookie"})
_OK, _NOT_MODIFIED = 200, 304


class Known(NamedTuple):
    """An answer that holds."""

    status: int
    head: bytes
    """Its fields, as they are sent."""
    body: bytes
    endpoint: object
    """What answered, for whoever counts."""


class Remembered:
    """An application whose small answers are remembered, for one thread."""

    def __init__(
        self,
        app: ASGIApp,
        moment: Callable[[], int | None],
        place: Callable[[Mapping[str, Any]], object],
    ) -> None:
        """`moment`: a number that changes with whatever is written; None where nobody can tell.

        `place`: what is told of where a request comes from, apart from its fields.
        """
        self._app = app
        self._place = place
        self._ask_moment = moment
        self._moment = -1
        self._answers: OrderedDict[_Key, Known] = OrderedDict()
        self._size_bytes = 0

    def known(self, scope: Mapping[str, Any]) -> Known | None:
        """The answer to a request, if it is known and holds."""
        if not _is_for_anybody(scope) or not self._holds():
            return None
        key = self._key(scope)
        answer = self._answers.get(key)
        if answer is not None:
            self._answers.move_to_end(key)
        return answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, and remember what comes of it."""
        if scope["type"] != "http" or not _is_for_anybody(scope):
            await self._app(scope, receive, send)
            return
        self._holds()
        moment, key = self._moment, self._key(scope)
        seen = _Seen(scope, send)
        await self._app(scope, receive, seen.send)
        if seen.answer is not None and self._holds() and moment == self._moment:
            self._remember(key, seen.answer)

    def _holds(self) -> bool:
        """Whether what is remembered holds; all of it is forgotten where something was written."""
        moment = self._ask_moment()
        if moment is None:
            return False
        if moment == self._moment:
            return True
        self._answers.clear()
        self._size_bytes = 0
        self._moment = moment
        return False

    def _remember(self, key: _Key, answer: Known) -> None:
        if key in self._answers:
            return
        self._answers[key] = answer
        self._size_bytes += _size(key, answer)
        while self._size_bytes > RESPONSE_CACHE_BYTES:
            self._size_bytes -= _size(*self._answers.popitem(last=False))

    def _key(self, scope: Mapping[str, Any]) -> _Key:
        """All that an answer may depend on, besides what is stored."""
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


def _size(key: _Key, answer: Known) -> int:
    """The octets of what is remembered, about; fields may be long."""
    *_, path, query, fields = key
    asked = len(path) + len(query) + sum(len(name) + len(value) for name, value in fields)
    return asked + len(answer.head) + len(answer.body) + _OVERHEAD_BYTES


def _is_for_anybody(scope: Mapping[str, Any]) -> bool:
    """Whether a request shows nothing that admits for a time alone."""
    return scope["method"] == "GET" and all(name not in _ADMITTING for name, _ in scope["headers"])


class _Seen:
    """What is sent in answer, if it is to be remembered."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.answer: Known | None = None
        self._scope = scope
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        """Send on, and keep what is small."""
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
        self.answer = Known(start["status"], head, self._body, self._scope.get("endpoint"))


def _is_small(status: int, fields: Mapping[bytes, bytes]) -> bool:
    if _TAG not in fields:
        return False
    size = fields.get(_SIZE, b"")
    is_short = size.isdigit() and int(size) <= CACHED_ANSWER_BYTES
    return status == _NOT_MODIFIED or (status == _OK and is_short)
