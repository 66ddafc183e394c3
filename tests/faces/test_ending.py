"""A server that is told to end, in the midst of whatever: it ends with 0, and nothing is lost."""

from __future__ import annotations

import contextlib
import http.client
import signal
import threading
import time
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.faces.conftest import served

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.engines(deep=True)


def _ask(port: int, number: int, stop: threading.Event, kept: list[str], torn: list[str]) -> None:
    """Write and read until the end; what was promised goes to `kept`, half answers to `torn`."""
    count = 0
    while not stop.is_set():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        with contextlib.closing(connection), contextlib.suppress(OSError):
            while not stop.is_set():
                count += 1
                words = f"Words {number} {count}.".encode()
                fields = {"Content-Type": "text/plain"}
                connection.request("PUT", "/pdi://lab.example.us/", words, fields)
                try:
                    answer = connection.getresponse()
                    answer.read()
                except http.client.RemoteDisconnected:
                    break
                except http.client.HTTPException as error:
                    torn.append(repr(error))
                    break
                if answer.status == 201:
                    kept.append(answer.headers["Content-Location"])
                connection.request("GET", "/-/static/reader.css")
                try:
                    answer = connection.getresponse()
                    answer.read()
                except http.client.RemoteDisconnected:
                    break
                except http.client.HTTPException as error:
                    torn.append(repr(error))
                    break
        time.sleep(0.01)


ENDS = [(signal.SIGTERM, "1"), (signal.SIGINT, "1"), (signal.SIGTERM, "2")]


@pytest.mark.timeout(3 * 3600)
@pytest.mark.parametrize(("number", "workers"), ENDS)
def test_a_server_ends_with_0_under_load(
    archive: Path, times: Callable[[int, int], int], number: int, workers: str
) -> None:
    kept: list[str] = []
    torn: list[str] = []
    for _ in range(times(1, 100)):
        with served(archive, "--writable", "--workers", workers) as running:
            port = int(running.base.rpartition(":")[2])
            stop = threading.Event()
            asking = [
                threading.Thread(target=_ask, args=(port, each, stop, kept, torn))
                for each in range(6)
            ]
            for each in asking:
                each.start()
            known = len(kept)
            while len(kept) < known + 20:
                time.sleep(0.01)
            running.process.send_signal(number)
            try:
                assert running.process.wait(30) == 0
            finally:
                stop.set()
                for each in asking:
                    each.join(30)
    assert torn == []
    with Archive.open(archive) as held:
        assert all(held.resolve(name).text for name in kept)
        assert held.verify().ok


def test_a_server_ends_with_0_though_somebody_reads_for_ever(archive: Path) -> None:
    with Archive.open(archive) as held:
        name = held.add(b"x" * (32 << 20), name="long.txt").pdi
    with served(archive, "--grace", "0.2") as running:
        connection = http.client.HTTPConnection(running.base.removeprefix("http://"), timeout=20)
        with contextlib.closing(connection):
            connection.request("GET", f"/{name}")
            connection.getresponse()
            running.process.terminate()
            assert running.process.wait(30) == 0
