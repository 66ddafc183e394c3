"""Jobs of bulk work: ranges of the log or slices of a list, their outcomes and progress.

A job may be done twice, or by two workers at once: its commits have idempotency keys, and its notes
replace earlier ones. So nobody has to know for certain that a worker is dead.

Both queues count progress by the same SQL:

| table | |
|---|---|
| `run` | jobs that were put in together: their kind, and when |
| `job` | run_id, state: "todo", "doing", "succeeded" or "failed"; in PostgreSQL a view |
| `tally` | counts of each finished job |
| `told` | notices, by name |
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from dataclasses import field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = [
    "COUNTED",
    "ENTRIES",
    "FORGET",
    "FOUND",
    "TABLES",
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
    "runs_of",
    "share_of",
    "times",
]

TRIES = 3
"""How often a job is started; then it is given up, by name, and the others continue."""
SHARES = 16
"""All sites are divided into so many shares. One job at a time works on a share, so that only one
process requests a site, however many there are."""
ENTRIES = 500
"""Entries of the log in one range by default: some seconds of work."""
_LISTED = 20
_INDEX = "index"
_KEPT = timedelta(days=30)
"""How long outcomes are kept; then they are deleted, with the names in lists."""
FOUND = frozenset({"bad"})
"""Counts that need attention."""
_MOST_RUNS = 20
_MOST_TOLD = 100
TABLES = """
CREATE TABLE run (run_id {id}, kind TEXT NOT NULL, put_at TEXT NOT NULL);
CREATE TABLE tally (job_id BIGINT NOT NULL {of_job}, what TEXT NOT NULL, many BIGINT NOT NULL,
  PRIMARY KEY (job_id, what));
CREATE TABLE told (told_id {id}, job_id BIGINT NOT NULL {of_job}, what TEXT NOT NULL,
  name TEXT NOT NULL, problem TEXT NOT NULL);
CREATE INDEX told_of_job ON told (job_id);
"""
"""With placeholders for each engine's words: a generated number, a row deleted with its job."""
_NEWEST = f"SELECT run_id, kind, put_at FROM run ORDER BY run_id DESC LIMIT {_MOST_RUNS}"  # noqa: S608 - ours
_AMONG = f"IN (SELECT run_id FROM run ORDER BY run_id DESC LIMIT {_MOST_RUNS})"  # noqa: S608 - ours
COUNTED: Mapping[str, str] = {
    "runs": _NEWEST,
    "states": f"SELECT run_id, state, count(*) FROM job WHERE run_id {_AMONG} GROUP BY 1, 2",  # noqa: S608 - ours
    "counts": (
        "SELECT run_id, tally.what, sum(many) FROM tally JOIN job USING (job_id)"  # noqa: S608 - ours
        f" WHERE run_id {_AMONG} GROUP BY 1, 2 ORDER BY 1, 2"
    ),
    "told": (
        "SELECT run_id, what, name, problem FROM (SELECT run_id, told.what, name, problem, told_id,"  # noqa: S608 - ours
        " row_number() OVER (PARTITION BY run_id ORDER BY told_id) AS place"
        f" FROM told JOIN job USING (job_id) WHERE run_id {_AMONG}) AS numbered"
        f" WHERE place <= {_MOST_TOLD} ORDER BY run_id, place"
    ),
}
"""The questions, by name."""
_LEFT = "SELECT run_id FROM job WHERE state IN ('todo', 'doing')"
_OLD = f"SELECT run_id FROM run WHERE put_at < {{before}} AND run_id NOT IN ({_LEFT})"  # noqa: S608 - ours
FORGET = (
    f"DELETE FROM job WHERE run_id IN ({_OLD})",  # noqa: S608 - ours
    "DELETE FROM run WHERE put_at < {before} AND run_id NOT IN (SELECT run_id FROM job)",
)
"""Statements that delete ended runs from before a time; with each engine's parameter mark."""
_STATES = {"todo": "waiting", "doing": "doing", "succeeded": "done", "failed": "given_up"}


@dataclass(frozen=True, slots=True)
class Job:
    """A part of some work."""

    kind: str
    """Such as "fixity": see `doing`."""
    what: Mapping[str, Any] = field(hash=False)
    """Its range or slice, with the options of the whole run; all of it is valid JSON."""
    lock: str | None = None
    """Jobs with the same lock are done one at a time."""

    def __str__(self) -> str:
        """Return the name of the job for people."""
        if "start" in self.what:
            last = self.what["end"] - 1
            return f"{self.kind} of the entries {self.what['start']} to {last}"
        listed = self.what["listed"]
        more = f" and {len(listed) - 1} more" if len(listed) > 1 else ""
        return f"{self.kind} of {listed[0]}{more}"


@dataclass(frozen=True, slots=True)
class JobNotice:
    """A notice about one name that needs attention."""

    what: str
    """The problem in one word."""
    name: str
    problem: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a job."""

    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    """How many of its subjects, by outcome."""
    told: Sequence[JobNotice] = ()
    problem: str = ""
    """Why it was not completed; "" where it was."""


@dataclass(frozen=True, slots=True)
class TakenJob:
    """A job that a worker took from a queue."""

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
    """A run: jobs that were put into a queue together, and their progress."""

    number: int
    kind: str
    put_at: datetime
    state: RunState
    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    told: Sequence[JobNotice] = ()
    """The first notices; `counts` has their number."""

    @property
    def is_ended(self) -> bool:
        """Whether all its jobs are done or given up."""
        return not self.state.waiting and not self.state.doing

    @property
    def is_well(self) -> bool:
        """Whether so far no job was given up, and nothing bad found."""
        return not self.state.given_up and FOUND.isdisjoint(self.counts)


class WorkerPool(Protocol):
    """Workers that do jobs, several at a time."""

    @property
    def size(self) -> int:
        """How many jobs at a time."""

    def do(self, job: Job, /) -> Outcome:
        """Do a job, in any thread; it may kill its process."""

    def close(self) -> None:
        """End all processes."""


class Queue(Protocol):
    """A job queue, as one worker sees it."""

    async def put(self, kind: str, jobs: Sequence[Job]) -> int:
        """Put in the jobs of a run, all or none; return the run's number. Raises StorageError."""

    async def take(self) -> TakenJob | None:
        """Take a job, if one is waiting that may be done now."""

    async def finish(self, taken: TakenJob, outcome: Outcome) -> None:
        """Report the outcome of a job. A failed job is repeated until it is given up."""

    async def tend(self) -> int:
        """Send a heartbeat; requeue the jobs of dead workers; return how many jobs are left."""

    async def runs(self) -> list[JobRun]:
        """Return the latest runs, the latest first, with their progress."""

    async def close(self) -> None:
        """Close the queue."""


def times() -> tuple[str, str]:
    """Return the current time, and the time before which ended runs are deleted."""
    now = datetime.now(UTC)
    return now.isoformat(timespec="seconds"), (now - _KEPT).isoformat(timespec="seconds")


def share_of(uri: str) -> int:
    """Return the share to which the site of an address belongs."""
    site = urlsplit(uri).netloc.rpartition("@")[2].lower()
    return int.from_bytes(sha256(site.encode()).digest()[:4]) % SHARES


def of_log(kind: str, start: int, end: int, size: int, **options: Any) -> Iterator[Job]:
    """Yield jobs over the entries from `start` up to `end`, `size` in each.

    The index is one file, which one job writes at a time.
    """
    lock = _INDEX if kind == _INDEX else None
    for first in range(start, end, size):
        yield Job(kind, {"start": first, "end": min(end, first + size), **options}, lock)


def of_sites(kind: str, start: int, end: int, size: int, **options: Any) -> Iterator[Job]:
    """Yield jobs for each share of all sites, so that no two jobs request one site at once."""
    for job in of_log(kind, start, end, size, **options):
        for share in range(SHARES):
            yield Job(kind, {**job.what, "share": share}, _lock(share))


def of_list(kind: str, listed: Sequence[str], options: Mapping[str, Any]) -> Iterator[Job]:
    """Yield jobs over slices of a list; a slice of addresses belongs to one share of all sites.

    Their commits have idempotency keys of this run, which nobody can guess.
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


def runs_of(answers: Mapping[str, Sequence[Sequence[Any]]]) -> list[JobRun]:
    """Return the runs from the answers to `COUNTED`."""
    states: dict[int, dict[str, int]] = defaultdict(dict)
    counts: dict[int, dict[str, int]] = defaultdict(dict)
    told: dict[int, list[JobNotice]] = defaultdict(list)
    for run, state, many in answers["states"]:
        states[run][_STATES[state]] = int(many)
    for run, what, many in answers["counts"]:
        counts[run][what] = int(many)
    for run, *words in answers["told"]:
        told[run].append(JobNotice(*words))
    return [
        JobRun(
            number,
            kind,
            datetime.fromisoformat(put_at),
            RunState(**states[number]),
            counts[number],
            tuple(told[number]),
        )
        for number, kind, put_at in answers["runs"]
    ]
