"""Bracket expressions in the POSIX locale (XBD §9.3.5): classes are ASCII, order is by code point.

Deviations: none.

Readings:
- The collating elements of the POSIX locale are the characters; a name of several characters, as
  in `[.hyphen.]`, is none of them, and an error.
- An equivalence class holds its one character.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias

    from permacite.scan import Cursor

__all__ = ["WORD", "Ranges", "bracket_expression", "complement", "normalized"]

Ranges: TypeAlias = "tuple[tuple[int, int], ...]"
"""Code points, first and last of each range, in order and apart."""

WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
"""The characters of words, as GNU has them: letters, digits and the low line."""

_ASCII = [chr(code) for code in range(128)]

_TESTS = {
    "alpha": r"[A-Za-z]",
    "digit": r"[0-9]",
    "alnum": r"[A-Za-z0-9]",
    "upper": r"[A-Z]",
    "lower": r"[a-z]",
    "space": r"[\t-\r ]",
    "blank": r"[\t ]",
    "punct": r"[!-/:-@\[-`{-~]",
    "print": r"[ -~]",
    "graph": r"[!-~]",
    "cntrl": r"[\x00-\x1f\x7f]",
    "xdigit": r"[0-9A-Fa-f]",
}

_CLASSES = {
    name: [(ord(c), ord(c)) for c in _ASCII if re.fullmatch(test, c)]
    for name, test in _TESTS.items()
}

_SPEC = "XBD §9.3.5"


def bracket_expression(cursor: Cursor, *, newline: bool) -> Ranges:
    """Parse what stands after `[`, up to its `]` (XBD §9.3.5).

    In `newline` mode, a list that begins with `^` does not match a newline.
    """
    opened = cursor.offset - 1
    others = cursor.take("^")
    found: list[tuple[int, int]] = []
    first = True
    while first or not cursor.take("]"):
        _must_go_on(cursor, opened)
        found += _expression_term(cursor, opened, first=first)
        first = False
    if not others:
        return normalized(found)
    return complement(normalized([*found, (10, 10)] if newline else found))


def _must_go_on(cursor: Cursor, opened: int) -> None:
    if cursor.at_end:
        cursor.fail("expected ']' for this '['", at=opened, spec=_SPEC)


def _expression_term(cursor: Cursor, opened: int, *, first: bool) -> list[tuple[int, int]]:
    """single_expression / range_expression   (XBD §9.5.2)."""
    start = cursor.offset
    if cursor.take("[:"):
        members = _CLASSES.get(_name(cursor, ":]", opened))
        if members is None:
            cursor.fail("expected the name of a character class", at=start + 2, spec=_SPEC)
        _refuse_range(cursor)
        return members
    if cursor.take("[="):
        low = _element(cursor, "=]", opened)
        _refuse_range(cursor)
        return [(low, low)]
    if cursor.peek() == "-" and not first and not cursor.source.startswith("-]", cursor.offset):
        cursor.fail("'-' is a member only first or last", spec=_SPEC)
    low = _end_of_range(cursor, opened)
    if not _is_range(cursor):
        return [(low, low)]
    cursor.take("-")
    _must_go_on(cursor, opened)
    high = _end_of_range(cursor, opened)
    if high < low:
        cursor.fail("the range ends before it begins", at=start, spec=_SPEC)
    return [(low, high)]


def _is_range(cursor: Cursor) -> bool:
    """Whether a `-` stands here that is not the last member."""
    return cursor.peek() == "-" and not cursor.source.startswith("-]", cursor.offset)


def _refuse_range(cursor: Cursor) -> None:
    if _is_range(cursor):
        cursor.fail("a class begins no range", spec=_SPEC)


def _end_of_range(cursor: Cursor, opened: int) -> int:
    """Parse a character, or a collating symbol `[.x.]`, and return its code point."""
    start = cursor.offset
    if cursor.take("[."):
        return _element(cursor, ".]", opened)
    if cursor.source.startswith(("[=", "[:"), start):
        cursor.fail("a class ends no range", spec=_SPEC)
    cursor.offset += 1
    return ord(cursor.source[start])


def _element(cursor: Cursor, closing: str, opened: int) -> int:
    """Parse the collating element of a symbol or an equivalence class."""
    start = cursor.offset
    name = _name(cursor, closing, opened)
    if len(name) != 1:
        cursor.fail("expected one character", at=start, spec=_SPEC)
    return ord(name)


def _name(cursor: Cursor, closing: str, opened: int) -> str:
    """Parse what stands before `closing`, at least one character."""
    start = cursor.offset
    end = cursor.source.find(closing, start + 1)
    if end < 0:
        cursor.fail(f"expected {closing!r} for this '['", at=opened, spec=_SPEC)
    cursor.offset = end + len(closing)
    return cursor.source[start:end]


def normalized(ranges: list[tuple[int, int]]) -> Ranges:
    """Sort ranges and join those that meet."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return tuple(joined)


def complement(ranges: Ranges) -> Ranges:
    """Return all code points that are in none of the ranges."""
    found = []
    start = 0
    for low, high in ranges:
        if start < low:
            found.append((start, low - 1))
        start = high + 1
    if start <= sys.maxunicode:
        found.append((start, sys.maxunicode))
    return tuple(found)
