"""A server that begins anew on its socket, with what it is told by then: SIGHUP asks for it.

What it is told is checked first; where anything is wrong, it goes on as it is. Else it finishes
what is begun, as in the end, and executes its program again. The socket is open all the time:
whoever connects meanwhile waits there, and is answered by the new one.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import TYPE_CHECKING

from permacite.web.serving.monitoring import notify
from permacite.web.serving.sockets import hand_on

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Sequence

__all__ = ["Renewal"]


class Renewal:
    """Whether a server is to begin anew when it has ended."""

    def __init__(
        self, listener: socket.socket, check: Sequence[str], announce: Callable[[str], None]
    ) -> None:
        """`check`: the command that ends with 0 where what the server is told is right."""
        self._listener = listener
        self._check = check
        self._announce = announce
        self._kept: int | None = None
        """The socket, once more: the server closes its own in the end."""
        self._checking: asyncio.Task[None] | None = None

    def on_signal(self, stop: asyncio.Event) -> None:
        """Let SIGHUP ask for it; at a terminal, it says that the terminal is gone."""
        if not os.isatty(0):
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._ask, stop)

    def forget(self) -> bool:
        """End for good; whether it was to begin anew."""
        kept, self._kept = self._kept, None
        if kept is not None:
            os.close(kept)
        return kept is not None

    def begin(self) -> None:
        """Execute this program again, with its arguments, if that was asked for."""
        if self._kept is None:
            return
        sys.stdout.flush()
        sys.stderr.flush()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until the new one takes it
        hand_on(self._kept)
        os.execv(sys.executable, sys.orig_argv)  # noqa: S606 - no shell is wanted

    def _ask(self, stop: asyncio.Event) -> None:
        if not stop.is_set() and (self._checking is None or self._checking.done()):
            self._checking = asyncio.create_task(self._prepare(stop))

    async def _prepare(self, stop: asyncio.Event) -> None:
        null, pipe = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
        checking = await asyncio.create_subprocess_exec(
            *self._check, stdin=null, stdout=null, stderr=pipe
        )
        _, told = await checking.communicate()
        if checking.returncode:
            self._announce(f"goes on as it was: {told.decode(errors='replace').strip()}")
        elif not stop.is_set():
            self._announce("begins anew")
            notify("RELOADING=1")
            self._kept = os.dup(self._listener.fileno())  # a socket's own dup() would let it block
            stop.set()
