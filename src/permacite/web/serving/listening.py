"""HTTP server of one process, and its orderly end: pending answers finish within a grace."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
import time
from email.utils import formatdate
from typing import TYPE_CHECKING, Any

from uvicorn import Config
from uvicorn.server import ServerState

from permacite.limits import CONNECTION_BACKLOG
from permacite.web.serving.connection import Connection

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Sequence

    from permacite.web.serving.connection import KnownAnswers
    from permacite.web.serving.connection_limits import ConnectionLimiter

__all__ = ["serve"]

_TAKEN_AT_ONCE = 1
"""Connections that are taken in one go, so that processes that share a socket share these too."""
_OTHER_FILES = 256
_LOOK_S = 0.02
_ON_THE_WAY_S = 0.05
"""In which connections are taken, and requests come in, that were sent before the end."""
_FIRST_S = 1.0
"""How long the first request of a connection that was taken before the end may take."""


async def serve(
    app: Any,
    listener: socket.socket,
    peers: ConnectionLimiter,
    *,
    ending: tuple[asyncio.Event, asyncio.Event],
    grace_s: float,
    ready: Callable[[], None],
    known: KnownAnswers | None = None,
    ticks: Sequence[Callable[[], None]] = (),
) -> int:
    """Answer until the end; how many things were still at work when nothing was waited for.

    `ending`: that the end has come, for `grace_s`, and that nobody waits any longer.
    `known` gives answers for which the application is not asked; `ticks` are called each second.
    """
    stop, hurry = ending
    _allow_files(int(peers.limits.connections) + _OTHER_FILES)
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # what peers do wrong is counted
    loop = asyncio.get_running_loop()
    config = Config(
        app,
        http=Connection,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=peers.limits.idle_seconds,  # type: ignore[arg-type] # a delay
    )
    state = ServerState()

    def connection() -> Connection:
        return Connection(config, state, peers, known)

    ours = {asyncio.current_task(), loop.create_task(_tell_dates(state, ticks))}
    server = await loop.create_server(connection, sock=listener, backlog=_TAKEN_AT_ONCE)
    listener.listen(CONNECTION_BACKLOG)
    ready()
    await stop.wait()
    peers.is_ending = True
    loop.remove_reader(listener)
    await asyncio.sleep(_ON_THE_WAY_S)  # a server that is closed lets go of what it is taking
    await _take_the_last(listener, connection)
    server.close()
    end = loop.time() + grace_s
    await _let_ask(state, hurry, loop.time() + min(grace_s, _FIRST_S))
    for each in list(state.connections):
        each.shutdown()
    while left := len(state.connections) + len(asyncio.all_tasks() - ours):
        if loop.time() >= end or hurry.is_set():
            break
        await asyncio.sleep(_LOOK_S)
    return left


async def _let_ask(state: ServerState, hurry: asyncio.Event, until: float) -> None:
    """Wait for requests that are on the way."""
    loop = asyncio.get_running_loop()
    await asyncio.sleep(_ON_THE_WAY_S)
    while loop.time() < until and not hurry.is_set():
        if not any(isinstance(each, Connection) and each.is_fresh for each in state.connections):
            break
        await asyncio.sleep(_LOOK_S)


async def _tell_dates(state: ServerState, ticks: Sequence[Callable[[], None]]) -> None:
    """Keep the Date field right, and let others know that a second is over."""
    while True:
        now = time.time()
        state.default_headers = [(b"date", formatdate(now, usegmt=True).encode())]
        for tick in ticks:
            tick()
        await asyncio.sleep(1 - now % 1)


async def _take_the_last(
    listener: socket.socket, connection: Callable[[], asyncio.Protocol]
) -> None:
    """Take the connections that the system has taken for us: it would reset them."""
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        while True:
            taken, _ = listener.accept()
            taken.settimeout(0)
            await loop.connect_accepted_socket(connection, taken)


def _allow_files(wanted: int) -> None:
    """Let this process have as many files open as connections need, as far as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < enough:
        resource.setrlimit(resource.RLIMIT_NOFILE, (enough, hard))
