"""Verify an archive by one worker and by two, on either engine, beside sha256sum by xargs.

Alone: python benchmarks/bench_work.py
"""

from __future__ import annotations

import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.engines import server

from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from permacite.archive.engine.location import Location

TITLE = "Bulk work: two workers beside one"
RIVALS: list[str] = []

ROUNDS = 3
CONTENTS = 6000
OCTETS = 400_000
ENTRIES = 100
COMMAND = [sys.executable, "-m", "permacite", "--archive"]
WORK = ["work", "--once"]


def fill(location: Location) -> None:
    """Make an archive with something to verify."""
    with Repository.create(location, series="lab.example.us") as archive:
        for _ in range(0, CONTENTS, ENTRIES):
            for _ in range(ENTRIES):
                archive.committer.commit(
                    [NewRepresentation(secrets.token_bytes(OCTETS), "image/png")]
                )


def seconds(*commands: Sequence[str]) -> float:
    """How long commands take that run at once."""
    start = time.perf_counter()
    quiet = subprocess.DEVNULL
    running = [subprocess.Popen(each, stdout=quiet, stderr=quiet) for each in commands]
    for command, each in zip(commands, running, strict=True):
        if each.wait():
            sys.exit(f"it failed: {' '.join(command)}")
    return time.perf_counter() - start


def verified(location: Location, workers: int, jobs: int) -> float:
    """How long so many workers take, with so many processes each."""
    at = [*COMMAND, str(location)]
    seconds([*at, "bulk", "fixity", "--entries", str(ENTRIES)])
    return seconds(*[[*at, *WORK, "--jobs", str(jobs)]] * workers)


def summed(folder: Path, processes: int) -> float:
    """How long sha256sum takes over the same octets, by so many processes."""
    words = f"find {folder} -type f -print0 | xargs -0 -n {ENTRIES} -P {processes} sha256sum"
    return seconds(["sh", "-c", words])


def measure() -> str:
    """Return the section."""
    with server(is_flushed=True) as running, tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        files, database = folder / "folder", running.location(folder / "postgresql")
        fill(files)
        fill(database)
        ways: dict[str, Callable[[int], float]] = {
            "a folder, `work --jobs`": lambda many: verified(files, 1, many),
            "PostgreSQL, `work --jobs`": lambda many: verified(database, 1, many),
            "PostgreSQL, several `work`": lambda many: verified(database, many, 1),
            "`xargs -P` with `sha256sum`": lambda many: summed(files / "objects", many),
        }
        took: dict[tuple[str, int], list[float]] = {}
        for _ in range(ROUNDS):
            for name, way in ways.items():
                for many in (1, 2):
                    took.setdefault((name, many), []).append(way(many))
    lines = ["| | one, seconds | two, seconds | ratio |", "|---|---|---|---|"]
    for name in ways:
        one, two = (statistics.median(took[name, many]) for many in (1, 2))
        lines.append(f"| {name} | {one:.2f} | {two:.2f} | {one / two:.2f} |")
    about = (
        f"`bulk fixity` over {CONTENTS:,} contents of {OCTETS:,} octets, {ENTRIES} entries a job, "
        "from the start of the workers to their end."
    )
    return f"{about}\n\n" + "\n".join(lines)


if __name__ == "__main__":
    print(measure())
