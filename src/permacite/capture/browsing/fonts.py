"""Which fonts a page is drawn with: asked of the browser, for one element of each style."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from permacite.errors import CaptureError

if TYPE_CHECKING:
    from permacite.capture.browsing.pipe import Tab

__all__ = ["fonts_of"]

_STYLES = 40
"""How many elements are asked about at most."""

_ONE_OF_EACH = """
(() => {
    const seen = new Map();
    const words = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
    for (let n = 0; n < 20000 && seen.size < %d && words.nextNode(); n++) {
        const element = words.currentNode.parentElement;
        if (!element || !words.currentNode.data.trim()) continue;
        const {fontFamily, fontWeight, fontStyle} = getComputedStyle(element);
        const key = [fontFamily, fontWeight, fontStyle].join();
        if (!seen.has(key)) seen.set(key, element);
    }
    return [...seen.values()];
})()
"""


async def fonts_of(tab: Tab) -> tuple[str, ...]:
    """The names of the fonts of a page, in order; none where the page does not tell."""
    names: set[str] = set()
    with contextlib.suppress(CaptureError):
        await tab.send("DOM.enable")
        await tab.send("CSS.enable")
        await tab.send("DOM.getDocument", {"depth": 0})
        asked = {"expression": _ONE_OF_EACH % _STYLES}
        found = (await tab.send("Runtime.evaluate", asked))["result"].get("objectId")
        if found is None:
            return ()
        listed = await tab.send("Runtime.getProperties", {"objectId": found, "ownProperties": True})
        for each in listed["result"]:
            element = each.get("value", {})
            if element.get("subtype") != "node":
                continue
            node = await tab.send("DOM.requestNode", {"objectId": element["objectId"]})
            told = await tab.send("CSS.getPlatformFontsForNode", {"nodeId": node["nodeId"]})
            names |= {font["familyName"] for font in told["fonts"]}
    return tuple(sorted(names))
