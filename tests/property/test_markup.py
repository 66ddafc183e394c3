"""Markup laws: for every text and all bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permacite import markup

_PIECES = [
    *["<", "</", ">", "/>", "=", '"', "'", " ", "\n", "\r\n", "\t", "&", ";", "a", "p", "x", "0"],
    *["<!--", "-->", "--!>", "<!", "<?", "?>", "<![CDATA[", "]]>", "<!doctype html", "\x00", "é"],
    *["<p>", "</p>", "<br>", "<pre>\n", "</pre>", "<td>", "<tr>", "<table>", "</table>", "<li>"],
    *["<svg>", "</svg>", "<math>", "<mi>", "<foreignObject>", "<title>", "</title>", "<b hidden>"],
    *["<script>", "</script>", "<style>", "</style>", "<textarea>\n", "</textarea>", "<xmp>"],
    *["&amp;", "&nbsp;", "&#10;", "&#x41;", "&copy", "&notit;", "&#xD800;", "<dialog>", "</b>"],
    *["<select>", "<option>", "<template>", "<p hidden>", "\U0001f600", "  ", "word words"],
]
sources = st.one_of(st.text(), st.lists(st.sampled_from(_PIECES)).map("".join))


@given(source=sources, xml=st.booleans())
def test_tokens_tile_any_source(source: str, *, xml: bool) -> None:
    at = 0
    for token in markup.tokenize(source, xml=xml):
        assert token.start == at < token.end
        at = token.end
        if isinstance(token, markup.StartTag):
            for attribute in token.all_attributes():
                places = (token.start, attribute.name_start, attribute.name_end, attribute.start)
                assert list(places) == sorted(places)
                assert attribute.start <= attribute.end <= token.end
    assert at == len(source)


@given(source=sources, xml=st.booleans())
def test_the_map_of_any_rendition_covers_its_text(source: str, *, xml: bool) -> None:
    rendition = markup.plain_text(source, xml=xml)
    at = source_at = 0
    for piece in rendition.pieces():
        assert piece.start == at < piece.end
        assert source_at <= piece.source_start <= piece.source_end <= len(source)
        at, source_at = piece.end, piece.source_end
        shown = rendition.text[piece.start : piece.end]
        if piece.kind == "copy":
            assert shown == source[piece.source_start : piece.source_end]
        elif piece.kind == "invented":
            assert not shown.strip("\r\n\t ")
    assert at == len(rendition.text)


@given(source=sources)
def test_any_rendition_has_tidy_line_ends(source: str) -> None:
    text = markup.plain_text(source).text
    assert "\r" not in text.replace("\r\n", "")
    assert "\n" not in text.replace("\r\n", "")
    assert not text or (text.endswith("\r\n") and not text.startswith("\r\n"))
    assert not text.endswith("\r\n\r\n")


@given(source=sources, data=st.data())
def test_every_range_leads_to_the_source_and_back(source: str, data: st.DataObject) -> None:
    rendition = markup.plain_text(source)
    length = len(rendition.text)
    start = data.draw(st.integers(0, length))
    end = data.draw(st.integers(start, length))
    source_start, source_end = rendition.source_range(start, end)
    assert 0 <= source_start <= source_end <= len(source)
    shown = list(rendition.runs(start, end))
    for run in shown:
        assert start <= run.start < run.end <= end
        assert source_start <= run.source_start <= run.source_end <= source_end
    if shown:
        back = rendition.text_range(source_start, source_end)
        assert back[0] <= shown[0].start < shown[-1].end <= back[1]
        assert rendition.source_range(*back) == (shown[0].source_start, shown[-1].source_end)


@given(source=sources, data=st.data())
def test_a_page_that_is_read_in_part_says_the_same(source: str, data: st.DataObject) -> None:
    whole = markup.plain_text(source)
    limits = st.integers(0, len(whole.text))
    spans = [sorted(span) for span in data.draw(st.lists(st.tuples(limits, limits), max_size=3))]
    page = markup.Document(source.encode("utf-8", "replace"), "text/html", "utf-8")
    if page.source == source:
        expected = [run for start, end in spans for run in whole.runs(start, end)]
        assert page.runs((start, end) for start, end in spans) == expected


@given(source=sources)
def test_any_style_sheet_is_read(source: str) -> None:
    for url in markup.css_urls(source):
        assert 0 <= url.start <= url.end <= len(source)


@given(data=st.binary(), transport=st.none() | st.text(max_size=20))
@pytest.mark.parametrize("media_type", ["text/html", "text/xml", "text/css"])
def test_any_bytes_decode(data: bytes, transport: str | None, media_type: str) -> None:
    codec = markup.sniff_charset(data, transport, media_type).codec
    markup.decode(data, codec).encode()


@given(data=st.binary(), charset=st.text(max_size=20))
def test_any_charset_name_decodes(data: bytes, charset: str) -> None:
    markup.decode(data, charset).encode()
