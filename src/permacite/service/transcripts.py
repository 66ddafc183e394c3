"""Transcripts of recordings: the statement `transcript-of`.

PDI §3.6.5 (assertions). The subject is the captions, the object the recording, both with format and
version: times hold for these octets alone. A statement about a whole document, or about the words
of captions in place of the captions, is understood too.

Readings: that captions are of a recording says whoever states it; nothing is heard here. The
language is a statement too: `language`, a BCP 47 tag.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, NamedTuple

from permacite import captions, pdi
from permacite.archive.names import as_urn
from permacite.errors import ConflictError, NotFoundError, ParseError
from permacite.lazy_dataclass import dataclass
from permacite.pdi.predicates import predicate_iri
from permacite.scan import compile_pattern
from permacite.service import names, sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.repository import Repository
    from permacite.captions import SpokenSpan, Words
    from permacite.service.documents import Document

__all__ = [
    "Heard",
    "Pair",
    "Related",
    "Said",
    "Sayings",
    "Transcript",
    "TranscriptLine",
    "Transcripts",
    "captions_of",
    "is_recording",
    "pairs_of",
    "passages",
    "recordings_of",
    "related",
    "transcript_in",
    "transcripts_of",
    "with_recordings",
]

_PREDICATE = "transcript-of"
_PREDICATES = (_PREDICATE, predicate_iri(_PREDICATE))
_LANGUAGE = "language"
_LANGUAGES = (_LANGUAGE, f"dcterms:{_LANGUAGE}", predicate_iri(_LANGUAGE))
_TAG = compile_pattern(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,8}")
_SUFFIX_LANGUAGE = compile_pattern(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,8}")


@dataclass(frozen=True, slots=True)
class Transcript:
    """Captions that are here, and their words."""

    captions: Representation
    words: Representation
    title: str | None
    language: str | None
    """A BCP 47 tag, as it was stated."""


@dataclass(frozen=True, slots=True)
class Related:
    """A transcript of a recording, or a recording that a transcript is of, as it is told."""

    pdi: str
    """Of a transcript, the full name of its words."""
    title: str | None
    language: str | None = None


class Transcripts:
    """Transcripts: their statements."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def state(self, transcript: str, recording: str, *, language: str | None = None) -> None:
        """State that captions, by any name of their version, are the transcript of a recording.

        Without a `language`, that which WebVTT declares is stated, if it does.
        Raises NotFoundError where either is not here, ConflictError where it is none, ParseError
        for a language that is no BCP 47 tag.
        """
        if language is not None and not _TAG.fullmatch(language):
            raise ParseError("expected a language, such as en or pt-BR", language, 0, "RFC 5646 §2")
        version = self._repository.lookup.version(names.document_of(transcript)[0])
        source = captions_of(version)
        if source is None:
            raise ConflictError("this is no file of captions that has words", transcript)
        heard = _recording(self._repository, names.document_of(recording)[0])
        if heard is None:
            raise ConflictError("this is neither a sound nor a video", recording)
        if language is None:
            text = self._repository.contents.text(source).stored
            language = captions.read_captions(text, source.media_type).language
        statements, subject = self._repository.statements, as_urn(source.pdi)
        statements.state(subject, _PREDICATE, as_urn(heard.pdi))
        if language is not None:
            statements.state(subject, _LANGUAGE, language)


def is_recording(media_type: str) -> bool:
    """Whether this is a sound or a video."""
    return media_type.startswith(("audio/", "video/"))


def captions_of(version: Version) -> Representation | None:
    """The captions among the formats of a version; None where none have words."""
    made_from = {item.derived_from for item in version.representations}
    for item in version.representations:
        if item.media_type in captions.MEDIA_TYPES and item.format in made_from:
            return item
    return None


def transcripts_of(repository: Repository, recording: Representation) -> list[Transcript]:
    """The transcripts of a recording that are here, in the order in which they were stated."""
    objects = _spellings(recording.pdi) | _spellings(recording.pdi.document)
    said = repository.statement_search.about_objects(sorted(objects), _PREDICATES)
    known: dict[pdi.PDI, Transcript] = {}
    for subject in dict.fromkeys(statement.subject for statement in said):
        with contextlib.suppress(NotFoundError, ParseError):
            version = repository.lookup.version(names.document_of(subject)[0])
            transcript = transcript_in(repository, version)
            if transcript is not None:
                known.setdefault(transcript.captions.pdi, transcript)
    return list(known.values())


def recordings_of(repository: Repository, source: Representation) -> Iterator[pdi.PDI]:
    """The full names of the recordings that captions are of; they may be in other archives."""
    said = repository.statement_search.about(_subjects(source), _PREDICATES)
    for text in dict.fromkeys(statement.object for statement in said):
        with contextlib.suppress(NotFoundError, ParseError):
            name, _ = names.document_of(text)
            here = _recording(repository, name)
            if here is not None:
                yield here.pdi
            elif is_recording(pdi.media_type_for(name.format or "") or "") and name.version:
                yield name


def related(
    repository: Repository, version: Version
) -> tuple[tuple[Related, ...], tuple[Related, ...]]:
    """The transcripts of a version's recording, and the recordings whose transcript it is."""
    transcripts = [
        Related(str(item.words.pdi), item.title, item.language)
        for recording in version.representations
        if is_recording(recording.media_type)
        for item in transcripts_of(repository, recording)
    ]
    source = captions_of(version)
    recordings = () if source is None else recordings_of(repository, source)
    return tuple(transcripts), tuple(
        Related(str(name), title_of(repository, name)) for name in recordings
    )


def with_recordings(repository: Repository, listed: Sequence[Document]) -> Iterator[Document]:
    """Documents as they are, captions with the recordings that are stated of their octets."""
    captioned = {
        item.pdi: document.pdi
        for document in listed
        for item in document.formats
        if item.media_type in captions.MEDIA_TYPES
    }
    stated: dict[str, list[str]] = {}
    if captioned:
        for statement in repository.statement_search.about(list(captioned), _PREDICATES):
            stated.setdefault(statement.subject, []).append(statement.object)
    for document in listed:
        names = [name for item in document.formats for name in stated.get(item.pdi, ())]
        told = tuple(dict.fromkeys(names))
        yield dataclasses.replace(document, transcript_of=told) if told else document


def title_of(repository: Repository, name: pdi.PDI) -> str | None:
    """The title of a document, if it is here."""
    (version,) = repository.lookup.find_versions([name])
    return None if version is None else version.title


def transcript_in(repository: Repository, version: Version) -> Transcript | None:
    """The transcript that a version is; None where it is none."""
    source = captions_of(version)
    if source is None:
        return None
    (words,) = (item for item in version.representations if item.derived_from == source.format)
    stated = repository.statement_search.about(_subjects(source), _LANGUAGES)
    language = stated[-1].object if stated else None
    return Transcript(source, words, version.title, language)


def _recording(repository: Repository, name: pdi.PDI) -> Representation | None:
    """The sound or video of a name; None where it is not here, or none."""
    (version,) = repository.lookup.find_versions([name])
    if version is None:
        return None
    for item in version.representations:
        if is_recording(item.media_type) and name.format in {None, item.format}:
            return item
    return None


def _subjects(source: Representation) -> list[str]:
    """What a statement about captions may have for its subject."""
    words = source.pdi.with_(format="utf-8")
    return [as_urn(source.pdi), as_urn(words), as_urn(source.pdi.document)]


def _spellings(name: pdi.PDI) -> set[str]:
    """A name as objects of statements have it: in canonical form, with `urn:` or without."""
    urn = as_urn(name)
    return {urn, urn.removeprefix("urn:")}


class Pair(NamedTuple):
    """Captions and their recording: `talk.vtt`, or `talk.en.vtt`, and `talk.mp4` beside it."""

    captions: Path
    recording: Path
    language: str | None


def pairs_of(paths: Iterable[Path]) -> Iterator[Pair]:
    """Yield the captions among files whose recording, and no other, has their name."""
    kinds = {path: sources.media_type_of(path.name, b"") for path in paths}
    recordings: dict[Path, list[Path]] = {}
    for path, kind in kinds.items():
        if is_recording(kind):
            recordings.setdefault(path.with_suffix(""), []).append(path)
    for path, kind in kinds.items():
        if kind not in captions.MEDIA_TYPES:
            continue
        stem = path.with_suffix("")
        named = recordings.get(stem, [])
        language = None
        if not named and _SUFFIX_LANGUAGE.fullmatch(stem.suffix[1:]):
            named, language = recordings.get(stem.with_suffix(""), []), stem.suffix[1:]
        if len(named) == 1:
            yield Pair(path, named[0], language)


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
        source = captions_of(version)
        if source is None:
            return []
        times = None
        if span is not None:
            known = self.words(source)
            times = None if known is None else known.times(*span)
            if times is None:
                return []
        recordings = recordings_of(self._repository, source)
        return [_heard(self._repository, name, times) for name in recordings]

    def said(self, recording: Representation, start_ms: int, end_ms: int) -> list[Said]:
        """What is said in a recording from one time up to another, by each of its transcripts."""
        told = [
            self._said(transcript, start_ms, end_ms)
            for transcript in transcripts_of(self._repository, recording)
        ]
        return [item for item in told if item is not None]

    def _said(self, transcript: Transcript, start_ms: int, end_ms: int) -> Said | None:
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
    return Heard(str(reference), str(name), start, end, title_of(repository, name))
