"""Laws of quotes and of anchoring them again: what stands there is found, and nothing is hidden."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from permacite.fragments import anchor, likeness, quote

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


@given(short, st.integers(0, 24), st.integers(0, 24))
def test_what_has_not_changed_is_verified(text: str, first: int, second: int) -> None:
    start, end = sorted((first, second))
    passage = text[start:end]
    found = anchor.reanchor(text, passage, text[:start], text[end:], start)
    assert found.status == ("verified" if passage.strip() else "gone")


@given(short, short, short, short, st.integers(0, 30))
@settings(max_examples=100)
def test_every_answer_is_in_bounds(
    text: str, words: str, before: str, after: str, start: int
) -> None:
    found = anchor.reanchor(text, words, before, after, start)
    assert 0 <= found.score <= 1
    assert found.runner_up is None or 0 <= found.runner_up <= 1
    if found.status == "gone":
        assert (found.start, found.end) == (None, None)
        return
    assert found.start is not None
    assert found.end is not None
    assert 0 <= found.start < found.end <= len(text)
    if found.status in {"verified", "moved"}:
        assert text[found.start : found.end].split() == words.split()


ARTICLE = (
    "The council met on Monday. It agreed that the harbour will be dredged in spring. "
    "The cost is 4.2 million crowns.\r\nThe council will meet again in June. "
    "It did not agree on the bridge."
)
QUOTE = "the harbour will be dredged in spring"
START = ARTICLE.index(QUOTE)
BEFORE, AFTER = ARTICLE[:START], ARTICLE[START + len(QUOTE) :]

TOLD = [
    # what happened, text, quote, before, after, start, status, words now
    ("nothing", ARTICLE, QUOTE, BEFORE, AFTER, START, "verified", QUOTE),
    ("inserted-before", "News. " + ARTICLE, QUOTE, BEFORE, AFTER, START, "moved", QUOTE),
    (
        "line-broken-elsewhere",
        ARTICLE.replace("will be", "will\r\n  be"),
        *(QUOTE, BEFORE, AFTER, START, "verified", "the harbour will\r\n  be dredged in spring"),
    ),
    (
        "a-word-changed",
        ARTICLE.replace("spring", "autumn"),
        *(QUOTE, BEFORE, AFTER, START, "changed", "the harbour will be dredged in autumn"),
    ),
    ("gone", "Nothing of it is left here. " * 9, QUOTE, BEFORE, AFTER, START, "gone", None),
    (
        "repeated",
        f"{QUOTE}! {QUOTE}! {QUOTE}!",
        *(QUOTE, BEFORE, AFTER, START, "ambiguous", QUOTE),
    ),
    (
        "told-apart-by-context",
        f"{QUOTE}! {ARTICLE}",
        *(QUOTE, BEFORE, AFTER, START, "moved", QUOTE),
    ),
    (
        "short-and-changed",
        ARTICLE.replace("4.2", "5.1"),
        *("4.2", "The cost is ", " million crowns.", ARTICLE.index("4.2"), "changed", "5.1"),
    ),
    (
        "common-words-elsewhere",
        ARTICLE.replace("The council met", "A council met"),
        *("The council met", "", " on Monday. It agreed", 0, "changed", "A council met"),
    ),
    ("empty", ARTICLE, " ", BEFORE, AFTER, START, "gone", None),
]


@pytest.mark.parametrize(
    ("text", "words", "before", "after", "start", "status", "now"),
    [row[1:] for row in TOLD],
    ids=[row[0] for row in TOLD],
)
def test_what_became_of_it(
    *, text: str, words: str, before: str, after: str, start: int, status: str, now: str | None
) -> None:
    found = anchor.reanchor(text, words, before, after, start)
    assert found.status == status
    assert (None if found.start is None else text[found.start : found.end]) == now


def made(count: int) -> str:
    rng = random.Random(5)  # noqa: S311 - reproducible, not secret
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9))) for _ in range(2000)]
    return " ".join(rng.choices(words, k=count))


@pytest.mark.timeout(60)
def test_long_texts_and_long_quotes_are_found_again() -> None:
    text = made(150_000)
    for start, end in ((400_000, 400_060), (300_000, 305_000)):
        passage = text[start:end]
        changed = passage[:20] + "XYZ" + passage[25:]
        new = "A new start. " + text[:start] + changed + text[end:]
        context = (text[start - 80 : start], text[end : end + 80])
        found = anchor.reanchor(new, passage, *context, start)
        assert found.status == "changed"
        assert found.start is not None
        assert abs(found.start - start - 13) <= 1
        assert anchor.reanchor(text[end + 99 :], passage, *context, start).status == "gone"


@pytest.mark.timeout(60)
def test_very_common_words_end_soon() -> None:
    text = "the end of the day " * 50_000
    found = anchor.reanchor(text, "the", "end of ", " day", 300_011)
    assert found.status in {"verified", "ambiguous"}
    assert anchor.reanchor("a" * 500_000, "ab" * 40, "a", "a", 9).status == "gone"
    assert anchor.reanchor("e " * 200_000, "e" * 5000, "", "", 0).status == "gone"
