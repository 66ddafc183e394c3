"""Places in a PDF: the fragments of its own media type, and the equivalent schemes.

The application/pdf Media Type (RFC 8118)

| section | name |
|---|---|
| §3 page, viewrect | PagePlace, parse |
| §3 nameddest, structelem and others | refused: what they name is not settled by page and area |

Deviations: none.

Readings:
- Parameters are set apart by `&` or `#`, in any order; names in any case.
- Lengths may be fractions, and are rounded so that the whole area lies within: places of a PDI are
  whole points. A view that begins beyond the upper left corner is cut there.
- `zoom`, `view`, `search`, `highlight` and the like say how a viewer shows a page, and name no
  other part of it: they are passed over where a page or an area is named too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PagePlace", "parse_rfc8118"]

_SPEC = "RFC 8118 §3"
_PARAMETER = compile_pattern(r"([A-Za-z]{1,20})=([^&#]*+)")
_NUMBER = compile_pattern(r"[0-9]{1,9}")
_LENGTHS = compile_pattern(r"(-?[0-9]{1,9}(?:\.[0-9]{0,20})?)(?:,|%2[Cc]|$)")
_ELSEWHERE = frozenset({"nameddest", "structelem", "comment", "ef", "fdf"})
_EDGES = 4


@dataclass(frozen=True, slots=True)
class PagePlace:
    """A page of a PDF, counted from 1 in the file, or an area of it.

    `area`: left, top, width and height in points from its upper left corner as it is shown.
    """

    page: int
    area: tuple[int, int, int, int] | None = None

    @classmethod
    def of(cls, scheme: str, positions: Sequence[str]) -> PagePlace | None:
        """What the positions of a fragment name; None for those of other schemes."""
        if scheme not in {"page", "viewrect"}:
            return None
        numbers = [int(digits) for digits in positions]
        if scheme == "page":
            return cls(numbers[0])
        left, top, width, height, *page = numbers
        return cls(page[0] if page else 1, (left, top, width, height))

    @property
    def scheme(self) -> str:
        """The scheme that says it in a name."""
        return "page" if self.area is None else "viewrect"

    @property
    def positions(self) -> tuple[int, ...]:
        """Its positions there."""
        return (self.page,) if self.area is None else (*self.area, self.page)

    @property
    def specifier(self) -> str:
        """What stands behind `#` in a name, such as viewrect=72,100,200,150,17."""
        return f"{self.scheme}={','.join(map(str, self.positions))}"

    @property
    def parameters(self) -> str:
        """The same as RFC 8118 has it, such as page=17&viewrect=72,100,200,150."""
        area = "" if self.area is None else f"&viewrect={','.join(map(str, self.area))}"
        return f"page={self.page}{area}"


def parse_rfc8118(text: str) -> PagePlace:
    """The place that a fragment of application/pdf names. Raises ParseError."""
    page: int | None = None
    area = None
    for parameter in _PARAMETER.finditer(text):
        name, value = parameter[1].lower(), parameter[2]
        if name in _ELSEWHERE:
            hint = "name its page, such as page=17, and an area if need be"
            problem = f"{name} is not read: where it leads is settled inside of the document"
            raise ParseError(problem, text, parameter.start(), _SPEC, hint=hint)
        if name == "page":
            number = _NUMBER.fullmatch(value)
            if number is None or not int(value):
                problem = "expected the number of a page, counted from 1"
                raise ParseError(problem, text, parameter.start(2), _SPEC)
            page = int(value)
        if name == "viewrect":
            area = _area(text, parameter.start(2), value)
    if page is None and area is None:
        problem = "expected page= and the number of a page, or viewrect="
        raise ParseError(problem, text, 0, _SPEC)
    return PagePlace(page or 1, area)


def _area(text: str, offset: int, value: str) -> tuple[int, int, int, int]:
    """Left, top, width and height in whole points, rounded outwards."""
    lengths = [float(each) for each in _LENGTHS.findall(value)]
    if len(lengths) != _EDGES or _LENGTHS.sub("", value):
        problem = "expected left, top, width and height in points, such as 72,100,200,150"
        raise ParseError(problem, text, offset, _SPEC)
    left, top, width, height = lengths
    if width <= 0 or height <= 0 or left + width <= 0 or top + height <= 0:
        raise ParseError("expected an area that is not empty", text, offset, _SPEC)
    x, y = (max(0, math.floor(edge)) for edge in (left, top))
    return x, y, math.ceil(left + width) - x, math.ceil(top + height) - y
