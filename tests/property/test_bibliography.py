"""Bibliography laws: any octets are read, and each value has its place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from permacite.bibliography import gather, reference
from permacite.bibliography.dates import parse_date
from permacite.markup import Document

if TYPE_CHECKING:
    from datetime import date

NAMES = ["citation_author", "citation_doi", "citation_date", "dc.title", "og:title", "author"]
SCHEMA = ["@type", "@id", "@graph", "author", "name", "headline", "isPartOf", "Article", "Person"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(SCHEMA) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(SCHEMA), inner),
    max_leaves=30,
)


@st.composite
def pages(draw: st.DrawFn) -> str:
    """Markup that states things, badly."""
    pieces = draw(
        st.lists(
            st.one_of(
                st.text(max_size=20),
                st.tuples(st.sampled_from(NAMES), st.text(max_size=30)).map(
                    lambda pair: f'<meta name="{pair[0]}" content="{pair[1]}">'
                ),
                VALUES.map(
                    lambda value: f"<script type=application/ld+json>{json.dumps(value)}</script>"
                ),
                st.sampled_from(
                    [
                        "<div itemscope itemtype=http://schema.org/Article>",
                        "<b itemprop=author itemscope itemtype=http://schema.org/Person>",
                        "<i itemprop='name headline'>",
                        "<time itemprop=datePublished datetime=2020-01-01>",
                        "</div>",
                        "</b>",
                        "</i>",
                        "<a rel=author>",
                        "</a>",
                        "<title>",
                    ]
                ),
            ),
            max_size=12,
        )
    )
    return "".join(pieces)


@given(pages(), st.integers(1, 3))
def test_text_after_the_last_claim_states_nothing(page: str, paragraphs: int) -> None:
    """A page is read up to the last place that could state something: to its end, for a heading."""
    page += "</script></title><p>Words <b>and</b> words." * paragraphs
    whole = gather(Document(f"{page}<h1>".encode("utf-8", "replace"), "text/html", "utf-8"))
    assert gather(Document(page.encode("utf-8", "replace"), "text/html", "utf-8")) == whole


@given(pages())
def test_any_page_has_a_reference(page: str) -> None:
    document = Document(page.encode("utf-8", "replace"), "text/html", "utf-8")
    claims = gather(document)
    made = reference(claims)
    for claim in claims:
        assert claim.value.isprintable()
        assert claim.place.start is None or document.source[claim.place.start] == "<"
    for person in made.authors:
        assert person.value.family


@given(st.binary(max_size=300))
def test_any_octets_have_a_reference(octets: bytes) -> None:
    reference(gather(Document(octets, "text/html")))


def test_what_is_deep_or_long_is_read_in_time() -> None:
    deep = '<script type="application/ld+json">' + '{"@type":"Article","isPartOf":' * 50_000
    wide = "<div itemscope itemprop=author>" * 100_000
    many = "<meta name=citation_author content='Ann Lee'>" * 100_000
    for page in (deep, wide, many, "<i itemprop=name>" * 100_000, "a;" * 1_000_000):
        made = reference(gather(Document(page.encode(), "text/html", "utf-8")))
        assert len(made.others) <= 5000


@given(st.dates())
def test_a_date_is_read_as_it_is_written(day: date) -> None:
    found = parse_date(day.isoformat())
    assert found == (day.year, day.month, day.day, day.isoformat(), "")
    assert parse_date(str(found)) == found
