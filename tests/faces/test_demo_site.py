"""The demonstration's site: each page is captured whole, byte for byte, under its own addresses."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from permacite import mhtml
from permacite.capture import capture, fetch
from permacite.capture.model import Capture, FetchOptions, body_parts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from playwright.sync_api import Browser

DEMO = Path(__file__).resolve().parents[2] / "demo"
KIB = 1024

COMMON = {
    "style/site.css",
    "style/colours.css",
    "style/type.css",
    "style/print.css",
    "fonts/skerrin-display.woff2",
    "pictures/paper.png",
}
SHOWN = [
    # page, what it shows beside the common style, fonts and paper
    (
        "index.html",
        {
            "favicon.png",
            "pictures/mark.svg",
            "pictures/harbour-480.jpg",
            "pictures/harbour-960.jpg",
            "pictures/gauge-small.png",
            "sound/bell.wav",
            "tides/today.html",
            "tides/frame.css",
            "tides/bild/wellen.svg",
        },
    ),
    ("storm.html", {"favicon.png", "pictures/mark.svg", "pictures/surge-1959.png"}),
    (
        "instruments.html",
        {
            "favicon.ico",
            "pictures/mark.svg",
            "pictures/gauge.png",
            "pictures/gauge-small.png",
            "pictures/map%20of%20the%20harbour.svg",
            "pictures/signs.svg",
        },
    ),
    ("letters.html", {"favicon.ico", "pictures/W%C3%A4rterhaus%20bei%20Ebbe.jpg"}),
    (
        "visitors.html",
        {"favicon.png", "pictures/mark.svg", "pictures/W%C3%A4rterhaus%20bei%20Ebbe.jpg"},
    ),
]


def _module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("demo_server", DEMO / "server.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    """Return the URI below which the site is served."""
    with _module().serve() as served:
        yield served


def _capture(uri: str) -> Capture:
    return capture(uri, FetchOptions(allow_private=True))


@pytest.mark.parametrize(("page", "shown"), SHOWN, ids=[page for page, _ in SHOWN])
def test_a_page_is_captured_whole(base: str, page: str, shown: set[str]) -> None:
    captured = _capture(base + page)
    assert {each.uri.removeprefix(base) for each in captured.resources} == COMMON | shown
    assert captured.failures == ()


@pytest.mark.parametrize("page", [page for page, _ in SHOWN])
def test_the_aggregate_has_the_bytes_that_were_served(base: str, page: str) -> None:
    captured = _capture(base + page)
    aggregate = mhtml.open(mhtml.build(*body_parts(captured), profile="archive"))
    found = {part.content_location: part for part in aggregate.body_parts}
    assert set(found) == {base + page, *(each.uri for each in captured.resources)}
    for uri, part in found.items():
        assert uri is not None
        live = fetch(uri, FetchOptions(allow_private=True))
        assert part.content == live.content
        assert part.content_type.startswith(live.media_type)


@pytest.mark.parametrize("page", [page for page, _ in SHOWN])
def test_an_aggregate_for_browsers_has_the_bytes_of_all_but_pages(base: str, page: str) -> None:
    captured = _capture(base + page)
    aggregate = mhtml.open(mhtml.build(*body_parts(captured), profile="chromium"))
    found = {part.content_location: part.content for part in aggregate.body_parts}
    for resource in captured.resources:
        if resource.media_type != "text/html":  # which may need help to be shown
            assert found[resource.uri] == resource.content


@pytest.mark.browser
@pytest.mark.parametrize("page", [page for page, _ in SHOWN])
def test_a_browser_shows_the_aggregate(
    base: str, browser: Browser, tmp_path: Path, page: str
) -> None:
    file = tmp_path / "page.mhtml"
    file.write_bytes(mhtml.build(*body_parts(_capture(base + page)), profile="chromium"))
    tab = browser.new_page()
    tab.goto(file.as_uri(), wait_until="load")
    broken = tab.evaluate("[...document.images].filter(i => !i.naturalWidth).map(i => i.src)")
    fonts = tab.evaluate("document.fonts.ready.then(f => [...f].map(x => x.status))")
    tab.close()
    assert broken == []
    assert fonts == ["loaded"]


def test_charsets_and_line_endings_are_as_written(base: str) -> None:
    letter = fetch(base + "letters.html", FetchOptions(allow_private=True))
    assert letter.content_type == "text/html; charset=iso-8859-1"
    assert "Jørgen Åkerblom".encode("latin-1") in letter.content
    visitors = fetch(base + "visitors.html", FetchOptions(allow_private=True))
    assert "港の音".encode() in visitors.content
    log = fetch(base + "log/december-1959.txt", FetchOptions(allow_private=True)).content
    assert b"\r\n" in log
    assert b"\n2 Dec" in log
    assert b"\r3 Dec" in log


def test_the_site_is_small() -> None:
    size = sum(file.stat().st_size for file in (DEMO / "site").rglob("*") if file.is_file())
    assert size < 300 * KIB


def test_the_change_does_what_it_says() -> None:
    module = _module()
    site = module.serve()
    with site as served:
        before = fetch(served + "storm.html", FetchOptions(allow_private=True)).content.decode()
        site.change()
        after = fetch(served + "storm.html", FetchOptions(allow_private=True)).content.decode()
        index = fetch(served, FetchOptions(allow_private=True))
    before, after = " ".join(before.split()), " ".join(after.split())
    sentences = module.SENTENCES
    places = {status: before.find(sentence) for status, sentence in sentences.items()}
    assert min(places.values()) > 0
    assert after.find(sentences["verified"]) == places["verified"]
    assert after.find(sentences["moved"]) > places["moved"]
    assert sentences["changed"] not in after
    assert sentences["gone"] not in after
    assert index.status == 200
