"""Parts of pictures and recordings beside the programs that cut them, each in a process of its own.

Alone: python benchmarks/bench_media.py
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from permacite.decoding.workers import DecodingPool

TITLE = "Parts of pictures and recordings"
RIVALS: list[str] = []
"""They are programs: each table names its own, with its version."""

ROUNDS = 5
CUT = """
import mmap, sys
from permacite.extract import extract
with open(sys.argv[1], "rb") as file:
    data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
open(sys.argv[4], "wb").write(extract(data, sys.argv[2], sys.argv[3]).data)
"""


class Cost(NamedTuple):
    """What a process took: seconds, and MiB at its peak."""

    seconds: float
    mib: float


class File:
    """A file in a store, as a worker is handed one."""

    def __init__(self, path: Path) -> None:
        """Open it; it is closed with this process."""
        self._file = path.open("rb")

    @property
    def descriptor(self) -> int:
        """A descriptor to read from."""
        return self._file.fileno()

    def whole(self) -> bytes:
        """All octets."""
        return self._file.read()


def cost(command: list[str]) -> Cost:
    """Run a program and return what it took."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return Cost(time.perf_counter() - start, used.ru_maxrss / 1024)


def middle(costs: list[Cost]) -> Cost:
    """Return the medians."""
    return Cost(*(statistics.median(column) for column in zip(*costs, strict=True)))


# ---------------------------------------------------------------- pictures

PLACE = (11_000, 8_000, 900, 900)
DIFFERENCES = "predictor=horizontal"
PICTURES = [
    # what, media type, how vips writes it
    (
        "TIFF in tiles, Deflate",
        "image/tiff",
        "big.tif[tile,compression=deflate,predictor=horizontal]",
    ),
    ("TIFF in strips, LZW", "image/tiff", "strips.tif[compression=lzw,predictor=horizontal]"),
    ("TIFF in strips, plain", "image/tiff", "plain.tif"),
    ("PNG", "image/png", "big.png[compression=1]"),
    ("JPEG", "image/jpeg", "big.jpg"),
]


def made(folder: Path) -> None:
    """Make pictures of 12,000 by 9,000 pixels: noise, 16 times the same."""

    def vips(*arguments: str) -> None:
        subprocess.run(["vips", *arguments], cwd=folder, check=True)

    vips("gaussnoise", "n.v", "3000", "2250", "--sigma", "30", "--mean", "120")
    vips("cast", "n.v", "u.v", "uchar")
    vips("bandjoin", "u.v u.v u.v", "c.v")
    vips("replicate", "c.v", "r.v", "4", "4")
    vips("copy", "r.v", "s.v", "--interpretation", "srgb")
    for _, _, target in PICTURES:
        vips("copy", "s.v", target)


def pictures() -> str:
    """Return the section on pictures: a corner of 900 by 900 out of 108 million pixels."""
    if shutil.which("vips") is None:
        return "### Pictures\n\nvips is not at hand (Debian: libvips-tools).\n"
    said = subprocess.run(["vips", "--version"], capture_output=True, text=True, check=True)
    left, top, across, down = PLACE
    fragment = f"rect=({left},{top}),({left + across},{top + down})"
    about = (
        f"Rival: {said.stdout.split()[0]}, `vips crop`. Medians of {ROUNDS} rounds in which all "
        "take turns. A process is a new one, its start included; a worker is warm and confined, "
        "and its time is that of the whole job. Memory is the peak of vips and of the process, "
        "mapped pages of the file included."
    )
    lines = [
        "### A corner of 900 by 900 pixels out of 12,000 by 9,000",
        "",
        about,
        "",
        "| file | vips | a process | times vips | a worker | times vips | memory |",
        "|---|---|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made(folder)
        workers = DecodingPool(most=1)
        for what, kind, target in PICTURES:
            path = folder / target.partition("[")[0]
            places = [str(number) for number in PLACE]
            rival = ["vips", "crop", str(path), str(folder / "out.png"), *places]
            own = [sys.executable, "-c", CUT, str(path), kind, fragment, str(folder / "own.png")]
            rivals, owns, warm = [], [], []
            for _ in range(ROUNDS):
                rivals.append(cost(rival))
                owns.append(cost(own))
                start = time.perf_counter()
                workers.extract(File(path), kind, fragment)
                warm.append(time.perf_counter() - start)
            there, here, worker = middle(rivals), middle(owns), statistics.median(warm)
            lines.append(
                f"| {what} | {there.seconds:.2f} s | {here.seconds:.2f} s "
                f"| {here.seconds / there.seconds:.2f} x | {worker:.2f} s "
                f"| {worker / there.seconds:.2f} x | {there.mib:.0f}, {here.mib:.0f} MiB |"
            )
        workers.close()
    return "\n".join(lines) + "\n"


SECTIONS = [pictures]
"""One function for each."""


def measure() -> str:
    """Return all sections."""
    return "\n".join(section() for section in SECTIONS)


if __name__ == "__main__":
    print(measure())
