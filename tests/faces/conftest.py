"""Real parts for the faces: a small web site on loopback, an archive, the server, a browser."""

from __future__ import annotations

import contextlib
import hashlib
import re
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.engines import Repository
from tests.needs import QUICKER, need
from tests.starting import start

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page, Playwright
    from tests.faces.extended import Extended
    from tests.starting import Forked

PATIENCE_MS = 20_000
"""How long a page may take to show what is expected of it."""
BROWSER_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Site:
    """A web site on loopback: `pages` maps a path to (content type, body), and may change."""

    base: str = ""
    pages: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    status: int = 200
    """What it answers with where there is a page."""
    fields: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Header fields of the answers of a path."""
    has_tags: bool = False
    """Whether it says by ETag what has changed, and answers 304 where nothing has."""
    spared: list[str] = field(default_factory=list)
    """What was asked for and had not changed."""

    def put(self, path: str, content_type: str, body: str | bytes) -> str:
        """Serve `body` at `path` from now on; returns its address."""
        self.pages[path] = (content_type, body.encode() if isinstance(body, str) else body)
        return self.base + path


@pytest.fixture
def site() -> Iterator[Site]:
    """Return an empty site that answers until the test ends."""
    served = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.requests.append(self.path)
            found = served.pages.get(self.path.partition("?")[0])
            content_type, body = found or ("text/plain", b"nothing here")
            tag = f'"{hashlib.sha256(body).hexdigest()[:8]}"'
            is_spared = served.has_tags and self.headers.get("If-None-Match") == tag
            if is_spared:
                served.spared.append(self.path)
            self.send_response(304 if is_spared else served.status if found else 404)
            for name, value in served.fields.get(self.path, ()):
                self.send_header(name, value)
            if served.has_tags:
                self.send_header("ETag", tag)
            if not is_spared:
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(b"" if is_spared else body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served.base = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield served
        server.shutdown()


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Return the folder of a fresh archive, which stands for where its records are."""
    Archive.create(tmp_path / "archive", series="lab.example.us").close()
    return tmp_path / "archive"


@dataclass(frozen=True)
class Outcome:
    """What a command printed, and its exit status."""

    status: int
    out: str
    err: str


@pytest.fixture
def cli(
    archive: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Outcome]:
    """Return a function that runs one command on the archive, in this process.

    A word that is a path is the folder of an archive, and stands for where its records are; that
    of a copy, or of any other file, is given as a text.
    """
    from permacite.cli.commands import run

    monkeypatch.setenv("PERMACITE_ARCHIVE", str(Repository.at(archive)))
    monkeypatch.setenv("COLUMNS", "200")

    def call(*words: str | Path) -> Outcome:
        capfdbinary.readouterr()
        status = run([str(Repository.at(word)) for word in words])
        sys.stdout.flush()
        printed = capfdbinary.readouterr()
        return Outcome(status, printed.out.decode(), printed.err.decode())

    return call


@dataclass(frozen=True)
class Running:
    """A server that answers at `base`."""

    base: str
    process: Forked | subprocess.Popen[str]
    told: tuple[str, ...]
    """The lines that it wrote before."""


@pytest.fixture
def running(archive: Path) -> Iterator[Running]:
    """Run `permacite serve` on the archive, as a user would."""
    with served(archive) as found:
        yield found


@contextlib.contextmanager
def served(archive: Path | str, *options: str) -> Iterator[Running]:
    """Run `permacite serve` until the block ends, on the archive of a folder or at a location."""
    location = str(Repository.at(archive))
    process = start(["--archive", location, "serve", "--port", "0", *options])
    assert process.stderr is not None
    base, told = "", []
    for line in process.stderr:
        told.append(line.rstrip())
        found = re.match(r"(http://\S+)/ answers", line)
        if found:
            base = found[1]
            break
    assert base, "the server did not start"
    try:
        yield Running(base, process, tuple(told))
    finally:
        process.terminate()
        process.wait(30)
        process.stderr.close()


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of Chromium."""
    return need("chromium")


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Return what drives browsers; a process has one at a time."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)  # its own 5 seconds are few beside other tests
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def whole_browser(chromium: str, playwright: Playwright) -> Iterator[Browser]:
    """Return the Chromium that people have, for what its outer parts may do by themselves."""
    opened = playwright.chromium.launch(executable_path=chromium, args=BROWSER_ARGUMENTS)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def browser(
    chromium: str, playwright: Playwright, pytestconfig: pytest.Config
) -> Iterator[Browser]:
    """Return a Chromium: with `--deep` the whole, else without its windows where that is here.

    Both are of one build; what has no windows takes half the time of the processor.
    """
    if not pytestconfig.getoption("--deep"):
        chromium = QUICKER.path or chromium
    opened = playwright.chromium.launch(executable_path=chromium, args=BROWSER_ARGUMENTS)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def extended(
    chromium: str, playwright: Playwright, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Extended]:
    """Return a Chromium with the extension; one for all tests, which connect it anew."""
    from tests.faces.extended import running_extended

    with running_extended(chromium, playwright, tmp_path_factory.mktemp("extended")) as running:
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Return a page of its own profile, whose errors fail the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    opened = context.new_page()
    troubles: list[str] = []
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.set_default_timeout(PATIENCE_MS)
    yield opened
    context.close()
    assert troubles == []
