"""POSIX basic regular expressions (XBD §9.3), as draft-wilde-text-fragment-00 §2.1.5 uses them."""

from __future__ import annotations

import re
import sys

import pytest

from permacite.errors import LimitError, ParseError, PermaciteError
from permacite.fragments import bre
from permacite.fragments.bre import emit
from permacite.fragments.bre.syntax import parse

MATCHED = [
    # clause id, expression, text, the words that match
    ("wilde00-b9-leftmost-longest", r"\(a\{0,1\}b\)*", "aabab", ["abab"]),
    ("wilde00-b9-longest-of-two-ways", r"a\{0,1\}\(ab\)\{0,1\}", "xab", ["ab"]),
    ("wilde00-b9-no-overlap", "aba", "ababa", ["aba"]),
    ("wilde00-b9-no-empty-match", "b*", "abba", ["bb"]),
    ("wilde00-b9-nothing-at-all", "", "abc", []),
    ("wilde00-b9-ordinary-characters", "a+b?|c{1}(d)", "a+b?|c{1}(d)", ["a+b?|c{1}(d)"]),
    ("wilde00-b9-period", "a.c", "abc a\nc a😀c", ["abc", "a\nc", "a😀c"]),
    ("wilde00-b9-star-at-the-start", "*a", "a*a", ["*a"]),
    ("wilde00-b9-star-in-a-group", r"\(*a\)", "*a", ["*a"]),
    ("wilde00-b9-star-after-the-anchor", "^*a", "*a", ["*a"]),
    ("wilde00-b9-star-repeated", "**", "a**", ["**"]),
    ("wilde00-b9-escaped-specials", r"\.\*\[\]\^\$\\", r".*[]^$" + "\\", [r".*[]^$" + "\\"]),
    ("wilde00-b9-escaped-others", r"\a\-\/\}", "a-/}", ["a-/}"]),
    ("wilde00-b9-interval", r"a\{2\}", "aaaaa", ["aa", "aa"]),
    ("wilde00-b9-interval-open", r"a\{2,\}", "a aaa", ["aaa"]),
    ("wilde00-b9-interval-from-nothing", r"xa\{,2\}", "xaaa", ["xaa"]),
    ("wilde00-b9-interval-zero", r"a\{0\}b", "aab", ["b"]),
    ("wilde00-b9-interval-of-a-group", r"\(ab\)\{2,3\}", "ababababab", ["ababab", "abab"]),
    ("wilde00-b9-great-interval", r"a\{1500\}", "a" * 3200, ["a" * 1500] * 2),
    (
        "wilde00-b9-nested-intervals",
        r"\(\(ab\)\{50\}\)\{2,30\}c",
        "ab" * 100 + "c",
        ["ab" * 100 + "c"],
    ),
    ("wilde00-b9-greatest-interval", r"a\{1,32767\}", "a b aa", ["a", "aa"]),
    ("wilde00-b9-great-interval-of-any-number", r"a\{0,1500\}b", "aab b", ["aab", "b"]),
    ("wilde00-b9-great-open-interval", r"a\{1500,\}", "a" * 1600 + "b", ["a" * 1600]),
    ("wilde00-b9-group", r"\(ab\)*c", "ababc", ["ababc"]),
    ("wilde00-b9-empty-group", r"a\(\)b", "ab", ["ab"]),
    ("wilde00-b9-back-reference", r"\(.\)\1", "abba noon", ["bb", "oo"]),
    ("wilde00-b9-back-reference-longest", r"\(a*\)\1", "aaaaa", ["aaaa"]),
    ("wilde00-b9-back-reference-any-way", r"\(a*\)b\1", "aabab", ["aba", "b"]),
    ("wilde00-b9-back-reference-unset", r"\(a\)*b\1", "b ab aba", ["aba"]),
    ("wilde00-b9-back-reference-kept", r"\(\(a\)*b\)*\2c", "abbac", ["abbac"]),
    ("wilde00-b9-back-reference-to-a-line", "^\\(.*\\)\n\\1$", "ab\nab", ["ab\nab"]),
    ("wilde00-b9-two-references", r"\(.\)\(.\)\2\1", "noon abba", ["noon", "abba"]),
    ("wilde00-b9-reference-in-an-interval", r"\(a\)\(\1b\)\{2\}", "aabab", ["aabab"]),
    (
        "wilde00-b9-long-reference",
        r"\(a\{70\}\)b\1",
        "a" * 70 + "b" + "a" * 70,
        ["a" * 70 + "b" + "a" * 70],
    ),
    ("wilde00-b10-dollar-in-the-middle", "a$b", "a$b", ["a$b"]),
    ("wilde00-b10-caret-in-the-middle", "a^b", "a^b", ["a^b"]),
    ("wilde00-b10-second-caret", "^^a", "^a", ["^a"]),
    ("wilde00-b10-anchor-in-a-group", r"\(^a\)b", "abab", ["ab"]),
    ("wilde00-b10-dollar-in-a-group", r"a\(b$\)", "abab", ["ab"]),
    ("wilde00-b10-reference-to-an-anchored-group", r"\(^a\)\1", "aabc", ["aa"]),
    ("wilde00-b10-reference-to-an-inner-anchor", r"\(\(^a\)b\)\2\1", "abaabab", ["abaab"]),
    ("wilde00-b10-reference-after-the-end", r"\(a$\)\1", "bcaa", []),
    ("wilde00-b10-whole-text", "^a.*b$", "a\nb", ["a\nb"]),
    ("wilde00-b10-not-at-lines", "^b", "a\nb", []),
    ("wilde00-b10-others-match-newline", "[^a]", "a\nb", ["\n", "b"]),
    ("wilde00-b11-class", "[[:digit:][:upper:]]*", "aB1é٣", ["B1"]),
    (
        "wilde00-b11-all-classes",
        "[[:alpha:]][[:alnum:]][[:lower:]][[:space:]][[:blank:]][[:punct:]]",
        "aza\n\t~",
        ["aza\n\t~"],
    ),
    (
        "wilde00-b11-more-classes",
        "[[:print:]][[:graph:]][[:cntrl:]][[:xdigit:]]",
        " ~\x7ff",
        [" ~\x7ff"],
    ),
    ("wilde00-b11-range-by-code-point", "[Z-b]*", "XYZ_ab", ["Z_ab"]),
    ("wilde00-b11-range-beyond-ascii", "[ж-я]*", "aжщя", ["жщя"]),
    ("wilde00-b11-equivalence-class", "[[=a=]b]", "ba", ["b", "a"]),
    ("wilde00-b11-collating-symbol", "[[.a.]-[.c.]]*", "dcbad", ["cba"]),
    ("wilde00-b11-bracket-first", "[]a]*", "a]b", ["a]"]),
    ("wilde00-b11-bracket-first-of-others", "[^]a]", "a]b", ["b"]),
    ("wilde00-b11-hyphen-first", "[-a]*", "-a-", ["-a-"]),
    ("wilde00-b11-hyphen-last", "[a-]*", "-a-", ["-a-"]),
    ("wilde00-b11-hyphen-as-an-end", "[%--]*", "%&-.", ["%&-"]),
    ("wilde00-b11-hyphen-as-a-symbol", "[[.-.]a]*", "-a", ["-a"]),
    ("wilde00-b11-caret-not-first", "[x^]", "^", ["^"]),
    ("wilde00-b11-backslash-is-ordinary", r"[\n]*", "\\n\n", ["\\n"]),
    ("wilde00-b11-others-of-everything", "[^\x00-\U0010ffff]", "ab", []),
    ("wilde00-b11-astral", "[😀]", "😀x😀", ["😀", "😀"]),
    ("wilde00-b11-lone-surrogates", "a.b", "a\ud800b", ["a\ud800b"]),
]

LINES = [
    # clause id, expression, text, matches in newline mode
    ("wilde00-b10-anchors-at-lines", "^b$", "a\nb\nc", ["b"]),
    ("wilde00-b10-period-is-no-newline", "a.*", "ab\nac", ["ab", "ac"]),
    ("wilde00-b10-others-are-no-newline", "[^b]*", "a\nc", ["a", "c"]),
    ("wilde00-b10-classes-match-newline", "[[:space:]]", "a\nb", ["\n"]),
    ("wilde00-b10-newline-itself", "a\nb", "a\nb", ["a\nb"]),
    ("wilde00-b10-reference-to-a-line-anchor", "\\(^a\\)\n\\1\\1", "b\na\naa", ["a\naa"]),
    ("wilde00-b10-back-reference-in-lines", "^\\(.\\)\\1$", "aa\nab\nbb", ["aa", "bb"]),
]

GNU = [
    (r"a\+b", "aab", ["aab"]),
    (r"a\?b", "ab b", ["ab", "b"]),
    (r"a\|bc", "abc", ["a", "bc"]),
    (r"\(a\|ab\)\(c\|bcd\)", "abcd", ["abcd"]),
    (r"\w*", "a_1-é", ["a_1"]),
    (r"\W", "a é", [" ", "é"]),
    (r"\S\s", "a b", ["a "]),
    (r"\bb", "ab b", ["b"]),
    (r"\Bb", "ab b", ["b"]),
    (r"\<b\w*\>", "ab bc", ["bc"]),
    (r"\<.", "ab .c", ["a", "c"]),
    (r".\>", "ab.", ["b"]),
    (r"\`a", "aa", ["a"]),
    (r"a\'", "aa", ["a"]),
    (r"\<\(.\)\1", "xaa aa", ["aa"]),
    (r"a*\?", "aa", ["aa"]),
    (r"\+a", "+a", ["+a"]),
    (r"a\|", "a", ["a"]),
]

REJECTED = [
    # clause id, expression, offset of what cannot be right
    ("wilde00-b12-open-bracket", "a[b", 1),
    ("wilde00-b12-empty-bracket", "[]", 0),
    ("wilde00-b12-open-class", "[[:alpha:]", 0),
    ("wilde00-b12-unknown-class", "[[:nope:]]", 3),
    ("wilde00-b12-no-collating-element", "[[.nope.]]", 3),
    ("wilde00-b12-open-symbol", "[[.a]", 0),
    ("wilde00-b12-no-equivalence-class", "[[=ab=]]", 3),
    ("wilde00-b12-class-as-a-start", "[[:alpha:]-z]", 10),
    ("wilde00-b12-equivalence-as-a-start", "[[=a=]-c]", 6),
    ("wilde00-b12-class-as-an-end", "[a-[:digit:]]", 3),
    ("wilde00-b12-backwards-range", "[z-a]", 1),
    ("wilde00-b12-range-after-a-range", "[a-c-e]", 4),
    ("wilde00-b12-range-cut-off", "[a-", 0),
    ("wilde00-b12-open-group", r"a\(b", 1),
    ("wilde00-b12-closed-group", r"ab\)", 2),
    ("wilde00-b12-open-interval", r"a\{2", 4),
    ("wilde00-b12-empty-interval", r"a\{\}", 3),
    ("wilde00-b12-backwards-interval", r"a\{2,1\}", 3),
    ("wilde00-b12-three-numbers", r"a\{1,2,3\}", 6),
    ("wilde00-b12-interval-of-letters", r"a\{x\}", 3),
    ("wilde00-b12-too-great", r"a\{32768\}", 3),
    ("wilde00-b12-interval-of-nothing", r"\{2\}", 0),
    ("wilde00-b12-interval-of-an-anchor", r"^\{2\}", 1),
    ("wilde00-b12-repeated-twice", "ab**", 3),
    ("wilde00-b12-interval-repeated", r"a\{1\}\{2\}", 6),
    ("wilde00-b12-trailing-backslash", "a\\", 2),
    ("wilde00-b12-no-such-group", r"\(a\)\2", 5),
    ("wilde00-b12-open-group-referred-to", r"\(a\1\)", 3),
    ("wilde00-b12-gnu-operator", r"a\+", 1),
]


EMPTY_WAYS = [
    # expressions that match the empty text in many ways, and what else they match
    (r"a*" * 60, "baab", ["aa"]),
    (r"\(^a*\)*b*", "aab b", ["aab", "b"]),
    (r"\(^\)\{0,1\}\(a*\)", "ab a", ["a", "a"]),
    (r"^*\(^\)*", "**", ["*"]),
    (r"\(a*b*\)\{2,4\}", "abab c", ["abab"]),
    (r"\(\)\{3\}", "abc", []),
    (r"\(a$\)*b*", "ba", ["b", "a"]),
    ("x[ab]*" * 30 + "\\(.*c\\)*", "xa" * 30 + "c", ["xa" * 30 + "c"]),
]


@pytest.mark.parametrize(("pattern", "text", "found"), EMPTY_WAYS)
def test_empty_ways_are_left_out(pattern: str, text: str, found: list[str]) -> None:
    assert words(bre.compile(pattern), text) == found


def test_a_choice_may_hold_back_references() -> None:
    pattern = bre.compile(r"\(a\|b*\)c\1\|\<x\(y\)*\2\|z$", gnu=True)
    assert words(pattern, "aca bbcbb xyy z\nz") == ["aca", "bbcbb", "xyy", "z"]


def test_what_reads_on_in_parts_is_let_pass() -> None:
    text = "ab " * 100_000
    for source in (r"a[a-z]*", r"\(a[a-z]*\)\{1,\}", "a[a-z]*b*" * 30 + "[a-z]*"):
        assert len(bre.compile(source).find_all(text)) in {0, 100_000}
    assert len(bre.compile(r"\(a.*c\|a\|ab*\)", gnu=True).find_all("ab " * 2000)) == 2000


def test_without_the_library_that_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    pattern = bre.compile("only here[0-9]")
    with pytest.raises(PermaciteError, match=r"permacite\[match\]"):
        pattern.find_all("only here1")
    assert bre.compile("a literal").find_all("a literal") == [(0, 9)]


def words(pattern: bre.Pattern, text: str) -> list[str]:
    return [text[start:end] for start, end in pattern.find_all(text)]


@pytest.mark.parametrize(
    ("pattern", "text", "found"), [row[1:] for row in MATCHED], ids=[row[0] for row in MATCHED]
)
def test_matches(pattern: str, text: str, found: list[str]) -> None:
    compiled = bre.compile(pattern)
    assert str(compiled) == pattern
    assert words(compiled, text) == found


@pytest.mark.parametrize(
    ("pattern", "text", "found"), [row[1:] for row in LINES], ids=[row[0] for row in LINES]
)
def test_newline_mode(pattern: str, text: str, found: list[str]) -> None:
    assert words(bre.compile(pattern, newline=True), text) == found


@pytest.mark.parametrize(("pattern", "text", "found"), GNU)
def test_gnu_operators_are_asked_for(pattern: str, text: str, found: list[str]) -> None:
    assert words(bre.compile(pattern, gnu=True), text) == found
    with pytest.raises(ParseError):
        bre.compile(pattern)


@pytest.mark.parametrize(
    ("pattern", "offset"), [row[1:] for row in REJECTED], ids=[row[0] for row in REJECTED]
)
def test_rejects_at_the_right_place(pattern: str, offset: int) -> None:
    with pytest.raises(ParseError) as error:
        bre.compile(pattern)
    assert (error.value.source, error.value.offset) == (pattern, offset)


LONG = "a" * 1_000_000

LIMITED = [
    # clause id, expression, text: each ends soon, with a limit or with an answer
    ("wilde00-b12-too-long", LONG, "a"),
    ("wilde00-b12-too-deep", r"\(" * 5000 + r"\)" * 5000, "a"),
    ("wilde00-b12-too-many-copies", r"\(\(\(a\{999\}\)\{999\}\)\{999\}\)\{999\}", "a"),
    ("wilde00-b12-too-large-for-memory", r"\(\(\(.[é-中]\{100\}\)\{100\}\)\{100\}\)", "a"),
    ("wilde00-b12-too-many-steps-to-compile", r"\(a\{0,1000\}\)\{0,1000\}", "a"),
    ("wilde00-b12-too-large-for-the-text", r"\(a\{100\}\)\{100\}", LONG),
    ("wilde00-b12-reads-on-and-on", r"a\(.*b\)\{0,1\}", LONG),
    ("wilde00-b12-reads-on-before", r"\(x.*y\)\{0,1\}a\(x.*y\)\{0,1\}", "xa" * 300_000),
    ("wilde00-b12-too-many-ways", r"\(a*\)*\(a*\)*\1\2b", "a" * 3000 + "b" + "a" * 99),
    ("wilde00-b12-too-many-steps", r"\(a\)\(\(b\{900\}\)\{900\}\1\)", "ab"),
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("pattern", "text"), [row[1:] for row in LIMITED], ids=[row[0] for row in LIMITED]
)
def test_limits_are_errors(pattern: str, text: str) -> None:
    with pytest.raises(LimitError):
        bre.compile(pattern).find_all(text)


QUICK = [
    (r"\(a\{1,32767\}b\)*", "aab" * 300, 1),
    (r"a\{1,32767\}b\{1,32767\}", "aab" * 300, 300),
    (r"\(a\{0,3\}\)\{0,30000\}b", "aab" * 30, 30),
    (r"\(a\)\(" + r"\1" * 300 + r"\)\(" + r"\2" * 300 + r"\)\3", LONG[:1000], 0),
    (r"\(a*\)*b", LONG, 0),
    (r"\(a*\)*\1b", LONG, 0),
    (r"\(a\{0,30\}\)\{0,30\}a\{30\}b", LONG[:100_000], 0),
    ("a*" * 500 + "b", LONG[:50_000], 0),
    ("[ab]*a[ab]\\{12\\}c", "ab" * 100_000, 0),
    ("a" * 10_000, LONG, 100),
    ("[^b]*b", LONG, 0),
]


GREAT = [999, 1000, 1001, 1499, 1500, 1998, 1999, 2000, 2500, 32766, 32767]


@pytest.mark.parametrize("number", GREAT)
def test_great_intervals_leave_no_number_out(number: int) -> None:
    """wilde00-b9: they are written in blocks, whose edges are tried here by another engine."""
    written = re.compile(emit(parse(rf"a\{{3,{number}\}}")) or "")
    counts = {0, 2, 3, 4, 502, 503, 504, 999, 1000, 1001, number - 1, number, number + 1}
    found = {count for count in counts if written.fullmatch("a" * count)}
    assert found == {count for count in counts if 3 <= count <= number}


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("pattern", "text", "count"), QUICK)
def test_hard_expressions_end_soon(pattern: str, text: str, count: int) -> None:
    assert len(bre.compile(pattern).find_all(text)) == count


def test_matches_in_bytes_are_those_in_characters() -> None:
    text = "naïve 中文 中文"
    data = text.encode()
    for source in ("中文", "[ï文]", r"\(.\)文 \1"):
        pattern = bre.compile(source)
        spans = [
            (len(data[:start].decode()), len(data[:end].decode()))
            for start, end in pattern.find_in_utf8(data)
        ]
        assert spans == pattern.find_all(text)
