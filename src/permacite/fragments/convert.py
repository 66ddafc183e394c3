"""Conversion of positions between specifications, with a flag where there is no counterpart.

| count | from | ends | a line ending |
|---|---|---|---|
| PDI §3.4.1 | 0 | excluded | two characters, CR and LF, however it is stored |
| RFC 5147 §2.1 | 0 | excluded | one character, however it is stored |
| draft-wilde-text-fragment-00 §2.1 | 1 | included | the characters that are stored |

Deviations: none.

Readings:
- What stands inside a line ending for one count need not for another. Such a start is rounded down
  and such an end up, and the answer is not exact.
- A position beyond the end is an error here, also where its own specification would clamp it.
- The draft cannot name an empty range: to convert one to it is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from permacite.errors import ParseError
from permacite.fragments import rfc5147, wilde00
from permacite.fragments.location import Location
from permacite.fragments.text import Text
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.text.tally import Tally

__all__ = [
    "Converted",
    "Syntax",
    "fragment",
    "locate_pdi",
    "pdi_to_rfc5147",
    "pdi_to_wilde00",
    "rfc5147_to_pdi",
    "rfc5147_to_wilde00",
    "wilde00_to_pdi",
    "wilde00_to_rfc5147",
]

Syntax: TypeAlias = Literal["rfc5147", "wilde00", "pdi"]
"""Whose fragment it is: RFC 5147's, the older draft's, or one that follows a PDI."""

_POSITIONS = compile_pattern(r"(?:(?i:char)=)?([0-9]{1,15}),([0-9]{1,15})")
_PDI = "PDI §3.4.1"
_RFC5147 = "RFC 5147 §2.1"
_WILDE00 = "draft-wilde-text-fragment-00 §2.1"


class Converted(NamedTuple):
    """A range in other units; `exact` is False where an end had to be rounded."""

    start: int
    end: int
    exact: bool


class _CountedPlace(NamedTuple):
    """A place: the counts before it, or before the line ending that it is in, and those after that.

    `stored` says whether a place inside is between two code points, and not inside one of them.
    """

    before: Tally
    after: Tally
    stored: bool

    @property
    def inside(self) -> bool:
        return self.before != self.after


def pdi_to_rfc5147(text: str | Text, start: int, end: int) -> Converted:
    """Return the RFC 5147 characters from PDI position `start` up to `end`.

    Raises ParseError where these are no positions of the text, in order (PDI §3.4.1).
    """
    return _to_rfc5147(_entity(text), *_from_pdi(_entity(text), start, end))


def rfc5147_to_pdi(text: str | Text, start: int, end: int) -> Converted:
    """Return the PDI positions of the RFC 5147 characters `start` up to `end`; always exact.

    Raises ParseError where these are no positions of the text, in order.
    """
    return _to_pdi(_entity(text), *_from_rfc5147(_entity(text), start, end))


def wilde00_to_rfc5147(text: str | Text, first: int, last: int) -> Converted:
    """Return the RFC 5147 characters that `char(first,last)` names, or `char(first)` if equal.

    Raises ParseError where the text has no such characters.
    """
    return _to_rfc5147(_entity(text), *_from_wilde00(_entity(text), first, last))


def rfc5147_to_wilde00(text: str | Text, start: int, end: int) -> Converted:
    """Return the counts, from 1 and both included, of the RFC 5147 characters; always exact.

    Raises ParseError where these are no positions of the text, in order, or the range is empty.
    """
    return _to_wilde00(*_from_rfc5147(_entity(text), start, end))


def pdi_to_wilde00(text: str | Text, start: int, end: int) -> Converted:
    """Return the counts, from 1 and both included, of PDI position `start` up to `end`.

    Raises ParseError where these are no positions of the text, in order, or the range is empty.
    """
    return _to_wilde00(*_from_pdi(_entity(text), start, end))


def wilde00_to_pdi(text: str | Text, first: int, last: int) -> Converted:
    """Return the PDI positions of `char(first,last)`, or `char(first)` if equal.

    Raises ParseError where the text has no such characters.
    """
    return _to_pdi(_entity(text), *_from_wilde00(_entity(text), first, last))


def locate_pdi(text: Text, written: str) -> Location:
    """Where the characters are that a fragment of a PDI names; none of it is clamped.

    An end inside a line ending takes it in. Raises ParseError.
    """
    start, end = _pdi_range(text, written)
    converted = pdi_to_rfc5147(text, start, end)
    notes = ("an end lies inside a line ending, and was moved outwards",)
    return Location(
        "ok",
        spans=(text.span(converted.start, converted.end),),
        notes=() if converted.exact else notes,
        kind="range" if end > start else "position",
    )


def fragment(text: Text, written: str, source: Syntax, target: Syntax) -> tuple[str, bool]:
    """The characters that a fragment names, by another syntax; and whether these say it exactly.

    Raises ParseError where it cannot be right, names no characters, or has no counterpart.
    """
    start, end, exact = _canonical(text, written, source)
    if target == "pdi":
        return f"char={start},{end}", exact
    if target == "rfc5147":
        converted = pdi_to_rfc5147(text, start, end)
        return f"char={converted.start},{converted.end}", exact and converted.exact
    converted = pdi_to_wilde00(text, start, end)
    last = None if converted.start == converted.end else converted.end
    return str(wilde00.Count("char", converted.start, last)), exact and converted.exact


def _canonical(text: Text, written: str, syntax: Syntax) -> Converted:
    """What a fragment names in PDI positions."""
    if syntax == "pdi":
        return Converted(*_pdi_range(text, written), exact=True)
    location = text.locate((wilde00 if syntax == "wilde00" else rfc5147).parse(written))
    if len(location.spans) != 1:
        problem = location.problem or "expected a fragment that names one part of the text"
        raise ParseError(problem, written, 0)
    start, end = location.spans[0].code_point
    if start == end:
        position = text.place("code_point", start).pdi(text.line_endings)
        return Converted(position, position, exact=True)
    return wilde00_to_pdi(text, start + 1, end)


def _pdi_range(text: Text, written: str) -> tuple[int, int]:
    """Positions as they follow a PDI. Raises ParseError; nothing is clamped there."""
    numbers = _POSITIONS.fullmatch(written)
    if numbers is None:
        raise ParseError("expected 'char=' start ',' end", written, 0, _PDI)
    start, end = int(numbers[1]), int(numbers[2])
    maximum = text.end.pdi(text.line_endings)
    if start > end:
        raise ParseError("the range runs backwards", written, numbers.start(1), _PDI)
    if end > maximum:
        raise ParseError(f"the text has {maximum} characters", written, numbers.start(2), _PDI)
    return start, end


def _entity(text: str | Text) -> Text:
    return Text.of(text) if isinstance(text, str) else text


def _in_order(start: int, end: int, maximum: int, spec: str) -> None:
    """Raise ParseError unless 0 <= start <= end <= maximum."""
    written = f"{start},{end}"
    if not 0 <= start <= end:
        raise ParseError("expected positions in order", written, 0, spec)
    if end > maximum:
        offset = 0 if start > maximum else written.index(",") + 1
        raise ParseError(f"the text has {maximum} characters", written, offset, spec)


def _from_rfc5147(text: Text, start: int, end: int) -> tuple[_CountedPlace, _CountedPlace]:
    _in_order(start, end, text.length, _RFC5147)
    first, last = text.places("char", [start, end])
    return _CountedPlace(first, first, stored=True), _CountedPlace(last, last, stored=True)


def _from_pdi(text: Text, start: int, end: int) -> tuple[_CountedPlace, _CountedPlace]:
    mode = text.line_endings
    _in_order(start, end, text.end.pdi(mode), _PDI)
    places = []
    for position, place in zip((start, end), text.places("pdi", [start, end]), strict=True):
        after = place
        if place.pdi(mode) != position:
            after = text.place("char", place.char(mode) + 1)
        stored = after.code_point - place.code_point != 1
        places.append(_CountedPlace(place, after, stored))
    return places[0], places[1]


def _from_wilde00(text: Text, first: int, last: int) -> tuple[_CountedPlace, _CountedPlace]:
    mode = text.line_endings
    _in_order(first, last, text.end.code_point, _WILDE00)
    if first == 0:
        raise ParseError("counts begin at 1", f"{first},{last}", 0, _WILDE00)
    places = []
    for place in text.places("code_point", [first - 1, last]):
        # Inside a line ending, a place counts as many characters as the one after it.
        after = text.place("char", place.char(mode))
        before = place if after == place else text.place("char", place.char(mode) - 1)
        places.append(_CountedPlace(before, after, stored=True))
    return places[0], places[1]


def _to_rfc5147(text: Text, start: _CountedPlace, end: _CountedPlace) -> Converted:
    mode = text.line_endings
    exact = not (start.inside or end.inside)
    return Converted(start.before.char(mode), end.after.char(mode), exact)


def _to_pdi(text: Text, start: _CountedPlace, end: _CountedPlace) -> Converted:
    mode = text.line_endings
    first, last = start.before.pdi(mode) + start.inside, end.after.pdi(mode) - end.inside
    return Converted(first, last, exact=True)


def _to_wilde00(start: _CountedPlace, end: _CountedPlace) -> Converted:
    first = start.before.code_point + (start.inside and start.stored)
    last = end.after.code_point - (end.inside and end.stored)
    if last <= first:
        written = f"{first},{last}"
        raise ParseError("an empty range has no counterpart", written, 0, _WILDE00)
    return Converted(first + 1, last, exact=start.stored and end.stored)
