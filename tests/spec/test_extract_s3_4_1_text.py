"""PDI §3.4.1, §3.4.6: characters, lines and octets cut out of documents."""

from __future__ import annotations

import pytest

from permacite.errors import NotFoundError, ParseError
from permacite.extract import extract
from permacite.pdi import parse

MIXED = b"one\r\ntwo\nthree\rfour"
"""Canonical: one CRLF two CRLF three CRLF four, 21 characters."""

CHARACTERS = [
    # clause id, data, media type, charset, fragment, text, range in bytes
    ("pditext-c1-plain", b"abcdef", "text/plain", None, "char=1,3", "bc", (1, 3)),
    ("pditext-c1-default", b"abcdef", "text/plain", None, "1,3", "bc", (1, 3)),
    ("pditext-c1-case", b"abcdef", "TEXT/Plain", None, "CHAR=1,3", "bc", (1, 3)),
    ("pditext-c1-whole", b"abcdef", "text/plain", None, "0,6", "abcdef", (0, 6)),
    ("pdi-43-point", b"abcdef", "text/plain", None, "3,3", "", (3, 3)),
    ("pdi-43-point-at-the-end", b"abcdef", "text/plain", None, "6,6", "", (6, 6)),
    ("pdi-43-point-in-nothing", b"", "text/plain", None, "0,0", "", (0, 0)),
    ("pditext-c2-crlf", MIXED, "text/plain", None, "0,5", "one\r\n", (0, 5)),
    ("pditext-c2-lf-counts-two", MIXED, "text/plain", None, "5,10", "two\r\n", (5, 9)),
    ("pditext-c2-cr-counts-two", MIXED, "text/plain", None, "10,17", "three\r\n", (9, 15)),
    ("pditext-c2-after-three", MIXED, "text/plain", None, "17,21", "four", (15, 19)),
    ("pditext-c3-between-cr-and-lf", b"a\nb", "text/plain", None, "0,2", "a\r", (0, 2)),
    ("pditext-c3-from-between", b"a\nb", "text/plain", None, "2,4", "\nb", (1, 3)),
    ("pditext-c3-half", b"a\nb", "text/plain", None, "1,2", "\r", (1, 2)),
    ("pditext-c3-other-half", b"a\nb", "text/plain", None, "2,3", "\n", (1, 2)),
    ("pditext-c3-point-between", b"a\nb", "text/plain", None, "2,2", "", (1, 2)),
    ("pditext-c3-stored-crlf", b"a\r\nb", "text/plain", None, "1,2", "\r", (1, 2)),
    ("pditext-c3-stored-crlf-half", b"a\r\nb", "text/plain", None, "2,4", "\nb", (2, 4)),
    ("pditext-c3-lf-cr", b"a\n\rb", "text/plain", None, "3,6", "\r\nb", (2, 4)),
    ("pditext-c4-utf-8", "h\u00e9llo".encode(), "text/plain", "utf-8", "1,3", "\u00e9l", (1, 4)),
    (
        "pditext-c4-astral",
        "a\U0001f600b".encode(),
        "text/plain",
        "utf-8",
        "1,2",
        "\U0001f600",
        (1, 5),
    ),
    (
        "pditext-c4-parameter",
        "\u00e9a".encode(),
        "text/plain; charset=UTF-8",
        None,
        "1,2",
        "a",
        (2, 3),
    ),
    ("pditext-c4-latin-1", b"\xe9\xe8", "text/plain", "iso-8859-1", "1,2", "\u00e8", (1, 2)),
    (
        "pditext-c4-utf-16",
        "a\u00e9b".encode("utf-16-le"),
        "text/plain",
        "utf-16-le",
        "1,2",
        "\u00e9",
        (2, 4),
    ),
    (
        "pditext-c4-sjis",
        "a\u3042b".encode("shift_jis"),
        "text/plain",
        "shift_jis",
        "2,3",
        "b",
        (3, 4),
    ),
    ("pditext-c4-not-utf-8", b"a\xffb", "text/plain", "utf-8", "1,3", "\ufffdb", (1, 3)),
    ("pditext-c4-user-defined", b"a\xffb", "text/plain", "x-user-defined", "2,3", "b", (2, 3)),
    ("pditext-c6-utf-8", b"\xef\xbb\xbfabc", "text/plain", "utf-8", "0,1", "a", (3, 4)),
    ("pditext-c6-utf-16", "\ufeffab".encode("utf-16-le"), "text/plain", None, "1,2", "b", (4, 6)),
    ("media-char-references", b"<p>a&amp;b", "text/html", None, "4,9", "&amp;", (4, 9)),
    (
        "pdi-28-html-declared",
        b"<meta charset=utf-8>\xc3\xa9",
        "text/html",
        None,
        "20,21",
        "\u00e9",
        (20, 22),
    ),
    ("pdi-28-html-undeclared-utf-8", "<p>\u00e9!".encode(), "text/html", None, "4,5", "!", (5, 6)),
    (
        "pdi-28-html-declared-otherwise",
        b"<meta charset=cp1252>\xc3\xa9",
        "text/html",
        None,
        "21,22",
        "\u00c3",
        (21, 22),
    ),
    ("pdi-28-html-neither", b"<p>\x80", "text/html", None, "3,4", "\u20ac", (3, 4)),
    (
        "pdi-28-xml-declared",
        b"<?xml version='1.0' encoding='iso-8859-1'?><a>\xe9",
        "text/xml",
        None,
        "46,47",
        "\u00e9",
        (46, 47),
    ),
    ("pdi-28-xml-undeclared", "<a>\u00e9b".encode(), "text/xml", None, "4,5", "b", (5, 6)),
    ("pdi-28-css", "a{}/*\u00e9*/".encode(), "text/css", None, "5,6", "\u00e9", (5, 7)),
    ("pdi-28-csv", "\u00e9,b".encode(), "text/csv", None, "1,3", ",b", (2, 4)),
    ("pdi-35-header", b"From: a\r\nTo: b\r\n", "message/header", None, "0,4", "From", (0, 4)),
]


@pytest.mark.parametrize(
    ("data", "media_type", "charset", "fragment", "text", "place"),
    [c[1:] for c in CHARACTERS],
    ids=[c[0] for c in CHARACTERS],
)
def test_cuts_characters(
    data: bytes,
    media_type: str,
    charset: str | None,
    fragment: str,
    text: str,
    place: tuple[int, int],
) -> None:
    found = extract(data, media_type, fragment, charset=charset)
    assert (found.text, found.source_range, found.clipped) == (text, place, False)
    assert found.data == data[place[0] : place[1]]
    assert found.media_type == media_type.partition(";")[0].lower()


LINES = [
    # clause id, data, fragment, text, range in bytes
    ("pdi-15-line-first", MIXED, "line=0,1", "one\r\n", (0, 5)),
    ("pdi-15-line-middle", MIXED, "line=1,3", "two\r\nthree\r\n", (5, 15)),
    ("pdi-15-line-last", MIXED, "line=3,4", "four", (15, 19)),
    ("pdi-15-line-point", MIXED, "line=2,2", "", (9, 9)),
    ("pdi-15-line-end", MIXED, "line=4,4", "", (19, 19)),
    ("pdi-15-line-terminated", b"a\nb\n", "line=1,2", "b\r\n", (2, 4)),
    ("pdi-15-line-empty-text", b"", "line=0,1", "", (0, 0)),
]


@pytest.mark.parametrize(
    ("data", "fragment", "text", "place"), [c[1:] for c in LINES], ids=[c[0] for c in LINES]
)
def test_cuts_lines(data: bytes, fragment: str, text: str, place: tuple[int, int]) -> None:
    found = extract(data, "text/plain", fragment)
    assert (found.text, found.source_range, found.clipped) == (text, place, False)


OCTETS = [
    # clause id, fragment, range
    ("pdi-42-first", "byte=0,4", (0, 4)),
    ("pdi-42-case", "BYTE=1,3", (1, 3)),
    ("media-byte-point", "byte=5,5", (5, 5)),
    ("media-byte-point-at-the-end", "byte=8,8", (8, 8)),
]


@pytest.mark.parametrize("media_type", ["image/png", "text/html", "application/pdf", "x/unknown"])
@pytest.mark.parametrize(("fragment", "place"), [c[1:] for c in OCTETS], ids=[c[0] for c in OCTETS])
def test_cuts_octets_of_anything(media_type: str, fragment: str, place: tuple[int, int]) -> None:
    data = b"\x89PNG\r\n\x1a\n"
    found = extract(data, media_type, fragment)
    assert (found.data, found.source_range) == (data[place[0] : place[1]], place)
    assert (found.media_type, found.text) == ("application/octet-stream", None)


CLIPPED = [
    # clause id, data, media type, fragment, what is left
    ("media-clip-char", b"abc", "text/plain", "1,9", b"bc"),
    ("pdi-44-char-in-crlf", b"ab\n", "text/plain", "3,9", b"\n"),
    ("media-clip-line", b"a\nb", "text/plain", "line=1,9", b"b"),
    ("media-clip-byte", b"abc", "image/png", "byte=1,9", b"bc"),
    ("media-clip-elt", b"<p>a<p>b", "text/html", "elt=1,9", b"<p>b"),
]


@pytest.mark.parametrize(
    ("data", "media_type", "fragment", "left"),
    [c[1:] for c in CLIPPED],
    ids=[c[0] for c in CLIPPED],
)
def test_a_fragment_that_reaches_too_far_says_so(
    data: bytes, media_type: str, fragment: str, left: bytes
) -> None:
    found = extract(data, media_type, fragment)
    assert (found.data, found.clipped) == (left, True)


OUTSIDE = [
    # clause id, data, media type, fragment
    ("pdi-44-char", b"abc", "text/plain", "4,9"),
    ("pdi-44-char-at-the-end", b"abc", "text/plain", "3,9"),
    ("pdi-44-char-point", b"abc", "text/plain", "4,4"),
    ("pdi-44-char-in-nothing", b"", "text/plain", "0,1"),
    ("pdi-44-char-large", b"abc", "text/plain", "9" * 4000 + "," + "9" * 4000),
    ("pdi-44-line", b"a\nb\n", "text/plain", "line=2,3"),
    ("media-err-byte", b"abc", "image/png", "byte=3,4"),
    ("media-err-elt", b"<p>a", "text/html", "elt=1,1"),
    ("media-err-elt-in-nothing", b"", "text/html", "elt=0,0"),
]


@pytest.mark.parametrize(
    ("data", "media_type", "fragment"), [c[1:] for c in OUTSIDE], ids=[c[0] for c in OUTSIDE]
)
def test_a_fragment_outside_names_nothing(data: bytes, media_type: str, fragment: str) -> None:
    with pytest.raises(NotFoundError) as error:
        extract(data, media_type, fragment)
    assert error.value.name


REFUSED = [
    # clause id, media type, fragment, offset
    ("media-err-syntax", "text/plain", "char=3", 6),
    ("media-err-backwards", "text/plain", "char=9,3", 5),
    ("media-err-not-of-the-type", "text/plain", "elt=0,0", 0),
    ("media-err-no-default", "application/pdf", "0,3", 0),
    ("media-err-unknown", "text/plain", "row=7-5", 0),
    ("media-err-xml-has-no-names", "text/xml", "name=1,1", 0),
    ("media-err-two", "text/plain", "0,1;1,2", 3),
    ("media-err-picture-in-seconds", "image/png", "sec=0,1", 0),
    ("media-rect-minus", "image/png", "rect=(-5,10),(25,30)", 6),
]


@pytest.mark.parametrize(
    ("media_type", "fragment", "offset"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED]
)
def test_refuses_at_the_right_place(media_type: str, fragment: str, offset: int) -> None:
    with pytest.raises(ParseError) as error:
        extract(b"abc", media_type, fragment)
    assert (error.value.source, error.value.offset) == (fragment, offset)


def test_a_charset_that_nobody_knows() -> None:
    """pdi-28: the charset of a text must be known."""
    with pytest.raises(ParseError, match="charset"):
        extract(b"abc", "text/plain", "0,1", charset="x-none")


def test_takes_a_parsed_fragment() -> None:
    """pdi-35: the fragment of a name."""
    name = parse("urn:pdi://a.us/1997/09/01/1.text.1#1,3")
    assert extract(b"abcdef", "text/plain", name).text == "bc"  # type: ignore[arg-type]
    assert extract(b"abcdef", "text/plain", "#1,3").text == "bc"


def test_the_digest_of_a_text_is_that_of_its_characters() -> None:
    """media-digest: however the text is encoded, and its lines end."""
    one = extract("\u00e9\n".encode(), "text/plain", "0,3", charset="utf-8")
    other = extract("\u00e9\r\n".encode("utf-16"), "text/plain", "0,3", charset="utf-16")
    assert one.digest == other.digest
    assert one.digest != extract(b"\xe9\n", "text/plain", "byte=0,2").digest
