"""The words of captions as plain text, by the rules of captions.rendition; what is read of SRT."""

from __future__ import annotations

import pytest

from permacite.captions import RENDITION_VERSION, read_captions, turns, words_of
from permacite.errors import ParseError

VTT, SRT = "text/vtt", "application/x-subrip"
A = "00:01.000 --> 00:02.000\n"
B = "00:02.000 --> 00:04.000\n"
ONE = "00:00:01,000 --> 00:00:02,000\n"
TWO = "00:00:03,000 --> 00:00:04,000\n"

RULES = [
    # rule, cues of WebVTT, text (line ends as LF here)
    ("words-r1", f"one\n{A}<v Ann>a <i>b</i> &amp; c</v>\n\nNOTE d\n\n{B}e", "a b & c\ne\n"),
    ("words-r1-order-of-the-file", f"{B}b\n\n{A}a", "b\na\n"),
    ("words-r2", f"{A}a\nb\n\n{B}c", "a\nb\nc\n"),
    ("words-r2-empty", f"{A}\n{B}<i> </i>\n\n{B}c", "c\n"),
    ("words-r2-nothing", "", ""),
    ("words-r2-only-empty", f"{A} \n<b>\n", ""),
    ("words-r3", f"{A} a \t b\f<b> c</b> \n  d ", "a b c\nd\n"),
    ("words-r3-other-spaces", f"{A}a\xa0 &nbsp;b\u2003\x0b\x85", "a\xa0 \xa0b\u2003\x0b\x85\n"),
    ("words-r3-nul", f"{A}a\x00b&#0;", "a\ufffdb\ufffd\n"),
    ("words-r3-references", f"{A}a&#32;&#10;b&Tab;c&#13;d", "a\nb c\nd\n"),
    ("words-r5", f"{A}a\n\n{B}a\nb", "a\na\nb\n"),
]  # fmt: skip

SRTS = [
    # clause id, source, (from, to, text) cue by cue
    ("words-s1", "1\r\n0:0:1,0 --> 0:0:2,500\r\na\r\nb\r\n\r\n2\r\n0:0:3,0 --> 0:0:4,0\r\nc\r\n",
     [(1000, 2500, "a\nb"), (3000, 4000, "c")]),
    ("words-s1-mark", f"\ufeff1\n{ONE}a", [(1000, 2000, "a")]),
    ("words-s1-old-line-ends", "1\r00:00:01,000 --> 00:00:02,000\ra\r", [(1000, 2000, "a")]),
    ("words-s1-points", "00:00:01.5 --> 0:0:2\na", [(1005, 2000, "a")]),
    ("words-s1-without-hours", "01:02,003-->01:03:004\na", [(62_003, 63_004, "a")]),
    ("words-s1-microseconds", "00:00:01,123456 --> 00:00:02,123456\na", [(1123, 2123, "a")]),
    ("words-s1-negative", f"-{ONE}a", [(0, 2000, "a")]),
    ("words-s1-backwards", "00:00:03,000 --> 00:00:02,000\na", [(3000, 2000, "a")]),
    ("words-s1-huge", "99999999:00:00,000 --> 999999999:00:00,000\na",
     [(359999996400000, 3599999996400000, "a")]),
    ("words-s1-place", "00:00:01,000 --> 00:00:02,000  X1:1 X2:2\na", [(1000, 2000, "a")]),
    ("words-s1-no-numbers", f"{ONE}a\n\n{TWO}b",
     [(1000, 2000, "a"), (3000, 4000, "b")]),
    ("words-s1-no-empty-line", f"1\n{ONE}a\n2\n{TWO}b",
     [(1000, 2000, "a"), (3000, 4000, "b")]),
    ("words-s1-empty-lines-inside", f"1\n{ONE}\na\n\n\nb\n\n",
     [(1000, 2000, "a\n\n\nb")]),
    ("words-s1-a-number-said", f"1\n{ONE}1984\n\n2\n{TWO}",
     [(1000, 2000, "1984"), (3000, 4000, "")]),
    ("words-s1-what-comes-before", f"made by x\n\n1\n{ONE}a", [(1000, 2000, "a")]),
    ("words-s1-overlapping", "1\n0:0:1,0 --> 0:0:5,0\na\n\n2\n0:0:2,0 --> 0:0:3,0\nb",
     [(1000, 5000, "a"), (2000, 3000, "b")]),
    ("words-s1-no-times", f"1\n{ONE}a --> b\n00:00:03 -> 00:00:04",
     [(1000, 2000, "a --> b\n00:00:03 -> 00:00:04")]),
]  # fmt: skip
SRT_TEXTS = [
    # clause id, the text of a cue, the words
    ("words-s1-tags", '<i>a</i> <B>b</B>\n<font color="#f">c</font>', "a b\r\nc\r\n"),
    ("words-s1-codes", "{\\an8}a {\\pos(1,2)}b {i}c{/i}", "a b c\r\n"),
    ("words-s1-no-tags", "a <3 b <inaudible> {c} </x> <b", "a <3 b <inaudible> {c} </x> <b\r\n"),
    ("words-s1-no-references", "a &amp; b", "a &amp; b\r\n"),
    ("words-s1-nul", "a\x00b", "a\ufffdb\r\n"),
]  # fmt: skip


@pytest.mark.parametrize(("cues", "text"), [c[1:] for c in RULES], ids=[c[0] for c in RULES])
def test_the_text_by_rule(cues: str, text: str) -> None:
    words = words_of(read_captions(f"WEBVTT\n\n{cues}", VTT), VTT)
    assert words.text == text.replace("\n", "\r\n")
    assert words.version == RENDITION_VERSION == 1


@pytest.mark.parametrize(("source", "cues"), [c[1:] for c in SRTS], ids=[c[0] for c in SRTS])
def test_the_cues_of_srt(source: str, cues: list[tuple[int, int, str]]) -> None:
    found = read_captions(source, SRT).cues
    assert [(cue.start_ms, cue.end_ms, cue.text) for cue in found] == cues


@pytest.mark.parametrize(
    ("text", "words"), [c[1:] for c in SRT_TEXTS], ids=[c[0] for c in SRT_TEXTS]
)
def test_the_words_of_srt(text: str, words: str) -> None:
    captions = read_captions(f"1\n00:00:01,000 --> 00:00:02,000\n{text}\n", SRT)
    assert words_of(captions, SRT).text == words


@pytest.mark.parametrize("source", ["", "a", "1\n\n2", "WEBVTT\n\n" + A, "00:00:01,000 ->"])
def test_what_is_no_srt(source: str) -> None:
    with pytest.raises(ParseError) as error:
        read_captions(source, SRT)
    assert error.value.offset == 0


INTERVIEW = """WEBVTT

00:01.000 --> 00:03.000
<v Ann>Who was there?
<v Bob>Nobody.</v>

00:02.500 --> 00:06.000
<v Bob>Nobody <00:04.000>at <00:05.000>all.

00:08.000 --> 00:07.000
Backwards.
"""


def test_the_map_between_words_and_times() -> None:
    """The clause words-r6, from words to times."""
    words = words_of(read_captions(INTERVIEW, VTT), VTT)

    def times(quote: str) -> tuple[int, int] | None:
        start = words.text.index(quote)
        return words.times(start, start + len(quote))

    assert times("Who was") == (1000, 3000)
    assert times("at all") == (4000, 6000)
    assert times("Nobody.\r\nNobody") == (1000, 4000)
    assert times("\r\nNobody at") == (2500, 5000)
    assert times("Backwards") is None
    assert times("\r\nBack") is None
    assert words.times(0, len(words.text)) == (1000, 6000)
    assert words.times(0, 0) is None
    assert words.text[slice(*words.between(3, 5)[0][:2])] == "Who was there?"


def test_what_is_said_in_a_time_and_by_whom() -> None:
    """The clause words-r6, from times to words."""
    words = words_of(read_captions(INTERVIEW, VTT), VTT)

    def said(start_ms: int, end_ms: int) -> list[tuple[str | None, str]]:
        return [
            (turn.voice, words.text[turn.start : turn.end])
            for turn in turns(words.during(start_ms, end_ms))
        ]

    assert said(0, 1000) == []
    assert said(0, 1001) == [("Ann", "Who was there?"), ("Bob", "Nobody.")]
    assert said(2999, 4500) == [
        ("Ann", "Who was there?"), ("Bob", "Nobody."), ("Bob", "Nobody at"),
    ]  # fmt: skip
    assert said(5999, 9000) == [("Bob", "all.")]
    assert said(7000, 8000) == []


def test_line_ends() -> None:
    """The clause words-r4."""
    words = words_of(read_captions(INTERVIEW, VTT), VTT)
    assert words.text == "Who was there?\r\nNobody.\r\nNobody at all.\r\nBackwards.\r\n"
