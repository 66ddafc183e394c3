"""Map of the text of a PDF: the page of each character, and the box in which it is drawn.

    pdf-map/1 LF, then compressed by zlib (RFC 1950), integers of 32 bits, the least octet first:
    the number of pages, the number of characters,
    of each page: where its text begins, its number, its width and its height;
    of all characters in turn: left, top, width and height, each as the difference from the one
    before; then an octet each: 1 where a hyphen at the end of a line was taken out before it.

Lengths are twentieths of a point, from the upper left corner of the page as it is shown. What the
rules made up, such as spaces and line ends, has boxes without width and height.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from bisect import bisect_right
from dataclasses import field
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["HYPHEN", "UNITS", "CharacterBoxes", "PageMap", "Quad", "read_map", "write_map"]

_MAGIC = b"pdf-map/1\n"
UNITS = 20
"""In a point."""
HYPHEN = 1
_MOST = 1 << 30


class PageMap(NamedTuple):
    """A page: where its text begins, its number from 1, its width and height in units."""

    start: int
    number: int
    width: int
    height: int


class Quad(NamedTuple):
    """A stretch of a line on a page, in points from its upper left corner."""

    page: int
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True, eq=False)
class CharacterBoxes:
    """The places of all characters of a text."""

    pages: tuple[PageMap, ...]
    _columns: tuple[array[int], ...] = field(repr=False)
    _flags: bytes = field(repr=False)

    def page_at(self, position: int) -> PageMap:
        """The page on which the character at a position stands. Raises ParseError without pages."""
        if not self.pages:
            raise ParseError("the map has no pages", "", 0)
        index = bisect_right(self.pages, position, key=lambda page: page.start) - 1
        return self.pages[max(index, 0)]

    @property
    def size_bytes(self) -> int:
        """What it takes in memory, about."""
        return 17 * len(self._flags) + 200 * len(self.pages)

    def span_of(self, number: int) -> tuple[int, int]:
        """Where the text of a page begins and ends; nothing for one that is not there."""
        for index, page in enumerate(self.pages):
            if page.number == number:
                after = self.pages[index + 1 :]
                return page.start, after[0].start if after else len(self._flags)
        return 0, 0

    def within(self, number: int, area: tuple[float, float, float, float]) -> list[tuple[int, int]]:
        """The stretches of text in an area of a page: characters whose middle is in it.

        What the rules made up between two is in it too. `area`: left, top, right, bottom.
        """
        left, top, right, bottom = area
        spans: list[tuple[int, int]] = []
        whole = True
        for position in range(*self.span_of(number)):
            box = self._box(position)
            if box is None:
                continue
            x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
            inside = left <= x < right and top <= y < bottom
            if inside and whole and spans:
                spans[-1] = spans[-1][0], position + 1
            elif inside:
                spans.append((position, position + 1))
            whole = inside
        return spans

    def _box(self, position: int) -> Quad | None:
        """The box of a character; None for what the rules made up."""
        left, top, width, height = (column[position] for column in self._columns)
        if not (width or height):
            return None
        x, y = left / UNITS, top / UNITS
        page = self.page_at(position).number
        return Quad(page, x, y, x + width / UNITS, y + height / UNITS)

    def quads(self, start: int, end: int) -> list[Quad]:
        """What to draw for the text from `start` up to `end`: a box for each stretch of a line."""
        return [quad for _, quad in self.stretches(start, end)]

    def stretches(self, start: int, end: int) -> list[tuple[int, Quad]]:
        """The same boxes, each with the position of its first character."""
        found: list[tuple[int, Quad]] = []
        for position in range(max(start, 0), min(end, len(self._flags))):
            box = self._box(position)
            if box is None:
                continue
            if found and _continues(found[-1][1], box):
                first, last = found[-1]
                found[-1] = first, _around(last, box)
            else:
                found.append((position, box))
        return found

    def had_hyphen(self, position: int) -> bool:
        """Whether a hyphen at the end of a line was taken out before this character."""
        return bool(self._flags[position] & HYPHEN)


def _around(last: Quad, box: Quad) -> Quad:
    """The box around two."""
    return Quad(
        last.page,
        min(last.left, box.left),
        min(last.top, box.top),
        max(last.right, box.right),
        max(last.bottom, box.bottom),
    )


def _continues(last: Quad, box: Quad) -> bool:
    """Whether a box stands beside the last one on its line: near, and as high by half."""
    height = min(last.bottom - last.top, box.bottom - box.top)
    shared = min(last.bottom, box.bottom) - max(last.top, box.top)
    near = max(last.left, box.left) - min(last.right, box.right) <= height
    return last.page == box.page and shared >= 0.5 * height and near


def write_map(pages: Sequence[PageMap], columns: Sequence[array[int]], flags: bytes) -> bytes:
    """The octets of a map; `columns` hold the differences."""
    head = array("i", [len(pages), len(flags)])
    for page in pages:
        head.extend(page)
    ints = [head, *columns]
    if sys.byteorder == "big":
        ints = [array("i", column) for column in ints]
        for column in ints:
            column.byteswap()
    octets = b"".join(column.tobytes() for column in ints) + flags
    return _MAGIC + zlib.compress(octets, 4)


def read_map(octets: bytes) -> CharacterBoxes:
    """The places that a map holds. Raises ParseError."""
    if not octets.startswith(_MAGIC):
        raise ParseError("expected a map of the form pdf-map/1", repr(octets[:20]), 0)
    try:
        unpacking = zlib.decompressobj()
        plain = unpacking.decompress(octets[len(_MAGIC) :], _MOST)
    except zlib.error as error:
        raise ParseError("the map cannot be unpacked", repr(octets[:20]), 0) from error
    head = _ints(plain, 0, 2)
    count, length = head
    if count < 0 or length < 0 or len(plain) != 8 + 16 * count + 17 * length:
        raise ParseError("the map has another length than it says", repr(octets[:20]), 0)
    rows = _ints(plain, 8, 4 * count)
    pages = tuple(PageMap(*rows[index : index + 4]) for index in range(0, 4 * count, 4))
    begin = 8 + 16 * count
    columns = []
    for index in range(4):
        steps = _ints(plain, begin + 4 * length * index, length)
        try:
            columns.append(array("i", accumulate(steps)))
        except OverflowError as error:
            raise ParseError("the map has places beyond all pages", "", 0) from error
    return CharacterBoxes(pages, tuple(columns), plain[begin + 16 * length :])


def _ints(plain: bytes, start: int, count: int) -> array[int]:
    """Integers of 32 bits. Raises ParseError where they are not all there."""
    values = array("i")
    part = plain[start : start + 4 * count]
    if len(part) != 4 * count:
        raise ParseError("the map ends early", "", 0)
    values.frombytes(part)
    if sys.byteorder == "big":
        values.byteswap()
    return values
