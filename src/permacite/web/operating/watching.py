"""What an operator asked to be told: metrics, an access log, and that the server is ready."""

from __future__ import annotations

import contextlib
import os
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from permacite.errors import StorageError
from permacite.web.operating.observing import AccessLog, Observed

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator

    from starlette.types import ASGIApp

    from permacite.service.archive import Archive

__all__ = ["Watching", "notify", "watched"]


@dataclass(frozen=True, slots=True)
class Watching:
    """What is to be told, and where."""

    metrics: tuple[str, int] | None = None
    """Where metrics are given out: an address and a port."""
    access_log: str | None = None
    """A file, or - for standard output."""
    full_addresses: bool = False
    """Whether the log tells who asked, and not the network alone."""


@contextlib.contextmanager
def watched(
    app: ASGIApp,
    archive: Archive,
    watching: Watching,
    *,
    events: Counter[Any],
    announce: Callable[[str], None],
) -> Iterator[Observed]:
    """The application with all that was asked for, until the block ends.

    `events`: what connections are counted under, as it is now. Raises StorageError where a log
    cannot be written, or a port is taken.
    """
    log = metrics = None
    with contextlib.ExitStack() as stack:
        if watching.access_log is not None:
            log = _log(watching.access_log, full_addresses=watching.full_addresses)
            stack.callback(log.close)
        if watching.metrics is not None:
            from permacite.web.operating.metrics import Metrics, serving  # noqa: PLC0415 - if asked for

            metrics = Metrics(archive.condition, events)
            announce(f"{stack.enter_context(serving(metrics, *watching.metrics))} has metrics")
        yield Observed(app, metrics=metrics, log=log)


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
