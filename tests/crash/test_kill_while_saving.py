"""kill -9 at random points during saves of real pages: nothing acknowledged is lost.

A child saves pages from a site on loopback, one after another, and prints each name once `save`
has returned. It is killed without warning, again and again, until enough saves are acknowledged;
after each kill the archive must open, hold every acknowledged page, and verify clean. Another child
imports files, which are committed in groups.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.engines import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.engines(deep=True)

CHILD = """
import sys
from permacite.service.archive import Archive
archive, base, first = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Archive.open(archive) as service:
    for number in range(first, first + 1000):
        saved = service.save(f"{base}/{number}", allow_private=True)
        print(number, saved.pdi, flush=True)
"""

IMPORTING = """
import sys
from pathlib import Path
from permacite.service.archive import Archive
archive, folder, first = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])

def paths():
    for number in range(first, first + 1000):
        path = folder / f"{number}.html"
        path.write_text(f"<title>{number}</title><p>Page {number}.")
        yield path

with Archive.open(archive) as service:
    for path, saved in service.lists.files.add_files(paths()):
        print(path.stem, saved.pdi, flush=True)
"""


@contextmanager
def site() -> Iterator[str]:
    """Serve /<number> as a page with an image and a stylesheet of its own."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.strip("/")
            if name.isdigit():
                kind, body = "text/html", page(name)
            else:
                kind, body = "text/css", b"p { color: #" + name.encode().hex()[:6].encode() + b" }"
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def page(name: str) -> bytes:
    """Return the page served under a number."""
    return f"<title>{name}</title><link rel=stylesheet href={name}.css><p>Page {name}.".encode()


def run_and_kill(
    archive: Path, base: str, first: int, alive_s: float, child: str = CHILD
) -> dict[int, str]:
    """Run a child that saves, kill it after `alive_s` of work, return what it acknowledged."""
    process = subprocess.Popen(
        [sys.executable, "-c", child, str(Repository.at(archive)), base, str(first)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline()]  # it is at work once it has said its first word
    threading.Timer(alive_s, process.send_signal, [signal.SIGKILL]).start()
    lines += process.stdout.readlines()
    process.wait()
    process.stdout.close()
    whole = [line.split() for line in lines if line.endswith("\n")]
    return {int(number): name for number, name in whole}


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_nothing_acknowledged_is_lost(tmp_path: Path, times: Callable[[int, int], int]) -> None:
    saves = times(30, 3_000)
    archive = tmp_path / "archive"
    Archive.create(archive, series="lab.example.us").close()
    rng = random.Random(time.time_ns())  # noqa: S311 - other points in every run
    acknowledged: dict[int, str] = {}
    with site() as base:
        while len(acknowledged) < saves:
            first = max(acknowledged, default=0) + 1
            acknowledged |= run_and_kill(archive, base, first, rng.uniform(0.0, 0.6))
            with Archive.open(archive) as service:
                number, name = max(acknowledged.items())
                assert service.resolve(name).content == page(str(number))
    names = list(acknowledged.values())
    assert len(set(names)) == len(names)
    with Archive.open(archive) as service:
        for number, name in acknowledged.items():
            assert service.resolve(name).content == page(str(number))
        assert service.verify().findings == ()
        listed = service.documents.list()
        for document in listed.documents:
            assert {item.format for item in document.formats} == {"html", "utf-8", "related"}
        assert len(listed.documents) >= saves


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_nothing_acknowledged_of_many_files_is_lost(
    tmp_path: Path, times: Callable[[int, int], int]
) -> None:
    wanted = times(80, 10_000)
    archive, folder = tmp_path / "archive", tmp_path / "files"
    folder.mkdir()
    Archive.create(archive, series="lab.example.us").close()
    rng = random.Random(time.time_ns())  # noqa: S311 - other points in every run
    acknowledged: dict[int, str] = {}
    while len(acknowledged) < wanted:
        first = max(acknowledged, default=0) + 1
        alive_s = rng.uniform(0.0, 0.3)
        acknowledged |= run_and_kill(archive, str(folder), first, alive_s, IMPORTING)
    with Archive.open(archive) as service:
        for number, name in acknowledged.items():
            content = service.resolve(name).content
            assert content == f"<title>{number}</title><p>Page {number}.".encode()
        assert service.verify().findings == ()
        for document in service.documents.list().documents:
            assert {item.format for item in document.formats} == {"html", "utf-8"}
