"""Serve one archive: open it, listen, and end with 0 when told to, whatever is at work."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from permacite.errors import StorageError
from permacite.service.archive import Archive
from permacite.web.app import create_app
from permacite.web.operating.watching import Watching, notify, watched
from permacite.web.serving.limits import Limits, told
from permacite.web.serving.listening import serve
from permacite.web.serving.peers import Peers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

__all__ = ["Serving", "run"]

_OWN_NAMES = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class Serving:
    """What is served, to whom, and how."""

    folder: Path | None
    names: Sequence[str] = ()
    """Host names to answer to, besides those of this machine."""
    writable: bool = False
    public: bool = False
    grace_s: float = 10
    """How long answers that are begun may take when the end has come."""
    limits: Limits = field(default_factory=Limits)
    watching: Watching = field(default_factory=Watching)


def run(serving: Serving, *, host: str, port: int, announce: Callable[[str], None]) -> None:
    """Serve until told to stop. `announce` is told the address when it answers."""
    shown = f"[{host}]" if ":" in host else host
    peers = Peers(serving.limits)
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(_listener(host, port))
        archive = stack.enter_context(Archive.open(serving.folder))
        about = archive.about()
        app = create_app(
            archive,
            names=(*_OWN_NAMES, shown, *serving.names),
            writable=serving.writable,
            public=serving.public,
        )
        announce(f"{about.documents} documents of {about.series} in {about.directory}")
        announce(archive.decoders(many=True))
        observed = stack.enter_context(
            watched(app, archive, serving.watching, events=peers.counts, announce=announce)
        )
        address = f"http://{shown}:{listener.getsockname()[1]}/"

        def tell() -> None:
            announce(f"{address} answers; Ctrl-C stops it")
            notify("READY=1")

        async def until_stopped() -> int:
            stop, hurry = _stopped_by_signals()
            grace_s = serving.grace_s
            return await serve(
                observed, listener, peers, stop=stop, hurry=hurry, grace_s=grace_s, ready=tell
            )

        with asyncio.Runner() as runner:
            left = runner.run(until_stopped())
            announce(f"served {', '.join(told(peers.counts)) or 'nobody'}")
            if left:
                announce(f"not finished within {serving.grace_s:g} s, and cut: {left}")
                _leave()


def _listener(host: str, port: int) -> socket.socket:
    """A socket that has a port; nobody is answered yet. Raises StorageError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends without delay where the protocol is named, and only there.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        # Two servers may bind one port as long as neither listens.
        listener.listen()
    except OSError as error:
        listener.close()
        raise StorageError(
            f"cannot listen on {host} port {port}: {error.strerror}",
            path=f"{host}:{port}",
            reason="io",
            hint="--port 0 takes any free port",
        ) from error
    return listener


def _stopped_by_signals() -> tuple[asyncio.Event, asyncio.Event]:
    """What says that the end has come, and that nobody waits for it: a second Ctrl-C."""
    loop = asyncio.get_running_loop()
    stop, hurry = asyncio.Event(), asyncio.Event()

    def interrupted() -> None:
        (hurry if stop.is_set() else stop).set()

    loop.add_signal_handler(signal.SIGINT, interrupted)
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    return stop, hurry


def _leave() -> None:
    """End the process though threads of it are at work.

    What they have not committed is as if it had never begun; what they have is on the disk.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
