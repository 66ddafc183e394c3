"""Media in the reader: pictures, sound and video as elements, recordings beside their words.

A rectangle is outlined over the picture at its own size, so that its numbers are those of the name;
the script of the frame fits both to the window. Times are set by a media fragment: the player
begins at the first and stops at the second. One frame of several, and a format that browsers do not
show, are shown as a PNG that the decoding workers made, a part of what they do not play as a WebM.

Of a long transcript, the lines around the cited ones are shown; a link leads to the whole.
"""

from __future__ import annotations

import base64
import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite import captions, pdi
from permacite.errors import NotFoundError, PermaciteError
from permacite.limits import TRANSCRIPT_LINES
from permacite.service import names
from permacite.service.citations.parts import Part, part_of, told
from permacite.service.reader import marking
from permacite.service.transcripts import (
    Heard,
    Sayings,
    is_recording,
    passages,
    transcript_in,
    transcripts_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.repository import Repository
    from permacite.captions import Turn
    from permacite.captions import Words as SpokenWords
    from permacite.service.reader.marking import MarkedSpans, TextPiece
    from permacite.service.transcripts import Transcript
    from permacite.words import Words

__all__ = [
    "STYLE",
    "Markable",
    "MediaElement",
    "Player",
    "Script",
    "ShownLine",
    "Speaking",
    "element",
    "failed",
    "markable",
    "speaking",
]

STYLE = """\
:root { color-scheme: light dark }
body { margin: 0.5rem 1rem }
p { margin: 0 0 0.5rem }
#surface { position: relative; width: max-content; overflow: hidden; user-select: none }
#surface > img, #surface > video { display: block; max-width: none; background: #fff }
#surface.fitting > * { max-width: calc(100vw - 2rem); max-height: calc(100vh - 5rem) }
body:has(#full:checked) #surface > * { max-width: none; max-height: none }
#surface.drawing { cursor: crosshair; touch-action: pinch-zoom }
body:has(#full:checked) #surface { touch-action: auto }
#surface:focus-visible { outline: 3px solid light-dark(#1d5685, #8cc4f0); outline-offset: 3px }
.size { display: inline-flex; align-items: center; gap: 0.4rem; margin-top: 0.4rem }
.size input { width: 1.25rem; height: 1.25rem; margin: 0 }
mark.region, #drawn { position: absolute; background: none; pointer-events: none }
mark.region { outline: 3px solid #c2410c; box-shadow: 0 0 0 200vmax rgb(0 0 0 / 35%) }
#drawn { outline: 2px solid #fff; box-shadow: 0 0 0 4px #1d5685; min-width: 1px; min-height: 1px }
#drawn[hidden] { display: none }
body > audio { width: min(40rem, 100%) }
body > video { max-width: 100%; max-height: calc(100vh - 6rem) }"""

_SCHEMES = frozenset({"rect", "sec", "msec", "crop"})
_SECOND = 1000
_ALL = 999_999_999
"""A corner beyond every picture: what is cut up to it is the whole."""

_BY_BROWSERS = frozenset(
    f"image/{kind}"
    for kind in ("png", "apng", "jpeg", "gif", "webp", "avif", "bmp", "svg+xml", "x-icon")
)
"""The pictures that browsers show; of others a PNG is made."""

_PLAYED = frozenset(
    {f"audio/{kind}" for kind in ("mpeg", "mp4", "aac", "ogg", "opus", "webm", "flac", "x-flac")}
    | {f"audio/{kind}" for kind in ("wav", "wave", "x-wav", "vnd.wave", "mp3", "x-m4a")}
    | {f"video/{kind}" for kind in ("mp4", "webm", "ogg", "x-m4v", "quicktime")}
)
"""The recordings that most browsers play; of a part of others a preview is made."""


@dataclass(frozen=True, slots=True)
class Markable:
    """A picture, a sound or a video of which readers mark parts."""

    kind: str
    """`image`, `audio` or `video`."""
    frames: int
    """How many pictures a file holds: frames of an animation, pages."""
    frame: int | None
    """Which of them is shown, counted from 0; None where the file is shown as it is."""
    animated: bool
    """Whether a browser shows several in turn when it gets the file."""
    cuttable: bool
    """Whether parts can be cut out; a drawing (SVG) has no pixels."""
    cited: Part
    """What of it is cited."""

    @property
    def moves(self) -> bool:
        """Whether they are shown in turn now, so that none of them can be drawn on."""
        return self.animated and self.frame is None


@dataclass(frozen=True, slots=True)
class MediaElement:
    """A picture, a sound or a video as HTML."""

    html: str
    marked: bool
    """Whether a part of it is."""
    lasting: bool = True
    """Whether it would be made the same the next time; not where a decoder failed."""


def markable(
    representation: Representation,
    content: bytes,
    fragment: pdi.FragmentPDI | None,
    asked: int | None,
) -> Markable | None:
    """What can be marked of a document; None for what is no picture, sound or video.

    `asked`: the frame that is to be shown by itself. Raises NotFoundError where there is none.
    """
    media_type = representation.media_type
    kind = media_type.partition("/")[0]
    if kind not in {"image", "audio", "video"}:
        return None
    part = _part(fragment, asked)
    frames, frame = 1, None
    if kind == "image":
        from permacite.extract.media import count

        frames = count.frames(content)
        frame = _frame(media_type, frames, part, asked)
    if frame is not None and frame >= frames:
        problem = f"the file has {frames} frame{'s' if frames > 1 else ''}, counted from 0"
        raise NotFoundError(problem, f"frame {frame}"[:80])
    return Markable(
        kind,
        frames,
        frame,
        animated=frames > 1 and media_type in _BY_BROWSERS,
        cuttable=media_type != "image/svg+xml",
        cited=part,
    )


def _frame(media_type: str, frames: int, part: Part, asked: int | None) -> int | None:
    """Which frame is shown by itself: what is asked for, or cited; the first, if need be."""
    if asked is not None and (frames > 1 or asked):
        return asked
    if part.corners and frames > 1:
        return part.frame or 0
    return None if media_type in _BY_BROWSERS else 0


def element(
    repository: Repository,
    representation: Representation,
    fragment: pdi.FragmentPDI | None,
    asked: int | None,
    *,
    words: Words,
) -> MediaElement:
    """A picture, sound or video as HTML, with what is cited of it. Raises as `markable` does."""
    content = repository.contents.read(representation)
    shown = markable(representation, content, fragment, asked)
    if shown is None:
        raise ValueError(representation.media_type)
    part, media_type, notes = _part(fragment, asked), representation.media_type, []
    if fragment is not None and part.milliseconds and media_type not in _PLAYED:
        return _previewed(repository, representation, fragment, kind=shown.kind, words=words)
    if shown.frame is not None:
        try:
            content = _png(repository, representation, shown.frame)
        except PermaciteError as error:
            return failed(error, words)
        notes.append(_of_which(shown, media_type, words))
        media_type = "image/png"
    address = f"data:{media_type};base64,{base64.b64encode(content).decode()}"
    cited = html.escape(words("shown.cited", part=told(part, words))) if part.scheme else ""
    if cited:
        outlined = part.corners and shown.kind != "audio"
        notes.append(cited if outlined else f'<mark id="permacite-mark">{cited}</mark>')
    lines = "".join(f"<p>{note}</p>\n" for note in notes)
    return MediaElement(
        lines + _stage(shown, part, address, cited, words=words), marked=bool(cited)
    )


def failed(error: PermaciteError, words: Words) -> MediaElement:
    """What is shown of what a decoder did not manage."""
    problem = f"<p>{html.escape(words('shown.failed'))}</p>\n"
    problem += f'<p lang="en">{html.escape(str(error))}</p>'
    return MediaElement(problem, marked=False, lasting=False)


def _previewed(
    repository: Repository,
    representation: Representation,
    fragment: pdi.FragmentPDI,
    *,
    kind: str,
    words: Words,
) -> MediaElement:
    """The cited part of a recording that few browsers play: the part alone, and said to be made."""
    try:
        preview = repository.contents.excerpt(representation, fragment.specifier, preview=True)
    except PermaciteError as error:
        return failed(error, words)
    address = f"data:{preview.media_type};base64,{base64.b64encode(preview.data).decode()}"
    cited = words("shown.cited", part=told(part_of(fragment), words))
    note = words("shown.preview", media_type=representation.media_type)
    return MediaElement(
        f'<p><mark id="permacite-mark">{html.escape(cited)}</mark></p>\n'
        f'<p>{html.escape(note)}</p>\n<{kind} controls src="{address}"></{kind}>',
        marked=True,
    )


def _png(repository: Repository, representation: Representation, frame: int) -> bytes:
    """One frame whole, as a PNG. Raises PermaciteError where none can be made."""
    whole = repository.contents.excerpt(representation, f"rect=(0,0),({_ALL},{_ALL}),{frame}")
    if whole.media_type != "image/png":
        raise PermaciteError("browsers cannot show the colours of this picture")
    return whole.data


def _of_which(shown: Markable, media_type: str, words: Words) -> str:
    """What is derived is said to be."""
    if shown.frames == 1:
        return html.escape(words("shown.derived", media_type=media_type))
    last = shown.frames - 1
    said = words("shown.derived_frame", number=shown.frame, last=last, media_type=media_type)
    return html.escape(said)


def _stage(shown: Markable, part: Part, address: str, cited: str, *, words: Words) -> str:
    """The element, what is drawn over it, and the choice of its size."""
    if part.milliseconds:
        address += "#t=" + ",".join(f"{time / _SECOND:.12g}" for time in part.milliseconds)
    if shown.kind == "audio":
        return f'<audio id="media" controls src="{address}"></audio>'
    media = {
        "image": f'<img id="media" alt="{html.escape(words("shown.picture"))}" src="{address}">',
        "video": f'<video id="media" controls src="{address}"></video>',
    }[shown.kind]
    mark = drawn = ""
    if part.corners:
        left, top, right, bottom = part.corners
        place = f"left:{left}px;top:{top}px;width:{right - left}px;height:{bottom - top}px"
        mark = f'<mark id="permacite-mark" class="region" role="img" aria-label="{cited}"'
        mark += f' data-rect="{left},{top},{right},{bottom}" style="{place}"></mark>'
    if shown.cuttable and not shown.moves:
        drawn = '<div id="drawn" hidden></div>'
    fitting = "" if mark else ' class="fitting"'  # the script fits what is marked too
    label, full = html.escape(words("shown.draw_on")), html.escape(words("shown.full_size"))
    size = f'<label class="size"><input type="checkbox" id="full"> {full}</label>'
    return f'<div id="surface"{fitting} data-label="{label}">{media}{mark}{drawn}</div>\n{size}'


def _part(fragment: pdi.FragmentPDI | None, asked: int | None) -> Part:
    """What a fragment names of what is seen and heard; without a scheme for anything else.

    That is none of another frame than the one that is asked for.
    """
    if fragment is None or fragment.scheme not in _SCHEMES:
        return Part("")
    part = part_of(fragment)
    elsewhere = part.corners and asked not in (None, part.frame or 0)
    return Part("") if elsewhere else part


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
    marked: MarkedSpans,
) -> Speaking | None:
    """What stands beside a recording, or beside the words of one; None for anything else."""
    sayings = Sayings(repository)
    if is_recording(answer.media_type):
        time = None if fragment is None else part_of(fragment).milliseconds
        found = transcripts_of(repository, answer)
        scripts = [_of_time(sayings, repository, item, time) for item in found]
        shown = tuple(script for script in scripts if script is not None)
        return Speaking(str(answer.pdi), shown, None, ()) if shown else None
    return _of_words(sayings, repository, version, marked)


def _of_time(
    sayings: Sayings, repository: Repository, item: Transcript, time: tuple[int, int] | None
) -> Script | None:
    """A transcript beside its recording, with the words of a time marked."""
    words = sayings.words(item.captions)
    if words is None:
        return None
    spans = [] if time is None else words.during(*time)
    return _script(repository, item, words, passages(words, spans))


def _of_words(
    sayings: Sayings, repository: Repository, version: Version, marked: MarkedSpans
) -> Speaking | None:
    """The words of a recording, and what plays it."""
    item = transcript_in(repository, version)
    if item is None or not names.are_words(item.words):
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
    repository: Repository, item: Transcript, words: SpokenWords, spans: Sequence[tuple[int, int]]
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


def _line(
    words: SpokenWords, turn: Turn, spans: Sequence[tuple[int, int]], *, cited: bool
) -> ShownLine:
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
        marking.split(words.text[turn.start : turn.end], marking.MarkedSpans(inside)),
        cited,
    )
