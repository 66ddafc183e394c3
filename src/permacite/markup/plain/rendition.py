"""Rendition: a plain text made from markup, and the map between its characters and the source.

Offsets are code points: of `text` on one side, of the decoded source on the other. The map is a
list of pieces in order, kept in arrays: a page of 50 MB has some million pieces of 25 bytes.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from dataclasses import field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from permacite.errors import NotFoundError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Piece", "PieceKind", "Rendition", "RenditionWriter", "Run"]

PieceKind: TypeAlias = Literal["copy", "replaced", "invented"]
"""The same characters; one thing for another (a reference, a run of white space); white space
that stands for tags."""

_COPY, _REPLACED, _INVENTED = range(3)
_KINDS: tuple[PieceKind, ...] = ("copy", "replaced", "invented")


class Piece(NamedTuple):
    """Text from `start` to `end`, made from the source from `source_start` to `source_end`."""

    start: int
    end: int
    source_start: int
    source_end: int
    kind: PieceKind


class Run(NamedTuple):
    """Text that is one stretch of characters in the source, without a tag in between."""

    start: int
    end: int
    source_start: int
    source_end: int


@dataclass(frozen=True, slots=True, eq=False)
class Rendition:
    """The text of a page: `text`, with CRLF line ends, made by the rules of `version`.

    Compare texts: a rendition is equal to itself alone, since it is the text of one source.
    """

    text: str
    version: int
    _starts: array[int] = field(repr=False)
    _source_starts: array[int] = field(repr=False)
    _source_ends: array[int] = field(repr=False)
    _kinds: bytes = field(repr=False)

    def source_range(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch of the source that text from `start` to `end` was made from.

        Of a piece that is no copy the whole source counts. An empty range gives an empty one.
        Raises NotFoundError outside the text.
        """
        self._check(start, end)
        if not self._kinds:
            return 0, 0
        first = self._piece_at(min(start, len(self.text) - 1))
        begin = self._source_offset(first, start, at_end=start == len(self.text))
        if start == end:
            return begin, begin
        last = self._piece_at(end - 1)
        return begin, self._source_offset(last, end, at_end=True)

    def text_range(self, source_start: int, source_end: int) -> tuple[int, int]:
        """Return the text made from the source from `source_start` to `source_end`.

        It begins and ends with characters of the page, never with invented white space; it is
        empty, at the next such character, where the source shows nothing.
        """
        first = self._shown(bisect_right(self._source_ends, source_start), 1)
        if first == len(self._kinds):
            end = len(self.text) - 2 * (self.text.endswith("\r\n"))
            return end, end
        start = self._text_offset(first, source_start, at_end=False)
        last = self._shown(bisect_left(self._source_starts, source_end) - 1, -1)
        if last < first:
            return start, start
        return start, max(start, self._text_offset(last, source_end, at_end=True))

    def runs(self, start: int = 0, end: int | None = None) -> Iterator[Run]:
        """Yield the text from `start` to `end` as runs: what a highlighter can wrap, in order.

        Invented white space is in no run. Raises NotFoundError outside the text.
        """
        end = len(self.text) if end is None else end
        self._check(start, end)
        run: Run | None = None
        for piece in self.pieces(start, end):
            if piece.kind == "invented":
                continue
            if run is not None and (run.end, run.source_end) == (piece.start, piece.source_start):
                run = Run(run.start, piece.end, run.source_start, piece.source_end)
                continue
            if run is not None:
                yield run
            run = Run(*piece[:4])
        if run is not None:
            yield run

    def pieces(self, start: int = 0, end: int | None = None) -> Iterator[Piece]:
        """Yield the map from `start` to `end`: the pieces cover that text without a gap."""
        end = len(self.text) if end is None else end
        self._check(start, end)
        index = self._piece_at(start) if start < end else len(self._kinds)
        while index < len(self._kinds) and self._starts[index] < end:
            begin, stop = max(start, self._starts[index]), min(end, self._starts[index + 1])
            yield Piece(
                begin,
                stop,
                self._source_offset(index, begin, at_end=False),
                self._source_offset(index, stop, at_end=True),
                _KINDS[self._kinds[index]],
            )
            index += 1

    def _check(self, start: int, end: int) -> None:
        if not 0 <= start <= end <= len(self.text):
            problem = f"the text has {len(self.text)} characters"
            raise NotFoundError(problem, f"{start},{end}")

    def _piece_at(self, offset: int) -> int:
        return bisect_right(self._starts, offset, hi=len(self._kinds)) - 1

    def _source_offset(self, index: int, offset: int, *, at_end: bool) -> int:
        """Where the text offset `offset`, in piece `index` or at its end, stands."""
        if self._kinds[index] == _COPY:
            return self._source_starts[index] + offset - self._starts[index]
        return self._source_ends[index] if at_end else self._source_starts[index]

    def _text_offset(self, index: int, source: int, *, at_end: bool) -> int:
        start, end = self._starts[index], self._starts[index + 1]
        if self._kinds[index] == _COPY:
            return min(end, max(start, start + source - self._source_starts[index]))
        return end if at_end else start

    def _shown(self, index: int, step: int) -> int:
        """Return the next piece from `index` on that is not invented, going by `step`."""
        while 0 <= index < len(self._kinds) and self._kinds[index] == _INVENTED:
            index += step
        return index


class RenditionWriter:
    """Builds a Rendition piece by piece; `source` is what copies are taken from."""

    __slots__ = (
        "_kinds",
        "_parts",
        "_source_ends",
        "_source_starts",
        "_starts",
        "length",
        "source",
    )

    def __init__(self, source: str) -> None:
        self.source = source
        self.length = 0
        """Characters written so far."""
        self._parts: list[str] = []
        self._starts = array("q")
        self._source_starts = array("q")
        self._source_ends = array("q")
        self._kinds = bytearray()

    def copy(self, start: int, end: int) -> None:
        """Write source characters as they are."""
        self._parts.append(self.source[start:end])
        if self._kinds and self._kinds[-1] == _COPY and self._source_ends[-1] == start:
            self._source_ends[-1] = end
        else:
            self._note(start, end, _COPY)
        self.length += end - start

    def write(self, text: str, start: int, end: int) -> None:
        """Write `text` for the source from `start` to `end`, which may be the same, or tags."""
        if self.source.startswith(text, start) and end - start == len(text):
            self.copy(start, end)
        else:
            is_tag = self.source.startswith("<", start)
            self._write(text, start, end, _INVENTED if is_tag else _REPLACED)

    def invent(self, text: str, start: int, end: int) -> None:
        """Write white space for the tags from `start` to `end`."""
        self._write(text, start, end, _INVENTED)

    def _write(self, text: str, start: int, end: int, kind: int) -> None:
        self._parts.append(text)
        self._note(start, end, kind)
        self.length += len(text)

    def _note(self, start: int, end: int, kind: int) -> None:
        self._starts.append(self.length)
        self._source_starts.append(start)
        self._source_ends.append(end)
        self._kinds.append(kind)

    def rendition(self, version: int) -> Rendition:
        """What was written."""
        self._starts.append(self.length)
        return Rendition(
            "".join(self._parts),
            version,
            self._starts,
            self._source_starts,
            self._source_ends,
            bytes(self._kinds),
        )
