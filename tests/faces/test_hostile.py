"""Hostile pages in a real browser: on every route, exported, clicked, and nothing comes of it.

`tests.faces.hostile` has the table: each way to connect or to run, in each place of a page. The
control shows which of them work where nothing stands in the way; only such ones count.
"""

from __future__ import annotations

import contextlib
import subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from tests.faces.conftest import served
from tests.faces.hostile import CONTEXTS, Sink, Vector, listening, vectors

from permacite import mhtml
from permacite.mhtml.export import single_html
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

Error = pytest.importorskip("playwright.sync_api").Error

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser(whole_browser: Browser) -> Browser:
    """Connect ahead, keep and restore, as the parts around the pages do."""
    return whole_browser


AT_ONCE = 60
"""Frames in one page."""
SETTLED_MS = 600
"""That nothing happens can only be seen by waiting for it."""
CLICK = """async () => {
    for (const node of document.querySelectorAll("a, button, summary, input, area")) {
        node.click();
    }
    return document.documentElement.dataset.ran ?? "";
}"""
FRAMES = """addresses => Promise.all(addresses.map(address => new Promise(done => {
    const frame = document.createElement("iframe");
    frame.onload = done;
    setTimeout(done, 1000);
    frame.src = address;
    document.body.append(frame);
})))"""


@pytest.fixture
def chosen(times: Callable[[int, int], int]) -> list[Vector]:
    """The vectors that are tried: each kind once, the places in turn; all of them with --deep."""
    whole = [each for each in vectors() if not each.is_hint]
    if times(0, 1):
        return whole
    return whole[:: len(CONTEXTS) + 1]


@pytest.fixture
def sink(chosen: list[Vector]) -> Iterator[Sink]:
    """What listens at the addresses of those vectors."""
    with listening(chosen) as opened:
        yield opened


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A profile of its own."""
    opened = browser.new_context()
    yield opened
    opened.close()


@contextlib.contextmanager
def unprotected(pages: dict[str, bytes]) -> Iterator[str]:
    """Serve pages as any site would; returns where."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(self.path, b"<!doctype html><body>")
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def frames_clicked(page: Page, addresses: Sequence[str]) -> list[str]:
    """Show addresses in frames of a page and click whatever they have; returns who ran a script."""
    ran: list[str] = []
    page.evaluate(FRAMES, list(addresses))
    for frame in page.frames[1:]:
        with contextlib.suppress(Exception):  # a frame that went elsewhere
            if frame.evaluate(CLICK):
                ran.append(frame.url)
    page.wait_for_timeout(SETTLED_MS)
    return ran


def alone(context: BrowserContext, addresses: Sequence[str]) -> list[str]:
    """Open addresses one after the other, and click what they have; returns who ran a script."""
    ran: list[str] = []
    page = context.new_page()
    for address in addresses:
        try:
            page.goto(address)
            ran += [address] if page.evaluate(CLICK) else []
        except Error:  # it is kept as a file, or leads elsewhere
            page.close()
            page = context.new_page()
    page.wait_for_timeout(SETTLED_MS)
    page.close()
    return ran


def batches(addresses: Sequence[str]) -> Iterator[Sequence[str]]:
    """Some at a time."""
    for first in range(0, len(addresses), AT_ONCE):
        yield addresses[first : first + AT_ONCE]


def test_each_way_works_where_nothing_stands_in_it(
    context: BrowserContext,
    chosen: list[Vector],
    sink: Sink,
    times: Callable[[int, int], int],
) -> None:
    pages = {f"/{each.number}": each.page(sink.port) for each in chosen}
    with unprotected(pages) as base:
        for some in batches([base + path for path in pages]):
            page = context.new_page()
            page.goto(base)
            frames_clicked(page, some)
            page.close()
    working = [each for each in chosen if each.host in sink.connected]
    silent = sorted(f"{each.kind} in {each.context}" for each in chosen if each not in working)
    assert {each.context for each in working} == set(CONTEXTS)
    assert len(working) >= times(50, 400), silent


def test_nothing_comes_of_them_on_any_route(
    archive: Path,
    context: BrowserContext,
    chosen: list[Vector],
    sink: Sink,
    times: Callable[[int, int], int],
) -> None:
    with Archive.open(archive) as held:
        names = [
            held.add(each.page(sink.port), name="x.html", uri=f"http://a.example/{each.number}").pdi
            for each in chosen
        ]
    shown = [f"/-/page/{name}" for name in names]
    octets = [f"/{name}?view=bytes" for name in names[:: times(14, 1)]]
    with served(archive) as running:
        for some in batches(shown + octets):
            page = context.new_page()
            page.goto(f"{running.base}/-/sign-in")
            assert frames_clicked(page, [running.base + path for path in some]) == []
            page.close()
    assert told(sink, chosen) == []


def test_nothing_comes_of_them_in_exports(
    tmp_path: Path,
    context: BrowserContext,
    chosen: list[Vector],
    sink: Sink,
    times: Callable[[int, int], int],
) -> None:
    few = [each for each in chosen if not each.number % times(6, 1)]
    aggregates = []
    (tmp_path / "home.html").write_text("<!doctype html><body>")
    files = []
    for each in chosen:
        root = mhtml.Resource(each.page(sink.port), "text/html", f"http://a.example/{each.number}")
        made = single_html(mhtml.open(mhtml.build(root, [])))
        (tmp_path / f"{each.number}.html").write_text(made.html, encoding="utf-8", newline="")
        files.append((tmp_path / f"{each.number}.html").as_uri())
        aggregate = tmp_path / f"{each.number}.mhtml"
        aggregate.write_bytes(mhtml.build(root, [], profile="chromium"))
        aggregates += [aggregate.as_uri()] if each in few else []
    assert alone(context, aggregates) == []
    assert told(sink, chosen) == [], "as aggregates"
    page = context.new_page()
    for some in batches(files):
        page.goto((tmp_path / "home.html").as_uri())
        assert frames_clicked(page, some) == []
    assert told(sink, chosen) == [], "as pages"


def test_hints_connect_from_nothing_that_we_show_or_write(
    archive: Path, chromium: str, tmp_path: Path
) -> None:
    """A browser that is driven connects nowhere ahead, so here is one as people have it."""
    hints = [each for each in vectors() if each.is_hint and each.context in {"body", "table"}]

    def written(name: str, content: bytes) -> str:
        (tmp_path / name).write_bytes(content)
        return (tmp_path / name).as_uri()

    with listening(hints) as ears, Archive.open(archive) as held:

        def opened(address: str) -> set[str]:
            ears.connected.clear()
            words = [
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--timeout=1000",
                "--dump-dom",
            ]
            command = [chromium, *words, f"--user-data-dir={tmp_path / 'profile'}", address]
            subprocess.run(command, capture_output=True, timeout=60, check=False)
            return set(ears.connected)

        page = b"".join(each.page(ears.port) for each in hints)
        root = mhtml.Resource(page, "text/html", "http://a.example/")

        def works(address: str) -> bool:
            """Whether it connects: a browser that is slow may end before it does."""
            return any(opened(address) for _ in range(5))

        assert works(written("a.html", page)), "they work in a page"
        assert works(written("a.mhtml", mhtml.build(root, []))), "and in an aggregate"
        assert not opened(written("b.mhtml", mhtml.build(root, [], profile="chromium")))
        single = single_html(mhtml.open(mhtml.build(root, []))).html
        assert not opened(written("b.html", single.encode()))
        name = held.add(page, name="x.html").pdi
        with served(archive) as running:
            for way in ("/-/page/{}", "/{}"):
                assert not opened(running.base + way.format(name)), way


def told(sink: Sink, chosen: list[Vector]) -> list[str]:
    """The vectors that connected."""
    return [f"{each.kind} in {each.context}" for each in chosen if each.host in sink.connected]
