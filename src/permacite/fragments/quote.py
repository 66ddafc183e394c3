"""Where quoted words stand in a text, word for word or nearly.

Offsets are code points of `text`. A run of white space in the quote matches any run of white space,
so that a quote may be pasted from a page that breaks its lines elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from permacite.fragments import likeness

__all__ = ["Candidate", "nearest", "occurrences"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A part of a text that is like a quote; `score` is 1 for the same words, 0 for no likeness."""

    start: int
    end: int
    text: str
    score: float


def occurrences(text: str, quote: str) -> list[tuple[int, int]]:
    """Return start and end of each place where the words of `quote` stand, in linear time.

    Places with the very same white space come first; places of either kind stand in order and do
    not overlap. White space around the quote is left out. An empty quote stands nowhere.
    """
    words = " ".join(quote.split())
    if not words:
        return []
    folded = likeness.fold(text)
    spans = []
    place = folded.text.find(words)
    while place >= 0:
        end = place + len(words)
        spans.append((folded.start(place), folded.end(end)))
        place = folded.text.find(words, end)
    exact = quote.strip()
    spans.sort(key=lambda span: (text[span[0] : span[1]] != exact, span))
    return spans


def nearest(text: str, quote: str, limit: int = 3) -> list[Candidate]:
    """Return up to `limit` disjoint parts of `text` that are most like `quote`, the best first."""
    folded = likeness.fold(text)
    candidates = []
    for start, end, score in likeness.nearest(
        folded.text, likeness.fold(quote.strip()).text, limit
    ):
        first, last = folded.start(start), folded.end(end)
        candidates.append(Candidate(first, last, text[first:last], score))
    return candidates
