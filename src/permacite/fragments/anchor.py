"""What became of a quoted passage in a text that may have changed since.

Offsets are code points of `text`; RFC 5147 §2.3 names the problem and leaves it to applications.
The answer is never silent: it says how sure it is, and how good the second-best place is.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from permacite.fragments import likeness
from permacite.fragments import quote as quotes

__all__ = ["Anchoring", "reanchor"]

Status = Literal["verified", "moved", "changed", "ambiguous", "gone"]

_CONTEXT = 64
"""How many characters of context are compared on either side."""

_ENOUGH = 0.6
"""A passage less like the quote than this is another passage."""

_MARGIN = 0.05
"""Two places whose scores differ by less cannot be told apart."""

_MAX_COMPARED = 64
"""How many places are compared with their whole context."""

_QUOTE_WEIGHT = 0.75
"""How much of a score is the passage itself; the rest is its context."""


@dataclass(frozen=True, slots=True)
class Anchoring:
    """Where a passage stands now.

    `status`: "verified", the same words at the same place; "moved", the same words elsewhere;
    "changed", other but similar words; "ambiguous", several places that are as good; "gone", none.
    `start` and `end` are the best place (None where "gone"). `score` and `runner_up`, from 0 to 1,
    are the likeness of the best and of the second-best place, context included; `runner_up` is None
    where there is no other.
    """

    status: Status
    start: int | None
    end: int | None
    score: float
    runner_up: float | None


@dataclass(frozen=True, slots=True)
class _Passage:
    """What was cited: the words, what stood around them, and where they began."""

    quote: str
    before: str
    after: str
    start: int


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in the text: how alike the words are, and how alike with their context."""

    start: int
    end: int
    likeness: float
    score: float


def reanchor(  # noqa: PLR0917 - a passage in the order of the text, and where it stood
    text: str, quote: str, before: str, after: str, start: int
) -> Anchoring:
    """Find the passage `quote`, once at `start` between `before` and `after`, in `text`."""
    passage = _Passage(quote, before[-_CONTEXT:], after[:_CONTEXT], start)
    found = _same_words(text, passage) or _like_words(text, passage)
    found.sort(key=lambda place: (-place.score, abs(place.start - start)))
    runner_up = found[1].score if len(found) > 1 else None
    if not found or found[0].likeness < _ENOUGH:
        return Anchoring("gone", None, None, found[0].score if found else 0.0, runner_up)
    best = found[0]
    status = _status(text, passage, best, runner_up)
    return Anchoring(status, best.start, best.end, best.score, runner_up)


def _status(text: str, passage: _Passage, best: _Place, runner_up: float | None) -> Status:
    if best.start == passage.start and text[best.start : best.end] == passage.quote:
        return "verified"
    if runner_up is not None and best.score - runner_up < _MARGIN:
        return "ambiguous"
    return "moved" if best.likeness == 1.0 else "changed"


def _same_words(text: str, passage: _Passage) -> list[_Place]:
    """Return the places where the very words stand, the likeliest of many."""
    spans = quotes.occurrences(text, passage.quote)
    original = (passage.start, passage.start + len(passage.quote))
    if passage.quote and text[slice(*original)] == passage.quote and original not in spans:
        spans.append(original)
    if len(spans) > _MAX_COMPARED:
        spans.sort(key=lambda s: (-_common(text, s, passage), abs(s[0] - passage.start)))
    return [_judged(text, span, 1.0, passage) for span in spans[:_MAX_COMPARED]]


def _like_words(text: str, passage: _Passage) -> list[_Place]:
    """Return the places where similar words stand."""
    near = quotes.nearest(text, passage.quote, limit=8)
    return [_judged(text, (one.start, one.end), one.score, passage) for one in near]


def _sides(text: str, span: tuple[int, int], passage: _Passage) -> list[tuple[str, str]]:
    """Return what stood on either side, each with what stands there now; outward from the words."""
    before = text[max(0, span[0] - len(passage.before)) : span[0]]
    after = text[span[1] : span[1] + len(passage.after)]
    return [(passage.before[::-1], before[::-1]), (passage.after, after)]


def _judged(text: str, span: tuple[int, int], alike: float, passage: _Passage) -> _Place:
    """Add how alike the context is."""
    context = [
        likeness.likeness(likeness.fold(then).text, likeness.fold(now).text)
        for then, now in _sides(text, span, passage)
        if then
    ]
    around = sum(context) / len(context) if context else alike
    return _Place(*span, alike, _QUOTE_WEIGHT * alike + (1 - _QUOTE_WEIGHT) * around)


def _common(text: str, span: tuple[int, int], passage: _Passage) -> int:
    """Count the characters of context that are the same: cheap enough for very many places."""
    sides = _sides(text, span, passage)
    return sum(len(list(takewhile(_equal, zip(*side, strict=False)))) for side in sides)


def _equal(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]
