"""A text in the reader's frame: what is cited marked, its labels or lines told in the margin.

A label is no character of the frame's tree: what is selected is counted in characters, and only
those of the text count. So its words are an attribute, which a style sheet shows. What begins
within a line is told there: in the margin it would lie over what begins with the line.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from permacite.renditions import Printed
from permacite.service.reader import lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permacite.archive import Representation
    from permacite.renditions import Label
    from permacite.service.reader.lines import Line, Sheet
    from permacite.service.reader.marking import Marked
    from permacite.words import Words

__all__ = ["STYLE", "STYLE_OF_PROSE", "is_prose", "text_html"]

STYLE_OF_PROSE = """\
pre { font: 1.05rem/1.6 Charter, "Bitstream Charter", "Noto Serif", Georgia, serif; tab-size: 6em;
  max-width: 46rem }"""

STYLE = """\
pre.labelled { position: relative; padding-left: clamp(7rem, 25%, 13rem) }
.label::before { content: attr(data-label); position: absolute; left: 0;
  width: calc(clamp(7rem, 25%, 13rem) - 1rem);
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap; user-select: none;
  font: 0.8rem/2 system-ui, sans-serif; color: light-dark(#595959, #b0b0b0) }
@media (max-width: 40rem) {
  pre.labelled { padding-left: 0 }
  .label::before { position: static; display: block; width: auto }
}
.label.within::before { position: static; display: inline; margin: 0 0.25rem; padding: 0 0.25rem;
  border: 1px solid; border-radius: 0.25rem }"""


_AS_WRITTEN = frozenset({"json-text", "notebook-text"})
"""Rules whose texts are code, in part: their columns are those of letters of one width."""


def is_prose(shown: Representation) -> bool:
    """Whether a text is sentences that rules took out of a document."""
    return shown.rendition is not None and shown.rendition.partition("/")[0] not in _AS_WRITTEN


def text_html(text: str, marked: Marked, labels: Sequence[Label], words: Words) -> str:
    """The text as an element; line ends as a browser shows them."""
    places = _margin(labels, words)
    if not places:
        return _numbered(lines.whole(text, marked))
    pieces = "".join(_pieces(text, marked, places))
    return f'<pre lang="" dir="auto" class="labelled">\n{pieces}</pre>'


def _numbered(sheet: Sheet) -> str:
    """The lines of a text; a style sheet writes their numbers, which are none of its characters."""
    written = "".join(map(_line, sheet.lines))
    first = written.replace("<mark>", '<mark id="permacite-mark">', 1)
    return f'<pre lang="" dir="auto" class="lines">\n{first}</pre>'


def _line(line: Line) -> str:
    pieces = "".join(
        f"<mark>{html.escape(piece.text)}</mark>" if piece.marked else html.escape(piece.text)
        for piece in line.pieces
    )
    return f'<span data-line="{line.number}">{pieces}</span>'


def _margin(labels: Sequence[Label], words: Words) -> list[tuple[int, str]]:
    """Positions, and what stands in the margin there: all labels that begin there."""
    places: dict[int, list[str]] = {}
    for label in sorted(labels, key=lambda label: (label.start, label.kind != "page")):
        if label.kind == "page":
            told = words("document.printed_page", name=label.name)
        else:
            told = Printed(label.kind, label.name, label.name, label.target).told
        places.setdefault(label.start, []).append(told)
    return [(start, ", ".join(several)) for start, several in places.items()]


def _pieces(text: str, marked: Marked, places: list[tuple[int, str]]) -> Iterator[str]:
    at = 0
    margin = iter(places)
    waiting = next(margin, None)

    def upto(end: int) -> Iterator[str]:
        nonlocal at, waiting
        while waiting is not None and waiting[0] < end:
            yield _characters(text[at : waiting[0]])
            at, told = waiting
            yield _label(told, within=at > 0 and text[at - 1] != "\n")
            waiting = next(margin, None)
        yield _characters(text[at:end])
        at = end

    for start, end in marked.spans:
        yield from upto(start)
        yield '<mark id="permacite-mark">'
        yield from upto(end)
        yield "</mark>"
    yield from upto(len(text))


def _characters(text: str) -> str:
    return html.escape(text.replace("\r\n", "\n"))


def _label(told: str, *, within: bool) -> str:
    """What is told of a place, at the beginning of a line or within it."""
    shown, kind = html.escape(told), "label within" if within else "label"
    return f'<span class="{kind}" role="note" title="{shown}" data-label="{shown}"></span>'
