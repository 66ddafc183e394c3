"""Metrics for Prometheus: finished requests, connections, and the condition of the archive.

They have a port of their own, so that no proxy publishes them by mistake. Each of several processes
writes its counts into files of a shared folder (`PROMETHEUS_MULTIPROC_DIR`). Their parent serves
the sums, which include processes that have ended.
"""

from __future__ import annotations

import contextlib
from collections import Counter as Counts
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from permacite.errors import PermaciteError, StorageError
from permacite.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from permacite.service.preservation import Condition

__all__ = ["Metrics", "forget", "of_all_processes", "serving", "with_condition"]

_OF_DECODERS = (
    ("permacite_decoders_busy", "Documents that are decoded now."),
    ("permacite_decoders_waiting", "Documents that wait for a decoder."),
)
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """Counts of one process."""

    def __init__(self) -> None:
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

    def events(self) -> Counts[Any]:
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


class _EventCounts(Counts[Any]):
    """Counts that update a metric as they grow."""

    def __init__(self, counter: Counter) -> None:
        super().__init__()
        self._counter = counter

    def __setitem__(self, event: Any, number: int) -> None:
        """Set a count, and raise the metric by the difference."""
        self._counter.labels(event).inc(number - self[event])
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


def of_all_processes(folder: Path) -> CollectorRegistry:
    """The counts of all processes with the folder."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(folder))  # type: ignore[no-untyped-call] # brings no types
    return registry


def forget(folder: Path, process: int) -> None:
    """Remove the gauges of a process that has ended, and keep its counts."""
    mark_process_dead(process, str(folder))  # type: ignore[no-untyped-call] # brings no types


def with_condition(
    registry: CollectorRegistry, condition: Callable[[], Condition]
) -> CollectorRegistry:
    """The registry, with the condition of the archive, which is read at each scrape."""
    registry.register(_OnScrape(lambda: _conditions(condition)))
    return registry


@contextlib.contextmanager
def serving(registry: CollectorRegistry, host: str, port: int) -> Iterator[str]:
    """Serve metrics on a port until the block ends, and yield the address.

    Raises StorageError if the port is in use.
    """
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
