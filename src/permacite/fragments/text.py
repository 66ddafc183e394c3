"""A text/plain entity: where its fragments are, in characters, code points and bytes.

URI Fragment Identifiers for the text/plain Media Type (RFC 5147)

| section | function |
|---|---|
| §2 counting in the entity's charset | Text |
| §2.1.2 characters and lines, byte order marks | Text.place |
| §3.1, §4.4 integrity checks | Text.locate |
| §4.1 line endings | Text.line_endings |
| §4.2 positions beyond the end | Text.place |
| §4.5 syntax errors | Text.locate |

Deviations: none.

Readings:
- A position or the end of a range that is too large is the end of the entity.
- All checks are evaluated, and one that fails is enough: the fragment is not interpreted, unless
  the caller forces it (§4.4 says SHOULD NOT).
- `length` counts characters as positions do: no byte order mark, a line ending as one.
- `md5` is taken over the bytes of the entity as they are, byte order mark and all.
- Bytes that are no characters are U+FFFD each (per maximal subpart), and the answer says so.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal

from permacite.errors import IntegrityError, ParseError
from permacite.fragments import rfc5147, union, wilde00
from permacite.fragments.counting import charsets
from permacite.fragments.counting.index import Index, digest
from permacite.fragments.counting.reading import Reader
from permacite.fragments.counting.source import source_of
from permacite.fragments.counting.survey import Survey
from permacite.fragments.counting.tally import Measure, Plan
from permacite.fragments.location import Check, Location, Span

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from permacite.fragments.counting.reading import Errors
    from permacite.fragments.counting.source import Buffer, Source
    from permacite.fragments.counting.tally import Tally, Unit

__all__ = ["Check", "Index", "Location", "Span", "Text"]


class Text:
    """An entity that fragments point into.

    `source` is bytes, a mapped file, the path of a file, or a Source. `charset` is the declared one
    (RFC 2046: US-ASCII where none is). `line_endings` is "http" (CRLF, LF and CR, mixed), "mime"
    (CRLF alone), "all" (NEL and CR NEL besides) or "lf" (CRLF and LF); None is "all" for EBCDIC
    charsets and "http" for others. `errors` is "replace" or "strict". An `index` of the same bytes
    makes every answer quick.

    Raises ParseError for a charset that cannot be decoded, and, where `errors` is "strict",
    whenever bytes are read that are no characters. Raises IntegrityError for an index of an entity
    of another size, ValueError for one of another charset, or without NEL where that ends lines.
    """

    def __init__(
        self,
        source: Buffer | os.PathLike[str] | Source,
        charset: str = "us-ascii",
        line_endings: str | None = None,
        *,
        errors: Errors = "replace",
        index: Index | None = None,
    ) -> None:
        self.source = source_of(source)
        self.charset = charsets.resolve(charset)
        self.line_endings = charsets.line_endings_in(self.charset, line_endings)
        with self.source.reading() as fetch:
            head = bytes(fetch(0, charsets.LONGEST_MARK))
        self._use(self.charset.encoding(head), errors, index)

    def _use(self, encoding: charsets.Encoding, errors: Errors, index: Index | None) -> None:
        """Set up what finds places. Raises as the constructor does."""
        if index is not None and index.size_bytes != self.source.size:
            raise IntegrityError(
                "the index is of another entity",
                expected=f"{index.size_bytes} bytes",
                actual=f"{self.source.size} bytes",
            )
        same = index is None or charsets.same(index.charset, self.charset.label)
        if not same or (index is not None and self.line_endings == "all" and not index.with_nel):
            raise ValueError("the index is of another charset or of other line endings")
        self.encoding = encoding
        self._survey = Survey(Reader(self.source, encoding, errors), index)
        self._md5 = None if index is None else index.md5

    @classmethod
    def of(cls, text: str, line_endings: str | None = None) -> Text:
        """Return an entity of decoded text, whose first character is never a byte order mark.

        Its bytes are UTF-8; a lone surrogate, which has none, counts as the "?" that replaces it.
        """
        entity = cls(text.encode("utf-8", "replace"), "utf-8", line_endings)
        entity._use(charsets.Encoding("utf-8", 0, "utf-8"), "strict", None)
        return entity

    # ------------------------------------------------------------ what the whole entity is

    @property
    def length(self) -> int:
        """How many characters there are (RFC 5147 §3.1), a line ending being one."""
        return self._survey.end(self._plan(lines=False)).char(self.line_endings)

    @property
    def end(self) -> Tally:
        """The counts of the whole entity."""
        return self._survey.end(self._plan(lines=True))

    @property
    def md5(self) -> str:
        """The MD5 fingerprint of the bytes (RFC 5147 §3.1), 32 hexadecimal digits."""
        if self._md5 is None:
            self._md5 = digest(self.source, "md5")
        return self._md5

    # ------------------------------------------------------------ places

    def place(self, unit: Unit, position: int) -> Tally:
        """Return the counts before a position in `unit`s; the end of the entity if too large."""
        return self.places(unit, [position])[0]

    def places(self, unit: Unit, positions: Sequence[int]) -> list[Tally]:
        """Return the counts before each position, reading the entity once, as far as needed.

        Raises ValueError for a negative position.
        """
        return self._places(unit, positions, lines=True)

    def span(self, start: int, end: int, unit: Unit = "char") -> Span:
        """Return the part from position `start` up to `end`, both clamped to the entity.

        Raises ValueError if start > end, or start < 0.
        """
        if start > end:
            raise ValueError(f"range runs backwards: {start},{end}")
        return self._between(*self._places(unit, [start, end]))

    def slice(self, span: Span) -> str:
        """Return the decoded text of a span of this entity, its line endings as they are."""
        start, end = span.code_point
        pieces = []
        for block, before in self._survey.blocks_from(start, span.byte[0]):
            low, high = start - before, end - before
            if high <= 0:
                break
            pieces.append(block.text[max(0, low) : high])
        return "".join(pieces)

    # ------------------------------------------------------------ fragments

    def locate(
        self,
        fragment: str | rfc5147.TextFragment | wilde00.TextFragment,
        *,
        force: bool = False,
        check: bool = True,
        newline: bool = False,
    ) -> Location:
        """Say where `fragment` is: RFC 5147 text, or a parsed value of either syntax.

        With `check` False, integrity checks are not run; with `force`, one that fails is no
        obstacle (§4.4). `newline` is for regular expressions, as in `bre.compile`.

        Raises ParseError only for undecodable bytes of a strict entity; LimitError where a regular
        expression takes too long, PermaciteError where nothing is installed that searches for it.
        """
        if isinstance(fragment, wilde00.TextFragment):
            return union.locate(self._survey, fragment, self.line_endings, newline=newline)
        if isinstance(fragment, str):
            try:
                fragment = rfc5147.parse(fragment)
            except ParseError as error:
                reason: Literal["order", "syntax"] = (
                    "order" if error.spec == rfc5147.ORDER else "syntax"
                )
                return Location("ignored", reason, problem=str(error))
        checks = tuple(self._checked(one, run=check) for one in fragment.checks)
        failed = [one for one in checks if one.result == "failed"]
        if failed and not force:
            problem = f"the entity has changed: {failed[0].name} is {failed[0].actual}"
            return Location("ignored", "integrity", (), checks, problem, self._notes())
        span = self._between(*self._places(fragment.scheme, self._ends(fragment)))
        notes = self._notes() + (("forced",) if failed else ())
        return Location("ok", None, (span,), checks, "", notes, fragment.kind)

    def excerpt(
        self, fragment: str | rfc5147.TextFragment | wilde00.TextFragment, *, force: bool = False
    ) -> str:
        """Return the text that `fragment` identifies, its spans joined; "" for a position.

        Raises ParseError where its syntax or order is wrong, IntegrityError where a check fails.
        """
        parsed = rfc5147.parse(fragment) if isinstance(fragment, str) else fragment
        location = self.locate(parsed, force=force)
        for one in location.checks:
            if one.result == "failed" and not force:
                raise IntegrityError(
                    location.problem, expected=one.expected, actual=one.actual or ""
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
        made = tuple(self._check_of(name) for name in checks)
        return rfc5147.TextFragment(scheme, start, last, kind, made)

    # ------------------------------------------------------------ inside

    def _plan(self, *, lines: bool) -> Plan:
        return Plan(lines=lines, nel=self.line_endings == "all")

    def _places(self, unit: Unit, positions: Sequence[int], *, lines: bool = False) -> list[Tally]:
        """Return the counts; those of line endings only if `lines`, or if `unit` needs them."""
        if min(positions) < 0:
            raise ValueError("a position is not negative")
        plan = self._plan(lines=lines or unit not in {"char", "code_point"})
        return self._survey.places(Measure(unit, self.line_endings, plan), positions)

    def _between(self, start: Tally, end: Tally) -> Span:
        mode = self.line_endings
        return Span(
            (start.char(mode), end.char(mode)),
            (start.code_point, end.code_point),
            (start.byte, end.byte),
        )

    def _ends(self, fragment: rfc5147.TextFragment) -> tuple[int, int]:
        """Return both positions; an absent end is one that no entity reaches."""
        end = sys.maxsize if fragment.end is None else fragment.end
        return fragment.start or 0, end

    def _checked(self, check: rfc5147.IntegrityCheck, *, run: bool) -> Check:
        """Evaluate one check (RFC 5147 §3.1, §4.4)."""
        if not check.known:
            return Check(check.name, "unknown", check.value)
        if check.charset is not None and not charsets.same(check.charset, self.charset.label):
            return Check(check.name, "other-charset", check.value)
        if not run:
            return Check(check.name, "not-run", check.value)
        actual = str(self.length) if check.name == "length" else self.md5
        expected = check.value.lstrip("0") or "0" if check.name == "length" else check.value.lower()
        return Check(check.name, "ok" if expected == actual else "failed", check.value, actual)

    def _check_of(self, name: str) -> rfc5147.IntegrityCheck:
        """Make the check of that name, with our charset where the syntax can say it."""
        charset = self.charset.label if rfc5147.is_mime_charset(self.charset.label) else None
        if name == "length":
            return rfc5147.IntegrityCheck(name, str(self.length), charset)
        if name == "md5":
            return rfc5147.IntegrityCheck(name, self.md5, charset)
        raise ValueError("checks: expected 'length' or 'md5'")

    def _notes(self) -> tuple[str, ...]:
        stripped = ("bom-stripped",) if self.encoding.mark_bytes else ()
        return stripped + (("invalid-bytes",) if self._survey.invalid else ())
