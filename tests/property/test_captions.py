"""Caption laws: any text is read or refused, and text and times agree."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permacite.captions import MEDIA_TYPES, read_captions, turns, words_of
from permacite.captions.formats import _KINDS
from permacite.errors import ParseError
from permacite.markup import Document

ANY = st.text() | st.binary().map(lambda octets: octets.decode("latin-1"))
TIMES = st.sampled_from(
    ("00:01.000 --> 00:02.000", "0:0:1,5 --> 00:00:09", "9:00:00.000-->00:00.000")
)
WORDS = st.sampled_from(
    ("a", "b c", "<v Ann>", "</v>", "<00:01.500>", "&amp", "\x00", "\r", " ", "NOTE", "-->", "1")
)
LINES = st.lists(TIMES | st.lists(WORDS, max_size=4).map("".join) | st.just(""), max_size=12)
FILES = LINES.map("\n".join).flatmap(
    lambda rest: st.sampled_from((f"WEBVTT\n\n{rest}", f"1\n00:00:01,000 --> 00:00:02,000\n{rest}"))
)


@given(source=ANY | FILES, media_type=st.sampled_from(sorted(MEDIA_TYPES)))
def test_any_text_has_words_or_is_refused(source: str, media_type: str) -> None:
    try:
        captions = read_captions(source, media_type)
    except ParseError:
        return
    words = words_of(captions, media_type)
    assert "\x00" not in words.text
    assert (
        words.text.replace("\r\n", "").count("\r")
        == words.text.replace("\r\n", "").count("\n")
        == 0
    )
    lines = words.text.split("\r\n")
    assert lines.pop() == ""
    assert all(line and line == line.strip("\t\f ") for line in lines)


@given(source=FILES, media_type=st.sampled_from(sorted(MEDIA_TYPES)))
def test_text_and_times_agree(source: str, media_type: str) -> None:
    try:
        words = words_of(read_captions(source, media_type), media_type)
    except ParseError:
        return
    end = 0
    for span in words.spans:
        assert end <= span.start < span.end <= len(words.text)
        assert not words.text[end : span.start].strip()
        end = span.end
        assert span in words.between(span.start, span.end)
        times = words.times(span.start, span.end)
        if times is None:
            assert span.start_ms >= span.end_ms
            assert span not in words.during(0, 1 << 60)
        else:
            assert span in words.during(*times)
            assert span not in words.during(0, span.start_ms)
            assert span not in words.during(span.end_ms, 1 << 60)
    lines = turns(words.spans)
    for span in words.spans:
        (line,) = [line for line in lines if line.start <= span.start < line.end]
        assert (line.voice, span.end <= line.end) == (span.voice, True)


@given(content=st.binary(max_size=400), media_type=st.sampled_from(sorted(MEDIA_TYPES)))
def test_any_octets(content: bytes, media_type: str) -> None:
    source = Document(content, media_type).source
    with contextlib.suppress(ParseError):
        assert words_of(read_captions(source, media_type), media_type).version == 1


@pytest.mark.parametrize("media_type", sorted(MEDIA_TYPES))
@pytest.mark.parametrize(
    "unit",
    [
        "<",
        "&",
        "<v ",
        "{\\",
        "<font ",
        "0",
        "0:",
        " ",
        "-->",
        "00:00.000-->",
        "\n",
        "\r",
        "1\n",
        "<00:01.000>",
    ],
)
def test_no_unit_repeated_is_slow(unit: str, media_type: str) -> None:
    rest = unit * (300_000 // len(unit))
    for head in (
        "WEBVTT\n\n",
        "1\n00:00:01,000 --> 00:00:02,000\n",
        "WEBVTT\n\n00:00.000 --> 00:09.000\n",
    ):
        try:
            words_of(read_captions(head + rest, media_type), media_type)
        except ParseError:
            continue


def test_each_type_of_captions_has_a_reader() -> None:
    assert set(_KINDS) == MEDIA_TYPES
