"""Rendition of captions as plain text, with the time and the speaker of each word. Frozen.

Citations count the characters of this text. `RENDITION_VERSION` names these rules; the same file
gives the same text for ever. docs/explanation/the-words-of-recordings.md explains them.

1.  The text is that of the cues, in the order of the file, tags taken out and character references
    decoded as the format has them. Nothing else of the file is text: no identifier, no time, no
    setting, no note, no style, and no name of a voice, which is kept beside the words.
2.  Each cue begins a line. A line end in a cue is a line end. Lines with nothing in them leave
    nothing, nor do cues.
3.  White space is TAB, LF, FF, CR and SPACE. A run of it without a line end becomes one space, and
    nothing at the beginning and the end of a line. All other characters stay as they are.
4.  Line ends are CRLF. A text that is not empty ends with one.
5.  Repeated words are kept: services that roll lines upwards repeat each in the next cue.
6.  Words have the time of their cue, or of their stretch of it where times stand inside. An end
    that does not lie behind its start tells no time: such words have none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import field
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from permacite.captions.formats import pieces_of
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from permacite.captions.formats import Captions, Piece

__all__ = ["RENDITION_VERSION", "SpokenSpan", "Turn", "Words", "turns", "words_of"]

RENDITION_VERSION = 1

_RUN = compile_pattern(r"[\t\f ]++|[\n\r]++|[^\t\n\f\r ]++")
_LINE_END = "\r\n"


class SpokenSpan(NamedTuple):
    """Text from `start` up to `end`, which one voice says in one time. Positions as in a PDI."""

    start: int
    end: int
    start_ms: int
    end_ms: int
    voice: str | None
    cue: int
    """The number of the cue in the file, from 0."""


class Turn(NamedTuple):
    """What one voice says in one cue."""

    start: int
    end: int
    start_ms: int
    end_ms: int
    voice: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The text of captions, with CRLF line ends, and its map: spans in the order of the text."""

    text: str
    version: int
    spans: Sequence[SpokenSpan] = field(repr=False)

    def between(self, start: int, end: int) -> Sequence[SpokenSpan]:
        """The spans of which any character stands from position `start` up to `end`."""
        first = bisect_right(self.spans, start, key=lambda span: span.end)
        last = bisect_left(self.spans, end, key=lambda span: span.start)
        return self.spans[first:last]

    def times(self, start: int, end: int) -> tuple[int, int] | None:
        """The interval in which the words from `start` up to `end` are spoken, in milliseconds.

        None where nothing tells.
        """
        timed = [span for span in self.between(start, end) if span.start_ms < span.end_ms]
        if not timed:
            return None
        return min(span.start_ms for span in timed), max(span.end_ms for span in timed)

    def during(self, start_ms: int, end_ms: int) -> list[SpokenSpan]:
        """The spans that are spoken, in part at least, from one time up to another."""
        return [
            span for span in self.spans if max(span.start_ms, start_ms) < min(span.end_ms, end_ms)
        ]


def turns(spans: Iterable[SpokenSpan]) -> list[Turn]:
    """Spans put together, as far as one voice says them in one cue."""
    listed: list[Turn] = []
    for (_, voice), several in groupby(spans, lambda span: (span.cue, span.voice)):
        group = list(several)
        starts, ends = (span.start_ms for span in group), (span.end_ms for span in group)
        listed.append(Turn(group[0].start, group[-1].end, min(starts), max(ends), voice))
    return listed


def words_of(captions: Captions, media_type: str) -> Words:
    """The words of captions that were read from a file of that type. Linear in time."""
    writer = _CaptionWriter()
    for number, cue in enumerate(captions.cues):
        writer.pending = _LINE_END
        for piece in pieces_of(cue, media_type):
            writer.write(piece, number)
    if writer.length:
        writer.parts.append(_LINE_END)
    return Words("".join(writer.parts), RENDITION_VERSION, writer.spans)


class _CaptionWriter:
    """The text that is being written, and what stands between it and what comes next."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.pending = ""
        self.spans: list[SpokenSpan] = []

    def write(self, piece: Piece, cue: int) -> None:
        """Write a piece of a cue."""
        start: int | None = None
        for run in _RUN.findall(piece.text):
            if run[0] in "\n\r":
                self.pending = _LINE_END
            elif run[0] in "\t\f ":
                self.pending = self.pending or " "
            else:
                self._put(self.pending if self.length else "")
                start = self.length if start is None else start
                self._put(run)
                self.pending = ""
        if start is not None:
            times = (piece.start_ms, piece.end_ms)
            self.spans.append(SpokenSpan(start, self.length, *times, piece.voice, cue))

    def _put(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)
