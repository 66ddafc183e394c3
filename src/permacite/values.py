"""Values of a JSON document: each with its pointer, and its place.

| section | function |
|---|---|
| RFC 8259 The JavaScript Object Notation (JSON) Data Interchange Format §2-§7 | values |
| RFC 6901 JavaScript Object Notation (JSON) Pointer §3 | Value.pointer |

Deviations: a document that is nested deeper than 1,000 values is refused.
Readings: half of a surrogate pair is U+FFFD. A name that stands twice gives the same pointer twice.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from permacite.errors import LimitError, ParseError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LONGEST_POINTER", "Value", "values"]

_SPACE = compile_pattern(r"[ \t\n\r]*+")
_STRING = compile_pattern(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+"')
_LITERAL = compile_pattern(
    r"(?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null)(?![0-9A-Za-z_])"
)
_SURROGATES = compile_pattern("[\ud800-\udfff]")
_SPEC = "RFC 8259 §2"
_DEEPEST = 1000
LONGEST_POINTER = 1000
"""Characters; longer ones are not made."""
_SHOWN = 40


class Value(NamedTuple):
    """A value, and where it is written."""

    pointer: str
    """"" of the document itself, and where it is too long."""
    start: int
    end: int
    text: str | None
    """What a string says, and of a literal what is written; None for objects and arrays."""


def values(source: str) -> Iterator[Value]:
    """Yield the values of a document as they end, the document itself last.

    Raises ParseError, LimitError.
    """
    return _JsonScanner(source).values()


class _OpenValue:
    """An object or an array that is open, and what names the value in it that is read."""

    __slots__ = ("closing", "count", "segment", "start")

    def __init__(self, closing: str, start: int) -> None:
        self.closing = closing
        self.start = start
        self.count = 0
        self.segment = ""


class _JsonScanner:
    """Reads a document value by value, without recursion."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._open: list[_OpenValue] = []
        self._length = 0
        """Of the pointer of what is read."""

    def values(self) -> Iterator[Value]:
        """Yield the values as they end. Raises ParseError, LimitError."""
        while True:
            self._skip()
            opened = self._opens()
            if not opened:
                start = self._at
                text = self._scalar()
                yield Value(self._pointer(), start, self._at, text)
            while self._open:
                self._skip()
                if self._take(self._open[-1].closing):
                    closed = self._open.pop()
                    self._length -= len(closed.segment)
                    yield Value(self._pointer(), closed.start, self._at, None)
                    opened = False
                    continue
                if not opened and not self._take(","):
                    self._fail(f"expected ',' or '{self._open[-1].closing}'")
                break
            if not self._open:
                break
            self._name()
        self._skip()
        if self._at < len(self._source):
            self._fail("expected the end")

    def _opens(self) -> bool:
        """Open an object or an array, where one begins here."""
        closing = "}" if self._take("{") else "]" if self._take("[") else ""
        if closing:
            if len(self._open) == _DEEPEST:
                raise LimitError("it is nested too deeply", limit="depth", maximum=_DEEPEST)
            self._open.append(_OpenValue(closing, self._at - 1))
        return bool(closing)

    def _name(self) -> None:
        """Name the next value, behind its own name if it has one (RFC 6901 §3)."""
        inner = self._open[-1]
        self._length -= len(inner.segment)
        if inner.closing == "]":
            inner.segment = f"/{inner.count}"
            inner.count += 1
        else:
            self._skip()
            name = self._string()
            if name is None:
                self._fail("expected the name of a member")
            self._skip()
            if not self._take(":"):
                self._fail("expected ':'")
            inner.segment = f"/{name.replace('~', '~0').replace('/', '~1')}"
        self._length += len(inner.segment)

    def _pointer(self) -> str:
        if self._length > LONGEST_POINTER:
            return ""
        return "".join(each.segment for each in self._open)

    def _scalar(self) -> str:
        text = self._string()
        if text is not None:
            return text
        literal = _LITERAL.match(self._source, self._at)
        if literal is None:
            self._fail("expected a value")
        self._at = literal.end()
        return literal[0]

    def _string(self) -> str | None:
        """What a string says; None where none stands here."""
        found = _STRING.match(self._source, self._at)
        if found is None:
            if self._source.startswith('"', self._at):
                self._fail("expected a string that is closed, without control characters")
            return None
        self._at = found.end()
        return _SURROGATES.sub("\ufffd", str(json.loads(found[0])))

    def _skip(self) -> None:
        found = _SPACE.match(self._source, self._at)
        self._at = self._at if found is None else found.end()

    def _take(self, character: str) -> bool:
        taken = self._source.startswith(character, self._at)
        self._at += taken
        return taken

    def _fail(self, problem: str) -> NoReturn:
        start = max(0, self._at - _SHOWN)
        shown = self._source[start : self._at + _SHOWN]
        raise ParseError(problem, shown, self._at - start, _SPEC)
