"""Pages whose words scripts draw: told of as they are saved.

A page is thin if it has scripts, and next to no text of its own. That is a sign, not a proof: the
warning says what was seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permacite.markup import StartTag

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from permacite.capture import Capture
    from permacite.markup import Document
    from permacite.service.sources import Source

__all__ = ["is_thin", "on_record", "warnings"]

_THIN = 250
"""A page with scripts and fewer characters than these, white space left aside, is thin."""
_SCRIPTS = frozenset({"", "module", "text/javascript", "application/javascript", "text/ecmascript"})
"""Types of script elements that browsers run; others hold data."""


def on_record(page: Source, captured: Capture) -> dict[str, int]:
    """What is kept with a page: how many scripts it holds, and whether it is thin."""
    if not page.document.is_page:
        return {}
    kept = {"inline_scripts": _inline(page.document)}
    return kept | ({"thin": _characters(page)} if is_thin(page, captured) else {})


def is_thin(page: Source, captured: Capture) -> bool:
    """Whether a page has scripts, in itself or linked to, and next to no text."""
    if not page.document.is_page or _characters(page) >= _THIN:
        return False
    return captured.drawing is not None or bool(captured.left_out) or _inline(page.document) > 0


def _characters(page: Source) -> int:
    return len("".join((page.text or "").split()))


def _inline(document: Document) -> int:
    """How many scripts stand in a page itself."""
    scripts = (
        token
        for token in document.tokens()
        if isinstance(token, StartTag) and token.name == "script" and token.get("src") is None
    )
    return sum((script.get("type") or "").strip().lower() in _SCRIPTS for script in scripts)


def warnings(details: Mapping[str, Any]) -> Iterator[str]:
    """What is told of a page that scripts draw, from what is on record of it."""
    drawing = details.get("drawing", {})
    if "thin" in details:
        saved = f"{details['thin']} characters of text"
        if drawing:
            yield f"scripts draw this page: {saved} came as served"
        elif "not_drawn" in details:
            yield f"scripts draw this page, and {saved} were saved: {details['not_drawn']}"
        else:
            yield (
                f"scripts draw this page, and they were not run: {saved} were saved; with Chromium"
                " installed, --via browser has it drawn"
            )
    if "wall" in drawing:
        yield f"this looks like {drawing['wall']} in place of the page"
    if drawing.get("quiet") is False:
        yield "the page never came to rest: it was left as it stood"
