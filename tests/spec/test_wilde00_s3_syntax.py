"""draft-wilde-text-fragment-00 §3: the syntax, what is accepted and what is refused."""

from __future__ import annotations

import pytest

from permacite.errors import ParseError
from permacite.fragments import Text, wilde00
from permacite.fragments.wilde00 import Count, Match, parse

ACCEPTED = [
    # clause id, source, parts, canonical
    ("wilde00-b1-char", "char(100)", [Count("char", 100)], "char(100)"),
    ("wilde00-b1-line", "line(10,20)", [Count("line", 10, 20)], "line(10,20)"),
    ("wilde00-b1-match", "match(searchterm)", [Match("searchterm")], "match(searchterm)"),
    (
        "wilde00-b1-combined",
        "line(1)match(searchterm)",
        [Count("line", 1), Match("searchterm")],
        "line(1)match(searchterm)",
    ),
    ("wilde00-b2-leading-zeros", "char(007,08)", [Count("char", 7, 8)], "char(7,8)"),
    ("wilde00-b3-order", "char(2,2)", [Count("char", 2, 2, "order")], "char(2,2)"),
    ("wilde00-b4-zero", "line(0)", [Count("line", 0, None, "zero")], "line(0)"),
    ("wilde00-b8-example", "match(hello%5E()", [Match("hello(")], "match(hello%5E()"),
    ("wilde00-b8-balanced", "match(a(b(c)))", [Match("a(b(c))")], "match(a(b(c)))"),
    ("wilde00-b8-escapes", "match(^^a^)^()", [Match("^a)(")], "match(%5E%5Ea%5E)%5E()"),
    ("wilde00-b8-lone-caret", "match([^a])", [Match("[^a]")], "match(%5B%5E%5Ea%5D)"),
    ("wilde00-b8-left-to-right", "match(^^^))", [Match("^)")], "match(%5E%5E%5E))"),
    ("wilde00-b8-groups", r"match(\(a\))", [Match(r"\(a\)")], "match(%5C(a%5C))"),
    ("wilde00-b8-decoded-first", "match%28%E4%B8%AD%29", [Match("中")], "match(%E4%B8%AD)"),
    ("wilde00-b8-empty", "match()", [Match("")], "match()"),
]

REJECTED = [
    # clause id, source, offset of the first character that cannot be right
    ("wilde00-b13-empty", "", 0),
    ("wilde00-b13-unknown", "foo(1)", 0),
    ("wilde00-b13-upper-case", "Char(1)", 0),
    ("wilde00-b13-no-parenthesis", "char", 4),
    ("wilde00-b13-rfc5147-form", "char=1", 4),
    ("wilde00-b13-no-number", "char()", 5),
    ("wilde00-b13-no-second-number", "char(1,)", 7),
    ("wilde00-b13-three-numbers", "char(1,2,3)", 8),
    ("wilde00-b13-not-closed", "line(1", 6),
    ("wilde00-b13-separator", "char(1);char(2)", 7),
    ("wilde00-b13-white-space", "char(1) ", 7),
    ("wilde00-b8-not-balanced", "match(a(b)", 10),
    ("wilde00-b8-closed-too-often", "match(a))", 8),
    ("wilde00-b8-escaped-end", "match(a^)", 9),
    ("wilde00-b8-bad-escape", "match(%zz)", 6),
    ("wilde00-b8-not-utf-8", "match(a%E4%B8)", 7),
    ("wilde00-b13-offset-in-what-was-written", "char(%31)x", 9),
]


@pytest.mark.parametrize(
    ("source", "parts", "canonical"),
    [row[1:] for row in ACCEPTED],
    ids=[row[0] for row in ACCEPTED],
)
def test_accepts(source: str, parts: list[wilde00.Part], canonical: str) -> None:
    fragment = parse(source)
    assert list(fragment.parts) == parts
    assert str(fragment) == source
    assert fragment.canonical() == canonical
    assert list(parse(canonical).parts) == [
        part if isinstance(part, Match) else parse(str(part)).parts[0] for part in parts
    ]


@pytest.mark.parametrize(
    ("source", "offset"), [row[1:] for row in REJECTED], ids=[row[0] for row in REJECTED]
)
def test_rejects_at_the_right_place(source: str, offset: int) -> None:
    with pytest.raises(ParseError) as error:
        parse(source)
    assert (error.value.source, error.value.offset) == (source, offset)


def test_wilde00_b8_a_lone_caret_is_warned_of() -> None:
    assert len(parse("match(^a)").warnings) == 1
    assert parse("match(^^a^(^))").warnings == ()
    assert Text(b"a").locate(parse("match(^a)")).notes == parse("match(^a)").warnings


def test_wilde00_b3_numbers_of_any_size_are_compared() -> None:
    assert parse(f"char({'9' * 5000},{'9' * 5001})").parts[0] != parse("char(1)").parts[0]
    (part,) = parse(f"char({'9' * 5001},{'9' * 5000})").parts
    assert isinstance(part, Count)
    assert part.problem == "order"
