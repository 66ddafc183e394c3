"""One connection: HTTP/1.1 by uvicorn and llhttp, with limits, and strict where they are not.

| what comes | what becomes of it |
|---|---|
| what is no HTTP/1.1, chunks of no size, lengths that contradict (RFC 9112 §6.3) | 400, closed |
| no Host, or two (RFC 9112 §3.2) | 400, closed |
| a head that is too large | 431, closed |
| a body that is too large | 413, closed |
| a head or a body that does not come | 408, closed |
| an answer that nobody reads | cut |

Faults in what follows a request that is still being answered have no answer of their own, which
could be taken for that one: the connection closes with it.
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
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from starlette.types import Send
    from uvicorn import Config
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle
    from uvicorn.server import ServerState

    from permacite.web.serving.connection_limits import Event, Peers

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


async def _tell_of_server(scope: object, receive: object, send: Send) -> None:
    """OPTIONS * answers with what any address may take (RFC 9110 §9.3.7)."""
    del scope, receive
    fields = [(b"allow", b"GET, HEAD, OPTIONS, POST, PUT")]
    await send({"type": "http.response.start", "status": 204, "headers": fields})
    await send({"type": "http.response.body", "body": b""})


class _RefusalError(Exception):
    """Stops the parser."""


class Connection(HttpToolsProtocol):
    """A connection of a peer, from its first octet to its last."""

    def __init__(
        self, config: Config, state: ServerState, peers: Peers, known: KnownAnswers | None = None
    ) -> None:
        """`known`: what gives answers that need not be made."""
        loop = asyncio.get_running_loop()
        super().__init__(config=config, server_state=state, app_state={}, _loop=loop)
        self.peer = ""
        self._peers = peers
        self._known = known
        self._limits = peers.limits
        self._fault = _MALFORMED
        """What is wrong if the parser stops."""
        self._answered: RequestResponseCycle | None = None
        """The request that is being answered, or was last."""
        self._is_between = True
        """Whether what comes next is, or goes on with, the head of a request."""
        self._is_deaf = False
        self._is_next = False
        """Whether a request is begun that waited for another; one such leads to the next."""
        self._head_size = self._body_size = self._unread = 0
        self._reading: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether nothing is being answered."""
        return self._answered is None or self._answered.response_complete

    @property
    def is_fresh(self) -> bool:
        """Whether no request has come yet."""
        return self._answered is None

    def cut(self) -> None:
        """End it now, whatever it is at."""
        self.transport.abort()

    # What the transport tells.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as above us
        """Take a place, or be refused."""
        super().connection_made(transport)
        self.peer = peer_of(self.client)
        if self._peers.admit(self):
            self._wait_for_head()
        else:
            self._refuse(_REFUSED)

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave the place."""
        super().connection_lost(exc)
        self._stop_reading_clock()
        self._stop_writing_clock()
        self._peers.leave(self)

    def data_received(self, data: bytes) -> None:
        """Parse what came, as far as it is right."""
        if self._is_deaf:
            return
        super().data_received(data)
        if self._is_between:
            self._look_at_head(len(data))

    def eof_received(self) -> bool:  # type: ignore[override] # None is no
        """Stay for the answer where a whole request came before the end."""
        if self.is_waiting or not self._is_between:
            return False
        self._is_deaf = True
        self.cycle.keep_alive = False
        return True

    def pause_writing(self) -> None:
        """Wait until what was sent is read, but not for ever."""
        super().pause_writing()
        self._expect_reader()

    def resume_writing(self) -> None:
        """Send on."""
        super().resume_writing()
        self._stop_writing_clock()

    # What the parser finds.

    def on_message_begin(self) -> None:
        """A request: RFC 9112 §2.1."""
        super().on_message_begin()
        self._head_size = self._body_size = self._unread = 0
        if self._reading is None:
            self._wait_for_head()

    def on_url(self, url: bytes) -> None:
        """More of the request target."""
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A field; those behind a body (trailers) are no part of the request."""
        self._count_head(len(name) + len(value))
        if self._is_between:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The whole head: begin to answer."""
        self._stop_reading_clock()
        self._is_between = False
        is_of_all = self.url == b"*" and self.parser.get_method() == b"OPTIONS"
        self._check_head()
        if not is_of_all and not self.url.lower().startswith((b"/", b"http:", b"https:")):
            self._stop(_MALFORMED)
        if is_of_all:  # RFC 9112 §3.2.4
            self.url = _OF_ALL
        super().on_headers_complete()
        self._peers.counts["requests"] += 1
        if self._peers.is_ending:
            self.cycle.keep_alive = False
        self._wait_for_body(0)

    def on_body(self, body: bytes) -> None:
        """More of the body."""
        self._body_size += len(body)
        if self._body_size > self._limits.body_bytes:
            self._stop(_LARGE_BODY)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The whole request."""
        super().on_message_complete()
        self._stop_reading_clock()
        self._is_between = True
        self._unread = 0

    def _count_head(self, size: int) -> None:
        self._head_size += size
        if self._head_size > self._limits.head_bytes:
            self._stop(_LARGE_HEAD)

    def _check_head(self) -> None:
        names = [name for name, _ in self.headers]
        is_old = self.parser.get_http_version() == "1.0"
        hosts = names.count(b"host")
        if hosts > 1 or (hosts == 0 and not is_old):
            self._stop(_HOST)
        if is_old and b"transfer-encoding" in names:
            self._stop(_CODED)
        size = next((value for name, value in self.headers if name == b"content-length"), b"0")
        if int(size) > self._limits.body_bytes:
            self._stop(_LARGE_BODY)

    def _stop(self, fault: _Fault) -> None:
        """Stop the parser, which tells `send_400_response`."""
        self._fault = fault
        raise _RefusalError

    # What uvicorn does, and we do otherwise.

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answered = cycle
        if cycle.scope["method"] == "OPTIONS" and cycle.scope["raw_path"] == _OF_ALL:
            app = _tell_of_server
        self._unset_keepalive_if_required()  # behind an answer that was known
        is_direct = not (self._is_next or self.flow.write_paused)
        known = self._known(dict(cycle.scope)) if self._known and is_direct else None
        if known is None:
            super()._start_asgi_task(cycle, app)
        else:
            self._give(cycle, *known)

    def _give(self, cycle: RequestResponseCycle, status: int, head: bytes, body: bytes) -> None:
        """Send an answer that is known, at once."""
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
        """Answer in HTTP/1.1 who offers to go on in another protocol, and close."""
        self._is_deaf = True
        self.cycle.keep_alive = False

    def send_400_response(self, msg: str) -> None:
        """Refuse what stopped the parser."""
        del msg
        self._refuse(self._fault)

    def on_response_complete(self) -> None:
        """Go on with the next request, if any is to come."""
        self._is_next = True
        super().on_response_complete()
        self._is_next = False
        if self._peers.is_ending and self.is_waiting:
            self.transport.close()
        if self.transport.is_closing():
            self._expect_reader()

    def timeout_keep_alive_handler(self) -> None:
        """Close what no request comes on."""
        super().timeout_keep_alive_handler()
        self._expect_reader()

    def shutdown(self) -> None:
        """Close where nothing is being answered, else with the answer."""
        if self.is_waiting:
            self.transport.close()
            self._expect_reader()
        else:
            self.cycle.keep_alive = False

    # Faults and clocks.

    def _refuse(self, fault: _Fault) -> None:
        """Say what is wrong where that cannot be taken for another answer, and close."""
        if fault is not _REFUSED:  # which is counted
            self._peers.counts[fault.event] += 1
        self._is_deaf = True
        self._stop_reading_clock()
        active = self._answered
        if active is None or active.response_complete:
            self._answer(fault)
        elif active is not self.cycle or self._is_between:
            self.pipeline.clear()
            active.keep_alive = False  # what is being answered is right, what follows is not
        elif active.response_started:
            self.transport.abort()
        else:
            active.disconnected = True
            active.message_event.set()
            self._answer(fault)

    def _answer(self, fault: _Fault) -> None:
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
        self.transport.write(head.encode() + body)
        self.transport.close()
        self._expect_reader()

    def _look_at_head(self, came: int) -> None:
        """See to a head, after more of it came or of what was before it."""
        if self._is_deaf:
            return
        if self._unread > self._limits.head_bytes:  # a field of which no end was seen
            self._refuse(_LARGE_HEAD)
            return
        self._unread += came
        if self._reading is None and self.is_waiting and self.timeout_keep_alive_task is None:
            self._wait_for_head()

    def _wait_for_head(self) -> None:
        self._stop_reading_clock()
        self._reading = self.loop.call_later(self._limits.head_seconds, self._check_clock_of_head)

    def _check_clock_of_head(self) -> None:
        self._reading = None
        if self.flow.read_paused:  # by us: an earlier request is being answered
            self._wait_for_head()
        elif self._unread or not self.is_waiting:
            self._refuse(_SLOW_HEAD)
        else:
            self._peers.counts["slow-heads"] += 1
            self.transport.close()

    def _wait_for_body(self, before: int) -> None:
        limit = self._limits.stall_seconds
        self._reading = self.loop.call_later(limit, self._check_body, before)

    def _check_body(self, before: int) -> None:
        if self.flow.read_paused or self._body_size - before >= STALL_BYTES:
            self._wait_for_body(self._body_size)
        else:
            self._reading = None
            self._refuse(_SLOW_BODY)

    def _stop_reading_clock(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _expect_reader(self) -> None:
        """Cut the connection unless what was sent is read soon."""
        self._stop_writing_clock()
        if self.transport.get_write_buffer_size():
            self._writing = self.loop.call_later(self._limits.stall_seconds, self._cut_unread)

    def _cut_unread(self) -> None:
        self._writing = None
        self._peers.counts["slow-readers"] += 1
        self.transport.abort()

    def _stop_writing_clock(self) -> None:
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None
