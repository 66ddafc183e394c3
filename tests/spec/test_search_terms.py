"""What of a text is a term, and what a question asks for: the same rules for both."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permacite.errors import ParseError
from permacite.service.search.finding import passage
from permacite.service.search.terms import folded, read_query, terms_in

TERMS = [
    # a text, its terms
    ("Caf\u00e9 CAFE\u0301 d\u00e9j\u00e0-vu", "cafe cafe deja vu"),
    ("l'eau don\u2019t snake_case", "l eau don t snake case"),
    ("stra\u00dfe ﬁne \u0130stanbul \u01c5", "strasse fine istanbul dz"),
    (
        "हिन्दी में",
        "हिन्दी में",
    ),
    ("漢字かabc漢", "漢 字 か abc 漢"),
    ("สวัส", "ส วั ส"),
    ("한국어를", "한 국 어 를"),
    ("ש\u05c1\u05b8ל\u05d5\u05b9ם", "של\u05d5ם"),
    ("الع\u064eر\u064eب", "العرب"),
    ("3.14 2026-11-22 \u00bd", "3 14 2026 11 22 1\u20442"),
    ("\U0001f600 -- — \u200d", ""),
    ("x" * 99, "x" * 60),
    ("Acme\u2122 25\u2103 \u21165 \u2105", "acme tm 25 c no 5 co"),
    ("\u2f42\u5b57 \u3231\u32d0", "\u6587 \u5b57 \u682a \u30a2"),
]


@pytest.mark.parametrize(("text", "terms"), TERMS)
def test_terms_of_a_text(text: str, terms: str) -> None:
    assert folded(text) == terms
    assert [term.text for term in terms_in(text)] == terms.split()


@given(st.text())
def test_a_text_has_the_same_terms_with_places_and_without(text: str) -> None:
    found = list(terms_in(text))
    assert " ".join(term.text for term in found) == folded(text)
    assert all(folded(text[term.start : term.end]) == term.text for term in found)


@given(st.text(), st.text(), st.text())
def test_a_passage_is_found_where_it_stands(before: str, words: str, after: str) -> None:
    text = f"{before} {words} {after}"
    try:
        query = read_query(f'"{words}"'.replace('"', " ")).as_phrase()
    except ParseError:
        return
    if query.open_ended or query.unwanted or query.wanted != (tuple(folded(words).split()),):
        return
    found = passage(text, query)
    assert found is not None
    assert folded(text[found.start : found.end]).split() == list(query.wanted[0])


QUESTIONS = [
    # what is typed, as the index is asked
    ("boat quay", '("boat" AND "quay")'),
    ('"High  tide" boat', '("high tide" AND "boat")'),
    ("„high tide“", '("high tide")'),
    ("boat -storm", '("boat") NOT "storm"'),
    ("well-known", '("well known")'),
    ("quay*", '("quay" *)'),
    ("漢字", '("漢 字")'),
    ('"never closed', '("never closed")'),
    (
        "a OR b NEAR(c) title:d ^e {f}",
        '("a" AND "or" AND "b" AND "near c" AND "title d" AND "e" AND "f")',
    ),
    ("'; DROP TABLE words; --", '("drop" AND "table" AND "words")'),
]


@pytest.mark.parametrize(("typed", "asked"), QUESTIONS)
def test_questions(typed: str, asked: str) -> None:
    assert read_query(typed).matching == asked


@pytest.mark.parametrize(
    "typed", ["", "   ", "-boat", '"" -', "\u200e\u200f", "* ? ! ( ) \" '", "x" * 5000, "a " * 65]
)
def test_what_asks_for_nothing_or_too_much_is_told(typed: str) -> None:
    with pytest.raises(ParseError, match="expected"):
        read_query(typed)


PLACES = [
    # text, question, the passage
    ("a boat. The quay and the boat sank", "boat quay", "boat. The quay"),
    ("a boat" + " x" * 300 + " quay", "boat quay", "boat"),
    ("boat boat quay", "quay boat", "boat quay"),
    ("High\r\n tide now", '"high tide"', "High tide"),
    ("quaysides", "quay*", "quaysides"),
    ("nothing", "boat", None),
]


@pytest.mark.parametrize(("text", "typed", "words"), PLACES)
def test_the_shortest_stretch_with_all_words(text: str, typed: str, words: str | None) -> None:
    found = passage(text, read_query(typed))
    assert (None if found is None else found.words) == words
