"""Fragment schemes: what each one's positions look like, and which media types have it.

Persistent Document Identifiers (draft-mallery-urn-pdi-00)

| section | name |
|---|---|
| §1.2.3 the grammar of positions | FragmentScheme.positions; GENERIC for extension schemes |
| §3.3 schemes and defaults | Schemes, default_scheme |
| §3.4.1 text | char |
| §3.4.2 HTML, §3.4.2 SGML & XML | elt, name |
| §3.4.5 image | rect |
| §3.4.4 audio | sec, msec |
| §3.4.5 video | crop |
| §3.4.6 octets | byte |

Deviations: LINE, `line=start,end` on text/*, is no scheme of the draft. It counts the lines of the
canonical text as RFC 5147 does, and is parsed only where a caller passes `SCHEMES.extended(LINE)`.

Readings:
- Every interval excludes its end, except `elt` and `name`, which include the element that ends it.
  Start and end may be equal; a range that runs backwards is refused, on the numbers as written.
- `elt` also serves media types that are XML by their suffix (`+xml`), and `name` XHTML.
- `rect` also serves video, where it names a single frame.
- xml and sgml have no `name` (§3.4.2 SGML & XML gives them `elt` and `char` only).
- `%28` and `%29` are the parentheses of a corner (§3.6.4 step 1: both are in OTHER). `%2c` between
  numbers is read as the comma that alone can stand there; a comma is reserved, so step 1 leaves it
  escaped: the text is another one, and means the same. In the name of an element it is data.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from permacite.media_types import PAGES, is_xml
from permacite.pdi.escapes import UNIQUE_ID_CHARS
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.scan import Cursor

__all__ = [
    "LINE",
    "MAX_DIGITS",
    "SCHEMES",
    "FragmentScheme",
    "Schemes",
    "default_scheme",
    "generic_positions",
    "interval",
    "time_interval",
    "with_marks",
]

MAX_DIGITS = 4000
"""No number in a PDI has more digits; every document there is, is shorter."""

_NUMBER = compile_pattern(r"[0-9]+")
_INTERVAL = compile_pattern(r"([0-9]{1,18}),([0-9]{1,18})(?![0-9])")
"""The usual interval; what it does not match is read number by number, to say what is wrong."""

_COMMA = compile_pattern(r",|%2[Cc]")
_OPEN, _CLOSE = compile_pattern(r"\(|%28"), compile_pattern(r"\)|%29")
_ELEMENT_NAME = compile_pattern(f"{UNIQUE_ID_CHARS}++")
_GENERIC = compile_pattern(
    r"[A-Za-z0-9]++|(?:\(|%28)[A-Za-z0-9]++(?:(?:,|%2[Cc])[A-Za-z0-9]++)*+(?:\)|%29)"
)
_UNIT = compile_pattern(r"sec|msec", re.IGNORECASE | re.ASCII)
_FRACTION = compile_pattern(r"([0-9]+)\.([0-9]+)")

Production = Callable[["Cursor"], tuple[str, ...]]
"""A grammar function: moves the cursor past the positions and returns them as written."""


@dataclass(frozen=True, slots=True)
class FragmentScheme:
    """One way to name a part (PDI §3.3).

    `applies` says whether a media type (lower case, without parameters; "" where the format token
    has none) has this scheme. `positions` is the production of what follows the `=`.
    """

    name: str
    applies: Callable[[str], bool]
    positions: Production
    spec: str


@dataclass(frozen=True, slots=True)
class Schemes:
    """The schemes that a parser knows, by name. `generic`: whether any other name will do.

    An unknown scheme is read by the grammar of extension schemes (PDI §1.2.3 ext-position).
    """

    known: tuple[FragmentScheme, ...]
    generic: bool = False
    _names: dict[str, FragmentScheme] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_names", {scheme.name: scheme for scheme in self.known})

    def get(self, name: str) -> FragmentScheme | None:
        """Return the scheme with this name (case-insensitive), or None."""
        folded = name.lower()
        known = self._names.get(folded)
        return _generic(folded) if known is None and self.generic else known

    def extended(self, *schemes: FragmentScheme, generic: bool | None = None) -> Schemes:
        """Return these and more. A scheme takes the place of one with the same name."""
        names = {scheme.name for scheme in schemes}
        kept = tuple(scheme for scheme in self.known if scheme.name not in names)
        return Schemes(kept + schemes, self.generic if generic is None else generic)


def default_scheme(media_type: str) -> str | None:
    """Return the scheme that a fragment may leave out (PDI §3.3), None where there is none.

    `media_type` in lower case, without parameters.
    """
    if media_type.startswith("text/") or media_type in {"message/header", "application/sgml"}:
        return "char"
    if media_type.startswith("image/"):
        return "rect"
    if media_type.startswith(("audio/", "video/")):
        return "sec"
    return None


# ---------------------------------------------------------------- productions


def interval(cursor: Cursor) -> tuple[str, ...]:
    """Parse start "," end   (digits "," digits)."""
    begin = cursor.offset
    match = _INTERVAL.match(cursor.source, begin)
    if match is not None and int(match[1]) <= int(match[2]):
        cursor.offset = match.end()
        return match[1], match[2]
    start = _number(cursor, "the start")
    _comma(cursor, "and the end, which is excluded: 37,38 is one position")
    end = _number(cursor, "the end")
    _in_order(cursor, begin, (start, end))
    return start, end


def time_interval(cursor: Cursor) -> tuple[str, ...]:
    """Parse start-time "," end-time   (PDI §3.4.4; whole numbers only)."""
    begin = cursor.offset
    start = _time(cursor)
    _comma(cursor, "and the end, which is excluded: 23,24 is one second")
    end = _time(cursor)
    _in_order(cursor, begin, (start, end))
    return start, end


def _elements(cursor: Cursor) -> tuple[str, ...]:
    """Parse start-element "," end-element, counted from 0, both included   (PDI §3.4.2)."""
    begin = cursor.offset
    start = _number(cursor, "the first element")
    _comma(cursor, f"and the last element: {start},{start} is one element")
    end = _number(cursor, "the last element")
    _in_order(cursor, begin, (start, end))
    return start, end


def _names(cursor: Cursor) -> tuple[str, ...]:
    """Parse element-name "," element-name, both included   (PDI §3.4.2 HTML)."""
    start = cursor.match(_ELEMENT_NAME)
    if start is None:
        cursor.fail("expected the name of an element; reserved characters are written %hh")
    _comma(cursor, f"and the name of the last element: {start},{start} is one element")
    end = cursor.match(_ELEMENT_NAME)
    if end is None:
        cursor.fail("expected the name of the last element; reserved characters are written %hh")
    return start, end


def _rectangle(cursor: Cursor) -> tuple[str, ...]:
    """Parse start-coordinate "," end-coordinate ["," frame]   (PDI §3.4.5 Image)."""
    corners = _corners(cursor)
    if cursor.match(_COMMA) is None:
        return corners
    return *corners, _number(cursor, "the number of a frame")


def _clip(cursor: Cursor) -> tuple[str, ...]:
    """Parse unit "," start-time "," end-time ["," corner "," corner]   (PDI §3.4.5 Video)."""
    unit = cursor.match(_UNIT)
    if unit is None:
        cursor.fail("expected the unit, sec or msec")
    _comma(cursor, "and the start: crop=sec,23,51")
    times = time_interval(cursor)
    corners = () if cursor.match(_COMMA) is None else _corners(cursor)
    return unit.lower(), *times, *corners


def generic_positions(cursor: Cursor) -> tuple[str, ...]:
    """Parse ext-position *("," ext-position)   (PDI §1.2.3)."""
    positions = []
    while True:
        position = cursor.match(_GENERIC)
        if position is None:
            cursor.fail("expected a position: letters and digits, or (some,in,parentheses)")
        positions.append(with_marks(position))
        if cursor.match(_COMMA) is None:
            return tuple(positions)


def _corners(cursor: Cursor) -> tuple[str, str]:
    """Parse 2-dim-coordinate "," 2-dim-coordinate: the lower right one is excluded."""
    begin = cursor.offset
    first = _coordinate(cursor)
    _comma(cursor, "and the lower right corner, which is excluded: (5,10),(25,30)")
    second = _coordinate(cursor)
    for axis in (0, 1):
        _in_order(cursor, begin, (first[axis], second[axis]))
    return f"({first[0]},{first[1]})", f"({second[0]},{second[1]})"


def _coordinate(cursor: Cursor) -> tuple[str, str]:
    """Parse "(" x-coordinate "," y-coordinate ")"."""
    if cursor.match(_OPEN) is None:
        cursor.fail("expected a corner in parentheses, such as (5,10)")
    x = _number(cursor, "the x coordinate")
    _comma(cursor, "and the y coordinate")
    y = _number(cursor, "the y coordinate")
    if cursor.match(_CLOSE) is None:
        cursor.fail("expected ')' after the y coordinate")
    return x, y


def _number(cursor: Cursor, what: str) -> str:
    """Move past 1*DIGIT and return the digits as written."""
    begin = cursor.offset
    digits = cursor.match(_NUMBER)
    if digits is None:
        cursor.fail(f"expected {what}, a whole number counted from 0")
    if len(digits) > MAX_DIGITS:
        cursor.fail(f"expected a number of at most {MAX_DIGITS} digits", at=begin)
    return digits


def _time(cursor: Cursor) -> str:
    """Parse time = digits."""
    match = _FRACTION.match(cursor.source, cursor.offset)
    if match is not None:
        cursor.fail(
            "expected whole numbers; for fractions of a second use msec, as in msec=1500,2000",
            at=match.end(1),
        )
    return _number(cursor, "a time")


def _comma(cursor: Cursor, then: str) -> None:
    if cursor.match(_COMMA) is None:
        cursor.fail(f"expected ',' {then}")


def with_marks(positions: str) -> str:
    """Positions with the parentheses and commas that are escaped in them."""
    return positions.replace("%28", "(").replace("%29", ")").replace("%2c", ",").replace("%2C", ",")


def _in_order(cursor: Cursor, begin: int, pair: tuple[str, str]) -> None:
    """Refuse a range that runs backwards, on the numbers as written."""
    start, end = (digits.lstrip("0") for digits in pair)
    if (len(start), start) > (len(end), end):
        cursor.fail(f"the range runs backwards: {pair[0][:20]} is after {pair[1][:20]}", at=begin)


# ---------------------------------------------------------------- the schemes


def _is_text(media_type: str) -> bool:
    return default_scheme(media_type) == "char" or is_xml(media_type)


def _is_markup(media_type: str) -> bool:
    return media_type in {"text/html", "text/sgml", "application/sgml"} or is_xml(media_type)


def _is_page(media_type: str) -> bool:
    return media_type in PAGES


def _is_picture(media_type: str) -> bool:
    return media_type.startswith(("image/", "video/"))


def _is_timed(media_type: str) -> bool:
    return media_type.startswith(("audio/", "video/"))


def _is_video(media_type: str) -> bool:
    return media_type.startswith("video/")


def _is_anything(_: str) -> bool:
    return True


def _generic(name: str) -> FragmentScheme:
    return FragmentScheme(name, _is_anything, generic_positions, "PDI §1.2.3")


SCHEMES = Schemes(
    (
        FragmentScheme("char", _is_text, interval, "PDI §3.4.1"),
        FragmentScheme("elt", _is_markup, _elements, "PDI §3.4.2 HTML"),
        FragmentScheme("name", _is_page, _names, "PDI §3.4.2 HTML"),
        FragmentScheme("rect", _is_picture, _rectangle, "PDI §3.4.5 Image"),
        FragmentScheme("sec", _is_timed, time_interval, "PDI §3.4.4"),
        FragmentScheme("msec", _is_timed, time_interval, "PDI §3.4.4"),
        FragmentScheme("crop", _is_video, _clip, "PDI §3.4.5 Video"),
        FragmentScheme("byte", _is_anything, interval, "PDI §3.4.6"),
    )
)
"""The schemes of the draft."""

LINE = FragmentScheme("line", _is_text, interval, "PDI §3.3")
"""An extension: lines start to end (excluded) of the canonical text, counted from 0."""
