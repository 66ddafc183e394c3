"""The characters of a page's text, and the white space that waits between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.markup import references
from permacite.markup.plain.rendition import Writer
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re

    from permacite.markup.plain.rendition import Rendition

__all__ = ["Flow"]

_WHITE_SPACE = "\t\n\f\r "
_RUNS = r"[\t\n\f\r ]{2,}+|[\t\n\f\r\x00]"
_SPECIAL_RAW = compile_pattern(_RUNS)
_SPECIAL = compile_pattern(rf"{_RUNS}|{references.REFERENCE.pattern}")
_LINES_RAW = compile_pattern(r"\r\n?+|[\n\x00]")
_LINES = compile_pattern(rf"{_LINES_RAW.pattern}|{references.REFERENCE.pattern}")
_LINE_END = compile_pattern(r"\r\n?+|\n")
_BLANK = compile_pattern(r"[\t\f ]*+")


class Flow:
    """What was written, and the white space that waits.

    White space is written when the next visible character comes, so that what waits at the end of a
    line or of the page is never written at all.
    """

    __slots__ = (
        "breaks",
        "done",
        "held",
        "keeps_lines",
        "source",
        "space",
        "tabs",
        "writer",
        "xml",
    )

    def __init__(self, source: str, *, xml: bool) -> None:
        self.source = source
        self.xml = xml
        self.writer = Writer(source)
        self.keeps_lines = False
        """Whether a line end among white space stays one (rule 9)."""
        self.breaks = 0
        """Line ends that wait, two at most."""
        self.tabs = 0
        """Cell ends that wait; then no line ends do."""
        self.space: tuple[int, int] | None = None
        """The first run of white space that waits."""
        self.held: list[tuple[str, int, int]] = []
        """White space of preformatted text that waits, to be written as it is."""
        self.done = 0
        """Where the last written character ends in the source."""

    def forget(self) -> None:
        """Drop the white space that waits: a tag stands there that ends a line."""
        self.held.clear()
        self.space = None

    def collapsed(self, start: int, end: int, *, raw: bool) -> None:
        """Write text whose white space collapses; `raw`: without references."""
        source = self.source
        special = _SPECIAL_RAW if raw else _SPECIAL
        for match in special.finditer(source, start, end):
            at = match.start()
            if start < at:
                self._words(start, at)
            start = match.end()
            if source[at] == "&":
                start = self._reference(match, pre=False)
            elif source[at] != "\x00":
                self.white_space(at, start)
        if start < end:
            self._words(start, end)

    def _words(self, start: int, end: int) -> None:
        """Write characters whose white space is single spaces."""
        source = self.source
        if source[start] == " ":
            self.white_space(start, start + 1)
            start += 1
        trailing = start < end and source[end - 1] == " "
        end -= trailing
        if start < end:
            self._separate(start)
            self.writer.copy(start, end)
            self.done = end
        if trailing:
            self.white_space(end, end + 1)

    def white_space(self, start: int, end: int) -> None:
        """Take note of a run of white space that collapses."""
        if self.keeps_lines and _LINE_END.search(self.source, start, end):
            self.breaks = 1
        elif self.space is None:
            self.space = start, end

    def preformatted(self, start: int, end: int, *, raw: bool) -> None:
        """Write text whose white space counts; `raw`: without references."""
        source = self.source
        lines = _LINES_RAW if raw else _LINES
        for match in lines.finditer(source, start, end):
            at = match.start()
            self._line(start, at)
            start = match.end()
            if source[at] == "&":
                start = self._reference(match, pre=True)
            elif source[at] != "\x00":
                self.held.append(("\r\n", at, start))
        self._line(start, end)

    def _line(self, start: int, end: int) -> None:
        """Write a piece of preformatted text without line ends."""
        source = self.source
        lead = _BLANK.match(source, start, end)
        if lead is not None and start < lead.end():
            self.held.append((source[start : lead.end()], start, lead.end()))
            start = lead.end()
        if start == end:
            return
        last = end
        while source[last - 1] in _WHITE_SPACE:
            last -= 1
        self._separate(start)
        self.writer.copy(start, last)
        self.done = last
        if last < end:
            self.held.append((source[last:end], last, end))

    def _reference(self, match: re.Match[str], *, pre: bool) -> int:
        """Write a reference, and return where what follows it begins."""
        start = match.start()
        value, end = references.resolve(match, xml=self.xml) or (match.group(), match.end())
        if value not in _WHITE_SPACE:
            self._separate(start)
            self._piece(value, start, end)
            self.done = end
        elif pre:
            self.held.append(("\r\n" if value in "\r\n" else value, start, end))
        else:
            self.white_space(start, end)
        return end

    def _separate(self, start: int) -> None:
        """Write the white space that waits before the visible character at `start`."""
        if self.breaks or self.tabs or not self.writer.length:
            self._drop_empty_lines()
        if self.writer.length:
            self._gap(self.held[0][1] if self.held else start)
        self.breaks = self.tabs = 0
        self.space = None
        for piece in self.held:
            self._piece(*piece)
        self.held.clear()

    def _gap(self, start: int) -> None:
        """Write what sets the last written character apart from the one at `start`."""
        if self.breaks:
            self.writer.invent("\r\n" * self.breaks, self.done, start)
        elif self.tabs:
            self.writer.invent("\t" * self.tabs, self.done, start)
        elif self.space is not None:
            self._piece(" ", *self.space)

    def _drop_empty_lines(self) -> None:
        """Drop the white space that waits up to the last line end: a block begins here."""
        ends = [index for index, piece in enumerate(self.held) if piece[0] == "\r\n"]
        if ends:
            del self.held[: ends[-1] + 1]

    def _piece(self, text: str, start: int, end: int) -> None:
        """Write `text`, for the source from `start` to `end`."""
        if self.source.startswith(text, start) and end - start == len(text):
            self.writer.copy(start, end)
        elif self.source.startswith("<", start):
            self.writer.invent(text, start, end)
        else:
            self.writer.replace(text, start, end)

    def rendition(self, version: int) -> Rendition:
        """End the last line and return the text."""
        if self.writer.length:
            self.writer.invent("\r\n", self.done, len(self.source))
        return self.writer.rendition(version)
