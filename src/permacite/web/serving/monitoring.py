"""What an operator asked to be told: metrics, an access log, and that the server is ready."""

from __future__ import annotations

import contextlib
import os
import socket
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.errors import StorageError
from permacite.options import option
from permacite.service import decoders
from permacite.web.serving.access_log import AccessLog, Observed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from starlette.types import ASGIApp

    from permacite.service.archive import Archive
    from permacite.web.serving.metrics import Metrics

__all__ = ["Watched", "Watching", "notify", "watched", "watching_workers"]


_COUNTED, _FOLDER = "PROMETHEUS_MULTIPROC_DIR", "metrics"
"""Where the library has processes write what they count, and a folder for it."""


_LAST_PORT = 65535


def _host_and_port(text: str) -> tuple[str, int]:
    """An address and a port, such as 127.0.0.1:9100, [::1]:9100 or 9100."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > _LAST_PORT:
        raise ValueError(f"expected a port, or an address and a port, not {text!r}")
    return host.strip("[]") or "127.0.0.1", int(port)


@dataclass(frozen=True, slots=True)
class Watching:
    """What is to be told, and where."""

    metrics: tuple[str, int] | None = option(
        "Give out metrics for Prometheus there, and nothing else; default host: 127.0.0.1.",
        metavar="[HOST:]PORT",
        read=_host_and_port,
    )
    access_log: str | None = option(
        "Write a line of JSON for each request; - is stdout.", metavar="FILE"
    )
    full_addresses: bool = option(
        "Log who asks, and not the network (/24, /48) alone.", default=False
    )


class Watched(NamedTuple):
    """An application that is watched."""

    app: Observed
    events: Counter[Any]
    """What connections are to be counted under."""
    tick: Callable[[], None]
    """To be called each second."""


@contextlib.contextmanager
def watched(
    app: ASGIApp,
    archive: Archive,
    watching: Watching,
    *,
    shared: Path | None,
    announce: Callable[[str], None],
) -> Iterator[Watched]:
    """The application with all that was asked for, until the block ends.

    `shared`: the folder of a server of several processes, for which `watching_workers` gives the
    metrics out. Raises StorageError where a log cannot be written, or a port is taken.
    """
    log = metrics = None
    events: Counter[Any] = Counter()
    with contextlib.ExitStack() as stack:
        if watching.access_log is not None:
            log = _log(watching.access_log, full_addresses=watching.full_addresses)
            stack.callback(log.close)
        if watching.metrics is not None:
            if shared is not None:
                os.environ[_COUNTED] = str(shared / _FOLDER)
            from permacite.web.serving.metrics import Metrics, serving, telling

            metrics = Metrics()
            events = metrics.events()
            if shared is None:
                registry = telling(metrics.registry, archive.copies.status.condition)
                announce(f"{stack.enter_context(serving(registry, *watching.metrics))} has metrics")
        yield Watched(Observed(app, metrics=metrics, log=log), events, partial(_tell, metrics))


def _tell(metrics: Metrics | None) -> None:
    if metrics is not None:
        metrics.tell_decoders(*decoders.load())


@contextlib.contextmanager
def watching_workers(
    archive: Archive, watching: Watching, shared: Path, *, announce: Callable[[str], None]
) -> Iterator[Callable[[int], None]]:
    """Give the metrics of all workers out, where they are asked for, until the block ends.

    What is yielded is to be told of each worker that has ended. Raises StorageError where the port
    is taken.
    """
    if watching.metrics is None:
        yield lambda _: None
        return
    from permacite.web.serving.metrics import forget, of_all, serving, telling

    folder = shared / _FOLDER
    folder.mkdir()
    registry = telling(of_all(folder), archive.copies.status.condition)
    with serving(registry, *watching.metrics) as address:
        announce(f"{address} has metrics")
        yield partial(forget, folder)


def _log(target: str, *, full_addresses: bool) -> AccessLog:
    try:
        return AccessLog(target, full_addresses=full_addresses)
    except OSError as error:
        problem = f"cannot write the access log: {error.strerror}"
        raise StorageError(problem, path=target, reason="io") from error


def notify(state: str) -> None:
    """Tell systemd a state such as READY=1, where it waits for one (sd_notify(3))."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    kind = socket.SOCK_DGRAM | socket.SOCK_CLOEXEC
    # Where nobody waits any more, nobody need be told.
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, kind) as channel:
        channel.connect(address.replace("@", "\0", 1) if address[0] == "@" else address)
        channel.sendall(state.encode())
