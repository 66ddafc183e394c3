"""Excerpt laws: slices of the document, in order, that add up to it."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permacite.errors import LimitError, NotFoundError, ParseError
from permacite.extract import extract, extract_from
from permacite.extract.text import document
from permacite.fragments import Index
from permacite.markup import StartTag, tokenize
from permacite.markup.tree import html_elements, xml_elements
from permacite.text.entity import DocumentText

CHARSETS = ["utf-8", "iso-8859-1", "windows-1252", "utf-16-le", "shift_jis", "iso-2022-jp"]
NAMES = """html head body title p div span b i a em font table tr td th tbody caption colgroup col
select option ul li dl dt dd h1 button form input br svg math mi foreignObject desc template
frameset noscript textarea script object ruby rt"""
TAGS = NAMES.split()

texts = st.text(st.sampled_from("ab\r\n\u00e9\u3042\U0001f600"), max_size=40)
pieces = st.one_of(
    st.sampled_from(TAGS).map("<{}>".format),
    st.sampled_from(TAGS).map("</{}>".format),
    st.sampled_from(TAGS).map("<{} a=1/>".format),
    st.sampled_from(["x", " ", "\n", "<!--c-->", "&amp;", "<", "<![CDATA[x]]>", "\0"]),
)
pages = st.lists(pieces, max_size=40).map("".join)


def canonical(text: str) -> str:
    return re.sub(r"\r\n?|\n", "\r\n", text)


@given(texts, st.sampled_from(CHARSETS), st.integers(0, 90), st.integers(0, 90))
def test_characters_are_those_of_the_canonical_text(
    text: str, charset: str, start: int, length: int
) -> None:
    data = text.encode(charset, "replace")
    whole = canonical(data.decode(charset))
    start %= len(whole) + 1
    end = min(start + length, len(whole))
    found = extract(data, "text/plain", f"{start},{end}", charset=charset)
    assert found.text == whole[start:end]
    assert found.source_range is not None
    assert not found.clipped
    first, last = found.source_range
    assert found.data == data[first:last]
    if charset not in {"iso-2022-jp", "utf-16-le"}:  # these need to know what stands before
        assert found.text in canonical(found.data.decode(charset))


@given(
    texts,
    st.sampled_from(CHARSETS),
    st.sampled_from(["char", "line"]),
    st.integers(0, 90),
    st.integers(0, 90),
    st.sampled_from([None, 1, 7]),
)
def test_what_is_counted_is_what_is_cut(
    text: str, charset: str, scheme: str, start: int, length: int, step_bytes: int | None
) -> None:
    data = text.encode(charset, "replace")
    text_of = document(data, "text/plain", charset)
    if step_bytes:
        index = Index.build(data, text_of.charset, "http", step_bytes=step_bytes)
        text_of = DocumentText(data, text_of.charset, index)
    fragment = f"{scheme}={start},{start + length}"
    try:
        expected = extract(data, "text/plain", fragment, charset=charset)
    except NotFoundError as error:
        with pytest.raises(NotFoundError, match=re.escape(error.problem)):
            extract_from(text_of, "text/plain", fragment)
        return
    assert extract_from(text_of, "text/plain", fragment) == expected


@given(texts, st.lists(st.integers(0, 90), min_size=2, max_size=6))
def test_neighbours_tile(text: str, places: list[int]) -> None:
    whole = canonical(text)
    cuts = sorted(place % (len(whole) + 1) for place in places)
    parts = [
        extract(text.encode(), "text/plain", f"{a},{b}", charset="utf-8").text
        for a, b in pairwise(cuts)
    ]
    assert "".join(part or "" for part in parts) == whole[cuts[0] : cuts[-1]]


@given(pages)
def test_every_start_tag_has_an_element(page: str) -> None:
    for elements, tokens in (
        (html_elements(page), tokenize(page)),
        (xml_elements(page), tokenize(page, xml=True)),
    ):
        assert [each.tag for each in elements] == [
            token for token in tokens if isinstance(token, StartTag)
        ]
        assert all(each.start < each.tag.end <= each.end <= len(page) for each in elements)


@given(st.binary(max_size=60), st.text(max_size=20), st.sampled_from(CHARSETS))
def test_any_fragment_of_anything_is_cut_or_refused(
    data: bytes, fragment: str, charset: str
) -> None:
    for media_type in ("text/plain", "text/html", "text/xml", "application/pdf"):
        for specifier in (fragment, f"char=1,{len(fragment)}", "elt=0,1", f"name={fragment},b"):
            try:
                found = extract(data, media_type, specifier, charset=charset)
            except (ParseError, NotFoundError, LimitError):
                continue
            assert found.source_range is not None
            assert found.data == data[slice(*found.source_range)]
