"""Feed every parser mutated bytes: ./do fuzz [TARGET...] [--seconds N] [--seed N].

Each fuzz_*.py beside this file offers SEEDS and target(data). A target lets the errors that its
parser documents pass; anything else it raises, and any input that takes too long for its size, is
a finding: it is written to fuzz/findings/ and the run fails.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import random
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
SLOW_S = 2.0
"""No input of at most LARGEST bytes may take longer, on any machine."""
LARGEST = 64 * 1024


class Target(Protocol):
    """What a fuzz_*.py module offers."""

    SEEDS: list[bytes]

    def target(self, data: bytes) -> None:
        """Parse `data`."""


def load(path: Path) -> Target:
    """Import one target by its path."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        sys.exit(f"{path} is no Python module")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _cut(data: bytearray, rng: random.Random, _: list[bytes]) -> None:
    start = rng.randrange(len(data) + 1)
    del data[start : start + rng.randrange(1, 17)]


def _flip(data: bytearray, rng: random.Random, _: list[bytes]) -> None:
    if data:
        data[rng.randrange(len(data))] = rng.randrange(256)


def _insert(data: bytearray, rng: random.Random, _: list[bytes]) -> None:
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.choice(
        [b"%", b"\r\n", b"\n", b"\x00", b"\xff\xfe", b"=", b'"', b"<", b"(", b"9" * 30]
    )


def _repeat(data: bytearray, rng: random.Random, _: list[bytes]) -> None:
    start = rng.randrange(len(data) + 1)
    piece = bytes(data[start : start + rng.randrange(1, 24)])
    data[start:start] = piece * rng.choice([2, 8, 64, 1024])


def _splice(data: bytearray, rng: random.Random, seeds: list[bytes]) -> None:
    other = rng.choice(seeds)
    start = rng.randrange(len(other) + 1)
    at = rng.randrange(len(data) + 1)
    data[at:at] = other[start : start + rng.randrange(1, 64)]


MUTATIONS: list[Callable[[bytearray, random.Random, list[bytes]], None]] = [
    _cut, _flip, _insert, _repeat, _splice,
]  # fmt: skip


def mutate(seeds: list[bytes], rng: random.Random) -> bytes:
    """Return a seed changed in one to eight places."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.randrange(1, 9)):
        rng.choice(MUTATIONS)(data, rng, seeds)
    return bytes(data[:LARGEST])


def run(path: Path, *, seconds: float, seed: int) -> int:
    """Fuzz one target. Returns the number of findings."""
    module = load(path)
    rng = random.Random(seed)  # noqa: S311 - reproducible, not secret
    seeds = list(module.SEEDS) or [b""]
    end = time.monotonic() + seconds
    tried = findings = 0
    slowest = 0.0
    while time.monotonic() < end:
        data = mutate(seeds, rng) if tried >= len(seeds) else seeds[tried]
        started = time.process_time()
        try:
            module.target(data)
        except Exception:  # noqa: BLE001 - any error a target lets through is a finding
            findings += 1
            _keep(path, data, traceback.format_exc())
        taken = time.process_time() - started
        slowest = max(slowest, taken)
        if taken > SLOW_S:
            findings += 1
            _keep(path, data, f"took {taken:.2f} s for {len(data)} bytes")
        tried += 1
    print(f"{path.stem}: {tried} inputs, {findings} findings, slowest {slowest * 1000:.0f} ms")
    return findings


def _keep(path: Path, data: bytes, why: str) -> None:
    folder = HERE / "findings"
    folder.mkdir(exist_ok=True)
    name = f"{path.stem}-{hashlib.sha256(data).hexdigest()[:12]}"
    (folder / f"{name}.bin").write_bytes(data)
    (folder / f"{name}.txt").write_text(why, encoding="utf-8")
    print(f"{path.stem}: finding {name}\n{why}", file=sys.stderr)


def main() -> int:
    """Run the targets that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help="such as uri; all by default")
    parser.add_argument("--seconds", type=float, default=20, help="for each target")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    paths = sorted(HERE.glob("fuzz_*.py"))
    if options.targets:
        paths = [path for path in paths if path.stem.removeprefix("fuzz_") in options.targets]
    if not paths:
        sys.exit(f"no such target; there are {', '.join(p.stem for p in HERE.glob('fuzz_*.py'))}")
    findings = sum(run(path, seconds=options.seconds, seed=options.seed) for path in paths)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
