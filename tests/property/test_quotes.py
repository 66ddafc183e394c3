"""Laws of quotes: what stands there is found, and so is what is most like it."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from permacite.fragments import likeness, quote

short = st.text("ab \n\r\t\u00a0c", max_size=24)
words = st.text("abc", max_size=12)


def slow_distance(first: str, second: str) -> int:
    row = list(range(len(second) + 1))
    for i, mine in enumerate(first, 1):
        diagonal, row[0] = row[0], i
        for j, its in enumerate(second, 1):
            diagonal, row[j] = (
                row[j],
                min(row[j] + 1, row[j - 1] + 1, diagonal + (mine != its)),
            )
    return row[-1]


@given(words, words)
def test_likeness_is_the_share_that_needs_no_edit(first: str, second: str) -> None:
    longest = max(1, len(first), len(second))
    distance = slow_distance(first, second)
    assert likeness.likeness(first, second) == pytest.approx(1 - distance / longest)


@given(words, words.filter(bool))
def test_the_best_part_is_the_best(text: str, pattern: str) -> None:
    start, end = likeness.best_part(text, pattern)
    assert 0 <= start <= end <= len(text)
    parts = [text[i:j] for i in range(len(text) + 1) for j in range(i, len(text) + 1)]
    best = min(slow_distance(part, pattern) for part in parts)
    assert slow_distance(text[start:end], pattern) == best


@given(short, short)
@example("a \r\n b a b", "a b")
@example(" a", "a ")
def test_occurrences_are_those_of_the_words(text: str, words: str) -> None:
    pattern = r"\s+".join(map(re.escape, words.split()))
    plain = [found.span() for found in re.finditer(pattern, text)] if pattern else []
    found = quote.occurrences(text, words)
    assert sorted(found) == plain
    exact = [text[slice(*span)] == words.strip() for span in found]
    assert exact == sorted(exact, reverse=True)


@given(short, short)
def test_nearest_are_parts_of_the_text(text: str, words: str) -> None:
    found = quote.nearest(text, words)
    assert len(found) <= 3
    for candidate in found:
        assert candidate.text == text[candidate.start : candidate.end] != ""
        assert 0 <= candidate.score <= 1
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    if quote.occurrences(text, words):
        assert found[0].score == 1
