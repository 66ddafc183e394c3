"""Progress of runs, counted in SQL that both queues use.

| table | |
|---|---|
| `run` | jobs that were put in together: their kind, and when |
| `job` | run_id, state: "todo", "doing", "succeeded" or "failed"; in PostgreSQL a view |
| `tally` | counts of each finished job |
| `told` | notices, by name |

The rows of a repeated job replace its earlier rows.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from permacite.service.work.jobs import JobNotice, JobRun, RunState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["COUNTED", "FORGET", "TABLES", "runs_of"]

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
