"""A text/plain entity that fragments point into: where they are, what they identify, and new ones.

URI Fragment Identifiers for the text/plain Media Type (RFC 5147)

| section | function |
|---|---|
| §2, §2.1.2, §4.1 counting | permacite.text.entity |
| §2.3, §3.1, §4.4 integrity checks | Text.locate, by permacite.fragments.checks |
| §4.2 positions beyond the end | Text.locate |
| §4.5 syntax errors | Text.locate |

Deviations: none.

Readings:
- The end of a range that is too large is the end of the entity.
- All checks are evaluated, and one that fails is enough: the fragment is not interpreted, unless
  the caller forces it (§4.4 says SHOULD NOT).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal

from permacite.errors import IntegrityError, ParseError
from permacite.fragments import checks as integrity
from permacite.fragments import rfc5147, union, wilde00
from permacite.fragments.location import Location
from permacite.text.entity import Entity

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Text"]


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
            return union.locate(self._survey, fragment, self.line_endings, newline=newline, gnu=gnu)
        if isinstance(fragment, str):
            try:
                fragment = rfc5147.parse(fragment)
            except ParseError as error:
                reason: Literal["order", "syntax"] = (
                    "order" if error.spec == rfc5147.ORDER else "syntax"
                )
                return Location("ignored", reason, problem=str(error))
        checks = integrity.checked(self, fragment.checks, run=check, transcode=transcode)
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
        integrity_checks = tuple(integrity.check_of(self, name) for name in checks)
        return rfc5147.TextFragment(scheme, start, last, kind, integrity_checks)

    def _notes(self) -> tuple[str, ...]:
        stripped = ("bom-stripped",) if self.encoding.mark_bytes else ()
        return stripped + (("invalid-bytes",) if self._survey.invalid else ())
