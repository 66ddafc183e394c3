"""Plain texts for the faces: locate, read and cite their parts, and convert the names of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from permacite.errors import NotFoundError, ParseError
from permacite.fragments import Text, convert, quote, rfc5147, wilde00
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from permacite.fragments import Location, Span

__all__ = [
    "Conversion",
    "LineEndings",
    "PartLocation",
    "Syntax",
    "TextCheck",
    "TextCitation",
    "TextLocation",
    "TextPart",
    "cite",
    "cite_quote",
    "convert_fragment",
    "locate",
]

Syntax = Literal["rfc5147", "wilde00", "pdi"]
"""Whose fragment it is: RFC 5147's, the older draft's, or one that follows a PDI."""

LineEndings = Literal["http", "mime", "all", "lf"]

_PDI = compile_pattern(r"(?:(?i:char)=)?([0-9]{1,15}),([0-9]{1,15})")
_WILDE00 = compile_pattern(r"(?i:char|line|match)\(")
_PDI_SPEC = "PDI §3.4.1"


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a text; each pair is a half-open range. Only `byte` counts a byte order mark.

    `char` counts a line ending as one (RFC 5147), `code_point` as what is stored.
    """

    char: tuple[int, int]
    code_point: tuple[int, int]
    byte: tuple[int, int]
    text: str


@dataclass(frozen=True, slots=True)
class TextCheck:
    """What became of an integrity check; `actual` is None where it was not computed.

    `transcoded` says that the text was compared in the charset that the check names.
    """

    name: str
    result: str
    expected: str
    actual: str | None
    transcoded: bool


@dataclass(frozen=True, slots=True)
class PartLocation:
    """One part of a fragment of the older draft: how many places it names, or why none."""

    part: str
    status: str
    reason: str | None
    places: int
    problem: str


@dataclass(frozen=True, slots=True)
class TextLocation:
    """Where a fragment is. `status` is "ok" or "ignored"; then `reason` is one word."""

    fragment: str
    status: str
    reason: str | None
    kind: str | None
    parts: tuple[TextPart, ...]
    checks: tuple[TextCheck, ...]
    of: tuple[PartLocation, ...]
    notes: tuple[str, ...]
    problem: str


@dataclass(frozen=True, slots=True)
class TextCitation:
    """A fragment with integrity checks, and what it identifies."""

    fragment: str
    text: str
    line: int
    """The line where it begins, counted from 1, for people."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """The same part by another specification; `exact` is False where an end had to be rounded."""

    fragment: str
    exact: bool


def locate(  # noqa: PLR0913 - each is an option of its own
    source: Path,
    fragment: str,
    *,
    syntax: Syntax | None = None,
    charset: str = "us-ascii",
    line_endings: LineEndings | None = None,
    force: bool = False,
    transcode: bool = False,
    newline: bool = False,
    gnu: bool = False,
) -> TextLocation:
    """Say where `fragment` is in a file.

    Where `syntax` is None, the form tells RFC 5147's `char=` from the older draft's `char()`. With
    `transcode`, integrity checks for another charset are made in that charset. `newline` and `gnu`
    are for regular expressions: whether they see lines, and whether they have GNU's operators.

    Raises ParseError for a charset that cannot be decoded, and, in the other two syntaxes than RFC
    5147's, for a fragment that cannot be right; NotFoundError for a file that is not there.
    """
    text = Text(source, charset, line_endings)
    if syntax == "pdi":
        return _located_by_pdi(text, fragment)
    if syntax is None and _WILDE00.match(fragment):
        syntax = "wilde00"
    parsed = wilde00.parse(fragment) if syntax == "wilde00" else fragment
    location = text.locate(parsed, force=force, transcode=transcode, newline=newline, gnu=gnu)
    return _told(text, fragment, location)


def _located_by_pdi(text: Text, fragment: str) -> TextLocation:
    """Say where the characters are that follow a PDI; an end inside a line ending takes it in."""
    start, end = _pdi_range(text, fragment)
    found = convert.pdi_to_rfc5147(text, start, end)
    part = _part(text, text.span(found.start, found.end))
    notes = () if found.exact else ("an end lies inside a line ending, and was moved outwards",)
    kind = "range" if end > start else "position"
    return TextLocation(fragment, "ok", None, kind, (part,), (), (), notes, "")


def _told(text: Text, fragment: str, found: Location) -> TextLocation:
    return TextLocation(
        fragment,
        found.status,
        found.reason,
        found.kind,
        tuple(_part(text, span) for span in found.spans),
        tuple(
            TextCheck(one.name, one.result, one.expected, one.actual, one.transcoded)
            for one in found.checks
        ),
        tuple(
            PartLocation(one.part, one.status, one.reason, len(one.spans), one.problem)
            for one in found.parts
        ),
        found.notes,
        found.problem,
    )


def _part(text: Text, span: Span) -> TextPart:
    return TextPart(span.char, span.code_point, span.byte, text.slice(span))


def _pdi_range(text: Text, fragment: str) -> tuple[int, int]:
    """Parse a fragment as it follows a PDI. Raises ParseError; nothing is clamped there."""
    found = _PDI.fullmatch(fragment)
    if found is None:
        raise ParseError("expected 'char=' start ',' end", fragment, 0, _PDI_SPEC)
    start, end = int(found.group(1)), int(found.group(2))
    maximum = text.end.pdi(text.line_endings)
    if start > end:
        raise ParseError("the range runs backwards", fragment, found.start(1), _PDI_SPEC)
    if end > maximum:
        raise ParseError(f"the text has {maximum} characters", fragment, found.start(2), _PDI_SPEC)
    return start, end


def cite(
    source: Path,
    fragment: str,
    *,
    checks: Iterable[str] = ("length", "md5"),
    charset: str = "us-ascii",
    line_endings: LineEndings | None = None,
) -> TextCitation:
    """Return `fragment`, clamped to the file, with integrity checks in place of its own.

    Raises ParseError where it cannot be right.
    """
    text = Text(source, charset, line_endings)
    parsed = rfc5147.parse(fragment)
    last = text.end.position(parsed.scheme, text.line_endings)
    start = min(parsed.start or 0, last)
    end = last if parsed.end is None else min(parsed.end, last)
    made = text.cite(
        start, None if parsed.kind == "position" else end, tuple(checks), scheme=parsed.scheme
    )
    line = text.place(parsed.scheme, start).line(text.line_endings) + 1
    return TextCitation(str(made), text.excerpt(made), line)


def cite_quote(
    source: Path,
    words: str,
    *,
    checks: Iterable[str] = ("length", "md5"),
    charset: str = "us-ascii",
    line_endings: LineEndings | None = None,
) -> tuple[TextCitation, ...]:
    """Return a citation of each place where the words stand, in order.

    Raises NotFoundError where there is none, with the nearest words as candidates.
    """
    text = Text(source, charset, line_endings)
    whole = text.slice(text.span(0, text.length))
    found = sorted(quote.occurrences(whole, words))
    if not found:
        near = tuple(candidate.text for candidate in quote.nearest(whole, words))
        raise NotFoundError("these words do not stand in the text", words, candidates=near)
    citations = []
    for span in found:
        start, end = text.places("code_point", span)
        mode = text.line_endings
        made = text.cite(start.char(mode), end.char(mode), tuple(checks))
        citations.append(TextCitation(str(made), whole[slice(*span)], start.line(mode) + 1))
    return tuple(citations)


def convert_fragment(
    source: Path,
    fragment: str,
    *,
    start: Syntax,
    end: Syntax,
    charset: str = "us-ascii",
    line_endings: LineEndings | None = None,
) -> Conversion:
    """Return the characters that `fragment`, in the syntax `start`, names, in the syntax `end`.

    Raises ParseError where it cannot be right, names no characters, or has no counterpart.
    """
    text = Text(source, charset, line_endings)
    pdi, exact = _canonical_range(text, fragment, start)
    if end == "pdi":
        return Conversion(f"char={pdi[0]},{pdi[1]}", exact)
    if end == "rfc5147":
        found = convert.pdi_to_rfc5147(text, *pdi)
        return Conversion(f"char={found.start},{found.end}", exact and found.exact)
    found = convert.pdi_to_wilde00(text, *pdi)
    last = None if found.start == found.end else found.end
    part = wilde00.Count("char", found.start, last)
    return Conversion(str(part), exact and found.exact)


def _canonical_range(text: Text, fragment: str, syntax: Syntax) -> tuple[tuple[int, int], bool]:
    """Return what a fragment names in PDI positions, and whether these say it exactly."""
    if syntax == "pdi":
        return _pdi_range(text, fragment), True
    parsed = wilde00.parse(fragment) if syntax == "wilde00" else rfc5147.parse(fragment)
    location = text.locate(parsed)
    if len(location.spans) != 1:
        problem = location.problem or "expected a fragment that names one part of the text"
        raise ParseError(problem, fragment, 0)
    start, end = location.spans[0].code_point
    if start == end:
        places = text.places("code_point", [start])
        position = places[0].pdi(text.line_endings)
        return (position, position), True
    found = convert.wilde00_to_pdi(text, start + 1, end)
    return (found.start, found.end), found.exact
