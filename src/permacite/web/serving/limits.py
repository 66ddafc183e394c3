"""What a server takes from whom and how long it waits, and how often that came to bear."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

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


def _limit(default: float, help_text: str) -> float:
    """A limit, and what its option says."""
    limit: float = field(default=default, metadata={"help": help_text})
    return limit


@dataclass(frozen=True, slots=True)
class Limits:
    """What one process takes; seconds and octets."""

    head_seconds: float = _limit(10, "How long a request line with its fields may take.")
    stall_seconds: float = _limit(
        60, "How long 16 KiB of a body, or of an answer that is read, may take."
    )
    idle_seconds: float = _limit(15, "How long a connection without a request stays open.")
    head_bytes: float = _limit(64 * 1024, "The octets of a request line with its fields.")
    body_bytes: float = _limit(256 * 1024 * 1024, "The octets of the body of a request.")
    connections: float = _limit(2000, "The connections of all at a time.")
    peer_connections: float = _limit(
        250, "The connections of one address at a time; of IPv6, of one network (/64)."
    )


def told(counts: Counter[Event]) -> Iterator[str]:
    """What was counted, in words: the number, then what it is of."""
    return (f"{number:,} {name.replace('-', ' ')}" for name, number in counts.items())
