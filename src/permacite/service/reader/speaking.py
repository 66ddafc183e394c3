"""The words of a recording beside it in the reader, and the recording beside its words.

Of a long transcript, the lines around what is cited are shown; the whole is one link away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite import captions, pdi
from permacite.lazy_dataclass import dataclass
from permacite.limits import TRANSCRIPT_LINES
from permacite.service import names
from permacite.service.citations.parts import part_of
from permacite.service.reader import marking
from permacite.service.transcripts import relating
from permacite.service.transcripts.playing import Heard, Sayings, are_words, passages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.archive import Repository, Representation, Version
    from permacite.captions import Turn, Words
    from permacite.service.reader.marking import Marked, TextPiece
    from permacite.service.transcripts.relating import Transcript

__all__ = ["Player", "Script", "ShownLine", "Speaking", "speaking"]

_SHOWN_BEFORE = 50
"""How many lines are shown before the first that is cited, where they are too many."""


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of a transcript."""

    fragment: str
    """Its place in the words, as a fragment."""
    start_ms: int
    end_ms: int
    voice: str | None
    pieces: tuple[TextPiece, ...]
    cited: bool
    """Whether a citation on record is of any of it."""

    @property
    def is_timed(self) -> bool:
        """Whether it can be played."""
        return self.start_ms < self.end_ms


@dataclass(frozen=True, slots=True)
class Script:
    """A transcript, line by line."""

    pdi: str
    """The full name of its words."""
    title: str | None
    language: str | None
    lines: tuple[ShownLine, ...]
    whole: bool
    """Whether these are all of its lines."""


@dataclass(frozen=True, slots=True)
class Player:
    """A recording that can be played beside its words."""

    heard: Heard
    kind: str
    """`audio` or `video`."""

    @property
    def source(self) -> str:
        """Its address below that of frames: the name, and the time as a query."""
        return names.as_address(self.heard.reference)


@dataclass(frozen=True, slots=True)
class Speaking:
    """What stands beside a recording or its words."""

    recording: str
    """The full name of the recording that is played."""
    scripts: tuple[Script, ...]
    player: Player | None
    """Of words: the first of their recordings that is given out here."""
    heard: tuple[Heard, ...]
    """Of words: where they are said, in all their recordings."""


def speaking(
    repository: Repository,
    version: Version,
    answer: Representation,
    *,
    fragment: pdi.FragmentPDI | None,
    marked: Marked,
) -> Speaking | None:
    """What stands beside a recording, or beside the words of one; None for anything else."""
    sayings = Sayings(repository)
    if relating.is_recording(answer.media_type):
        time = None if fragment is None else part_of(fragment).milliseconds
        found = relating.transcripts_of(repository, answer)
        scripts = [_of_time(sayings, repository, item, time) for item in found]
        shown = tuple(script for script in scripts if script is not None)
        return Speaking(str(answer.pdi), shown, None, ()) if shown else None
    return _of_words(sayings, repository, version, marked)


def _of_time(
    sayings: Sayings, repository: Repository, item: Transcript, time: tuple[int, int] | None
) -> Script | None:
    """A transcript beside its recording, what is said in a time of it marked."""
    words = sayings.words(item.captions)
    if words is None:
        return None
    spans = [] if time is None else words.during(*time)
    return _script(repository, item, words, passages(words, spans))


def _of_words(
    sayings: Sayings, repository: Repository, version: Version, marked: Marked
) -> Speaking | None:
    """The words of a recording, and what plays it."""
    item = relating.transcript_in(repository, version)
    if item is None or not are_words(item.words):
        return None
    span = marked.spans[0] if marked.spans and not marked.caret else None
    heard = sayings.heard(item.words, span) or sayings.heard(item.words)
    words = sayings.words(item.captions)
    player = next(filter(None, (_player(repository, place) for place in heard)), None)
    if words is None or not heard:
        return None
    scripts = (_script(repository, item, words, marked.spans),)
    return Speaking(heard[0].pdi, scripts, player, tuple(heard) if span else ())


def _player(repository: Repository, place: Heard) -> Player | None:
    """What plays a recording; None where it is not given out here."""
    name = pdi.parse(place.pdi)
    assert isinstance(name, pdi.PDI)  # noqa: S101 - it has no fragment
    (known,) = repository.lookup.find_representations([name])
    if known is None or repository.lookup.restrictions([known]):
        return None
    return Player(place, known.media_type.partition("/")[0])


def _script(
    repository: Repository,
    item: Transcript,
    words: Words,
    spans: Sequence[tuple[int, int]],
) -> Script:
    turns = captions.turns(words.spans)
    first = next((at for at, turn in enumerate(turns) if _overlaps(turn, spans)), 0)
    begin = 0 if len(turns) <= TRANSCRIPT_LINES else max(0, first - _SHOWN_BEFORE)
    shown = turns[begin : begin + TRANSCRIPT_LINES]
    recorded = [
        (citation.start, citation.end)
        for citation in repository.passages.citations(item.words.pdi)
        if citation.start is not None and citation.end is not None
    ]
    return Script(
        str(item.words.pdi),
        item.title,
        item.language,
        tuple(_line(words, turn, spans, cited=_overlaps(turn, recorded)) for turn in shown),
        len(shown) == len(turns),
    )


def _overlaps(turn: Turn, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start < turn.end and turn.start < end for start, end in spans)


def _line(words: Words, turn: Turn, spans: Sequence[tuple[int, int]], *, cited: bool) -> ShownLine:
    """A line, in pieces that are marked and not."""
    inside = tuple(
        (max(start, turn.start) - turn.start, min(end, turn.end) - turn.start)
        for start, end in spans
        if start < turn.end and turn.start < end
    )
    return ShownLine(
        f"char={turn.start},{turn.end}",
        turn.start_ms,
        turn.end_ms,
        turn.voice,
        marking.split(words.text[turn.start : turn.end], marking.Marked(inside)),
        cited,
    )
