"""The reader on a phone, on paper, in the dark and by keyboard, in three languages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ViewportSize
from tests.faces.test_inner_pages import aggregate

from permacite.service.archive import Archive
from permacite.words import LANGUAGES, words_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page
    from tests.faces.conftest import Running, Site

pytestmark = pytest.mark.browser

PHONE = ViewportSize(width=360, height=740)
WIDE = ViewportSize(width=1280, height=800)
QUOTE = "a bright green meteor crossed the harbour mouth"
PAGE = (
    "<!doctype html><html lang=en><head><meta charset=utf-8><title>The night log</title>"
    "<style>body { font: 18px serif } </style></head><body><h1>Log</h1>"
    + "".join(f"<p>Entry {n}. Clear sky, light wind from the west.</p>" for n in range(80))
    + f"<p>At ten past two {QUOTE}, seen from both piers.</p><p>The end.</body></html>"
)
LINES = "The first line of some notes.\nThe second line.\n"
RULES = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }
}


@pytest.fixture
def paths(archive: Path, site: Site) -> dict[str, str]:
    """The reader's pages, by what they are."""
    with Archive.open(archive) as service:
        page = service.add(PAGE.encode(), name="log.html", uri="https://harbour.example.org/log")
        cited = service.cite(page.pdi, quote=QUOTE).reference
        gone = service.add(b"<title>Gone</title><p>Words.", name="gone.html")
        service.access.withdraw(gone.document.pdi, reason="copyright")
        octets = service.add(bytes(range(256)), name="octets.bin")
        text = service.add(LINES.encode(), name="notes.txt")
        outer = service.add(aggregate(), name="outer.mhtml")
        address = site.put("/night", "text/html", PAGE)
        saved = service.save(address, allow_private=True)
        earlier = service.cite(saved.pdi, quote=QUOTE).reference.replace("#", "?fragment=")
        site.put("/night", "text/html", PAGE.replace("bright", "pale"))
        service.save(address, allow_private=True)
        service.drift.check(saved.pdi, allow_private=True)
    name, _, fragment = cited.partition("#")
    return {
        "home": "/?",
        "document": f"/{page.pdi}?",
        "text": f"/{page.pdi}?show=text&",
        "citation": f"/{name}?fragment={fragment}&",
        "trouble": f"/{page.pdi}?rfc5147=char=9,3&",
        "octets": f"/{octets.pdi}?",
        "lines": f"/{text.pdi}?rfc5147=line=1,2&",
        "part": f"/{outer.pdi}?part=2&from={outer.pdi}&to=http://a.example/inner.html&",
        "checked": f"/{earlier}&",
        "versions": f"/-/versions/{earlier}&",
        "follow": f"/-/follow?from={page.pdi}&to=https://elsewhere.example.org/&",
        "gone": f"/{gone.pdi}?",
        "problem": "/urn:pdi://lab.example.us/1999/1/1/1.html.1?",
    }


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A page of its own profile."""
    context = browser.new_context(viewport=WIDE)
    opened = context.new_page()
    opened.set_default_timeout(15_000)
    yield opened
    context.close()


def shown(tab: Page, selector: str) -> bool:
    """Whether all of an element is in the window."""
    box = tab.locator(selector).bounding_box()
    size = tab.viewport_size
    assert size is not None
    return box is not None and box["y"] >= 0 and box["y"] + box["height"] <= size["height"]


def opened(tab: Page, address: str) -> None:
    """Open a document's page, its frame and its fonts."""
    tab.goto(address)
    tab.frame_locator("#page").locator("mark#permacite-mark").first.wait_for(state="attached")
    tab.wait_for_load_state("networkidle")


def test_on_a_phone_the_passage_is_first_and_one_thing_scrolls(
    paths: dict[str, str], running: Running, tab: Page
) -> None:
    tab.set_viewport_size(PHONE)
    opened(tab, running.base + paths["citation"])
    tab.wait_for_function(
        "() => document.querySelector('#page').style.getPropertyValue('--page-height') !== ''"
    )
    assert tab.evaluate("scrollY") == 0
    assert shown(tab, ".passage blockquote")
    assert shown(tab, ".reach")
    assert tab.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    mark = tab.frame_locator("#page").locator("#permacite-mark")
    assert mark.evaluate("() => scrollY") == 0
    lower = "document.documentElement.scrollHeight - innerHeight"
    assert mark.evaluate(f"() => {lower}") == 0
    tab.locator(".reach").click()
    assert tab.evaluate("document.activeElement.id") == "quote"
    assert shown(tab, "#quote")
    assert not tab.locator(".reach").is_visible()


def test_wide_the_passage_and_the_mark_are_in_view(
    paths: dict[str, str], running: Running, tab: Page
) -> None:
    opened(tab, running.base + paths["citation"])
    assert tab.evaluate("scrollY") == 0
    assert shown(tab, ".passage blockquote")
    assert shown(tab, "#page")
    place = "mark => mark.getBoundingClientRect().top / innerHeight"
    assert 0 < tab.frame_locator("#page").locator("#permacite-mark").evaluate(place) < 1
    tab.mouse.move(1200, 400)
    tab.mouse.wheel(0, 600)
    tab.wait_for_function("() => scrollY > 100")
    assert shown(tab, "#page")  # while the column beside it scrolls


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_printed_citation_holds_what_is_needed(
    paths: dict[str, str], running: Running, browser: Browser, language: str
) -> None:
    words = words_in(language)
    context = browser.new_context(color_scheme="dark")
    tab = context.new_page()
    opened(tab, f"{running.base}{paths['citation']}lang={language}")
    printed = tab.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    tab.emulate_media(media="print")
    text = tab.locator("body").inner_text()
    name = paths["citation"].removeprefix("/").replace("?fragment=", "#").rstrip("&")
    with_name = re.sub(r"\s", "", text)
    assert "seenfrombothpiers" in with_name  # the context
    for part in (QUOTE, name, "https://harbour.example.org/log", "sha-256:"):
        assert re.sub(r"\s", "", part) in with_name
    assert words("paper.check") in text
    assert words("document.shows_what", moment="|").partition("|")[2] in text
    assert "permacite verify proof.zip" in text
    assert words("document.cite_words") not in text
    for unwanted in ("#page", ".forms", ".languages", ".tabs", ".reach", "button"):
        assert not any(item.is_visible() for item in tab.locator(unwanted).all())
    paper = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == "rgb(255, 255, 255)"
    context.close()


def test_by_keyboard_all_is_reached_in_order_and_seen(
    paths: dict[str, str], running: Running, tab: Page
) -> None:
    opened(tab, f"{running.base}{paths['citation']}lang=de")
    seen: list[tuple[int, str, bool, bool]] = []
    for _ in range(60):
        tab.keyboard.press("Tab")
        focused: tuple[int, str, bool, bool] = tab.evaluate(
            """() => {
                const item = document.activeElement;
                const style = getComputedStyle(item);
                const all = [...document.querySelectorAll("*")];
                const head = item.closest(".top, .skip") ? 0 : 64;
                const hidden = item.getBoundingClientRect().bottom <= head;
                return [all.indexOf(item), item.id, style.outlineStyle !== "none", hidden];
            }"""
        )
        seen.append(focused)
        if focused[1] == "page":
            break
    assert [place for place, *_ in seen] == sorted(place for place, *_ in seen)
    assert [item for item in seen[:-1] if not item[2]] == []
    ring = "root => root.matches(':focus-visible') && getComputedStyle(root).outlineStyle"
    assert tab.frame_locator("#page").locator("html").evaluate(ring) == "solid"
    assert not any(hidden for *_, hidden in seen)
    assert seen[-1][1] == "page"  # behind what is cited; the arrow keys scroll it then


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "size", "scheme"),
    [
        pytest.param(language, *look, marks=[] if row == column else [pytest.mark.deep])
        for row, language in enumerate(LANGUAGES)
        for column, look in enumerate([(WIDE, "dark"), (PHONE, "light"), (PHONE, "dark")])
    ],
)
def test_axe_finds_nothing(
    paths: dict[str, str],
    running: Running,
    browser: Browser,
    language: str,
    size: ViewportSize,
    scheme: Literal["dark", "light"],
    times: Callable[[int, int], int],
) -> None:
    """In a sample, each look is that of every second kind of page, by turns."""
    every = times(2, 1)
    kinds = list(paths.items())[LANGUAGES.index(language) % every :: every]
    context = browser.new_context(viewport=size, color_scheme=scheme)
    if scheme == "light":
        context.route("**/*.js", lambda route: route.abort())  # as without scripts
    tab = context.new_page()
    found: list[tuple[str, str]] = []
    for kind, path in kinds:
        tab.goto(f"{running.base}{path}lang={language}")
        if tab.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append((kind, "wider than the screen"))
        violations = Axe().run(tab, options=RULES).response["violations"]
        found += [(kind, f"{item['id']}: {item['nodes'][0]['html']}") for item in violations]
    tab.goto(f"{running.base}{paths['document']}lang={language}")
    tab.locator("#quote").fill("Clear sky, light wind")
    tab.locator("form.words button").click()
    tab.locator(".choices").wait_for()
    violations = Axe().run(tab, options=RULES).response["violations"]
    found += [("choose", f"{item['id']}: {item['nodes'][0]['html']}") for item in violations]
    context.close()
    assert found == []
