"""Pages whose words scripts draw: what a browser drew of them, and what is told where none did.

What was drawn is committed as formats beside those that were served: the page as it was drawn, an
aggregate that stands by itself; its words; and a picture of the view.

A page is thin if it has scripts, and next to no text of its own. That is a sign, not a proof: the
warning says what was seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permacite import pdi
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.texts import DERIVED
from permacite.markup import StartTag
from permacite.markup import title as stated_title
from permacite.media_types import PAGES, essence
from permacite.renditions import Notice, RenditionRecord
from permacite.renditions.drawn import DRAWN_TEXT
from permacite.renditions.stored import MAP, RECORD

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from permacite.capture.model import Capture, Frozen
    from permacite.markup import Document
    from permacite.service.sources import Incoming

__all__ = ["formats", "is_thin", "on_record", "title_of", "warnings"]

_FROZEN = "permacite-frozen/1"
"""How a page is frozen and put together: another way is another version."""
_LEFT_OUT = {
    "nodes": "elements beyond a limit",
    "style-sheet-too-large": "parts of style sheets",
    "parts-too-large": "pictures that scripts made",
    "canvas-too-large": "canvases in their full size",
    "canvas": "canvases that no screenshot reaches",
    "blob": "pictures and style sheets of blob: addresses",
    "video": "pictures of videos",
    "frame": "frames",
    "frames": "frames",
    "part": "parts that scripts made",
    "closed-shadow-roots-not-looked-for": "what is in closed shadow roots",
    "screenshot": "the screenshot",
}
"""What a freezing may leave out, in words."""


_THIN = 250
"""A page with scripts and fewer characters than these, white space left aside, is thin."""
_SCRIPTS = frozenset({"", "module", "text/javascript", "application/javascript", "text/ecmascript"})
"""Types of script elements that browsers run; others hold data."""


def title_of(captured: Capture, page: Incoming) -> str | None:
    """The title as it was drawn, which scripts may have set; that which was served is the next."""
    shown = captured.drawn and stated_title(captured.drawn.root.content.decode("utf-8", "replace"))
    return shown or page.title


def formats(captured: Capture, title: str | None) -> list[NewRepresentation]:
    """The formats of what a browser drew; none where none did."""
    drawn = captured.drawn
    if drawn is None:
        return []
    words = NewRepresentation(
        drawn.text.encode(),
        "text/plain",
        decoding=DERIVED,
        format=pdi.DRAWN_TEXT,
        derived_from=pdi.DRAWN_PAGE,
        rendition=DRAWN_TEXT,
        sidecars={MAP: drawn.map, RECORD: _rendering(drawn, title).to_bytes()},
    )
    picture = NewRepresentation(drawn.screenshot, "image/png", derived_from=pdi.DRAWN_PAGE)
    return [
        NewRepresentation(
            _aggregate(captured, drawn, title),
            "multipart/related",
            format=pdi.DRAWN_PAGE,
            derived_from="related" if captured.is_served else None,
            rendition=_FROZEN,
        ),
        *([words] if drawn.text else []),
        *([picture] if drawn.screenshot else []),
    ]


def _rendering(drawn: Frozen, title: str | None) -> RenditionRecord:
    """How the words came about, as it is kept beside them."""
    left = sorted({_LEFT_OUT.get(each, each) for each in drawn.view.get("left_out", ())})
    notices = [Notice("left-out", f"not all could be frozen: {', '.join(left)}")] if left else []
    builds = {"browser": str(drawn.view.get("browser", ""))}
    return RenditionRecord(DRAWN_TEXT, title, (), tuple(notices), builds)


def _aggregate(captured: Capture, drawn: Frozen, title: str | None) -> bytes:
    """The frozen page and what it shows, as received; pages that it shows are frozen themselves."""
    from permacite import capture, mhtml

    _, received = capture.body_parts(captured)
    labels = {each.content_location for each in (drawn.root, *drawn.parts)}
    others = [
        each
        for each in received
        if essence(each.content_type) not in PAGES and each.content_location not in labels
    ]
    if others:
        shown = _shown(mhtml.build(drawn.root, [*drawn.parts, *others], profile="archive"))
        others = [each for each in others if each.content_location in shown]
    # No Date field: the same octets are then the same aggregate.
    return mhtml.build(drawn.root, [*drawn.parts, *others], profile="archive", subject=title)


def _shown(octets: bytes) -> set[str | None]:
    """The labels of what an aggregate shows: references are followed as for whoever sees it."""
    from permacite import mhtml
    from permacite.mhtml import links

    aggregate = mhtml.open(octets)
    waiting, seen = [aggregate.root], {aggregate.root.path}
    labels: set[str | None] = set()
    while waiting:
        part = waiting.pop()
        labels.add(part.content_location)
        charset = part.parameters.get("charset")
        for link in links.references(part.content, part.content_type, charset):
            other = None
            if link.role == "embed" and not link.value.startswith("data:"):
                other = aggregate.resolve(link.value.strip(), part, "browser").root
            if other is not None and other.path not in seen:
                seen.add(other.path)
                waiting.append(other)
    return labels


def on_record(page: Incoming, captured: Capture) -> dict[str, Any]:
    """What is kept with a page: how many scripts it holds, whether it is thin, and how drawn."""
    if not page.document.is_page:
        return {}
    kept: dict[str, Any] = {"inline_scripts": _inline(page.document)}
    if is_thin(page, captured):
        kept["thin"] = _characters(page)
    return kept if captured.drawn is None else kept | {"drawn": dict(captured.drawn.view)}


def is_thin(page: Incoming, captured: Capture) -> bool:
    """Whether a page has scripts, in itself or linked to, and next to no text."""
    if not page.document.is_page or _characters(page) >= _THIN:
        return False
    return captured.drawing is not None or bool(captured.left_out) or _inline(page.document) > 0


def _characters(page: Incoming) -> int:
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
        if "drawn" in details:
            yield f"scripts draw this page: {saved} came as served, its words are cited as drawn"
        elif drawing:
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
    if "not_frozen" in drawing:
        yield f"what the browser drew could not be kept: {drawing['not_frozen']}"
    if "problem" in drawing.get("behaviour", {}):
        yield f"the behaviour went wrong: {drawing['behaviour']['problem']}"
    if drawing.get("quiet") is False:
        yield "the page never came to rest: it was left as it stood"
