"""Where the parts of a draft-wilde-text-fragment-00 fragment are, and their union.

URI Fragment Identifiers for the text/plain Media Type (draft-wilde-text-fragment-00)

| section | function |
|---|---|
| §2.1.1, §2.1.2 characters | _characters |
| §2.1.3, §2.1.4 lines | _lines |
| §2.1.5 regular expressions | _matches |
| §2.1.6 the union | merged |
| §3 counts greater than the entity has | _characters, _lines |

Deviations: none.

Readings:
- Lines are separated by CRLF alone, whatever the entity's line endings are; CR and LF are
  characters of their own, so that CRLF is two. A line's span has no CRLF at its end, a range of
  lines has those between. A CRLF at the very end ends the last line, and begins no other.
- The first line of an empty entity is empty; its first character is nothing.
- All matches count that do not overlap, leftmost and longest; an empty match names nothing. A
  newline is an ordinary character for expressions, unless asked otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from permacite.errors import LimitError, ParseError
from permacite.fragments import bre, wilde00
from permacite.fragments.location import Located, Location
from permacite.text.entity import Span
from permacite.text.survey import Place
from permacite.text.tally import Measure, Plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from permacite.text.survey import Survey
    from permacite.text.tally import LineEndings, Tally, Unit

__all__ = ["locate", "merged"]

_MAX_MATCHES = 250_000

_MAX_DECODED_BYTES = 1 << 26
"""An entity that is not valid UTF-8 is decoded to be searched, up to this size."""


def locate(
    survey: Survey,
    fragment: wilde00.TextFragment,
    mode: LineEndings,
    *,
    newline: bool,
    gnu: bool = False,
) -> Location:
    """Say where each part is, and all of them. RFC 5147 characters are counted in `mode`.

    Raises LimitError where a regular expression takes too long, or matches too often.
    """
    finder = _Finder(survey, mode)
    parts = tuple(finder.located(part, newline=newline, gnu=gnu) for part in fragment.parts)
    spans = merged(span for part in parts for span in part.spans)
    stripped = ("bom-stripped",) if survey.reader.encoding.mark_bytes else ()
    notes = stripped + (("invalid-bytes",) if survey.invalid else ()) + fragment.warnings
    problem = "; ".join(part.problem for part in parts if part.problem)
    return Location("ok", None, spans, (), problem, notes, "range", parts)


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the union: spans in order, those that meet or overlap joined; empty ones alone."""
    joined: list[Span] = []
    for span in sorted(set(spans), key=lambda span: span.code_point):
        if joined and span.code_point[0] <= joined[-1].code_point[1]:
            joined[-1] = _joined(joined[-1], span)
        else:
            joined.append(span)
    return tuple(joined)


def _joined(first: Span, second: Span) -> Span:
    last = max(first, second, key=lambda span: span.code_point[1])
    return Span(
        (first.char[0], last.char[1]),
        (first.code_point[0], last.code_point[1]),
        (first.byte[0], last.byte[1]),
    )


class _Finder:
    """Finds parts in one entity."""

    def __init__(self, survey: Survey, mode: LineEndings) -> None:
        self.survey = survey
        self.mode = mode

    def located(self, part: wilde00.Part, *, newline: bool, gnu: bool) -> Located:
        """Say where one part is."""
        if isinstance(part, wilde00.Match):
            return self._match(part, newline=newline, gnu=gnu)
        if part.problem is not None:
            problems = {"order": "its end is not after its start", "zero": "counts begin at 1"}
            problem = f"{part} is ignored: {problems[part.problem]}"
            return Located(str(part), "ignored", part.problem, problem=problem)
        last = part.first if part.last is None else part.last
        if part.scheme == "char":
            return Located(str(part), "ok", spans=self._characters(part.first, last))
        return Located(str(part), "ok", spans=(self._lines(part.first, last),))

    def _match(self, part: wilde00.Match, *, newline: bool, gnu: bool) -> Located:
        try:
            pattern = bre.compile(part.regex, newline=newline, gnu=gnu)
        except ParseError as error:
            problem = f"{part} is ignored: {error.problem} at {error.offset} of the expression"
            return Located(str(part), "ignored", "regex", problem=problem)
        return Located(str(part), "ok", spans=tuple(self._matches(pattern)))

    def _characters(self, first: int, last: int) -> tuple[Span, ...]:
        """Return code points `first` to `last`, counted from 1; the last one if there are fewer."""
        (end,) = self._places("code_point", [last])
        if end.code_point == 0:
            return ()
        start = min(first, end.code_point) - 1
        return tuple(self._spans("code_point", [(start, end.code_point)]))

    def _lines(self, first: int, last: int) -> Span:
        """Return lines `first` to `last`, counted from 1; the last one if there are fewer."""
        (end,) = self._places("line_end", [last - 1])
        if end.byte == self.survey.reader.source.size:
            begin = self._places("line", [end.crlf])[0]
            ends_a_line = begin.byte == end.byte and end.crlf > 0
            last = min(last, end.crlf + (0 if ends_a_line else 1))
            (end,) = self._places("line_end", [last - 1])
        (start,) = self._places("line", [min(first, last) - 1])
        return _span(Place(start, inside=False), Place(end, inside=False), self.mode)

    def _places(self, unit: Unit, positions: Sequence[int]) -> list[Tally]:
        """Return the counts before each position; lines are those of CRLF."""
        plan = Plan(lines=False, nel=self.mode == "all")
        return self.survey.places(Measure(unit, "mime", plan), positions)

    def _matches(self, pattern: bre.Pattern) -> Iterator[Span]:
        """Yield where the expression matches."""
        reader = self.survey.reader
        self._places("byte", [reader.source.size])
        if reader.encoding.family == "utf-8" and not self.survey.invalid:
            mark = reader.encoding.mark_bytes
            with reader.source.whole() as data, memoryview(data)[mark:] as view:
                spans = list(_few(pattern.find_in_utf8(view if mark else data)))
            yield from self._spans("byte", [(mark + start, mark + end) for start, end in spans])
            return
        if reader.source.size > _MAX_DECODED_BYTES:
            problem = "an entity that is not valid UTF-8 is too large to be searched"
            raise LimitError(problem, limit="bytes", maximum=_MAX_DECODED_BYTES)
        text = "".join(block.text for block in reader.blocks())
        yield from self._spans("code_point", list(_few(iter(pattern.find_all(text)))))

    def _spans(
        self, unit: Literal["code_point", "byte"], pairs: Sequence[tuple[int, int]]
    ) -> Iterator[Span]:
        """Turn starts and ends, in order and apart, into spans."""
        ends = [end for pair in pairs for end in pair]
        places = self.survey.each(unit, ends, self.mode)
        for start, end in zip(places, places, strict=True):
            yield _span(start, end, self.mode)


def _few(pairs: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Pass matches on. Raises LimitError where there are too many."""
    for count, pair in enumerate(pairs, 1):
        if count > _MAX_MATCHES:
            raise LimitError("there are too many matches", limit="matches", maximum=_MAX_MATCHES)
        yield pair


def _span(start: Place, end: Place, mode: LineEndings) -> Span:
    """Return a span; a start inside a line ending counts as the character before, an end after."""
    return Span(
        (start.tally.char(mode) - start.inside, end.tally.char(mode)),
        (start.tally.code_point, end.tally.code_point),
        (start.tally.byte, end.tally.byte),
    )
