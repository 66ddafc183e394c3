"""A mirror killed again and again ends with the log of its origin, and lacks nothing."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.faces.conftest import served

from permacite.archive import NewRepresentation, NewVersion, Repository
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytest.importorskip("aiohttp", reason="mirrors fetch with it")

_AT_ONCE = 150


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_mirror_killed_again_and_again_has_the_same_root(
    tmp_path: Path, times: Callable[[int, int], int]
) -> None:
    archive, into = tmp_path / "archive", tmp_path / "mirror"
    Archive.create(archive, series="lab.example.zz").close()
    chance = random.Random(os.urandom(8))  # noqa: S311 - no secret: when to kill
    kills, wanted = 0, times(4, 100)
    with served(archive, "--public") as origin:
        grow(archive)
        while kills < wanted:
            run = start(origin.base, into)
            wait_for(run, into, contents(into) + chance.randint(0, _AT_ONCE))
            with contextlib.suppress(subprocess.TimeoutExpired):
                run.wait(chance.uniform(0, 0.3))
            run.send_signal(signal.SIGKILL)
            _, told = run.communicate()
            if run.returncode == -signal.SIGKILL:
                kills += 1
            else:
                assert run.returncode == 0, told.decode()
                grow(archive)
        run = start(origin.base, into)
        _, told = run.communicate()
        assert run.returncode == 0, told.decode()
    with Repository.open(archive) as there, Repository.open(into) as here:
        size = there.log.size()
        assert (here.log.size(), here.log.root(size)) == (size, there.log.root(size))
        assert here.count() == there.count()
    with Archive.open(into) as mirror:
        report = mirror.fsck()
        assert report.bad == ()
        assert [item.kind for item in report.findings] == []


def start(base: str, into: Path) -> subprocess.Popen[bytes]:
    """Start a run of the mirror."""
    command = [sys.executable, "-m", "permacite", "mirror", base, str(into)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def wait_for(run: subprocess.Popen[bytes], into: Path, wanted: int) -> None:
    """Wait until a mirror has so many contents, or is done."""
    while contents(into) < wanted:
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(0.02)
            return


def contents(into: Path) -> int:
    """How many contents a mirror has."""
    return sum(1 for _ in into.glob("objects/??/??/*"))


def grow(archive: Path) -> None:
    """Commit more documents there."""
    with Repository.open(archive) as repository:
        formats = [
            [
                NewRepresentation(os.urandom(5000), "application/octet-stream"),
                NewRepresentation(os.urandom(99).hex().encode(), "text/plain", charset="utf-8"),
            ]
            for _ in range(_AT_ONCE)
        ]
        repository.commit_all([NewVersion(each) for each in formats])
