"""Pages of PDFs in a real browser: drawn, their words selected where they stand, places shown."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from tests.faces.selecting import Chromium, cite_random, page_frame, squeezed
from tests.faces.sharing import archive, running
from tests.faces.test_pages_of_pdf import BOOK, SCAN
from tests.faces.test_reader import address
from tests.papers import Sheet, paper

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Frame, Page
    from tests.faces.conftest import Running

__all__ = ["archive", "running"]  # fixtures
pytestmark = pytest.mark.browser
pytest.importorskip("pypdfium2_raw", reason="needs the pdf extra")

GOLDEN = Path(__file__).parents[1] / "golden" / "pdf"
TURNED = paper(
    Sheet(((40, 250, "Words that are seen from the side"),), turned=90),
    Sheet((), more="BT/F 12 Tf 0 1 -1 0 100 80 Tm(Upwards at the margin)Tj ET\n"),
)


def saved(archive: Path, content: bytes, name: str = "book.pdf") -> tuple[str, str]:
    """The names of a PDF and of its text, or twice the first."""
    with Archive.open(archive) as held:
        text = held.add(content, name=name, new=True).pdi
        formats = [item.pdi for item in held.documents.show(text).document.formats]
    return next(each for each in formats if ".pdf." in each), text


def shown(page: Page) -> Frame:
    """The frame, once the words lie over the picture."""
    frame = page_frame(page)
    frame.locator("#sheet").wait_for()
    frame.locator("#media").evaluate("picture => picture.decode()")
    return frame


def boxes(frame: Frame, selector: str) -> list[list[float]]:
    """Left, top, right and bottom of elements, in points of a page of 300 across."""
    measure = """(elements) => {
        const page = document.querySelector(".drawn").getBoundingClientRect();
        const scale = 300 / page.width;
        return elements.map((each) => each.getBoundingClientRect()).map((box) => [
            box.left - page.left, box.top - page.top, box.right - page.left, box.bottom - page.top,
        ].map((edge) => edge * scale));
    }"""
    found: Any = frame.locator(selector).evaluate_all(measure)
    return [[float(edge) for edge in box] for box in found]


def test_a_citation_opens_at_its_page_with_boxes_where_the_words_are(
    archive: Path, running: Running, page: Page
) -> None:
    _, text = saved(archive, BOOK)
    with Archive.open(archive) as held:
        cited = held.cite(text, quote="light falls")
    page.goto(address(running, cited.reference))
    frame = shown(page)
    expect(page.locator("#leaf")).to_have_value("2")
    expect(page.locator(".printed")).to_have_text("p. 1")
    ((left, top, right, bottom),) = boxes(frame, "mark.quad")
    # Helvetica of 12 points: "The " is 23.3 wide, "light falls" 46.7; the baseline is at 50.
    assert left == pytest.approx(40 + 23.3, abs=1)
    assert right == pytest.approx(40 + 23.3 + 46.7, abs=1)
    assert top < 50 - 8 < 50 < bottom < 58
    expect(frame.locator("#permacite-mark")).to_be_in_viewport()


def test_words_lie_where_they_are_drawn(archive: Path, running: Running, page: Page) -> None:
    pdf, _ = saved(archive, BOOK)
    page.goto(f"{running.base}/{pdf}?page=2")
    frame = shown(page)
    words = dict(
        zip(
            frame.locator(".words span").all_inner_texts(),
            boxes(frame, ".words span"),
            strict=True,
        )
    )
    left, _, right, _ = next(box for word, box in words.items() if word.strip() == "light")
    assert left == pytest.approx(63.3, abs=1)
    assert right == pytest.approx(63.3 + 22.0 + 3.3, abs=1)  # up to the next word


@pytest.mark.parametrize("name", ["columns.pdf", "hyphens.pdf", "arabic.pdf", "footnotes.pdf"])
def test_what_is_selected_on_a_drawn_page_is_what_is_cited(
    archive: Path, running: Running, page: Page, name: str, times: Callable[[int, int], int]
) -> None:
    pdf, _ = saved(archive, (GOLDEN / name).read_bytes(), name)
    choose = random.Random(name)  # noqa: S311 - no secret
    for _ in range(times(1, 3)):
        page.goto(f"{running.base}/{pdf}")
        shown(page)
        gesture = cite_random(Chromium(page), choose, (5, 60))
        assert gesture is not None
        assert gesture.trouble == ""
        with Archive.open(archive) as held:
            assert squeezed(held.resolve(gesture.reference).text or "") == squeezed(gesture.words)


def test_words_are_selected_by_the_mouse_and_cited(
    archive: Path, running: Running, page: Page
) -> None:
    pdf, text = saved(archive, BOOK)
    page.goto(f"{running.base}/{pdf}?page=2")
    frame = shown(page)
    first, last = (frame.get_by_text(word).bounding_box() for word in ("light", "water"))
    assert first is not None
    assert last is not None
    page.mouse.move(first["x"] + 1, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] - 1, last["y"] + last["height"] / 2, steps=4)
    page.mouse.up()
    expect(page.locator("#selected")).to_contain_text("light falls on the water")
    page.locator("#cite").click()
    expect(page.locator(".passage mark")).to_have_text("light falls on the water")
    with Archive.open(archive) as held:
        (cited,) = held.documents.show(text).citations
    assert (cited.quote, cited.labels[0].told) == ("light falls on the water", "p. 1")
    assert frame.locator(".words mark").count() > 0


def test_turned_pages_and_turned_words(archive: Path, running: Running, page: Page) -> None:
    pdf, _ = saved(archive, TURNED)
    page.goto(f"{running.base}/{pdf}")
    words = shown(page).locator(".words").evaluate("layer => layer.textContent")
    assert words.strip() == "Words that are seen from the side"
    page.goto(f"{running.base}/{pdf}?page=2")
    frame = shown(page)
    for left, top, right, bottom in boxes(frame, ".words span"):
        assert 85 < left < right < 105
        assert bottom - top > right - left or right - left < 15


def test_pages_and_areas_are_shown(archive: Path, running: Running, page: Page) -> None:
    pdf, _ = saved(archive, BOOK)
    page.goto(f"{running.base}/{pdf}#page=2")
    expect(page.locator("#leaf")).to_have_value("2")
    with Archive.open(archive) as held:
        cited = held.cite(f"{pdf}#viewrect=30,280,250,40,2")
    page.goto(address(running, cited.reference))
    frame = shown(page)
    (box,) = boxes(frame, "mark.area")
    assert box == pytest.approx([30, 280, 280, 320], abs=1)
    expect(page.locator(".passage").first).to_contain_text("and the tide turns again")
    page.goto(address(running, f"{pdf}#page=1"))
    expect(page.locator("#leaf")).to_have_value("1")


def test_pages_are_turned_by_links_by_number_and_by_keys(
    archive: Path, running: Running, page: Page
) -> None:
    pdf, _ = saved(archive, BOOK)
    page.goto(f"{running.base}/{pdf}")
    expect(page.locator(".leaves")).to_contain_text("printed xvii")
    page.get_by_role("link", name="Next page").click()
    page.wait_for_url("**page=2")
    expect(page.locator("#leaf")).to_have_value("2")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#leaf")).to_have_value("1")
    shown(page).locator("body").click()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#leaf")).to_have_value("2")
    page.locator("#leaf").fill("1")
    page.keyboard.press("Enter")
    expect(page.locator("#leaf")).to_have_value("1")
    page.get_by_role("link", name="Text").click()
    expect(page.locator("#text")).to_contain_text("The light falls on the water")


def test_a_scan_is_shown_and_said_to_have_no_words(
    archive: Path, running: Running, page: Page
) -> None:
    pdf, _ = saved(archive, SCAN, "scan.pdf")
    page.goto(f"{running.base}/{pdf}")
    frame = shown(page)
    assert frame.locator(".words span").count() == 0
    expect(page.locator(".leaves")).to_contain_text("of 1")


def test_without_scripts_the_words_stand_below(
    archive: Path, running: Running, browser: Browser
) -> None:
    pdf, _ = saved(archive, BOOK)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{running.base}/{pdf}?page=2")
    frame = page_frame(page)
    picture, words = (frame.locator(name).bounding_box() for name in (".drawn", ".words"))
    assert picture is not None
    assert words is not None
    assert words["y"] >= picture["y"] + picture["height"]
    context.close()


def test_nothing_keeps_anyone_out(archive: Path, running: Running, page: Page) -> None:
    _, text = saved(archive, BOOK)
    with Archive.open(archive) as held:
        cited = held.cite(text, quote="light falls")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(address(running, cited.reference))
        shown(page)
        axe = Axe().run(page)
        assert axe.violations_count == 0, axe.generate_report()
