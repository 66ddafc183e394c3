"""A server that is told something else while it runs: it begins anew, and nobody is turned away."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.engines import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.engines(deep=True)

NAME = "archive.example.org"


class Server:
    """A server that is told by a file, at a socket of the file system."""

    def __init__(self, archive: Path, folder: Path) -> None:
        self.path = folder / "permacite.sock"
        self.config = folder / "permacite.toml"
        self._archive = archive
        self.told: list[str] = []

    def tell(self, **options: int | list[str]) -> None:
        """Write the file."""
        lines = [f'archive = "{Repository.at(self._archive)}"', "[serve]", f'unix = "{self.path}"']
        lines += [f"{name} = {value}" for name, value in options.items()]
        self.config.write_text("\n".join(lines))

    def start(self) -> subprocess.Popen[str]:
        """Start it, and wait until it answers."""
        command = [sys.executable, "-m", "permacite", "--config", str(self.config), "serve"]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        self.wait_for("answers; ")
        return self.process

    def wait_for(self, words: str) -> None:
        """Read what it says until the words come."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.told.append(line)
            if words in line:
                return
            if "goes on as it was" in line:
                break
        pytest.fail("".join(self.told))

    def asked(self, name: str) -> int:
        """The status of a request under a host name."""
        with socket.socket(socket.AF_UNIX) as channel:
            channel.settimeout(60)
            channel.connect(str(self.path))
            with closing(http.client.HTTPConnection("localhost")) as connection:
                connection.sock = channel
                connection.request("GET", "/-/health", headers={"Host": name})
                return connection.getresponse().status


@pytest.fixture
def server(archive: Path, tmp_path: Path) -> Iterator[Server]:
    """A server that is ended, if it was started."""
    made = Server(archive, tmp_path)
    yield made
    made.process.kill()
    made.process.wait(30)
    assert made.process.stderr is not None
    made.process.stderr.close()


@pytest.mark.parametrize("workers", [1, 2])
def test_who_asks_while_it_begins_anew_is_answered(
    server: Server, times: Callable[[int, int], int], workers: int
) -> None:
    server.tell(workers=workers)
    process = server.start()
    assert server.asked(NAME) == 400
    stop, statuses, faults = threading.Event(), set(), []

    def ask() -> None:
        while not stop.is_set():
            try:
                statuses.add(server.asked("localhost"))
            except (OSError, http.client.HTTPException) as error:
                faults.append(repr(error))

    asking = [threading.Thread(target=ask) for _ in range(4)]
    for each in asking:
        each.start()
    try:
        for number in range(times(1, 20)):
            server.tell(workers=workers, name=[f"{number}.{NAME}"])
            process.send_signal(signal.SIGHUP)
            server.wait_for("answers; ")
            assert server.asked(f"{number}.{NAME}") == 200
            assert server.asked(NAME) == 400
    finally:
        stop.set()
        for each in asking:
            each.join()
    assert (statuses, faults) == ({200}, [])
    process.terminate()
    assert process.wait(30) == 0
    assert not server.path.exists()


def test_a_configuration_that_is_wrong_is_told_and_not_taken(server: Server) -> None:
    server.tell()
    process = server.start()
    server.tell(worker=2)
    process.send_signal(signal.SIGHUP)
    server.wait_for("goes on as it was")
    assert "did you mean workers" in server.told[-1]
    assert server.asked("localhost") == 200
    server.tell(name=[NAME])
    process.send_signal(signal.SIGHUP)
    server.wait_for("answers; ")
    assert server.asked(NAME) == 200


def test_what_is_begun_is_finished_and_the_end_is_the_end(archive: Path, server: Server) -> None:
    with Archive.open(archive) as held:
        name = held.add(b"x" * (32 << 20), name="long.txt").pdi
    server.tell(grace=60)
    process = server.start()
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect(str(server.path))
        channel.sendall(f"GET /{name} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = channel.recv(4096)
        assert head.startswith(b"HTTP/1.1 200")
        process.send_signal(signal.SIGHUP)
        server.wait_for("begins anew")
        process.terminate()  # while it waits for us
        size = len(head)
        while octets := channel.recv(1 << 16):
            size += len(octets)
        assert size > 32 << 20
    assert process.wait(60) == 0
    assert "".join(server.told).count("answers; ") == 1
