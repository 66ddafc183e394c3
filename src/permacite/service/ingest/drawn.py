"""Pages whose words scripts would draw: told of as they are saved, since scripts are never run.

A page is thin if it has scripts, and next to no text of its own. That is a sign, not a proof: the
warning says what was seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.markup import StartTag

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permacite.markup import Document
    from permacite.service.sources import Source

__all__ = ["on_record", "warning"]

_THIN = 250
"""A page with scripts and fewer characters than these, white space left aside, is thin."""
_SCRIPTS = frozenset({"", "module", "text/javascript", "application/javascript", "text/ecmascript"})
"""Types of script elements that browsers run; others hold data."""


def on_record(page: Source, *, linked: int) -> dict[str, int]:
    """What is kept with a page: how many scripts it holds, and whether it is thin.

    `linked`: how many scripts it links to.
    """
    if not page.document.is_page:
        return {}
    inline = _inline(page.document)
    characters = len("".join((page.text or "").split()))
    is_thin = bool(inline or linked) and characters < _THIN
    return {"inline_scripts": inline} | ({"thin": characters} if is_thin else {})


def _inline(document: Document) -> int:
    """How many scripts stand in a page itself."""
    scripts = (
        token
        for token in document.tokens()
        if isinstance(token, StartTag) and token.name == "script" and token.get("src") is None
    )
    return sum((script.get("type") or "").strip().lower() in _SCRIPTS for script in scripts)


def warning(details: Mapping[str, object]) -> str | None:
    """What is told of a thin page, from what is on record of it."""
    if "thin" not in details:
        return None
    return (
        f"scripts draw this page, and they are not run: {details['thin']} characters of text were"
        " saved; what a browser shows of it can be saved there as MHTML, and imported"
    )
