"""What the server counts, for Prometheus: requests as they end, and the archive's condition.

They are given out by a listener of their own, so that no proxy gives them out by mistake.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from permacite.errors import PermaciteError, StorageError
from permacite.version import __version__

if TYPE_CHECKING:
    from collections import Counter as Counts
    from collections.abc import Callable, Iterable, Iterator

    from permacite.service.preservation.condition import Condition

__all__ = ["Metrics", "serving"]

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """What one server counts."""

    def __init__(self, condition: Callable[[], Condition], events: Counts[Any]) -> None:
        """Take what tells the archive's condition, and what connections are counted under.

        Both are asked each time somebody looks.
        """
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
        self.registry.register(_Looked(lambda: _events(events)))
        self.registry.register(_Looked(lambda: _conditions(condition)))

    def count(self, method: str, route: str, status: int, *, seconds: float, octets: int) -> None:
        """Count a request that is answered."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)
        self._octets.inc(octets)


class _Looked:
    """Metrics that are made when somebody looks."""

    def __init__(self, look: Callable[[], Iterator[Metric]]) -> None:
        self.collect = look

    def describe(self) -> Iterable[Metric]:
        """Nothing is asked before somebody looks."""
        return []


def _events(events: Counts[Any]) -> Iterator[Metric]:
    """What became of connections, and which limits cut some."""
    told = CounterMetricFamily(
        "permacite_events", "Connections, and what cut them.", labels=["event"]
    )
    for name, number in events.items():
        told.add_metric([name], number)
    yield told


def _conditions(condition: Callable[[], Condition]) -> Iterator[Metric]:
    """The archive's condition; where it cannot be read, that alone."""
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
        ("decoders_busy", "Documents that are decoded now.", now.decoders_busy),
        ("decoders_waiting", "Documents that wait for a decoder.", now.decoders_waiting),
    ):
        yield GaugeMetricFamily(f"permacite_{name}", about, value)
    for name, about, done in (
        ("backup", "When the last backup was made.", now.copied),
        ("fixity_check", "When the last fixity check of all was made.", now.checked),
    ):
        if done is not None:
            moment = done.at.timestamp()
            yield GaugeMetricFamily(f"permacite_{name}_timestamp_seconds", about, moment)
    if now.checked is not None:
        faults = now.checked.faults
        yield GaugeMetricFamily("permacite_fixity_faults", "What that check found.", faults)


@contextlib.contextmanager
def serving(metrics: Metrics, host: str, port: int) -> Iterator[str]:
    """Give the metrics out on a port until the block ends; the address is yielded.

    Raises StorageError where the port is taken.
    """
    try:
        server, thread = start_http_server(port, host, metrics.registry)
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
