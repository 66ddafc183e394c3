"""Try crash states for as long as told: python -m tests.crash.replay --seconds 600.

Run it in the folder of the repository. It needs Linux and a C compiler. It prints what it tried.

Exit status: 0 enough was tried and nothing lost; 1 something was lost, and the recordings are kept;
2 so little was tried that it proves nothing, since recording alone takes seconds.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.crash.replay.states import KINDS, Explorer, Report, crash
from tests.crash.replay.trace import LATER, SCENES, compile_recorder, record
from tests.needs import find

ENOUGH = 500
"""How many different folders must be examined: on a slow machine, those of a minute."""
_MEMORY = Path("/dev/shm")  # noqa: S108 - a file system in memory, where there is one


def main() -> int:
    """Record and explore until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1, help="of the first recording")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(dir=_MEMORY if _MEMORY.is_dir() else None))
    compiler = find("cc")
    if compiler is None:
        sys.exit("there is no C compiler (Debian: apt-get install gcc libc6-dev)")
    recorder = compile_recorder(compiler, folder)
    end = time.monotonic() + options.seconds
    whole = Report()
    seed = options.seed
    while time.monotonic() < end and not whole.losses:
        found = _try(folder, recorder, seed, end)
        _say(f"recording {seed}: {found}")
        whole.add(found)
        seed += 1
    _say(f"{seed - options.seed} recordings: {whole}")
    for loss in whole.losses:
        _say(loss)
    if whole.losses:
        _say(f"the recordings are kept in {folder}")
        return 1
    shutil.rmtree(folder)
    if whole.opened < ENOUGH:
        few = f"{whole.opened} folders were examined, at least {ENOUGH} are to be"
        _say(f"this proves nothing: {few}; give it more --seconds")
        return 2
    return 0


def _say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _try(folder: Path, recorder: Path, seed: int, end: float) -> Report:
    """Record a life, try what crashes leave of it, and go on from one such crash."""
    shares = dict.fromkeys(KINDS, 1.0)
    explorer = Explorer(folder / "scratch")

    def stop(report: Report) -> bool:
        return bool(report.losses) or time.monotonic() > end

    life = record(recorder, folder / f"life-{seed}", SCENES, seed=seed)
    whole = explorer.explore(life, shares, seed=seed, stop=stop)
    if not stop(whole):
        left, told = crash(life, seed)
        later = record(recorder, folder / f"later-{seed}", LATER, seed=seed, start=left)
        whole.add(explorer.explore(later, shares, seed=seed, known=told, stop=stop))
    return whole


if __name__ == "__main__":
    sys.exit(main())
