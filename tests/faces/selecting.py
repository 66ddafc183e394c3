"""Random selections in archived pages, made in a real browser and cited by the real button."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import random

    from playwright.sync_api import Frame, Page

__all__ = [
    "Chromium",
    "Gesture",
    "Reader",
    "cite_random",
    "drag_over",
    "page_frame",
    "squeezed",
]

_SELECT = """(from, size, backwards) => {
    const unread = ["script", "style", "title", "noscript", "[hidden]", "select", "option",
        "datalist", "optgroup", "template", "rp", "audio", "video", "canvas", "dialog:not([open])",
        "desc", "metadata", "annotation", "annotation-xml"];
    const ruleOf = ({ parentElement }) => unread.find((rule) => parentElement.closest(rule));
    const body = (top === self && document.querySelector("#text")) || document.body;
    const walker = Document.prototype.createTreeWalker.call(document, body, NodeFilter.SHOW_TEXT);
    const nodes = [];
    let total = 0;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (ruleOf(node) || node.parentElement.closest("textarea") || !node.data.trim()) continue;
        nodes.push([node, total]);
        total += node.data.length;
    }
    if (!total) return null;
    const at = (place) => {
        const [node, before] = nodes.findLast(([, start]) => start <= place);
        const { data } = node;
        let offset = Math.min(place - before, data.length);
        if (/[\\udc00-\\udfff]/.test(data[offset])) offset++; // no mouse stops within a character
        return [node, offset];
    };
    const length = size < 1 ? Math.ceil(total ** size) : size;
    const first = length < total ? Math.floor(from * total) : 0;
    const ends = [at(first), at(Math.min(total, first + length))];
    if (backwards) ends.reverse();
    getSelection().empty(); // the same stretch twice is no change, of which nobody is told
    getSelection().setBaseAndExtent(...ends[0], ...ends[1]);
    if (getSelection().isCollapsed) return null;
    const range = getSelection().getRangeAt(0);
    const left = new Set();
    let words = range.toString();
    if (unread.some((rule) => body.querySelector(rule))) {
        words = "";
        walker.currentNode = body;
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            if (!range.intersectsNode(node)) continue;
            const start = node === range.startContainer ? range.startOffset : 0;
            const end = node === range.endContainer ? range.endOffset : node.data.length;
            const rule = ruleOf(node);
            if (!rule) words += node.data.slice(start, end);
            else if (node.data.slice(start, end).trim()) left.add(rule);
        }
    }
    return { words, left: [...left] };
}"""
"""Select a stretch of what is read of the page, from a share of it on; tell the words as
Range.toString() gives them, but for elements that no text of a page holds, and which those were.
The reader itself shows a text, all other pages are in a frame of it.
A size below 1 is an exponent: as many characters as the page has, to that power."""

_ENDS = """words => {
    const body = (top === self && document.querySelector("#text, #grid")) || document.body;
    const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    const letters = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        for (let at = 0; at < node.data.length; at++) {
            if (node.data[at].trim()) letters.push([node, at]);
        }
    }
    const wanted = words.replace(/\\s+/g, "");
    const first = letters.map(([node, at]) => node.data[at]).join("").indexOf(wanted);
    if (first < 0) throw new Error(`not there: ${words}`);
    const ends = [letters[first], letters[first + wanted.length - 1]];
    const boxOf = ([node, at]) => {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        return range.getBoundingClientRect();
    };
    ends[0][0].parentElement.scrollIntoView({ block: "center" });
    scrollBy(0, boxOf(ends[0]).top - innerHeight / 2); // its element may be all of the text
    const boxes = ends.map(boxOf);
    const inside = ({ width }) => Math.min(1, width / 4);
    return boxes.map((box, end) => ({
        x: end ? box.right - inside(box) : box.left + inside(box),
        y: box.top + box.height / 2,
    }));
}"""
"""Where a pointer is to begin and to end that selects some words of what is read of the page."""

_ALL = 10**12
_SETTLED_S = 0.3
"""The frame tells of a selection once it has not changed for a while."""


@dataclass(frozen=True)
class Gesture:
    """What was selected, and what came of it: a reference, or why there is none."""

    words: str
    reference: str
    trouble: str
    left: tuple[str, ...] = ()
    """Elements among what is selected that no text of a page holds."""


def squeezed(words: str) -> str:
    """Words without what white space there is: the browser's and ours differ in it."""
    return "".join(words.split()).replace("\ufffd", "").replace("\x00", "")


class Reader(Protocol):
    """A browser in which a document is open in the reader."""

    def open(self, address: str) -> None:
        """Open a document, and wait until it is there."""

    def in_document(self, script: str, *arguments: object) -> Any:
        """What a function of a script returns, which runs where the document is shown."""

    def wait_for(self, selector: str) -> None:
        """Wait until an element is there."""

    def text(self, selector: str) -> str:
        """The words that an element shows; "" where there is none."""

    def click(self, selector: str) -> None:
        """Click on an element as a mouse does."""


class Chromium:
    """A page of Chromium, driven by playwright."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def open(self, address: str) -> None:
        """Open a document, and wait until it is there."""
        self._page.goto(address)

    def in_document(self, script: str, *arguments: object) -> Any:
        """What a function of a script returns, which runs where the document is shown."""
        is_text = self._page.locator("#page").count() == 0
        place = self._page if is_text else page_frame(self._page)
        return place.evaluate(f"words => ({script})(...words)", list(arguments))

    def wait_for(self, selector: str) -> None:
        """Wait until an element is there."""
        self._page.locator(selector).first.wait_for(state="attached")

    def text(self, selector: str) -> str:
        """The words that an element shows; "" where there is none."""
        found = self._page.locator(selector)
        return found.first.inner_text() if found.count() else ""

    def click(self, selector: str) -> None:
        """Click on an element as a mouse does."""
        self._page.locator(selector).click()


def page_frame(page: Page) -> Frame:
    """Return the frame of the archived page, once it is there."""
    handle = page.locator("#page").element_handle()
    assert handle is not None
    frame = handle.content_frame()
    assert frame is not None
    frame.wait_for_load_state("load")
    return frame


def drag_over(page: Page, words: str) -> None:
    """Draw a real pointer over the first place of some words in the document that is open."""
    framed = page.locator("#page")
    left = top = 0.0
    if framed.count():
        box = framed.bounding_box()
        assert box is not None
        left, top = box["x"], box["y"]
    begin, end = (page_frame(page) if framed.count() else page).evaluate(_ENDS, words)
    page.mouse.move(left + begin["x"], top + begin["y"])
    page.mouse.down()
    page.mouse.move(left + end["x"], top + end["y"], steps=5)
    page.mouse.up()


def cite_random(
    reader: Reader, choose: random.Random, sizes: tuple[int, int] | None = None
) -> Gesture | None:
    """Select at random in the document that is open and press the button; None: nothing to.

    Without `sizes`, stretches from one character to the whole page, short ones more often.
    """
    size = choose.randint(*sizes) if sizes else choose.choices([choose.random(), _ALL], [97, 3])[0]
    selected = reader.in_document(_SELECT, choose.random(), size, choose.random() < 0.3)
    if not selected or not squeezed(selected["words"]):
        _let_go(reader)
        return None
    words, left = selected["words"], tuple(selected["left"])
    reader.wait_for("#bar:not([hidden])")
    trouble = reader.text("#trouble")
    if not reader.text("#cite"):
        _let_go(reader)
        return Gesture(words, "", trouble, left)
    reader.click("#cite")
    reader.wait_for("#bar[hidden], #answer .problem")
    if trouble := reader.text("#answer .problem"):
        return Gesture(words, "", trouble, left)
    return Gesture(words, reader.text(".passage .name"), "", left)


def _let_go(reader: Reader) -> None:
    reader.in_document("() => getSelection().empty()")
    time.sleep(_SETTLED_S)
    reader.wait_for("#bar[hidden]")
