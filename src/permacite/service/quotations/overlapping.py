"""Whether two passages of one version share anything, be they named in one format or in two.

| passages | compared by |
|---|---|
| of one text or page, by any schemes | the bytes they are made of |
| of a page and of its text | the characters of the text, through the map of its rendition |
| rectangles of one picture | the pixels they share, in one frame |
| times of one sound or video | the milliseconds they share |
| any others | their names: alike ones share all |

Readings: an element that shows nothing has no words, and shares none with the text. A page and a
text are compared only where the rendition of the page, made anew, is that text to the letter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.objects import digest_of
from permacite.errors import PermaciteError
from permacite.markup import Document
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite import pdi
    from permacite.archive import Repository, Representation

__all__ = ["Overlaps"]

Range = tuple[int, int]

_MILLISECONDS = {"sec": 1000, "msec": 1}
_NUMBER = compile_pattern(r"[0-9]+")
_CORNERS = 4
"""Numbers of a rectangle; a frame may follow."""


class Overlaps:
    """Compares passages; what is read for it is kept for the next comparison."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._bytes: dict[str, Range | None] = {}
        self._pages: dict[str, Document] = {}

    def touch(self, a: pdi.FragmentPDI, b: pdi.FragmentPDI) -> bool:
        """Whether two passages share anything; not where one of them is not to be had."""
        try:
            first, second = (
                self._repository.lookup.representation(fragment.pdi) for fragment in (a, b)
            )
            if first.pdi == second.pdi:
                return self._within(first, a, b)
            if first.pdi.version != second.pdi.version:
                return False
            if second.derived_from == first.format:
                return self._across(first, a, second, b)
            return first.derived_from == second.format and self._across(second, b, first, a)
        except PermaciteError:
            return False

    def _within(
        self, representation: Representation, a: pdi.FragmentPDI, b: pdi.FragmentPDI
    ) -> bool:
        """Compare two passages of one format."""
        if (a.scheme, a.positions) == (b.scheme, b.positions):
            return True
        if a.scheme == b.scheme == "rect":
            return _rectangles(a, b)
        if a.scheme in _MILLISECONDS and b.scheme in _MILLISECONDS:
            return _share(_milliseconds(a), _milliseconds(b))
        if a.scheme == b.scheme and a.scheme in {"char", "byte"}:
            return _share(_numbers(a), _numbers(b))
        return _share(self._place(representation, a), self._place(representation, b))

    def _across(
        self, page: Representation, a: pdi.FragmentPDI, text: Representation, b: pdi.FragmentPDI
    ) -> bool:
        """Compare a passage of a page with one of its text."""
        place = self._place(page, a)
        document = self._page(page)
        rendition = document.reading.rendition
        digest = digest_of(rendition.text.encode())
        if place is None or digest != text.digest:
            return False
        start, end = map(document.text.offset, place)
        shown = rendition.text_range(start, min(end, len(document.source)))
        if b.scheme == "char":
            return _share(shown, _numbers(b))
        # Any other scheme of the text is compared by its bytes, which are UTF-8.
        edges = (len(rendition.text[:position].encode()) for position in shown)
        return _share((next(edges), next(edges)), self._place(text, b))

    def _page(self, page: Representation) -> Document:
        """A page, to be read once."""
        if page.digest not in self._pages:
            self._pages[page.digest] = Document.of(
                self._repository.contents.text(page), page.media_type
            )
        return self._pages[page.digest]

    def _place(self, representation: Representation, fragment: pdi.FragmentPDI) -> Range | None:
        """The bytes that a passage is made of; None where it is decoded from them."""
        key = f"{representation.pdi}#{fragment.specifier}"
        if key not in self._bytes:
            self._bytes[key] = self._repository.contents.excerpt(
                representation, fragment.specifier
            ).source_range
        return self._bytes[key]


def _share(a: Range | None, b: Range | None) -> bool:
    """Whether two half-open intervals share anything."""
    return a is not None and b is not None and max(a[0], b[0]) < min(a[1], b[1])


def _numbers(fragment: pdi.FragmentPDI) -> Range:
    return int(fragment.positions[0]), int(fragment.positions[1])


def _milliseconds(fragment: pdi.FragmentPDI) -> Range:
    start, end = _numbers(fragment)
    unit = _MILLISECONDS[fragment.scheme]
    return start * unit, end * unit


def _rectangles(a: pdi.FragmentPDI, b: pdi.FragmentPDI) -> bool:
    """Whether two rectangles share a pixel of one frame; the first where none is named."""
    first, second = ([int(n) for n in _NUMBER.findall(",".join(x.positions))] for x in (a, b))
    if (*first[_CORNERS:], 0)[0] != (*second[_CORNERS:], 0)[0]:
        return False
    across = _share((first[0], first[2]), (second[0], second[2]))
    return across and _share((first[1], first[3]), (second[1], second[3]))
