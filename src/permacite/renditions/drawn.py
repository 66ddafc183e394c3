"""Rendition of a page as a browser drew it, and its markup: from pieces and their layout.

A browser tells the markup of each document in pieces, texts between tags, and in which order and
layout the texts were drawn. This makes the source of each document and one text of all, by rules
that are frozen: docs/explanation/the-words-of-drawn-pages.md has them one by one.

The map leads from the text to the sources: `permacite-drawn-map/1` and a line end, then runs of
characters that are the same in both. Of each run, as LEB128: how far it begins behind the end of
the one before; its length, twice, and one more where another source begins, whose number follows;
and where it begins in the source, against the end of the one before, zigzag.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from permacite.errors import LimitError, ParseError
from permacite.lazy_dataclass import dataclass
from permacite.renditions.model import Notice, Rendered
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["DRAWN_TEXT", "Drawing", "DrawnMap", "DrawnSource", "draw", "read_map"]

_MOST_BITS = 56
DRAWN_TEXT = "drawn-text/1"
"""Name and version of the rules."""

_FORM = b"permacite-drawn-map/1\n"
_TEXT, _LINE, _APART, _BREAK, _ROW, _ROW_END, _CELL, _CELL_END, _FRAME = range(9)
_COLLAPSED, _PRESERVED, _LINES_KEPT = range(3)
_MOST_FRAMES = 1000
_DEEPEST = 16
"""How deep frames may nest."""

_FARTHEST = 1 << 40
"""No source is so long."""

_WHITE_SPACE = "\t\n\f\r "
_WORD = r"[^\t\n\f\r ]++"
_SPACES = {
    _COLLAPSED: r"[\t\n\f\r ]++",
    _PRESERVED: r"\r\n?+|\n|[\t\f ]++",
    _LINES_KEPT: r"[\t\f ]*+(?:\r\n?+|\n)[\t\n\f\r ]*+|[\t\f ]++",
}
_STAYING = {_COLLAPSED: " ", _PRESERVED: r"[\t\f ]++", _LINES_KEPT: " "}
"""White space that stands in the text as it does in the source, between two words of a text."""
_WORDS = {mode: compile_pattern(rf"{spaces}|{_WORD}") for mode, spaces in _SPACES.items()}
_STRETCHES = {
    mode: compile_pattern(rf"{spaces}|{_WORD}(?:{_STAYING[mode]}{_WORD})*+")
    for mode, spaces in _SPACES.items()
}
_ESCAPES = {"&": "&amp;", "<": "&lt;", "\r": "&#13;"}
_ESCAPED = compile_pattern(r"[&<\r]")
_UNWRITABLE = compile_pattern("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Drawing:
    """One document as a browser told it."""

    pieces: Sequence[str]
    """Markup, text, markup, text, ..., markup."""
    flow: Sequence[int]
    """What was drawn, in order: see docs/explanation/the-words-of-drawn-pages.md."""

    def __post_init__(self) -> None:
        if len(self.pieces) % 2 == 0 or not all(isinstance(each, str) for each in self.pieces):
            raise ParseError("expected pieces of markup with texts between them", "", 0)
        if not all(type(each) is int and each >= 0 for each in self.flow):
            raise ParseError("expected numbers that tell the order of texts", "", 0)


_Run: TypeAlias = tuple[int, int, int, int]
"""Characters that stand in the text and in a source, one for one: where, how many, which, where."""


def draw(
    drawings: Mapping[int, Drawing], builds: Mapping[str, str]
) -> tuple[dict[int, DrawnSource], Rendered]:
    """The sources of documents, and the text of them all: the page is 0, its frames have others.

    Raises ParseError for what is no drawing, LimitError for more frames than are read.
    """
    if len(drawings) > _MOST_FRAMES:
        raise LimitError("too many frames", limit="frames", maximum=_MOST_FRAMES)
    sources = {number: DrawnSource(number, each) for number, each in drawings.items()}
    writer = _DrawnWriter()
    _write(writer, sources, {number: each.flow for number, each in drawings.items()})
    text, runs = writer.finish()
    notices = () if text else (Notice("no-words", "there are no words in it"),)
    rendered = Rendered(text, map=_packed(runs), notices=notices, builds=builds)
    return sources, rendered


class DrawnSource:
    """The source of one document, and the places of its texts in it."""

    def __init__(self, number: int, drawing: Drawing) -> None:
        self.number = number
        self._told = drawing.pieces[1::2]
        self.texts = [_UNWRITABLE.sub(_written, each) for each in self._told]
        self.starts = array("q")
        written: list[str] = []
        at = 0
        for index, piece in enumerate(drawing.pieces):
            if index % 2:
                self.starts.append(at)
                shown = _escaped(self.texts[index // 2])
            else:
                shown = _UNWRITABLE.sub("\ufffd", piece)
            written.append(shown)
            at += len(shown)
        self.text = "".join(written)

    def place_of(self, index: int, units: int) -> int:
        """Where stands what has `units` of UTF-16 before it in a text.

        Raises ParseError where there is no such text.
        """
        if not 0 <= index < len(self.texts):
            raise ParseError("expected the number of a text", str(index), 0)
        before = self._told[index].encode("utf-16-le", "surrogatepass")[: 2 * units]
        shown = _UNWRITABLE.sub(_written, before.decode("utf-16-le", "surrogatepass"))
        return self.starts[index] + len(_escaped(shown))


def _written(found: re.Match[str]) -> str:
    return "" if found.group() == "\x00" else "\ufffd"


def _escaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: _ESCAPES[found.group()], text)


def _write(
    writer: _DrawnWriter, sources: Mapping[int, DrawnSource], flows: Mapping[int, Sequence[int]]
) -> None:
    """Follow the flow of the page, and into those of its frames; each is followed once."""
    open_ = [(0, iter(flows.get(0, ())))]
    seen = {0}
    while open_:
        number, flow = open_[-1]
        code = next(flow, None)
        if code is None:
            open_.pop()
            continue
        if code == _TEXT:
            source, index, mode = sources[number], next(flow, -1), next(flow, -1)
            if not 0 <= index < len(source.texts):
                raise ParseError("expected the number of a text", str(index), 0)
            writer.text(source, index, mode)
        elif code == _FRAME:
            inner = next(flow, -1)
            if inner in sources and inner not in seen and len(open_) < _DEEPEST:
                seen.add(inner)
                open_.append((inner, iter(flows[inner])))
        else:
            writer.mark(code)


class _DrawnWriter:
    """What was written, and the white space that waits for the next visible character."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._runs: list[_Run] = []
        self._breaks = 0
        self._tabs = 0
        self._space: tuple[int, int, str] | None = None
        """White space that collapses: its source, its place there, and how it stands there."""
        self._held: list[tuple[str, int, int, str]] = []
        """White space that stays, likewise."""
        self._rows: list[int] = []
        """For each open row, how much was written before it."""
        self._at_edge = False
        """Whether nothing was written since a cell began or ended."""

    def mark(self, code: int) -> None:
        """End a line, begin a cell, and the like."""
        if code == _BREAK:
            self._forget()
            self._line(min(2, self._breaks + 1))
        elif code in (_LINE, _APART):
            self._forget()
            self._line(max(self._breaks, 1 if code == _LINE else 2))
        elif code == _ROW:
            self._forget()
            self._line(max(self._breaks, 1))
            self._rows.append(self._length)
        elif code == _ROW_END and self._rows:
            self._rows.pop()
            self._forget()
            self._tabs, self._at_edge = 0, False
            self._line(max(self._breaks, 1))
        elif code in (_CELL, _CELL_END):
            self._cell(begins=code == _CELL)

    def _cell(self, *, begins: bool) -> None:
        """Begin or end a cell; one outside a row is a line."""
        self._forget()
        if not self._rows:
            self._line(max(self._breaks, 1))
            return
        if self._length > self._rows[-1]:
            self._breaks = 0
            self._tabs += begins
        self._at_edge = True

    def _line(self, breaks: int) -> None:
        if not (self._at_edge or self._tabs):
            self._breaks = breaks

    def _forget(self) -> None:
        self._space = None
        self._held.clear()

    def text(self, source: DrawnSource, index: int, mode: int) -> None:
        """Write a text as it was drawn."""
        data, place = source.texts[index], source.starts[index]
        is_plain = _ESCAPED.search(data) is None
        patterns = _STRETCHES if is_plain else _WORDS
        for found in patterns.get(mode, patterns[_COLLAPSED]).finditer(data):
            run = found.group()
            shown = run if is_plain else _escaped(run)
            if run[0] not in _WHITE_SPACE:
                self._separate()
                self._copy(run, shown, source.number, place)
            elif mode == _PRESERVED:
                kept = "\r\n" if run[0] in "\r\n" else run
                self._held.append((kept, source.number, place, shown))
            elif mode == _LINES_KEPT and ("\n" in run or "\r" in run):
                ends = run.replace("\r\n", "\n").replace("\r", "\n").count("\n")
                self._forget()
                self._line(min(2, max(self._breaks, ends)))
            elif self._space is None:
                self._space = source.number, place, shown
            place += len(shown)

    def _separate(self) -> None:
        """Write the white space that waits."""
        if self._held and (self._breaks or self._tabs or not self._length):
            ends = [index for index, piece in enumerate(self._held) if piece[0] == "\r\n"]
            if ends:
                del self._held[: ends[-1] + 1]
        if self._length:
            if self._breaks:
                self._put("\r\n" * self._breaks)
            elif self._tabs:
                self._put("\t" * self._tabs)
            elif self._space is not None:
                part, place, shown = self._space
                if len(shown) == 1:
                    self._run(1, part, place)
                self._put(" ")
        for kept, part, place, shown in self._held:
            if kept == shown:
                self._run(len(kept), part, place)
            self._put(kept)
        self._breaks = self._tabs = 0
        self._at_edge = False
        self._forget()

    def _copy(self, run: str, shown: str, part: int, place: int) -> None:
        """Write visible characters; those that are escaped in the source are runs of their own."""
        if len(run) == len(shown):
            self._run(len(run), part, place)
        else:
            at = 0
            start = self._length
            for found in _ESCAPED.finditer(run):
                if at < found.start():
                    self._runs.append((start + at, found.start() - at, part, place))
                place += found.start() - at
                self._runs.append((start + found.start(), 1, part, place))
                place += len(_ESCAPES[found.group()])
                at = found.end()
            if at < len(run):
                self._runs.append((start + at, len(run) - at, part, place))
        self._put(run)

    def _run(self, length: int, part: int, place: int) -> None:
        """Record the source of the next characters; adjoining runs are joined."""
        if self._runs:
            start, size, of, source = self._runs[-1]
            if start + size == self._length and of == part and source + size == place:
                self._runs[-1] = start, size + length, part, source
                return
        self._runs.append((self._length, length, part, place))

    def _put(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)

    def finish(self) -> tuple[str, list[_Run]]:
        """The text, which ends with a line end unless it is empty, and its runs."""
        if self._length:
            self._put("\r\n")
        return "".join(self._pieces), self._runs


# ------------------------------------------------------------ the map
def _packed(runs: Iterable[_Run]) -> bytes:
    packed = bytearray(_FORM)
    end = part = source = 0
    for start, length, of, place in runs:
        _number(packed, start - end)
        _number(packed, length * 2 + (of != part))
        if of != part:
            part, source = of, 0
            _number(packed, part)
        step = place - source
        _number(packed, step * 2 if step >= 0 else -step * 2 - 1)
        end, source = start + length, place + length
    return bytes(packed)


def _number(packed: bytearray, number: int) -> None:
    while number >> 7:
        packed.append(number & 0x7F | 0x80)
        number >>= 7
    packed.append(number)


def _numbers(data: bytes, at: int) -> Iterator[int]:
    number = shift = 0
    for octet in data[at:]:
        number |= (octet & 0x7F) << shift
        shift += 7
        if not octet & 0x80:  # the last one of a number
            yield number
            number = shift = 0
        elif shift > _MOST_BITS:
            raise ParseError("expected a number of at most eight octets", "", 0)
    if shift:
        raise ParseError("expected the end of a number", "", 0)


@dataclass(frozen=True, slots=True)
class DrawnMap:
    """Map from the characters of a drawn text to the sources of its page and its frames."""

    starts: array[int] = field(repr=False)
    lengths: array[int] = field(repr=False)
    parts: array[int] = field(repr=False)
    sources: array[int] = field(repr=False)
    by_place: array[int] = field(repr=False)
    """The numbers of the runs in the order of their sources."""

    @property
    def size_bytes(self) -> int:
        """How much of memory it takes."""
        return 5 * self.starts.itemsize * len(self.starts)

    def places(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Where the characters from `start` to `end` stand: (part, start, end) of its source.

        The place of a character that is escaped in the source is where its escape begins.
        """
        index = max(0, bisect_right(self.starts, start) - 1)
        while index < len(self.starts) and self.starts[index] < end:
            first = max(start, self.starts[index])
            last = min(end, self.starts[index] + self.lengths[index])
            if first < last:
                place = self.sources[index] - self.starts[index]
                yield self.parts[index], place + first, place + last
            index += 1

    def position(self, part: int, place: int) -> int | None:
        """Which character of the text stands at a place of a source; None where none does."""
        at = bisect_right(self.by_place, (part, place), key=self._place) - 1
        index = self.by_place[at] if at >= 0 else -1
        behind = place - self.sources[index] if index >= 0 else -1
        if index < 0 or self.parts[index] != part or not 0 <= behind < self.lengths[index]:
            return None
        return self.starts[index] + behind

    def span(self, part: int, start: int, end: int) -> tuple[int, int] | None:
        """From the first to the last character of a stretch of a source."""
        first = last = -1
        for index, number in enumerate(self.parts):
            begin = max(start, self.sources[index])
            stop = min(end, self.sources[index] + self.lengths[index])
            if number == part and begin < stop:
                step = self.starts[index] - self.sources[index]
                first = begin + step if first < 0 else first
                last = stop + step
        return None if first < 0 else (first, last)

    def _place(self, index: int) -> tuple[int, int]:
        return self.parts[index], self.sources[index]


def read_map(data: bytes) -> DrawnMap:
    """Read a map. Raises ParseError for anything else."""
    if not data.startswith(_FORM):
        raise ParseError(f"expected {_FORM.decode().strip()}", data[:40].decode("latin-1"), 0)
    starts, lengths, parts, sources = (array("q") for _ in range(4))
    numbers = _numbers(data, len(_FORM))
    end = part = source = 0
    for gap in numbers:
        coded = next(numbers, None)
        if coded is not None and coded & 1:
            part, source = next(numbers, -1), 0
        step = next(numbers, None)
        if coded is None or step is None:
            raise ParseError("expected whole runs", "", 0)
        start, length = end + gap, coded >> 1
        source += -(step + 1 >> 1) if step & 1 else step >> 1
        end = start + length
        if not 0 <= source <= _FARTHEST or end > _FARTHEST:
            raise ParseError("expected places in a source", "", 0)
        starts.append(start)
        lengths.append(length)
        parts.append(part)
        sources.append(source)
        source += length
    order = sorted(range(len(parts)), key=lambda index: (parts[index], sources[index]))
    return DrawnMap(starts, lengths, parts, sources, array("q", order))
