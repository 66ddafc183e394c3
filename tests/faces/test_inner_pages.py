"""Pages within a page: in its frames, in its aggregate; and forms, which lead nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from tests.archives import Archive
from tests.faces.test_http import ask

from permacite import mhtml
from permacite.service.reader.pages import FrameOptions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page, Position
    from tests.faces.conftest import Running, Site

pytestmark = pytest.mark.engines(deep=True)

ROOT = """<!doctype html><html lang=en><title>Outer</title><h1>Outer</h1><p>Words outside.</p>
<iframe id=inner src="inner.html" title=inner width=400 height=120></iframe>
<p><a id=to-inner href="inner.html">the inner page</a> <a id=to-other href="other.html">none</a></p>
<form action="https://example.com/send"><input id=field name=q aria-label=q>
<button id=send>Send</button>
<button type=button id=idle>Idle</button></form>
<form action=x><input id=lone name=r aria-label=r></form>"""
INNER = """<!doctype html><html lang=en><title>Inner</title><h1>Inner</h1>
<p id=in>Words inside of it.</p>
<p><a id=back href="outer.html">back</a></p>"""
WORD: Position = {"x": 12, "y": 8}
"""Where the first word of an element stands."""
FORM = "Forms in an archived page are sent nowhere"
UNNAMED = "cited by typing them, not by selecting them"


def aggregate() -> bytes:
    """A page and the page in its frame, in one file."""
    pages = {"outer": ROOT, "inner": INNER}
    root, inner = (
        mhtml.Resource(
            source.encode(),
            "text/html; charset=utf-8",
            content_location=f"http://a.example/{name}.html",
        )
        for name, source in pages.items()
    )
    return mhtml.build(root, [inner])


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """Return a page that asks for nothing but the archive."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).hostname or ""))
    yield page
    assert [host for host in asked if "example" in host] == []


@pytest.fixture
def outer(archive: Path) -> str:
    """The name of a page with another one in the same aggregate."""
    with Archive.open(archive) as service:
        return service.add(aggregate(), name="outer.mhtml").pdi


@pytest.mark.browser
def test_words_in_a_frame_lead_to_their_own_page(
    archive: Path, outer: str, running: Running, page: Page
) -> None:
    page.goto(f"{running.base}/{outer}")
    frame = page.frame_locator("#page")
    frame.frame_locator("#inner").locator("#in").dblclick(position=WORD)
    expect(page.locator("#trouble")).to_contain_text("another page, shown in a frame")
    expect(page.get_by_role("button", name="Cite this")).to_be_hidden()
    page.get_by_role("link", name="Open it by itself").click()
    page.wait_for_url("**part=*")
    expect(page.locator(".followed")).to_contain_text(
        f"part of Outer, saved with it. Its words are {UNNAMED}"
    )
    page.frame_locator("#page").locator("#in").dblclick(position=WORD)
    expect(page.locator("#trouble")).to_contain_text(UNNAMED)
    expect(page.get_by_role("button", name="Cite")).to_be_hidden()
    axe = Axe().run(page)
    assert axe.violations_count == 0, axe.generate_report()
    with Archive.open(archive) as service:
        own = service.add(INNER.encode(), name="inner.html", uri="http://a.example/inner.html")
    page.goto(f"{running.base}/{outer}")
    frame.frame_locator("#inner").locator("#in").dblclick(position=WORD)
    page.get_by_role("link", name="Open it by itself").click()
    page.wait_for_url(f"**/{own.pdi}?*")
    page.frame_locator("#page").locator("#in").dblclick(position=WORD)
    expect(page.get_by_role("button", name="Cite this")).to_be_visible()


@pytest.mark.browser
def test_links_lead_to_parts_of_the_same_aggregate(
    outer: str, running: Running, page: Page
) -> None:
    page.goto(f"{running.base}/{outer}")
    page.frame_locator("#page").locator("#to-inner").click()
    page.wait_for_url("**part=*")
    expect(page.frame_locator("#page").locator("h1")).to_have_text("Inner")
    page.frame_locator("#page").locator("#back").click()
    expect(page.frame_locator("#page").locator("h1")).to_have_text("Outer")
    assert "part" not in parse_qs(urlsplit(page.url).query)
    page.frame_locator("#page").locator("#to-other").click()
    page.wait_for_url("**/-/follow?*")
    expect(page.locator("h1")).to_contain_text("not archived here")


@pytest.mark.browser
def test_a_form_is_sent_nowhere_and_says_so(outer: str, running: Running, page: Page) -> None:
    page.goto(f"{running.base}/{outer}")
    frame = page.frame_locator("#page")
    address = page.url
    frame.locator("#idle").click()
    frame.locator("#field").fill("words")
    expect(page.locator("#trouble")).to_be_empty()
    frame.locator("#send").click()
    expect(page.locator("#trouble")).to_contain_text(FORM)
    frame.locator("h1").dblclick(position=WORD)
    expect(page.get_by_role("button", name="Cite this")).to_be_visible()
    frame.locator("#lone").press("Enter")
    expect(page.locator("#trouble")).to_contain_text(FORM)
    frame.locator("#field").press("Enter")
    expect(page.locator("#trouble")).to_contain_text(FORM)
    expect(frame.locator("h1")).to_have_text("Outer")
    assert page.url == address


def test_what_is_no_part_is_not_found(outer: str, running: Running, archive: Path) -> None:
    for part, status in (("1", 200), ("2", 200), ("9", 404), ("x" * 99, 404), ("1.1.1", 404)):
        answer = ask(running.base, f"/-/page/{outer}?part={part}", accept="text/html")
        assert (part, answer.status) == (part, status)
    with Archive.open(archive) as service:
        text = service.add(b"words", name="a.txt").pdi
    assert ask(running.base, f"/-/page/{text}?part=1", accept="text/html").status == 404


def test_a_saved_page_knows_the_page_in_its_frame(
    archive: Path, site: Site, running: Running
) -> None:
    site.put("/inner.html", "text/html", INNER)
    with Archive.open(archive) as service:
        saved = service.save(site.put("/outer.html", "text/html", ROOT), allow_private=True)
        found = service.documents.reader.follow(f"{site.base}/inner.html", source=saved.pdi)
        none = service.documents.reader.follow(f"{site.base}/none.html", source=saved.pdi)
        assert (found.reference, none.reference, none.part) == (saved.pdi, None, None)
        assert found.part is not None
        shown = service.documents.reader.page(saved.pdi, FrameOptions(part=found.part)).html
        assert "Words inside of it." in shown
        assert "Words outside." not in shown
        assert ask(running.base, f"/{saved.pdi}?part={found.part}").status == 200
