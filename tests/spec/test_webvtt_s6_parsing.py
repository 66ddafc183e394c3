"""WebVTT §6: what of a file are cues, and what of a cue is its text, voice by voice."""

from __future__ import annotations

import pytest

from permacite.captions import Cue, read_captions, words_of
from permacite.captions.formats import MOST_CUES, pieces_of
from permacite.errors import ParseError

VTT = "text/vtt"
ONE = "00:01.000 --> 00:02.000"

SIGNED = [
    ("webvtt-w01", "WEBVTT"),
    ("webvtt-w01-mark", "\ufeffWEBVTT\n"),
    ("webvtt-w01-space", "WEBVTT and more"),
    ("webvtt-w01-tab", "WEBVTT\tx"),
]
UNSIGNED = [
    ("webvtt-w01-empty", ""),
    ("webvtt-w01-lower-case", "webvtt\n"),
    ("webvtt-w01-glued", "WEBVTTx"),
    ("webvtt-w01-late", "\nWEBVTT\n"),
    ("webvtt-w01-two-marks", "\ufeff\ufeffWEBVTT\n"),
    ("webvtt-w01-srt", f"1\n{ONE}\nx\n"),
]
FILES = [
    # clause id, what stands behind "WEBVTT", the text of each cue
    ("webvtt-w02", "\nKind: captions\n\n" + ONE + "\na", ["a"]),
    ("webvtt-w02-cue", "\n" + ONE + "\na", ["a"]),
    ("webvtt-w03", f"\n\n{ONE}\na\nb\n\n\n{ONE}\nc", ["a\nb", "c"]),
    ("webvtt-w03-note", f"\n\nNOTE\n{ONE} x\n\nNOTE a\nb\nc", [""]),
    ("webvtt-w03-style", f"\n\nSTYLE\n::cue {{}}\n\nREGION\nid:a\n\n{ONE}\na", ["a"]),
    ("webvtt-w03-no-empty-line", f"\n\n{ONE}\na\n{ONE}\nb", ["a", "b"]),
    ("webvtt-w03-arrow-late", f"\n\na\nb\n{ONE}\nc", ["c"]),
    ("webvtt-w03-bad-times", "\n\n00:01.000 --> 2\na\n\n" + ONE, [""]),
    ("webvtt-w04", f"\r\n\r\n{ONE}\ra\x00\r\r{ONE}\n", ["a\ufffd", ""]),
    ("webvtt-w05-no-space", "\n\n00:01.000-->00:02.000line:0\na", ["a"]),
    ("webvtt-w05-tabs", "\n\n\t 00:01.000\t-->\f00:02.000\na", ["a"]),
    ("webvtt-w05-longer-arrow", "\n\n00:01.000 ---> 00:02.000\na", []),
]
TIMES = [
    # clause id, a timestamp, milliseconds; None for none
    ("webvtt-w06", "00:01.000", 1000),
    ("webvtt-w06-hours", "1:02:03.004", 3_723_004),
    ("webvtt-w06-many-hours", "123456789:59:59.999", 444_444_443_999_999),
    ("webvtt-w06-too-many-hours", "1234567890:00:00.000", None),
    ("webvtt-w06-sixty-minutes", "60:00.000", None),
    ("webvtt-w06-sixty-seconds", "00:60.000", None),
    ("webvtt-w06-comma", "00:01,000", None),
    ("webvtt-w06-short", "0:01.000", None),
    ("webvtt-w06-fraction", "00:01.0000", None),
    ("webvtt-w06-no-fraction", "00:01", None),
    ("webvtt-w06-negative", "-00:01.000", None),
    ("webvtt-w06-other-digits", "0\u0661:01.000", None),
]
TEXTS = [
    # clause id, the text of a cue, (words, voice) piece by piece
    ("webvtt-w09", "a<b>b</b><x>c</x>", [("a", None), ("b", None), ("c", None)]),
    ("webvtt-w09-open", "a<b", [("a", None)]),
    ("webvtt-w09-classes", "<c.x.y z>a</c>b", [("a", None), ("b", None)]),
    ("webvtt-w10", "a &amp; b&lt;c&gt;&nbsp;&eacute;&#8364;&x",
     [("a & b<c>\xa0\xe9\u20ac&x", None)]),
    ("webvtt-w10-of-a-voice", "<v Q&amp;A>a", [("a", "Q&A")]),
    ("webvtt-w11", "<v.loud  Ann \t Lee>a</v>b", [("a", "Ann Lee"), ("b", None)]),
    ("webvtt-w11-open", "<v Ann>a\n<v Bob>b</v>c", [("a\n", "Ann"), ("b", "Bob"), ("c", "Ann")]),
    ("webvtt-w11-in-tags", "<v Ann><i>a</v></i>b</v>c",
     [("a", "Ann"), ("b", "Ann"), ("c", None)]),
    ("webvtt-w11-without-name", "<v>a</v><v \n>b", [("a", None), ("b", None)]),
    ("webvtt-w09-ruby", "<v A><ruby>a<rt>b</ruby>c</v>d",
     [("a", "A"), ("b", "A"), ("c", "A"), ("d", None)]),
    ("webvtt-w09-rt-alone", "<rt>a</rt>b", [("a", None), ("b", None)]),
]  # fmt: skip
INSIDE = [
    # clause id, the text of a cue from second 1 to 9, (words, from, to) piece by piece
    ("webvtt-w12", "a<00:02.000>b<00:04.000><c>c</c>",
     [("a", 1000, 2000), ("b", 2000, 4000), ("c", 4000, 9000)]),
    ("webvtt-w12-backwards", "a<00:03.000>b<00:02.000>c",
     [("a", 1000, 3000), ("b", 3000, 9000), ("c", 3000, 9000)]),
    ("webvtt-w12-beyond", "a<00:00.500>b<00:09.000>c",
     [("a", 1000, 9000), ("b", 1000, 9000), ("c", 1000, 9000)]),
    ("webvtt-w12-none", "a<2>b", [("a", 1000, 9000), ("b", 1000, 9000)]),
]  # fmt: skip


@pytest.mark.parametrize("source", [c[1] for c in SIGNED], ids=[c[0] for c in SIGNED])
def test_a_signature_makes_a_file(source: str) -> None:
    assert read_captions(source, VTT).cues == []


@pytest.mark.parametrize("source", [c[1] for c in UNSIGNED], ids=[c[0] for c in UNSIGNED])
def test_what_has_no_signature_is_no_file(source: str) -> None:
    with pytest.raises(ParseError) as error:
        read_captions(source, VTT)
    assert error.value.offset == 0


@pytest.mark.parametrize(("rest", "texts"), [c[1:] for c in FILES], ids=[c[0] for c in FILES])
def test_the_cues_of_a_file(rest: str, texts: list[str]) -> None:
    assert [cue.text for cue in read_captions(f"WEBVTT{rest}", VTT).cues] == texts


def test_identifier_and_settings() -> None:
    (cue,) = read_captions(f"WEBVTT\n\n a b \n{ONE} align:start  line:0 \na", VTT).cues
    assert cue == Cue(1000, 2000, "a", " a b ", "align:start  line:0")


@pytest.mark.parametrize(("text", "time"), [c[1:] for c in TIMES], ids=[c[0] for c in TIMES])
def test_timestamps(text: str, time: int | None) -> None:
    cues = read_captions(f"WEBVTT\n\n{text} --> {text}\n", VTT).cues
    assert [(cue.start_ms, cue.end_ms) for cue in cues] == ([] if time is None else [(time, time)])


@pytest.mark.parametrize(("text", "pieces"), [c[1:] for c in TEXTS], ids=[c[0] for c in TEXTS])
def test_the_text_of_a_cue(text: str, pieces: list[tuple[str, str | None]]) -> None:
    assert [(p.text, p.voice) for p in pieces_of(Cue(0, 1, text), VTT)] == pieces


@pytest.mark.parametrize(("text", "pieces"), [c[1:] for c in INSIDE], ids=[c[0] for c in INSIDE])
def test_times_in_a_cue(text: str, pieces: list[tuple[str, int, int]]) -> None:
    told = [(p.text, p.start_ms, p.end_ms) for p in pieces_of(Cue(1000, 9000, text), VTT)]
    assert told == pieces


def test_a_language_in_the_header() -> None:
    assert read_captions("WEBVTT\nKind: captions\nLanguage: pt-BR\n\n", VTT).language == "pt-BR"
    assert read_captions("WEBVTT\n\nLanguage: en\n", VTT).language is None
    assert read_captions("WEBVTT\nLanguage: in English, mostly\n", VTT).language is None


def test_more_cues_than_any_recording_has() -> None:
    with pytest.raises(ParseError, match="more than 250,000 cues"):
        read_captions("WEBVTT\n\n" + "00:00.000-->00:00.000\n" * (MOST_CUES + 1), VTT)


def test_a_hundred_thousand_cues_and_one_of_a_megabyte() -> None:
    many = read_captions("WEBVTT\n\n" + f"{ONE}\n<v A>a\n\n" * 100_000, VTT)
    assert len(words_of(many, VTT).spans) == 100_000
    hostile = "<b>" * 100_000 + "&" * 100_000 + "<" * 100_000 + "<v " * 100_000
    words = words_of(read_captions(f"WEBVTT\n\n{ONE}\n{hostile}\n", VTT), VTT)
    assert words.text == "&" * 100_000 + "\r\n"


def test_another_media_type() -> None:
    with pytest.raises(ParseError, match="expected captions"):
        read_captions("WEBVTT", "text/plain")
