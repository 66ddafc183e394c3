"""Servers that begin at once: each is a fork of a process that has imported and compiled all.

A server takes a second of the processor to import its rooms and another one to compile its pages
and the rules of names, and tests begin hundreds of them. With `--deep` each begins by itself, as
that of a user does; so does everywhere what a test begins by its own hand.
"""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["Forked", "Starter", "start"]

_LARGEST_BYTES = 1 << 17
"""Of what a fork is told: its arguments and its environment."""


class Starter:
    """Whether servers are forks."""

    is_used: ClassVar[bool] = sys.platform == "linux"


class Forked:
    """A process that is a fork: what tests ask of `subprocess.Popen`."""

    def __init__(self, status: int, stderr: int) -> None:
        """`status`: the end of a pipe that gives the process's number, then its exit status."""
        self._status = status
        self.stderr = os.fdopen(stderr)
        self.returncode: int | None = None
        self.pid = int(os.read(status, 16))

    def poll(self) -> int | None:
        """The exit status, or None before the end."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """The exit status. Raises `subprocess.TimeoutExpired` after so many seconds."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired("permacite", timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Tell it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None:
            waiting = select.poll()
            waiting.register(self._status, select.POLLIN)
            if waiting.poll(None if timeout is None else timeout * 1000):
                self.returncode = int(os.read(self._status, 16))
                os.close(self._status)
        return self.returncode


def start(words: Sequence[str]) -> Forked | subprocess.Popen[str]:
    """Begin `permacite` with these words, in this folder and environment."""
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    if not Starter.is_used:
        command = [sys.executable, "-m", "permacite", *words]
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    (stderr, its_stderr), (status, its_status) = os.pipe(), os.pipe()
    told = json.dumps([list(words), str(Path.cwd()), environment]).encode()
    socket.send_fds(_starter(), [told], [its_stderr, its_status])
    os.close(its_stderr)
    os.close(its_status)
    return Forked(status, stderr)


@functools.cache
def _starter() -> socket.socket:
    """The socket of the process that forks; one for each process of tests."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-u", __file__, str(its.fileno())]
    process = subprocess.Popen(command, pass_fds=[its.fileno()], stdin=subprocess.DEVNULL)
    its.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _fork_when_asked(asked: socket.socket) -> None:
    """Fork for each message, until there is nobody who could ask."""
    _import_all()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # those who watch over servers are let go
    while True:
        told, files, _, _ = socket.recv_fds(asked, _LARGEST_BYTES, 2)
        if not told:
            return
        if os.fork() == 0:
            asked.close()
            _watch_over(json.loads(told), *files)
        for each in files:
            os.close(each)


def _import_all() -> None:
    """What a server does once: import its rooms, compile its pages and the rules of names."""
    import anyio._backends._asyncio  # noqa: F401 - as servers do

    from permacite import decoding  # noqa: F401 - the same
    from permacite.archive import texts  # noqa: F401 - the same
    from permacite.cli import commands  # noqa: F401 - the same
    from permacite.service import names
    from permacite.web import command, templates  # noqa: F401 - the same
    from permacite.web.serving import server  # noqa: F401 - the same

    templates.prepare()
    names.parse("urn:pdi://lab.example.us/2026/11/22/1.text.1")
    gc.collect()
    gc.freeze()  # what is shared stays shared


def _watch_over(told: list[Any], stderr: int, status: int) -> None:
    """Fork the server itself, and tell its number, and how it ended. Never returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    server = os.fork()
    if server == 0:
        os.close(status)
        _serve(*told, stderr=stderr)
    os.close(stderr)
    os.write(status, b"%d" % server)
    _, ended = os.waitpid(server, 0)
    os.write(status, b"%d" % os.waitstatus_to_exitcode(ended))
    os._exit(0)


def _serve(words: list[str], folder: str, environment: dict[str, str], *, stderr: int) -> None:
    from permacite import __main__ as program

    os.dup2(stderr, sys.stderr.fileno())
    os.close(stderr)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    sys.argv = [str(program.__file__), *words]
    sys.orig_argv = [sys.executable, "-m", "permacite", *words]
    sys.exit(program.main())


if __name__ == "__main__":
    _fork_when_asked(socket.socket(fileno=int(sys.argv[1])))
