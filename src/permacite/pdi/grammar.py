"""Grammar of resource identifiers, one function for each production; escapes in a unique-id.

Persistent Document Identifiers (draft-mallery-urn-pdi-00) §1 to §1.2.1. The rules as printed lack
repetitions and name no lengths; each production here says how it is read.

| section | function |
|---|---|
| §1.2.4 `other`, §1.2.5 reserved characters | UNIQUE_ID_CHARS, escaped |
| §2.4.1 encapsulation of foreign identifiers | encapsulate, decapsulate |
| §3.6.4 lexical equivalence, steps 1 and 2 | unescaped |

Deviations: none.

Readings:
- The octets that are escaped are those of UTF-8, with hexadecimal digits in lower case, and `%00`
  is refused (RFC 2141 §2.2, §2.4).
- A character that is neither reserved nor a URN character, such as `~` or `&`, stays escaped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.scan import Cursor

__all__ = [
    "MAX_DIGITS",
    "UNIQUE_ID_CHARS",
    "WILDCARD",
    "Fields",
    "Violation",
    "days_in",
    "decapsulate",
    "encapsulate",
    "escaped",
    "fail",
    "productions",
    "resource_identifier",
    "unescaped",
]

_MONTHS = range(1, 13)
WILDCARD = "*"
MAX_DIGITS = 4000
"""No number in a PDI has more digits; every document there is, is shorter."""

UNIQUE_ID_CHARS = r"(?:[A-Za-z0-9():;$_!'\-]++|%(?!00)[0-9A-Fa-f]{2})"
"""A regular expression for some of 1*( alpha / digit / other / "%" hex hex )."""

_ESCAPE = compile_pattern(r"%([0-9A-Fa-f]{2})")
_LITERAL = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789():;$_!'-")
_NOT_UNIQUE_ID = compile_pattern(r"[^A-Za-z0-9():;$_!'\-%]|%(?![0-9A-Fa-f]{2})|%00")


@dataclass(frozen=True, slots=True)
class Violation:
    """A fault that the lenient profile tolerates; of "escaped-comma" the strict one does too.

    `rule` is "unpadded-date", "fragment-without-version", "citation-without-version",
    "comma-after-scheme", "escaped-comma" or "urn-in-citation"; `found` the text at fault ("" where
    something is missing), `offset` its place in the text that was parsed.
    """

    rule: str
    found: str
    offset: int


class Fields(NamedTuple):
    """A resource identifier in pieces: case folded where it does not count, dates padded.

    `unique_id` is as written, `format` unescaped; None where a field is absent, "*" for wildcards.
    """

    urn: bool
    series: tuple[str, ...]
    year: str
    month: str
    day: str
    unique_id: str
    format: str | None
    version: str | None
    violations: tuple[Violation, ...]

    @property
    def has_wildcard(self) -> bool:
        """Whether any field is a wildcard."""
        fields = (self.year, self.month, self.day, self.unique_id, self.format, self.version)
        return WILDCARD in fields


def resource_identifier(cursor: Cursor, *, strict: bool) -> Fields:
    """Parse ["urn:"] "pdi:" "//" document-series "/" iso-date "/" specifier   (PDI §1.2.1).

    Most names are right and have no wildcard: one expression reads those, and the productions all
    others (tests/property/test_pdi.py has both agree).
    """
    found = _COMPLETE.match(cursor.source, cursor.offset)
    if found is None or found[5] > "28" or found[5] == "00" or not "00" < found[4] <= "12":
        return productions(cursor, strict=strict)
    urn, series, year, month, day, unique_id, format_, version = found.groups()
    if format_ is not None:
        format_ = unescaped(format_).lower()
    cursor.offset = found.end()
    components = tuple(series.lower().split("."))
    return Fields(urn is not None, components, year, month, day, unique_id, format_, version, ())


def productions(cursor: Cursor, *, strict: bool) -> Fields:
    """Parse the same by the grammar functions, which say what is wrong and where."""
    urn = _prefix(cursor)
    series = _document_series(cursor)
    year, month, day, violations = _iso_date(cursor, strict=strict)
    unique_id = _unique_id(cursor)
    format_ = _format(cursor) if cursor.take(".") else None
    version = _version(cursor) if format_ is not None and cursor.take(".") else None
    return Fields(urn, series, year, month, day, unique_id, format_, version, violations)


def _prefix(cursor: Cursor) -> bool:
    """Parse ["urn:"] "pdi" ":" "//", in any case; say whether "urn:" is there   (PDI §3.8)."""
    found = cursor.match(_PREFIX)
    if found is None:
        _bad_prefix(cursor)
    return found[0] in "uU"


def _bad_prefix(cursor: Cursor) -> NoReturn:
    """Fail where the prefix goes wrong; if a series follows, say what was meant."""
    begin = cursor.offset
    started = _PREFIX_BEGUN.match(cursor.source, begin)
    at = started.end() if started else begin
    bare = _BARE.match(cursor.source, at)
    hint = "a PDI is whole: urn:pdi://series.us/2026/11/21/1.html.1"
    if bare is not None:
        hint = f"did you mean urn:pdi://{cursor.source[bare.start(1) : bare.start(1) + 80]}"
    if at - begin >= len("pdi:"):
        fail(cursor, "expected '//' and the document series", at=at, hint=hint)
    fail(cursor, "expected 'urn:pdi://' or 'pdi://'", at=at, spec="PDI §1.1", hint=hint)


def _document_series(cursor: Cursor) -> tuple[str, ...]:
    """Parse component *("." component) "." iso-country "/"   (PDI §1.2.1, §2.2).

    A component is 1*(alpha / digit / "-"), iso-country two letters.
    """
    begin = cursor.offset
    text = cursor.match(_SERIES) or ""
    components = text.lower().split(".")
    offset = begin
    for component in components[:-1]:
        if not component:
            fail(cursor, "expected a component of the document series", at=offset)
        offset += len(component) + 1
    if len(components) == 1:
        _series_too_short(cursor, text, begin)
    country = _COUNTRY.fullmatch(components[-1])
    if country is None:
        at = cursor.offset if _COUNTRY_BEGUN.fullmatch(components[-1]) else offset
        fail(
            cursor,
            "expected a two-letter country code at the end of the document series",
            at=at,
            spec="PDI §2.2",
            hint=f"such as {text[:80]}.us" if cursor.peek() == "/" and components[-1] else "",
        )
    if not cursor.take("/"):
        fail(cursor, "expected '/' and the date after the document series", spec="PDI §1.2.1")
    return tuple(components)


def _series_too_short(cursor: Cursor, text: str, begin: int) -> NoReturn:
    """Fail for a series of fewer than two components."""
    ended = cursor.at_end or cursor.peek() == "/"
    fail(
        cursor,
        "expected a document series: components and a country code, joined by dots",
        at=begin if ended else cursor.offset,
        spec="PDI §2.2",
        hint=f"such as {text[:80] or 'web.example'}.us" if ended else "",
    )


def _iso_date(cursor: Cursor, *, strict: bool) -> tuple[str, str, str, tuple[Violation, ...]]:
    """Parse year "/" month "/" day "/"   (PDI §1.2.1): four, two and two digits, or "*" for each.

    The lenient profile reads one digit for two, as deployed servers wrote it.
    """
    begin = cursor.offset
    found = _DATE.match(cursor.source, begin)
    if found is None:
        _bad_date(cursor)
    year, month, day = found.groups()
    violations: tuple[Violation, ...] = ()
    short = next((group for group in (2, 3) if re.fullmatch("[0-9]", found[group])), None)
    month, day = _padded(month), _padded(day)
    if short is not None:
        if strict:
            fail(
                cursor,
                "expected two digits for the month and for the day",
                at=found.end(short),
                spec="PDI §2.3",
                hint=f"write {year}/{month}/{day}",
            )
        violations = (Violation("unpadded-date", found[0][:-1], begin),)
    if year == "0000":
        fail(cursor, "expected a year from 0001 to 9999", at=begin, spec="PDI §2.3")
    if month != WILDCARD and int(month) not in _MONTHS:
        fail(cursor, "expected a month from 01 to 12", at=found.start(2), spec="PDI §2.3")
    if day != WILDCARD and not 1 <= int(day) <= days_in(year, month):
        fail(cursor, f"expected a day of {year}/{month}", at=found.start(3), spec="PDI §2.3")
    cursor.offset = found.end()
    return year, month, day, violations


def days_in(year: str, month: str) -> int:
    """How many days the month can have; either may be a wildcard."""
    if month == WILDCARD:
        return 31
    if int(month) != _FEBRUARY:
        return 30 if int(month) in {4, 6, 9, 11} else 31
    if year == WILDCARD:
        return 29
    number = int(year)
    return 29 if number % 4 == 0 and (number % 100 != 0 or number % 400 == 0) else 28


def _bad_date(cursor: Cursor) -> NoReturn:
    """Find the first part of the date that cannot be right, and fail there."""
    dashed = _DASHED.match(cursor.source, cursor.offset)
    hint = f"write {dashed[0].replace('-', '/')}" if dashed else ""
    for pattern, what in ((_YEAR, "a year of four digits"), (_MONTH, "a month"), (_DAY, "a day")):
        begin = cursor.offset
        digits = cursor.match(pattern)
        if digits is None:
            fail(
                cursor,
                f"expected {what} (yyyy/mm/dd)",
                at=begin + _good_digits(cursor.source, begin, what),
                spec="PDI §2.3",
                hint=hint or "the date of minting follows the series: series.us/2026/11/21/1",
            )
        if not cursor.take("/"):
            fail(cursor, f"expected '/' after {what}", spec="PDI §2.3", hint=hint)
    fail(cursor, "expected a date (yyyy/mm/dd)", spec="PDI §2.3")


def _good_digits(source: str, begin: int, what: str) -> int:
    """How many digits at `begin` could be the start of the part."""
    found = _DIGITS.match(source, begin)
    size = len(found[0]) if found else 0
    most = 4 if what.endswith("digits") else 2
    return min(size, most)


def _padded(digits: str) -> str:
    return digits if digits == WILDCARD else digits.zfill(2)


def _unique_id(cursor: Cursor) -> str:
    """Parse 1*unique-id-char / "*"   (PDI §1.2.1)."""
    found = cursor.match(_UNIQUE_ID)
    if found is None:
        _bad_character(cursor, "expected a unique-id", "PDI §2.4")
    if not (cursor.at_end or cursor.peek() in ".#@"):
        problem = "expected the end of the unique-id, or '.' and a format"
        _bad_character(cursor, problem, "PDI §1.2.5")
    return found


def _format(cursor: Cursor) -> str:
    """Parse media-type-token / "*"   (PDI §2.5).

    A media-type-token is 1*unique-id-char ["+" 1*unique-id-char].
    """
    found = cursor.match(_FORMAT)
    if found is None:
        _bad_character(cursor, "expected a format, such as html or text", "PDI §2.5")
    if not (cursor.at_end or cursor.peek() in ".#@"):
        problem = "expected the end of the format, or '.' and a version"
        _bad_character(cursor, problem, "PDI §2.5")
    return unescaped(found).lower()


def _version(cursor: Cursor) -> str:
    """Parse nonzero-digit *digit / "*"   (PDI §2.6: a positive integer greater than 0)."""
    begin = cursor.offset
    found = cursor.match(_VERSION)
    if found is None:
        hint = ""
        if _LETTERS.match(cursor.source, begin):
            hint = "the format comes before the version: 1.text.1"
        elif cursor.peek() == "0":
            hint = "versions count from 1 and have no leading zeros"
        problem = "expected a version: a whole number from 1"
        fail(cursor, problem, at=begin, spec="PDI §2.6", hint=hint)
    if len(found) > MAX_DIGITS:
        problem = f"expected a version of at most {MAX_DIGITS} digits"
        fail(cursor, problem, at=begin, spec="PDI §2.6")
    if not (cursor.at_end or cursor.peek() in "#@"):
        hint = "a name ends in unique-id.format.version; a dot within one of them is %2e"
        hint = hint if cursor.peek() == "." else ""
        fail(cursor, "expected the end of the version", spec="PDI §2.6", hint=hint)
    return found


def _bad_character(cursor: Cursor, problem: str, spec: str) -> NoReturn:
    """Fail at the next character, and say how it is written if it is meant."""
    character = cursor.peek()
    hint = ""
    if cursor.source.startswith("%00", cursor.offset):
        fail(cursor, "%00 stands in no URN", spec="RFC 2141 §2.4")
    if character == "%":
        hint = "'%' begins an escape of two hexadecimal digits; by itself it is %25"
    elif character and character not in ".#@" and not "\ud800" <= character <= "\udfff":
        octets = "".join(f"%{octet:02x}" for octet in character.encode())
        hint = f"to mean {character!r}, write {octets}"
    fail(cursor, problem, spec=spec, hint=hint)


def fail(
    cursor: Cursor, problem: str, *, spec: str = "PDI §1.2.1", at: int | None = None, hint: str = ""
) -> NoReturn:
    """Raise ParseError in the text of `cursor`, with a hint."""
    offset = cursor.offset if at is None else at
    raise ParseError(problem, cursor.source, offset, spec, hint=hint)


_FEBRUARY = 2
_COMPLETE = compile_pattern(
    r"(urn:)?pdi://((?:[a-z0-9\-]++\.)++[a-z]{2})/(?!0000)([0-9]{4})/([0-9]{2})/([0-9]{2})/"
    rf"({UNIQUE_ID_CHARS}++)(?:\.({UNIQUE_ID_CHARS}++(?:\+{UNIQUE_ID_CHARS}++)?)"
    r"(?:\.([1-9][0-9]{0,17}))?)?(?=[#@]|\Z)",
    re.IGNORECASE | re.ASCII,
)
_PREFIX = compile_pattern(r"(?:urn:)?pdi://", re.IGNORECASE | re.ASCII)
_PREFIX_BEGUN = compile_pattern(r"(?:urn:)?(?:pdi:/?|pdi|pd|p)?", re.IGNORECASE | re.ASCII)
_BARE = compile_pattern(r"/{0,2}((?:[A-Za-z0-9\-]++\.)++[A-Za-z]{2}/[0-9*])")
_SERIES = compile_pattern(r"[A-Za-z0-9.\-]++")
_COUNTRY = compile_pattern(r"[a-z]{2}")
_COUNTRY_BEGUN = compile_pattern(r"[a-z]?")
_DATE = compile_pattern(r"([0-9]{4}|\*)/([0-9]{1,2}|\*)/([0-9]{1,2}|\*)/")
_DASHED = compile_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_YEAR = compile_pattern(r"(?:[0-9]{4}|\*)(?![0-9*])")
_MONTH = _DAY = compile_pattern(r"(?:[0-9]{1,2}|\*)(?![0-9*])")
_DIGITS = compile_pattern(r"[0-9]++")
_UNIQUE_ID = compile_pattern(rf"\*|{UNIQUE_ID_CHARS}++")
_FORMAT = compile_pattern(rf"\*|{UNIQUE_ID_CHARS}++(?:\+{UNIQUE_ID_CHARS}++)?")
_VERSION = compile_pattern(r"\*|[1-9][0-9]*+")
_LETTERS = compile_pattern(r"[A-Za-z]")


def escaped(text: str) -> str:
    """Write `text` in unique-id-chars: the octets of all others as `%hh` (PDI §1.2.5).

    Raises ParseError where the text holds U+0000, which no URN can, or half a surrogate pair.
    """
    for wrong, problem in ((_NUL, "U+0000 cannot be written in a URN"), (_SURROGATE, _HALF)):
        match = wrong.search(text)
        if match:
            raise ParseError(problem, text, match.start(), "RFC 2141 §2.4")
    if text.isascii():  # its characters are its octets
        return text.translate(_OCTETS)
    return "".join(_OCTETS[octet] for octet in text.encode())


def unescaped(text: str) -> str:
    """Undo needless escapes and write the others in lower case (PDI §3.6.4, steps 1 and 2)."""
    return _ESCAPE.sub(_shortest, text) if "%" in text else text


def encapsulate(foreign: str) -> str:
    """Return the unique-id that holds a foreign identifier (PDI §2.4.1).

    Any text but the empty one, such as a URI or an invoice number, in canonical form:
    `decapsulate` gives it back. Raises ParseError where a URN cannot hold the text.
    """
    if not foreign:
        raise ParseError("expected an identifier", foreign, 0, "PDI §2.4.1")
    return escaped(foreign)


def decapsulate(unique_id: str) -> str:
    """Return the foreign identifier in `unique_id` (PDI §2.4.1).

    Raises ParseError where `unique_id` is none, or its octets are not UTF-8.
    """
    wrong = _NOT_UNIQUE_ID.search(unique_id)
    if wrong or not unique_id:
        raise ParseError(
            "expected a unique-id", unique_id, wrong.start() if wrong else 0, "PDI §1.2.1"
        )
    pieces = _ESCAPE.split(unique_id)
    # The pieces alternate: text as it stands, the two digits of an escape, text, ...
    octets = b"".join(
        bytes([int(piece, 16)]) if index % 2 else piece.encode("ascii")
        for index, piece in enumerate(pieces)
    )
    try:
        return octets.decode()
    except UnicodeDecodeError as error:
        offset = _offset_of_octet(pieces, error.start)
        raise ParseError("expected UTF-8 octets", unique_id, offset, "RFC 2141 §2.2") from None


def _offset_of_octet(pieces: list[str], octet: int) -> int:
    """Return the offset in the unique-id at which the given decoded octet is written."""
    offset = 0
    for index, piece in enumerate(pieces):
        size = 1 if index % 2 else len(piece)
        if octet < size:
            return offset + octet
        octet -= size
        offset += 3 if index % 2 else len(piece)
    return offset


def _shortest(escape: re.Match[str]) -> str:
    octet = int(escape[1], 16)
    return chr(octet) if octet in _LITERAL else escape[0].lower()


_NUL = compile_pattern("\0")
_SURROGATE = compile_pattern("[\ud800-\udfff]")
_HALF = "half a surrogate pair is no character"
_OCTETS = tuple(chr(octet) if octet in _LITERAL else f"%{octet:02x}" for octet in range(256))
