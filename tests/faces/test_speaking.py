"""A recording beside its transcript, in a real browser: each line plays its seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.faces.recordings import VTT, recording
from tests.faces.test_reader import address

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Frame, Page
    from tests.faces.conftest import Running

pytestmark = pytest.mark.browser


@pytest.fixture
def talk(archive: Path) -> tuple[str, str]:
    """Archive a recording and its transcript; return their names."""
    with Archive.open(archive) as service:
        heard = service.add(recording(), name="talk.webm").pdi
        words = service.add(VTT.encode(), name="talk.vtt").pdi
        service.quotations.transcripts.state(words, heard)
        service.cite(words, quote="Thank you.")
    return heard, words


def frame_of(page: Page, element: str) -> Frame:
    """Return the frame in an element, when its player knows how long it plays."""
    handle = page.wait_for_selector(element, state="attached")
    assert handle is not None
    frame = handle.content_frame()
    assert frame is not None
    frame.wait_for_function("() => document.querySelector('#media')?.readyState > 0")
    return frame


def test_a_click_on_a_line_plays_from_there(
    talk: tuple[str, str], running: Running, page: Page
) -> None:
    page.goto(f"{running.base}/{talk[0]}")
    frame = frame_of(page, "#page")
    lines = page.locator(".transcript li")
    assert lines.count() == 3
    assert lines.nth(0).inner_text().split() == ["0:01", "Ann", "Who", "was", "on", "the", "pier?"]
    page.get_by_role("link", name="Play from 0:03.5").click()
    frame.wait_for_function("() => document.querySelector('#media').currentTime >= 3.5")
    frame.wait_for_function("() => !document.querySelector('#media').paused")
    page.locator(".transcript li:nth-child(2)[aria-current]").wait_for()
    assert page.locator(".transcript li[aria-current]").count() == 1
    page.locator(".transcript li:nth-child(3)[aria-current]").wait_for()
    assert frame.evaluate("document.querySelector('#media').currentTime") >= 6.5


def test_cited_seconds_have_their_words_marked(
    talk: tuple[str, str], running: Running, page: Page
) -> None:
    page.goto(address(running, f"{talk[0]}#msec=4000,5500"))
    marks = page.locator(".transcript mark")
    assert [marks.nth(n).inner_text() for n in range(marks.count())] == [
        "Nobody & nothing. Only the fog.",
    ]
    assert page.locator(".transcript li.cited").inner_text().endswith("Thank you.")


def test_the_cited_words_are_played_for_their_interval(
    talk: tuple[str, str], running: Running, page: Page
) -> None:
    start = len("Who was on the pier?\r\nNobody & nothing. ")
    page.goto(address(running, f"{talk[1]}#char={start},{start + 13}"))
    frame = frame_of(page, "#player")
    assert page.locator(".heard a").inner_text() == "talk.webm"
    assert frame.evaluate("document.querySelector('#media').src.split('#')[1]") == "t=5,6"
    frame.evaluate(
        """() => {
            const media = document.querySelector("#media");
            window.seen = [];
            const look = () => {
                if (!media.paused) window.seen.push(media.currentTime);
                requestAnimationFrame(look);
            };
            look();
        }"""
    )
    page.get_by_role("button", name="Play", exact=True).click()
    frame.wait_for_function(
        "() => window.seen.length > 0 && document.querySelector('#media').paused"
    )
    seen = frame.evaluate("window.seen")
    assert 5 <= min(seen) < max(seen) < 6.25
    assert frame.evaluate("document.querySelector('#media').currentTime") >= 6
    assert page.locator(".transcript mark").inner_text() == "Only the fog."


def test_without_scripts_the_times_are_links(
    talk: tuple[str, str], running: Running, browser: object
) -> None:
    context = browser.new_context(java_script_enabled=False)  # type: ignore[attr-defined]
    opened = context.new_page()
    opened.goto(f"{running.base}/{talk[1]}")
    link = opened.get_by_role("link", name="Play from 0:01")
    assert link.get_attribute("href") == f"/{talk[0]}?fragment=msec=1000,3000"
    link.click()
    assert opened.locator(".transcript mark").inner_text() == "Who was on the pier?"
    assert opened.frame_locator("#page").locator("video").get_attribute("src").endswith("#t=1,3")
    assert not opened.locator("button.play").is_visible()
    context.close()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("which", ["recording", "words"])
def test_axe_finds_nothing(
    talk: tuple[str, str], running: Running, page: Page, width: int, which: str, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    cited = f"{talk[0]}#msec=4000,5500" if which == "recording" else f"{talk[1]}#char=22,39"
    page.goto(address(running, cited))
    frame_of(page, "#page" if which == "recording" else "#player")
    page.screenshot(path=tmp_path / "shown.png", full_page=True)
    found = Axe().run(page).response["violations"]
    assert [(item["id"], item["nodes"][0]["html"]) for item in found] == []
    box = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert box[0] <= box[1], "nothing is wider than the window"


def test_a_long_transcript_shows_the_lines_around_what_is_cited(
    talk: tuple[str, str], archive: Path, running: Running, page: Page
) -> None:
    cues = "".join(
        f"{n // 60:02}:{n % 60:02}.000 --> {n // 60:02}:{n % 60:02}.500\nline {n}\n\n"
        for n in range(3000)
    )
    with Archive.open(archive) as service:
        words = service.add(f"WEBVTT\n\n{cues}".encode(), name="long.vtt").pdi
        service.quotations.transcripts.state(words, talk[0])
        cited = service.cite(words, quote="line 2500")
    page.goto(address(running, cited.reference))
    assert page.locator(".transcript li").count() == 500
    mark = page.locator(".transcript mark")
    assert mark.inner_text() == "line 2500"
    assert mark.is_visible()
    assert page.get_by_role("link", name="All its words").count() == 1
