"""RFC 5147 §3: the syntax of text/plain fragments, what is accepted and what is refused."""

from __future__ import annotations

import pytest

from permacite.errors import ParseError
from permacite.fragments import rfc5147
from permacite.fragments.rfc5147 import IntegrityCheck, TextFragment, parse

MD5 = "af80be2e6d697f29a9d85b87a4999206"

ACCEPTED = [
    # clause id, source, value
    ("rfc5147-a5-position", "char=100", TextFragment("char", 100, 100, "position")),
    ("rfc5147-a5-line-position", "line=0", TextFragment("line", 0, 0, "position")),
    ("rfc5147-a6-range", "line=10,20", TextFragment("line", 10, 20)),
    ("rfc5147-a6-open-start", "line=,1", TextFragment("line", None, 1)),
    ("rfc5147-a6-open-end", "char=5,", TextFragment("char", 5, None)),
    ("rfc5147-a6-empty-range", "char=5,5", TextFragment("char", 5, 5)),
    ("rfc5147-a14-leading-zeros", "char=007,08", TextFragment("char", 7, 8)),
    (
        "rfc5147-a19-charset",
        "line=10,20;length=9876,UTF-8",
        TextFragment("line", 10, 20, checks=(IntegrityCheck("length", "9876", "UTF-8"),)),
    ),
    (
        "rfc5147-a18-md5-any-case",
        f"char=0;md5={MD5.upper()}",
        TextFragment("char", 0, 0, "position", (IntegrityCheck("md5", MD5.upper()),)),
    ),
    (
        "rfc5147-a16-unknown-check",
        "char=1;crc32=a,b=c/?",
        TextFragment("char", 1, 1, "position", (IntegrityCheck("crc32", "a,b=c/?"),)),
    ),
    (
        "rfc5147-a16-case-makes-it-unknown",
        "char=1;MD5=zz;Length=",
        TextFragment(
            "char", 1, 1, "position", (IntegrityCheck("MD5", "zz"), IntegrityCheck("Length", ""))
        ),
    ),
    ("rfc5147-a23-encoded-digit", "char=%31", TextFragment("char", 1, 1, "position")),
    ("rfc5147-a23-encoded-letter", "%63har=1", TextFragment("char", 1, 1, "position")),
    (
        "rfc5147-a23-encoded-charset",
        "char=0;length=1,a%5Eb%25",
        TextFragment("char", 0, 0, "position", (IntegrityCheck("length", "1", "a^b%"),)),
    ),
    (
        "rfc5147-a23-encoded-value",
        "char=0;x=%2C%3B",
        TextFragment("char", 0, 0, "position", (IntegrityCheck("x", ",;"),)),
    ),
]

REJECTED = [
    # clause id, source, offset of the first character that cannot be right
    ("rfc5147-a15-empty", "", 0),
    ("rfc5147-a14-upper-case", "Char=1", 0),
    ("rfc5147-a15-no-equals", "char", 4),
    ("rfc5147-a15-no-number", "char=", 5),
    ("rfc5147-a15-draft-form", "char(1)", 4),
    ("rfc5147-a14-sign", "char=-1", 5),
    ("rfc5147-a14-fraction", "char=1.0", 6),
    ("rfc5147-a14-other-digits", "char=\u0663", 5),
    ("rfc5147-a6-comma-alone", "line=,", 6),
    ("rfc5147-a6-three-numbers", "line=1,2,3", 8),
    ("rfc5147-a15-check-alone", "length=13", 0),
    ("rfc5147-a23-space", "char= 1", 5),
    ("rfc5147-a23-trailing-space", "char=1,2 ", 8),
    ("rfc5147-a23-bad-escape", "char=%3", 5),
    ("rfc5147-a23-encoded-comma", "char=1%2C2", 6),
    ("rfc5147-a23-encoded-equals", "char%3D1", 4),
    ("rfc5147-a23-encoded-semicolon", "char=1%3Blength=13", 6),
    ("rfc5147-a16-empty-check", "char=1;", 7),
    ("rfc5147-a16-two-semicolons", "char=1;;length=1", 7),
    ("rfc5147-a16-no-name", "char=1;=5", 7),
    ("rfc5147-a16-no-equals", "char=1;length", 13),
    ("rfc5147-a16-bad-length", "char=1;length=x", 14),
    ("rfc5147-a16-length-ends", "char=1;length=13x", 16),
    ("rfc5147-a16-short-md5", "char=1;md5=123", 14),
    ("rfc5147-a16-long-md5", f"char=1;md5={MD5}0", 43),
    ("rfc5147-a16-bad-md5", "char=1;md5=g" + MD5[1:], 11),
    ("rfc5147-a19-empty-charset", "char=1;length=13,", 17),
    ("rfc5147-a19-dot", "char=1;length=13,ANSI_X3.4-1968", 24),
    ("rfc5147-a19-colon", "char=1;length=13,ISO_8859-1:1987", 27),
    ("rfc5147-a7-order", "char=99,50", 5),
    ("rfc5147-a7-order-of-huge-numbers", "char=" + "9" * 5001 + "," + "9" * 5000, 5),
]


@pytest.mark.parametrize(
    ("source", "value"), [row[1:] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED]
)
def test_accepts(source: str, value: TextFragment) -> None:
    assert parse(source) == value
    assert str(parse(source)) == source
    assert parse(parse(source).canonical()) == parse(str(value))


@pytest.mark.parametrize(
    ("source", "offset"), [row[1:] for row in REJECTED], ids=[row[0] for row in REJECTED]
)
def test_rejects_at_the_right_place(source: str, offset: int) -> None:
    with pytest.raises(ParseError) as error:
        parse(source)
    assert error.value.offset == offset
    assert error.value.source == source


def test_order_has_a_reason_of_its_own() -> None:
    with pytest.raises(ParseError) as error:
        parse("line=2,1")
    assert error.value.spec == rfc5147.ORDER


def test_numbers_of_any_size_are_numbers() -> None:
    assert parse("char=1," + "9" * 5000).end == 10**4000 - 1
    assert parse("char=" + "0" * 5000 + "7").start == 7


CANONICAL = [
    ("rfc5147-a14-zeros", "char=007", "char=7"),
    ("rfc5147-a18-hex", f"line=,1;md5={MD5.upper()},UTF-8", f"line=,1;md5={MD5},utf-8"),
    ("rfc5147-a23-escapes", "char=0;length=01,us%2Dascii%5E", "char=0;length=1,us-ascii%5E"),
]


@pytest.mark.parametrize(
    ("source", "canonical"), [row[1:] for row in CANONICAL], ids=[row[0] for row in CANONICAL]
)
def test_canonical(source: str, canonical: str) -> None:
    assert parse(source).canonical() == canonical
    assert parse(canonical).canonical() == canonical


@pytest.mark.parametrize(
    ("start", "end", "kind"), [(None, None, "range"), (2, 1, "range"), (1, 2, "position")]
)
def test_values_are_checked_too(start: int | None, end: int | None, kind: rfc5147.Kind) -> None:
    with pytest.raises(ValueError, match=r"range|position"):
        TextFragment("char", start, end, kind)
