"""Documents in a real browser: the passage marked, labels beside it, words selected."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.faces.selecting import Chromium, cite_random, page_frame, squeezed
from tests.faces.test_documents import BOOK, LIGHT
from tests.faces.test_reader import address

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.faces.conftest import Running

pytestmark = pytest.mark.browser

FONT = "element => getComputedStyle(element).fontFamily"


def test_the_passage_is_marked_with_its_labels_beside(
    archive: Path, running: Running, page: Page
) -> None:
    with Archive.open(archive) as held:
        cited = held.cite(held.add(BOOK, name="light.tei").pdi, quote="on the water")
    page.goto(address(running, cited.reference))
    frame = page_frame(page)
    mark = frame.locator("mark")
    expect(mark).to_be_in_viewport()
    assert mark.inner_text() == "on the water"
    told = frame.locator(".label").evaluate_all("labels => labels.map(l => l.dataset.label)")
    assert told == ["p. xvii, chapter 2", "p. 18"]
    within = frame.locator(".label.within")  # beside the line it would lie over the other one
    assert within.get_attribute("data-label") == "p. 18"
    assert within.evaluate("it => getComputedStyle(it, '::before').position") == "static"
    assert frame.locator("pre").evaluate("pre => pre.textContent").count("p. 18") == 0
    assert "monospace" not in frame.locator("pre").evaluate(FONT)
    expect(page.locator(".printed")).to_have_text("pp. xvii-18, chapter 2")
    with page.expect_download() as download:
        page.locator(".made-from a").click()
    assert download.value.path().read_bytes() == BOOK


def test_a_value_of_json_is_marked_beside_its_pointer(
    archive: Path, running: Running, page: Page
) -> None:
    with Archive.open(archive) as held:
        cited = held.cite(held.add(LIGHT, name="light.json").pdi, quote="on the water")
    page.goto(address(running, cited.reference))
    frame = page_frame(page)
    assert frame.locator("mark").inner_text() == "on the water"
    told = frame.locator(".label").evaluate_all("labels => labels.map(l => l.dataset.label)")
    assert told == ["pointer /title", "pointer /verses/0/line", "pointer /verses/0/no"]
    assert "monospace" in frame.locator("pre").evaluate(FONT)


def test_an_element_is_marked_in_the_source(archive: Path, running: Running, page: Page) -> None:
    with Archive.open(archive) as held:
        cited = held.cite(held.add(BOOK, name="light.tei").pdi.replace("utf-8", "tei"), elt="10,10")
    page.goto(address(running, cited.reference))
    assert page_frame(page).locator("mark").first.inner_text().startswith("<p>It falls.")


def test_what_is_selected_among_labels_is_what_is_cited(
    archive: Path, running: Running, page: Page
) -> None:
    with Archive.open(archive) as held:
        name = held.add(BOOK, name="light.tei").pdi
    choose = random.Random(7)  # noqa: S311 - no secret
    for _ in range(5):
        page.goto(f"{running.base}/{name}")
        gesture = cite_random(Chromium(page), choose, (5, 40))
        assert gesture is not None
        assert gesture.trouble == ""
        with Archive.open(archive) as held:
            assert squeezed(held.resolve(gesture.reference).text or "") == squeezed(gesture.words)


def test_by_keyboard_alone(archive: Path, running: Running, page: Page) -> None:
    with Archive.open(archive) as held:
        name = held.add(BOOK, name="light.tei").pdi
    page.goto(f"{running.base}/{name}")
    page.locator("#quote").focus()
    page.keyboard.type("falls on the water")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("Cited")
    with Archive.open(archive) as held:
        (cited,) = held.documents.show(name).citations
    assert (cited.quote, cited.labels[0].told) == ("falls on the water", "pp. xvii-18")
