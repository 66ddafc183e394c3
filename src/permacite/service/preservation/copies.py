"""What is told of a copy of an archive."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Copy"]


@dataclass(frozen=True, slots=True)
class Copy:
    """An archive that was made from another: a backup, or what was restored from one."""

    directory: str
    documents: int
    versions: int
    entries: int
    """Of its log."""
    new_key: str | None = None
    """The public key it signs with from now on, where the first one's secret was not copied."""
