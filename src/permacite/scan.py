"""Scanner of all parsers: a cursor that counts offsets, and patterns that any Python runs.

An *offset* is an index into the text being parsed, in Unicode code points from 0. Parsers of the
grammar packages move a cursor and call `fail`, so that every ParseError points at the same thing.

Patterns use possessive quantifiers, so that no input makes them slow. Python before 3.11.5 goes
wrong where one stands behind a group: it takes what a failed round of the group had matched.
`compile_pattern` therefore writes `(?:...)*+` as `(?>(?:...)*)` there, which means the same.
Patterns are compiled when they are first used: a program that starts uses few of them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import AnyStr, Generic, NoReturn, cast

from permacite.errors import ParseError

__all__ = ["Cursor", "atomic", "compile_pattern"]


def compile_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A regular expression; every pattern of permacite is made here.

    It is compiled at its first use, which raises re.error as `re.compile` does. Verbose patterns
    (`re.VERBOSE`) are not for this.
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(pattern, flags))


_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")


class _LazyPattern(Generic[AnyStr]):
    """A pattern that is compiled at its first use, and whose methods then are the compiled one's.

    They are in slots, where the interpreter finds them as fast as those of `re.Pattern`.
    """

    __slots__ = ("_flags", "pattern", *_METHODS)

    pattern: AnyStr

    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        """What a compiled pattern has under `name`. Called until the slots are filled."""
        compiled = _compiled(self.pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def _compiled(pattern: AnyStr, flags: int) -> re.Pattern[AnyStr]:
    if _is_sound():
        return re.compile(pattern, flags)
    if isinstance(pattern, bytes):
        text = atomic(pattern.decode("latin-1")).encode("latin-1")
        return re.compile(text, flags)
    return re.compile(atomic(pattern), flags)


@cache
def _is_sound() -> bool:
    """Whether this Python runs possessive groups as it should."""
    return re.compile("(?:ab?c)*+").match("aca").span() == (0, 2)  # type: ignore[union-attr]


_POSSESSIVE = r"([*+?]|\{[0-9]*,?[0-9]*\})\+"
_CLASS = r"\[\^?\]?(?:[^\]\\]|\\[\s\S])*\]"


def atomic(pattern: str) -> str:
    """A pattern with every possessive group written as an atomic group."""
    written: list[str] = []
    opened: list[int] = []
    offset = 0
    while offset < len(pattern):
        piece = _piece(pattern, offset)
        offset += len(piece)
        if piece == "(":
            opened.append(len(written))
        elif piece == ")" and opened:
            start = opened.pop()
            quantifier = re.compile(_POSSESSIVE).match(pattern, offset)
            if quantifier is not None:
                offset = quantifier.end()
                written[start] = f"(?>{written[start]}"
                piece = f"){quantifier[1]})"
        written.append(piece)
    return "".join(written)


def _piece(pattern: str, offset: int) -> str:
    """The token at `offset`: a character class, an escape, or one character."""
    if pattern[offset] == "[":
        listed = re.compile(_CLASS).match(pattern, offset)
        if listed is not None:
            return listed.group()
    return pattern[offset : offset + (2 if pattern[offset] == "\\" else 1)]


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
        """The next character, or "" at the end."""
        return self.source[self.offset : self.offset + 1]

    def take(self, literal: str) -> bool:
        """Move past `literal` if it stands here, and say whether it did."""
        if not self.source.startswith(literal, self.offset):
            return False
        self.offset += len(literal)
        return True

    def expect(self, literal: str, problem: str = "") -> None:
        """Move past `literal`. Raises ParseError where it does not occur here."""
        if not self.take(literal):
            self.fail(problem or f"expected {literal!r}")

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Move past what `pattern` matches here and return it; None, unmoved, if it does not."""
        found = pattern.match(self.source, self.offset)
        if found is None:
            return None
        self.offset = found.end()
        return found.group()

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


_DIGITS = compile_pattern(r"[0-9]+")
