"""Mint at a steady pace over Ceph's gateway, and see whether what is written behind keeps up.

PostgreSQL, which waits for the disk, has the records; the gateway's store is in memory. Alone:
python benchmarks/bench_write_behind.py
"""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.engines import server
from tests.stores import ceph

from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.postgresql.location import located
from permacite.archive.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.engines import Server

TITLE = "Written behind: packs on Ceph's gateway"
RIVALS = ["psycopg", "obstore"]

RATE = 500
PROCESSES, THREADS = 4, 16
PAUSE_S = 0.5


def mint(location: str, seconds: float, size_bytes: int) -> None:
    """Mint by threads at the pace of one process; print how many, and wait until told to end."""
    each_s = THREADS * PROCESSES / RATE
    minted = []
    with Repository.open(location) as archive:

        def work(number: int) -> None:
            due = time.monotonic() + each_s * number / THREADS
            end = due + seconds
            while due < end:
                time.sleep(max(0, due - time.monotonic()))
                archive.committer.commit(
                    [NewRepresentation(secrets.token_bytes(size_bytes), "image/png")]
                )
                minted.append(1)
                due += each_s

        hands = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
        start = time.monotonic()
        for hand in hands:
            hand.start()
        for hand in hands:
            hand.join()
        print(len(minted), time.monotonic() - start, flush=True)
        sys.stdin.readline()


@contextlib.contextmanager
def minting(location: str, seconds: float, size_bytes: int) -> Iterator[list[float]]:
    """Mint by processes, until the block ends; how many a second, once that is known."""
    command = [sys.executable, __file__, location, str(seconds), str(size_bytes)]
    pipe = subprocess.PIPE
    running = [subprocess.Popen(command, stdin=pipe, stdout=pipe) for _ in range(PROCESSES)]
    rates: list[float] = []

    def told() -> None:
        answers = [each.stdout.readline().split() for each in running if each.stdout is not None]
        slowest = max(float(took) for _, took in answers)
        rates.append(sum(int(count) for count, _ in answers) / slowest)

    thread = threading.Thread(target=told)
    thread.start()
    yield rates
    thread.join()
    for each in running:
        each.communicate(b"\n")


def row(running: Server, location: str, seconds: float, size_bytes: int) -> str:
    """Mint contents of a size, and watch how many are staged."""
    question = f"SELECT count(*) FROM {located(location).schema}.unsettled"  # noqa: S608 - ours
    staged: list[int] = []
    with minting(location, seconds, size_bytes) as rates:
        while not rates:
            time.sleep(PAUSE_S)
            staged.append(running.execute(question)[0][0])
        start = time.monotonic()
        while running.execute(question)[0][0]:
            time.sleep(PAUSE_S)
        took = time.monotonic() - start
    half, last = len(staged) // 2, staged[-1]
    figures = [max(staged[:half]), max(staged[half:]), last]
    shown = " | ".join(f"{figure:,}" for figure in figures)
    return f"| {size_bytes:,} | {seconds:.0f} s | {rates[0]:,.0f} | {shown} | {took:.1f} s |"


def measure() -> str:
    """Return the section."""
    with (
        server(is_flushed=True) as running,
        tempfile.TemporaryDirectory() as folder,
        ceph(Path(folder)) as store,
    ):
        os.environ |= {**store.credentials, "AWS_ENDPOINT_URL": store.endpoint}
        lines = [
            f"{PROCESSES} processes of {THREADS} threads, {RATE} mints a second asked for. While",
            "it is not quiet, each process lets 32 MB wait before it packs: so many are staged,",
            "and no more the longer it goes on.",
            "",
            "| octets | for | mints a second | most staged: 1st half | 2nd half | end | gone in |",
            "|---|---|---|---|---|---|---|",
        ]
        for size_bytes, seconds in ((3_000, 180), (30_000, 20)):
            local = Path(folder) / str(size_bytes)
            location = running.location(local)
            location = location.replace(f"{local}/objects", f"s3://{store.bucket()}/p")
            Repository.create(location, series="lab.example.us").close()
            lines.append(row(running, location, seconds, size_bytes))
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:]:
        mint(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
    else:
        print(measure())
