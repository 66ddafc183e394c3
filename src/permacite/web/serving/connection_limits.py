"""Connection limits, eviction of idle connections, and counts of what was cut.

At a limit, the connection is closed that has waited longest without a whole request. So half-open
requests keep nobody out. Connections that are being answered stay. If all are, the new one is
refused.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from permacite.lazy_dataclass import dataclass
from permacite.limits import find_limit
from permacite.options import option

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ConnectionLimiter", "ConnectionLimits", "Event", "describe_counts", "peer_of"]

Event: TypeAlias = Literal[
    "connections",
    "requests",
    "malformed",
    "slow-heads",
    "slow-bodies",
    "slow-readers",
    "large-heads",
    "large-bodies",
    "crowded-out",
    "refused",
]
"""Counted events: requests that started, and each way in which one is cut."""


def _limit(name: str) -> Any:
    """A limit of the table, with the sentence that its option says."""
    limit = find_limit(f"server.{name}")
    is_time = limit.unit == "seconds"
    kind, least = ("number", 0.1) if is_time else ("integer", 1)
    return option(limit.about, limit.value, kind=kind, least=least, shows_default=True)


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Limits of one process, in seconds and bytes."""

    head_seconds: float = _limit("head-seconds")
    stall_seconds: float = _limit("stall-seconds")
    idle_seconds: float = _limit("idle-seconds")
    head_bytes: float = _limit("head-bytes")
    body_bytes: float = _limit("body-bytes")
    connections: float = _limit("connections")
    peer_connections: float = _limit("peer-connections")


def describe_counts(counts: Counter[Event]) -> Iterator[str]:
    """Counts as text: the number, then the event."""
    return (f"{number:,} {name.replace('-', ' ')}" for name, number in counts.items())


_NETWORK_BITS = 64
"""One subscriber of IPv6 has at least one such network (RFC 6177)."""


class _Connected(Protocol):
    """A connection."""

    peer: str

    @property
    def is_waiting(self) -> bool:
        """Whether nothing is being answered on it."""

    def cut(self) -> None:
        """End it now."""


def peer_of(client: tuple[str, int] | None) -> str:
    """The client of an address; "" for none, as on a Unix socket."""
    if client is None:
        return ""
    host = client[0].partition("%")[0]
    if ":" not in host:
        return host
    address = ipaddress.IPv6Address(host)
    mapped = address.ipv4_mapped
    if mapped is not None:
        return str(mapped)
    return str(ipaddress.IPv6Network((address, _NETWORK_BITS), strict=False))


class ConnectionLimiter:
    """Connections of one process, and counts of events."""

    def __init__(self, limits: ConnectionLimits, counts: Counter[Event] | None = None) -> None:
        """`counts`: where events are counted, for metrics."""
        self.limits = limits
        self.counts: Counter[Event] = Counter() if counts is None else counts
        self.is_ending = False
        """Whether each connection closes after its pending answer."""
        # In the order in which they came: a dict keeps it.
        self._all: dict[_Connected, None] = {}
        self._of: dict[str, dict[_Connected, None]] = {}

    def admit(self, connection: _Connected) -> bool:
        """Whether a connection is admitted, perhaps after another was closed."""
        self.counts["connections"] += 1
        own = self._of.get(connection.peer, {}) if connection.peer else {}
        full = len(own) >= self.limits.peer_connections and not self._make_room(own)
        if full or (len(self._all) >= self.limits.connections and not self._make_room(self._all)):
            self.counts["refused"] += 1
            return False
        self._all[connection] = None
        self._of.setdefault(connection.peer, {})[connection] = None
        return True

    def leave(self, connection: _Connected) -> None:
        """Forget a connection, if it is known."""
        self._all.pop(connection, None)
        own = self._of.get(connection.peer, {})
        own.pop(connection, None)
        if not own:
            self._of.pop(connection.peer, None)

    def _make_room(self, connections: dict[_Connected, None]) -> bool:
        """Close the connection that has waited longest. False if none waits."""
        waiting = next((each for each in connections if each.is_waiting), None)
        if waiting is None:
            return False
        self.counts["crowded-out"] += 1
        self.leave(waiting)
        waiting.cut()
        return True
