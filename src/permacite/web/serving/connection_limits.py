"""What a server takes from whom and how long it waits, and how often that came to bear."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from permacite.limits import find_limit

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

__all__ = ["Event", "Limits", "told"]

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
"""What is counted: requests that were begun, and each way in which one is cut."""


def _limit(name: str) -> float:
    """A limit of the table, with the sentence that its option says."""
    limit = find_limit(f"server.{name}")
    value: float = field(default=limit.value, metadata={"help": limit.about})
    return value


@dataclass(frozen=True, slots=True)
class Limits:
    """What one process takes; seconds and octets."""

    head_seconds: float = _limit("head-seconds")
    stall_seconds: float = _limit("stall-seconds")
    idle_seconds: float = _limit("idle-seconds")
    head_bytes: float = _limit("head-bytes")
    body_bytes: float = _limit("body-bytes")
    connections: float = _limit("connections")
    peer_connections: float = _limit("peer-connections")


def told(counts: Counter[Event]) -> Iterator[str]:
    """What was counted, in words: the number, then what it is of."""
    return (f"{number:,} {name.replace('-', ' ')}" for name, number in counts.items())
