"""Mint and resolve on PostgreSQL beside SQLite, both flushed to the same disk, turn by turn.

Alone: python benchmarks/bench_engines.py
"""

from __future__ import annotations

import json
import secrets
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.engines import server

from permacite import pdi
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable

TITLE = "Two engines: PostgreSQL beside SQLite"
RIVALS = ["psycopg"]

ROUNDS = 5
THREADS = 16
MINTS = 40
"""Of each thread in a round."""
NAMES = 100
QUESTIONS = 60
HOT = 600


def mint(location: str, threads: int, count: int) -> None:
    """Mint by so many threads once a line comes in; print how long it took, and each mint."""
    took: list[float] = []
    with Repository.open(location if "://" in location else Path(location)) as archive:

        def work(count: int) -> None:
            for _ in range(count):
                start = time.perf_counter()
                archive.committer.commit(
                    [NewRepresentation(secrets.token_bytes(1000), "image/png")]
                )
                took.append(time.perf_counter() - start)

        work(3)
        print("ready", flush=True)
        sys.stdin.readline()
        took.clear()
        start = time.perf_counter()
        hands = [threading.Thread(target=work, args=(count,)) for _ in range(threads)]
        for hand in hands:
            hand.start()
        for hand in hands:
            hand.join()
        print(json.dumps([time.perf_counter() - start, took]), flush=True)


def minted(location: str, processes: int) -> tuple[float, float]:
    """Mints a second of so many processes, and the 99th percentile of one in milliseconds."""
    command = [sys.executable, __file__, location, str(THREADS), str(MINTS)]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    for each in running:
        assert each.stdout is not None
        each.stdout.readline()
    for each in running:
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()
    answers = [json.loads(each.communicate()[0]) for each in running]
    took = sorted(one for _, each in answers for one in each)
    slowest = max(seconds for seconds, _ in answers)
    return len(took) / slowest, took[int(len(took) * 0.99)] * 1000


def per_second(work: Callable[[], object], count: int) -> float:
    """How many a second."""
    start = time.perf_counter()
    for _ in range(count):
        work()
    return count / (time.perf_counter() - start)


def figures(location: str) -> dict[str, float]:
    """Measure one engine once."""
    one_rate, one_slow = minted(location, 1)
    four_rate, four_slow = minted(location, 4)
    with Repository.open(location if "://" in location else Path(location)) as operator:
        archive = operator.public()
        versions = list(operator.lists.list(limit=NAMES))
        names = [version.representations[0].pdi for version in versions]
        hot = names[0]
        assert isinstance(hot, pdi.PDI)
        archive.lookup.find_representations(names)
        archive.lookup.representation(hot)
        questions = per_second(lambda: archive.lookup.find_representations(names), QUESTIONS)
        full = per_second(lambda: archive.lookup.representation(hot), HOT)
    return {
        "mints a second, 1 x 16": one_rate,
        "p99 of these, ms": one_slow,
        "mints a second, 4 x 16": four_rate,
        "p99 of those, ms": four_slow,
        "questions of 100 names a second": questions,
        "a hot full name a second": full,
    }


def measure() -> str:
    """Return the section."""
    with server(is_flushed=True) as running, tempfile.TemporaryDirectory() as folder:
        places = {
            "SQLite": f"{folder}/sqlite",
            "PostgreSQL": running.location(Path(folder) / "postgresql"),
        }
        for location in places.values():
            at = location if "://" in location else Path(location)
            Repository.create(at, series="lab.example.us").close()
        rounds: dict[str, list[dict[str, float]]] = {name: [] for name in places}
        for _ in range(ROUNDS):
            for name, location in places.items():
                rounds[name].append(figures(location))
    lines = ["| | SQLite | PostgreSQL | ratio |", "|---|---|---|---|"]
    for what in rounds["SQLite"][0]:
        sqlite, postgresql = (
            statistics.median(each[what] for each in rounds[name]) for name in places
        )
        lines.append(f"| {what} | {sqlite:,.1f} | {postgresql:,.1f} | {postgresql / sqlite:.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:]:
        mint(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    else:
        print(measure())
