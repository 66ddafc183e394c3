"""JSON in one form only (RFC 8785): the numbers and the sorting of its own examples."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from permacite.archive.canonical_json import canonical_json

if TYPE_CHECKING:
    from permacite.archive.model.answered import JSON

# RFC 8785 App. B: the bits of a double, and what stands for it.
NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "text"), NUMBERS)
def test_numbers_are_those_of_the_appendix(bits: str, text: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical_json(number) == text.encode()


def test_names_are_sorted_by_utf_16_code_units() -> None:
    value = {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\x80": 6, "\xf6": 7}
    order = [int(chr(octet)) for octet in canonical_json(value) if chr(octet) in "1234567"]
    # "1" stands twice: as a name and as a number.
    assert order == [2, 1, 4, 6, 7, 1, 5, 3]


def test_strings_are_escaped_as_little_as_can_be() -> None:
    text = '\u20ac$\x0f\nA\'B"\\\\"/\x7f\u2028'
    written = '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\x7f\u2028"'
    assert canonical_json(text) == written.encode()


def test_literals_and_nesting() -> None:
    value: JSON = {"b": [True, False, None, [], {}], "a": ("x", 1)}
    assert canonical_json(value) == b'{"a":["x",1],"b":[true,false,null,[],{}]}'


def nested(depth: int) -> JSON:
    """Return an array in an array in an array."""
    value: JSON = []
    for _ in range(depth):
        value = [value]
    return value


REFUSED = [
    ("not-a-number", float("nan")),
    ("infinity", float("-inf")),
    ("integer-beyond-2**53", 2**53 + 1),
    ("lone-surrogate", "\ud800"),
    ("lone-surrogate-in-a-name", {"\ud800": 1}),
    ("too-deep", nested(200)),
    ("octets", b"x"),
    ("a-set", {1}),
    ("a-name-that-is-a-number", {1: "x"}),
]


@pytest.mark.parametrize("value", [row[1] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_json_cannot_say_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        canonical_json(value)  # type: ignore[arg-type]
