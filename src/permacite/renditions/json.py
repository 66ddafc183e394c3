"""The words of JSON documents: their values, each named by its pointer (RFC 8259, RFC 6901).

docs/explanation/the-words-of-json.md explains these rules, which are frozen: `json-text/1`.

1.  The text is made of the values that are strings, numbers, true, false or null, in the order of
    the document. Names of members are no text: they stand in the labels.
2.  Each value begins a line. An empty string leaves nothing.
3.  Strings stand as what they say, escapes decoded, line ends as CRLF; U+0000 is dropped, and half
    of a surrogate pair is U+FFFD. Everything else of them stays as it is. Numbers, true, false and
    null stand as they are written: no number is ever computed.
4.  Line ends are CRLF. A text that is not empty ends with one.
5.  Labels: each value has its JSON pointer, kind "pointer"; that of a document that is one value is
    empty, and no label, nor is one of more than 1,000 characters. A name that stands twice in an
    object gives the same pointer twice.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from permacite.errors import LimitError, ParseError
from permacite.renditions.model import MOST_LABELS, Label, Notice, Rendered, Rendition
from permacite.scan import compile_pattern
from permacite.text.document import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.renditions.model import Original

__all__ = ["JSON_TEXT_1"]

_SPACE = compile_pattern(r"[ \t\n\r]*+")
_STRING = compile_pattern(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+"')
_LITERAL = compile_pattern(
    r"(?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null)(?![0-9A-Za-z_])"
)
_SURROGATES = compile_pattern("[\ud800-\udfff]")
_SPEC = "RFC 8259 §2"
_LINE_END = "\r\n"
_DEEPEST = 1000
_LONGEST_POINTER = 1000
_SHOWN = 40


class _Value(NamedTuple):
    pointer: str
    """"" where it is too long, too."""
    text: str


def _decode(original: Original) -> str:
    return original.characters()


def _render(source: str) -> Rendered:
    parts: list[str] = []
    labels: list[Label] = []
    length = 0
    for value in _Scanner(source).values():
        text = canonical(value.text.replace("\x00", ""))
        if not text:
            continue
        if value.pointer:
            target = f"pointer={value.pointer}"
            labels.append(Label(length, length + len(text), "pointer", value.pointer, target))
        end = "" if text.endswith(_LINE_END) else _LINE_END
        parts += (text, end)
        length += len(text) + len(end)
        if len(labels) > MOST_LABELS:
            raise LimitError("too many values", limit="labels", maximum=MOST_LABELS)
    notices = () if parts else (Notice("no-words", "there are no words in it"),)
    return Rendered("".join(parts), tuple(labels), notices=notices)


class _Open:
    """An object or an array that is open, and what names the value in it that is read."""

    __slots__ = ("closing", "count", "segment")

    def __init__(self, closing: str) -> None:
        self.closing = closing
        self.count = 0
        self.segment = ""


class _Scanner:
    """Reads a document value by value, without recursion."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._open: list[_Open] = []
        self._length = 0
        """Of the pointer of what is read."""

    def values(self) -> Iterator[_Value]:
        """Yield the values that are no objects or arrays. Raises ParseError, LimitError."""
        while True:
            self._skip()
            opened = self._opens()
            if not opened:
                yield _Value(self._pointer(), self._scalar())
            while self._open:
                self._skip()
                if self._take(self._open[-1].closing):
                    self._length -= len(self._open.pop().segment)
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
            self._open.append(_Open(closing))
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
        if self._length > _LONGEST_POINTER:
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


JSON_TEXT_1 = Rendition(
    "json-text",
    1,
    frozenset({"application/json", "+json"}),
    _decode,
    _render,
    suffixes={
        ".json": "application/json",
        ".jsonld": "application/ld+json",
        ".geojson": "application/geo+json",
    },
)
