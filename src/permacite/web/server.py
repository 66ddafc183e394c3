"""Listen: granian in this process, one archive, stopped by an interrupt or a termination."""

from __future__ import annotations

import asyncio
import signal
import socket
from typing import TYPE_CHECKING

from granian.constants import Interfaces
from granian.server.embed import Server

from permacite.errors import StorageError
from permacite.service.archive import Archive
from permacite.web.app import create_app

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

__all__ = ["run"]

_PATIENCE_S = 0.02
"""Between two attempts to reach the server that is starting."""

_OWN_NAMES = ("localhost", "127.0.0.1", "[::1]")


def run(
    folder: Path | None,
    *,
    host: str,
    port: int,
    names: Sequence[str],
    writable: bool = False,
    public: bool = False,
    announce: Callable[[str], None],
) -> None:
    """Serve until told to stop. `announce` is told the address when it answers."""
    port = _free_port(host, port)
    shown = f"[{host}]" if ":" in host else host
    with Archive.open(folder) as archive:
        about = archive.about()
        app = create_app(
            archive, names=(*_OWN_NAMES, shown, *names), writable=writable, public=public
        )
        announce(f"{about.documents} documents of {about.series} in {about.directory}")
        announce(archive.decoders(many=True))
        server = Server(
            app,
            address=host,
            port=port,
            interface=Interfaces.ASGINL,
            websockets=False,
            log_enabled=False,
        )
        ready = f"http://{shown}:{port}/ answers; Ctrl-C stops it"
        asyncio.run(_until_stopped(server, host, port, lambda: announce(ready)))


def _free_port(host: str, port: int) -> int:
    """A port that can be listened on. Raises StorageError where the address is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise StorageError(
                f"cannot listen on {host} port {port}: {error.strerror}",
                path=f"{host}:{port}",
                reason="io",
                hint="--port 0 takes any free port",
            ) from error
        chosen: int = probe.getsockname()[1]
        return chosen


async def _until_stopped(server: Server, host: str, port: int, ready: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, server.stop)
    serving = asyncio.create_task(server.serve())
    # Granian does not tell when it listens; that a connection is taken tells it.
    while not serving.done() and not await _answers(host, port):  # noqa: ASYNC110 - no event
        await asyncio.sleep(_PATIENCE_S)
    if not serving.done():
        ready()
    await serving


async def _answers(host: str, port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    writer.close()
    return True
