"""Pages that fight the extension, servers that are not ours, and ends in the middle of a save.

Nothing half is committed, and every refusal is said in the popup.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from tests.faces.conftest import served
from tests.faces.extended import connect, of_ours, running_extended

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from http.server import BaseHTTPRequestHandler
    from pathlib import Path

    from playwright.sync_api import Page, Playwright
    from tests.faces.account import Answer, Sent, Wire
    from tests.faces.extended import Extended

pytestmark = pytest.mark.browser

QUICK_MS = 1500
"""How long is waited where a test waits for the end of patience."""


@pytest.fixture
def page(extended: Extended) -> Iterator[Page]:
    """Return a new page in the browser with the extension, connected."""
    connect(extended)
    opened = extended.context.new_page()
    yield opened
    opened.close(run_before_unload=False)


@contextlib.contextmanager
def hurried(extended: Extended, *names: str) -> Iterator[None]:
    """Let the extension be impatient until the block ends."""
    before = extended.worker.evaluate("({ ...permacite.bounds })")
    extended.worker.evaluate(
        "([names, ms]) => { for (const name of names) permacite.bounds[name] = ms; }",
        [names, QUICK_MS],
    )
    try:
        yield
    finally:
        extended.worker.evaluate("before => { Object.assign(permacite.bounds, before); }", before)


@pytest.mark.parametrize(
    "path", ["/fights", "/fights-by-policy", "/fights-in-a-sandbox", "/endless"]
)
def test_a_page_that_fights_is_saved_as_it_stands(
    extended: Extended, page: Page, path: str
) -> None:
    page.goto(extended.site + path)
    before = len(extended.wire.sent)
    with extended.clicked(page) as button:
        state = extended.state("done", "failed", "decide")
        if state["phase"] == "decide":  # in a sandbox nothing is known of who is let in
            assert path == "/fights-in-a-sandbox"
            button.click("#send")
            state = extended.state("done", "failed")
        assert state["phase"] == "done", f"{state}"
        assert state["item"]["quote"] == "the same words"
    sent = of_ours(extended, before)
    told = [each.body for each in sent if each.address.endswith("/report")]
    assert told == [], "a page's policy tells nobody of us"
    if path != "/endless":
        assert page.get_attribute("body", "data-heard") is None, "the page heard of us"


def test_a_page_whose_scripts_never_end_is_not_saved_and_it_is_said(
    extended: Extended, page: Page
) -> None:
    page.goto(f"{extended.site}/frozen")
    count = documents(extended.archive)
    page.wait_for_timeout(500)
    with hurried(extended, "documentMs"), extended.clicked(page) as button:
        assert extended.state("done", "failed", "decide")["problem"]["name"] == "silent"
        assert "its scripts never end" in button.text("#problem")
    assert documents(extended.archive) == count


def test_a_page_that_goes_away_meanwhile_is_saved_as_it_stood_or_not_at_all(
    extended: Extended, page: Page
) -> None:
    count = documents(extended.archive)
    ended = threading.Event()

    def never(_: BaseHTTPRequestHandler, sent: Sent) -> bool:
        if is_for_ever := sent.address.endswith("/never.gif"):
            ended.wait(60)
        return is_for_ever

    with (
        answering(extended.wire, host_of(extended.site), never),
        hurried(extended, "documentMs", "octetsMs"),
    ):
        try:
            page.goto(f"{extended.site}/leaving", wait_until="commit")
            page.wait_for_function("String(getSelection()).length > 0")
            with extended.clicked(page) as button:
                extended.state("octets", "done", "failed")
                page.goto(f"{extended.site}/open", wait_until="commit")
                state = extended.state("done", "failed", "decide")
                if state["phase"] == "decide":
                    button.click("#send")
                    state = extended.state("done", "failed")
                if state["phase"] == "failed":
                    assert "Nothing was saved" in button.text("#problem")
        finally:
            ended.set()
    is_saved = state["phase"] == "done"
    assert documents(extended.archive) == count + is_saved
    assert not is_saved or state["item"]["quote"] == "the same words"


# ------------------------------------------------------------ servers
LIES = {
    "html": (200, "text/html", b"<h1>It works</h1>"),
    "another": (200, "application/json", b'{"permacite": 7, "saved": {"pdi": 7}}'),
    "list": (200, "application/json", b"[]"),
    "null": (200, "application/json", b"null"),
    "script": (
        201,
        "application/json",
        b'{"saved": {"pdi": "x", "document": {}}, "url": "javascript:alert(1)"}',
    ),
    "error": (500, "application/json", b'{"code": 7}'),
    "redirect": (302, "text/plain", b""),
}
NOWHERE = "127.0.0.1:8421"
"""Where nobody is but who answers in the proxy."""


def lying(handler: BaseHTTPRequestHandler, sent: Sent) -> bool:
    """Answer as servers do that are not ours."""
    allowed = {f"Access-Control-Allow-{each}": "*" for each in ("Origin", "Methods")}
    allowed["Access-Control-Allow-Headers"] = "Authorization, Content-Type"
    name = sent.address.removeprefix(f"http://{NOWHERE}/").partition("/")[0]
    is_huge = name == "huge"
    status, kind, body = LIES.get(name, (200, "application/json", b'{"permacite": "'))
    handler.send_response(204 if sent.method == "OPTIONS" else status)
    for field, value in allowed.items():
        handler.send_header(field, value)
    handler.send_header("Location", f"http://{NOWHERE}/html")
    handler.send_header("Content-Type", kind)
    size = 10 * 1024**3 if is_huge else len(body)
    handler.send_header("Content-Length", "0" if sent.method == "OPTIONS" else str(size))
    handler.end_headers()
    if sent.method != "OPTIONS":
        with contextlib.suppress(OSError):  # nobody reads ten gigabytes
            handler.wfile.write(body)
            for _ in range(10 * 1024 if is_huge else 0):
                handler.wfile.write(b"x" * 1024 * 1024)
    handler.close_connection = is_huge
    return True


def test_servers_that_are_not_ours_get_no_page_and_no_citation_is_shown(
    extended: Extended, page: Page
) -> None:
    page.goto(f"{extended.site}/open")
    count = documents(extended.archive)
    with (
        answering(extended.wire, NOWHERE, lying),
        hurried(extended, "pauseMs"),
        extended.clicked(page) as button,
    ):
        extended.state("done", "failed")
        count += 1  # what is saved once is the same page then
        for name in [*LIES, "huge"]:
            server = f"http://{NOWHERE}/{name}"
            extended.worker.evaluate("server => chrome.storage.local.set({ server })", server)
            extended.worker.evaluate("permacite.forget()")
            button.run("anew.click()")
            state = extended.state("done", "failed")
            assert state["phase"] == "failed", (name, state)
            expected = "was lost" if name == "redirect" else "No permacite answers"
            button.wait_for("#problem")
            assert expected in button.text("#problem"), name
        assert len(button.run("[...document.querySelectorAll('#recents li')]")) == 1
    assert documents(extended.archive) <= count


def test_a_silent_server_is_not_waited_for_without_end(extended: Extended) -> None:
    ended = threading.Event()

    def silent(*_: object) -> bool:
        return ended.wait(60)

    popup = extended.popup
    extended.worker.evaluate("chrome.storage.local.clear()")
    extended.open()
    with answering(extended.wire, NOWHERE, silent):
        try:
            # the popup has bounds of its own
            popup.evaluate(
                "async (ms) => { (await import('./bounds.js')).BOUNDS.askingMs = ms; }", QUICK_MS
            )
            popup.fill("#server", f"http://{NOWHERE}/slow")
            popup.fill("#token", "permacite_x")
            popup.click("#setup button")
            popup.wait_for_selector("#problem:not([hidden])")
            assert "No permacite answers" in popup.inner_text("#problem")
        finally:
            ended.set()


def test_a_server_that_stops_in_the_middle_is_told_and_a_lost_answer_costs_nothing(
    extended: Extended, page: Page
) -> None:
    page.goto(f"{extended.site}/counted?{QUICK_MS}")
    count = documents(extended.archive)
    posted = []
    with served(extended.archive) as other:

        def lose(handler: BaseHTTPRequestHandler, sent: Sent) -> bool:
            if sent.method != "POST":
                return False
            posted.append(sent)
            if len(posted) == 1:  # it arrives, and its answer is lost
                passed_on(sent)
                handler.close_connection = True
                return True
            if len(posted) == 3:
                other.process.terminate()
                other.process.wait(30)
            return False

        extended.worker.evaluate("server => chrome.storage.local.set({ server })", other.base)
        with (
            answering(extended.wire, host_of(other.base), lose),
            hurried(extended, "pauseMs"),
            extended.clicked(page) as button,
        ):
            assert extended.state("done", "failed")["phase"] == "done"
            assert documents(extended.archive) == count + 1
            extended.worker.evaluate("permacite.forget()")
            button.run("anew.click()")
            assert extended.state("done", "failed")["problem"]["name"] == "lost"
            assert "lost on the way" in button.text("#problem")
    assert documents(extended.archive) == count + 1


def test_a_browser_that_is_closed_in_the_middle_leaves_nothing(
    chromium: str, playwright: Playwright, tmp_path: Path
) -> None:
    reached, closed, half = threading.Event(), threading.Event(), threading.Event()

    def cut(handler: BaseHTTPRequestHandler, sent: Sent) -> bool:
        if sent.method != "POST" or not sent.address.endswith("/captures"):
            return False
        reached.set()
        closed.wait(60)
        passed_on(sent, len(sent.body) // 2)
        half.set()
        handler.close_connection = True
        return True

    with running_extended(chromium, playwright, tmp_path) as extended:
        connect(extended)
        page = extended.context.new_page()
        page.goto(f"{extended.site}/open")
        with answering(extended.wire, host_of(extended.server), cut):
            with extended.clicked(page):
                assert reached.wait(20)
                extended.context.close()
            closed.set()
            assert half.wait(60)
        assert documents(extended.archive) == 0
        assert not [each for each in extended.archive.iterdir() if each.name.startswith("tmp")]


def passed_on(sent: Sent, size: int | None = None) -> None:
    """Send a request on, or the beginning of it; nobody waits for the answer."""
    place = urlsplit(sent.address)
    head = [f"POST {place.path} HTTP/1.1"]
    fields = {**sent.headers, "content-length": str(len(sent.body)), "connection": "close"}
    head += [f"{name}: {value}" for name, value in fields.items() if name != "transfer-encoding"]
    with socket.create_connection((place.hostname or "", place.port or 80), timeout=30) as server:
        server.sendall("\r\n".join([*head, "", ""]).encode("latin-1") + sent.body[:size])
        if size is None:
            while server.recv(65536):
                pass


def host_of(address: str) -> str:
    """Host and port."""
    return urlsplit(address).netloc


@contextlib.contextmanager
def answering(wire: Wire, host: str, answer: Answer) -> Iterator[None]:
    """Let the proxy answer for a host until the block ends."""
    wire.instead[host] = answer
    try:
        yield
    finally:
        del wire.instead[host]


def documents(archive: Path) -> int:
    """How many there are."""
    with Archive.open(archive) as opened:
        return opened.documents.about().documents
