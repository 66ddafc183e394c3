"""Text: a text/plain entity, with the places of fragments, integrity checks and new fragments.

URI Fragment Identifiers for the text/plain Media Type (RFC 5147)

| section | function |
|---|---|
| §2, §2.1.2, §4.1 counting | permacite.text.entity |
| §2.3 checks for another charset, transcoding | checked |
| §3.1 length and md5 | check_of |
| §4.2 positions beyond the end | Text.locate |
| §4.4 integrity checks, unknown checks | Text.locate, checked |
| §4.5 syntax errors | Text.locate |

Deviations: none.

Readings:
- The end of a range that is too large is the end of the entity.
- All checks are evaluated, and one that fails is enough: the fragment is not interpreted, unless
  the caller forces it (§4.4 says SHOULD NOT).
- `length` counts characters as positions do: no byte order mark, a line ending as one. Transcoding
  does not change it.
- `md5` is taken over the bytes of the entity as they are, byte order mark included.
- Nothing says whether an entity in another charset began with a byte order mark, nor in which byte
  order it was: a transcoded entity has every such form, and a check that fits one is right.
- What cannot be transcoded (bytes that are no characters, or characters that the other charset
  lacks) cannot be checked there: the check counts as one for another charset.

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
  newline is an ordinary character for expressions, unless the caller asks otherwise.
"""

from __future__ import annotations

import codecs
import hashlib
import sys
from typing import TYPE_CHECKING, Literal

from permacite import charsets
from permacite.errors import IntegrityError, LimitError, ParseError
from permacite.fragments import rfc5147, wilde00
from permacite.fragments.location import Check, Located, Location
from permacite.text.entity import Entity, Span, TextPlace
from permacite.text.tally import Measure, Plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from permacite.fragments import bre
    from permacite.text.entity import Survey
    from permacite.text.reading import BlockReader
    from permacite.text.tally import LineEndings, Tally, Unit

__all__ = ["Text", "check_of", "checked", "locate_union", "merged"]


def checked(
    entity: Entity, checks: Iterable[rfc5147.IntegrityCheck], *, run: bool, transcode: bool
) -> tuple[Check, ...]:
    """Evaluate all checks (§3.1, §4.4); those for another charset only if `transcode` (§2.3)."""
    transcoded: dict[str, tuple[str, ...]] = {}
    answers = []
    for check in checks:
        charset = check.charset or entity.charset.label
        elsewhere = not charsets.same(charset, entity.charset.label)
        if not check.known:
            answers.append(Check(check.name, "unknown", check.value))
        elif elsewhere and not transcode:
            answers.append(Check(check.name, "other-charset", check.value))
        elif not run:
            answers.append(Check(check.name, "not-run", check.value))
        elif not elsewhere:
            answers.append(_compared(entity, check, (entity.md5,) if check.name == "md5" else ()))
        else:
            if charset not in transcoded:
                transcoded[charset] = _fingerprints(entity.reader, charset)
            answers.append(_compared_elsewhere(entity, check, transcoded[charset]))
    return tuple(answers)


def _compared(entity: Entity, check: rfc5147.IntegrityCheck, md5s: tuple[str, ...]) -> Check:
    """Compare a check with the length, or with each of the fingerprints."""
    is_length = check.name == "length"
    expected = check.value.lstrip("0") or "0" if is_length else check.value.lower()
    actual = (str(entity.length),) if is_length else md5s
    if expected in actual:
        return Check(check.name, "ok", check.value, expected)
    return Check(check.name, "failed", check.value, actual[0])


def _compared_elsewhere(
    entity: Entity, check: rfc5147.IntegrityCheck, md5s: tuple[str, ...]
) -> Check:
    """Compare a check for another charset; without fingerprints the entity is not to be had so."""
    if not md5s:
        return Check(check.name, "other-charset", check.value)
    compared = _compared(entity, check, md5s)
    return Check(
        compared.name, compared.result, compared.expected, compared.actual, transcoded=True
    )


def _fingerprints(reader: BlockReader, label: str) -> tuple[str, ...]:
    """Return the MD5 fingerprints of the entity in another charset, of each form that it has there.

    Reads the entity once, in constant memory. Empty where it cannot be transcoded.
    """
    try:
        forms = charsets.resolve(label).forms()
    except ParseError:
        return ()
    hashes = [hashlib.md5(mark, usedforsecurity=False) for mark, _ in forms]
    encoders = {codec: codecs.getincrementalencoder(codec)() for _, codec in forms}
    try:
        for block in reader.blocks():
            if block.invalid:
                return ()
            octets = {
                codec: encoder.encode(block.text, block.last) for codec, encoder in encoders.items()
            }
            for hashing, (_, codec) in zip(hashes, forms, strict=True):
                hashing.update(octets[codec])
    except UnicodeError:
        return ()
    return tuple(hashing.hexdigest() for hashing in hashes)


def check_of(entity: Entity, name: str) -> rfc5147.IntegrityCheck:
    """Make the check of that name (§3.1), with the charset where the syntax can say it.

    Raises ValueError for a check that RFC 5147 does not define.
    """
    label = entity.charset.label
    charset = label if rfc5147.is_mime_charset(label) else None
    if name == "length":
        return rfc5147.IntegrityCheck(name, str(entity.length), charset)
    if name == "md5":
        return rfc5147.IntegrityCheck(name, entity.md5, charset)
    raise ValueError("checks: expected 'length' or 'md5'")


_MAX_MATCHES = 250_000

_MAX_DECODED_BYTES = 1 << 26
"""An entity that is not valid UTF-8 is decoded to be searched, up to this size."""


def locate_union(
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
    finder = _UnionFinder(survey, mode)
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


class _UnionFinder:
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
        from permacite.fragments import bre

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
        return _span(TextPlace(start, inside=False), TextPlace(end, inside=False), self.mode)

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


def _span(start: TextPlace, end: TextPlace, mode: LineEndings) -> Span:
    """Return a span; a start inside a line ending counts as the character before, an end after."""
    return Span(
        (start.tally.char(mode) - start.inside, end.tally.char(mode)),
        (start.tally.code_point, end.tally.code_point),
        (start.tally.byte, end.tally.byte),
    )


class Text(Entity):
    """An entity that fragments point into; made as `Entity` says."""

    def locate(
        self,
        fragment: str | rfc5147.TextFragment | wilde00.TextFragment,
        *,
        force: bool = False,
        check: bool = True,
        transcode: bool = False,
        newline: bool = False,
        gnu: bool = False,
    ) -> Location:
        """Say where `fragment` is: RFC 5147 text, or a parsed value of either syntax.

        With `check` False, integrity checks are not run; with `force`, one that fails is no
        obstacle (§4.4). With `transcode`, a check for another charset is made there (§2.3), which
        reads the whole entity. `newline` and `gnu` are for regular expressions, as in
        `bre.compile`.

        Raises ParseError only for undecodable bytes of a strict entity; LimitError where a regular
        expression takes too long, PermaciteError where nothing is installed that searches for it.
        """
        if isinstance(fragment, wilde00.TextFragment):
            return locate_union(self._survey, fragment, self.line_endings, newline=newline, gnu=gnu)
        if isinstance(fragment, str):
            try:
                fragment = rfc5147.parse(fragment)
            except ParseError as error:
                reason: Literal["order", "syntax"] = (
                    "order" if error.spec == rfc5147.ORDER else "syntax"
                )
                return Location("ignored", reason, problem=str(error))
        checks = checked(self, fragment.checks, run=check, transcode=transcode)
        failed = [one for one in checks if one.result == "failed"]
        if failed and not force:
            problem = f"the entity has changed: {failed[0].name} is {failed[0].actual}"
            return Location("ignored", "integrity", (), checks, problem, self._notes())
        start = fragment.start or 0
        # An absent end is a position that no entity reaches.
        end = max(start, sys.maxsize) if fragment.end is None else fragment.end
        span = self.span(start, end, fragment.scheme)
        notes = self._notes() + (("forced",) if failed else ())
        return Location("ok", None, (span,), checks, "", notes, fragment.kind)

    def excerpt(
        self,
        fragment: str | rfc5147.TextFragment | wilde00.TextFragment,
        *,
        force: bool = False,
        transcode: bool = False,
    ) -> str:
        """Return the text that `fragment` identifies, its spans joined; "" for a position.

        Raises ParseError where its syntax or order is wrong, IntegrityError where a check fails.
        """
        parsed = rfc5147.parse(fragment) if isinstance(fragment, str) else fragment
        location = self.locate(parsed, force=force, transcode=transcode)
        for check in location.checks:
            if check.result == "failed" and not force:
                raise IntegrityError(
                    location.problem, expected=check.expected, actual=check.actual or ""
                )
        return "".join(self.slice(span) for span in location.spans)

    def cite(
        self,
        start: int,
        end: int | None = None,
        checks: Iterable[str] = ("length", "md5"),
        *,
        scheme: rfc5147.Scheme = "char",
    ) -> rfc5147.TextFragment:
        """Make the fragment of a range, or of a position where `end` is None.

        Units: positions in characters or lines, as `scheme` says. Raises ParseError where they
        run backwards or lie beyond the end, ValueError for a check that RFC 5147 does not define.
        """
        last = start if end is None else end
        written = str(start) if end is None else f"{start},{end}"
        maximum = self.end.position(scheme, self.line_endings)
        if not 0 <= start <= last <= maximum:
            problem = f"expected positions in order, from 0 to {maximum}"
            raise ParseError(problem, written, 0, "RFC 5147 §4.2")
        kind: rfc5147.Kind = "position" if end is None else "range"
        integrity_checks = tuple(check_of(self, name) for name in checks)
        return rfc5147.TextFragment(scheme, start, last, kind, integrity_checks)

    def _notes(self) -> tuple[str, ...]:
        stripped = ("bom-stripped",) if self.encoding.mark_bytes else ()
        return stripped + (("invalid-bytes",) if self._survey.invalid else ())
