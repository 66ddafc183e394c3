"""What is selected in the frame is what is cited, on pages that browsers and sources tell apart."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.faces.selecting import Chromium, cite_random, page_frame, squeezed
from tests.faces.sharing import archive, running

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.faces.conftest import Running

__all__ = ["archive", "running"]  # fixtures
pytestmark = pytest.mark.browser

VARIED = """<!doctype html><html><head><title>Tides &amp; winds</title>
<style>h1, b { text-transform: uppercase } .no { user-select: none } p::before { content: "made " }
q { quotes: "<<" ">>" } li { list-style: upper-roman }</style>
<script>let counted = "nothing";</script></head>stray words
<h1>The <i>harbour</i> log</h1><p class=no>Nobody may select this &mdash; they said.
<p>Caf&eacute; &#x1F30A;&#128674; waves &notit; &amp;amp; x&lt;y <b>straight<i>both</b>slanted</i>
end.\r
<pre>
  first   line\tof code &lt;b&gt;
\tsecond</pre><textarea>typed before</textarea><select><option>one<option>two</select>
<table><tr><td>cell one<td>cell <b>two</b><tr><td>cell three</table>
<p dir=rtl>\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd abc</p>
<p><ruby>\u6f22<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>\u5b57</p>
<p style="display:none">hidden by style</p><p hidden>hidden by itself</p>
<template><p>in a template</p></template>
<svg><title>drawn</title><text y=9>in a drawing</text></svg>
<noscript><p>without scripts</p></noscript><xmp>a <b>raw</b> example</xmp>
<form name=createTreeWalker></form><img name=documentElement alt="an image"><img name=fonts>
<ul><li>wind<li>wind<li>wind<li>wind</ul><p>the last words</p></body></html> and more
"""
XHTML = """<?xml version="1.0"?>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>X</title></head>
<body><p>One <br/> two <![CDATA[<three> & ]]> four</p><textarea/>
<p>five &#169; six</p></body></html>
"""
MOVED = "<p>Tides</p><table><tr><td>cell one<td>cell two<tr>moved out<td>cell three</table>"
MARKDOWN = (
    "# Tides\r\n\nThe *tide* <turns> &amp; \U0001f30a\n\n    code\twith   spaces\n\n- a\n- b\n"
)
CODE = 'def tide(height):\n\treturn "<b>" + str(height)  # metres &amp; more\n\n\nprint(tide(3))\n'
CSV = "place,height\nEmden,3.2\nHusum,3.9\n"

FILES = [
    ("varied.html", VARIED),
    ("page.xhtml", XHTML),
    ("tides.md", MARKDOWN),
    ("tide.py", CODE),
    ("heights.csv", CSV),
]


def open_file(archive: Path, running: Running, page: Page, name: str, content: str) -> str:
    """Archive a file and open it in the reader; return its name."""
    with Archive.open(archive) as service:
        address = f"https://example.org/{name}"
        made = service.add(content.encode(), name=name, uri=address, new=True)
    page.goto(f"{running.base}/{made.pdi}{view_of(name)}")
    if not page.locator("#text").count():
        page_frame(page)
    return made.pdi


def view_of(name: str) -> str:
    """Return what asks for the text of a document: CSV is shown as a table else."""
    return "?show=text" if name.endswith(".csv") else ""


def resolved(archive: Path, reference: str) -> str:
    """Return what a citation resolves to."""
    with Archive.open(archive) as service:
        return service.resolve(reference).text or ""


def cite_selected(page: Page) -> str:
    """Press the button, and return the name of the citation."""
    page.get_by_role("button", name="Cite this").click()
    expect(page.locator("#bar")).to_be_hidden()
    return page.locator(".passage .name code").inner_text()


@pytest.mark.parametrize(("name", "content"), FILES)
def test_random_selections_are_cited(
    archive: Path,
    running: Running,
    page: Page,
    name: str,
    content: str,
    times: Callable[[int, int], int],
) -> None:
    open_file(archive, running, page, name, content)
    choose = random.Random(name)  # noqa: S311 - the same each time
    for _ in range(times(3, 12)):
        gesture = cite_random(Chromium(page), choose, (1, 120))
        if gesture is not None:
            assert gesture.trouble == ""
            assert squeezed(resolved(archive, gesture.reference)) == squeezed(gesture.words)


@pytest.mark.parametrize(("name", "content"), FILES[1:])
def test_all_of_it_is_cited(
    archive: Path, running: Running, page: Page, name: str, content: str
) -> None:
    pdi = open_file(archive, running, page, name, content)
    text = page.locator("#text")
    shown = text if text.count() else page.frame_locator("#page").locator("body")
    shown.click(position={"x": 2, "y": 2})
    page.keyboard.press("Control+a")
    cited = resolved(archive, cite_selected(page))
    page.goto(f"{running.base}/{pdi}?show=text")
    assert squeezed(cited) == squeezed(page.locator("#text").inner_text())


def test_words_of_more_than_a_hundred_thousand_characters(
    archive: Path, running: Running, page: Page
) -> None:
    page_ = "<p>" + "<p>".join(f"Entry {n} of the log, as clear as the last." for n in range(6000))
    open_file(archive, running, page, "long.html", page_)
    page.frame_locator("#page").locator("body").click()
    page.keyboard.press("Control+a")
    cited = resolved(archive, cite_selected(page))
    assert cited.startswith("Entry 0 of")
    assert cited.endswith("Entry 5999 of the log, as clear as the last.")


def test_what_a_browser_moves_is_found_where_it_came_from(
    archive: Path, running: Running, page: Page
) -> None:
    """Words in a table, but in no cell of it, stand before the table in a browser's tree."""
    open_file(archive, running, page, "moved.html", MOVED)
    frame = page_frame(page)
    frame.evaluate("getSelection().selectAllChildren(document.querySelectorAll('td')[1])")
    assert resolved(archive, cite_selected(page)) == "cell two"
    frame.evaluate(
        """() => { const moved = document.querySelector("table").previousSibling;
        getSelection().setBaseAndExtent(moved, 0, moved, 9); }"""
    )
    assert resolved(archive, cite_selected(page)) == "moved out"


def test_one_of_several_alike_is_cited_where_it_stands(
    archive: Path, running: Running, page: Page
) -> None:
    open_file(archive, running, page, "varied.html", VARIED)
    page_frame(page).evaluate(
        "getSelection().selectAllChildren(document.querySelectorAll('li')[2])"
    )
    with Archive.open(archive) as service:
        found = service.resolve(cite_selected(page), context=200)
    assert found.text == "wind"
    assert found.before is not None
    assert found.after is not None
    assert found.before.count("wind") == 2
    assert found.after.count("wind") == 1


def test_the_reader_says_before_the_press_what_cannot_be_cited(
    archive: Path, running: Running, page: Page
) -> None:
    open_file(archive, running, page, "varied.html", VARIED)
    page_frame(page).evaluate("getSelection().selectAllChildren(document.querySelector('select'))")
    expect(page.locator("#trouble")).to_contain_text("Select a little more")
    expect(page.get_by_role("button", name="Cite this")).to_be_hidden()
    page_frame(page).evaluate(
        """() => { const range = new Range();
        range.selectNode(document.querySelector("img"));
        getSelection().removeAllRanges();
        getSelection().addRange(range); }"""
    )
    expect(page.locator("#trouble")).to_contain_text("A picture alone")
    expect(page.get_by_role("button", name="Cite this")).to_be_hidden()


def test_no_message_of_another_window_is_heard(archive: Path, running: Running, page: Page) -> None:
    """Forged messages offer nothing; what the frame says is compared with the archive's text."""
    pdi = open_file(archive, running, page, "varied.html", VARIED)
    forged = {"start": 0, "end": 5, "head": "stray", "before": "", "after": "", "checksum": 1}
    page.evaluate("place => postMessage({ permacite: 'selection', place }, '*')", forged)
    page.evaluate(
        """place => { const source = document.querySelector("#page").contentWindow;
        const data = { permacite: "selection", place };
        dispatchEvent(new MessageEvent("message", { data, source })); }""",
        forged,
    )
    expect(page.locator("#trouble")).to_contain_text("not to be found")
    expect(page.get_by_role("button", name="Cite this")).to_be_hidden()
    with Archive.open(archive) as service:
        assert service.documents.show(pdi).citations == ()
