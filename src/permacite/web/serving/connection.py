"""HTTP/1.1 connection: that of uvicorn, with limits of size and time, and strict parsing.

| request | result |
|---|---|
| not HTTP/1.1, chunks without a size, contradictory lengths (RFC 9112 §6.3) | 400, closed |
| no Host, or two (RFC 9112 §3.2) | 400, closed |
| a head that is too large | 431, closed |
| a body that is too large | 413, closed |
| a head or a body that arrives too slowly | 408, closed |
| an answer that is read too slowly | cut |

A fault after a request that is still being answered gets no answer of its own, because the client
could take it for the answer to that request. The connection closes after the pending answer.
"""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from permacite.limits import STALL_BYTES
from permacite.web.serving.connection_limits import peer_of

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from starlette.types import Send
    from uvicorn import Config
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle
    from uvicorn.server import ServerState

    from permacite.web.serving.connection_limits import ConnectionLimiter, ConnectionLimits, Event

    KnownAnswers: TypeAlias = Callable[[dict[str, Any]], tuple[int, bytes, bytes] | None]
    """From a request (an ASGI scope) to the status, the fields and the body of its answer."""

__all__ = ["Connection"]


_OF_ALL = b"/*"
"""The path that `OPTIONS *` is given: no name begins so."""


class _Fault(NamedTuple):
    """Why a request is not taken."""

    status: int
    detail: str
    event: Event


_MALFORMED = _Fault(400, "expected a request of HTTP/1.1 (RFC 9112)", "malformed")
_HOST = _Fault(400, "expected one Host field (RFC 9112 §3.2)", "malformed")
_CODED = _Fault(400, "expected no Transfer-Encoding in HTTP/1.0 (RFC 9112 §6.1)", "malformed")
_SLOW_HEAD = _Fault(408, "the request did not come in time", "slow-heads")
_SLOW_BODY = _Fault(408, "the body did not come in time", "slow-bodies")
_LARGE_HEAD = _Fault(431, "the fields of the request are too large", "large-heads")
_LARGE_BODY = _Fault(413, "the body of the request is too large", "large-bodies")
_REFUSED = _Fault(503, "too many connections; try again in a moment", "refused")


async def _answer_options(scope: object, receive: object, send: Send) -> None:
    """OPTIONS * answers with the methods of the server (RFC 9110 §9.3.7)."""
    del scope, receive
    fields = [(b"allow", b"GET, HEAD, OPTIONS, POST, PUT")]
    await send({"type": "http.response.start", "status": 204, "headers": fields})
    await send({"type": "http.response.body", "body": b""})


def _fault_answer(fault: _Fault) -> bytes:
    """The whole answer to a request with a fault: problem details (RFC 9457)."""
    title = HTTPStatus(fault.status).phrase
    problem = {
        "type": "about:blank",
        "title": title,
        "status": fault.status,
        "detail": fault.detail,
        "code": title.lower().replace(" ", "-"),
    }
    body = json.dumps(problem, ensure_ascii=False).encode()
    head = (
        f"HTTP/1.1 {fault.status} {title}\r\nContent-Type: application/problem+json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


class _RefusalError(Exception):
    """Stops the parser."""


class _RequestReader:
    """Sizes and times of the request that is being read on a connection."""

    def __init__(self, connection: _RequestProtocol, limits: ConnectionLimits) -> None:
        self._connection = connection
        self._limits = limits
        self._timer: asyncio.TimerHandle | None = None
        self._head_size = self._body_size = 0
        self._unread = 0
        """Bytes of a head of which the parser has not found the end."""

    def begin(self) -> None:
        """Count the next request from its start."""
        self._head_size = self._body_size = self._unread = 0
        if self._timer is None:
            self.expect_head()

    def end(self) -> None:
        """Stop the timer: the whole request is here."""
        self.stop_timer()
        self._unread = 0

    def add_head(self, size: int) -> None:
        """Count bytes of the head. Raises _RefusalError."""
        self._head_size += size
        if self._head_size > self._limits.head_bytes:
            self._connection.stop_parser(_LARGE_HEAD)

    def add_body(self, size: int) -> None:
        """Count bytes of the body. Raises _RefusalError."""
        self._body_size += size
        if self._body_size > self._limits.body_bytes:
            self._connection.stop_parser(_LARGE_BODY)

    def check_head(self, fields: list[tuple[bytes, bytes]], version: str) -> None:
        """Check the fields of a whole head. Raises _RefusalError."""
        names = [name for name, _ in fields]
        is_old = version == "1.0"
        hosts = names.count(b"host")
        if hosts > 1 or (hosts == 0 and not is_old):
            self._connection.stop_parser(_HOST)
        if is_old and b"transfer-encoding" in names:
            self._connection.stop_parser(_CODED)
        size = next((value for name, value in fields if name == b"content-length"), b"0")
        if int(size) > self._limits.body_bytes:
            self._connection.stop_parser(_LARGE_BODY)

    def add_unparsed(self, size: int) -> None:
        """Count bytes after which a head is not whole, or nothing of it is here."""
        if self._unread > self._limits.head_bytes:  # a field without an end
            self._connection.refuse(_LARGE_HEAD)
            return
        self._unread += size
        waits = self._connection.is_waiting
        if self._timer is None and waits and self._connection.timeout_keep_alive_task is None:
            self.expect_head()

    def expect_head(self) -> None:
        """Start the timer for a whole head."""
        self.stop_timer()
        loop = self._connection.loop
        self._timer = loop.call_later(self._limits.head_seconds, self._check_head_time)

    def _check_head_time(self) -> None:
        self._timer = None
        if self._connection.flow.read_paused:  # by us: an earlier request is being answered
            self.expect_head()
        elif self._unread or not self._connection.is_waiting:
            self._connection.refuse(_SLOW_HEAD)
        else:
            self._connection.close_unused()

    def expect_body(self, before: int = 0) -> None:
        """Start the timer for the next bytes of a body of which `before` are here."""
        limit = self._limits.stall_seconds
        self._timer = self._connection.loop.call_later(limit, self._check_body_time, before)

    def _check_body_time(self, before: int) -> None:
        if self._connection.flow.read_paused or self._body_size - before >= STALL_BYTES:
            self.expect_body(self._body_size)
        else:
            self._timer = None
            self._connection.refuse(_SLOW_BODY)

    def stop_timer(self) -> None:
        """Wait for nothing."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class _AnswerTimer:
    """Cuts a connection whose client does not read what was sent."""

    def __init__(
        self, connection: _RequestProtocol, stall_seconds: float, counts: Counter[Event]
    ) -> None:
        self._connection = connection
        self._counts = counts
        self._stall_seconds = stall_seconds
        self._timer: asyncio.TimerHandle | None = None

    def restart(self) -> None:
        """Wait again for what was sent to be read, if any of it is unread."""
        self.stop()
        if self._connection.transport.get_write_buffer_size():
            self._timer = self._connection.loop.call_later(self._stall_seconds, self._cut)

    def stop(self) -> None:
        """Wait for nothing."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _cut(self) -> None:
        self._timer = None
        self._counts["slow-readers"] += 1
        self._connection.transport.abort()


class _RequestProtocol(HttpToolsProtocol):
    """Requests of one client, parsed strictly and within limits; faulty ones are refused."""

    def __init__(self, config: Config, state: ServerState, peers: ConnectionLimiter) -> None:
        loop = asyncio.get_running_loop()
        super().__init__(config=config, server_state=state, app_state={}, _loop=loop)
        self._peers = peers
        self._reader = _RequestReader(self, peers.limits)
        self._answer_timer = _AnswerTimer(self, peers.limits.stall_seconds, peers.counts)
        self._fault = _MALFORMED
        """The fault if the parser stops."""
        self._answered: RequestResponseCycle | None = None
        """The request that is being answered, or was last."""
        self._is_between = True
        """Whether the next bytes are of the head of a request."""
        self._is_deaf = False

    @property
    def is_waiting(self) -> bool:
        """Whether nothing is being answered."""
        return self._answered is None or self._answered.response_complete

    def close_unused(self) -> None:
        """Close it, as no request came in time."""
        self._peers.counts["slow-heads"] += 1
        self.transport.close()

    def data_received(self, data: bytes) -> None:
        """Parse bytes until a fault."""
        if self._is_deaf:
            return
        super().data_received(data)
        if self._is_between and not self._is_deaf:
            self._reader.add_unparsed(len(data))

    def on_message_begin(self) -> None:
        """A request: RFC 9112 §2.1."""
        super().on_message_begin()
        self._reader.begin()

    def on_url(self, url: bytes) -> None:
        """More of the request target."""
        self._reader.add_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A field; those after a body (trailers) are no part of the request."""
        self._reader.add_head(len(name) + len(value))
        if self._is_between:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The whole head: start to answer."""
        self._reader.stop_timer()
        self._is_between = False
        is_of_all = self.url == b"*" and self.parser.get_method() == b"OPTIONS"
        self._reader.check_head(self.headers, self.parser.get_http_version())
        if not is_of_all and not self.url.lower().startswith((b"/", b"http:", b"https:")):
            self.stop_parser(_MALFORMED)
        if is_of_all:  # RFC 9112 §3.2.4
            self.url = _OF_ALL
        super().on_headers_complete()
        self._peers.counts["requests"] += 1
        if self._peers.is_ending:
            self.cycle.keep_alive = False
        self._reader.expect_body()

    def on_body(self, body: bytes) -> None:
        """More of the body."""
        self._reader.add_body(len(body))
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The whole request."""
        super().on_message_complete()
        self._reader.end()
        self._is_between = True

    def stop_parser(self, fault: _Fault) -> None:
        """Stop the parser, which then calls `send_400_response`. Raises _RefusalError."""
        self._fault = fault
        raise _RefusalError

    def send_400_response(self, msg: str) -> None:
        """Refuse the request whose fault stopped the parser."""
        del msg
        self.refuse(self._fault)

    def refuse(self, fault: _Fault) -> None:
        """Answer with a fault where no client can take it for another answer, and close."""
        if fault is not _REFUSED:  # which is counted
            self._peers.counts[fault.event] += 1
        self._is_deaf = True
        self._reader.stop_timer()
        active = self._answered
        if active is None or active.response_complete:
            self._send_fault(fault)
        elif active is not self.cycle or self._is_between:
            self.pipeline.clear()
            active.keep_alive = False  # the pending answer is right, what follows it is not
        elif active.response_started:
            self.transport.abort()
        else:
            active.disconnected = True
            active.message_event.set()
            self._send_fault(fault)

    def _send_fault(self, fault: _Fault) -> None:
        self.transport.write(_fault_answer(fault))
        self.transport.close()
        self._answer_timer.restart()


class Connection(_RequestProtocol):
    """A connection of a client, from its first byte to its last."""

    def __init__(
        self,
        config: Config,
        state: ServerState,
        peers: ConnectionLimiter,
        known: KnownAnswers | None = None,
    ) -> None:
        """`known` gives answers that need not be made."""
        super().__init__(config, state, peers)
        self.peer = ""
        self._known = known
        self._is_next = False
        """Whether a request starts that waited for another; one such leads to the next."""

    @property
    def is_fresh(self) -> bool:
        """Whether no request has come yet."""
        return self._answered is None

    def cut(self) -> None:
        """End it now, whatever it does."""
        self.transport.abort()

    # Calls of the transport.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as above us
        """Be admitted, or refused."""
        super().connection_made(transport)
        self.peer = peer_of(self.client)
        if self._peers.admit(self):
            self._reader.expect_head()
        else:
            self.refuse(_REFUSED)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers."""
        super().connection_lost(exc)
        self._reader.stop_timer()
        self._answer_timer.stop()
        self._peers.leave(self)

    def eof_received(self) -> bool:  # type: ignore[override] # None is no
        """Stay for the answer where a whole request came before the end."""
        if self.is_waiting or not self._is_between:
            return False
        self._is_deaf = True
        self.cycle.keep_alive = False
        return True

    def pause_writing(self) -> None:
        """Wait until the client has read, for a limited time."""
        super().pause_writing()
        self._answer_timer.restart()

    def resume_writing(self) -> None:
        """Send on."""
        super().resume_writing()
        self._answer_timer.stop()

    # Methods of uvicorn that differ here.

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answered = cycle
        if cycle.scope["method"] == "OPTIONS" and cycle.scope["raw_path"] == _OF_ALL:
            app = _answer_options
        self._unset_keepalive_if_required()  # after an answer that was known
        is_direct = not (self._is_next or self.flow.write_paused)
        known = self._known(dict(cycle.scope)) if self._known and is_direct else None
        if known is None:
            super()._start_asgi_task(cycle, app)
        else:
            self._send_known(cycle, *known)

    def _send_known(
        self, cycle: RequestResponseCycle, status: int, head: bytes, body: bytes
    ) -> None:
        line = b"HTTP/1.1 %d %b\r\n" % (status, HTTPStatus(status).phrase.encode())
        fields = [b"%b: %b\r\n" % field for field in self.server_state.default_headers]
        if not cycle.keep_alive:
            fields.append(b"connection: close\r\n")
        cycle.response_started = cycle.response_complete = True
        self.transport.write(b"".join([line, *fields, head, b"\r\n", body]))
        if not cycle.keep_alive:
            self.transport.close()
        cycle.on_response()

    def _unsupported_upgrade_warning(self) -> None:
        """Answer an offer of another protocol in HTTP/1.1, and close."""
        self._is_deaf = True
        self.cycle.keep_alive = False

    def on_response_complete(self) -> None:
        """Start the next request, if there is one."""
        self._is_next = True
        super().on_response_complete()
        self._is_next = False
        if self._peers.is_ending and self.is_waiting:
            self.transport.close()
        if self.transport.is_closing():
            self._answer_timer.restart()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection."""
        super().timeout_keep_alive_handler()
        self._answer_timer.restart()

    def shutdown(self) -> None:
        """Close now, or after the pending answer."""
        if self.is_waiting:
            self.transport.close()
            self._answer_timer.restart()
        else:
            self.cycle.keep_alive = False
