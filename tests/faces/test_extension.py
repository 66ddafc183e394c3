"""The extension in a real Chromium: what it saves and cites, what leaves it, what it says."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from tests.faces.account import COOKIE, account_site, recording
from tests.faces.conftest import BROWSER_ARGUMENTS, served

from permacite.service.archive import Archive
from permacite.service.handed.folder import extension_files, write_folder, zipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Page, Playwright, Worker
    from tests.faces.account import Wire
    from tests.faces.conftest import Outcome

SELECT = """() => {
  const text = document.getElementById("words").firstChild, range = document.createRange();
  range.setStart(text, 4);
  range.setEnd(text, text.length - 1);
  getSelection().addRange(range);
}"""
WAIT_MS = 20_000
_FEATURES = (
    "DisableLoadExtensionCommandLineSwitch,OptimizationHints,OptimizationGuideModelDownloading"
)
"""Of Chromium, that are off: one keeps extensions out, others call home."""
_OF_CHROMIUM_ITSELF = (".google.com:443", ".googleapis.com:443")
"""It calls home with and without an extension."""


@dataclass
class Extended:
    """A Chromium with the extension, connected to an archive; all through a proxy."""

    context: BrowserContext
    worker: Worker
    popup: Page
    archive: Path
    server: str
    secret: str
    wire: Wire
    site: str

    def state(self, *phases: str) -> dict[str, Any]:
        """Wait until what is being done is in one of these phases."""
        self.popup.wait_for_function(
            "phases => globalThis.lastPhase && phases.includes(globalThis.lastPhase)",
            arg=list(phases),
            timeout=WAIT_MS,
        )
        state: dict[str, Any] = self.worker.evaluate("permacite.state()")
        return state

    def open(self, tab: int | None = None) -> None:
        """Open the popup as a click on the button does, about a tab."""
        query = "" if tab is None else f"?tab={tab}"
        self.popup.goto(f"chrome-extension://{self.worker.url.split('/')[2]}/popup.html{query}")

    def tab_of(self, page: Page) -> int:
        """The number of the tab of a page, which is brought to the front."""
        page.bring_to_front()
        found = self.worker.evaluate(
            "async () => (await chrome.tabs.query({ active: true, windowType: 'normal' }))[0].id"
        )
        assert isinstance(found, int)
        return found


@pytest.fixture(scope="module")
def extended(
    chromium: str, playwright: Playwright, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Extended]:
    """Return a connected extension."""
    folder = tmp_path_factory.mktemp("extended")
    write_folder(folder / "extension")
    Archive.create(folder / "archive", series="lab.example.us").close()
    with Archive.open(folder / "archive") as archive:
        secret = archive.add_token().secret
    with (
        account_site() as site,
        recording() as wire,
        served(folder / "archive") as server,
    ):
        context = playwright.chromium.launch_persistent_context(
            str(folder / "profile"),
            executable_path=chromium,
            headless=False,  # the old way to be headless has no extensions
            args=[
                *BROWSER_ARGUMENTS,
                "--headless=new",
                f"--disable-features={_FEATURES}",
                f"--disable-extensions-except={folder / 'extension'}",
                f"--load-extension={folder / 'extension'}",
                f"--proxy-server={wire.address}",
                "--proxy-bypass-list=<-loopback>",
            ],
        )
        workers = context.service_workers
        worker = workers[0] if workers else context.wait_for_event("serviceworker")
        with context.expect_page() as opened:  # a window of its own: the page stays in view
            worker.evaluate("chrome.windows.create({ type: 'popup', url: 'popup.html?shown=1' })")
        popup = opened.value
        popup.set_default_timeout(WAIT_MS)
        popup.add_init_script(
            "const connect = chrome.runtime.connect; chrome.runtime.connect = () => {"
            " const port = connect.call(chrome.runtime);"
            " port.onMessage.addListener((job) => { globalThis.lastPhase = job.phase; });"
            " return port; }"
        )
        yield Extended(context, worker, popup, folder / "archive", server.base, secret, wire, site)
        context.close()


def connect(extended: Extended) -> None:
    """Paste the token."""
    extended.worker.evaluate("chrome.storage.local.clear()")
    extended.open()
    extended.popup.fill("#server", extended.server)
    extended.popup.fill("#token", extended.secret)
    extended.popup.click("#setup button")
    extended.popup.wait_for_selector("#setup", state="hidden")


@pytest.mark.browser
def test_a_page_behind_a_login_is_saved_and_cited_with_two_clicks(extended: Extended) -> None:
    connect(extended)
    page = extended.context.new_page()
    page.goto(f"{extended.site}/login")
    page.goto(f"{extended.site}/account")
    page.wait_for_function("document.title === 'Letters'")
    page.evaluate(SELECT)
    tab = extended.tab_of(page)
    before = len(extended.wire.sent)
    extended.open(tab)
    assert extended.state("decide", "failed")["account"] is True
    extended.popup.click("#send")
    state = extended.state("done", "failed")
    assert state["phase"] == "done", state
    with Archive.open(extended.archive) as archive:
        item = state["item"]
        assert archive.resolve(item["reference"]).text == "herons came back in spring"
        assert ".text+drawn." in item["reference"]
        assert archive.standing(item["reference"]).standing.access == "closed"
        formats = archive.show(item["reference"]).document.formats
        assert {"html", "related", "multipart+drawn", "text+drawn", "png"} <= {
            each.format for each in formats
        }
        served = next(each for each in formats if each.format == "html")
        assert b"Loading" in (archive.resolve(served.pdi).content or b"")
    assert extended.popup.input_value("#citation") == item["text"]
    assert "archive-url" not in item["text"]
    left(extended, before)
    pictured = extended.worker.evaluate(
        "async ([id, picture]) => { await permacite.start({ id }, { picture }); }",
        [tab, f"{extended.site}/picture.png"],
    )
    assert pictured is None
    item = extended.state("done", "failed")["item"]
    assert ".png." in item["reference"]
    assert "#rect=" in item["reference"], "what the context menu does"
    page.close()


def left(extended: Extended, before: int) -> None:
    """What left the browser: no cookie but to its own site, and nothing to any other host."""
    sent = [
        each
        for each in extended.wire.sent[before:]
        if not each.address.endswith(_OF_CHROMIUM_ITSELF)
    ]
    server = extended.server.removeprefix("http://")
    site = extended.site.removeprefix("http://")
    assert {each.host or each.address for each in sent} == {server, site}
    to_server = [each for each in sent if each.host == server]
    assert [each.method for each in to_server if each.method != "OPTIONS"] == ["POST"]
    for each in to_server:
        assert "cookie" not in each.headers
        assert COOKIE.encode() not in each.body
        assert extended.secret.encode() not in each.body
        assert b"canary" not in each.body
    for each in sent:
        if each.host == site:
            assert extended.secret not in str(each)


@pytest.mark.browser
def test_an_open_page_that_fights_is_saved_with_one_click_as_it_stands(
    extended: Extended,
) -> None:
    connect(extended)
    extended.context.clear_cookies()
    page = extended.context.new_page()
    page.goto(f"{extended.site}/fights")
    tab = extended.tab_of(page)
    extended.open(tab)
    state = extended.state("done", "failed", "decide")
    assert state["phase"] == "done", state
    assert state["item"]["quote"] == "the same words"
    assert state["item"]["account"] is False
    page.close()


@pytest.mark.browser
def test_secrets_in_addresses_are_shown_and_cut(extended: Extended) -> None:
    connect(extended)
    extended.context.clear_cookies()
    page = extended.context.new_page()
    page.goto(f"{extended.site}/open?page=2&access_token=heron-0815-canary")
    extended.open(extended.tab_of(page))
    assert extended.state("decide", "failed")["phase"] == "decide"
    assert "heron-0815-canary" in extended.popup.inner_text("#secrets")
    before = len(extended.wire.sent)
    extended.popup.click("#send")
    state = extended.state("done", "failed")
    assert state["phase"] == "done", state
    assert all(b"0815" not in each.body for each in extended.wire.sent[before:])
    with Archive.open(extended.archive) as archive:
        shown = archive.show(state["item"]["reference"])
        assert shown.document.uri == f"{extended.site}/open?page=2&access_token="
    page.close()


@pytest.mark.browser
def test_every_refusal_is_said_where_the_user_looks(extended: Extended) -> None:
    connect(extended)
    popup = extended.popup
    extended.context.clear_cookies()
    page = extended.context.new_page()
    page.goto(f"{extended.site}/open")
    tab = extended.tab_of(page)
    with Archive.open(extended.archive) as archive:
        other = archive.add_token()
        extended.worker.evaluate(
            "token => chrome.storage.local.set({ token, series: 'other.us' })", other.secret
        )
        extended.open(tab)
        state = extended.state("failed", "done")
        assert "of the series lab.example.us" in popup.inner_text("#problem"), state
        archive.revoke_token(other.token.id)
        popup.click("#anew")
        popup.wait_for_function(
            "() => document.querySelector('#problem').textContent.includes('revoked')"
        )
        assert archive.tokens()
    popup.click("#settings summary")
    popup.click("#leave")
    for server, problem in (
        (extended.site, "No permacite answers"),
        ("http://archive.example", "in clear"),
        ("http://127.0.0.1:9", "No permacite answers"),
        ("https://ann:secret@archive.example", "no address"),
    ):
        popup.fill("#server", server)
        popup.fill("#token", "permacite_x")
        popup.click("#setup button")
        popup.wait_for_function(
            "told => document.querySelector('#problem').textContent.includes(told)", arg=problem
        )
    page.close()


def test_the_folder_is_whole_and_asks_nobody_outside() -> None:
    files = extension_files()
    manifest = json.loads(files["manifest.json"])
    named = {manifest["background"]["service_worker"], manifest["action"]["default_popup"]}
    assert named <= files.keys()
    words = {
        language: json.loads(files[f"_locales/{language}/messages.json"])
        for language in ("en", "de", "fr")
    }
    assert words["en"].keys() == words["de"].keys() == words["fr"].keys()
    for path, content in files.items():
        text = content.decode()
        if path.endswith((".html", ".css")):
            assert "http" not in text.replace("http://127.0.0.1:8420", ""), path
        assert "eval(" not in text, path
    assert zipped() == zipped()


def test_the_folder_is_written_once_more_and_over_nothing_else(
    cli: Callable[..., Outcome], tmp_path: Path
) -> None:
    assert cli("extension", str(tmp_path / "new")).status == 0
    assert cli("extension", str(tmp_path / "new")).status == 0
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("mine")
    assert cli("extension", str(tmp_path / "other")).status == 1
