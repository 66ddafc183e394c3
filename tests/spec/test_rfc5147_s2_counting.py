"""RFC 5147 §2: what characters, lines, positions and ranges are, and the examples of §5."""

from __future__ import annotations

import pytest

from permacite.errors import LimitError, ParseError
from permacite.fragments import Text

THREE = b"one\r\ntwo\r\nthree"
DECK = "hé😀中\r\ná".encode("utf-16-le")

WHERE = [
    # clause id, bytes, charset, line endings, fragment, characters, bytes
    ("rfc5147-a1-surrogate-pair", DECK, "utf-16le", None, "char=2,3", (2, 3), (4, 8)),
    ("rfc5147-a1-combining-mark", "e\u0301x".encode(), "utf-8", None, "char=2,3", (2, 3), (3, 4)),
    (
        "rfc5147-a1-shift-jis-0x5c",
        b"\x95\\\r\n\x83\\",
        "shift_jis",
        None,
        "line=1,",
        (2, 3),
        (4, 6),
    ),
    ("rfc5147-a1-gb18030", b"a\x949\xfc6b", "gb18030", None, "char=1,2", (1, 2), (1, 5)),
    (
        "rfc5147-a1-iso-2022-jp",
        b"A\x1b$BF|K\\\x1b(BB",
        "iso-2022-jp",
        None,
        "char=1,2",
        (1, 2),
        (1, 6),
    ),
    ("rfc5147-a2-default-is-us-ascii", b"ab\xe9", "us-ascii", None, "char=2,", (2, 3), (2, 3)),
    ("rfc5147-a3-utf-8-mark", b"\xef\xbb\xbfab", "utf-8", None, "char=0,1", (0, 1), (3, 4)),
    ("rfc5147-a3-only-the-first", b"\xef\xbb\xbf" * 2, "utf-8", None, "char=0,1", (0, 1), (3, 6)),
    ("rfc5147-a3-explicit-order", b"\xff\xfea\0", "utf-16le", None, "char=0,1", (0, 1), (2, 4)),
    ("rfc5147-a3-gb18030-mark", b"\x84\x31\x95\x33a", "gb18030", None, "char=0,1", (0, 1), (4, 5)),
    ("rfc5147-a3-other-order-counts", b"\xfe\xffa\0", "utf-16le", None, "char=1,2", (1, 2), (2, 4)),
    ("rfc5147-a4-utf-16", b"\0a\0b", "utf-16", None, "char=1,2", (1, 2), (2, 4)),
    ("rfc5147-a4-utf-32", b"\0\0\0a\0\0\0b", "utf-32", None, "char=1,2", (1, 2), (4, 8)),
    ("rfc5147-a5-position", THREE, "us-ascii", None, "char=4", (4, 4), (5, 5)),
    ("rfc5147-a5-last-position", THREE, "us-ascii", None, "char=13", (13, 13), (15, 15)),
    ("rfc5147-a5-line-position", THREE, "us-ascii", None, "line=1", (4, 4), (5, 5)),
    ("rfc5147-a6-half-open", THREE, "us-ascii", None, "char=0,3", (0, 3), (0, 3)),
    ("rfc5147-a6-from-the-start", THREE, "us-ascii", None, "line=,1", (0, 4), (0, 5)),
    ("rfc5147-a6-to-the-end", THREE, "us-ascii", None, "char=11,", (11, 13), (13, 15)),
    ("rfc5147-a6-empty", THREE, "us-ascii", None, "char=5,5", (5, 5), (6, 6)),
    ("rfc5147-a8-beyond", THREE, "us-ascii", None, "line=10,20", (13, 13), (15, 15)),
    ("rfc5147-a8-end-beyond", THREE, "us-ascii", None, "line=2,20", (8, 13), (10, 15)),
    ("rfc5147-a8-position-beyond", THREE, "us-ascii", None, "char=100", (13, 13), (15, 15)),
    ("rfc5147-a9-crlf-is-one", THREE, "us-ascii", None, "char=3,4", (3, 4), (3, 5)),
    ("rfc5147-a9-cr-nel-is-one", b"a\r\x85b", "iso-8859-1", "all", "char=1,2", (1, 2), (1, 3)),
    ("rfc5147-a10-http-lone-cr", b"a\rb\nc", "us-ascii", "http", "line=1,2", (2, 4), (2, 4)),
    (
        "rfc5147-a10-mime-knows-crlf-alone",
        b"a\rb\nc\r\nd",
        "us-ascii",
        "mime",
        "line=1,",
        (6, 7),
        (7, 8),
    ),
    ("rfc5147-a10-lf-files", b"a\rb\nc", "us-ascii", "lf", "line=1,", (4, 5), (4, 5)),
    ("rfc5147-a10-lf-cr-is-two", b"a\n\rb", "us-ascii", None, "line=2,", (3, 4), (3, 4)),
    ("rfc5147-a10-cr-cr-lf-is-two", b"a\r\r\nb", "us-ascii", None, "line=1,2", (2, 3), (2, 4)),
    (
        "rfc5147-a10-no-other-ends",
        "a\v\f\x1c\x1d\x1e\x1f\u2028\u2029b".encode(),
        "utf-8",
        "all",
        "line=0,1",
        (0, 10),
        (0, 14),
    ),
    (
        "rfc5147-a10-ebcdic-nel",
        "ab\x85cd".encode("cp037"),
        "cp037",
        None,
        "line=1,",
        (3, 5),
        (3, 5),
    ),
    (
        "rfc5147-a11-letter-of-0d0a",
        "\u0d0ab".encode("utf-16-be"),
        "utf-16be",
        None,
        "line=1",
        (2, 2),
        (4, 4),
    ),
    ("rfc5147-a11-nel-or-ellipsis", b"a\x85b", "windows-1252", "all", "line=1", (3, 3), (3, 3)),
    ("rfc5147-a12-with-the-ending", THREE, "us-ascii", None, "line=1,2", (4, 8), (5, 10)),
    ("rfc5147-a13-one-line", b"abc", "us-ascii", None, "line=0,1", (0, 3), (0, 3)),
    ("rfc5147-a13-empty", b"", "us-ascii", None, "line=0,1", (0, 0), (0, 0)),
    ("rfc5147-a13-ending-at-the-end", b"a\n", "us-ascii", None, "line=1,2", (2, 2), (2, 2)),
]


@pytest.mark.parametrize(
    ("content", "charset", "line_endings", "fragment", "char", "byte"),
    [row[1:] for row in WHERE],
    ids=[row[0] for row in WHERE],
)
def test_where(
    content: bytes,
    charset: str,
    line_endings: str | None,
    fragment: str,
    char: tuple[int, int],
    byte: tuple[int, int],
) -> None:
    location = Text(content, charset, line_endings).locate(fragment)
    assert location.status == "ok"
    assert (location.spans[0].char, location.spans[0].byte) == (char, byte)
    assert location.kind == ("range" if "," in fragment else "position")


LINES = [f"line {number}\n" for number in range(1, 31)]

EXAMPLES = [
    # clause id, lines of the entity, fragment, excerpt (§5)
    ("rfc5147-a5-example-char-100", 30, "char=100", ""),
    ("rfc5147-a12-example-lines-11-to-20", 30, "line=10,20", "".join(LINES[10:20])),
    ("rfc5147-a8-example-fewer-than-20", 15, "line=10,20", "".join(LINES[10:15])),
    ("rfc5147-a8-example-fewer-than-11", 9, "line=10,20", ""),
    ("rfc5147-a6-example-first-line", 30, "line=,1", "line 1\n"),
]


@pytest.mark.parametrize(
    ("lines", "fragment", "excerpt"),
    [row[1:] for row in EXAMPLES],
    ids=[row[0] for row in EXAMPLES],
)
def test_examples(lines: int, fragment: str, excerpt: str) -> None:
    text = Text("".join(LINES[:lines]).encode(), "utf-8")
    assert text.excerpt(fragment) == excerpt


def test_rfc5147_a3_the_mark_is_reported() -> None:
    assert Text(b"\xef\xbb\xbfa", "utf-8").locate("char=0").notes == ("bom-stripped",)
    assert Text(b"a", "utf-8").locate("char=0").notes == ()


INVALID = [
    # clause id, bytes, charset, length: U+FFFD for each maximal part of a sequence
    ("rfc5147-a2-us-ascii", b"a\xe9\xff", "us-ascii", 3),
    ("rfc5147-a25-cut-off", b"a\xe4\xb8", "utf-8", 2),
    ("rfc5147-a25-overlong", b"\xc0\xaf", "utf-8", 2),
    ("rfc5147-a25-surrogate", b"\xed\xa0\x80", "utf-8", 3),
    ("rfc5147-a25-beyond-unicode", b"\xf4\x90\x80\x80", "utf-8", 4),
    ("rfc5147-a25-lone-surrogate", b"\x00\xd8a\x00", "utf-16le", 2),
    ("rfc5147-a25-odd-byte", b"a\x00b", "utf-16le", 2),
    ("rfc5147-a25-undefined-byte", b"a\xaa", "windows-1253", 2),
]


@pytest.mark.parametrize(
    ("content", "charset", "length"), [row[1:] for row in INVALID], ids=[row[0] for row in INVALID]
)
def test_invalid_bytes_are_replaced_and_reported(content: bytes, charset: str, length: int) -> None:
    text = Text(content, charset)
    assert text.length == length
    assert "invalid-bytes" in text.locate("char=0,99").notes
    with pytest.raises(ParseError, match="byte"):
        Text(content, charset, errors="strict").locate("char=0,99")


NO_CHARSETS = ["", "no-such-charset", "base64", "punycode", "idna", "unicode_escape", "utf\0", "é"]


@pytest.mark.parametrize("charset", NO_CHARSETS)
def test_a_charset_that_nothing_decodes_is_a_parse_error(charset: str) -> None:
    with pytest.raises(ParseError) as error:
        Text(b"", charset)
    assert error.value.source == charset


def test_a_path_as_text_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Text\.of"):
        Text("text.txt")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="line_endings"):
        Text(b"", line_endings="dos")


LONG = "日本語テスト ABC\r\n表示 12\r" * 400


@pytest.mark.parametrize(
    "charset", ["shift_jis", "euc-jp", "iso-2022-jp", "iso-2022-jp-2", "utf-16"]
)
def test_rfc5147_a1_places_deep_in_a_text(charset: str) -> None:
    content = LONG.encode(charset)
    text = Text(content, charset)
    length = text.length
    assert length == len(LONG) - LONG.count("\r\n")
    for start in (0, 1, 8, 701, 3333, length - 9):
        found = text.locate(f"char={start},{start + 7}").spans[0]
        part = text.slice(found)
        assert part == LONG.replace("\r\n", "\n")[start : start + 7].replace("\n", "\r\n")
        if not charset.startswith("iso"):
            codec = "utf-16-le" if charset == "utf-16" else charset
            assert content[slice(*found.byte)].decode(codec) == part


@pytest.mark.parametrize("charset", ["shift_jis", "gb18030", "iso-2022-kr", "big5"])
def test_rfc5147_a25_places_behind_invalid_bytes(charset: str) -> None:
    content = b"ab\xff\x80 c" * 500 + b"\x1b" * 40 + b"xyz"
    text = Text(content, charset)
    found = text.locate(f"char={text.length - 2},").spans[0]
    assert found.byte == (len(content) - 2, len(content))
    assert text.slice(found) == "yz"


def test_a_decoder_that_never_ends_meets_a_limit() -> None:
    with pytest.raises(LimitError):
        Text(bytes(17 << 20), "utf-7").locate("char=1")
