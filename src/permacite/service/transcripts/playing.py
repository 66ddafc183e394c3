"""From cited words to the seconds in which they are said, and from seconds to the words.

What is told is worked out when it is asked for, from the captions as they are stored, by the frozen
rules that made their words (docs/explanation/the-words-of-recordings.md).
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from permacite import captions
from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.service.transcripts import relating

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite import pdi
    from permacite.archive.model.answered import Representation
    from permacite.archive.repository import Repository
    from permacite.captions import SpokenSpan, Words

__all__ = ["Heard", "Said", "Sayings", "TranscriptLine", "passages"]


@dataclass(frozen=True, slots=True)
class Heard:
    """Where in a recording words are said; all of it for all of a transcript."""

    reference: str
    """The recording's full name, with the time as `msec` where one is told."""
    pdi: str
    start_ms: int | None
    end_ms: int | None
    title: str | None


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """What one voice says in one cue."""

    reference: str
    start_ms: int
    end_ms: int
    voice: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """What is said in a time of a recording, as one transcript has it."""

    pdi: str
    """The full name of its words."""
    references: tuple[str, ...]
    """The passages of it: one, unless words of other times stand between."""
    language: str | None
    title: str | None
    quote: str
    """The words, each voice on a line of its own, with its name where it is told."""
    lines: tuple[TranscriptLine, ...]


class Sayings:
    """What an archive knows of words and times; each file of captions is read once."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._words: dict[str, Words | None] = {}

    def heard(self, words: Representation, span: tuple[int, int] | None = None) -> list[Heard]:
        """Where the words of a transcript, from one position up to another, are said.

        All of it where `span` is None. Nothing is told of words that have no time.
        """
        version = self._repository.lookup.version(words.pdi)
        source = relating.captions_of(version)
        if source is None:
            return []
        times = None
        if span is not None:
            known = self.words(source)
            times = None if known is None else known.times(*span)
            if times is None:
                return []
        recordings = relating.recordings_of(self._repository, source)
        return [_heard(self._repository, name, times) for name in recordings]

    def said(self, recording: Representation, start_ms: int, end_ms: int) -> list[Said]:
        """What is said in a recording from one time up to another, by each of its transcripts."""
        told = [
            self._said(transcript, start_ms, end_ms)
            for transcript in relating.transcripts_of(self._repository, recording)
        ]
        return [item for item in told if item is not None]

    def _said(self, transcript: relating.Transcript, start_ms: int, end_ms: int) -> Said | None:
        words = self.words(transcript.captions)
        spans = [] if words is None else words.during(start_ms, end_ms)
        if words is None or not spans or not self._is_given_out(transcript.words):
            return None
        name = transcript.words.pdi
        lines = lines_of(words, name, spans)
        return Said(
            pdi=str(name),
            references=tuple(
                str(name.fragment("char", *place)) for place in passages(words, spans)
            ),
            language=transcript.language,
            title=transcript.title,
            quote=quote_of(lines),
            lines=lines,
        )

    def words(self, source: Representation) -> Words | None:
        """The words of captions with their times; None where they are not given out.

        Raises IntegrityError, NotFoundError for octets that are not as they were committed.
        """
        if source.digest not in self._words:
            self._words[source.digest] = self._read(source)
        return self._words[source.digest]

    def _read(self, source: Representation) -> Words | None:
        if not self._is_given_out(source):
            return None
        text = self._repository.contents.text(source, whole=False).stored
        with contextlib.suppress(ParseError):
            read = captions.read_captions(text, source.media_type)
            return captions.words_of(read, source.media_type)
        return None

    def _is_given_out(self, representation: Representation) -> bool:
        return not self._repository.lookup.restrictions([representation])


def lines_of(
    words: Words, name: pdi.PDI, spans: Sequence[SpokenSpan]
) -> tuple[TranscriptLine, ...]:
    """What stretches of words say, line by line; `name` is that of the words."""
    return tuple(
        TranscriptLine(
            str(name.fragment("char", turn.start, turn.end)),
            turn.start_ms,
            turn.end_ms,
            turn.voice,
            words.text[turn.start : turn.end],
        )
        for turn in captions.turns(spans)
    )


def quote_of(lines: Sequence[TranscriptLine]) -> str:
    """Lines as a quotation: what one voice says in a row on one line, behind its name."""
    said: list[tuple[str | None, list[str]]] = []
    for line in lines:
        if not said or said[-1][0] != line.voice:
            said.append((line.voice, []))
        said[-1][1].extend(line.text.split())
    return "\n".join(f"{voice}: " * bool(voice) + " ".join(parts) for voice, parts in said)


def passages(words: Words, spans: Sequence[SpokenSpan]) -> list[tuple[int, int]]:
    """Spans as passages: those that follow one another are one."""
    joined: list[tuple[int, int]] = []
    for span in spans:
        if joined and not words.between(joined[-1][1], span.start):
            joined[-1] = (joined[-1][0], span.end)
        else:
            joined.append((span.start, span.end))
    return joined


def _heard(repository: Repository, name: pdi.PDI, times: tuple[int, int] | None) -> Heard:
    reference = name if times is None else name.fragment("msec", *times)
    start, end = times or (None, None)
    return Heard(str(reference), str(name), start, end, relating.title_of(repository, name))
