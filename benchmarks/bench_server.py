"""Answers of `permacite serve`, beside an equal application without an archive.

The rivals give the same octets with the same fields by a route of Starlette: under uvicorn, which
serves permacite too, and under granian. What counts is the processors' time of the server for an
answer, since whoever asks shares the machine.

Alone: python benchmarks/bench_server.py
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Iterator

TITLE = "The server: small names, ranges of large ones, and 304"
RIVALS = ["uvicorn", "granian", "starlette"]

CONNECTIONS = 8
ROUNDS = 5
ANSWERS = 3000
LARGE_BYTES = 1 << 30
APPLICATION = """
import pathlib
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
HEAD, _, BODY = pathlib.Path("answer").read_bytes().partition(b"\\r\\n\\r\\n")
LINES = [line.partition(": ") for line in HEAD.decode().split("\\r\\n")[1:]]
FIELDS = {name: value for name, _, value in LINES if name not in ("date", "content-length")}
async def answer(request):
    return Response(BODY, headers=FIELDS)
app = Starlette(routes=[Route("/{name:path}", answer)])
"""


class Server:
    """A server that runs, and what it costs."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process = process
        self.port = port

    def _files(self, name: str) -> list[str]:
        command = ["ps", "-o", "pid=", "--ppid", str(self.process.pid)]
        listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        texts = []
        for number in [self.process.pid, *map(int, listed.split())]:
            with contextlib.suppress(OSError):
                texts.append(Path(f"/proc/{number}/{name}").read_text(encoding="ascii"))
        return texts

    def processor_s(self) -> float:
        """Return the processors' time so far, of all its processes."""
        fields = [text.rpartition(")")[2].split() for text in self._files("stat")]
        return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")

    def peak_mb(self) -> float:
        """Return the most memory that its own process had."""
        found = re.search(r"VmHWM:\s+(\d+) kB", self._files("status")[0])
        assert found is not None
        return int(found[1]) / 1000


@contextlib.contextmanager
def running(command: list[str], folder: Path, sign: str) -> Iterator[Server]:
    """Run a server until the block ends; `sign`: what it prints with its port."""
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            found = re.search(sign, line)
            if found:
                _await(int(found[1]))
                yield Server(process, int(found[1]))
                break
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:  # granian waits for connections
            process.kill()
            process.wait(10)
        process.stdout.close()


def _await(port: int) -> None:
    """Wait until a connection is taken: granian says that it listens before it does."""
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)


def permacite(archive: Path, *options: str) -> contextlib.AbstractContextManager[Server]:
    """Serve an archive."""
    command = [sys.executable, "-m", "permacite", "--archive", str(archive), "serve"]
    return running([*command, "--port", "0", *options], archive, r":(\d+)/ answers")


def rival(folder: Path, name: str) -> contextlib.AbstractContextManager[Server]:
    """Serve the equal application."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    command = [sys.executable, "-m", name, "--port", port]
    if name == "granian":
        command += ["--interface", "asginl", "--no-ws", "application:app"]
        return running(command, folder, rf"Listening at: \S+:({port})")
    command += ["--no-access-log", "--loop", "asyncio", "--http", "httptools", "application:app"]
    return running(command, folder, rf"running on \S+:({port})")


def request(target: str, fields: str = "") -> bytes:
    """Return a request."""
    return f"GET {target} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode()


def exchange(port: int, asked: bytes) -> bytes:
    """Return the answer to one request."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(asked.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
        received = b""
        while piece := connection.recv(1 << 20):
            received += piece
    return received


def load(port: int, asked: bytes, answers: int, connections: int = CONNECTIONS) -> float:
    """Ask on kept connections until all are answered in full; return the seconds."""
    with contextlib.ExitStack() as stack, selectors.DefaultSelector() as selector:
        sockets = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            for _ in range(connections)
        ]
        size = _whole(sockets[0], asked)
        start = time.perf_counter()
        left = answers - connections
        for each in sockets:
            each.settimeout(0)
            selector.register(each, selectors.EVENT_READ, [0])
            each.send(asked)
        done = 0
        while done < answers:
            for key, _ in selector.select():
                connection = key.fileobj
                assert isinstance(connection, socket.socket)
                key.data[0] += len(connection.recv(1 << 22))
                if key.data[0] >= size:
                    key.data[0] -= size
                    done += 1
                    if left > 0:
                        left -= 1
                        connection.send(asked)
        return time.perf_counter() - start


def _whole(connection: socket.socket, asked: bytes) -> int:
    """Ask once, and return how many octets the whole answer has, its head among them."""
    connection.sendall(asked)
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(1 << 16)
    head, _, body = received.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
    assert length is not None or b" 304 " in head
    size, came = len(head) + 4 + int(length[1] if length else 0), len(head) + 4 + len(body)
    while came < size:
        came += len(connection.recv(1 << 20))
    return size


def cost_us(server: Server, asked: bytes, answers: int = ANSWERS) -> tuple[float, float]:
    """Return the medians of the processors' time for an answer, and of answers a second."""
    costs, rates = [], []
    for _ in range(ROUNDS):
        before = server.processor_s()
        taken = load(server.port, asked, answers)
        costs.append((server.processor_s() - before) / answers * 1e6)
        rates.append(answers / taken)
    return statistics.median(costs), statistics.median(rates)


def small(archive: Path, folder: Path, name: str) -> Iterator[str]:
    """Give the rows of a small name, and of 304."""
    asked = request(f"/{name}")
    with permacite(archive) as server:
        answer = exchange(server.port, asked)
        (folder / "answer").write_bytes(answer.replace(b"connection: close\r\n", b""))
        (folder / "application.py").write_text(APPLICATION, encoding="utf-8")
        ours, rate = cost_us(server, asked)
        tag = re.search(rb"etag: (\S+)", answer)
        assert tag is not None
        unchanged, _ = cost_us(server, request(f"/{name}", f"If-None-Match: {tag[1].decode()}\r\n"))
    yield f"| permacite, one process | {ours:.0f} | {rate:,.0f} | 1 |"
    for which in ("uvicorn", "granian"):
        with rival(folder, which) as server:
            cost, rate = cost_us(server, asked)
        yield f"| Starlette under {which} | {cost:.0f} | {rate:,.0f} | {cost / ours:.2f} |"
    yield f"| permacite, 304 | {unchanged:.0f} | | {ours / unchanged:.2f} |"
    with permacite(archive, "--workers", "2") as server:
        cost, rate = cost_us(server, asked)
    yield f"| permacite, two processes | {cost:.0f} | {rate:,.0f} | {ours / cost:.2f} |"


def large(archive: Path, name: str) -> Iterator[str]:
    """Give the rows of a large name."""
    part = request(f"/{name}", f"Range: bytes={LARGE_BYTES // 2}-{LARGE_BYTES // 2 + 99}\r\n")
    with permacite(archive) as server:
        exchange(server.port, request("/-/health"))
        start = server.peak_mb()
        exchange(server.port, part)
        cost, _ = cost_us(server, part, 500)
        yield f"| 100 octets of 1 GiB | {cost / 1000:.2f} | {start:.0f} | {server.peak_mb():.0f} |"
    tag = name.encode()
    with permacite(archive) as server:
        found = re.search(rb"etag: (\S+)", exchange(server.port, part))
        assert found is not None
        tag = found[1]
        cost, _ = cost_us(server, request(f"/{name}", f"If-None-Match: {tag.decode()}\r\n"), 500)
        yield f"| 304 of 1 GiB | {cost / 1000:.2f} | {start:.0f} | {server.peak_mb():.0f} |"
    wide = request(f"/{name}", "Range: bytes=1000000-9999999\r\n")
    with permacite(archive) as server:
        before = server.processor_s()
        load(server.port, wide, 64, 64)
        cost = (server.processor_s() - before) / 64 * 1000
        yield f"| 64 ranges of 9 MB at once | {cost:.2f} | {start:.0f} | {server.peak_mb():.0f} |"


def page(archive: Path, name: str) -> Iterator[str]:
    """Give the rows of a reader's page of 5 MB, after a start and then."""
    asked = request(f"/{name}", "Accept: text/html\r\n")
    framed = request(f"/-/page/{name}", "Accept: text/html\r\n")
    for when, wait_s in (("at once", 0), ("10 s after the start", 10)):
        with permacite(archive) as server:
            exchange(server.port, request("/-/health"))
            time.sleep(wait_s)
            for what, each in (("page", asked), ("archived page in it", framed)) * 2:
                before = server.processor_s()
                exchange(server.port, each)
                yield f"| {what}, {when} | {(server.processor_s() - before) * 1000:.0f} |"


def measure() -> str:
    """Return the tables, as Markdown."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        with Archive.create(folder / "archive", series="lab.example.zz") as service:
            name = service.add(b"The harbour is closed.\r\n", name="notice.txt").pdi
            block = os.urandom(1 << 20)
            big = service.add(block * (LARGE_BYTES >> 20), name="large.bin").pdi
            words = "".join(f"<p>{'the harbour is closed ' * 17}{n}.</p>\n" for n in range(13_000))
            shown = service.add(words.encode(), name="page.html").pdi
        lines = [
            f"A text of 24 octets with {CONNECTIONS} kept connections, median of {ROUNDS} rounds.",
            f"The load of the machine was {os.getloadavg()[0]:.0f} before.",
            "",
            "| what | microseconds of the processor | answers a second | against permacite |",
            "|---|---|---|---|",
            *small(folder / "archive", folder, name),
            "",
            "| what | ms of the processor | MB before | MB at most |",
            "|---|---|---|---|",
            *large(folder / "archive", big),
            "",
            "A page of 5 MB in the reader of a server that has just begun, first and once more:",
            "",
            "| what | ms of the processor |",
            "|---|---|",
            *page(folder / "archive", shown),
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(measure())
