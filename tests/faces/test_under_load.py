"""Servers that much is asked of, or whose disk or clock gives way: they stay, and lose nothing."""

from __future__ import annotations

import contextlib
import http.client
import random
import re
import resource
import socket
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from tests.faces.conftest import served
from tests.faces.test_workers import ask, workers
from tests.needs import no_right
from tests.spec.test_archive_catalog import mounted

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.faces.conftest import Running

FORM = "application/x-www-form-urlencoded"
AT_ONCE = 8
GROWTH = 0.05
"""What workers may take more in the second half of it all, as a share of what they had."""
LARGE = b"The tide of the day. " * 400_000


@dataclass(frozen=True)
class Wanted:
    """A request, and what may be answered to it."""

    target: str
    statuses: frozenset[int] = frozenset({200})
    method: str = "GET"
    body: bytes = b""
    fields: dict[str, str] = field(default_factory=dict)
    is_left: bool = False
    """Whether whoever asks leaves in the midst of the answer."""


def put(number: int) -> Wanted:
    """What is written: other words each time."""
    words = f"Words {number}.".encode()
    kind = {"Content-Type": "text/plain"}
    return Wanted("/pdi://lab.example.us/", frozenset({201}), "PUT", words, kind)


def shelf(archive: Path) -> list[str]:
    """Fill an archive; returns the full names of texts, those of pages, and that of a large one."""
    with Archive.open(archive) as held:
        for number in range(40):
            page = f"<title>Tide {number}</title><p>The tide of day {number}. {'sea ' * 300}"
            held.add(page.encode(), name=f"{number}.html", uri=f"https://sea.example/{number}")
        held.add(LARGE, name="large.txt")
        shown = held.documents.list(limit=100).documents
        return [
            each.pdi
            for document in shown
            for each in held.documents.show(document.pdi).document.formats
        ]


def mixed(names: list[str]) -> Iterator[Wanted]:
    """Requests of every kind, for ever; always the same ones."""
    dice = random.Random(18)  # noqa: S311 - always the same
    texts = [name for name in names if ".utf-8." in name or ".text." in name]
    pages = [name for name in names if ".html." in name]
    number = 0
    while True:
        number += 1
        text, page = dice.choice(texts), dice.choice(pages)
        cited = urlencode({"reference": page.replace(".html.", ".utf-8."), "quote": "The tide of"})
        document = page.rpartition(".html")[0]
        some = [
            *[Wanted(f"/{text}", frozenset({200})) for _ in range(8)],
            *[Wanted(f"/{page}?view=bytes") for _ in range(4)],
            *[Wanted(f"/{page}", fields={"Accept": "text/html"}) for _ in range(2)],
            Wanted(f"/-/page/{page}"),
            Wanted(f"/{text}", fields={"If-None-Match": "*"}, statuses=frozenset({304})),
            Wanted(f"/{text}", frozenset({206}), fields={"Range": "bytes=3-9"}),
            Wanted(f"/{text}?fragment=char=0,4"),
            Wanted(f"/{text}", method="HEAD"),
            Wanted(f"/{document}"),
            Wanted(f"/{document}.html.9", frozenset({404})),
            Wanted("/urn:pdi://nonsense", frozenset({400, 404})),
            Wanted(f"/{page}", frozenset({405}), "DELETE"),
            Wanted(f"/-/api/document?name={document}"),
            Wanted(f"/uri-res/N2C?{page}"),
            Wanted(f"/uri-res/L2Ns?https://sea.example/{number % 50}", frozenset({200, 404})),
            Wanted(f"/-/search?q=day+{number % 40}"),
            Wanted(f"/-/timemap/link/https://sea.example/{number % 40}"),
            Wanted("/"),
            Wanted("/-/static/reader.css"),
            Wanted(f"/-/api/proof?name={page}"),
            Wanted(f"/{names[-1]}", is_left=True),
            Wanted("/-/cite", frozenset({303}), "POST", cited.encode(), {"Content-Type": FORM}),
            Wanted("/-/api/cite", frozenset({400, 415, 422}), "POST", b"[" * number),
            put(number),
        ]
        yield from dice.sample(some, 16)


class Askers:
    """Several who ask at once, each on a connection of their own."""

    def __init__(self, running: Running, wanted: Iterator[Wanted]) -> None:
        self._place = running.base.removeprefix("http://")
        self._wanted = wanted
        self._lock = threading.Lock()
        self._left = 0
        self.kept: list[str] = []
        """The names that were given."""
        self.wrong: list[str] = []

    def ask(self, count: int) -> None:
        """Ask so often, and wait for all answers."""
        self._left = count
        threads = [threading.Thread(target=self._run) for _ in range(AT_ONCE)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

    def _next(self) -> Wanted | None:
        with self._lock:
            self._left -= 1
            return next(self._wanted) if self._left >= 0 else None

    def _run(self) -> None:
        line = http.client.HTTPConnection(self._place, timeout=60)
        while (wanted := self._next()) is not None:
            line.request(wanted.method, wanted.target, wanted.body or None, wanted.fields)
            answer = line.getresponse()
            if wanted.is_left:
                answer.read(9)
                line.close()
                continue
            told = answer.read()
            if answer.status not in wanted.statuses:
                self.wrong.append(
                    f"{wanted.method} {wanted.target}: {answer.status} {told[:500]!r}"
                )
            if answer.status == 201:
                self.kept.append(answer.headers["Content-Location"])
        line.close()


def own_mib(processes: list[int]) -> float:
    """The memory that processes have for themselves, without files that are mapped."""
    told = [Path(f"/proc/{each}/smaps_rollup").read_text("ascii") for each in processes]
    return (
        sum(int(found) for each in told for found in re.findall(r"Anonymous: +(\d+)", each)) / 1024
    )


@pytest.mark.timeout(3 * 3600)
def test_mixed_requests_leave_memory_as_it_is(
    archive: Path, times: Callable[[int, int], int]
) -> None:
    names = shelf(archive)
    count = times(4_000, 100_000)
    with served(archive, "--writable", "--public", "--workers", "2") as running:
        asking = Askers(running, mixed(names))
        processes = workers(running)
        assert len(processes) == 2
        sizes = []
        for _ in range(10):
            asking.ask(count // 10)
            assert asking.wrong == []
            sizes.append(own_mib(processes))
        print("MiB of two workers:", *map(round, sizes))  # noqa: T201 - of interest where it holds, too
        assert workers(running) == processes
    assert sizes[-1] < sizes[4] * (1 + GROWTH), sizes
    with Archive.open(archive) as held:
        assert all((held.resolve(name).text or "").startswith("Words") for name in asking.kept)


@pytest.fixture
def many_files() -> Iterator[None]:
    """Let this process have as many files open as it may; ordinary users begin with 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("many_files")
def test_half_open_requests_keep_nobody_out_of_two_workers(archive: Path) -> None:
    names = shelf(archive)
    with served(archive, "--workers", "2") as running, contextlib.ExitStack() as held:
        place = ("127.0.0.1", int(running.base.rpartition(":")[2]))
        for _ in range(1000):
            half = held.enter_context(socket.create_connection(place, 20))
            half.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nA: ")
        for name in names[:20]:
            assert ask(running, f"/{name}")[0] == 200


@contextlib.contextmanager
def small_files(running: Running, size_bytes: int) -> Iterator[None]:
    """No file of a server may grow beyond so many octets: to it the disk is full."""
    before = resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    yield
    resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE, before)


def test_a_disk_that_fills_while_it_serves_is_told_and_reading_goes_on(archive: Path) -> None:
    names = shelf(archive)
    fields = {"Content-Type": "text/plain"}
    with served(archive, "--writable") as running:
        for size in (0, 4096, 300_000):
            kept = []
            with small_files(running, size):
                for number in range(40):
                    words = f"{size} {number} ".encode() * 2000
                    written = ask(running, "/pdi://lab.example.us/", "PUT", words, fields)
                    assert written[0] in {201, 503, 507}, written
                    if written[0] == 201:
                        kept.append((written[1]["content-location"], words))
                assert len(kept) < 40
                for name in names[:10]:
                    assert ask(running, f"/{name}")[0] == 200
            assert ask(running, "/pdi://lab.example.us/", "PUT", b"again", fields)[0] == 201
            assert [ask(running, f"/{name}")[2] for name, _ in kept] == [each for _, each in kept]
    with Archive.open(archive) as held:
        assert held.verify().ok


def test_a_disk_that_may_only_be_read_is_served_and_told(archive: Path) -> None:
    names = shelf(archive)
    fields = {"Content-Type": "text/plain"}
    if not mounted(["mount", "--bind", str(archive), str(archive)]):
        no_right("only root can make a disk read-only")
    try:
        assert mounted(["mount", "-o", "remount,ro,bind", str(archive)])
        with served(archive, "--writable") as running:
            for _ in range(2):
                refused = ask(running, "/pdi://lab.example.us/", "PUT", b"two", fields)
                assert refused[0] in {503, 507}, refused
                assert all(ask(running, f"/{name}")[0] == 200 for name in names[:10])
    finally:
        subprocess.run(["umount", "-l", str(archive)], check=True)
