"""What became of a quoted passage in a text that may have changed since.

Offsets are code points of `text`. RFC 5147 §2.3 names the problem and leaves it to applications.
The answer is never silent: it says how sure it is, and how good the second-best place is.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from permacite.fragments import likeness
from permacite.fragments import quote as quotes
from permacite.scan import compile_pattern

__all__ = ["Anchoring", "Status", "reanchor"]

Status = Literal["verified", "moved", "changed", "ambiguous", "gone"]

_SPACE = compile_pattern(r"\s+")

_CONTEXT = 64
"""How many characters of context are compared on either side."""

_ENOUGH = 0.6
"""A place with a lower score is another passage."""

_MARGIN = 0.05
"""Two places whose scores differ by less cannot be told apart."""

_CERTAIN = 0.9
"""The same words with such a score need not be compared with similar words elsewhere."""

_MAX_COMPARED = 64
"""How many places are compared with their whole context."""

_MAX_CANDIDATES = 8
_MAX_AROUND = 4
"""Similar words that are looked at; places whose whole surroundings are similar."""

_QUOTE_WEIGHT = 0.75
"""How much of a score is the passage itself; the rest is its context."""

_SHORT = 64
_SHORT_WEIGHT = 0.4
_UNCHANGED = 0.9
"""A short passage (a figure, a name) between such context is judged more by the context."""


@dataclass(frozen=True, slots=True)
class Anchoring:
    """Where a passage stands now.

    `status`: "verified", the same words at the same place; "moved", the same words elsewhere;
    "changed", other but similar words; "ambiguous", several places that are as good; "gone", none.
    White space does not matter. `start` and `end` are the best place (None where "gone"). `score`
    and `runner_up`, from 0 to 1, are the likeness of the best and of the second-best place, context
    included; `runner_up` is None where there is no other.
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
    found = _same_words(text, passage)
    if not any(place.score >= _CERTAIN for place in found):
        found += _similar(text, passage, found)
    found.sort(key=lambda place: (-place.score, abs(place.start - start)))
    runner_up = found[1].score if len(found) > 1 else None
    if not found or found[0].score < _ENOUGH:
        return Anchoring("gone", None, None, found[0].score if found else 0.0, runner_up)
    best = found[0]
    return Anchoring(_status(passage, best, runner_up), best.start, best.end, best.score, runner_up)


def _status(passage: _Passage, best: _Place, runner_up: float | None) -> Status:
    if best.likeness == 1.0 and best.start == passage.start:
        return "verified"
    if runner_up is not None and best.score - runner_up < _MARGIN:
        return "ambiguous"
    return "moved" if best.likeness == 1.0 else "changed"


def _same_words(text: str, passage: _Passage) -> list[_Place]:
    """Return the places where the very words stand, the likeliest of many."""
    spans = quotes.occurrences(text, passage.quote)
    original = (passage.start, passage.start + len(passage.quote))
    if text[slice(*original)] == passage.quote and original not in spans:
        spans = [span for span in spans if span[1] <= original[0] or span[0] >= original[1]]
        spans += [original] if passage.quote.strip() else []
    if len(spans) > _MAX_COMPARED:
        spans.sort(key=lambda s: (-_common(text, s, passage), abs(s[0] - passage.start)))
    return [_judged(text, span, 1.0, passage) for span in spans[:_MAX_COMPARED]]


def _similar(text: str, passage: _Passage, same: list[_Place]) -> list[_Place]:
    """Return other places, where similar words stand, or any between similar surroundings."""
    spans = [
        (one.start, one.end) for one in quotes.nearest(text, passage.quote, limit=_MAX_CANDIDATES)
    ]
    spans += _between(text, passage)
    places: list[_Place] = []
    for span in dict.fromkeys(spans):
        words = " ".join(text[slice(*span)].split())
        alike = likeness.likeness(words, " ".join(passage.quote.split()))
        places.append(_judged(text, span, alike, passage))
    places.sort(key=lambda place: -place.score)
    chosen = list(same)
    for place in places:
        if all(place.end <= other.start or place.start >= other.end for other in chosen):
            chosen.append(place)
    return chosen[len(same) :]


def _between(text: str, passage: _Passage) -> list[tuple[int, int]]:
    """Return what stands now where the surroundings are as they were."""
    folded = likeness.fold(text)
    words, before, after = (
        _SPACE.sub(" ", side) for side in (passage.quote, passage.before, passage.after)
    )
    found = []
    for match in likeness.nearest(folded.text, before + words + after, _MAX_AROUND):
        part = folded.text[match.start : match.end]
        low = likeness.best_part(part, before)[1] if before else 0
        high = low + likeness.best_part(part[low:], after)[0] if after else len(part)
        words_now = part[low:high].strip()
        if words_now:
            start = match.start + part.index(words_now, low)
            found.append((folded.start(start), folded.end(start + len(words_now))))
    return found


def _sides(text: str, span: tuple[int, int], passage: _Passage) -> list[tuple[str, str]]:
    """Return what stood on either side, each with what stands there now; outward from the words."""
    before = text[max(0, span[0] - len(passage.before)) : span[0]]
    after = text[span[1] : span[1] + len(passage.after)]
    return [(passage.before[::-1], before[::-1]), (passage.after, after)]


def _judged(text: str, span: tuple[int, int], alike: float, passage: _Passage) -> _Place:
    """Add how alike the context is."""
    context = [
        likeness.likeness(" ".join(then.split()), " ".join(now.split()))
        for then, now in _sides(text, span, passage)
        if then
    ]
    around = sum(context) / len(context) if context else alike
    weight = _QUOTE_WEIGHT
    if len(passage.quote) <= _SHORT and len(context) > 1 and min(context) >= _UNCHANGED:
        weight = _SHORT_WEIGHT
    return _Place(*span, alike, weight * alike + (1 - weight) * around)


def _common(text: str, span: tuple[int, int], passage: _Passage) -> int:
    """Count the characters of context that are the same: cheap enough for very many places."""
    sides = _sides(text, span, passage)
    return sum(len(list(takewhile(_equal, zip(*side, strict=False)))) for side in sides)


def _equal(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]
