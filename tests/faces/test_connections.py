"""The server under raw sockets: what is no request, what is too much, and what never comes."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import re
import socket
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("uvicorn", reason="the server needs it")

from permacite.web.serving.connection_limits import ConnectionLimiter, ConnectionLimits, peer_of
from permacite.web.serving.processes import serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SMALL = ConnectionLimits(idle_seconds=0.1, head_bytes=2000, body_bytes=5000)
SHORT = ConnectionLimits(head_seconds=0.4, stall_seconds=0.4, idle_seconds=0.4)
LONG_BODY = 8 << 20
PIECE = 1 << 16
STATUS = re.compile(rb"^HTTP/1.1 (\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Listening:
    """A server of this process."""

    port: int
    peers: ConnectionLimiter
    stop: Callable[[], None]
    sent: list[int]
    """How much of the last long answer was handed to the network."""
    left: list[int]
    """What was not finished in the end, when that has come."""

    def connect(self) -> socket.socket:
        """Return a connection."""
        return socket.create_connection(("127.0.0.1", self.port), 20)

    def ask(self, *octets: bytes) -> bytes:
        """Return all that comes back until the server closes."""
        with self.connect() as connection:
            for each in octets:
                connection.sendall(each)
            return read(connection)

    def statuses(self, *octets: bytes) -> list[int]:
        """Return the status of each answer that comes back."""
        return [
            int(code) for code in re.findall(rb"^HTTP/1.1 (\d+)", self.ask(*octets), re.MULTILINE)
        ]


def read(connection: socket.socket) -> bytes:
    """Return what comes until the end."""
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := connection.recv(65536):
            received += piece
    return received


def _soon(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    with contextlib.suppress(RuntimeError):  # it is over
        loop.call_soon_threadsafe(stop.set)


@contextlib.contextmanager
def listening(limits: ConnectionLimits = SMALL, grace_s: float = 5) -> Iterator[Listening]:
    """Serve an application that echoes the method, the path and the body's length."""
    released = threading.Event()
    sent: list[int] = []

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        body, more = b"", True
        while more and scope["path"] != "/early":
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        if scope["path"] == "/slow":
            await asyncio.to_thread(released.wait)
        text = f"{scope['method']} {scope['path']} {len(body)}\n".encode()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for at in range(0, LONG_BODY if scope["path"] == "/long" else 0, PIECE):
            await send({"type": "http.response.body", "body": bytes(PIECE), "more_body": True})
            sent[:] = [at + PIECE]
        await send({"type": "http.response.body", "body": text})

    told: queue.Queue[Callable[[], None]] = queue.Queue()
    peers = ConnectionLimiter(limits)
    left: list[int] = []

    async def run(listener: socket.socket) -> None:
        loop, stop = asyncio.get_running_loop(), asyncio.Event()

        def ready() -> None:
            told.put(lambda: _soon(loop, stop))

        left.append(
            await serve(
                app,
                listener,
                peers,
                ending=(stop, asyncio.Event()),
                grace_s=grace_s,
                ready=ready,
            )
        )

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=lambda: asyncio.run(run(listener)))
        thread.start()
        stop = told.get(timeout=20)
        try:
            yield Listening(listener.getsockname()[1], peers, stop, sent, left)
        finally:
            released.set()
            stop()
            thread.join(20)
    assert not thread.is_alive()


@pytest.fixture(scope="module")
def server() -> Iterator[Listening]:
    """Return a server that takes little."""
    with listening() as found:
        yield found


@pytest.fixture(scope="module")
def impatient() -> Iterator[Listening]:
    """Return a server that does not wait long."""
    with listening(SHORT) as found:
        yield found


GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: a\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"

REQUESTS = [
    # id, octets, statuses
    ("one", GET, [200]),
    ("two at once", GET * 2, [200, 200]),
    ("empty lines before", b"\r\n\r\n" + GET, [200]),
    ("the whole address", GET.replace(b" / ", b" http://a/ "), [200]),
    ("a body of a length", POST + b"Content-Length: 3\r\n\r\nabc" + GET, [200, 200]),
    ("chunks", CHUNKED + b"3\r\nabc\r\n0\r\n\r\n" + GET, [200, 200]),
    ("chunks with an extension", CHUNKED + b"3;a=b\r\nabc\r\n0\r\n\r\n", [200]),
    ("chunks with trailers", CHUNKED + b"0\r\nHost: b\r\n\r\n" + GET, [200, 200]),
    ("a length behind chunks", CHUNKED + b"0\r\nContent-Length: 30\r\n\r\n" + GET, [400]),
    ("HTTP/1.0", b"GET / HTTP/1.0\r\n\r\n", [200]),
    ("of the server", b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n" + GET, [204, 200]),
    ("an upgrade", GET[:-2] + b"Connection: upgrade\r\nUpgrade: h2c\r\n\r\n" + GET, [200]),
    # hosts
    ("no host", b"GET / HTTP/1.1\r\n\r\n", [400]),
    ("two hosts", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", [400]),
    ("one host twice", b"GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", [400]),
    ("two hosts in HTTP/1.0", b"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", [400]),
    # lengths: what another server on the way might read otherwise
    ("both lengths", CHUNKED[:-2] + b"Content-Length: 5\r\n\r\n0\r\n\r\n" + GET, [400]),
    ("lengths before", POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", [400]),
    ("two lengths", POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", [400]),
    ("one length twice", POST + b"Content-Length: 1\r\nContent-Length: 1\r\n\r\na", [400]),
    ("lengths in a row", POST + b"Content-Length: 1, 1\r\n\r\na", [400]),
    ("a length with a sign", POST + b"Content-Length: +1\r\n\r\na", [400]),
    ("a length below nothing", POST + b"Content-Length: -1\r\n\r\na", [400]),
    ("a length of too many digits", POST + b"Content-Length: 99999999999999999999\r\n\r\n", [400]),
    ("a length in hexadecimal", POST + b"Content-Length: 0x1\r\n\r\na", [400]),
    ("chunked is not last", POST + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", [400]),
    ("chunked by another name", POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", [400]),
    ("space before the colon", POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", [400]),
    ("chunked in HTTP/1.0", CHUNKED.replace(b"1.1", b"1.0") + b"0\r\n\r\n", [400]),
    ("a chunk of no size", CHUNKED + b"zz\r\nab\r\n", [400]),
    ("a chunk of an empty size", CHUNKED + b"\r\nab\r\n", [400]),
    ("a chunk below nothing", CHUNKED + b"-1\r\na\r\n", [400]),
    ("a chunk in 0x", CHUNKED + b"0x1\r\na\r\n", [400]),
    ("a chunk beyond 64 bits", CHUNKED + b"fffffffffffffffff\r\n", [400]),
    ("a chunk longer than said", CHUNKED + b"1\r\nabc\r\n0\r\n\r\n", [400]),
    ("a chunk that ends with LF", CHUNKED + b"1\na\n0\n\n", [400]),
    # heads
    ("a method in lower case", b"get / HTTP/1.1\r\nHost: a\r\n\r\n", [400]),
    ("an unknown method", b"STEAL / HTTP/1.1\r\nHost: a\r\n\r\n", [400]),
    ("no version", b"GET /\r\n\r\n", [400]),
    ("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400]),
    ("TLS", bytes.fromhex("16030100c8010000c40303") + bytes(80), [400]),
    ("a tunnel", b"CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", [400]),
    ("a name that is no path", b"GET * HTTP/1.1\r\nHost: a\r\n\r\n", [400]),
    ("lines that end with LF", b"GET / HTTP/1.1\nHost: a\n\n", [400]),
    ("CR within a value", GET[:-2] + b"A: b\rc\r\n\r\n", [400]),
    ("NUL within a value", GET[:-2] + b"A: b\0c\r\n\r\n", [400]),
    ("a folded value", GET[:-2] + b"A: b\r\n c\r\n\r\n", [400]),
    ("no colon", GET[:-2] + b"A\r\n\r\n", [400]),
    ("no name", GET[:-2] + b": b\r\n\r\n", [400]),
    ("space before a name", b"GET / HTTP/1.1\r\n A: b\r\nHost: a\r\n\r\n", [400]),
    ("octets beyond ASCII in the path", b"GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n", [400]),
    # limits
    ("a long path", b"GET /%s HTTP/1.1\r\nHost: a\r\n\r\n" % (b"a" * 3000), [431]),
    ("many fields", GET[:-2] + b"A: b\r\n" * 2000 + b"\r\n", [431]),
    ("a long field", GET[:-2] + b"A: %s\r\n\r\n" % (b"b" * 3000), [431]),
    ("a body that is too long", POST + b"Content-Length: 5001\r\n\r\n", [413]),
    ("chunks that are too long", CHUNKED + b"1000\r\n%s\r\n" % bytes(4096) * 2, [413]),
    # faults behind a request have no answer that could be taken for its own
    ("what is no request, behind one", GET + b"GARBAGE\r\n\r\n", [200]),
    ("a smuggled request", POST + b"Content-Length: 6\r\n\r\nGET /" + GET, [200]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("octets", "statuses"), [c[1:] for c in REQUESTS], ids=[c[0] for c in REQUESTS]
)
def test_a_request_is_read_as_the_rules_say(
    server: Listening, octets: bytes, statuses: list[int]
) -> None:
    assert server.statuses(octets) == statuses


def test_a_head_that_comes_an_octet_at_a_time_is_cut(impatient: Listening) -> None:
    before = impatient.peers.counts["slow-heads"]
    with impatient.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n")
        assert read(connection).startswith(b"HTTP/1.1 408 ")
    with impatient.connect() as connection:
        assert read(connection) == b""
    assert impatient.peers.counts["slow-heads"] == before + 2


def test_a_body_that_does_not_come_is_cut(impatient: Listening) -> None:
    assert impatient.statuses(POST + b"Content-Length: 100\r\n\r\na") == [408]
    assert impatient.peers.counts["slow-bodies"] == 1


def test_an_answer_before_the_end_of_the_body_stands_alone(server: Listening) -> None:
    assert server.statuses(POST.replace(b"/", b"/early", 1) + b"Content-Length: 9\r\n\r\na")[
        :1
    ] == [200]


def test_who_ends_the_sending_side_has_the_answer(server: Listening) -> None:
    with server.connect() as connection:
        connection.sendall(GET)
        connection.shutdown(socket.SHUT_WR)
        assert b"GET / 0" in read(connection)


def test_an_answer_that_nobody_reads_is_not_made_ahead_and_is_cut(impatient: Listening) -> None:
    before = impatient.peers.counts["slow-readers"]
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", impatient.port))
        connection.sendall(GET.replace(b" / ", b" /long "))
        made = [0]
        while impatient.peers.counts["slow-readers"] == before:
            made = list(impatient.sent)
            threading.Event().wait(0.02)
        assert sum(made) < LONG_BODY
        assert len(read(connection)) < LONG_BODY


def test_half_open_requests_keep_nobody_out() -> None:
    limits = ConnectionLimits(peer_connections=20)
    with listening(limits) as server, contextlib.ExitStack() as open_ones:
        for _ in range(100):
            half = open_ones.enter_context(server.connect())
            half.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nA: ")
        assert server.statuses(GET[:-2] + b"Connection: close\r\n\r\n") == [200]
        assert server.peers.counts["crowded-out"] == 81


def test_who_is_being_answered_is_not_crowded_out() -> None:
    with (
        listening(ConnectionLimits(connections=2)) as server,
        server.connect() as one,
        server.connect() as two,
    ):
        for each in (one, two):
            each.sendall(GET.replace(b" / ", b" /slow "))
        while server.peers.counts["requests"] < 2:
            threading.Event().wait(0.01)
        assert server.statuses() == [503]
        assert server.peers.counts["refused"] == 1


def test_what_is_begun_is_finished_in_the_end() -> None:
    with listening(grace_s=60) as server, contextlib.ExitStack() as open_ones:
        asked = [open_ones.enter_context(server.connect()) for _ in range(4)]
        for each in asked:
            each.sendall(GET.replace(b" / ", b" /long "))
        server.stop()
        assert all(b"GET /long 0" in read(each) for each in asked)


def test_what_is_not_finished_in_time_is_told() -> None:
    with listening(grace_s=0.1) as server, server.connect() as one:
        one.sendall(GET.replace(b" / ", b" /slow "))
        while not server.peers.counts["requests"]:
            threading.Event().wait(0.01)
        server.stop()
        while not server.left:
            threading.Event().wait(0.01)
        assert server.left[0] >= 1


PEERS = [
    (("192.0.2.1", 80), "192.0.2.1"),
    (("::ffff:192.0.2.1", 80), "192.0.2.1"),
    (("2001:db8:1:2:3::4", 80), "2001:db8:1:2::/64"),
    (("fe80::1%eth0", 80), "fe80::/64"),
    (None, ""),
]


@pytest.mark.parametrize(("client", "peer"), PEERS)
def test_a_peer_is_an_address_or_a_network(client: tuple[str, int] | None, peer: str) -> None:
    assert peer_of(client) == peer
