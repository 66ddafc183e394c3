"""A page of a PDF in the reader's frame: its picture, its words over it, what is cited marked.

The words are those of the committed text. By its map each stands where it is drawn: the script of
the frame lays them over the picture, unseen, so that what is selected is our text. Without scripts
they stand below. What is cited is marked by boxes over the picture.
"""

from __future__ import annotations

import base64
import html
import math
from typing import TYPE_CHECKING, NamedTuple

from permacite.cache import Cache
from permacite.errors import IntegrityError, NotFoundError, RestrictedError
from permacite.lazy_dataclass import dataclass
from permacite.media_types import PDF
from permacite.pdi import PagePlace
from permacite.renditions.pdf.boxes import UNITS, Quad
from permacite.scan import compile_pattern
from permacite.service.decoders import measured
from permacite.service.labels import labels_of, places_of, text_of_pages
from permacite.service.reader.marking import MarkedSpans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite import pdi
    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.repository import Repository
    from permacite.renditions.pdf.boxes import CharacterBoxes
    from permacite.words import Words

__all__ = [
    "REFUSED",
    "STYLE",
    "PageRequest",
    "Paper",
    "PaperPage",
    "leaf",
    "paper",
    "sheet_html",
    "span_of",
]

STYLE = """\
:root { color-scheme: light dark }
body { margin: 0; padding: 0.75rem; background: light-dark(#e9e7e1, #0e1215) }
#sheet { position: relative; container-type: inline-size; margin: 0 auto }
.drawn { position: relative; overflow: clip; background: #fff;
  box-shadow: 0 1px 6px rgb(0 0 0 / 35%) }
.drawn > img { display: block; width: 100%; height: auto }
.drawn mark { position: absolute; background: #ffe08a; mix-blend-mode: multiply }
.drawn mark.area { background: none; mix-blend-mode: normal; outline: 3px solid #c2410c;
  box-shadow: 0 0 0 200vmax rgb(0 0 0 / 35%) }
.words { padding: 1rem; white-space: pre-wrap; overflow-wrap: anywhere }
.laid .words { position: absolute; inset: 0; padding: 0; overflow: clip; white-space: pre;
  font: 1px/1 sans-serif; color: transparent; user-select: none }
.laid .words span { position: absolute; transform-origin: 0 0; cursor: text; user-select: text;
  font-size: calc(var(--tall) * 1cqw); overflow: clip } /* or what is selected has a line end too */
.laid .words mark { background: rgb(255 208 0 / 45%); color: transparent }
.laid .words ::selection { background: rgb(0 90 200 / 30%); color: transparent }
@media print { body { padding: 0 } #sheet { max-width: none !important } }"""

REFUSED = (IntegrityError, NotFoundError, RestrictedError)
"""The errors that say nothing of drawing: any other means that a page cannot be drawn."""

_PIXELS_OF_A_POINT = 1.6
"""How large a page is shown at most."""
_WORD = compile_pattern(r"\S+")
_HALF = 0.5
_STEEP = 1.5
_SIZES: Cache[tuple[int, float, float]] = Cache(1 << 20, lambda _: 200)


@dataclass(frozen=True, slots=True)
class Paper:
    """A document that is shown page by page."""

    original: Representation
    text: Representation | None
    """The words of its pages; None where there are none, or none are given out."""


class PageRequest(NamedTuple):
    """What of it is to be seen."""

    fragment: pdi.FragmentPDI | None = None
    marked: MarkedSpans = MarkedSpans()
    """What is marked of its words."""
    page: int | None = None
    """The page that is asked for, from 1."""


@dataclass(frozen=True, slots=True)
class PaperPage:
    """A page that is shown."""

    pdi: str
    """The full name of the format that has pages."""
    number: int
    """In the file, from 1."""
    count: int
    label: str
    """What is printed on it; "" where that is not known."""

    @property
    def reference(self) -> str:
        """The name of the page."""
        return f"{self.pdi}#page={self.number}"

    @property
    def before(self) -> int | None:
        """The page before it."""
        return self.number - 1 if self.number > 1 else None

    @property
    def after(self) -> int | None:
        """The page behind it."""
        return self.number + 1 if self.number < self.count else None


def paper(repository: Repository, version: Version, shown: Representation) -> Paper | None:
    """The pages of which a format is, or whose words it holds; None for any other document."""
    original = shown if shown.media_type == PDF else None
    for item in version.representations:
        if item.media_type == PDF and shown.derived_from == item.format:
            original = item
    if original is None or repository.lookup.restrictions([original]):
        return None
    text = text_of_pages(repository, original)
    if shown is not original and (text is None or places_of(repository, text) is None):
        return None
    return Paper(original, text)


def leaf(repository: Repository, document: Paper, wanted: PageRequest) -> PaperPage:
    """The page to show: that which is asked for, else the one with what is cited, else the first.

    Raises NotFoundError where there is no such page, DecodingError where none can be drawn.
    """
    places = _places(repository, document)
    fragment, marked, number = wanted
    if number is None and marked.spans and places is not None:
        number = places.page_at(marked.spans[0][0]).number
    place = _cited(fragment)
    if number is None and place is not None:
        number = place.page
    number = number or 1
    if places is not None and places.pages:
        count = max(page.number for page in places.pages)
    else:
        count = _size(repository, document, None, 1)[0]
    if number > count:
        problem = f"the document has {count} page{'s' if count != 1 else ''}"
        raise NotFoundError(problem, f"page={number}"[:80])
    labels = () if document.text is None else labels_of(repository, document.text)
    target = f"page={number}"
    printed = (each.name for each in labels if each.kind == "page" and each.target == target)
    return PaperPage(str(document.original.pdi), number, count, next(printed, ""))


def span_of(repository: Repository, document: Paper, number: int) -> tuple[int, int]:
    """Where in the text the words of a page stand; nothing where it has none."""
    places = _places(repository, document)
    return (0, 0) if places is None else places.span_of(number)


def sheet_html(
    repository: Repository, document: Paper, shown: PaperPage, wanted: PageRequest, *, words: Words
) -> tuple[str, bool]:
    """A page as HTML, and whether a part of it is marked. Raises PermaciteError."""
    fragment, marked, _ = wanted
    places = _places(repository, document)
    _, across, down = _size(repository, document, places, shown.number)
    width, height = math.ceil(across), math.ceil(down)  # of the picture, whose edges are whole
    marks = list(_marks(places, marked, shown.number, words))
    cited = _cited(fragment)
    if cited is not None and cited.area is not None and cited.page == shown.number:
        left, top, wide, high = cited.area
        label = words("shown.cited", part=words("leaf.area"))
        marks.append(_mark((left, top, left + wide, top + high), "area", label))
    boxes = "".join(mark.html(width, height, is_first=not at) for at, mark in enumerate(marks))
    alt = html.escape(words("leaf.drawn", number=shown.label or shown.number))
    picture = repository.contents.excerpt(document.original, f"page={shown.number}", preview=True)
    address = f"data:{picture.media_type};base64,{base64.b64encode(picture.data).decode()}"
    style = f"max-width:{_PIXELS_OF_A_POINT * width:.0f}px"
    drawn = f'<div class="drawn"><img id="media" alt="{alt}" src="{address}">{boxes}</div>\n'
    layer = _layer(repository, document, shown.number, (width, height))
    return f'<div id="sheet" style="{style}">\n{drawn}{layer}</div>\n', bool(marks)


def _cited(fragment: pdi.FragmentPDI | None) -> PagePlace | None:
    return None if fragment is None else PagePlace.of(fragment.scheme, fragment.positions)


def _places(repository: Repository, document: Paper) -> CharacterBoxes | None:
    return None if document.text is None else places_of(repository, document.text)


def _size(
    repository: Repository, document: Paper, places: CharacterBoxes | None, number: int
) -> tuple[int, float, float]:
    """How many pages there are, and the width and height of one in points."""
    if places is not None:
        for page in places.pages:
            if page.number == number:
                return len(places.pages), page.width / UNITS, page.height / UNITS
    key = document.original.digest, str(number)
    size = _SIZES.get(*key)
    if size is None:
        with repository.contents.source(document.original) as source:
            source.check()
            count, frame = measured(source, number)
            size = count, *frame.size
        _SIZES.put(size, *key)
    return size


class _Mark(NamedTuple):
    """A box over the picture, in points."""

    edges: tuple[float, float, float, float]
    kind: str
    label: str

    def html(self, width: float, height: float, *, is_first: bool) -> str:
        left, top, right, bottom = self.edges
        place = _placed(left, top, width, height)
        place += f";width:{_share(right - left, width)};height:{_share(bottom - top, height)}"
        known = f' id="permacite-mark" role="img" aria-label="{html.escape(self.label)}"'
        named = f'class="permacite-mark {self.kind}"{known if is_first else ""}'
        return f'<mark {named} style="{place}"></mark>'


def _marks(
    places: CharacterBoxes | None, marked: MarkedSpans, number: int, words: Words
) -> Iterator[_Mark]:
    """The boxes around marked words on a page."""
    if places is None:
        return
    begin, finish = places.span_of(number)
    label = words("leaf.cited")
    for start, end in marked.spans:
        for quad in places.quads(max(start, begin), min(end, finish)):
            yield _mark(quad[1:], "quad", label)


def _mark(edges: tuple[float, ...], kind: str, label: str) -> _Mark:
    left, top, right, bottom = edges
    return _Mark((left, top, right, bottom), kind, label)


def _share(length: float, whole: float) -> str:
    return f"{100 * length / (whole or 1):.3f}%"


def _placed(left: float, top: float, width: float, height: float) -> str:
    return f"left:{_share(left, width)};top:{_share(top, height)}"


def _layer(repository: Repository, document: Paper, number: int, size: tuple[float, float]) -> str:
    """The words of a page, each with its place: all characters of the text, and no others."""
    places = _places(repository, document)
    if places is None or document.text is None:
        return ""
    start, end = places.span_of(number)
    text = repository.contents.text(document.text).words(start, end)
    pieces = list(_pieces(text, start, places))
    written, at = [], 0
    for piece, following in zip(pieces, [*pieces[1:], None], strict=True):
        written.append(_characters(text[at : piece.start]))
        upto = piece.end
        if following is not None and _goes_on(piece.quad, following.quad):
            upto = following.start
        written.append(_word(_characters(text[piece.start : upto]), piece, following, size))
        at = upto
    written.append(_characters(text[at:]))
    return f'<div class="words" lang="" dir="auto">{"".join(written)}</div>\n'


class _PaperWord(NamedTuple):
    """Characters of one word in one line, counted from the start of the page's text."""

    start: int
    end: int
    quad: Quad
    turned: int
    """In degrees clockwise: 0, 90 or -90."""


def _pieces(text: str, start: int, places: CharacterBoxes) -> Iterator[_PaperWord]:
    for word in _WORD.finditer(text):
        stretches = places.stretches(start + word.start(), start + word.end())
        if len(stretches) == len(word[0]) > 1:  # letters that stand below or above each other
            stretches = [(stretches[0][0], _around([quad for _, quad in stretches]))]
        begins = [word.start(), *(at - start for at, _ in stretches[1:]), word.end()]
        for index, (_, quad) in enumerate(stretches):
            first, last = begins[index], begins[index + 1]
            turned = _turned(places, start + first, start + last, quad)
            yield _PaperWord(first, last, quad, turned)


def _around(quads: list[Quad]) -> Quad:
    """The box around several on one page."""
    page, left, top, right, bottom = zip(*quads, strict=True)
    return Quad(page[0], min(left), min(top), max(right), max(bottom))


def _turned(places: CharacterBoxes, first: int, last: int, quad: Quad) -> int:
    """How a word is turned: one that is much higher than wide, and whose letters go up or down."""
    if last - first < len("ab") or quad.bottom - quad.top < _STEEP * (quad.right - quad.left):
        return 0
    head, tail = places.quads(first, first + 1), places.quads(last - 1, last)
    if not (head and tail) or head[0].top == tail[0].top:
        return 0
    return 90 if head[0].top < tail[0].top else -90


def _goes_on(quad: Quad, following: Quad) -> bool:
    """Whether what follows stands to the right on the same line."""
    height = min(quad.bottom - quad.top, following.bottom - following.top)
    shared = min(quad.bottom, following.bottom) - max(quad.top, following.top)
    return following.left >= quad.right and shared >= _HALF * height


def _word(
    characters: str, piece: _PaperWord, following: _PaperWord | None, size: tuple[float, float]
) -> str:
    """A word at its place; `data-wide` is how wide it is drawn, in hundredths of the page."""
    left, top, right, bottom = piece.quad[1:]
    width, height = size
    wide, tall = right - left, bottom - top
    corner = left, top
    if piece.turned:
        wide, tall = tall, wide
        corner = (right, top) if piece.turned > 0 else (left, bottom)
    elif following is not None and _goes_on(piece.quad, following.quad):
        wide = following.quad.left - left
    place = f"{_placed(*corner, width, height)};--tall:{100 * tall / (width or 1):.3f}"
    turned = f' data-turned="{piece.turned}"' if piece.turned else ""
    share = f"{100 * wide / (width or 1):.3f}"
    return f'<span style="{place}" data-wide="{share}"{turned}>{characters}</span>'


def _characters(text: str) -> str:
    return html.escape(text.replace("\r\n", "\n"))
