"""Worker processes that share a socket, and their parent, which replaces those that end.

A worker gets the socket and one end of a channel, on which it reports that it is ready. When the
other end closes, because the server stops or because its parent died, the worker finishes its
answers and ends. (The process manager of uvicorn has none of this: its workers outlive a killed
parent, and it restarts for ever a worker that cannot start.)
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from typing import TYPE_CHECKING

from permacite.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["WorkerProcesses"]

_BOOT = "from permacite.web.serving.server import work; work()"
_READY = b"1"
_LATE_S = 5
"""Time that a worker may take to end, after its grace."""


class WorkerProcesses:
    """The worker processes of one server.

    `words` gives the arguments of a worker, from its number and the descriptor of its channel.
    """

    def __init__(
        self,
        count: int,
        words: Callable[[int, int], list[str]],
        *,
        listener: socket.socket,
        announce: Callable[[str], None],
        ended: Callable[[int], None],
    ) -> None:
        """`ended` is called with the process id of each worker that has ended."""
        self._count = count
        self._words = words
        self._listener = listener
        self._announce = announce
        self._ended = ended
        self._channels: dict[int, socket.socket] = {}
        self._processes: dict[int, asyncio.subprocess.Process] = {}
        self._is_ending = False

    async def run(
        self,
        *,
        stop: asyncio.Event,
        hurry: asyncio.Event,
        grace_s: float,
        ready: Callable[[], None],
    ) -> None:
        """Run workers until `stop`, then let them end. Raises StorageError if one cannot start."""
        kept: list[asyncio.Task[None]] = []
        try:
            await asyncio.gather(*map(self._start, range(self._count)))
            kept = [asyncio.create_task(self._keep(number)) for number in range(self._count)]
            ready()
            await stop.wait()
        finally:
            self._is_ending = True
            for each in kept:
                each.cancel()  # it may wait on a channel, for ever once that is closed
            for channel in self._channels.values():
                channel.close()
            rushing = asyncio.create_task(self._rush(hurry))
            ended = [asyncio.create_task(each.wait()) for each in self._processes.values()]
            if ended:
                await asyncio.wait(ended, timeout=grace_s + _LATE_S)
            rushing.cancel()
            for process in self._processes.values():
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
            await asyncio.gather(*ended, *kept, return_exceptions=True)

    async def _start(self, number: int) -> None:
        """Start a worker, and wait until it is ready. Raises StorageError."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)  # noqa: FBT003 - as the library has it
        self._channels[number] = ours
        with theirs:
            descriptor = theirs.fileno()
            environment = {
                name: value for name, value in os.environ.items() if name != "NOTIFY_SOCKET"
            }
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                _BOOT,
                *self._words(number, descriptor),
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                pass_fds=[descriptor, self._listener.fileno()],
                start_new_session=True,  # Ctrl-C is for the parent, which stops them
            )
        self._processes[number] = process
        if await asyncio.get_running_loop().sock_recv(ours, 1) != _READY:
            raise StorageError("a worker does not start", path="", reason="io")

    async def _keep(self, number: int) -> None:
        """Replace a worker that ends, until all are to end."""
        while True:
            status = await self._processes[number].wait()
            if self._is_ending:
                return
            self._channels.pop(number).close()
            self._ended(self._processes[number].pid)
            self._announce(f"worker {number + 1} ended with {status}; another one takes its place")
            try:
                await self._start(number)
            except StorageError as error:
                self._announce(f"{error.problem}; {self._count} were wanted")
                return

    async def _rush(self, hurry: asyncio.Event) -> None:
        """Interrupt workers that are still at work."""
        await hurry.wait()
        for process in self._processes.values():
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT)
