r"""Fragment identifiers of text/plain in their first draft: `char()`, `line()` and `match()`.

URI Fragment Identifiers for the text/plain Media Type (draft-wilde-text-fragment-00)

| section | function |
|---|---|
| §2.1.1 to §2.1.4 characters and lines | Count |
| §2.1.5 regular expressions | Match |
| §2.1.6 combining | TextFragment |
| §3 syntax | parse, TextFragment.canonical |
| §3 counts beyond the end, and the union | permacite.fragments.text |

Deviations: none.

Readings:
- The grammar names `regex-scheme` and defines `match-scheme`: they are one.
- Counts begin at 1 and ranges include both ends. `char(0)` is grammatical and names nothing; a
  range whose end is not greater than its start is ignored (§2.1.2; §3 says the opposite). Such a
  part is ignored by itself; the others are not.
- The whole is percent-decoded, as UTF-8, before it is parsed, as §4 decodes `%5E(`; only then are
  `^(`, `^)` and `^^` replaced, from left to right. A `^` before another character stays as it is,
  and is warned of: an anchor is written `match(^^foo)`.
- Parentheses balance as they are written, those in `\(` and in brackets too.
- Characters that no URI may hold are taken as they are, so that expressions can be read.
"""

from __future__ import annotations

from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import Cursor, compile_pattern

if TYPE_CHECKING:
    import re
    from typing import TypeAlias

__all__ = ["Count", "Match", "Part", "TextFragment", "parse"]

_SPEC = "draft-wilde-text-fragment-00 §3"

_DIGITS = compile_pattern(r"[0-9]+")
_ESCAPE = compile_pattern(r"\^([()^])")
_LONE = compile_pattern(r"\^[()^]|(\^)")
_ENCODED = compile_pattern(r"%[0-9A-Fa-f]{2}")
_TO_ENCODE = compile_pattern(r"[^A-Za-z0-9\-._~!$&'()*+,;=:@/?]")


@dataclass(frozen=True, slots=True)
class Count:
    """`scheme(first)` or `scheme(first,last)`: counted from 1, both ends included.

    `problem` is "order" where the last is not greater than the first, "zero" where one of them is
    0, and None for a part that names something.
    """

    scheme: Literal["char", "line"]
    first: int
    last: int | None = None
    problem: Literal["order", "zero"] | None = None

    def __str__(self) -> str:
        written = self.first if self.last is None else f"{self.first},{self.last}"
        return f"{self.scheme}({written})"


@dataclass(frozen=True, slots=True)
class Match:
    """`match(regex)`: the regular expression, with nothing left to unescape."""

    regex: str

    def __str__(self) -> str:
        written = self.regex.replace("^", "^^")
        places = [0, *_unbalanced(written), len(written)]
        escaped = "^".join(written[start:end] for start, end in pairwise(places))
        return f"match({_TO_ENCODE.sub(_encoded, escaped)})"


Part: TypeAlias = "Count | Match"


@dataclass(frozen=True, slots=True)
class TextFragment:
    """The union of what its parts name (§2.1.6).

    `warnings` says in sentences what may not mean what was meant. `str()` is the text that was
    parsed, or the canonical text of a value made otherwise.
    """

    parts: tuple[Part, ...]
    warnings: tuple[str, ...] = field(default=(), compare=False)
    source: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        return self.source or self.canonical()

    def canonical(self) -> str:
        """Return the same without leading zeros, escaped only where it must be."""
        return "".join(str(part) for part in self.parts)


def parse(text: str) -> TextFragment:
    """Parse a fragment identifier, without its "#".

    Raises ParseError at the first character that no fragment can have there.
    """
    decoded, offsets = _decoded(text)
    cursor = Cursor(decoded, spec=_SPEC)
    warnings: list[str] = []
    try:
        parts = [_text_scheme(cursor, warnings)]
        while not cursor.at_end:
            parts.append(_text_scheme(cursor, warnings))
    except ParseError as error:
        raise ParseError(error.problem, text, offsets[error.offset], error.spec) from None
    return TextFragment(tuple(parts), tuple(warnings), text)


def _decoded(text: str) -> tuple[str, list[int]]:
    """Percent-decode as UTF-8; also return where in `text` each character stood."""
    pieces: list[str] = []
    offsets: list[int] = []
    place = 0
    while place < len(text):
        end = place
        while _ENCODED.match(text, end):
            end += 3
        if end > place:
            run, places = _run(text, place, end)
            pieces.append(run)
            offsets += places
        else:
            if text[place] == "%":
                problem = "expected two hexadecimal digits after '%'"
                raise ParseError(problem, text, place, "RFC 2396 §2.4.1")
            end = text.find("%", place)
            end = len(text) if end < 0 else end
            pieces.append(text[place:end])
            offsets += range(place, end)
        place = end
    return "".join(pieces), [*offsets, len(text)]


def _run(text: str, start: int, end: int) -> tuple[str, list[int]]:
    """Decode a run of encoded octets."""
    octets = bytes.fromhex(text[start:end].replace("%", ""))
    try:
        run = octets.decode()
    except UnicodeDecodeError as error:
        problem = "expected octets that are UTF-8"
        raise ParseError(problem, text, start + 3 * error.start, _SPEC) from None
    places, place = [], start
    for character in run:
        places.append(place)
        place += 3 * len(character.encode())
    return run, places


def _text_scheme(cursor: Cursor, warnings: list[str]) -> Part:
    """Char-scheme / line-scheme / match-scheme   (§3)."""
    if cursor.take("match("):
        return _match_scheme(cursor, warnings)
    if cursor.take("char"):
        return _count_scheme(cursor, "char")
    cursor.expect("line", "expected 'char(', 'line(' or 'match('")
    return _count_scheme(cursor, "line")


def _count_scheme(cursor: Cursor, scheme: Literal["char", "line"]) -> Count:
    """( "char" / "line" ) "(" ( count / range ) ")"   (§3)."""
    cursor.expect("(", f"expected '(' after {scheme!r}")
    first = _count(cursor)
    last = _count(cursor) if cursor.take(",") else None
    cursor.expect(")", "expected ',' or ')'" if last is None else "expected ')'")
    problem: Literal["order", "zero"] | None = None
    if last is not None and (len(last), last) <= (len(first), first):
        problem = "order"
    elif not first:
        problem = "zero"
    return Count(scheme, _value(first), None if last is None else _value(last), problem)


def _count(cursor: Cursor) -> str:
    """1*DIGIT   (§3), without leading zeros: "" for 0."""
    digits = cursor.match(_DIGITS)
    if digits is None:
        cursor.fail("expected a number")
    return digits.lstrip("0")


def _value(digits: str) -> int:
    """Return the value; one of more than 4,000 digits counts as the largest of 4,000."""
    return Cursor(digits or "0").number() or 0


def _match_scheme(cursor: Cursor, warnings: list[str]) -> Match:
    """StringWithBalancedParens ")"   (§3), then unescaped."""
    start = cursor.offset
    depth = 1
    for match in _PARENTHESIS.finditer(cursor.source, start):
        depth += {"(": 1, ")": -1}.get(match.group(), 0)
        if depth == 0:
            break
    else:
        cursor.fail("expected ')': the parentheses do not balance", at=len(cursor.source))
    cursor.offset = match.end()
    written = cursor.source[start : match.start()]
    if any(lone.group(1) for lone in _LONE.finditer(written)):
        warnings.append("a '^' that escapes nothing stays as it is; an anchor is written '^^'")
    return Match(_ESCAPE.sub(r"\1", written))


_PARENTHESIS = compile_pattern(r"\^[()^]|[()]")


def _unbalanced(written: str) -> list[int]:
    """Where parentheses stand that have no partner."""
    opened: list[int] = []
    closed: list[int] = []
    for match in _PARENTHESIS.finditer(written):
        if match.group() == "(":
            opened.append(match.start())
        elif match.group() == ")" and opened:
            opened.pop()
        elif match.group() == ")":
            closed.append(match.start())
    return sorted(opened + closed)


def _encoded(match: re.Match[str]) -> str:
    """Percent-encode one character; a lone surrogate, which has no octets, as U+FFFD."""
    octets = match.group().encode("utf-8", "surrogatepass")
    octets = octets if octets.decode("utf-8", "ignore") else b"\xef\xbf\xbd"
    return "".join(f"%{octet:02X}" for octet in octets)
