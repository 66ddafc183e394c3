"""`permacite work --ray`: a Ray cluster does the same jobs as the processes of one machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.engines import on

from permacite.service.archive import Archive
from permacite.service.work import job_queue
from permacite.service.work.jobs import TRIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.engines import Server
    from tests.faces.conftest import Outcome

    from permacite.archive.engine.location import Location

    Cli = Callable[..., Outcome]


@pytest.fixture
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    """A new archive."""
    location: Location = tmp_path / "kept"
    if getattr(request, "param", "folder") == "postgresql":
        server: Server = request.getfixturevalue("postgresql")
        location = server.location(tmp_path / "kept")
    Archive.create(location, series="lab.example.us").close()
    return location


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let Ray keep its sockets where their names are short enough, and tell nobody anything."""
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp") as folder:
        monkeypatch.setenv("RAY_TMPDIR", folder)
        monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        yield


def start(location: Location) -> subprocess.Popen[bytes]:
    """Begin a worker that has a Ray of its own."""
    words = ["work", "--once", "--jobs", "2", "--ray", "local"]
    return subprocess.Popen(
        [sys.executable, "-m", "permacite", "--archive", str(location), *words],
        stdout=subprocess.DEVNULL,
    )


def test_without_ray_it_says_what_to_install(
    location: Location, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    refused = cli("--archive", str(location), "work", "--once", "--ray", "local")
    assert refused.status == 1
    assert "permacite[ray]" in refused.err


@pytest.mark.deep
@pytest.mark.usefixtures("short")
@on("folder")
def test_ray_does_the_same_jobs_and_what_kills_is_given_up(
    location: Location, tmp_path: Path
) -> None:
    pytest.importorskip("ray", reason="./do deep and ./do bench install it")
    pipe, folder = tmp_path / "pipe.txt", tmp_path / "files"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDWR | os.O_CLOEXEC)  # whoever reads it comes to no end
    folder.mkdir()
    for number in range(30):
        (folder / f"{number}.txt").write_text(f"words of file {number}")
    job_queue.put_listed(location, "import", [str(pipe)])
    job_queue.put_listed(location, "import", sorted(map(str, folder.iterdir())))
    worker = start(location)
    for _ in range(TRIES):
        process = reader(pipe)
        os.kill(process, signal.SIGKILL)
        while process in readers(pipe):
            time.sleep(0.02)
    assert worker.wait(120) == 1
    os.close(end)
    good, bad = job_queue.runs(location)
    assert (good.state.done, good.counts) == (2, {"imported": 30})
    assert (bad.state.done, bad.state.given_up) == (0, 1)
    assert bad.told[0].name == f"import of {pipe}"
    assert "Crashed" in bad.told[0].problem
    job_queue.put_ranges(location, "fixity", entries=10)
    assert start(location).wait(120) == 0
    assert job_queue.runs(location)[0].counts == {"checked": 30}


def reader(pipe: Path) -> int:
    """A process that reads a pipe, once one does."""
    while not (found := readers(pipe)):
        time.sleep(0.02)
    return found[0]


def readers(pipe: Path) -> list[int]:
    """The other processes that have a pipe open."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            opened = {str(each.readlink()) for each in (process / "fd").iterdir()}
            if str(pipe) in opened and int(process.name) != os.getpid():
                found.append(int(process.name))
    return found
