"""Fragment identifiers of text/plain: `char=` and `line=` with integrity checks.

URI Fragment Identifiers for the text/plain Media Type (RFC 5147)

| section | function |
|---|---|
| §2.1.1 positions and ranges | TextFragment |
| §2.2 the four combinations | TextFragment.scheme and .kind |
| §3 syntax | parse, TextFragment.canonical |
| §3.1 integrity checks | IntegrityCheck |
| §4.2 order of a range | parse (the reason is `ORDER`) |
| §4.5 syntax errors | ParseError; a resolver must then ignore the whole fragment |
| §2.1.2, §4.1 to §4.4 | permacite.fragments.text |

Deviations: none.

Readings:
- §4.2 says of ordered positions "the first number is less than the second", which describes right
  order as wrong. A range is refused when its first number is the greater one, on the numbers as
  written, before they are clamped to the entity.
- §3.1 says that unknown integrity checks MUST be ignored, and §3 has no rule for them. They are
  ";" token "=" *( pchar / "/" / "?" ), kept, and reported as unknown. Names are case-sensitive, so
  `MD5=` is unknown. A malformed `length=` or `md5=` is a syntax error.
- The fragment is split at literal ";" "=" "," and only then percent-decoded (RFC 3986 §2.2):
  `%31` is 1, and `1%2C2` is no range.
- `number` has no upper bound. Numbers of more than 4,000 digits count as the largest of 4,000
  digits; their order is still judged by the digits as written.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import Cursor, compile_pattern

__all__ = ["ORDER", "IntegrityCheck", "TextFragment", "is_mime_charset", "parse"]

Scheme = Literal["char", "line"]
Kind = Literal["position", "range"]

ORDER = "RFC 5147 §4.2"
"""The `spec` of the error for a range that runs backwards."""

_SYNTAX = "RFC 5147 §3"
_CHECKS = "RFC 5147 §3.1"

# An octet written as %XX that is no unreserved character is data: it stands in the text being
# parsed as this code point plus the octet, so that it can never act as a delimiter.
_DATA = 0xE000

_NOT_FRAGMENT = compile_pattern(r"[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]|%(?![0-9A-Fa-f]{2})")
_ENCODED = compile_pattern(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = compile_pattern(r"[A-Za-z0-9\-._~]")
_DATA_CHARACTER = compile_pattern("[\ue000-\ue0ff]")

_DIGITS = compile_pattern(r"[0-9]+")
_NAME = compile_pattern(
    r"[A-Za-z0-9\-._~!$&'*+\ue021\ue023-\ue027\ue02a\ue02b\ue05e\ue060\ue07b-\ue07d]+"
)
_VALUE = compile_pattern(r"[^;]*")
_MD5 = compile_pattern(r"[0-9A-Fa-f]*")
_MIME_CHARSET = compile_pattern(
    r"[A-Za-z0-9!$&'+\-_~\ue021\ue023-\ue027\ue02b\ue05e\ue060\ue07b\ue07d]+"
)
_CHARSET_NAME = compile_pattern(r"[A-Za-z0-9!#$%&'+\-^_`{}~]+")
_MD5_DIGITS = 32

# What a value needs escaped to stand in a fragment.
_ESCAPED = compile_pattern(r"[^A-Za-z0-9\-._~!$&'()*+,=:@/?]")


@dataclass(frozen=True, slots=True)
class IntegrityCheck:
    """`name=value` with an optional charset (RFC 5147 §3.1).

    `name` is "length", "md5" or an unknown name. `value` is percent-decoded: decimal digits, 32
    hexadecimal digits, or anything. `charset` is None where it is absent (always, for unknown
    names, whose value may itself hold commas).
    """

    name: str
    value: str
    charset: str | None = None

    @property
    def known(self) -> bool:
        """Whether RFC 5147 defines this check."""
        return self.name in {"length", "md5"}

    def __str__(self) -> str:
        charset = "" if self.charset is None else f",{_escaped(self.charset)}"
        return f"{_escaped(self.name)}={_escaped(self.value)}{charset}"

    def canonical(self) -> str:
        """Return the check without leading zeros, hexadecimal digits and charset in lower case."""
        value = self.value.lower() if self.name == "md5" else self.value
        if self.name == "length":
            value = value.lstrip("0") or "0"
        charset = None if self.charset is None else self.charset.lower()
        return str(IntegrityCheck(self.name, value, charset))


@dataclass(frozen=True, slots=True)
class TextFragment:
    """A position or range of characters or lines, with integrity checks (RFC 5147 §3).

    Units: gaps between characters or lines, counted from 0. A position has `start == end` and
    `kind` "position". In a range, None is an absent number: the start or the end of the entity.
    `str()` is the text that was parsed, or the canonical text of a value made otherwise.
    Raises ValueError if start > end (§4.2), or if a range has neither.
    """

    scheme: Scheme
    start: int | None
    end: int | None
    kind: Kind = "range"
    checks: tuple[IntegrityCheck, ...] = ()
    source: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.start is None and self.end is None:
            raise ValueError("a range needs at least one number")
        if self.kind == "position" and self.start != self.end:
            raise ValueError("a position has one number")
        if self.start is not None and self.end is not None and self.start > self.end:
            raise ValueError(f"range runs backwards: {self.start},{self.end}")

    def __str__(self) -> str:
        return self.source or self.canonical()

    def canonical(self) -> str:
        """Return the shortest text of the same value: no leading zeros, no needless escapes."""
        numbers = ["" if number is None else str(number) for number in (self.start, self.end)]
        written = numbers[0] if self.kind == "position" else ",".join(numbers)
        return ";".join([f"{self.scheme}={written}", *(c.canonical() for c in self.checks)])


def parse(text: str) -> TextFragment:
    """Parse a fragment identifier, without its "#".

    Raises ParseError at the first character that no fragment can have there (RFC 5147 §3), or at
    the first number of a range that runs backwards (`spec` is then `ORDER`).
    """
    wrong = _NOT_FRAGMENT.search(text)
    if wrong is not None:
        problem = "expected a character that RFC 3986 allows in a fragment"
        raise ParseError(problem, text, wrong.start(), _SYNTAX)
    if "%" not in text:
        return _text_fragment(Cursor(text, spec=_SYNTAX), text)
    decoded, offsets = _decoded(text)
    try:
        return _text_fragment(Cursor(decoded, spec=_SYNTAX), text)
    except ParseError as error:
        raise ParseError(error.problem, text, offsets[error.offset], error.spec) from None


def is_mime_charset(name: str) -> bool:
    """Whether a charset's name can be written in a check (RFC 2978 §2.3)."""
    return _CHARSET_NAME.fullmatch(name) is not None


def _decoded(text: str) -> tuple[str, list[int]]:
    """Return `text` with its octets decoded, and where in `text` each character stood."""
    pieces: list[str] = []
    offsets: list[int] = []
    start = 0
    for octet in _ENCODED.finditer(text):
        pieces.append(text[start : octet.start()])
        offsets.extend(range(start, octet.start() + 1))
        value = int(octet.group(1), 16)
        pieces.append(chr(value) if _UNRESERVED.match(chr(value)) else chr(_DATA + value))
        start = octet.end()
    pieces.append(text[start:])
    offsets.extend(range(start, len(text) + 1))
    return "".join(pieces), offsets


def _plain(text: str) -> str:
    """Return a parsed piece with the octets that were kept apart from delimiters."""
    return _DATA_CHARACTER.sub(lambda found: chr(ord(found.group()) - _DATA), text)


def _escaped(text: str) -> str:
    """Percent-encode what is not allowed in a fragment, or would split it."""
    return _ESCAPED.sub(lambda found: f"%{ord(found.group()):02X}", text)


def _text_fragment(cursor: Cursor, source: str) -> TextFragment:
    """text-scheme *( ";" integrity-check )   (RFC 5147 §3)."""
    scheme = _scheme(cursor)
    place = cursor.offset
    first, second, kind = _position_or_range(cursor)
    after = cursor.offset
    checks = []
    while cursor.take(";"):
        checks.append(_integrity_check(cursor))
    cursor.expect_end("expected ';' and an integrity check, or the end")
    if first is not None and second is not None and _less(second, first):
        shown = cursor.source[place:after]
        shown = shown if len(shown) <= _SHOWN else "its first number is the greater"
        cursor.fail(f"range runs backwards: {shown}", at=place, spec=ORDER)
    return TextFragment(scheme, _value(first), _value(second), kind, tuple(checks), source)


_SHOWN = 60


def _scheme(cursor: Cursor) -> Scheme:
    """( "char" / "line" ) "="   (RFC 5147 §3), in exactly these letters."""
    if not cursor.source.startswith(("char", "line")):
        cursor.fail("expected 'char=' or 'line='")
    scheme: Scheme = "char" if cursor.source.startswith("char") else "line"
    cursor.take(scheme)
    cursor.expect("=", f"expected '=' after {scheme!r}")
    return scheme


def _position_or_range(cursor: Cursor) -> tuple[str | None, str | None, Kind]:
    """( position / range )   (RFC 5147 §3).

    Returns the digits as written.
    """
    first = cursor.match(_DIGITS)
    if not cursor.take(","):
        if first is None:
            cursor.fail("expected a number")
        return first, first, "position"
    second = cursor.match(_DIGITS)
    if first is None and second is None:
        cursor.fail("a range needs at least one number")
    return first, second, "range"


def _value(digits: str | None) -> int | None:
    """Return the value of DIGITs, saturated as Readings say."""
    return None if digits is None else Cursor(digits.lstrip("0") or "0").number()


def _less(first: str, second: str) -> bool:
    """Compare two numbers by their digits, however many there are."""
    first, second = first.lstrip("0"), second.lstrip("0")
    return (len(first), first) < (len(second), second)


def _integrity_check(cursor: Cursor) -> IntegrityCheck:
    """( length-scheme / md5-scheme ) [ "," mime-charset ], or an unknown check (RFC 5147 §3.1)."""
    cursor.spec = _CHECKS
    name = cursor.match(_NAME)
    if name is None:
        cursor.fail("expected the name of an integrity check")
    cursor.expect("=", f"expected '=' after {_plain(name)!r}")
    if name == "length":
        return IntegrityCheck(name, _length(cursor), _charset(cursor))
    if name == "md5":
        return IntegrityCheck(name, _md5_value(cursor), _charset(cursor))
    return IntegrityCheck(_plain(name), _plain(cursor.match(_VALUE) or ""))


def _length(cursor: Cursor) -> str:
    """1*( DIGIT )   (RFC 5147 §3)."""
    digits = cursor.match(_DIGITS)
    if digits is None:
        cursor.fail("expected a number of characters")
    return digits


def _md5_value(cursor: Cursor) -> str:
    """32HEXDIG   (RFC 5147 §3)."""
    start = cursor.offset
    digits = cursor.match(_MD5) or ""
    if len(digits) != _MD5_DIGITS:
        wrong = min(cursor.offset, start + _MD5_DIGITS)
        cursor.fail("expected 32 hexadecimal digits", at=wrong)
    return digits


def _charset(cursor: Cursor) -> str | None:
    """[ "," mime-charset ]   (RFC 5147 §3, RFC 2978 §2.3), up to the end of the check."""
    if cursor.peek() in {"", ";"}:
        return None
    cursor.expect(",", "expected ',' and a charset, or ';'")
    name = cursor.match(_MIME_CHARSET)
    if name is None or cursor.peek() not in {"", ";"}:
        cursor.fail("expected a character that a charset's name may have")
    return _plain(name)
