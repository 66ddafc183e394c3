"""Words are selected and cited by touch, and by keys alone, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.faces.conftest import BROWSER_ARGUMENTS
from tests.faces.selecting import page_frame
from tests.papers import Sheet, paper
from tests.spec.test_words_of_books import book

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, CDPSession
    from tests.faces.conftest import Running

pytestmark = pytest.mark.browser

PAGE = """<!doctype html><html lang=en><meta name=viewport content="width=device-width">
<title>Tides</title><p>The harbour is closed until noon.</p><p>Ships wait.</p>"""
TEXT = "The harbour is closed until noon.\nShips wait.\n"
CELL = '{"cell_type": "markdown", "metadata": {}, "source": "The harbour is closed until noon."}'
DOCUMENTS = {
    "page": ("tides.html", PAGE.encode()),
    "text": ("tides.txt", TEXT.encode()),
    "json": ("tides.json", b'["The harbour is closed until noon.", "Ships wait."]'),
    "xml": ("tides.xml", b"<a><b>The harbour is closed until noon.</b><b>Ships wait.</b></a>"),
    "notebook": (
        "tides.ipynb",
        f'{{"nbformat": 4, "nbformat_minor": 5, "metadata": {{}}, "cells": [{CELL}]}}'.encode(),
    ),
    "book": ("tides.epub", book({"one": "<p>The harbour is closed until noon.</p>"}, ["one"])),
    "pdf": ("tides.pdf", paper(Sheet(((40, 350, "The harbour is closed until noon."),)))),
}
FRAMED = {*DOCUMENTS} - {"text"}
HANDLE = """(words) => {
    const range = getSelection().getRangeAt(0);
    const end = range.endContainer.data.indexOf(words) + words.length;
    getSelection().extend(range.endContainer, end);
}"""
"""Moves the end of a selection, as the handle does that a phone draws there."""


@pytest.fixture
def names(archive: Path) -> dict[str, str]:
    """Archive a document of each kind; their names."""
    with Archive.open(archive) as service:
        return {
            kind: service.add(content, name=name).pdi for kind, (name, content) in DOCUMENTS.items()
        }


@pytest.fixture
def other(browser: Browser) -> Iterator[Browser]:
    """Another browser: with a caret that keys move, and with the frame in the page's process.

    Fingers that the protocol imitates reach no other process.
    """
    arguments = ["--enable-caret-browsing", "--disable-features=IsolateSandboxedIframes"]
    opened = browser.browser_type.launch(
        executable_path="/usr/bin/chromium", args=[*BROWSER_ARGUMENTS, *arguments]
    )
    yield opened
    opened.close()


def hold(session: CDPSession, kind: str, x: float, y: float) -> None:
    """Put a finger down, or lift it; a mouse tells where, and gestures are told apart as touch."""
    place = {"type": kind, "x": round(x), "y": round(y), "button": "left", "clickCount": 1}
    session.send("Input.emulateTouchFromMouseEvent", place)


@pytest.mark.parametrize("kind", ["page", "text"])
def test_a_long_touch_selects_and_a_tap_cites(
    archive: Path, names: dict[str, str], running: Running, other: Browser, kind: str
) -> None:
    context = other.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    page.goto(f"{running.base}/{names[kind]}")
    shown = page_frame(page).locator("p") if kind == "page" else page.locator("#text .line")
    shown.first.scroll_into_view_if_needed()
    left, top, right, _ = shown.first.evaluate(
        """element => {
            const range = document.createRange();
            const node = [...element.childNodes].find(({ data }) => data?.includes("harbour"));
            const at = node.data.indexOf("harbour");
            range.setStart(node, at);
            range.setEnd(node, at + 7);
            const { left, top, right, bottom } = range.getBoundingClientRect();
            return [left, top, right, bottom];
        }"""
    )
    box = page.locator("#page").bounding_box() if kind == "page" else {"x": 0, "y": 0}
    assert box is not None
    x, y = box["x"] + (left + right) / 2, box["y"] + top + 6
    session = context.new_cdp_session(page)
    session.send("Emulation.setEmitTouchEventsForMouse", {"enabled": True})
    hold(session, "mousePressed", x, y)
    expect(page.locator("#selected")).to_have_text("harbour")
    hold(session, "mouseReleased", x, y)
    (page_frame(page) if kind == "page" else page).evaluate(HANDLE, "closed")
    expect(page.locator("#selected")).to_have_text("harbour is closed")
    page.locator("#cite").tap()
    expect(page.locator("#bar")).to_be_hidden()
    reference = page.locator(".passage .name code").inner_text()
    with Archive.open(archive) as service:
        assert service.resolve(reference).text == "harbour is closed"
    context.close()


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=[] if kind in {"page", "text", "pdf"} else [pytest.mark.deep])
        for kind in DOCUMENTS
    ],
)
def test_keys_alone_select_and_cite(
    archive: Path, names: dict[str, str], running: Running, other: Browser, kind: str
) -> None:
    caret = other.new_page()
    caret.goto(f"{running.base}/{names[kind]}")
    place = "page" if kind in FRAMED else "text"
    if kind in FRAMED:
        page_frame(caret)  # once it is loaded, keys reach it
    for _ in range(40):
        if caret.evaluate("document.activeElement.id") == place:
            break
        caret.keyboard.press("Tab")
    assert caret.evaluate("document.activeElement.id") == place
    if kind in FRAMED:
        caret.keyboard.press("Control+Home")
    for _ in range(len("The ") + 2 * (kind == "pdf")):
        caret.keyboard.press("ArrowRight")
    if kind != "pdf":  # whose words stand apart: keys stop before and behind a space
        for _ in range(2):
            caret.keyboard.press("Control+Shift+ArrowRight")
        for _ in range(3):
            caret.keyboard.press("Shift+ArrowLeft")
        expect(caret.locator("#selected")).to_have_text("harbour")
    for _ in range(3 if kind != "pdf" else len("harbour is") + 2):
        caret.keyboard.press("Shift+ArrowRight")
    expect(caret.locator("#selected")).to_have_text("harbour is")
    caret.keyboard.press("Enter")
    expect(caret.locator("#answer")).to_contain_text("Cited.")
    reference = caret.locator(".passage .name code").inner_text()
    with Archive.open(archive) as service:
        assert (service.resolve(reference).text or "").strip() == "harbour is"
