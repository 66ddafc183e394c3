"""Server of one archive: opens it, listens, and exits with 0 when it is stopped.

Heap: glibc gives each thread an arena, up to eight for each core. Each arena keeps the largest size
that it ever had, and after a large block was freed, it serves large blocks too. Python runs one
thread at a time, so one arena is enough (mallopt(3)). Warm-up: templates and rules are compiled two
seconds after the start, in the background, so that the first request does not wait for a second of
CPU time.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import dataclasses
import json
import os
import signal
import socket
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool

from permacite.lazy_dataclass import dataclass
from permacite.service import decoders
from permacite.service.archive import Archive, warm_up
from permacite.service.location import checked_location
from permacite.web import templates
from permacite.web.app import create_app
from permacite.web.middleware.compression import Compression
from permacite.web.middleware.entity_tags import EntityTags
from permacite.web.middleware.networks import BasePath, Building, ForwardedHeaders
from permacite.web.middleware.response_cache import ResponseCache
from permacite.web.routes.saving import Saves
from permacite.web.serving.connection_limits import (
    ConnectionLimiter,
    ConnectionLimits,
    describe_counts,
)
from permacite.web.serving.monitoring import Watching, notify, watched, watching_workers
from permacite.web.serving.options import ServeOptions
from permacite.web.serving.processes import (
    Restart,
    WorkerProcesses,
    describe_listener,
    listening,
    serve,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from starlette.applications import Starlette

    from permacite.service.location import Location
    from permacite.web.serving.connection import KnownAnswers
    from permacite.web.serving.monitoring import RequestObserver

    Ending: TypeAlias = tuple[asyncio.Event, asyncio.Event]

__all__ = ["Serving", "WarmUp", "run", "share_heap", "work"]

_OWN_NAMES = ("localhost", "127.0.0.1", "[::1]")
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Of `malloc.h`."""
_LARGE_BYTES = 256 << 10
"""What is larger is taken from the system, and goes back to it at once."""
_FREE_BYTES = 1 << 20
"""So much may lie free at the end of the heap."""
_AFTER = 2


@dataclass(frozen=True, slots=True)
class Serving:
    """What is served, to whom, and how."""

    folder: Location | None
    options: ServeOptions
    limits: ConnectionLimits
    watching: Watching
    shared: Path | None = None
    """A folder in which the processes of this server tell one another of saves; None for one."""


def run(serving: Serving, renewal: Restart, *, announce: Callable[[str], None]) -> None:
    """Serve until told to stop. `announce` is told the address when it answers."""
    share_heap()
    options = serving.options
    host = f"[{options.host}]" if ":" in options.host else options.host
    options = dataclasses.replace(options, names=(*_OWN_NAMES, host, *options.names))
    serving = dataclasses.replace(serving, options=options)
    with listening(options) as listener:

        def ready() -> None:
            address = describe_listener(listener, options)
            announce(f"{address}{options.base_path}/ answers; Ctrl-C stops it")
            notify("READY=1")

        ending = partial(_stopped_by_signals, renewal, listener)
        if options.workers == 1:
            _answer(serving, listener, ending, ready=ready, announce=announce, last=renewal.begin)
        else:
            _keep(serving, listener, ending, ready=ready, announce=announce)
        renewal.begin()


def _answer(
    serving: Serving,
    listener: socket.socket,
    ending: Callable[[], Ending],
    *,
    ready: Callable[[], None],
    announce: Callable[[str], None],
    last: Callable[[], None] = lambda: None,
) -> None:
    """Serve in this process. `last` is called before it is left though something is at work."""
    with contextlib.ExitStack() as stack:
        archive = stack.enter_context(Archive.open(serving.folder))
        app = _application(serving, archive)
        decoders.keep_parts_small()
        if serving.shared is None:  # else who keeps the processes does, once
            _introduce(serving, archive, decoders.described(), announce)
        moments = stack.enter_context(archive.log.moments())
        places = Building(serving.options.building).apart
        remembered = ResponseCache(
            Compression(BasePath(app, serving.options.base_path)), moments, places
        )
        seen = watched(
            EntityTags(remembered),
            archive,
            serving.watching,
            shared=serving.shared,
            announce=announce,
        )
        observed, events, tell = stack.enter_context(seen)
        warming = WarmUp(partial(warm_up, archive), templates.prepare)
        peers = ConnectionLimiter(serving.limits, events)
        forwarded = ForwardedHeaders(observed, serving.options.proxies)

        async def until_stopped() -> int:
            return await serve(
                forwarded,
                listener,
                peers,
                ending=ending(),
                grace_s=serving.options.grace_s,
                ready=ready,
                known=_cached_answers(forwarded, remembered, observed),
                ticks=(tell, warming.tick),
            )

        with asyncio.Runner() as runner:
            left = runner.run(until_stopped())
            announce(f"served {', '.join(describe_counts(peers.counts)) or 'nobody'}")
            if left:
                announce(f"not finished within {serving.options.grace_s:g} s, and cut: {left}")
                last()
                _leave()


def _cached_answers(
    forwarded: ForwardedHeaders, cache: ResponseCache, observer: RequestObserver
) -> KnownAnswers:
    """A function that answers a request from the cache, without the application."""

    def find(scope: dict[str, Any]) -> tuple[int, bytes, bytes] | None:
        forwarded.apply(scope)
        answer = cache.known(scope)
        if answer is None:
            return None
        scope["endpoint"] = answer.endpoint
        field = observer.observe_cached(scope, answer.status, len(answer.body))
        return answer.status, answer.head + field, answer.body

    return find


def _application(serving: Serving, archive: Archive) -> Starlette:
    app = create_app(
        archive,
        names=serving.options.names,
        writable=serving.options.writable,
        public=serving.options.public,
        building=serving.options.building,
        building_name=serving.options.building_name,
    )
    app.state.saves = Saves(serving.shared)
    app.state.witness = serving.options.witness
    return app


def _introduce(
    serving: Serving, archive: Archive, decoders: str, announce: Callable[[str], None]
) -> None:
    """Tell what is served, and the keys of a witness. Raises ConflictError for no mirror."""
    about = archive.documents.about()
    announce(f"{about.documents} documents of {about.series} in {about.directory}")
    announce(decoders)
    for caution in archive.copies.status.cautions():
        announce(f"caution: {caution}")
    if serving.options.witness is not None:
        for key in archive.log.cosigner.keys(serving.options.witness):
            announce(f"a witness, below /-/witness: {key}")


def _keep(
    serving: Serving,
    listener: socket.socket,
    ending: Callable[[], Ending],
    *,
    ready: Callable[[], None],
    announce: Callable[[str], None],
) -> None:
    """Serve by processes that share the socket, and keep them."""
    with contextlib.ExitStack() as stack:
        archive = stack.enter_context(Archive.open(serving.folder))
        _introduce(serving, archive, decoders.described(), announce)
        listener.set_inheritable(True)
        shared = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="permacite-")))
        folder = serving.folder or Path(archive.documents.about().directory)
        own = dataclasses.replace(serving, folder=folder, shared=shared)
        ended = stack.enter_context(
            watching_workers(archive, serving.watching, shared, announce=announce)
        )
        workers = WorkerProcesses(
            serving.options.workers,
            lambda number, channel: _words(own, number, listener.fileno(), channel),
            listener=listener,
            announce=announce,
            ended=ended,
        )

        async def until_stopped() -> None:
            stop, hurry = ending()
            await workers.run(stop=stop, hurry=hurry, grace_s=serving.options.grace_s, ready=ready)

        asyncio.run(until_stopped())


def _words(serving: Serving, number: int, listener: int, channel: int) -> list[str]:
    """The arguments of a worker."""
    told = json.dumps(dataclasses.asdict(serving), default=str)
    return [told, *map(str, (number, listener, channel))]


def work() -> None:
    """Be a worker, with `_words` as arguments."""
    share_heap()
    told, number, listener, channel = json.loads(sys.argv[1]), *map(int, sys.argv[2:5])
    if told["watching"]["metrics"] is not None:
        told["watching"]["metrics"] = tuple(told["watching"]["metrics"])
    told |= {"folder": checked_location(told["folder"]), "shared": Path(told["shared"])}
    if told["options"]["witness"] is not None:
        told["options"]["witness"] = Path(told["options"]["witness"])
    told |= {"limits": ConnectionLimits(**told["limits"]), "watching": Watching(**told["watching"])}
    told["options"] = ServeOptions(**told["options"])

    def announce(said: str) -> None:
        sys.stderr.write(f"worker {number + 1}: {said}\n")
        sys.stderr.flush()

    with socket.socket(fileno=listener) as shared_listener, socket.socket(fileno=channel) as line:

        def ready() -> None:
            with contextlib.suppress(OSError):  # the end has come meanwhile
                line.send(b"1")

        own = Serving(**told)
        _answer(own, shared_listener, lambda: _stopped_by(line), ready=ready, announce=announce)


def _stopped_by(line: socket.socket) -> Ending:
    """The same for a worker: the other end of its channel closes, or it is told itself."""
    stop, hurry = _stopped_by_signals()
    loop = asyncio.get_running_loop()

    def closed() -> None:
        loop.remove_reader(line)
        stop.set()

    loop.add_reader(line, closed)
    return stop, hurry


def _stopped_by_signals(
    renewal: Restart | None = None, listener: socket.socket | None = None
) -> Ending:
    """What says that the end has come, and that nobody waits for it: a second Ctrl-C."""
    loop = asyncio.get_running_loop()
    stop, hurry = asyncio.Event(), asyncio.Event()

    def ended() -> bool:
        """Whether the end had come before, and was no new beginning."""
        was_ending = stop.is_set() and not (renewal and renewal.forget())
        stop.set()
        return was_ending

    def interrupted() -> None:
        if ended():
            hurry.set()

    loop.add_signal_handler(signal.SIGINT, interrupted)
    loop.add_signal_handler(signal.SIGTERM, ended)
    if renewal is not None and listener is not None:
        renewal.on_signal(stop, listener)
    return stop, hurry


def _leave() -> None:
    """End the process though threads of it are at work.

    What they have not committed is as if it had never begun; what they have is on the disk.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def share_heap() -> None:
    """Let all threads that are to come use one heap; nothing is done where glibc is not."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, 1)
        mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)
        mallopt(_TRIM_THRESHOLD, _FREE_BYTES)


class WarmUp:
    """Runs work once, some seconds after the start."""

    def __init__(self, *work: Callable[[], None]) -> None:
        self._work = work
        self._ticks = 0
        self._task: asyncio.Task[None] | None = None

    def tick(self) -> None:
        """Count a second."""
        self._ticks += 1
        if self._ticks == _AFTER:
            self._task = asyncio.create_task(run_in_threadpool(self._run))

    def _run(self) -> None:
        for each in self._work:
            each()
