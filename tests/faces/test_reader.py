"""The reader in a real browser: passages are seen and cited, nothing hostile runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.faces.sharing import archive, running

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.faces.conftest import Running, Site

__all__ = ["archive", "running"]  # fixtures
pytestmark = pytest.mark.browser

ARTICLE = (
    "<!doctype html><html lang=en><head><meta charset=utf-8><title>The night log</title>"
    "<link rel=stylesheet href=/log.css></head><body><h1>The night log</h1>"
    + "".join(f"<p>Entry {n}. Clear sky, light wind from the west.</p>" for n in range(60))
    + "<p id=seen>At ten past two a <em>bright green</em> meteor crossed the harbour mouth.</p>"
    + "<p>It was seen from both piers &amp; the light.</p></body></html>"
)


@pytest.fixture
def saved(archive: Path, site: Site) -> dict[str, str]:
    """Save the article; cite one sentence of it."""
    site.put("/log.css", "text/css", "body { font: 18px serif } em { color: rgb(0, 120, 0) }")
    address = site.put("/", "text/html; charset=utf-8", ARTICLE)
    with Archive.open(archive) as service:
        made = service.save(address, allow_private=True)
        cited = service.cite(made.pdi, quote="a bright green meteor crossed")
    return {"pdi": made.pdi, "reference": cited.reference}


def address(running: Running, reference: str) -> str:
    """Return the address of a reference at the running server."""
    name, _, fragment = reference.partition("#")
    return f"{running.base}/{name}?fragment={fragment}"


def select(page: Page, words: str) -> None:
    """Select `words` in the archived page's frame, as a pointer would."""
    frame = page.frame_locator("#page").locator("body")
    frame.evaluate(
        """(body, words) => {
            const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const at = node.data.indexOf(words);
                if (at < 0) continue;
                getSelection().setBaseAndExtent(node, at, node, at + words.length);
                return;
            }
            throw new Error("not there: " + words);
        }""",
        words,
    )


def test_the_cited_words_are_marked_and_in_view(
    saved: dict[str, str], running: Running, page: Page
) -> None:
    """replay-r4: marked in a derived copy, with source, date, digest and context beside it."""
    page.goto(address(running, saved["reference"]))
    marks = page.frame_locator("#page").locator("mark.permacite-mark")
    assert "".join(marks.all_text_contents()) == "a bright green meteor crossed"
    marks.first.wait_for()
    box = marks.first.bounding_box()
    frame = page.locator("#page").bounding_box()
    assert box is not None
    assert frame is not None
    assert frame["y"] <= box["y"] <= frame["y"] + frame["height"]
    assert page.locator(".lead .passage mark").inner_text() == "a bright green meteor crossed"
    assert "At ten past two" in page.locator(".lead .passage .context").first.inner_text()
    about = page.locator("header.top").inner_text()
    assert "Archived" in about
    assert "http://127.0.0.1" in about
    assert page.locator("aside .formats code").first.text_content() is not None


def test_the_cited_words_are_in_view_on_a_phone(
    saved: dict[str, str], running: Running, page: Page
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address(running, saved["reference"]))
    mark = page.frame_locator("#page").locator("mark.permacite-mark").first
    mark.wait_for()
    # True at once, or once images and fonts have found their places; the wait has an end.
    inside = """node => {
        const box = node.getBoundingClientRect();
        return box.bottom > 0 && box.top < innerHeight;
    }"""
    handle = mark.element_handle()
    assert handle is not None
    frame = handle.owner_frame()
    assert frame is not None
    frame.wait_for_function(inside, arg=handle)


def test_the_page_is_shown_as_it_was(saved: dict[str, str], running: Running, page: Page) -> None:
    page.goto(f"{running.base}/{saved['pdi']}")
    emphasis = page.frame_locator("#page").locator("em").first
    assert emphasis.evaluate("node => getComputedStyle(node).color") == "rgb(0, 120, 0)"


def test_words_selected_in_the_page_are_cited_and_resolve(
    saved: dict[str, str], running: Running, page: Page, archive: Path
) -> None:
    page.goto(f"{running.base}/{saved['pdi']}")
    page.frame_locator("#page").locator("#seen").wait_for()
    select(page, "seen from both piers & the light")
    page.get_by_role("button", name="Cite this").click()
    reference = page.locator(".passage .name code").inner_text()
    assert re.search(r"#char=[0-9]+,[0-9]+$", reference)
    with Archive.open(archive) as service:
        assert service.resolve(reference).text == "seen from both piers & the light"
        forms = service.documents.show(saved["pdi"]).citations[-1].forms
    shown = page.locator(".passage .forms")
    shown.get_by_text("Markdown", exact=True).click()
    assert forms.markdown in shown.inner_text()


def test_one_of_many_alike_is_the_one_selected(
    saved: dict[str, str], running: Running, page: Page, archive: Path
) -> None:
    page.goto(f"{running.base}/{saved['pdi']}")
    body = page.frame_locator("#page").locator("body")
    body.evaluate(
        """body => { const text = body.querySelectorAll("p")[41].firstChild;
        const at = text.data.indexOf("Clear sky");
        getSelection().setBaseAndExtent(text, at, text, at + 9); }"""
    )
    page.get_by_role("button", name="Cite this").click()
    reference = page.locator(".passage .name code").inner_text()
    with Archive.open(archive) as service:
        found = service.resolve(reference, context=10)
    assert (found.text, found.before) == ("Clear sky", "Entry 41. ")


def test_words_selected_in_the_text_view_are_cited_by_position(
    saved: dict[str, str], running: Running, page: Page, archive: Path
) -> None:
    page.goto(f"{running.base}/{saved['pdi']}?show=text")
    page.locator("#text").evaluate(
        """pre => {
        const texts = [...pre.querySelectorAll(".line")].map((line) => line.lastChild);
        const text = texts.find((each) => each.data.includes("Entry 7"));
        const at = text.data.indexOf("Entry 7");
        getSelection().setBaseAndExtent(text, at, text, at + 20); }"""
    )
    page.get_by_role("button", name="Cite this").click()
    reference = page.locator(".passage .name code").inner_text()
    with Archive.open(archive) as service:
        assert service.resolve(reference).text == "Entry 7. Clear sky, "


def test_the_keyboard_reaches_everything(
    saved: dict[str, str], running: Running, page: Page
) -> None:
    page.goto(f"{running.base}/{saved['pdi']}")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    quote = page.get_by_label("Select words in the page")
    quote.focus()
    page.keyboard.type("light wind from the west. Entry 1.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("Cited.")
    expect(page.locator(".passage .forms button").first).to_be_focused()


def test_it_fits_a_phone(saved: dict[str, str], running: Running, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for place in ("/", f"/{saved['pdi']}", f"/{saved['pdi']}?show=text"):
        page.goto(running.base + place)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


HOSTILE = """<!doctype html><html><head><title>Hostile</title><base href="{other}/">
<meta http-equiv="refresh" content="0;url={other}/refresh">
<link rel="preconnect" href="{other}"><link rel="dns-prefetch" href="{other}">
<link rel="prefetch" href="{other}/prefetch"><link rel="stylesheet" href="{other}/style.css">
<style>@import "{other}/import.css"; body {{ background: url({other}/background.png) }}
@font-face {{ font-family: x; src: url({other}/font.woff) }} h1 {{ font-family: x }}</style>
<script>parent.document.title = "ran"; fetch("{other}/script-fetch")</script>
<script src="{other}/script.js"></script></head>
<body onload="fetch('{other}/onload')"><h1>Hostile</h1>
<img src="{other}/image.png" onerror="fetch('{other}/onerror')" srcset="{other}/a.png 2x">
<iframe src="{other}/frame"></iframe><iframe srcdoc="&lt;script>top.ran = 1&lt;/script>"></iframe>
<object data="{other}/object"></object><embed src="{other}/embed">
<video src="{other}/video" poster="{other}/poster" autoplay></video>
<form action="{other}/form" id="f"><button id="submit">Send</button></form>
<a id="script" href="java&#10;script:top.document.title='ran'">script link</a>
<a id="out" href="{other}/link" ping="{other}/ping" target="_top">link</a>
<svg><a href="javascript:alert(1)"><text>svg</text></a><image href="{other}/svg.png"/></svg>
<math href="javascript:alert(1)">math</math>
<div id="permacite-mark" name="getSelection">trap</div><form name="getSelection"></form>
</body></html>"""


def test_a_hostile_page_does_nothing(
    archive: Path, running: Running, site: Site, page: Page
) -> None:
    """replay-r1, replay-r2, replay-r5: nothing runs, nothing is fetched, nothing is reached."""
    before = HOSTILE.format(other=site.base)
    with Archive.open(archive) as service:
        made = service.add(before.encode(), name="hostile.html", uri="http://host.example/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("popup", lambda popup: asked.append(popup.url))
    home = f"{running.base}/{made.pdi}"
    page.goto(home)
    body = page.frame_locator("#page").locator("body")
    body.wait_for()
    for selector in ("#submit", "#script", "#out"):
        body.locator(selector).first.evaluate("node => node.click()")
    # That nothing happens can only be seen by waiting for it.
    page.wait_for_timeout(1200)
    outside = [url for url in asked if not url.startswith((running.base, "data:", "about:"))]
    assert outside == []
    assert site.requests == []
    assert page.url == home
    assert page.title() == "Hostile"
    frame = next(item for item in page.frames if "/-/page/" in item.url)
    assert frame.evaluate("self.origin") == "null"
    with pytest.raises(Exception, match=r"SecurityError|Blocked"):
        frame.evaluate("parent.document.title")


def test_the_text_address_of_a_citation_opens_on_its_words(
    saved: dict[str, str], running: Running, page: Page, archive: Path
) -> None:
    with Archive.open(archive) as service:
        cited = service.cite(saved["pdi"], quote="both piers")
    assert cited.rfc5147_url is not None
    page.goto(running.base + "/" + cited.rfc5147_url.split("/", 3)[3])
    marks = page.frame_locator("#page").locator("mark.permacite-mark")
    marks.first.wait_for()
    assert marks.all_text_contents() == ["both piers"]


def test_disjoint_parts_are_all_marked(saved: dict[str, str], running: Running, page: Page) -> None:
    page.goto(f"{running.base}/{saved['pdi']}#line(1)match(Entry%203)")
    marks = page.frame_locator("#page").locator("mark.permacite-mark")
    marks.first.wait_for()
    assert marks.all_text_contents() == ["The night log", *["Entry 3"] * 11]


def test_a_position_is_a_caret(saved: dict[str, str], running: Running, page: Page) -> None:
    """rfc5147-a22: a position is shown as a cursor, a range is highlighted."""
    page.goto(f"{running.base}/{saved['pdi']}?rfc5147=char=4")
    caret = page.locator("#text mark.caret")
    caret.wait_for()
    assert caret.inner_text() == ""
    before = caret.evaluate("node => node.previousSibling.data")
    assert before.strip("\n") == "The "


def test_a_failed_check_is_told_and_nothing_marked(
    saved: dict[str, str], running: Running, page: Page
) -> None:
    page.goto(f"{running.base}/{saved['pdi']}#char=0,4;length=1")
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert "has changed" in alert.inner_text()
    assert page.frame_locator("#page").locator("mark.permacite-mark").count() == 0
