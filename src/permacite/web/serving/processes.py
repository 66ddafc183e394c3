"""Server processes and their socket: listening, workers that share it, and restart on SIGHUP.

A parent replaces workers that end. A worker gets the socket and one end of a channel, on which it
reports that it is ready. When the other end closes, because the server stops or because its parent
died, the worker finishes its answers and ends. (The process manager of uvicorn has none of this:
its workers outlive a killed parent, and it restarts for ever a worker that cannot start.)

The socket is a port, a Unix socket, or one of systemd. On SIGHUP the server checks its new
configuration. If something is wrong with it, it goes on with the old one. Else it finishes the
answers that it has begun, and executes its program again. The socket stays open: connections wait
there, and the new process answers them.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import resource
import signal
import socket
import stat
import sys
import time
from email.utils import formatdate
from typing import TYPE_CHECKING, Any

from uvicorn import Config
from uvicorn.server import ServerState

from permacite.errors import StorageError
from permacite.limits import CONNECTION_BACKLOG
from permacite.web.serving.connection import Connection
from permacite.web.serving.monitoring import notify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from permacite.web.serving.connection import KnownAnswers
    from permacite.web.serving.connection_limits import ConnectionLimiter
    from permacite.web.serving.options import ServeOptions

__all__ = ["Restart", "WorkerProcesses", "describe_listener", "listening", "pass_socket", "serve"]

_BOOT = "from permacite.web.serving.server import work; work()"
_READY = b"1"
_LATE_S = 5
"""Time that a worker may take to end, after its grace."""
_TAKEN_AT_ONCE = 1
"""Connections that are taken in one go, so that processes that share a socket share these too."""
_OTHER_FILES = 256
_LOOK_S = 0.02
_ON_THE_WAY_S = 0.05
"""In which connections are taken, and requests come in, that were sent before the end."""
_FIRST_S = 1.0
"""How long the first request of a connection that was taken before the end may take."""
_GIVEN = 3
"""The first descriptor that systemd passes (sd_listen_fds(3))."""
_OWN = "permacite"
"""Name of the socket that a server passes to itself."""


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
        ours.settimeout(0)
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

    def __init__(self, check: Sequence[str], announce: Callable[[str], None]) -> None:
        """`check`: a command that exits with 0 if the new configuration is right."""
        self._check = check
        self._announce = announce
        self._kept: int | None = None
        """Another descriptor of the socket: the server closes its own."""
        self._checking: asyncio.Task[None] | None = None

    def on_signal(self, stop: asyncio.Event, listener: socket.socket) -> None:
        """Restart on SIGHUP, except at a terminal, where it means that the terminal is gone."""
        if not os.isatty(0):
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._ask, stop, listener)

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

    def _ask(self, stop: asyncio.Event, listener: socket.socket) -> None:
        if not stop.is_set() and (self._checking is None or self._checking.done()):
            self._checking = asyncio.create_task(self._prepare(stop, listener))

    async def _prepare(self, stop: asyncio.Event, listener: socket.socket) -> None:
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
            self._kept = os.dup(listener.fileno())  # a socket's own dup() would let it block
            stop.set()
