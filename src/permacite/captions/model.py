"""Values of captions: cues, and the pieces of their text. Times are whole milliseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["MOST_CUES", "Captions", "Cue", "Piece", "bounded"]

MOST_CUES = 250_000
"""One a second for more than two days."""


class Piece(NamedTuple):
    """A stretch of a cue's text, decoded, line ends as LF."""

    text: str
    voice: str | None
    """Who says it, where the cue tells."""
    start_ms: int
    end_ms: int


class Cue(NamedTuple):
    """Words that are shown for a time, as in the file."""

    start_ms: int
    end_ms: int
    """As written: it may lie before the start."""
    text: str
    """With its tags, line ends as LF."""
    identifier: str = ""
    """What stands in the line above its times; "" where nothing does."""
    settings: str = ""
    """What follows its times: where it is shown. Nothing here interprets it."""


class Captions(NamedTuple):
    """The cues of a file, in its order, and the language that it declares, if any."""

    cues: Sequence[Cue]
    language: str | None = None


def bounded(cues: Iterator[Cue], source: str) -> list[Cue]:
    """All cues. Raises ParseError where they are too many to be of any recording."""
    listed: list[Cue] = []
    for cue in cues:
        if len(listed) == MOST_CUES:
            raise ParseError(f"more than {MOST_CUES:,} cues", source[:80], 0)
        listed.append(cue)
    return listed
