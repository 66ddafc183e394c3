"""POSIX basic regular expressions: compile, and find all matches."""

from __future__ import annotations

from permacite.errors import LimitError, ParseError
from permacite.fragments import bre

SEEDS = [
    b"\\(a*\\)*b\\1\x00aaabaa",
    b"[[:alpha:]][^]-]*\\{2,3\\}$\x00ab]-cd",
    b"^\\(ab\\{0,1\\}\\)\\{2,\\}\\(c\\)*\\2\x00ababcc",
    b"[[.a.]-[=c=]]\x00abc",
    b"a\\{1000\\}b\x00" + b"a" * 1100 + b"b",
    b"\\<a\\+\\|b\\?c\\>\\w\\W\\b\x00aa bc",
    b"x\\(.*y\\)\\{0,1\\}\x00" + b"x" * 300,
    b"\\(\\(a\\{99\\}\\)\\{99\\}\\)\\{99\\}\x00aaa",
]


def target(data: bytes) -> None:
    """`data`: an expression and a text, with a zero byte between; its length chooses the mode."""
    source, _, content = data.partition(b"\0")
    pattern, text = source.decode(errors="replace"), content.decode(errors="replace")
    newline, gnu = len(data) % 2 == 1, len(data) % 4 > 1
    try:
        found = bre.compile(pattern, newline=newline, gnu=gnu).find_all(text)
    except (ParseError, LimitError):
        return
    place = 0
    for start, end in found:
        if not place <= start < end <= len(text):
            raise AssertionError("matches are in order, apart, and not empty")
        place = end
