"""Places of quoted words in a text, word for word or nearly.

Offsets are code points of `text`. A run of white space in the quote matches any run of white space,
so that a quote may be pasted from a page that breaks its lines elsewhere.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import lru_cache

from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

__all__ = ["Candidate", "letters", "nearest", "occurrences", "occurrences_of_letters"]

_UNEVEN_SPACE = compile_pattern(r"\s{2,}|[^\S ]")
_NO_LETTER = compile_pattern("[\\s\u00ad\u200b-\u200d\u2010\u2011\u2060\ufeff-]+")
_LIGATURE = compile_pattern("[\ufb00-\ufb06]")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A part of a text that is like a quote; `score` is 1 for the same words, 0 for no likeness."""

    start: int
    end: int
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Folded:
    """A text with each run of white space as one space; `start` and `end` lead back to it."""

    text: str
    _places: list[int]
    _shifts: list[int]

    def start(self, place: int) -> int:
        """Return the offset in the original of the character at a place in `text`."""
        return place + self._shifts[bisect_right(self._places, place) - 1]

    def end(self, place: int) -> int:
        """Return the offset in the original of the end of the character before a place."""
        return self.start(place - 1) + 1 if place else 0


@lru_cache(maxsize=2)
def fold(text: str) -> Folded:
    """Replace each run of white space by one space."""
    pieces: list[str] = []
    places, shifts = [0], [0]
    done, shift = 0, 0
    for run in _UNEVEN_SPACE.finditer(text):
        pieces += [text[done : run.start()], " "]
        done = run.end()
        if run.end() - run.start() > 1:
            shift += run.end() - run.start() - 1
            places.append(done - shift)
            shifts.append(shift)
    pieces.append(text[done:])
    return Folded("".join(pieces), places, shifts)


def occurrences(text: str, quote: str) -> list[tuple[int, int]]:
    """Return start and end of each place where the words of `quote` stand, in linear time.

    Places with the same white space come first; places of either kind are in order and do not
    overlap. White space around the quote is left out. An empty quote stands nowhere.
    """
    words = " ".join(quote.split())
    if not words:
        return []
    folded = fold(text)
    spans = []
    place = folded.text.find(words)
    while place >= 0:
        end = place + len(words)
        spans.append((folded.start(place), folded.end(end)))
        place = folded.text.find(words, end)
    exact = quote.strip()
    spans.sort(key=lambda span: (text[span[0] : span[1]] != exact, span))
    return spans


def letters(text: str) -> Folded:
    """A text without white space and hyphens, which readers of PDFs put at the ends of lines."""
    pieces: list[str] = []
    places, shifts = [0], [0]
    done = shift = 0
    for run in _NO_LETTER.finditer(text):
        pieces.append(text[done : run.start()])
        done = run.end()
        shift += run.end() - run.start()
        places.append(done - shift)
        shifts.append(shift)
    pieces.append(text[done:])
    return Folded("".join(pieces), places, shifts)


def occurrences_of_letters(text: str, quote: str) -> list[tuple[int, int]]:
    """Where the letters of `quote` stand, whatever white space and hyphens are between them.

    Ligatures of the quote are its letters. Places are in order and do not overlap; in linear time.
    """
    wanted = letters(_LIGATURE.sub(lambda each: unicodedata.normalize("NFKC", each[0]), quote)).text
    if not wanted:
        return []
    among = letters(text)
    spans = []
    place = among.text.find(wanted)
    while place >= 0:
        end = place + len(wanted)
        spans.append((among.start(place), among.end(end)))
        place = among.text.find(wanted, end)
    return spans


def nearest(text: str, quote: str, limit: int = 3) -> list[Candidate]:
    """Return up to `limit` disjoint parts of `text` that are most like `quote`, the best first."""
    from permacite.fragments import likeness

    folded = fold(text)
    candidates = []
    for start, end, score in likeness.nearest(folded.text, fold(quote.strip()).text, limit):
        first, last = folded.start(start), folded.end(end)
        candidates.append(Candidate(first, last, text[first:last], score))
    return candidates
