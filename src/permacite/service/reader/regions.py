"""Pictures, sound and video as elements for the reader's frame, with what is cited of them shown.

A rectangle is outlined over the picture at its own size, so that its numbers are those of the name;
the script of the frame fits both to the window. Times are set by a media fragment: the player
begins at the first and stops at the second. One frame of several, and a format that browsers do not
show, are shown as a PNG that the decoding workers made, a part of what they do not play as a WebM.
"""

from __future__ import annotations

import base64
import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite.errors import NotFoundError, PermaciteError
from permacite.service.citations.parts import Part, part_of, told

if TYPE_CHECKING:
    from permacite import pdi
    from permacite.archive import Repository, Representation
    from permacite.words import Words

__all__ = ["STYLE", "Element", "Markable", "element", "failed", "markable"]

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
class Element:
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
) -> Element:
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
    return Element(lines + _stage(shown, part, address, cited, words=words), marked=bool(cited))


def failed(error: PermaciteError, words: Words) -> Element:
    """What is shown of what a decoder did not manage."""
    problem = f"<p>{html.escape(words('shown.failed'))}</p>\n"
    problem += f'<p lang="en">{html.escape(str(error))}</p>'
    return Element(problem, marked=False, lasting=False)


def _previewed(
    repository: Repository,
    representation: Representation,
    fragment: pdi.FragmentPDI,
    *,
    kind: str,
    words: Words,
) -> Element:
    """The cited part of a recording that few browsers play: the part alone, and said to be made."""
    try:
        preview = repository.contents.excerpt(representation, fragment.specifier, preview=True)
    except PermaciteError as error:
        return failed(error, words)
    address = f"data:{preview.media_type};base64,{base64.b64encode(preview.data).decode()}"
    cited = words("shown.cited", part=told(part_of(fragment), words))
    note = words("shown.preview", media_type=representation.media_type)
    return Element(
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
