"""Positions of one specification as those of another, with a flag where there is no counterpart.

| count | from | ends | a line ending |
|---|---|---|---|
| PDI §3.4.1 | 0 | excluded | two characters, CR and LF |
| RFC 5147 §2.1 | 0 | excluded | one character |
| draft-wilde-text-fragment-00 §2.1 | 1 | included | CRLF two characters; a CR or LF alone is one |

Deviations: none.

Readings:
- A PDI position between CR and LF has no RFC 5147 counterpart: a start is rounded down, an end up,
  and the answer is not exact.
- A PDI position beyond the end is an error, not clamped: what a PDI names cannot have shrunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.errors import ParseError
from permacite.fragments.text import Text

if TYPE_CHECKING:
    from permacite.fragments.counting.tally import Tally, Unit

__all__ = ["Converted", "pdi_to_rfc5147", "rfc5147_to_pdi"]


class Converted(NamedTuple):
    """A range in other units; `exact` is False where an end had to be rounded."""

    start: int
    end: int
    exact: bool


def pdi_to_rfc5147(text: str | Text, start: int, end: int) -> Converted:
    """Return the RFC 5147 characters from PDI position `start` up to `end`.

    Raises ParseError where these are no positions of the text, in order (PDI §3.4.1).
    """
    entity = _entity(text)
    first, last = _places(entity, "pdi", start, end)
    mode = entity.line_endings
    exact = first.pdi(mode) == start and last.pdi(mode) == end
    rounded = last.char(mode) + (last.pdi(mode) != end)
    return Converted(first.char(mode), rounded, exact)


def rfc5147_to_pdi(text: str | Text, start: int, end: int) -> Converted:
    """Return the PDI positions of the RFC 5147 characters `start` up to `end`; always exact.

    Raises ParseError where these are no positions of the text, in order.
    """
    entity = _entity(text)
    first, last = _places(entity, "char", start, end)
    mode = entity.line_endings
    return Converted(first.pdi(mode), last.pdi(mode), exact=True)


def _entity(text: str | Text) -> Text:
    return Text.of(text) if isinstance(text, str) else text


def _places(text: Text, unit: Unit, start: int, end: int) -> tuple[Tally, Tally]:
    """Return both places. Raises ParseError where the text has no such range."""
    written = f"{start},{end}"
    if not 0 <= start <= end:
        raise ParseError("expected positions in order", written, 0, "PDI §3.4.1")
    first, last, after = text.places(unit, [start, end, end + 1])
    if last == after and last.position(unit, text.line_endings) < end:
        problem = f"the text has {last.position(unit, text.line_endings)} characters"
        raise ParseError(problem, written, len(str(start)) + 1, "PDI §3.4.1")
    return first, last
