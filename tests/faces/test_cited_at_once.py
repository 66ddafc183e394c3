"""What follows the press of "Cite this": the passage is marked, its page is shown, or it failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.faces.selecting import page_frame, squeezed
from tests.faces.sharing import archive, running
from tests.faces.test_selecting import (
    CODE,
    MARKDOWN,
    VARIED,
    cite_selected,
    open_file,
    resolved,
)

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page, Route
    from tests.faces.conftest import Running, Site


__all__ = ["archive", "running"]  # fixtures
pytestmark = pytest.mark.browser

SELECT = "selector => getSelection().selectAllChildren(document.querySelector(selector))"
WIND = "<title>Wind</title><p>First wind, then wind again.</p><p>No more of it.</p>"


def test_the_passage_is_marked_in_the_frame_that_is_there(
    archive: Path, running: Running, page: Page
) -> None:
    pdi = open_file(archive, running, page, "varied.html", VARIED)
    frame = page_frame(page)
    frame.evaluate("window.stays = true")
    frame.evaluate(SELECT, "pre")
    reference = cite_selected(page)
    name, _, fragment = reference.partition("#")
    assert page.url == f"{running.base}/{name}?fragment={fragment}"
    marks = page.frame_locator("#page").locator("mark.permacite-mark")
    assert squeezed("".join(marks.all_text_contents())) == "firstlineofcode<b>second"
    assert frame.evaluate("window.stays")
    expect(page.locator("#citations li")).to_have_count(1)
    expect(page.locator("#citations [aria-current]")).to_have_count(1)
    frame.evaluate(SELECT, "h1")
    second = cite_selected(page)
    assert squeezed(resolved(archive, second)) == "Theharbourlog"
    assert squeezed("".join(marks.all_text_contents())) == "Theharbourlog"
    expect(page.locator("#citations li")).to_have_count(2)
    page.go_back()
    expect(page).to_have_url(f"{running.base}/{name}?fragment={fragment}")
    expect(marks.first).to_contain_text("first")
    page.go_back()
    expect(page).to_have_url(f"{running.base}/{pdi}")
    expect(page.get_by_role("heading", name="Cited passage")).to_have_count(0)


def test_the_marks_are_those_of_the_page_when_it_is_loaded(
    archive: Path, running: Running, page: Page
) -> None:
    # A page that is loaded marks no raw text, and nothing behind its end.
    plain = VARIED.replace("xmp>", "div>").replace("</body></html> and more", "")
    open_file(archive, running, page, "varied.html", plain)
    page.frame_locator("#page").locator("body").click()
    page.keyboard.press("Control+a")
    cite_selected(page)
    marks = page.frame_locator("#page").locator("mark.permacite-mark:visible")
    at_once = [squeezed(words) for words in marks.all_text_contents()]
    page.reload()
    page_frame(page)
    loaded = [squeezed(words) for words in marks.all_text_contents()]
    assert at_once == loaded
    assert len(loaded) > 20


def test_the_reference_is_copied_by_the_next_key(
    archive: Path, running: Running, page: Page
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_file(archive, running, page, "varied.html", VARIED)
    page_frame(page).evaluate(SELECT, "h1")
    cite_selected(page)
    status = page.get_by_role("status").filter(has_text="Cited.")
    expect(status).to_be_visible()
    expect(page.locator(".passage .forms button").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".passage .forms button").first).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator(".passage .forms pre").first.inner_text()
    assert "Tides" in copied


@pytest.mark.parametrize(("name", "content"), [("tide.py", CODE), ("tides.md", MARKDOWN)])
def test_every_text_marks_what_was_cited_in_it(
    archive: Path, running: Running, page: Page, name: str, content: str
) -> None:
    with Archive.open(archive) as service:
        made = service.add(content.encode(), name=name, uri=f"https://example.org/{name}")
    page.goto(f"{running.base}/{made.pdi}")
    page.locator("#text").evaluate("pre => getSelection().selectAllChildren(pre.children[0])")
    cited = resolved(archive, cite_selected(page))
    mark = page.locator("#text mark")
    assert squeezed(mark.inner_text()) == squeezed(cited)
    page.reload()
    assert squeezed(mark.inner_text()) == squeezed(cited)


def test_words_in_several_places_are_chosen_in_their_context(
    archive: Path, running: Running, page: Page
) -> None:
    open_file(archive, running, page, "wind.html", WIND)
    page.get_by_label("Select words in the page").fill("wind")
    page.get_by_role("button", name="Cite these words").click()
    choices = page.locator(".choices button")
    expect(choices).to_contain_text(
        ["First wind, then wind again.", "First wind, then wind again."]
    )
    expect(page.get_by_role("heading", name="Which of these?")).to_be_focused()
    choices.nth(1).click()
    expect(page.locator("#answer")).to_contain_text("Cited.")
    with Archive.open(archive) as service:
        found = service.resolve(page.locator(".passage .name code").inner_text(), context=20)
    assert (found.text, (found.before or "").count("wind")) == ("wind", 1)
    expect(page.frame_locator("#page").locator("mark")).to_have_text("wind")


def test_words_that_do_not_stand_there_bring_what_is_like_them(
    archive: Path, running: Running, page: Page
) -> None:
    open_file(archive, running, page, "wind.html", WIND)
    page.get_by_label("Select words in the page").fill("first winds than wind again")
    page.get_by_role("button", name="Cite these words").click()
    expect(page.get_by_label("Other words")).to_have_value("first winds than wind again")
    page.locator(".choices button").first.click()
    expect(page.locator("#answer")).to_contain_text("Cited.")
    expect(page.locator(".passage mark").first).to_contain_text("First wind, then")


def test_without_scripts_words_are_pasted_and_chosen(
    archive: Path, running: Running, browser: Browser
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    open_file(archive, running, page, "wind.html", WIND)
    page.get_by_label("Select words in the page").fill("winds")
    page.get_by_role("button", name="Cite these words").click()
    page.get_by_label("Other words").fill("wind")
    page.get_by_role("button", name="Cite these words").click()
    assert page.locator("h1").inner_text() == "Which of these?"
    page.locator(".choices button").nth(1).click()
    reference = page.locator(".passage .name code").inner_text()
    with Archive.open(archive) as service:
        found = service.resolve(reference, context=20)
    context.close()
    assert (found.text, (found.before or "").count("wind")) == ("wind", 1)


def test_two_windows_that_cite_at_once_get_the_same_citation(
    archive: Path, running: Running, page: Page
) -> None:
    pdi = open_file(archive, running, page, "varied.html", VARIED)
    other = page.context.new_page()
    other.goto(page.url)
    for window in (page, other):
        page_frame(window).evaluate(SELECT, "h1")
        expect(window.get_by_role("button", name="Cite this")).to_be_visible()
    for window in (page, other):
        window.evaluate("document.querySelector('#cite').click()")  # waits for nothing
    for window in (page, other):
        expect(window.locator("#answer")).to_contain_text("Cited.")
        expect(window.locator("#citations li")).to_have_count(1)
    assert page.url == other.url
    with Archive.open(archive) as service:
        assert len(service.documents.show(pdi).citations) == 1


def test_what_is_withdrawn_while_it_is_open_is_told(
    archive: Path, running: Running, page: Page
) -> None:
    pdi = open_file(archive, running, page, "varied.html", VARIED)
    page.get_by_label("Select words in the page").fill("typed with care")
    page_frame(page).evaluate(SELECT, "h1")
    button = page.get_by_role("button", name="Cite this")
    expect(button).to_be_visible()
    with Archive.open(archive) as service:
        service.access.withdraw(pdi.rpartition(".")[0].rpartition(".")[0], reason="copyright")
    button.click()
    expect(page.locator("#answer h2")).to_have_text("What had this name was withdrawn")
    page.get_by_role("button", name="Cite these words").click()
    expect(page.locator("#answer")).to_contain_text("typed with care")
    expect(page.get_by_label("Select words in the page")).to_have_value("typed with care")
    page_frame(page).evaluate(SELECT, "pre")
    expect(page.locator("#trouble")).to_contain_text("no longer given out")


def heading_selected(archive: Path, running: Running, page: Page) -> tuple[str, Locator]:
    """Open a document and select its heading; return its name, and the button that cites it."""
    pdi = open_file(archive, running, page, "varied.html", VARIED)
    page_frame(page).evaluate(SELECT, "h1")
    button = page.get_by_role("button", name="Cite this")
    expect(button).to_be_visible()
    return pdi, button


def test_a_failed_answer_may_be_asked_for_again(
    archive: Path, running: Running, page: Page
) -> None:
    pdi, button = heading_selected(archive, running, page)
    page.route("**/-/cite", lambda route: route.abort())
    button.click()
    expect(page.locator("#trouble")).to_contain_text("does not answer")
    page.unroute("**/-/cite")
    button.click()
    expect(page.locator("#answer")).to_contain_text("Cited.")
    with Archive.open(archive) as service:
        assert len(service.documents.show(pdi).citations) == 1


def test_a_slow_answer_says_so_and_may_be_pressed_again(
    archive: Path, running: Running, page: Page
) -> None:
    pdi, button = heading_selected(archive, running, page)
    held: list[Route] = []
    page.route("**/-/api/cite", lambda route: held.append(route))  # noqa: PLW0108 - has a name to set
    button.click()
    expect(page.locator("#trouble")).to_have_text("Citing …")
    expect(page.locator("#trouble")).to_contain_text("press again", timeout=15_000)
    page.unroute("**/-/api/cite")
    button.click()
    expect(page.locator("#answer")).to_contain_text("Cited.")
    with Archive.open(archive) as service:
        assert len(service.documents.show(pdi).citations) == 1
    assert len(held) == 1


def test_more_than_a_million_characters_are_refused_before_the_press(
    archive: Path, running: Running, page: Page
) -> None:
    open_file(archive, running, page, "long.html", "<pre>" + "words upon words\n" * 70_000)
    page.frame_locator("#page").locator("body").click()
    page.keyboard.press("Control+a")
    expect(page.locator("#trouble")).to_contain_text("more than a million", timeout=30_000)
    expect(page.get_by_role("button", name="Cite this")).to_be_hidden()


IMITATION = """<!doctype html><title>Imitation</title><style>
.bar, #cite { position: fixed; inset: 0; z-index: 2147483647; font-size: 3rem; background: red }
</style><p id=p>Words of the imitation.</p><div class=bar id=bar>
<form action="/-/cite" method=post target=_top><input name=reference value="{name}">
<button id=cite>Cite this</button></form></div>
<script>parent.postMessage({{permacite: "cite"}}, "*")</script>
<iframe srcdoc="<p>inside</p><script>top.postMessage({{permacite: 'cite'}}, '*')</script>"></iframe>
<img src=x onerror="parent.postMessage({{permacite: 'selection', place: null}}, '*')">"""


def test_a_page_that_imitates_the_reader_reaches_nothing(
    archive: Path, running: Running, page: Page
) -> None:
    """It stays within its frame, runs nothing and sends nothing; its form goes nowhere."""
    pdi = open_file(archive, running, page, "imitation.html", IMITATION)
    home = page.url
    frame = page.frame_locator("#page")
    box = page.locator("#page").bounding_box()
    shown = frame.locator("#bar").bounding_box()
    assert box is not None
    assert shown is not None
    assert shown["width"] < box["width"] + 1
    assert shown["height"] < box["height"] + 1
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    frame.get_by_role("button", name="Cite this").click()
    page_frame(page).evaluate(SELECT, "#p")
    expect(page.locator("#selected")).to_have_text("Words of the imitation.")
    assert [url for url in asked if "/cite" in url] == []
    assert page.url == home
    with Archive.open(archive) as service:
        assert service.documents.show(pdi).citations == ()


def test_another_site_that_holds_the_window_is_not_heard(
    archive: Path, running: Running, page: Page, site: Site
) -> None:
    """Who opened the reader has no hold of its window, and only its own frame is listened to."""
    pdi = open_file(archive, running, page, "wind.html", WIND)
    page.goto(site.put("/opener", "text/html", "<title>Opener</title>"))
    with page.expect_popup() as opened:
        page.evaluate("address => { window.reader = open(address); }", f"{running.base}/{pdi}")
    reader = opened.value
    page_frame(reader).evaluate(SELECT, "p")
    expect(reader.get_by_role("button", name="Cite this")).to_be_visible()
    page.evaluate(
        """() => { for (const permacite of ["selection", "inside", "cite", "mark"])
        reader.postMessage({ permacite, place: null, start: 0, end: 9 }, "*"); }"""
    )
    assert page.evaluate("reader.closed"), "as far as its opener can tell"
    page_frame(reader).evaluate("new Promise((done) => setTimeout(done, 300))")
    expect(reader.get_by_role("button", name="Cite this")).to_be_visible()
    expect(reader.locator("#answer")).to_be_empty()
    assert reader.frame_locator("#page").locator("mark").count() == 0
    with Archive.open(archive) as service:
        assert service.documents.show(pdi).citations == ()


FRAMED = """<title>Outer</title><p id=a>Before the frame.</p>
<iframe srcdoc="<p id=in>Inside of the frame.</p>" width=300 height=80></iframe>
<p id=b>Behind the frame.</p>"""


def test_what_stands_in_a_frame_of_the_page_is_told(
    archive: Path, running: Running, page: Page
) -> None:
    open_file(archive, running, page, "outer.html", FRAMED)
    outer = page.frame_locator("#page")
    outer.frame_locator("iframe").locator("#in").dblclick()
    expect(page.locator("#trouble")).to_contain_text("another page, shown in a frame")
    expect(page.get_by_role("button", name="Cite this")).to_be_hidden()
    outer.locator("body").click(position={"x": 5, "y": 5})
    page.keyboard.press("Control+a")
    expect(page.locator("#trouble")).to_contain_text("Without what is shown in frames")
    cited = resolved(archive, cite_selected(page))
    assert squeezed(cited) == "Beforetheframe.Behindtheframe."


def test_backwards_and_by_keyboard_alone(archive: Path, running: Running, page: Page) -> None:
    open_file(archive, running, page, "wind.html", WIND)
    body = page.frame_locator("#page")
    box = body.locator("p").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 90, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 1, box["y"] + 10, steps=3)
    page.mouse.up()
    dragged = page.locator("#selected")
    expect(dragged).to_contain_text("First")
    for _ in range(3):
        page.keyboard.press("Control+Shift+ArrowRight")
    expect(dragged).not_to_contain_text("First")
    words = page_frame(page).evaluate("getSelection().toString()")
    expect(dragged).to_have_text(words.strip())
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("Cited.")
    reference = page.locator(".passage .name code").inner_text()
    assert squeezed(resolved(archive, reference)) == squeezed(words)
