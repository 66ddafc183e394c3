"""Where in a text the words stand that were asked for: the shortest stretch that holds them all."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from permacite.service.search.terms import terms_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.service.search.terms import Query, Term

__all__ = ["Passage", "passage"]

_AROUND = 90
"""Characters shown before and behind."""
_LONGEST = 400
"""A stretch that is longer is no passage: the first phrase of it is."""
_MOST_PLACES = 2000
"""Are weighed; more say no more of where the words stand together."""


class Passage(NamedTuple):
    """A stretch of a text, and what is around it."""

    start: int
    end: int
    before: str
    words: str
    after: str


def passage(text: str, query: Query) -> Passage | None:
    """The passage that fits best; None where no phrase stands in the text."""
    found = _shortest(list(_places(text, query)), len(query.wanted))
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
    """Places of the phrases, in order of their ends, until all stand together closely."""
    longest = max(map(len, query.wanted))
    late: list[Term] = []
    seen: Counter[int] = Counter()
    for term in terms_in(text):
        late = [*late[1 - longest :], term] if longest > 1 else [term]
        for number, wanted in enumerate(query.wanted):
            if seen[number] < _MOST_PLACES and _ends(
                late, wanted, is_open=number in query.open_ended
            ):
                seen[number] += 1
                yield _Place(number, late[-len(wanted)].start, term.end)
        if len(query.wanted) == 1 and seen[0]:
            return


def _ends(late: list[Term], wanted: tuple[str, ...], *, is_open: bool) -> bool:
    """Whether the last terms are a phrase."""
    if len(late) < len(wanted):
        return False
    *first, last = wanted
    if is_open and not late[-1].text.startswith(last):
        return False
    if not is_open and late[-1].text != last:
        return False
    return all(term.text == each for term, each in zip(late[-len(wanted) : -1], first, strict=True))


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
