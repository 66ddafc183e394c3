"""Jobs of bulk work: ranges of the log or slices of a list, and their outcomes.

A job may be done twice, or by two at once: what it commits bears keys, and what it notes takes the
place of what was noted before. So nobody has to know for certain that a worker is dead.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = [
    "ENTRIES",
    "FOUND",
    "TRIES",
    "Job",
    "JobNotice",
    "JobRun",
    "Outcome",
    "Queue",
    "RunState",
    "TakenJob",
    "WorkerPool",
    "of_list",
    "of_log",
    "of_sites",
    "share_of",
    "times",
]

TRIES = 3
"""So many times a job is begun; then it is given up, by name, and the others go on."""
SHARES = 16
"""All sites are divided into so many shares. One job at a time works on a share, so that only one
process requests a site, however many there are."""
ENTRIES = 500
"""Of the log in one range, where nothing else is said: some seconds of work."""
_LISTED = 20
_INDEX = "index"
_KEPT = timedelta(days=30)
"""So long it is told what became of work; then nothing is left of it, names in lists neither."""
FOUND = frozenset({"bad"})
"""What a job may find that somebody has to look at."""


@dataclass(frozen=True, slots=True)
class Job:
    """A part of some work."""

    kind: str
    """Such as "fixity": see `doing`."""
    what: Mapping[str, Any] = field(hash=False)
    """Its range or slice, with the options of the whole; all of it can be written as JSON."""
    lock: str | None = None
    """Of jobs with the same lock one is done at a time."""

    def __str__(self) -> str:
        """What it is called."""
        if "start" in self.what:
            last = self.what["end"] - 1
            return f"{self.kind} of the entries {self.what['start']} to {last}"
        listed = self.what["listed"]
        more = f" and {len(listed) - 1} more" if len(listed) > 1 else ""
        return f"{self.kind} of {listed[0]}{more}"


@dataclass(frozen=True, slots=True)
class JobNotice:
    """Something that somebody has to be told of by name."""

    what: str
    """What is wrong with it, in a word."""
    name: str
    problem: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a job."""

    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    """How many of what it is about, by what became of them."""
    told: Sequence[JobNotice] = ()
    problem: str = ""
    """Why it was not done to its end; "" where it was."""


@dataclass(frozen=True, slots=True)
class TakenJob:
    """A job that was taken from a queue, to be done."""

    number: int
    job: Job


@dataclass(frozen=True, slots=True)
class RunState:
    """How many jobs are in which state."""

    waiting: int = 0
    doing: int = 0
    done: int = 0
    given_up: int = 0


@dataclass(frozen=True, slots=True)
class JobRun:
    """Work that was put into a queue at once, and how far it is."""

    number: int
    kind: str
    put_at: datetime
    state: RunState
    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    told: Sequence[JobNotice] = ()
    """The first of those that somebody has to be told of; `counts` has how many there are."""

    @property
    def is_ended(self) -> bool:
        """Whether nothing of it is left to be done."""
        return not self.state.waiting and not self.state.doing

    @property
    def is_well(self) -> bool:
        """Whether so far nothing was given up, and nothing bad found."""
        return not self.state.given_up and FOUND.isdisjoint(self.counts)


class WorkerPool(Protocol):
    """Workers that do jobs, several at a time."""

    @property
    def size(self) -> int:
        """How many at once."""

    def do(self, job: Job, /) -> Outcome:
        """Do a job, in any thread; also where it ends the process that it is done in."""

    def close(self) -> None:
        """Let go of all processes."""


class Queue(Protocol):
    """Jobs that wait, for one worker: whoever takes them, and says what became of them."""

    async def put(self, kind: str, jobs: Sequence[Job]) -> int:
        """Put the jobs of a run, all or none; the number of the run. Raises StorageError."""

    async def take(self) -> TakenJob | None:
        """Take a job, if one waits that may be done now."""

    async def finish(self, taken: TakenJob, outcome: Outcome) -> None:
        """Say what became of a job. What was not done is tried again, until it is given up."""

    async def tend(self) -> int:
        """Say that this worker lives; let the jobs of the dead wait again; how many are left."""

    async def runs(self) -> list[JobRun]:
        """The newest runs, the newest first; how far each is, counted by the database."""

    async def close(self) -> None:
        """Let go of it."""


def times() -> tuple[str, str]:
    """The time, as it is written; and that from before which ended runs are forgotten."""
    now = datetime.now(UTC)
    return now.isoformat(timespec="seconds"), (now - _KEPT).isoformat(timespec="seconds")


def share_of(uri: str) -> int:
    """The part of all sites that the site of an address is in."""
    site = urlsplit(uri).netloc.rpartition("@")[2].lower()
    return int.from_bytes(sha256(site.encode()).digest()[:4]) % SHARES


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
