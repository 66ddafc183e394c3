"""Jobs: a range of the log, or a slice of a list, and what became of it.

A job may be done twice, or by two at once: what it commits bears keys, and what it notes takes the
place of what was noted before. So nobody has to know for certain that a worker is dead.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "FOUND",
    "TRIES",
    "Does",
    "Job",
    "Outcome",
    "Queue",
    "Run",
    "State",
    "Taken",
    "Told",
    "times",
]

TRIES = 3
"""So many times a job is begun; then it is given up, by name, and the others go on."""
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
class Told:
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
    told: Sequence[Told] = ()
    problem: str = ""
    """Why it was not done to its end; "" where it was."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A job that was taken from a queue, to be done."""

    number: int
    job: Job


@dataclass(frozen=True, slots=True)
class State:
    """How many jobs are in which state."""

    waiting: int = 0
    doing: int = 0
    done: int = 0
    given_up: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """Work that was put into a queue at once, and how far it is."""

    number: int
    kind: str
    put_at: datetime
    state: State
    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    told: Sequence[Told] = ()
    """The first of those that somebody has to be told of; `counts` has how many there are."""

    @property
    def is_ended(self) -> bool:
        """Whether nothing of it is left to be done."""
        return not self.state.waiting and not self.state.doing

    @property
    def is_well(self) -> bool:
        """Whether so far nothing was given up, and nothing bad found."""
        return not self.state.given_up and FOUND.isdisjoint(self.counts)


class Does(Protocol):
    """Whoever does jobs, several at once."""

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

    async def take(self) -> Taken | None:
        """Take a job, if one waits that may be done now."""

    async def finish(self, taken: Taken, outcome: Outcome) -> None:
        """Say what became of a job. What was not done is tried again, until it is given up."""

    async def tend(self) -> int:
        """Say that this worker lives; let the jobs of the dead wait again; how many are left."""

    async def runs(self) -> list[Run]:
        """The newest runs, the newest first; how far each is, counted by the database."""

    async def close(self) -> None:
        """Let go of it."""


def times() -> tuple[str, str]:
    """The time, as it is written; and that from before which ended runs are forgotten."""
    now = datetime.now(UTC)
    return now.isoformat(timespec="seconds"), (now - _KEPT).isoformat(timespec="seconds")
