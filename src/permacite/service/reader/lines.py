"""A text as the reader shows it: by lines with their numbers, what is cited of it marked.

Of a long text a piece is shown, around what is cited or from a place on: it is read by the index of
the text, and no more of it. A piece begins and ends where lines do, unless one line is longer than
the piece. Numbers and positions are those of the whole text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.lazy_dataclass import dataclass
from permacite.limits import TEXT_CHARACTERS
from permacite.media_types import PAGES
from permacite.service.reader.marking import Marked, TextPiece, split

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permacite.archive import Representation
    from permacite.service.names import TextOf
    from permacite.text.document import DocumentText

__all__ = ["Line", "Sheet", "is_of", "sheet", "whole"]

_LEAD = 4_000
"""How many stand before what is cited, and how far the start of a line is looked for."""
_END = "\r\n"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text, or the rest of one that began before the piece."""

    number: int
    """From 1."""
    pieces: tuple[TextPiece, ...]
    is_rest: bool = False
    """Whether it began before."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The lines of a text that are shown; positions count characters of the whole."""

    start: int
    end: int
    length: int
    lines: tuple[Line, ...]
    before: int | None
    """Where the piece before this one begins; None at the start of the text."""
    after: int | None
    """Where the next one does; None at the end."""

    @property
    def is_whole(self) -> bool:
        """Whether this is all of the text."""
        return self.before is None and self.after is None


def is_of(source: TextOf, shown: Representation) -> bool:
    """Whether a format is shown as lines: a text that came as one, and was made of nothing else."""
    text = source.representation
    return text.pdi == shown.pdi and text.derived_from is None and text.media_type not in PAGES


def sheet(document: DocumentText, marked: Marked, at: int | None) -> Sheet:
    """The piece of a text that begins at the position `at`, or that shows what is marked first."""
    length = document.length
    wanted = at
    if wanted is None:
        wanted = max(0, marked.spans[0][0] - _LEAD) if marked.spans else 0
    start = _line_start(document, min(wanted, length)) if length > TEXT_CHARACTERS else 0
    end = (
        length
        if length - start <= TEXT_CHARACTERS
        else _line_start(document, start + TEXT_CHARACTERS)
    )
    if end <= start:  # one line is longer than all that is shown
        end = min(length, start + TEXT_CHARACTERS)
    text = document.words(start, end)
    return Sheet(
        start,
        end,
        length,
        tuple(_lines(text, _within(marked, start, end), document.line(start) + 1)),
        before=max(0, start - TEXT_CHARACTERS) if start else None,
        after=end if end < length else None,
    )


def whole(text: str, marked: Marked) -> Sheet:
    """All of a text."""
    return Sheet(0, len(text), len(text), tuple(_lines(text, marked, 1)), None, None)


def _line_start(document: DocumentText, place: int) -> int:
    """Where the line begins that a place is in; the place itself where that is far away."""
    lead = document.words(max(0, place - _LEAD), place)
    found = lead.rfind(_END)
    if found >= 0:
        return place - len(lead) + found + len(_END)
    return place if place > len(lead) else 0


def _within(marked: Marked, start: int, end: int) -> Marked:
    """What is marked of a piece, its positions counted from the start of that."""
    if marked.caret:
        spans = [span for span in marked.spans if start <= span[0] <= end]
    else:
        spans = [(max(a, start), min(b, end)) for a, b in marked.spans if a < end and start < b]
    return Marked(tuple((a - start, b - start) for a, b in spans), caret=marked.caret)


def _lines(text: str, marked: Marked, number: int) -> Iterator[Line]:
    """The lines of a text, each with its line end."""
    place, spans = 0, list(marked.spans)
    while place < len(text) or place == 0:
        found = text.find(_END, place)
        end = len(text) if found < 0 else found + len(_END)
        is_last = end == len(text)
        inside = _cut(spans, place, end, caret=marked.caret, is_last=is_last)
        yield Line(number, split(text[place:end], Marked(inside, caret=marked.caret)))
        spans = [span for span in spans if span[1] > end or (marked.caret and span[0] >= end)]
        place, number = end, number + 1
        if is_last:
            break


def _cut(
    spans: Sequence[tuple[int, int]], start: int, end: int, *, caret: bool, is_last: bool
) -> tuple[tuple[int, int], ...]:
    """What of some spans is in a line, counted from its start."""
    if caret:
        here = [a for a, _ in spans if start <= a < end or (is_last and a == end)]
        return tuple((a - start, a - start) for a in here)
    return tuple(
        (max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and start < b
    )
