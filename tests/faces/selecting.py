"""Random selections in an archived page, made in a real browser and cited by the real button."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    import random

    from playwright.sync_api import Frame, Page

__all__ = ["Gesture", "cite_random", "page_frame", "squeezed"]

_SELECT = """([from, size, backwards]) => {
    const walker = Document.prototype.createTreeWalker.call(
        document, document.body, NodeFilter.SHOW_TEXT);
    const nodes = [];
    const gone = "script,style,title,noscript,[hidden],select,option,datalist,optgroup,"
        + "template,rp,audio,video,canvas,dialog:not([open]),desc,metadata,annotation,"
        + "annotation-xml";
    let total = 0;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node.parentElement.closest(gone + ",textarea") || !node.data.trim()) continue;
        nodes.push([node, total]);
        total += node.data.length;
    }
    if (!total) return null;
    const at = (place) => {
        const [node, before] = nodes.findLast(([, start]) => start <= place);
        return [node, Math.min(place - before, node.data.length)];
    };
    const first = Math.floor(from * total);
    const ends = [at(first), at(Math.min(total, first + size))];
    if (backwards) ends.reverse();
    getSelection().setBaseAndExtent(...ends[0], ...ends[1]);
    const range = getSelection().getRangeAt(0);
    const part = range.cloneContents();
    part.querySelectorAll(gone).forEach((node) => node.remove());
    return getSelection().isCollapsed ? "" : part.textContent;
}"""
"""Select `size` characters of what is read of the page, from a share of it on; tell the words."""


_SETTLED_MS = 300
"""The frame tells of a selection once it has not changed for a while."""


@dataclass(frozen=True)
class Gesture:
    """What was selected, and what came of it: a reference, or why there is none."""

    words: str
    reference: str
    trouble: str


def squeezed(words: str) -> str:
    """Words without what white space there is: the browser's and ours differ in it."""
    return "".join(words.split()).replace("\ufffd", "").replace("\x00", "")


def page_frame(page: Page) -> Frame:
    """Return the frame of the archived page, once it is there."""
    handle = page.locator("#page").element_handle()
    assert handle is not None
    frame = handle.content_frame()
    assert frame is not None
    frame.wait_for_load_state("load")
    return frame


def cite_random(page: Page, choose: random.Random, sizes: tuple[int, int]) -> Gesture | None:
    """Select at random in the document that is open and press the button; None: nothing to."""
    chosen = [choose.random(), choose.randint(*sizes), choose.random() < 0.3]
    bar = page.locator("#bar")
    words = page_frame(page).evaluate(_SELECT, chosen)
    if not words or not squeezed(words):
        page_frame(page).evaluate("getSelection().empty()")
        page.wait_for_timeout(_SETTLED_MS)
        expect(bar).to_be_hidden()
        return None
    expect(bar).to_be_visible()
    trouble = page.locator("#trouble").inner_text()
    if trouble:
        page_frame(page).evaluate("getSelection().empty()")
        expect(bar).to_be_hidden()
        return Gesture(words, "", trouble)
    page.get_by_role("button", name="Cite this").click()
    expect(bar).to_be_hidden()
    heading = page.locator("#answer h2")
    if heading.inner_text() != "Cited":
        return Gesture(words, "", page.locator("#answer").inner_text())
    return Gesture(words, page.locator("#answer .name a").inner_text(), "")
