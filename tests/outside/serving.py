"""A folder as a site on this machine, with ranges of octets, for programs that go and look."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["serving"]


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve until the block ends; where."""
    files = Starlette(routes=[Mount("/", StaticFiles(directory=folder, html=True))])
    server = uvicorn.Server(uvicorn.Config(files, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
