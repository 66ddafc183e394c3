"""RFC 5147 §2.3, §3.1 and §4: order, integrity checks and syntax errors, as they are processed."""

from __future__ import annotations

import hashlib

import pytest

from permacite.errors import IntegrityError, ParseError
from permacite.fragments import Text

THREE = b"one\r\ntwo\r\nthree"
MD5 = hashlib.md5(THREE, usedforsecurity=False).hexdigest()
WRONG = "0" * 32

IGNORED = [
    # clause id, fragment, reason
    ("rfc5147-a7-order", "char=5,4", "order"),
    ("rfc5147-a7-before-clamping", "char=99,50", "order"),
    ("rfc5147-a7-lines", "line=2,1;length=13", "order"),
    ("rfc5147-a15-syntax", "char=", "syntax"),
    ("rfc5147-a15-is-not-mended", "char=1 ", "syntax"),
    ("rfc5147-a15-before-order", "char=9,1;;", "syntax"),
    ("rfc5147-a16-malformed-check", "char=1;md5=1", "syntax"),
    ("rfc5147-a21-length", "char=0,3;length=12", "integrity"),
    ("rfc5147-a21-one-of-two", f"char=0,3;length=13;md5={WRONG}", "integrity"),
    ("rfc5147-a21-last-of-many", f"char=0,3;x=y;md5={MD5},us-ascii;length=1", "integrity"),
]


@pytest.mark.parametrize(
    ("fragment", "reason"), [row[1:] for row in IGNORED], ids=[row[0] for row in IGNORED]
)
def test_ignored(fragment: str, reason: str) -> None:
    location = Text(THREE).locate(fragment)
    assert (location.status, location.reason, location.spans) == ("ignored", reason, ())
    assert location.problem
    with pytest.raises((ParseError, IntegrityError)):
        Text(THREE).excerpt(fragment)


CHECKED = [
    # clause id, checks, results
    ("rfc5147-a16-unknown", "crc32=", ["unknown"]),
    ("rfc5147-a16-case-sensitive", f"MD5={WRONG};Length=1", ["unknown", "unknown"]),
    ("rfc5147-a17-length", "length=13", ["ok"]),
    ("rfc5147-a17-leading-zeros", "length=0013", ["ok"]),
    ("rfc5147-a18-md5", f"md5={MD5}", ["ok"]),
    ("rfc5147-a18-any-case", f"md5={MD5.upper()}", ["ok"]),
    ("rfc5147-a19-same-charset", "length=13,us-ascii", ["ok"]),
    ("rfc5147-a20-alias", "length=13,ISO646-US", ["ok"]),
    ("rfc5147-a20-encoded", "length=13,us%2Dascii", ["ok"]),
    ("rfc5147-a20-other", "length=99,UTF-8", ["other-charset"]),
    ("rfc5147-a20-other-md5", f"md5={WRONG},UTF-8", ["other-charset"]),
    ("rfc5147-a20-unheard-of", "length=99,x-none", ["other-charset"]),
    ("rfc5147-a21-all", f"length=13;md5={MD5};a=b", ["ok", "ok", "unknown"]),
]


@pytest.mark.parametrize(
    ("checks", "results"), [row[1:] for row in CHECKED], ids=[row[0] for row in CHECKED]
)
def test_checks_that_accept_the_fragment(checks: str, results: list[str]) -> None:
    location = Text(THREE).locate(f"char=0,3;{checks}")
    assert location.status == "ok"
    assert [check.result for check in location.checks] == results
    assert location.spans[0].char == (0, 3)


def test_rfc5147_a17_length_counts_as_positions_do() -> None:
    assert Text("\ufeffé\r\n😀".encode(), "utf-8").length == 3
    assert Text(b"a\r\nb\nc", line_endings="mime").length == 5
    assert Text(b"").length == 0


def test_rfc5147_a18_md5_covers_mark_and_endings() -> None:
    content = b"\xef\xbb\xbfa\r\nb"
    assert Text(content, "utf-8").md5 == hashlib.md5(content, usedforsecurity=False).hexdigest()


APART = [
    ("rfc5147-a20-latin1", "iso-8859-1", "windows-1252"),
    ("rfc5147-a20-ascii", "us-ascii", "utf-8"),
    ("rfc5147-a20-shift-jis", "shift_jis", "windows-31j"),
    ("rfc5147-a20-korean", "euc-kr", "ks_c_5601-1987"),
    ("rfc5147-a20-byte-order", "utf-16", "utf-16le"),
]


@pytest.mark.parametrize(
    ("mine", "other"), [row[1:] for row in APART], ids=[row[0] for row in APART]
)
def test_charsets_that_are_not_equal(mine: str, other: str) -> None:
    (check,) = Text(b"", mine).locate(f"char=0;length=5,{other}").checks
    assert check.result == "other-charset"


def test_rfc5147_a21_the_caller_may_override() -> None:
    text = Text(THREE)
    fragment = f"char=0,3;md5={WRONG}"
    forced = text.locate(fragment, force=True)
    assert (forced.status, forced.notes) == ("ok", ("forced",))
    assert forced.checks[0].result == "failed"
    assert text.excerpt(fragment, force=True) == "one"
    unchecked = text.locate(fragment, check=False)
    assert (unchecked.status, unchecked.checks[0].result) == ("ok", "not-run")
    with pytest.raises(IntegrityError) as error:
        text.excerpt(fragment)
    assert (error.value.expected, error.value.actual) == (WRONG, MD5)


def test_rfc5147_a22_a_position_differs_from_a_range() -> None:
    text = Text(THREE)
    kinds = [text.locate(fragment).kind for fragment in ("char=3", "char=3,3", "line=1", "line=1,")]
    assert kinds == ["position", "range", "position", "range"]


def test_cite_makes_fragments_that_check() -> None:
    text = Text(THREE)
    assert str(text.cite(0, 3)) == f"char=0,3;length=13,us-ascii;md5={MD5},us-ascii"
    assert str(text.cite(4, checks=())) == "char=4"
    assert str(text.cite(1, 2, ["length"], scheme="line")) == "line=1,2;length=13,us-ascii"
    assert str(Text(b"", "ANSI_X3.4-1968").cite(0, checks=["length"])) == "char=0;length=0"


def test_cite_refuses_what_is_not_there() -> None:
    for start, end in ((0, 14), (3, 2), (-1, 0), (14, None)):
        with pytest.raises(ParseError):
            Text(THREE).cite(start, end)
    with pytest.raises(ValueError, match="checks"):
        Text(THREE).cite(0, 1, ["sha256"])
    with pytest.raises(ValueError, match="backwards"):
        Text(THREE).span(2, 1)
    with pytest.raises(ValueError, match="negative"):
        Text(THREE).place("char", -1)
