"""How work is divided into jobs: the log into ranges, a list into slices."""

from __future__ import annotations

import secrets
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from permacite.service.work.doing import SHARES, share_of
from permacite.service.work.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["ENTRIES", "of_list", "of_log", "of_sites"]

ENTRIES = 500
"""Of the log in one range, where nothing else is said: some seconds of work."""
_LISTED = 20
_INDEX = "index"


def of_log(kind: str, start: int, end: int, size: int, **options: Any) -> Iterator[Job]:
    """Jobs over the entries from `start` up to `end`, `size` in each.

    The index is one file, which one job writes at a time.
    """
    lock = _INDEX if kind == _INDEX else None
    for first in range(start, end, size):
        yield Job(kind, {"start": first, "end": min(end, first + size), **options}, lock)


def of_sites(kind: str, start: int, end: int, size: int, **options: Any) -> Iterator[Job]:
    """The same for each share of all sites: so that no two jobs ask one site at once."""
    for job in of_log(kind, start, end, size, **options):
        for share in range(SHARES):
            yield Job(kind, {**job.what, "share": share}, _lock(share))


def of_list(kind: str, listed: Sequence[str], options: Mapping[str, Any]) -> Iterator[Job]:
    """Jobs over slices of a list; of addresses, each slice of one share of all sites.

    What they commit bears keys of this run, which nobody can guess.
    """
    what = {"run": secrets.token_hex(8), "options": dict(options)}
    parts: dict[str | None, list[str]] = defaultdict(list)
    for each in dict.fromkeys(listed):
        parts[_lock(share_of(each)) if kind == "save" else None].append(each)
    for lock, part in parts.items():
        for first in range(0, len(part), _LISTED):
            yield Job(kind, {**what, "listed": part[first : first + _LISTED]}, lock)


def _lock(share: int) -> str:
    return f"sites {share}"
