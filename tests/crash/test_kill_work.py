"""Workers and what they do, killed: nothing is lost, nothing doubled, and what kills is given up.

A file that is a pipe holds a job up until somebody writes into it: so it is known when it is done.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.engines import on

from permacite.service.archive import Archive
from permacite.service.work import job_queue
from permacite.service.work.jobs import TRIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.engines import Server

    from permacite.archive.engine.location import Location

_PATIENCE_S = 2
NOTEBOOK = """
import asyncio, signal, sys
from pathlib import Path
from permacite.service.work import job_queue
from permacite.service.work.pools import ProcessPool
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background ignore it
location = Path(sys.argv[1])

async def cell():
    try:
        job_queue.do_jobs(location, ProcessPool(location, 1))
    except KeyboardInterrupt:
        print("interrupted")

if __name__ == "__main__":
    asyncio.set_event_loop(loop := asyncio.new_event_loop())
    loop.run_until_complete(cell())
"""
"""What a notebook does: a cell runs inside of a loop."""


@pytest.fixture
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    """A new archive, in a folder and in PostgreSQL."""
    location: Location = tmp_path / "archive"
    if request.param == "postgresql":
        server: Server = request.getfixturevalue("postgresql")
        location = server.location(tmp_path / "archive")
    Archive.create(location, series="lab.example.us").close()
    return location


class Pipe:
    """A file that holds up whoever reads it, until it is let go."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self.hold()

    def hold(self) -> None:
        """From now on nobody who reads it comes to its end."""
        self._end = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)

    def let_go(self, words: bytes) -> None:
        """Write what stands in the file, up to its end."""
        os.write(self._end, words)
        os.close(self._end)

    def reader(self, worker: subprocess.Popen[bytes]) -> int:
        """Which process of a worker reads it, once one does."""
        while True:
            for process in children(worker):
                with contextlib.suppress(OSError):
                    opened = [
                        str(each.readlink()) for each in Path(f"/proc/{process}/fd").iterdir()
                    ]
                    if str(self.path) in opened:
                        return process
            assert worker.poll() is None, "the worker ended, and never did the job"
            time.sleep(0.02)


@pytest.fixture
def pipe(tmp_path: Path) -> Pipe:
    """Such a file."""
    return Pipe(tmp_path / "pipe.txt")


@pytest.fixture
def begin(location: Location) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Begin workers that end when no job is left; whatever is left of them is killed."""
    begun: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        words = ["work", "--once", "--jobs", "2", "--patience", str(_PATIENCE_S)]
        command = [sys.executable, "-m", "permacite", "--archive", str(location), *words]
        begun.append(
            subprocess.Popen(
                command,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        )
        return begun[-1]

    yield start
    for each in begun:
        with contextlib.suppress(ProcessLookupError):  # also what outlived the worker: it has
            os.killpg(each.pid, signal.SIGKILL)  # the pipe that is read to its end here
        each.communicate()


def files(folder: Path, many: int) -> list[str]:
    """So many files of different words, the same in each folder."""
    folder.mkdir()
    for number in range(many):
        (folder / f"{number}.txt").write_text(f"words of file {number}")
    return sorted(map(str, folder.iterdir()))


def children(worker: subprocess.Popen[bytes]) -> list[int]:
    """The processes that a worker began."""
    with contextlib.suppress(OSError):
        told = Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text()
        return [*map(int, told.split()), *_of_threads(worker.pid)]
    return []


def _of_threads(pid: int) -> list[int]:
    """Those that other threads of it began."""
    tasks = [each for each in Path(f"/proc/{pid}/task").iterdir() if each.name != str(pid)]
    return [int(child) for each in tasks for child in (each / "children").read_text().split()]


def names(location: Location) -> list[str]:
    """The names in an archive."""
    with Archive.open(location) as archive:
        return [str(version.pdi) for version in archive._repository.lists.list()]  # noqa: SLF001 - counted here


@on("postgresql")
@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_job_that_kills_each_time_is_given_up_and_the_others_go_on(
    location: Location, pipe: Pipe, begin: Callable[[], subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    job_queue.put_listed(location, "import", [str(pipe.path)])
    job_queue.put_listed(location, "import", files(tmp_path / "files", 30))
    worker = begin()
    for _ in range(TRIES):
        process = pipe.reader(worker)
        os.kill(process, signal.SIGKILL)
        gone(process)
    assert worker.wait(60) == 1
    good, bad = job_queue.runs(location)
    assert (good.state.done, good.state.given_up, good.counts) == (2, 0, {"imported": 30})
    assert (bad.state.done, bad.state.given_up) == (0, 1)
    (told,) = bad.told
    assert (told.what, told.name) == ("given up", f"import of {pipe.path}")
    assert "Killed" in told.problem
    assert len(names(location)) == 30


@on("postgresql")
@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_worker_that_is_killed_loses_nothing(
    location: Location, pipe: Pipe, begin: Callable[[], subprocess.Popen[bytes]]
) -> None:
    job_queue.put_listed(location, "import", [str(pipe.path)])
    first = begin()
    orphan = pipe.reader(first)
    first.kill()
    first.wait()
    pipe.let_go(b"the words")  # what it had begun goes on, and its worker is no more
    gone(orphan)
    pipe.hold()
    second = begin()
    pipe.reader(second)
    pipe.let_go(b"the words")
    assert second.wait(60) == 0
    (run,) = job_queue.runs(location)
    assert (run.state.done, run.counts) == (1, {"unchanged": 1})
    assert len(names(location)) == 1


@on("folder")
@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM])
def test_a_worker_that_is_told_to_end_ends_what_it_began(
    location: Location,
    pipe: Pipe,
    begin: Callable[[], subprocess.Popen[bytes]],
    tmp_path: Path,
    word: signal.Signals,
) -> None:
    job_queue.put_listed(location, "import", [str(pipe.path)])
    worker = begin()
    process = pipe.reader(worker)
    tell_to_end(worker, word)
    job_queue.put_listed(location, "import", files(tmp_path / "files", 20))
    pipe.let_go(b"the words")
    assert worker.wait(60) == 0
    gone(process)
    later, first = job_queue.runs(location)
    assert (first.state.done, later.state.waiting) == (1, 1)
    assert len(names(location)) == 1


@on("postgresql")
@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_worker_that_is_told_twice_ends_at_once_and_loses_nothing(
    location: Location, pipe: Pipe, begin: Callable[[], subprocess.Popen[bytes]]
) -> None:
    job_queue.put_listed(location, "import", [str(pipe.path)])
    first = begin()
    process = pipe.reader(first)
    tell_to_end(first, signal.SIGINT)
    while catches(process, signal.SIGINT):  # two signals at once are one
        time.sleep(0.02)
    os.killpg(first.pid, signal.SIGINT)
    assert first.wait(60) == -signal.SIGINT
    gone(process)
    second = begin()
    pipe.reader(second)
    pipe.let_go(b"the words")
    assert second.wait(60) == 0
    assert len(names(location)) == 1


@on("folder")
@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_notebook_that_is_interrupted_ends_what_it_began(
    location: Location, pipe: Pipe, tmp_path: Path
) -> None:
    job_queue.put_listed(location, "import", [str(pipe.path)])
    job_queue.put_listed(location, "import", files(tmp_path / "files", 20))
    command = [sys.executable, "-c", NOTEBOOK, str(location)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as notebook:
        process = pipe.reader(notebook)
        os.killpg(notebook.pid, signal.SIGINT)
        time.sleep(1)  # nobody says when a thread was told
        pipe.let_go(b"the words")
        assert notebook.communicate()[0] == b"interrupted\n"
    gone(process)
    later, first = job_queue.runs(location)
    assert (first.state.done, later.state.waiting) == (1, 1)


@on("folder")
@pytest.mark.slow
@pytest.mark.timeout(120)
def test_octets_that_two_jobs_read_at_once_have_one_name(
    location: Location, pipe: Pipe, begin: Callable[[], subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    here, there = files(tmp_path / "here", 19), files(tmp_path / "there", 19)
    first = Pipe(tmp_path / "first.txt")
    job_queue.put_listed(location, "import", [*here, str(pipe.path), str(first.path), *there])
    worker = begin()
    pipe.reader(worker)  # it has looked for all files before, and committed none of them
    first.reader(worker)
    first.let_go(b"other words")
    while not job_queue.runs(location)[0].state.done:
        assert worker.poll() is None
        time.sleep(0.05)
    pipe.let_go(b"the words")
    assert worker.wait(60) == 0
    assert len(names(location)) == 21


@pytest.mark.deep
@on("folder")
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_killed_again_and_again_all_is_there_once(
    location: Location,
    begin: Callable[[], subprocess.Popen[bytes]],
    tmp_path: Path,
) -> None:
    chance = random.Random(os.urandom(8))  # noqa: S311 - no secret: when to kill
    for number in range(25):
        listed = files(tmp_path / str(number), 60)
        job_queue.put_listed(
            location, "import", [*listed, *files(tmp_path / f"{number}-again", 60)]
        )
        for _ in range(TRIES - 1):
            worker = begin()
            with contextlib.suppress(subprocess.TimeoutExpired):
                worker.wait(chance.uniform(0.4, 1.5))
            _kill([worker.pid, *children(worker)])
            worker.wait()
        assert begin().wait(120) == 0
        state = job_queue.runs(location)[0].state
        assert (state.done, state.given_up, state.waiting, state.doing) == (6, 0, 0, 0)
        assert len(names(location)) == 60  # all of them, and none has two names


@pytest.mark.deep
@pytest.mark.parametrize("location", ["postgresql"], indirect=True)
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_database_ends_and_begins_and_the_work_goes_on(
    location: Location,
    begin: Callable[[], subprocess.Popen[bytes]],
    postgresql: Server,
    tmp_path: Path,
) -> None:
    chance = random.Random(os.urandom(8))  # noqa: S311 - no secret: when to end
    for number in range(10):
        listed = files(tmp_path / str(number), 600)
        for path in listed:
            Path(path).write_text(f"words of file {path}")
        job_queue.put_listed(location, "import", listed)
        worker = begin()
        while not job_queue.runs(location)[0].state.done:
            assert worker.poll() is None
        time.sleep(chance.uniform(0.0, 0.5))
        postgresql.stop()
        time.sleep(chance.uniform(0.0, 3.0))
        postgresql.start()
        assert worker.wait(120) == 0, worker.stderr.read() if worker.stderr else ""
        state = job_queue.runs(location)[0].state
        assert (state.done, state.given_up, state.waiting, state.doing) == (30, 0, 0, 0)
        assert len(names(location)) == 600 * (number + 1)


def _kill(processes: Sequence[int]) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def tell_to_end(worker: subprocess.Popen[bytes], word: signal.Signals) -> None:
    """Tell a worker and all it began, as terminals do; return once it says that it ends."""
    os.killpg(worker.pid, word)
    assert worker.stderr is not None
    assert b"ending" in worker.stderr.readline()


def catches(process: int, word: signal.Signals) -> bool:
    """Whether a process has a handler for a signal."""
    status = Path(f"/proc/{process}/status").read_text()
    (caught,) = re.findall(r"^SigCgt:\t(\w+)", status, re.MULTILINE)
    return bool(int(caught, 16) >> (word - 1) & 1)


def gone(process: int) -> None:
    """Wait until a process is gone."""
    while Path(f"/proc/{process}").exists():
        time.sleep(0.02)
