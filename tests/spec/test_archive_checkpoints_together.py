"""Many take checkpoints of one log while others commit, and none sees the log go back."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.engines

pytest.importorskip("cryptography", reason="checkpoints are signed")

PROCESSES = 4
THREADS = 8
"""Of all processes together."""

TAKER = """
import sys, threading
sys.setswitchinterval(1e-5)  # threads take turns as often as they can
from pathlib import Path
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository

directory, threads, each = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
faults = []

def take():
    try:
        for number in range(each):
            if number % 2 == 0:
                archive.committer.commit([NewRepresentation(b"words", "image/png")])
            archive.log.checkpoints.current()
    except Exception as error:
        faults.append(error)

with Repository.open(directory) as archive:
    takers = [threading.Thread(target=take) for _ in range(threads)]
    for one in takers:
        one.start()
    for one in takers:
        one.join()
for one in faults:
    print(repr(one))
"""


def take_together(directory: Path, checkpoints: int) -> list[str]:
    """Take so many checkpoints in several processes, and return what went wrong."""
    threads, each = THREADS // PROCESSES, checkpoints // THREADS
    command = [sys.executable, "-c", TAKER, str(directory), str(threads), str(each)]
    takers = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(PROCESSES)
    ]
    return [line for taker in takers for line in taker.communicate()[0].splitlines()]


@pytest.mark.timeout(3600)
def test_no_checkpoint_raises_an_alarm(tmp_path: Path, times: Callable[[int, int], int]) -> None:
    directory = tmp_path / "archive"
    Repository.create(directory, series="lab.example.us").close()
    assert take_together(directory, times(2_000, 100_000)) == []
    with Repository.open(directory) as archive:
        assert {one.kind for one in archive.fixity.verify()} == {"ok"}
