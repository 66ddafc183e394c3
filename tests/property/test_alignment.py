"""Alignment laws: a passage followed into a changed text is never blamed on earlier text."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.property.edits import EDITS, cases

from permacite.fragments.alignment.aligning import align
from permacite.fragments.alignment.differences import compared
from permacite.fragments.alignment.passages import Fate, follow

if TYPE_CHECKING:
    from tests.property.edits import Case

texts = st.text("ab .\n\r\t\u00a0c,\u0e01\u6f22\u3002", max_size=40) | st.text(max_size=24)
sentences = st.lists(
    st.sampled_from(
        [
            "One man rowed out.",
            "Two men rowed out.",
            "One man rowed in.",
            "No.",
            "The sea rose.",
            "A man rowed out to sea and drowned.",
            "A man rowed out to sea and came home.",
            "\r\n\r\n",
        ]
    ),
    max_size=12,
).map(" ".join)
pairs = st.tuples(texts, texts) | st.tuples(sentences, sentences)


@given(texts | sentences, st.integers(0, 40), st.integers(0, 40))
def test_what_has_not_changed_is_verified(text: str, first: int, second: int) -> None:
    start, end = sorted((first, second))
    fate = follow(align(text, text), start, end)
    if not text[start:end].strip():
        assert fate == Fate("gone")
        return
    assert (fate.status, fate.score) == ("verified", 1.0)
    assert text[fate.start : fate.end].split() == text[start:end].split()


@given(pairs)
@settings(max_examples=max(100, settings().max_examples))
def test_a_difference_holds_both_wordings(both: tuple[str, str]) -> None:
    pieces = compared(*both)
    for wording, other in zip(both, ("added", "removed"), strict=True):
        kept = "".join(piece.words for piece in pieces if piece.kind != other)
        assert "".join(kept.split()) == "".join(wording.split())
    alike = [piece.kind for piece in pieces] in ([], ["same"])
    assert alike == (align(*both).old.words == align(*both).new.words)


@given(pairs, st.integers(0, 60), st.integers(0, 60))
@settings(max_examples=max(100, settings().max_examples))
def test_every_fate_is_sound(both: tuple[str, str], first: int, second: int) -> None:
    old, new = both
    start, end = sorted((first, second))
    fate = follow(align(old, new), start, end)
    assert 0 <= fate.score <= 1
    assert fate.runner_up is None or 0 <= fate.runner_up <= 1
    assert (fate.start is None) == (fate.end is None) == (fate.status in LOST)
    assert (fate.similar is not None) == (fate.status == "gone-similar")
    if fate.start is None or fate.end is None:
        return
    assert 0 <= fate.start < fate.end <= len(new)
    if fate.status != "changed":
        assert "".join(new[fate.start : fate.end].split()) == "".join(old[start:end].split())
    else:
        assert fate.changes


LOST = {"gone", "gone-similar", "ambiguous"}


@given(pairs)
@settings(max_examples=max(100, settings().max_examples))
def test_no_word_is_two(both: tuple[str, str]) -> None:
    aligned = align(*both)
    places = [(old, new) for old, new in enumerate(aligned.to_new) if new >= 0]
    assert [(old, new) for new, old in enumerate(aligned.to_old) if old >= 0] == sorted(
        places, key=lambda place: place[1]
    )
    assert all(aligned.old.words[old] == aligned.new.words[new] for old, new in places)
    stands = aligned.counterparts(0, len(aligned.old))
    assert max(Counter(new for new in stands if new >= 0).values(), default=1) == 1
    origins = aligned.origins(0, len(aligned.new))
    assert {(old, new) for old, new in enumerate(stands) if new >= 0} == {
        (old, new) for new, old in enumerate(origins) if old >= 0
    }


@given(pairs, st.data())
@settings(max_examples=max(100, settings().max_examples))
def test_no_successor_is_of_another_passage(both: tuple[str, str], data: st.DataObject) -> None:
    aligned = align(*both)
    if not len(aligned.old):
        return
    first = data.draw(st.integers(0, len(aligned.old) - 1))
    last = data.draw(st.integers(first + 1, len(aligned.old)))
    fate = follow(aligned, aligned.old.starts[first], aligned.old.ends[last - 1])
    if fate.start is not None and fate.end is not None:
        now = aligned.new.covering(fate.start, fate.end)
        assert all(old < 0 or first <= old < last for old in aligned.to_old[slice(*now)])


@given(sentences, st.data())
def test_what_is_cut_out_is_not_found_in_what_is_left(text: str, data: st.DataObject) -> None:
    """Whatever is left stood there before, twins and all."""
    whole = text.split(". ")
    number = data.draw(st.integers(0, len(whole) - 1))
    left = ". ".join(whole[:number] + whole[number + 1 :])
    start = len(". ".join([*whole[:number], ""]))
    fate = follow(align(text, left), start, start + len(whole[number]))
    assert fate.start is None or " ".join(whole[number].split()) in " ".join(left.split())


def judged(case: Case) -> str:
    """Say whether an answer is "right", "wrong" (it names what is not the passage), or neither."""
    fate = follow(align(case.old, case.new), case.start, case.end)
    if case.now is None:
        return "right" if fate.status in {"gone", "gone-similar"} else wrong_if_placed(fate)
    if fate.start is None or fate.end is None:
        return "not found"
    if fate.end <= case.now[0] or case.now[1] <= fate.start:
        return "wrong"
    exact = case.new[fate.start : fate.end].split() == case.new[slice(*case.now)].split()
    same = fate.status in {"verified", "moved"}
    return "right" if exact and same == case.same else "not exact"


def wrong_if_placed(fate: Fate) -> str:
    return "not found" if fate.start is None else "wrong"


@pytest.mark.parametrize("edit", EDITS)
def test_edits_among_lookalikes(edit: str) -> None:
    found = Counter(judged(case) for case in cases(60, seed=7, only=edit))
    assert found["wrong"] == 0
    assert found["right"] >= 0.96 * found.total()


ARTICLE = (
    "The council met on Monday. Jones was acquitted of fraud in 2024. It agreed that the harbour "
    "will be dredged in spring. The cost is 4.2 million crowns.\r\nThe council will meet again in "
    "June. Smith was acquitted of fraud in 2025. It did not agree on the bridge."
)
QUOTE = "the harbour will be dredged in spring"
JONES, SMITH = "Jones was acquitted of fraud in 2024.", "Smith was acquitted of fraud in 2025."

TOLD = [
    # what happened, old, new, quote, status, words now, what is told first
    ("nothing", ARTICLE, ARTICLE, QUOTE, "verified", QUOTE, None),
    ("inserted-before", ARTICLE, "News. " + ARTICLE, QUOTE, "moved", QUOTE, None),
    (
        "line-broken-elsewhere",
        *(ARTICLE, ARTICLE.replace("will be", "will\r\n  be"), QUOTE),
        *("verified", "the harbour will\r\n  be dredged in spring", None),
    ),
    (
        "a-word-changed",
        *(ARTICLE, ARTICLE.replace("spring", "autumn"), QUOTE),
        *("changed", "the harbour will be dredged in autumn", ("words", "spring", "autumn")),
    ),
    ("all-gone", ARTICLE, "Nothing of it is left here. " * 9, QUOTE, "gone", None, None),
    (
        "removed-beside-a-twin",
        *(ARTICLE, ARTICLE.replace(JONES + " ", ""), JONES, "gone-similar", None, None),
    ),
    (
        "renamed-beside-a-twin",
        *(ARTICLE, ARTICLE.replace("Jones", "Brown"), JONES),
        *("changed", JONES.replace("Jones", "Brown"), ("name", "Jones", "Brown")),
    ),
    (
        "the-twin-moved-to-its-place",
        *(ARTICLE, ARTICLE.replace(f" {SMITH}", "").replace(JONES, SMITH), JONES),
        *("gone-similar", None, None),
    ),
    (
        "negated-and-renumbered",
        *(
            ARTICLE,
            ARTICLE.replace("was acquitted of fraud in 2024", "was not acquitted of fraud in 2023"),
        ),
        *(JONES, "changed", "Jones was not acquitted of fraud in 2023.", ("negation", "", "not")),
    ),
    (
        "negated-right-beside",
        *(ARTICLE, ARTICLE.replace("Jones was", "Jones was not"), "acquitted of fraud in 2024"),
        *("changed", "not acquitted of fraud in 2024", ("negation", "", "not")),
    ),
    (
        "moved",
        *(ARTICLE, f"{JONES} {ARTICLE.replace(JONES, '')}", JONES, "moved", JONES, None),
    ),
    (
        "one-of-two-copies-removed",
        *(
            "One. Stop here, please. Two. Stop here, please. Three.",
            "One. Two. Stop here, please. Three.",
        ),
        *("Stop here, please.", "gone-similar", None, None),
    ),
    (
        "put-in-twice",
        *(
            "One man. Two men rowed out to sea. Three.",
            "Two men rowed out to sea! One man. Two men rowed out to sea? Three.",
        ),
        *("Two men rowed out to sea", "moved", "Two men rowed out to sea", None),
    ),
    (
        "short-and-changed",
        *(
            ARTICLE,
            ARTICLE.replace("4.2", "5.1"),
            "4.2",
            "changed",
            "5.1",
            ("number", "4.2", "5.1"),
        ),
    ),
    (
        "chinese",
        *(
            "委员会星期一开会。李明被判无罪。港口将在春天疏浚。",
            "委员会星期一开会。李明没有被判无罪。\r\n港口将在春天疏浚。",
        ),
        *("李明被判无罪。", "changed", "李明没有被判无罪。", ("negation", "", "没有")),
    ),
    (
        "a-number-in-words",
        *(
            "The mole was raised by sixty feet in May.",
            "The mole was raised by forty feet in June.",
        ),
        *("The mole was raised by sixty feet in May.", "changed"),
        *("The mole was raised by forty feet in June.", ("number", "sixty", "forty")),
    ),
    ("white-space", ARTICLE, ARTICLE, " ", "gone", None, None),
]


@pytest.mark.parametrize(
    ("old", "new", "quote", "status", "now", "first"),
    [row[1:] for row in TOLD],
    ids=[row[0] for row in TOLD],
)
def test_what_became_of_it(
    *, old: str, new: str, quote: str, status: str, now: str | None, first: tuple[str, ...] | None
) -> None:
    start = old.index(quote)
    fate = follow(align(old, new), start, start + len(quote))
    assert fate.status == status
    assert (None if fate.start is None else new[fate.start : fate.end]) == now
    told = [(change.kind, change.was, change.now) for change in fate.changes]
    assert told[:1] == ([first] if first else [])


def test_a_lookalike_is_reported_with_its_old_place() -> None:
    new = ARTICLE.replace(JONES + " ", "")
    start = ARTICLE.index(JONES)
    similar = follow(align(ARTICLE, new), start, start + len(JONES)).similar
    assert similar is not None
    assert similar.words == new[similar.start : similar.end] == SMITH
    assert ARTICLE[similar.stood_start : similar.stood_end] == SMITH


def made(count: int, seed: int) -> str:
    rng = random.Random(seed)  # noqa: S311 - reproducible, not secret
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9))) for _ in range(2000)]
    return " ".join(rng.choices(words, k=count))


HOSTILE = {
    "one line": ("the same line\n" * 40_000, "the same line\n" * 39_000),
    "one word": ("word " * 100_000, "word " * 99_000 + "end"),
    "one letter": ("a" * 400_000, "a" * 399_999),
    "periods of two lengths": ("a b c d " * 25_000, "a b c d e " * 20_000),
    "both ends changed": ("x " + "a b. " * 40_000 + "y", "z " + "a b. " * 39_000 + "w"),
    "nothing in common": (made(60_000, 1), made(60_000, 2)),
    "points": ("." * 300_000, ". " * 150_000),
    "words the other way round": (made(60_000, 3), " ".join(made(60_000, 3).split()[::-1])),
}


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_end_soon(name: str) -> None:
    old, new = HOSTILE[name]
    aligned = align(old, new)
    for start in (0, len(old) // 2, len(old) - 300):
        fate = follow(aligned, start, start + 200)
        assert fate.start is None or fate.end is not None


@pytest.mark.timeout(60)
def test_long_texts_and_long_quotes_are_followed() -> None:
    text = made(150_000, 5)
    for start, end in ((400_000, 400_060), (300_000, 305_000)):
        passage = text[start:end]
        new = "A new start. " + text[:start] + passage[:20] + " XYZ " + passage[25:] + text[end:]
        fate = follow(align(text, new), start, end)
        assert fate.status == "changed"
        assert fate.start is not None
        assert abs(fate.start - start - 13) <= 9
        assert follow(align(text, text[end + 99 :]), start, end).status == "gone"
