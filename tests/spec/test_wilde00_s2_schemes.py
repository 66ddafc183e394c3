"""draft-wilde-text-fragment-00 §2 and §3: what counts, ranges and expressions name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from permacite.errors import LimitError
from permacite.fragments import Text, wilde00
from permacite.fragments.wilde00 import Count, Match, TextFragment

if TYPE_CHECKING:
    from pathlib import Path

TWO = b"one\r\ntwo\nx\rhello(there) hello\r\n"

NAMED = [
    # clause id, fragment, excerpts of the union
    ("wilde00-b1-several-parts", "char(1)line(2)", ["o", "two\nx\rhello(there) hello"]),
    ("wilde00-b2-first-character", "char(1)", ["o"]),
    ("wilde00-b2-both-ends-included", "char(2,3)", ["ne"]),
    ("wilde00-b2-first-line", "line(1)", ["one"]),
    ("wilde00-b3-equal-ends", "char(2,2)char(1)", ["o"]),
    ("wilde00-b3-backwards", "line(2,1)char(1)", ["o"]),
    ("wilde00-b3-backwards-beyond", "char(99,50)", []),
    ("wilde00-b4-zero", "char(0)char(1)", ["o"]),
    ("wilde00-b4-zero-line", "line(0,1)char(3)", ["e"]),
    ("wilde00-b5-last-character", "char(100)", ["\n"]),
    ("wilde00-b5-end-beyond", "char(30,99)", ["\r\n"]),
    ("wilde00-b5-last-line", "line(10,20)", ["two\nx\rhello(there) hello"]),
    ("wilde00-b6-crlf-is-two", "char(4)char(5)", ["\r\n"]),
    ("wilde00-b6-half-a-line-ending", "char(5)", ["\n"]),
    ("wilde00-b6-lines-by-crlf", "line(1,2)", ["one\r\ntwo\nx\rhello(there) hello"]),
    ("wilde00-b6-no-line-after-the-last", "line(3)", ["two\nx\rhello(there) hello"]),
    ("wilde00-b7-union", "char(1,3)char(3,4)char(8,9)", ["one\r", "o\n"]),
    ("wilde00-b7-within-another", "line(1)match(n)", ["one"]),
    ("wilde00-b8-escaped-parenthesis", "match(hello%5E()", ["hello("]),
    ("wilde00-b8-balanced-parentheses", "match(o(there))", ["o(there)"]),
    ("wilde00-b8-anchor", "match(^^one)", ["one"]),
    ("wilde00-b8-lone-caret", "match(^one)", ["one"]),
    ("wilde00-b9-all-occurrences", "match(hello)", ["hello", "hello"]),
    ("wilde00-b9-longest", "match(l*)", ["ll", "ll"]),
    ("wilde00-b9-empty-ones-name-nothing", "match(z*)", []),
    ("wilde00-b10-newline-is-ordinary", "match(two.x)", ["two\nx"]),
    ("wilde00-b10-anchors-of-the-whole", "match(^^two)", []),
    ("wilde00-b11-posix-classes", "match([[:upper:]é])", []),
    ("wilde00-b12-invalid-expression", "match([)char(1)", ["o"]),
]


@pytest.mark.parametrize(
    ("fragment", "excerpts"), [row[1:] for row in NAMED], ids=[row[0] for row in NAMED]
)
def test_names(fragment: str, excerpts: list[str]) -> None:
    text = Text(TWO)
    location = text.locate(wilde00.parse(fragment))
    assert location.status == "ok"
    assert [text.slice(span) for span in location.spans] == excerpts
    assert text.excerpt(wilde00.parse(fragment)) == "".join(excerpts)


def test_parts_are_located_separately() -> None:
    location = Text(TWO).locate(
        wilde00.parse("char(0)line(2,1)match([)match(hello)match(z)char(1)")
    )
    told = [(part.status, part.reason, len(part.spans)) for part in location.parts]
    assert told == [
        ("ignored", "zero", 0),
        ("ignored", "order", 0),
        ("ignored", "regex", 0),
        ("ok", None, 2),
        ("ok", None, 0),
        ("ok", None, 1),
    ]
    assert "counts begin at 1" in location.problem
    assert "expected ']'" in location.problem


EMPTY = [
    ("wilde00-b5-no-character", b"", "char(1)", []),
    ("wilde00-b5-empty-line", b"", "line(1)", [(0, 0)]),
    ("wilde00-b6-one-empty-line", b"\r\n", "line(2)", [(0, 0)]),
    ("wilde00-b6-empty-second-line", b"a\r\n\r\n", "line(2)", [(3, 3)]),
    ("wilde00-b6-empty-last-line", b"a\r\n\r\n", "line(9)", [(3, 3)]),
    ("wilde00-b1-byte-order-mark", b"\xef\xbb\xbfa", "char(1)match(a)", [(3, 4)]),
    ("wilde00-b9-mark-is-no-text", b"\xef\xbb\xbfa", "match(^^.)", [(3, 4)]),
]


@pytest.mark.parametrize(
    ("content", "fragment", "spans"), [row[1:] for row in EMPTY], ids=[row[0] for row in EMPTY]
)
def test_bytes_of_the_spans(content: bytes, fragment: str, spans: list[tuple[int, int]]) -> None:
    location = Text(content, "utf-8").locate(wilde00.parse(fragment))
    assert [span.byte for span in location.spans] == spans


def test_wilde00_b10_lines_on_request() -> None:
    fragment = wilde00.parse("match(^^two.)match(^^x)")
    location = Text(TWO).locate(fragment, newline=True)
    assert [span.code_point for span in location.spans] == [(9, 10)]


def test_wilde00_b6_a_half_line_ending_is_a_whole_character_of_rfc5147() -> None:
    location = Text(b"a\r\nb").locate(wilde00.parse("char(2)char(4)"))
    assert [(span.char, span.code_point) for span in location.spans] == [
        ((1, 2), (1, 2)),
        ((2, 3), (3, 4)),
    ]
    (span,) = Text(b"a\r\nb").locate(wilde00.parse("char(3)")).spans
    assert (span.char, span.code_point) == ((1, 2), (2, 3))


SEARCHED = [
    ("utf-16", "naïve 😀\r\n😀".encode("utf-16"), 6),
    ("utf-8", "naïve 😀\r\n😀".encode(), 6),
    ("utf-8", b"na\xff\xefve \xf0\x9f\x98\x80\r\n\xf0\x9f\x98\x80", 7),
    ("gb18030", "naïve 😀\r\n😀".encode("gb18030"), 6),
]


@pytest.mark.parametrize(("charset", "content", "first"), SEARCHED)
def test_wilde00_b9_expressions_count_characters_in_every_charset(
    charset: str, content: bytes, first: int
) -> None:
    text = Text(content, charset)
    spans = text.locate(wilde00.parse("match(😀)")).spans
    assert [span.code_point for span in spans] == [(first, first + 1), (first + 3, first + 4)]
    assert [text.slice(span) for span in spans] == ["😀", "😀"]


def test_wilde00_b12_a_limit_is_no_failure_to_match() -> None:
    text = Text(b"xa" * 200_000)
    with pytest.raises(LimitError):
        text.locate(TextFragment((Match(r"a\(.*b\)\{0,1\}"),)))
    with pytest.raises(LimitError):
        text.locate(wilde00.parse("match(" + "\\(" * 200 + "\\)" * 200 + ")"))
    with pytest.raises(LimitError):
        Text(b"a " * 300_000).locate(wilde00.parse("match(a)"))


def test_many_matches_in_a_long_text() -> None:
    content = ("é" * 99 + "x\r\n") * 3000
    text = Text(content.encode(), "utf-8")
    location = text.locate(wilde00.parse("match(x)line(3000)"))
    assert len(location.spans) == 3000
    assert location.spans[1000].code_point == (102 * 1000 + 99, 102 * 1000 + 100)
    assert location.spans[1000].char == (101 * 1000 + 99, 101 * 1000 + 100)
    assert location.spans[-1].byte == (201 * 2999, 201 * 2999 + 199)


def test_values_print_canonically() -> None:
    made = TextFragment((Count("char", 1), Count("line", 2, 3), Match("^a(b)(")))
    assert str(made) == "char(1)line(2,3)match(%5E%5Ea(b)%5E()"
    assert wilde00.parse(str(made)) == made


def test_wilde00_b12_what_must_be_decoded_to_be_searched_has_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "zeros"
    with path.open("wb") as file:
        file.truncate((64 << 20) + 2)
    text = Text(path, "utf-16")
    with pytest.raises(LimitError):
        text.locate(wilde00.parse("match(a)"))
