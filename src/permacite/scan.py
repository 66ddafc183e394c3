"""A cursor over one string: the one place that counts offsets for parsers.

An *offset* is an index into the text being parsed, in Unicode code points from 0. Parsers of the
grammar packages move a cursor and call `fail`, so that every ParseError points at the same thing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from permacite.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Cursor"]

_MAX_DIGITS = 4000
"""`int` refuses more than 4300 digits; a number this long exceeds every document there is."""


class Cursor:
    """A place in `source` that moves forward; `spec` is the rule named by errors."""

    __slots__ = ("offset", "source", "spec")

    def __init__(self, source: str, *, offset: int = 0, spec: str = "") -> None:
        self.source = source
        self.offset = offset
        self.spec = spec

    @property
    def at_end(self) -> bool:
        """Whether nothing is left."""
        return self.offset >= len(self.source)

    @property
    def rest(self) -> str:
        """What is left, as a copy."""
        return self.source[self.offset :]

    def peek(self) -> str:
        """Return the next character, or "" at the end."""
        return self.source[self.offset : self.offset + 1]

    def take(self, literal: str) -> bool:
        """Move past `literal` if it stands here, and say whether it did."""
        if not self.source.startswith(literal, self.offset):
            return False
        self.offset += len(literal)
        return True

    def expect(self, literal: str, problem: str = "") -> None:
        """Move past `literal`. Raises ParseError where it does not stand here."""
        if not self.take(literal):
            self.fail(problem or f"expected {literal!r}")

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Move past what `pattern` matches here and return it; None, unmoved, if it does not."""
        found = pattern.match(self.source, self.offset)
        if found is None:
            return None
        self.offset = found.end()
        return found.group()

    def take_while(self, wanted: Callable[[str], bool]) -> str:
        """Move past the longest run of characters that are `wanted` and return it."""
        start = self.offset
        while self.offset < len(self.source) and wanted(self.source[self.offset]):
            self.offset += 1
        return self.source[start : self.offset]

    def number(self) -> int | None:
        """Move past 1*DIGIT (ASCII only) and return its value; None where no digit stands.

        A run of more than 4,000 digits counts as the largest number of 4,000 digits.
        """
        digits = self.match(_DIGITS)
        if digits is None:
            return None
        return int(digits) if len(digits) <= _MAX_DIGITS else 10**_MAX_DIGITS - 1

    def expect_end(self, problem: str = "") -> None:
        """Raise ParseError unless the text ends here."""
        if not self.at_end:
            self.fail(problem or f"unexpected {self.peek()!r}")

    def fail(self, problem: str, *, at: int | None = None, spec: str | None = None) -> NoReturn:
        """Raise ParseError for `problem`, here or `at` another offset."""
        raise ParseError(
            problem,
            self.source,
            self.offset if at is None else at,
            self.spec if spec is None else spec,
        )


_DIGITS = re.compile(r"[0-9]+")
