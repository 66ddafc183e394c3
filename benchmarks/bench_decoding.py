"""Decoders apart: what a worker costs, sixteen tricks at once, and the same parts by others.

Formats and tricks are those of tests/media. The rivals are Debian's ImageMagick, ffmpeg and sox,
which `./do parts` installs. Alone: python benchmarks/bench_decoding.py
"""

from __future__ import annotations

import io
import os
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository
from permacite.decoding.workers import DecodingPool
from permacite.extract import extract

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.faces.conftest import served
from tests.media import rivals
from tests.media.tricks import TRICKS, trick_of
from tests.media.watching import ask, watched

if TYPE_CHECKING:
    from collections.abc import Callable

TITLE = "Decoders apart: their cost, sixteen tricks at once, the same parts by others"
RIVALS = ["av", "pillow"]
ROUNDS = 300
CLIENTS = 16


def seconds(work: Callable[[], object]) -> float:
    """Return what one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def overhead() -> str:
    """Compare a warm worker with the same process, call by call."""
    from PIL import Image

    rows = []
    with closing(DecodingPool(most=1)) as workers:
        for size in ((64, 48), (640, 480), (1600, 1200)):
            target = io.BytesIO()
            Image.effect_noise(size, 60).convert("RGB").save(target, "JPEG")
            words = (target.getvalue(), "image/jpeg", "rect=(1,2),(41,32)")
            in_process, by_worker = partial(extract, *words), partial(workers.extract, *words)
            pairs = [(seconds(in_process), seconds(by_worker)) for _ in range(ROUNDS)]
            here, apart = (statistics.median(column) for column in zip(*pairs, strict=True))
            more = statistics.median(b - a for a, b in pairs)
            rows.append(
                f"| {size[0]} by {size[1]} | {here * 1e3:.2f} | {apart * 1e3:.2f} | "
                f"{more * 1e3:.2f} | {apart / here:.2f} |"
            )
    head = (
        f"A rectangle out of a JPEG, {ROUNDS} times in turns, at a load of "
        f"{os.getloadavg()[0]:.0f}, medians in milliseconds:\n\n"
        "| picture | in process | a warm worker | more, of each pair | ratio |\n"
        "|---|---|---|---|---|"
    )
    return "\n".join([head, *rows])


def others(base: str, page: str, stopped: threading.Event) -> list[float]:
    """Ask for a small page again and again; return what each answer took."""
    taken = []
    while not stopped.is_set():
        taken.append(ask(base, page).seconds)
        time.sleep(0.005)
    return sorted(taken)


def tricks(folder: Path) -> str:
    """Ask a server for all tricks, sixteen at once and each three times, and watch it."""
    with Repository.create(folder / "archive", series="lab.example.zz") as archive:

        def keep(content: bytes, kind: str) -> str:
            return str(
                archive.committer.commit([NewRepresentation(content, kind)]).representations[0].pdi
            )

        page = keep(b"<!doctype html><title>x</title><p>Hello", "text/html")
        names = [f"{keep(trick_of(one), one.media_type)}#{one.fragment}" for one in TRICKS]
    stopped = threading.Event()
    with served(folder / "archive") as running, ThreadPoolExecutor(CLIENTS + 1) as pool:
        with watched(running.process.pid) as memory:
            meanwhile = pool.submit(others, running.base, page, stopped)
            answers = list(pool.map(lambda name: ask(running.base, name).status, names * 3))
            stopped.set()
        taken = meanwhile.result()
    said = ", ".join(f"{status}: {count}" for status, count in sorted(Counter(answers).items()))
    return "\n".join(
        [
            f"{len(TRICKS)} tricks over HTTP, {CLIENTS} at once, each three times:",
            "",
            "| what | figure |",
            "|---|---|",
            f"| answers by status | {said} |",
            f"| the server's own process, at most | {memory.own >> 20} MiB |",
            f"| its workers together, at most | {memory.workers >> 20} MiB |",
            f"| a small page meanwhile, median | {statistics.median(taken) * 1e3:.1f} ms |",
            f"| the same, 99 of 100 | {taken[len(taken) * 99 // 100] * 1e3:.1f} ms |",
        ]
    )


def accuracy(folder: Path) -> str:
    """Return how near the parts of every format are to what other programs make of them."""
    missing = rivals.lacking()
    if missing:
        return f"Not compared with others: {', '.join(missing)} not at hand."
    by: dict[tuple[str, str], list[str]] = {}
    for one in rivals.comparisons(folder):
        kind, _, name = one.name.partition("-")
        near = "another size or other times"
        if one.largest is not None:
            near = f"{one.largest:.0f}" if one.largest else "none"
        by.setdefault((f"{kind}, {one.program}", near), []).append(name)
    rows = [f"| {by_whom} | {near} | {', '.join(names)} |" for (by_whom, near), names in by.items()]
    head = (
        "Parts beside those that others cut; the largest difference of a sample, of 255 for\n"
        "pictures and video and of 65,535 for sound. Times of pictures are compared too.\n\n"
        "| beside | largest difference | formats |\n|---|---|---|"
    )
    return "\n".join([head, *rows])


def measure() -> str:
    """Return all sections."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return "\n\n".join([overhead(), tricks(folder), accuracy(folder)])


if __name__ == "__main__":
    print(measure())
