"""Monitoring: metrics, access log, request ids, and readiness for systemd.

The access log has one JSON object a line. It leaves out what may be secret: header fields, values
of a query, and the host part of an address. A fault of the program is logged with its traceback.

Metrics are for Prometheus: finished requests, connections, and the condition of the archive. They
have a port of their own, so that no proxy publishes them by mistake. Each of several processes
writes its counts into files of a shared folder (`PROMETHEUS_MULTIPROC_DIR`). Their parent serves
the sums, which include processes that have ended.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import logging
import logging.handlers
import os
import re
import secrets
import socket
import sys
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl

from permacite.errors import PermaciteError, StorageError
from permacite.options import option
from permacite.service import decoders
from permacite.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from prometheus_client import CollectorRegistry
    from prometheus_client import Counter as CounterMetric
    from prometheus_client.core import Metric
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from permacite.service.archive import Archive
    from permacite.service.preservation import Condition

__all__ = [
    "AccessLog",
    "Metrics",
    "RequestObserver",
    "Watched",
    "Watching",
    "notify",
    "watched",
    "watching_workers",
]

_COUNTED, _FOLDER = "PROMETHEUS_MULTIPROC_DIR", "metrics"
"""Variable with the folder of counts, and the name of that folder."""


_LAST_PORT = 65535
_OF_DECODERS = (
    ("permacite_decoders_busy", "Documents that are decoded now."),
    ("permacite_decoders_waiting", "Documents that wait for a decoder."),
)
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


def _host_and_port(text: str) -> tuple[str, int]:
    """An address and a port, such as 127.0.0.1:9100, [::1]:9100 or 9100."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > _LAST_PORT:
        raise ValueError(f"expected a port, or an address and a port, not {text!r}")
    return host.strip("[]") or "127.0.0.1", int(port)


@dataclass(frozen=True, slots=True)
class Watching:
    """Options of monitoring."""

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
    """An application with metrics and log."""

    app: RequestObserver
    events: Counter[Any]
    """Counts of connection events."""
    tick: Callable[[], None]
    """A function to call each second."""


@contextlib.contextmanager
def watched(
    app: ASGIApp,
    archive: Archive,
    watching: Watching,
    *,
    shared: Path | None,
    announce: Callable[[str], None],
) -> Iterator[Watched]:
    """The application with metrics and log, until the block ends.

    `shared`: the folder of a server with several processes, whose metrics `watching_workers`
    serves. Raises StorageError if the log cannot be written, or a port is in use.
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
            metrics = Metrics()
            events = metrics.events()
            if shared is None:
                registry = _with_condition(metrics.registry, archive.copies.status.condition)
                address = stack.enter_context(_serving_metrics(registry, *watching.metrics))
                announce(f"{address} has metrics")
        yield Watched(
            RequestObserver(app, metrics=metrics, log=log), events, partial(_tell, metrics)
        )


def _tell(metrics: Metrics | None) -> None:
    if metrics is not None:
        metrics.set_decoders(*decoders.load())


@contextlib.contextmanager
def watching_workers(
    archive: Archive, watching: Watching, shared: Path, *, announce: Callable[[str], None]
) -> Iterator[Callable[[int], None]]:
    """Serve the metrics of all workers until the block ends.

    Yields a function to call with the process id of each worker that has ended. Raises StorageError
    if the port is in use.
    """
    if watching.metrics is None:
        yield lambda _: None
        return
    folder = shared / _FOLDER
    folder.mkdir()
    registry = _with_condition(_of_all_processes(folder), archive.copies.status.condition)
    with _serving_metrics(registry, *watching.metrics) as address:
        announce(f"{address} has metrics")
        yield partial(_forget, folder)


def _log(target: str, *, full_addresses: bool) -> AccessLog:
    try:
        return AccessLog(target, full_addresses=full_addresses)
    except OSError as error:
        problem = f"cannot write the access log: {error.strerror}"
        raise StorageError(problem, path=target, reason="io") from error


def notify(state: str) -> None:
    """Send systemd a state such as READY=1, if it waits for one (sd_notify(3))."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    kind = socket.SOCK_DGRAM | socket.SOCK_CLOEXEC
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, kind) as channel:
        channel.connect(address.replace("@", "\0", 1) if address[0] == "@" else address)
        channel.sendall(state.encode())


_HEADER = b"x-request-id"
_ASKED_ID = re.compile(rb"[A-Za-z0-9._-]{8,64}")
_OTHER = "other"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "OPTIONS"})
_faults = logging.getLogger("permacite.faults")


class AccessLog:
    """Access log in a file that other programs may rotate, or on standard output."""

    def __init__(self, target: str, *, full_addresses: bool = False) -> None:
        """`target`: a file, or - for standard output. Raises OSError."""
        self._full = full_addresses
        self._handler: logging.Handler = (
            logging.StreamHandler(sys.stdout)
            if target == "-"
            else logging.handlers.WatchedFileHandler(Path(target), encoding="utf-8")
        )

    def write(self, scope: Scope, request_id: str, **told: object) -> None:
        """Write a request and its result."""
        query = scope["query_string"].decode("latin-1")
        names = [name for name, _ in parse_qsl(query, keep_blank_values=True)]
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "id": request_id,
            "from": self._address((scope.get("client") or ("", 0))[0]),
            "method": scope["method"],
            "path": scope["path"],
            "query": names,
            **told,
        }
        text = json.dumps(line, ensure_ascii=True, separators=(",", ":"))
        self._handler.handle(logging.LogRecord("", logging.INFO, "", 0, text, None, None))

    def close(self) -> None:
        """Close the file."""
        self._handler.close()

    def _address(self, address: str) -> str:
        """An address, or its network: /24 of IPv4, /48 of IPv6."""
        try:
            full = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return ""
        if self._full:
            return str(full)
        bits = 24 if isinstance(full, ipaddress.IPv4Address) else 48
        return str(ipaddress.ip_network((full, bits), strict=False))


class RequestObserver:
    """Middleware that counts and logs requests."""

    def __init__(
        self, app: ASGIApp, *, metrics: Metrics | None = None, log: AccessLog | None = None
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application, and observe its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        seen = _ObservedAnswer(scope, send)
        try:
            await self._app(scope, receive, seen.send)
        except Exception:
            _faults.exception("request %s: a fault of permacite itself", seen.id)
            if not seen.status:
                raise
        finally:
            self._tell(scope, seen)

    def observe_cached(self, scope: Scope, status: int, octets: int) -> bytes:
        """Observe a request that the cache answered; return the field with its id."""
        seen = _ObservedAnswer(scope, _to_nobody)
        seen.status, seen.octets, seen.is_whole = status, octets, True
        self._tell(scope, seen)
        return b"%b: %b\r\n" % (_HEADER, seen.id.encode())

    def _tell(self, scope: Scope, seen: _ObservedAnswer) -> None:
        seconds = time.perf_counter() - seen.begun
        route = _route(scope)
        if self._metrics is not None:
            method = scope["method"] if scope["method"] in _METHODS else _OTHER
            self._metrics.count(method, route, seen.status, seconds=seconds, octets=seen.octets)
        if self._log is not None:
            told = {"status": seen.status, "bytes": seen.octets, "ms": round(seconds * 1000, 1)}
            self._log.write(scope, seen.id, route=route, **told, cut=not seen.is_whole)


async def _to_nobody(message: Message) -> None:
    """Send nothing: the answer is already sent."""
    del message


class _ObservedAnswer:
    """One answer, with its size and time."""

    def __init__(self, scope: Scope, send: Send) -> None:
        asked = next((value for name, value in scope["headers"] if name == _HEADER), b"")
        self.id = asked.decode() if _ASKED_ID.fullmatch(asked) else secrets.token_hex(8)
        self.begun = time.perf_counter()
        self.status = 0
        self.octets = 0
        self.is_whole = False
        self._send = send

    async def send(self, message: Message) -> None:
        """Send a part of it, and count."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            fields = [*message.get("headers", ()), (_HEADER, self.id.encode())]
            message = {**message, "headers": fields}
        elif message["type"] == "http.response.body":
            self.octets += len(message.get("body", b""))
            self.is_whole = not message.get("more_body", False)
        await self._send(message)


def _route(scope: Scope) -> str:
    """Name of the handler: a label with few values."""
    endpoint = scope.get("endpoint")
    return getattr(endpoint, "__name__", _OTHER)


class Metrics:
    """Counts of one process."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self.registry = CollectorRegistry()
        self._requests = Counter(
            "permacite_requests",
            "Requests that were answered.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "permacite_request_seconds",
            "How long requests took until the last octet was sent.",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._octets = Counter(
            "permacite_sent_bytes", "Octets of bodies that were sent.", registry=self.registry
        )
        self._events = Counter(
            "permacite_events",
            "Connections, and what cut them.",
            ("event",),
            registry=self.registry,
        )
        self._decoders = [
            Gauge(name, about, registry=self.registry, multiprocess_mode="livesum")
            for name, about in _OF_DECODERS
        ]

    def events(self) -> Counter[Any]:
        """Counts of connection events, which are also metrics."""
        return _EventCounts(self._events)

    def set_decoders(self, *numbers: int) -> None:
        """Set how many documents are being decoded, and how many wait."""
        for gauge, number in zip(self._decoders, numbers, strict=True):
            gauge.set(number)

    def count(self, method: str, route: str, status: int, *, seconds: float, octets: int) -> None:
        """Count an answered request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)
        self._octets.inc(octets)


class _EventCounts(Counter[Any]):
    """Counts that update a metric as they grow."""

    def __init__(self, metric: CounterMetric) -> None:
        super().__init__()
        self._metric = metric

    def __setitem__(self, event: Any, number: int) -> None:
        """Set a count, and raise the metric by the difference."""
        self._metric.labels(event).inc(number - self[event])
        super().__setitem__(event, number)


class _OnScrape:
    """Metrics that are collected at each scrape."""

    def __init__(self, collect: Callable[[], Iterator[Metric]]) -> None:
        self.collect = collect

    def describe(self) -> Iterable[Metric]:
        """Nothing, so that nothing is collected before a scrape."""
        return []


def _conditions(condition: Callable[[], Condition]) -> Iterator[Metric]:
    """The condition of the archive; only `readable` if it cannot be read."""
    from prometheus_client.core import GaugeMetricFamily

    info = GaugeMetricFamily("permacite_info", "Which permacite this is.", labels=["version"])
    info.add_metric([__version__], 1)
    yield info
    try:
        now = condition()
    except (PermaciteError, OSError):
        yield GaugeMetricFamily("permacite_readable", "Whether the archive can be read.", 0)
        return
    yield GaugeMetricFamily("permacite_readable", "Whether the archive can be read.", 1)
    for name, about, value in (
        ("documents", "Documents.", now.documents),
        ("versions", "Versions of all documents.", now.versions),
        ("log_entries", "Entries of the log.", now.log_size),
        ("staged_bytes", "Octets that are committed and have no file yet.", now.staged_bytes),
        ("free_bytes", "What is free on the archive's disk.", now.free_bytes),
        ("cautions", "Settings of the database that may lose commits.", len(now.cautions)),
    ):
        yield GaugeMetricFamily(f"permacite_{name}", about, value)
    for name, about, done in (
        ("backup", "When the last backup was made.", now.copied),
        ("fixity_check", "When the last fixity check of all was made.", now.checked),
        ("part_check", "When the last fixity check of a part was made.", now.part_checked),
    ):
        if done is not None:
            moment = done.at.timestamp()
            yield GaugeMetricFamily(f"permacite_{name}_timestamp_seconds", about, moment)
    if now.checked is not None:
        faults = now.checked.faults
        yield GaugeMetricFamily("permacite_fixity_faults", "What that check found.", faults)
    if now.part_checked is not None:
        faults = now.part_checked.faults
        yield GaugeMetricFamily("permacite_part_faults", "What the check of a part found.", faults)


def _of_all_processes(folder: Path) -> CollectorRegistry:
    """The counts of all processes with the folder."""
    from prometheus_client import CollectorRegistry
    from prometheus_client.multiprocess import MultiProcessCollector

    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(folder))  # type: ignore[no-untyped-call] # brings no types
    return registry


def _forget(folder: Path, process: int) -> None:
    """Remove the gauges of a process that has ended, and keep its counts."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(process, str(folder))  # type: ignore[no-untyped-call] # brings no types


def _with_condition(
    registry: CollectorRegistry, condition: Callable[[], Condition]
) -> CollectorRegistry:
    """The registry, with the condition of the archive, which is read at each scrape."""
    registry.register(_OnScrape(lambda: _conditions(condition)))
    return registry


@contextlib.contextmanager
def _serving_metrics(registry: CollectorRegistry, host: str, port: int) -> Iterator[str]:
    """Serve metrics on a port until the block ends, and yield the address.

    Raises StorageError if the port is in use.
    """
    from prometheus_client import start_http_server

    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        problem = f"cannot listen on {host} port {port} for metrics: {error.strerror}"
        raise StorageError(problem, path=f"{host}:{port}", reason="io") from error
    try:
        shown = f"[{host}]" if ":" in host else host
        yield f"http://{shown}:{server.server_port}/metrics"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
