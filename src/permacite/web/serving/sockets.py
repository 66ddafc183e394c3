"""Listening sockets: a port, a Unix socket, or a socket of systemd; restart on SIGHUP.

On SIGHUP the server checks its new configuration. If something is wrong with it, it goes on with
the old one. Else it finishes the answers that it has begun, and executes its program again. The
socket stays open: connections wait there, and the new process answers them.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import socket
import stat
import sys
from typing import TYPE_CHECKING

from permacite.errors import StorageError
from permacite.web.serving.monitoring import notify

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from permacite.web.serving.options import ServeOptions

__all__ = ["Restart", "describe_listener", "listening", "pass_socket"]

_GIVEN = 3
"""The first descriptor that systemd passes (sd_listen_fds(3))."""
_OWN = "permacite"
"""Name of the socket that a server passes to itself."""


@contextlib.contextmanager
def listening(options: ServeOptions) -> Iterator[socket.socket]:
    """A socket that listens, until the block ends; nobody is answered yet. Raises StorageError.

    It is the one that systemd has opened for this process, if there is one.
    """
    listener, is_own = _given()
    if options.unix is not None and (listener is None or is_own):
        with _at_path(options.unix, listener or _named(options.unix, options.unix_mode)) as named:
            yield named
        return
    with listener or _at_port(options.host, options.port) as opened:
        yield opened


def pass_socket(descriptor: int) -> None:
    """Pass a socket to the program that this process executes next: itself."""
    os.dup2(descriptor, _GIVEN)
    os.set_inheritable(_GIVEN, True)  # noqa: FBT003 - it is so already, unless both are one
    os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1", "LISTEN_FDNAMES": _OWN}


def describe_listener(listener: socket.socket, options: ServeOptions) -> str:
    """The address of a socket, as it is shown."""
    name = listener.getsockname()
    if listener.family == socket.AF_UNIX:
        return f"unix:{options.unix or name}"
    return f"http://{f'[{name[0]}]' if ':' in name[0] else name[0]}:{name[1]}"


def _at_port(host: str, port: int) -> socket.socket:
    """A socket on a port; it accepts nothing yet. Raises StorageError."""
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


@contextlib.contextmanager
def _at_path(path: Path, listener: socket.socket) -> Iterator[socket.socket]:
    """A Unix socket whose name is removed when the block ends."""
    with listener:
        own = path.stat() if path.is_socket() else None
        yield listener
        with contextlib.suppress(OSError):
            # Not that of a server which came after us.
            if own is not None and os.path.samestat(path.stat(), own):
                path.unlink()


def _named(path: Path, mode: int) -> socket.socket:
    """A Unix socket with the permissions `mode`.

    A socket without a server, which a killed one leaves, is replaced. Raises StorageError for a
    socket in use, and for any other file.
    """
    # It gets its name when it listens and has its mode: no client finds it before.
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _check_free(path)
        aside.unlink(missing_ok=True)
        listener.bind(str(aside))
        aside.chmod(mode)
        listener.listen()
        aside.replace(path)
    except OSError as error:
        listener.close()
        aside.unlink(missing_ok=True)
        raise StorageError(
            f"cannot listen on {path}: {error.strerror or error}", path=str(path), reason="io"
        ) from error
    return listener


def _check_free(path: Path) -> None:
    """Raise OSError for a path with a socket in use, or with another file."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise OSError(errno.EEXIST, os.strerror(errno.EEXIST))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        try:
            asking.connect(str(path))
        except ConnectionRefusedError:
            return
    raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))


def _given() -> tuple[socket.socket | None, bool]:
    """The socket that was opened for this process, if any, and whether by the server before it.

    Systemd passes it in environment variables (sd_listen_fds(3)). They are removed, because they do
    not hold for child processes. Raises StorageError.
    """
    owner, count = os.environ.pop("LISTEN_PID", ""), os.environ.pop("LISTEN_FDS", "")
    is_own = os.environ.pop("LISTEN_FDNAMES", None) == _OWN
    if owner != str(os.getpid()) or count in {"", "0"}:
        return None, False
    if count != "1":
        raise StorageError(f"expected one socket of systemd, not {count}", path="", reason="io")
    try:
        listener = socket.socket(fileno=_GIVEN)
    except OSError as error:
        problem = f"systemd has opened no socket: {error.strerror}"
        raise StorageError(problem, path="", reason="io") from error
    listener.set_inheritable(False)
    return listener, is_own


class Restart:
    """Restart of a server on SIGHUP."""

    def __init__(
        self, listener: socket.socket, check: Sequence[str], announce: Callable[[str], None]
    ) -> None:
        """`check`: a command that exits with 0 if the new configuration is right."""
        self._listener = listener
        self._check = check
        self._announce = announce
        self._kept: int | None = None
        """Another descriptor of the socket: the server closes its own."""
        self._checking: asyncio.Task[None] | None = None

    def on_signal(self, stop: asyncio.Event) -> None:
        """Restart on SIGHUP, except at a terminal, where it means that the terminal is gone."""
        import asyncio

        if not os.isatty(0):
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._ask, stop)

    def forget(self) -> bool:
        """Cancel the restart; return whether one was planned."""
        kept, self._kept = self._kept, None
        if kept is not None:
            os.close(kept)
        return kept is not None

    def begin(self) -> None:
        """Execute this program again, with its arguments, if a restart is planned."""
        if self._kept is None:
            return
        sys.stdout.flush()
        sys.stderr.flush()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until the new process handles it
        pass_socket(self._kept)
        os.execv(sys.executable, sys.orig_argv)  # noqa: S606 - no shell is wanted

    def _ask(self, stop: asyncio.Event) -> None:
        import asyncio

        if not stop.is_set() and (self._checking is None or self._checking.done()):
            self._checking = asyncio.create_task(self._prepare(stop))

    async def _prepare(self, stop: asyncio.Event) -> None:
        import asyncio

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
