"""A part of a document in words that people understand, such as 0:12-0:31.

What is counted is told with its last one, as HTTP counts octets: `byte=5,10` is bytes 5-9. Times
and corners are told as they stand in the name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from permacite import pdi
from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.pdi.schemes import part_path, table_area
from permacite.scan import compile_pattern
from permacite.words import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.words import Words

Ends: TypeAlias = tuple[int | None, int | None]
"""The first and the last; None for the last that there is."""

__all__ = ["Part", "clock", "part_of", "told", "told_of", "words_of"]

_NUMBER = compile_pattern(r"[0-9]+")
_COUNTED = {
    "char": "character",
    "line": "line",
    "elt": "element",
    "byte": "byte",
    "part": "character",
}
_CORNERS = 4
_SECOND, _MINUTE, _HOUR = 1000, 60_000, 3_600_000


@dataclass(frozen=True, slots=True)
class Part:
    """What a fragment names, as numbers."""

    scheme: str
    span: tuple[int, int] | None = None
    """Of what is counted, from 0: the first, and the one after the last."""
    names: tuple[str, str] | None = None
    """Of the first and the last element."""
    milliseconds: tuple[int, int] | None = None
    """When it begins and ends, of sound and video."""
    corners: tuple[int, int, int, int] | None = None
    """Left, top, right, bottom; the last two are excluded."""
    frame: int | None = None
    """Which picture, from 0, where the name says so."""
    rows: Ends | None = None
    """The first and the last of a table, from 1."""
    columns: Ends | None = None
    pointer: str = ""
    """To a value of JSON."""
    place: pdi.PagePlace | None = None
    """A page of a PDF, or an area of it."""
    inner: str = ""
    """The number of the body part in whose text it is."""


def part_of(fragment: pdi.FragmentPDI) -> Part:
    """The numbers of a fragment."""
    scheme, positions = fragment.scheme, fragment.positions
    if scheme in {"name", "pointer", "row", "col", "cell", "part"}:
        return _uncounted(scheme, positions)
    numbers = [int(digits) for digits in _NUMBER.findall(",".join(positions))]
    if scheme in _COUNTED:
        return Part(scheme, span=(numbers[0], numbers[1] + (scheme == "elt")))
    if scheme == "rect":
        left, top, right, bottom, *frame = numbers
        return Part(scheme, corners=(left, top, right, bottom), frame=next(iter(frame), None))
    if scheme not in {"sec", "msec", "crop"}:
        return Part(scheme, place=pdi.PagePlace.of(scheme, positions))
    unit = positions[0] if scheme == "crop" else scheme
    start, end, *corners = numbers
    factor = _SECOND if unit == "sec" else 1
    times = start * factor, end * factor
    if len(corners) < _CORNERS:
        return Part(scheme, milliseconds=times)
    left, top, right, bottom = corners
    return Part(scheme, milliseconds=times, corners=(left, top, right, bottom))


def _uncounted(scheme: str, positions: tuple[str, ...]) -> Part:
    """Elements by their names, a value of JSON, cells of a table, words of a page within."""
    if scheme == "part":
        path, start, end = positions
        return Part(scheme, span=(int(start), int(end)), inner=part_path(path))
    if scheme == "name":
        return Part(scheme, names=(_name(positions[0]), _name(positions[-1])))
    if scheme == "pointer":
        return Part(scheme, pointer=pdi.decapsulate(positions[0]))
    rows, columns = table_area(scheme, positions)
    is_row, is_column = scheme != "col", scheme != "row"
    return Part(scheme, rows=rows if is_row else None, columns=columns if is_column else None)


def _name(position: str) -> str:
    try:
        return pdi.decapsulate(position)
    except ParseError:  # its octets are no UTF-8
        return position


def told_of(reference: str, words: Words = ENGLISH) -> str:
    """The part that a recorded citation names, in words; "" where it names none."""
    name = pdi.parse(reference, strict=False)
    return told(part_of(name), words) if isinstance(name, pdi.FragmentPDI) else ""


def words_of(reference: str, quote: str, title: str) -> str:
    """What is cited, on one line: the words, or else "0:12-0:31 of" and the title."""
    part = told_of(reference)
    place = ENGLISH("parts.of", part=part, title=title) if part else title
    return " ".join(quote.split()) or " ".join(place.split())


def told(part: Part, words: Words = ENGLISH) -> str:
    """A part in words."""
    said = []
    if part.span is not None:
        said.append(_counted(words, _COUNTED[part.scheme], *part.span))
    said += _named(words, part)
    for what, ends in (("row", part.rows), ("column", part.columns)):
        if ends is not None:
            said.append(_ended(words, what, *ends))
    if part.milliseconds is not None:
        said.append("-".join(map(clock, part.milliseconds)))
    if part.frame is not None:
        said.append(words("parts.frame", number=part.frame))
    if part.place is not None:
        said += _placed(words, part.place)
    if part.corners is not None:
        left, top, right, bottom = part.corners
        said.append(words("parts.rectangle", left=left, top=top, right=right, bottom=bottom))
    return ", ".join(said) or part.scheme


def _named(words: Words, part: Part) -> Iterator[str]:
    """Elements, a value of JSON, or a page within, by their names."""
    if part.names is not None:
        first, last = part.names
        yield words("parts.named", count=1 if first == last else 2, first=first, last=last)
    if part.pointer:
        yield words("parts.pointer", pointer=part.pointer)
    if part.inner:
        yield words("parts.inner", inner=part.inner)


def _counted(words: Words, what: str, start: int, end: int) -> str:
    if start == end:
        return words(f"parts.before_{what}", first=start)
    return words(f"parts.{what}", count=end - start, first=start, last=end - 1)


def _placed(words: Words, place: pdi.PagePlace) -> Iterator[str]:
    """An area of a page of a PDF, and the page."""
    if place.area is not None:
        left, top, width, height = place.area
        yield words("parts.area", left=left, top=top, width=width, height=height)
    yield words("parts.page", number=place.page)


def _ended(words: Words, what: str, first: int | None, last: int | None) -> str:
    """Rows or columns of a table, such as "rows 5-7", "row 5 to the last"."""
    if first is None:
        return words(f"parts.last_{what}")
    if last is None:
        return words(f"parts.{what}_to_last", first=first)
    return words(f"parts.{what}", count=last - first + 1, first=first, last=last)


def clock(milliseconds: int) -> str:
    """A time as a clock shows it: 0:12, 1:02:03, 0:12.5."""
    hours, rest = divmod(milliseconds, _HOUR)
    minutes, rest = divmod(rest, _MINUTE)
    seconds, thousandths = divmod(rest, _SECOND)
    fraction = f".{thousandths:03}".rstrip("0") if thousandths else ""
    if hours:
        return f"{hours}:{minutes:02}:{seconds:02}{fraction}"
    return f"{minutes}:{seconds:02}{fraction}"
