"""Parts of structured text: cells of CSV, values of JSON, elements of markup (PDI §3.4).

Common Format and MIME Type for CSV Files (RFC 4180) §2, URI Fragment Identifiers for the text/csv
Media Type (RFC 7111) §2

| section | function |
|---|---|
| RFC 4180 §2 records and fields | CellTable |
| RFC 7111 §2 rows, columns, cells | cells, CellTable.area |
| RFC 6901 JSON Pointer | json_value |
| PDI §3.4.2 HTML, SGML and XML | elements_by_position, elements_by_name |

Deviations: what is beyond the last row or column is an error, as in every scheme of a PDI.

Readings: the rules for CSV are frozen, since names depend on them.
- The separator is the most frequent of comma, semicolon and tab in the first record, outside
  quotation marks; of equals the first of these.
- A quotation mark opens a quoted field only where the field begins. What follows the one that
  closes it belongs to the field, verbatim; one that is never closed takes all that is left.
- An empty line is a record of one empty field. A line end at the very end ends the last record.
- The header is row 1, whatever the parameter `header` of the media type says.
- A record and a field are what is written: with quotation marks, without the line end or separator
  after them. Several rows of a rectangle are each on a line.
- A JSON value is cut as it is written, without the white space around it. A pointer to two values
  names nothing: RFC 6901 §4 leaves open which is meant if a name occurs twice in an object. Octets
  that are no JSON have no parts, however far they could be read.
- Positions of elements count start tags from 0; both ends are included. The part is the exact slice
  of the source, from the start tag of the first element to the end of the last, never repaired.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from permacite.errors import NotFoundError
from permacite.extract.text import Excerpt, Extent, characters, digest_of, excerpt, extent, nothing
from permacite.markup.tree import html_elements, xml_elements
from permacite.media_types import is_xml
from permacite.pdi import decapsulate
from permacite.pdi.schemes import table_area
from permacite.scan import compile_pattern
from permacite.values import LONGEST_POINTER, values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.markup.tree import MarkupElement
    from permacite.text.entity import DocumentText

__all__ = [
    "CellArea",
    "CellTable",
    "cells",
    "elements_by_name",
    "elements_by_position",
    "json_value",
    "value",
]


def elements_by_position(text: DocumentText, media_type: str, start: int, end: int) -> Excerpt:
    """Return the elements from number `start` to number `end`.

    Raises NotFoundError where there is no element `start`.
    """
    elements = _elements(text, media_type)
    found = extent(start, end + 1, len(elements), "elements")
    last = elements[found.end - 1]
    return _between(text, media_type, (elements[start], last), clipped=found.clipped)


def elements_by_name(text: DocumentText, media_type: str, start: str, end: str) -> Excerpt:
    """Return the elements from the one named `start` to the one named `end` (both escaped).

    The first element of that name counts, else the first whose `id` it is. Raises NotFoundError.
    """
    elements = _elements(text, media_type)
    first, last = (_named(elements, decapsulate(name)) for name in (start, end))
    if last.end <= first.start:
        nothing(f"{start},{end}"[:80], "the second element ends before the first begins")
    return _between(text, media_type, (first, last), clipped=False)


def _named(elements: list[MarkupElement], name: str) -> MarkupElement:
    for attribute in ("name", "id"):
        for element in elements:
            if element.tag.get(attribute) == name:
                return element
    names = dict.fromkeys(element.tag.get("name") or "" for element in elements)
    known = tuple(known for known in names if known.casefold() == name.casefold())[:5]
    raise NotFoundError("no element has this name", name[:80], candidates=known)


def _elements(text: DocumentText, media_type: str) -> list[MarkupElement]:
    read = xml_elements if is_xml(media_type) else html_elements
    return read(text.stored)


def _between(
    text: DocumentText, media_type: str, ends: tuple[MarkupElement, MarkupElement], *, clipped: bool
) -> Excerpt:
    span = text.entity.span(ends[0].start, ends[1].end, "code_point")
    return excerpt(text, media_type, span, clipped=clipped)


def json_value(document: DocumentText, media_type: str, position: str) -> Excerpt:
    """Return the value that a pointer names; `position` is the pointer, escaped.

    Raises NotFoundError where there is none, or are several, ParseError for what is no JSON.
    """
    pointer = decapsulate(position)
    found = [each for each in values(document.text) if each.pointer == pointer]
    if len(found) == 1:
        return characters(document, media_type, found[0].start, found[0].end)
    problem = "there is no such value in the document"
    if found:
        problem = f"{len(found)} values in the document have this pointer"
    elif len(pointer) > LONGEST_POINTER:
        problem = f"pointers have at most {LONGEST_POINTER:,} characters"
    raise NotFoundError(problem, pointer[:80])


_END = "\r\n"
_SEPARATORS = ",;\t"
_ALL = 1 << 62
"""More columns than there can be."""
_QUOTED = r'"(?:[^"]++|"")*+(?:"|\Z)'
_FIELDS = {each: compile_pattern(rf"(?:{_QUOTED})?+[^{each}\r]*+") for each in _SEPARATORS}
_RECORDS = {
    each: compile_pattern(rf"(?:{_QUOTED})?+[^{each}\r]*+(?:{each}(?:{_QUOTED})?+[^{each}\r]*+)*+")
    for each in _SEPARATORS
}
_FIRST = compile_pattern(rf'(?:[^"\r]++|{_QUOTED})*+')
_WITHIN = compile_pattern(r'"((?:[^"]++|"")*+)(?:"|\Z)')


class CellArea(NamedTuple):
    """Rows and columns from 0, ends excluded."""

    rows: tuple[int, int]
    columns: tuple[int, int]
    clipped: bool


class CellTable:
    """The records of a canonical text, and the places of their fields in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        first = _FIRST.match(text)
        head = _WITHIN.sub("", first[0] if first else "")
        self.separator = max(_SEPARATORS, key=head.count)
        self._field = _FIELDS[self.separator]
        self._starts, self._ends = array("q"), array("q")
        record = _RECORDS[self.separator]
        place = 0
        while place < len(text):
            found = record.match(text, place)
            assert found is not None  # noqa: S101 - an empty record is one too
            self._starts.append(place)
            self._ends.append(found.end())
            place = found.end() + len(_END)

    @property
    def height(self) -> int:
        """How many records there are."""
        return len(self._starts)

    @cached_property
    def width(self) -> int:
        """How many fields the longest record has."""
        if '"' in self.text:
            return max((len(self.fields(row)) for row in range(self.height)), default=0)
        separators = map(partial(self.text.count, self.separator), self._starts, self._ends)
        return 1 + max(separators, default=-1)

    def record(self, row: int) -> tuple[int, int]:
        """Where a record stands, counted from 0."""
        return self._starts[row], self._ends[row]

    def row_of(self, place: int) -> int:
        """The record that a position is in, or behind."""
        return max(0, bisect_right(self._starts, place) - 1)

    def fields(self, row: int) -> list[tuple[int, int]]:
        """Where the fields of a record stand."""
        place, last = self.record(row)
        fields = []
        while True:
            found = self._field.match(self.text, place)
            assert found is not None  # noqa: S101 - an empty field is one too
            fields.append(found.span())
            place = found.end() + 1
            if place > last:
                return fields

    def around(self, start: int, end: int) -> tuple[tuple[int, int], tuple[int, int] | None]:
        """The rows that a stretch of the text is in; of one row, the columns too."""
        rows = self.row_of(start), self.row_of(max(start, end - 1)) + 1
        if rows[1] - rows[0] > 1 or not self.height:
            return rows, None
        fields = enumerate(self.fields(rows[0]))
        inside = [column for column, field in fields if field[0] < end and start <= field[1]]
        whole = (start, end) == self.record(rows[0]) or not inside
        return rows, None if whole else (inside[0], inside[-1] + 1)

    def says(self, row: int, column: int) -> str:
        """What a field says; "" where there is none."""
        fields = self.fields(row)[column : column + 1] if row < self.height else []
        return value(self.text[slice(*fields[0])]) if fields else ""

    def area(self, scheme: str, positions: Sequence[str]) -> CellArea:
        """What a fragment names of this table.

        Raises NotFoundError where the table has no part of it.
        """
        rows, columns = table_area(scheme, positions)
        down = _extent(rows, self.height, "rows")
        if scheme == "row":
            return CellArea((down.start, down.end), (0, _ALL), down.clipped)
        across = _extent(columns, self.width, "columns")
        clipped = down.clipped or across.clipped
        return CellArea((down.start, down.end), (across.start, across.end), clipped)

    def spans(self, area: CellArea) -> list[tuple[int, int]]:
        """The places of an area in the text: for each row the fields that are in it."""
        first, last = area.columns
        spans = []
        for row in range(*area.rows):
            start, end = self.record(row)
            if last < _ALL:
                fields = self.fields(row)[first:last] or [(end, end)]
                start, end = fields[0][0], fields[-1][1]
            spans.append((start, end))
        return spans


def cells(
    document: DocumentText, media_type: str, scheme: str, positions: Sequence[str]
) -> Excerpt:
    """Return the rows, columns or cells that a fragment names.

    Where they are not one stretch, each row is on its own line, with its line end.
    Raises NotFoundError where the table has none of them.
    """
    table = CellTable(document.text)
    area = table.area(scheme, positions)
    spans = table.spans(area)
    if scheme == "row" or len(spans) == 1:
        start, end = spans[0][0], spans[-1][1]
        found = characters(document, media_type, start, end)
        return replace(found, clipped=area.clipped)
    rows = range(*area.rows)
    ends = [(table.record(row)[1], table.record(row)[1] + len(_END)) for row in rows[:-1]]
    pieces = [piece for pair in zip(spans, ends, strict=False) for piece in pair] + spans[-1:]
    words = "".join(table.text[slice(*piece)] for piece in pieces)
    places = document.entity.places("pdi", [place for piece in pieces for place in piece])
    octets = document.octets(places[0].byte, places[-1].byte)
    stops = [place.byte - places[0].byte for place in places]
    data = b"".join(octets[start:end] for start, end in zip(stops[::2], stops[1::2], strict=True))
    digest = digest_of("utf-8", words.encode())
    return Excerpt(data, media_type, words, None, area.clipped, digest)


def value(written: str) -> str:
    """What a field says: without the quotation marks around it, doubled ones single."""
    found = _WITHIN.match(written)
    return written if found is None else found[1].replace('""', '"') + written[found.end() :]


def _extent(ends: tuple[int | None, int | None], size: int, unit: str) -> Extent:
    first, last = (size if end is None else end for end in ends)
    if first > size or last < first or size == 0:
        nothing(f"{first}-{last}"[:80], f"the table has {size} {unit}")
    return Extent(first - 1, min(last, size), clipped=last > size)
