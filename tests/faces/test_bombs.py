"""Tricks over HTTP, all at once: the server stays small and answers others meanwhile.

What is asked is in `tests/media/tricks.py`. Memory is what Linux says of each process.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from tests.faces.conftest import served
from tests.media.formats import FORMATS, content_of
from tests.media.tricks import TRICKS, trick_of
from tests.media.watching import ask, children, watched

from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository
from permacite.service.plain import STATUS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Running
    from tests.media.watching import Answer

pytest.importorskip("av", reason="needs the media extra")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is told by Linux alone")

MIB = 1 << 20
OWN_BYTES = 300 * MIB
"""What the process that serves may take, whatever it is asked."""
WORKERS_BYTES = 2048 * MIB + 2 * 480 * MIB
"""The budget that they share, and what each may take without asking."""
TITLES = {(STATUS[code][1], code) for code in ("undecodable", "limit", "not-found", "busy")}


def kept(archive: Path, rows: list[tuple[bytes, str, str]]) -> list[str]:
    """Commit documents, and return the names of their parts."""
    with Repository.open(archive) as repository:
        commit = repository.committer.commit
        return [
            f"{commit([NewRepresentation(content, kind)]).representations[0].pdi}#{part}"
            for content, kind, part in rows
        ]


def is_right(answer: Answer, colour: tuple[int, ...] | None) -> bool:
    """Whether an answer is the right part, or a problem that says so by all its marks."""
    if answer.status == 200:
        return bool(answer.body) and (colour is None or colours(answer.body) == {colour})
    problem = json.loads(answer.body)
    return (
        answer.fields["content-type"] == "application/problem+json"
        and problem["status"] == answer.status
        and (answer.status, problem["code"]) in TITLES
        and ("retry-after" in answer.fields) == (answer.status == 503)
    )


def colours(picture: bytes) -> set[tuple[int, ...]]:
    """Return the colours that are in a picture."""
    import io

    images = pytest.importorskip("PIL.Image")
    with images.open(io.BytesIO(picture)) as opened:
        return {colour for _, colour in opened.convert("RGBA").getcolors()}


@pytest.fixture
def page(archive: Path) -> str:
    """Return the name of a small page that is kept."""
    (name,) = kept(archive, [(b"<!doctype html><title>x</title><p>Hello", "text/html", "")])
    return name.rstrip("#")


def others(base: str, page: str, stopped: threading.Event) -> list[Answer]:
    """Ask for a small page again and again."""
    answers = []
    while not stopped.is_set():
        answers.append(ask(base, page))
        time.sleep(0.01)
    return answers


@pytest.mark.slow
def test_sixteen_tricks_at_once(archive: Path, page: str, times: Callable[[int, int], int]) -> None:
    tricks = [one for one in TRICKS if not one.heavy or times(0, 1)][:: times(2, 1)]
    names = kept(archive, [(trick_of(one), one.media_type, one.fragment) for one in tricks])
    stopped = threading.Event()
    with served(archive) as running, ThreadPoolExecutor(17) as pool:
        with watched(running.process.pid) as memory:
            meanwhile = pool.submit(others, running.base, page, stopped)
            answers = list(pool.map(lambda name: ask(running.base, name), names * times(1, 5)))
            stopped.set()
        wrong = [
            (one.name, answer.status, answer.body[:200])
            for one, answer in zip(tricks * times(1, 5), answers, strict=True)
            if not is_right(answer, one.colour)
        ]
        assert wrong == []
        assert {answer.status for answer in meanwhile.result()} == {200}
        assert memory.own < OWN_BYTES
        assert memory.workers < WORKERS_BYTES


@pytest.mark.slow
def test_large_parts_do_not_make_a_large_server(
    archive: Path, page: str, times: Callable[[int, int], int]
) -> None:
    """What is cut out of little may be much: silence, a drawing that moves."""
    long = next(one for one in TRICKS if one.name == "flac-long")
    (name,) = kept(archive, [(trick_of(long), long.media_type, "")])
    names = [f"{name}sec={start},{start + 240 + start}" for start in range(times(8, 16))]
    stopped = threading.Event()
    with served(archive) as running, ThreadPoolExecutor(17) as pool:
        with watched(running.process.pid) as memory:
            meanwhile = pool.submit(others, running.base, page, stopped)
            answers = list(pool.map(lambda name: ask(running.base, name), names))
            stopped.set()
        assert all(is_right(answer, None) for answer in answers)
        assert {answer.status for answer in meanwhile.result()} == {200}
        assert memory.own < OWN_BYTES


@pytest.mark.slow
def test_two_hundred_requests_at_once(running: Running, archive: Path, page: str) -> None:
    one = next(one for one in FORMATS if one.name == "picture-jpeg")
    (name,) = kept(archive, [(content_of(one), one.media_type, "")])
    names = [f"{name}rect=(0,0),({1 + n % 40},{1 + n // 40})" for n in range(200)]
    stopped = threading.Event()
    with ThreadPoolExecutor(201) as pool:
        meanwhile = pool.submit(others, running.base, page, stopped)
        answers = list(pool.map(lambda name: ask(running.base, name), names))
        stopped.set()
        assert {answer.status for answer in meanwhile.result()} == {200}
    assert all(is_right(answer, None) for answer in answers)
    assert {answer.status for answer in answers} <= {200, 503}
    assert all(ask(running.base, name).status == 200 for name in names[::40])


def test_a_worker_that_is_killed_in_the_middle(running: Running, archive: Path, page: str) -> None:
    long = next(one for one in TRICKS if one.name == "jpeg-large")
    (name,) = kept(archive, [(trick_of(long), long.media_type, long.fragment)])
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask, running.base, name)
        killed = busiest(running.process.pid)
        os.kill(killed, signal.SIGKILL)
        problem = json.loads(answer.result().body)
    assert (answer.result().status, problem["code"]) == (422, "undecodable")
    assert killed not in children(running.process.pid)
    assert ask(running.base, page).status == 200
    assert ask(running.base, name).status == 200


def busiest(server: int) -> int:
    """Wait until a worker of a server is at work, and return it."""
    while True:
        for worker in children(server):
            try:
                with open(f"/proc/{worker}/status", encoding="ascii") as status:  # noqa: PTH123 - no file
                    words = dict(line.split(":", 1) for line in status)
            except OSError:
                continue
            if int(words["VmRSS"].split()[0]) > 150 * 1024:
                return worker


def test_no_worker_is_left_behind(archive: Path) -> None:
    """Whether the server is told to end, or is killed."""
    for ending in (signal.SIGTERM, signal.SIGKILL):
        with served(archive) as running:
            workers = children(running.process.pid)
            assert workers
            running.process.send_signal(ending)
            running.process.wait(30)
        waited = time.monotonic() + 30
        while any(os.path.exists(f"/proc/{one}") for one in workers):  # noqa: PTH110 - no file
            assert time.monotonic() < waited
            time.sleep(0.02)
