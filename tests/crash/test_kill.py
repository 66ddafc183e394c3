"""An archive killed in the middle of its work keeps what it acknowledged, and nothing half."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository

from permacite import pdi

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.engines(deep=True)

THREADS = 4
PROCESSES = 3

WRITER = f"""
import hashlib, os, sys, threading
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository

def work():
    while True:
        content = os.urandom(3000)
        formats = [NewRepresentation(content, "application/octet-stream"),
                   NewRepresentation(content[:99].hex().encode(), "text/plain", charset="utf-8")]
        version = archive.committer.commit(formats)
        line = f"{{version.pdi.document}} {{hashlib.sha256(content).hexdigest()}}\\n"
        os.write(1, line.encode())  # one system call: a line is never torn

archive = Repository.open(sys.argv[1])
for _ in range({THREADS}):
    threading.Thread(target=work).start()
"""


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_what_was_acknowledged_survives_kill_9(
    tmp_path: Path, times: Callable[[int, int], int]
) -> None:
    directory = tmp_path / "archive"
    Repository.create(directory, series="lab.example.zz").close()
    chance = random.Random(os.urandom(8))  # noqa: S311 - no secret: when to kill
    acknowledged: list[str] = []
    kills = 0
    while len(acknowledged) < times(200, 20_000):
        acknowledged += run_and_kill(directory, after_lines=chance.randint(1, 40))
        kills += 1
    assert kills > 1
    check(directory, acknowledged, kills * THREADS)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_several_processes_killed_one_by_one_while_the_others_go_on(
    tmp_path: Path, times: Callable[[int, int], int]
) -> None:
    directory = tmp_path / "archive"
    Repository.create(directory, series="lab.example.zz").close()
    chance = random.Random(os.urandom(8))  # noqa: S311 - no secret: when to kill
    kills = times(12, 600)
    writers: list[subprocess.Popen[str]] = []
    acknowledged: list[str] = []
    try:
        for turn in range(kills):
            while len(writers) < min(PROCESSES, kills - turn):
                writers.append(start(directory))  # it opens the archive while others die
            victim = writers.pop(chance.randrange(len(writers)))
            acknowledged += kill(victim, after_lines=chance.randint(1, 20))
    finally:
        for writer in writers:
            writer.kill()
    assert writers == []
    assert len(acknowledged) > kills
    check(directory, acknowledged, kills * THREADS)


def start(directory: Path) -> subprocess.Popen[str]:
    """Start a writer."""
    command = [sys.executable, "-c", WRITER, str(Repository.at(directory))]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def run_and_kill(directory: Path, *, after_lines: int) -> list[str]:
    """Let a writer commit, kill it -9 once it has printed so many lines, return all it printed."""
    return kill(start(directory), after_lines=after_lines)


def kill(writer: subprocess.Popen[str], *, after_lines: int) -> list[str]:
    """Kill a writer -9 once it has printed so many lines, return all it printed."""
    assert writer.stdout is not None
    lines = [writer.stdout.readline() for _ in range(after_lines)]
    writer.send_signal(signal.SIGKILL)
    rest, _ = writer.communicate()
    assert writer.returncode == -signal.SIGKILL
    return [line.strip() for line in [*lines, *rest.splitlines()] if line.strip()]


def check(directory: Path, acknowledged: list[str], unheard: int) -> None:
    """Check that every acknowledged line holds, and that nothing is there by halves.

    `unheard` is how many commits may have been cut off before they were acknowledged.
    """
    promised = dict(line.split() for line in acknowledged)
    assert len(promised) == len(acknowledged), "a serial number was given twice"
    with Repository.open(directory) as archive:
        kept = {}
        for version in archive.lists.list():
            assert version.formats == ("octet-stream", "utf-8")
            first, second = (archive.contents.read(one) for one in version.representations)
            assert second == first[:99].hex().encode()
            kept[str(version.pdi.document)] = hashlib.sha256(first).hexdigest()
        assert len(kept) == archive.lists.count()
        assert promised.items() <= kept.items()
        assert len(kept) - len(promised) <= unheard
        days = Counter(name.rpartition("/")[0] for name in kept)
        assert set(kept) == {f"{day}/{n}" for day in days for n in range(1, days[day] + 1)}
        assert {finding.kind for finding in archive.fixity.verify()} == {"ok"}
        # The next name follows on, whatever happened before.
        assert isinstance(pdi.parse(str(version.representations[0].pdi)), pdi.PDI)
    assert list((directory / "objects" / "tmp").iterdir()) == []
