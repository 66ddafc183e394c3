"""Where in a text the words stand that were asked for: the shortest stretch that holds them all."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from permacite.scan import compile_pattern
from permacite.service.search.terms import terms_in, terms_of, words_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.service.search.terms import Query

__all__ = ["Passage", "passage"]

_AROUND = 90
"""Characters shown before and behind."""
_LONGEST = 400
"""A stretch that is longer is no passage: the first phrase of it is."""
_MOST_PLACES = 2000
"""Are weighed; more say no more of where the words stand together."""
_FIRST_STRETCH, _STRETCH = 1 << 12, 1 << 15
"""Characters of a text that are looked through at once, at first and at most."""
_SPACE = compile_pattern(r"\s")


class Passage(NamedTuple):
    """A stretch of a text, and what is around it."""

    start: int
    end: int
    before: str
    words: str
    after: str


def passage(text: str, query: Query) -> Passage | None:
    """The passage that fits best; None where no phrase stands in the text."""
    places = sorted(_places(text, query), key=lambda place: (place.end, place.phrase))
    found = _shortest(places, len(query.wanted))
    if found is None:
        return None
    start, end = found
    before = " ".join(text[max(0, start - _AROUND) : start].split())
    after = " ".join(text[end : end + _AROUND].split())
    return Passage(start, end, before, " ".join(text[start:end].split()), after)


class _Place(NamedTuple):
    """Where one of the phrases stands."""

    phrase: int
    start: int
    end: int


def _places(text: str, query: Query) -> Iterator[_Place]:
    """Places of the phrases, until one that is asked for alone has a place."""
    longest = max(map(len, query.wanted))
    most = 1 if len(query.wanted) == 1 else _MOST_PLACES
    seen: Counter[int] = Counter()
    for start, end in _stretches(text):
        terms = terms_of(text, start, end)
        own = len(terms)
        terms += [term.text for term in islice(terms_in(text, end), longest - 1)]
        runs: list[tuple[int, int]] = []
        for number, wanted in enumerate(query.wanted):
            firsts = _runs(terms, wanted, own, is_open=number in query.open_ended)
            kept = [(first, number) for first in islice(firsts, most - seen[number])]
            seen[number] += len(kept)
            runs += kept
        yield from _placed(text, start, runs, query)
        if seen.total() == most == 1:
            return


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Parts of a text that begin and end between words."""
    start, size = 0, _FIRST_STRETCH
    while start < len(text):
        cut = _SPACE.search(text, start + size)
        end = len(text) if cut is None else cut.start()
        yield start, end
        start, size = end, min(2 * size, _STRETCH)


def _runs(terms: list[str], wanted: tuple[str, ...], own: int, *, is_open: bool) -> Iterator[int]:
    """Where in a list a phrase begins, among the first `own` terms."""
    *first, last = wanted
    size = len(wanted)
    if is_open:
        ends = (at for at, term in enumerate(terms) if term.startswith(last))
        yield from (
            at + 1 - size
            for at in ends
            if size - 1 <= at < own + size - 1 and terms[at + 1 - size : at] == first
        )
        return
    whole, at = list(wanted), -1
    with suppress(ValueError):
        while True:
            at = terms.index(wanted[0], at + 1, own)
            if terms[at : at + size] == whole:
                yield at


def _placed(text: str, start: int, runs: list[tuple[int, int]], query: Query) -> Iterator[_Place]:
    """Phrases that begin at these terms behind `start`, with their places in the text."""
    ends = [first + len(query.wanted[number]) for first, number in runs]
    words = list(islice(words_in(text, start), max(ends, default=0)))
    for (first, number), end in zip(runs, ends, strict=True):
        yield _Place(number, words[first].start(), words[end - 1].end())


def _shortest(places: list[_Place], phrases: int) -> tuple[int, int] | None:
    """The shortest stretch with all phrases in it; with the first of them, where it is too long."""
    if not places:
        return None
    best: tuple[int, int] | None = None
    inside: Counter[int] = Counter()
    first = 0
    for place in places:
        inside[place.phrase] += 1
        while inside[places[first].phrase] > 1:
            inside[places[first].phrase] -= 1
            first += 1
        if len(inside) == phrases:
            start = places[first].start
            if best is None or place.end - start < best[1] - best[0]:
                best = start, place.end
    if best is None or best[1] - best[0] > _LONGEST:
        return places[0].start, places[0].end
    return best
