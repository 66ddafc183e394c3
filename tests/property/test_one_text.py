"""The law of one text: however a document is read, its words, positions and octets agree."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from permacite.extract.text import characters, document, lines
from permacite.text.entity import DocumentText
from permacite.text.first_rules import CODEC_OF_LABEL
from permacite.text.index import Index

labels = st.sampled_from(sorted(CODEC_OF_LABEL))
octets = st.lists(
    st.one_of(
        st.binary(max_size=12),
        st.sampled_from([b"\r", b"\n", b"\r\n", b"\r\r\n", b"a", b"\x85", b"\x1b$B", b"\x1b(B"]),
        st.sampled_from([b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x84\x31\x95\x33"]),
        st.sampled_from(["é", "中文", "①", "\U0001f600", "\ud55c"]).map(str.encode),
    ),
    max_size=8,
).map(b"".join)


@given(octets, labels, st.sampled_from([1, 7, 64]), st.integers(0, 40), st.integers(0, 40))
def test_by_an_index_a_text_is_as_it_is_whole(
    data: bytes, label: str, step_bytes: int, start: int, length: int
) -> None:
    whole = document(data, "text/plain", label)
    index = Index.build(data, whole.charset, "http", step_bytes=step_bytes)
    pieces = DocumentText(data, whole.charset, index)
    assert pieces.length == whole.length == len(whole.text)
    assert pieces.stored == whole.stored
    end = start + length
    assert pieces.words(start, end) == whole.words(start, end) == whole.text[start:end]
    position = min(start, whole.length)
    assert pieces.line(position) == whole.line(position)


@given(octets, labels, st.integers(0, 40), st.integers(0, 40))
def test_what_is_cut_are_the_words_at_the_place(
    data: bytes, label: str, start: int, length: int
) -> None:
    text = document(data, "text/plain", label)
    start = min(start, text.length)
    end = min(start + length, text.length)
    cut = characters(text, "text/plain", start, end)
    assert cut.text == text.text[start:end]
    assert cut.source_range is not None
    assert cut.data == data[slice(*cut.source_range)]
    first, last = map(text.offset, cut.source_range)
    assert re.sub(r"\r\n?|\n", "\r\n", text.stored[first:last]).find(cut.text) in {0, 1}


@given(octets, labels)
def test_lines_add_up_to_the_text(data: bytes, label: str) -> None:
    text = document(data, "text/plain", label)
    size = len(re.findall(r"[^\r]*\r\n|.+\Z", text.text, re.DOTALL)) or 1
    cut = [lines(text, "text/plain", at, at + 1).text for at in range(size)]
    assert "".join(filter(None, cut)) == text.text
