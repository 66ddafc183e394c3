"""The extension in a real Chromium: what it saves and cites, what leaves it, what it says."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.faces.account import COOKIE
from tests.faces.extended import SELECT, connect, of_ours
from tests.faces.leaving import documented, rows

from permacite.service.archive import Archive
from permacite.service.extension.folder import extension_files, zipped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.faces.conftest import Outcome
    from tests.faces.extended import Extended

SEEN = """() => {
  globalThis.seen = new Set();
  const note = () => seen.add(document.getElementById("phase").textContent);
  new MutationObserver(note).observe(document.getElementById("phase"), { childList: true });
}"""


@pytest.mark.browser
def test_a_page_behind_a_login_is_saved_and_cited_with_two_clicks(extended: Extended) -> None:
    connect(extended)
    page = logged_in(extended)
    extended.context.grant_permissions(["clipboard-read"], origin=extended.site)
    before = len(extended.wire.sent)
    extended.popup.goto(f"{extended.worker.url.rpartition('/')[0]}/popup.html?shown=1")
    extended.popup.evaluate(SEEN)
    with extended.clicked(page) as button:
        assert extended.state("decide", "failed")["account"] is True
        button.click("#send")
        state = extended.state("done", "failed")
        assert state["phase"] == "done", state
        item = state["item"]
        button.wait_for("#done")
        assert button.run("document.querySelector('#citation').value") == item["text"]
        assert "closed to others" in button.text("#notes")
        assert "in the clipboard" in button.text("#said")
        assert "herons came back in spring" in str(button.run("recents.textContent"))
    page.bring_to_front()
    assert page.evaluate("navigator.clipboard.readText()") == item["text"]
    told = extended.popup.evaluate("[...seen]")
    for words in ("Reading the page", "What the page is made of: 3 of 3", "Sending"):
        assert any(each.startswith(words) for each in told), told
    assert rows(of_ours(extended, before), extended) == documented("Chromium, behind a login")
    nothing_is_told(extended, before)
    is_kept(extended.archive, item)
    page.close()


def logged_in(extended: Extended, query: str = "") -> Page:
    """A page behind a login, drawn by scripts, with some words marked."""
    page = extended.context.new_page()
    page.goto(f"{extended.site}/login")
    page.goto(f"{extended.site}/account{query}")
    page.wait_for_function("document.title === 'Letters'")
    page.evaluate(SELECT)
    return page


def is_kept(place: Path, item: dict[str, Any]) -> None:
    """What was handed over is archived as it was seen and served, closed, and cited."""
    with Archive.open(place) as archive:
        assert archive.resolve(item["reference"]).text == "herons came back in spring"
        assert ".text+drawn." in item["reference"]
        assert "archive-url" not in item["text"]
        assert archive.access.standing(item["reference"]).standing.access == "closed"
        document = archive.documents.show(item["reference"]).document
        formats = {each.format: each for each in document.formats}
        assert {"html", "related", "multipart+drawn", "text+drawn", "png"} <= set(formats)
        assert b"Loading" in (archive.resolve(formats["html"].pdi).content or b"")


def nothing_is_told(extended: Extended, before: int) -> None:
    """No secret is in what left the browser."""
    for each in of_ours(extended, before):
        assert COOKIE.encode() not in each.body
        assert b"canary" not in each.body
        assert extended.secret.encode() not in each.body


@pytest.mark.browser
def test_the_menu_cites_a_picture_and_an_open_page_takes_one_click(extended: Extended) -> None:
    connect(extended)
    page = extended.context.new_page()
    page.goto(f"{extended.site}/open")
    before = len(extended.wire.sent)
    with extended.clicked(page):
        state = extended.state("done", "failed", "decide")
        assert state["phase"] == "done", state
    assert rows(of_ours(extended, before), extended) == documented("Chromium, an open page")
    page.goto(f"{extended.site}/counted")
    with extended.clicked(page):
        assert extended.state("done", "failed", "decide")["phase"] == "done"
    extended.worker.evaluate("permacite.forget()")
    picture = f"http://localhost:{extended.site.rpartition(':')[2]}/counted.gif"
    extended.worker.evaluate(
        "([id, srcUrl]) => chrome.contextMenus.onClicked.dispatch("
        "{ menuItemId: 'picture', srcUrl }, { id, title: '' })",
        [extended.tab_of(page), picture],
    )
    state = extended.state("done", "failed", "decide")
    assert ".png." in state["item"]["reference"], state
    assert "#rect=" in state["item"]["reference"]
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize(("path", "way"), [("/counted", "received"), ("/unstored", "asked")])
def test_octets_are_those_that_the_page_received_or_it_is_said(
    extended: Extended, path: str, way: str
) -> None:
    connect(extended)
    page = extended.context.new_page()
    page.goto(extended.site + path)
    (shown_as,) = re.findall("answer [0-9]+", page.content())
    before = len(extended.wire.sent)
    with extended.clicked(page) as button:
        state = extended.state("done", "failed", "decide")
        assert state["phase"] == "done", state
        assert state["item"]["way"] == way
        assert ("asked for once more" in button.text("#notes")) is (way == "asked")
    if way == "asked":
        wanted = documented("Chromium, a page that is not to be stored")
        assert rows(of_ours(extended, before), extended) == wanted
    with Archive.open(extended.archive) as archive:
        shown = archive.documents.show(state["item"]["reference"])
        formats = {each.format: each for each in shown.document.formats}
        kept = archive.resolve(formats["html"].pdi).content or b""
        assert (shown_as.encode() in kept) is (way == "received")
        record = shown.provenance["drawing"]
        assert isinstance(record, dict)
        assert record["octets"] == way
        assert record["had"]["memory"] == 1, "a picture of another site, not to be stored"
    page.close()


@pytest.mark.browser
def test_secrets_in_addresses_are_shown_and_cut(extended: Extended) -> None:
    connect(extended)
    extended.context.clear_cookies()
    page = extended.context.new_page()
    page.goto(f"{extended.site}/open?page=2&access_token=heron-0815-canary")
    before = len(extended.wire.sent)
    with extended.clicked(page) as button:
        assert extended.state("decide", "failed")["phase"] == "decide"
        assert "heron-0815-canary" in button.text("#secrets")
        assert "the page closed" not in button.text(), "it is open to all"
        button.click("#send")
        state = extended.state("done", "failed")
        assert state["phase"] == "done", state
    for part in (b"heron-0815", b"0815-canary"):  # four bytes alone occur in a picture by chance
        assert all(part not in each.body for each in of_ours(extended, before))
    with Archive.open(extended.archive) as archive:
        shown = archive.documents.show(state["item"]["reference"])
        assert shown.document.uri == f"{extended.site}/open?page=2&access_token="
    page.close()


@pytest.mark.browser
def test_every_refusal_is_said_where_the_user_looks(extended: Extended) -> None:
    connect(extended)
    popup = extended.popup
    extended.context.clear_cookies()
    page = extended.context.new_page()
    page.goto(f"{extended.site}/open")
    with Archive.open(extended.archive) as archive:
        other = archive.access.tokens.add()
        extended.worker.evaluate(
            "token => chrome.storage.local.set({ token, series: 'other.us' })", other.secret
        )
        with extended.clicked(page) as button:
            assert extended.state("failed", "done", "decide")["phase"] == "failed"
            button.wait_for("#problem")
            assert "of the series lab.example.us" in button.text("#problem")
            archive.access.tokens.revoke(other.token.id)
            extended.worker.evaluate("permacite.forget()")
            button.run("anew.click()")
            assert "revoked" in extended.state("failed", "done")["problem"]["said"]
            button.wait_for("#problem")
            assert "revoked" in button.text("#problem")
        assert archive.access.tokens.list()
    extended.open()
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


LOOKS: tuple[tuple[str, Literal["dark", "light"], int], ...] = (
    ("fr", "dark", 420),
    ("de", "light", 1280),
)
POINTED = """(pointing) => {
  const point = eval(pointing), nodes = [], places = [], wrong = [];
  const walker = Document.prototype.createTreeWalker.call(document, document, NodeFilter.SHOW_ALL);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) nodes.push(node);
  const texts = new Map(nodes.filter((node) => node instanceof Text).map((node, at) => [node, at]));
  for (const node of nodes.filter((each) => document.body.contains(each)))
    for (let at = 0; ; at++) {
      try { getSelection().collapse(node, at); } catch { break; }
      places.push([node, at]);
    }
  const held = (range) => {
    const found = [];
    for (const [node, index] of texts) {
      const from = node === range.startContainer ? range.startOffset : 0;
      const to = node === range.endContainer ? range.endOffset : node.data.length;
      if (range.intersectsNode(node) && from < to) found.push([index, from, index, to]);
    }
    return found.length ? [...found[0].slice(0, 2), ...found.at(-1).slice(2)] : null;
  };
  for (let one = 0; one < places.length; one++)
    for (let other = one + 1; other < places.length; other++) {
      getSelection().setBaseAndExtent(...places[one], ...places[other]);
      const range = getSelection().getRangeAt(0);
      if (range.collapsed) continue;
      const [told, wanted] = [point(texts).selected, held(range)].map((it) => JSON.stringify(it));
      if (told !== wanted) wrong.push([one, other, told, wanted]);
    }
  return [places.length, wrong.slice(0, 5)];
}"""
CLOBBERED = (
    "<form>a<input name=firstChild><input name=nextSibling><b>bc</b><input name=parentNode></form>"
    "<p></p><p>d<!--e--><i></i>f</p><ul><li>g<li><br></ul>h"
)


@pytest.mark.browser
def test_what_is_marked_is_what_the_range_holds_from_any_place_to_any_other(page: Page) -> None:
    page.set_content(CLOBBERED)
    pointing = extension_files()["pointing.js"].decode()
    code = "\n".join(line for line in pointing.splitlines() if not line.startswith("//"))
    count, wrong = page.evaluate(POINTED, f"({code})")
    assert count > 30
    assert wrong == []


SPOKEN = """async (language) => {
  const words = await (await fetch(`_locales/${language}/messages.json`)).json();
  document.documentElement.lang = language;
  for (const each of document.querySelectorAll("[data-word]"))
    each.textContent = words[each.dataset.word].message;
  for (const each of document.querySelectorAll("details")) each.open = true;
}"""


@pytest.mark.browser
def test_axe_finds_nothing_in_the_popup_in_any_language(extended: Extended) -> None:
    connect(extended)
    page = logged_in(extended, "?access_token=heron-0815-canary")
    shown = f"{extended.worker.url.rpartition('/')[0]}/popup.html?shown=1"
    found = []
    with extended.clicked(page) as button:
        for phase, wanted in (("decide", "#decide"), ("done", "#done"), ("failed", "#setup")):
            if phase == "done":
                button.click("#send")
            if phase == "failed":
                extended.worker.evaluate("chrome.storage.local.clear()")
                extended.worker.evaluate("permacite.forget()")
            else:
                extended.state(phase)
            extended.popup.goto(shown)
            extended.popup.wait_for_selector(f"{wanted}:not([hidden])")
            for language, scheme, width in LOOKS:
                extended.popup.emulate_media(color_scheme=scheme)
                extended.popup.set_viewport_size({"width": width, "height": 640})
                extended.popup.evaluate(SPOKEN, language)
                faults = Axe().run(extended.popup).response["violations"]
                found += [
                    (phase, language, each["id"], each["nodes"][0]["html"]) for each in faults
                ]
                overflow = "document.documentElement.scrollWidth - innerWidth"
                assert extended.popup.evaluate(overflow) <= 0
    assert found == []
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
