"""Fragment schemes: the positions of each, and the media types that have it.

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
| §3.7 schemes that are registered | row, col, cell: positions as RFC 7111 §2 has them; table_area |
| §3.7, RFC 6901 | pointer: one position, a JSON pointer escaped as the name of an element is |
| §3.7 registered: pages of a PDF (RFC 8118 §3) | page, viewrect |
| §3.7 registered: the words of a page within an aggregate (RFC 2557) | part |

Deviations: LINE, `line=start,end` on text/*, is no scheme of the draft. It counts the lines of the
canonical text as RFC 5147 does, and is parsed only where a caller passes `SCHEMES.extended(LINE)`.

Readings:
- §3.7 leaves to be written how schemes are registered. `page=17` and `viewrect=72,100,200,150,17`
  are those of RFC 8118 as far as one scheme of the draft can say the same: pages count from 1, in
  the order of the file; an area is left, top, width and height in whole points from the upper left
  corner of the page as it is shown, and the page, as `rect` ends with a frame; the first page where
  it is left out, for which RFC 8118 opens (decision 0065).
- `part=2,15,32` is of an aggregate: characters 15 up to 32 of the text of its body part 2, by the
  rules of the text of a page; of a body part within another, `part=(3,1),15,32` (decision 0070).
- Every interval excludes its end, except `elt` and `name`, which include the element that ends it.
  Start and end may be equal; a range that runs backwards is refused, on the numbers as written.
- `elt` also serves media types that are XML by their suffix (`+xml`), and `name` XHTML.
- `rect` also serves video, where it names a single frame.
- xml and sgml have no `name` (§3.4.2 SGML & XML gives them `elt` and `char` only).
- `row`, `col` and `cell` are of text/csv alone. RFC 7111 counts from 1, includes the end, writes it
  behind a hyphen, and `*` for the last: `row=5-7`, `cell=4,1-*,2`. Several selections, which it
  parts by `;`, are several fragments, and a name has one (§3.2.3). What is behind the end is an
  error, as in every scheme, where RFC 7111 would ignore it.
- `%28` and `%29` are the parentheses of a corner (§3.6.4 step 1: both are in OTHER). `%2c` between
  numbers is read as the comma that alone is possible there; a comma is reserved, so step 1 leaves
  it escaped: the text is another one, and means the same. In the name of an element it is data.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from permacite.errors import ParseError
from permacite.media_types import PAGES, PDF, is_json, is_xml
from permacite.pdi.grammar import MAX_DIGITS, UNIQUE_ID_CHARS, decapsulate
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.scan import Cursor

__all__ = [
    "LINE",
    "SCHEMES",
    "FragmentScheme",
    "Schemes",
    "check_pointer",
    "default_scheme",
    "generic_positions",
    "interval",
    "part_path",
    "table_area",
    "time_interval",
    "with_marks",
]

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
_COUNT = compile_pattern(r"0*+[1-9][0-9]*+|\*")
_LAST = "*"
_MOST_LEVELS = 32
_LONE_TILDE = compile_pattern(r"~(?![01])")
_OF_POINTERS = "RFC 6901 §3"

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


def _table_range(cursor: Cursor) -> tuple[str, ...]:
    """Parse position ["-" position], counted from 1   (RFC 7111 §3)."""
    begin = cursor.offset
    first = _table_position(cursor)
    if cursor.take("-"):
        _ascending(cursor, begin, first, _table_position(cursor))
    return (cursor.source[begin : cursor.offset],)


def _table_cells(cursor: Cursor) -> tuple[str, ...]:
    """Parse cellrow "," cellcol ["-" cellrow "," cellcol]   (RFC 7111 §3)."""
    begin = cursor.offset
    first = _table_cell(cursor)
    if cursor.take("-"):
        for start, end in zip(first, _table_cell(cursor), strict=True):
            _ascending(cursor, begin, start, end)
    return tuple(with_marks(cursor.source[begin : cursor.offset]).split(","))


def _table_cell(cursor: Cursor) -> tuple[str, str]:
    row = _table_position(cursor)
    _comma(cursor, "and the column: cell=4,1 is the first cell of the fourth row")
    return row, _table_position(cursor)


def _table_position(cursor: Cursor) -> str:
    """Parse number / "*"."""
    begin = cursor.offset
    position = cursor.match(_COUNT)
    if position is None:
        cursor.fail("expected a number counted from 1, or * for the last")
    if len(position) > MAX_DIGITS:
        cursor.fail(f"expected a number of at most {MAX_DIGITS} digits", at=begin)
    return position


def _ascending(cursor: Cursor, begin: int, start: str, end: str) -> None:
    if end == _LAST:
        return
    if start == _LAST:
        cursor.fail("the range runs backwards: nothing is after the last, *", at=begin)
    _in_order(cursor, begin, (start, end))


def _pointer(cursor: Cursor) -> tuple[str, ...]:
    """Parse json-pointer, what is reserved in a name as %hh   (RFC 6901 §3, PDI §1.2.5)."""
    begin = cursor.offset
    written = cursor.match(_ELEMENT_NAME)
    if written is None:
        cursor.fail("expected a JSON pointer, escaped: %2fa%2f0 for /a/0")
    try:
        check_pointer(decapsulate(written))
    except ParseError as error:
        cursor.fail(error.problem, at=begin)
    return (written,)


def check_pointer(pointer: str) -> None:
    """Raise ParseError for what is no JSON pointer of a part   (RFC 6901 §3)."""
    if not pointer.startswith("/"):
        problem = "expected a JSON pointer, which begins with '/', such as /a/0"
        raise ParseError(problem, pointer, 0, _OF_POINTERS)
    tilde = _LONE_TILDE.search(pointer)
    if tilde is not None:
        problem = "expected ~0 for '~' or ~1 for '/' in a JSON pointer"
        raise ParseError(problem, pointer, tilde.start(), _OF_POINTERS)


def table_area(
    scheme: str, positions: Sequence[str]
) -> tuple[tuple[int | None, int | None], tuple[int | None, int | None]]:
    """The first and the last row, and the first and the last column, of `row`, `col` or `cell`.

    Counted from 1; None is the last that there is. `row` has all columns, `col` all rows.
    """
    corners = ",".join(positions).split("-")
    ends = [
        tuple(None if position == _LAST else int(position) for position in corner.split(","))
        for corner in (corners[0], corners[-1])
    ]
    if scheme == "cell":
        (first_row, first_column), (last_row, last_column) = ends
        return (first_row, last_row), (first_column, last_column)
    span = (ends[0][0], ends[1][0])
    return (span, (1, None)) if scheme == "row" else ((1, None), span)


def _page(cursor: Cursor) -> tuple[str, ...]:
    """Parse pageNum, counted from 1   (RFC 8118 §3)."""
    return (_counted(cursor, "the number of a page in the file"),)


def _counted(cursor: Cursor, what: str) -> str:
    """Parse a number that is counted from 1."""
    begin = cursor.offset
    number = _number(cursor, what)
    if not number.strip("0"):
        cursor.fail(f"expected {what}, counted from 1", at=begin)
    return number


def _view(cursor: Cursor) -> tuple[str, ...]:
    """Parse left "," top "," width "," height ["," page]   (RFC 8118 §3)."""
    numbers = [_number(cursor, "the left edge, in points from that of the page")]
    for what in ("top", "width", "height"):
        _comma(cursor, f"and the {what}, in points: viewrect=72,100,200,150,17")
        numbers.append(_number(cursor, f"the {what}"))
    if cursor.match(_COMMA) is not None:
        numbers += _page(cursor)
    return tuple(numbers)


def _inner(cursor: Cursor) -> tuple[str, ...]:
    """Parse body-part "," start "," end: a number, or "(" number 1*("," number) ")"."""
    what, begin = "the number of a body part", cursor.offset
    is_deep = cursor.match(_OPEN) is not None
    path = [_counted(cursor, what)]
    while is_deep and cursor.match(_CLOSE) is None:
        if len(path) == _MOST_LEVELS:
            cursor.fail(f"expected a body part at most {_MOST_LEVELS} levels deep", at=begin)
        _comma(cursor, "and the number of the part in that: part=(3,1),15,32")
        path.append(_counted(cursor, what))
    _comma(cursor, "and the characters of its text: part=2,15,32")
    return f"({','.join(path)})" if is_deep else path[0], *interval(cursor)


def part_path(position: str) -> str:
    """The number of a body part as aggregates have it: 2 or 3.1."""
    return position.strip("()").replace(",", ".")


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


def _is_table(media_type: str) -> bool:
    return media_type == "text/csv"


def _has_pages(media_type: str) -> bool:
    return media_type == PDF


def _is_aggregate(media_type: str) -> bool:
    return media_type == "multipart/related"


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
        FragmentScheme("row", _is_table, _table_range, "RFC 7111 §2.1"),
        FragmentScheme("col", _is_table, _table_range, "RFC 7111 §2.2"),
        FragmentScheme("cell", _is_table, _table_cells, "RFC 7111 §2.3"),
        FragmentScheme("pointer", is_json, _pointer, _OF_POINTERS),
        FragmentScheme("page", _has_pages, _page, "RFC 8118 §3"),
        FragmentScheme("viewrect", _has_pages, _view, "RFC 8118 §3"),
        FragmentScheme("part", _is_aggregate, _inner, "RFC 2557 §8"),
    )
)
"""The schemes of the draft, and those that are registered here (§3.7)."""

LINE = FragmentScheme("line", _is_text, interval, "PDI §3.3")
"""An extension: lines start to end (excluded) of the canonical text, counted from 0."""
