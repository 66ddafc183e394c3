"""Rules `pdf-text/1`: the text of a PDF, from the glyphs of its pages, and its notices. Frozen.

docs/explanation/the-words-of-pdf.md explains the rules, clause by clause. A notice (clause 11)
warns of hidden words over drawn ones with other content: a search finds them, and no reader sees
them.
"""

from __future__ import annotations

import unicodedata
from array import array
from dataclasses import dataclass
from itertools import islice, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from permacite.renditions.model import Label, Notice, Rendered
from permacite.renditions.pdf.boxes import HYPHEN, UNITS, PageMap, write_map
from permacite.renditions.pdf.lines import fragments_of, frames_of, regions_of, runs_of
from permacite.renditions.pdf.paragraphs import PageWriter, gaps_of, write_region
from permacite.renditions.pdf.scripts import (
    MIRRORED,
    as_said,
    downwards,
    is_rtl,
    reordered,
    spaces_between,
    with_accents,
)
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from permacite.renditions.pdf.pages import GlyphPage, PdfDocument

__all__ = ["Word", "notices_of", "render"]


_UNTRUSTED = 0.05
_UNKNOWN, _PRIVATE = 0xFFFD, (0xE000, 0xF900, 0xF0000)
_CELL = 18.0
"""Points: words are looked for in the squares that they touch."""
_MOST_CELLS, _MOST_IN_A_CELL = 200, 20
_LONGEST = 40


class Word(NamedTuple):
    """A word of a page, and the box around it: left, top, right, bottom."""

    text: str
    box: tuple[float, float, float, float]


def notices_of(
    pages: Sequence[GlyphPage], text: str, words_on: Callable[[GlyphPage], Sequence[Word]]
) -> Iterator[Notice]:
    """What to say of pages and the text made of them; `words_on` reads the words of a page."""
    if not text:
        pictures = any(page.pictures for page in pages)
        told = "there are no words in it" + (": its pages are pictures" if pictures else "")
        yield Notice("no-words", told)
        return
    glyphs = sum(page.codes.size for page in pages)
    yield from _hidden(pages, glyphs, words_on)
    wordless = [page.number for page in pages if page.pictures and not page.codes.size]
    if wordless:
        told = (
            f"{len(wordless)} pages are pictures without words; the first is number {wordless[0]}"
        )
        yield Notice("pictures", told)
    doubtful = sum(int(_is_doubtful(page.codes).sum()) for page in pages)
    if doubtful > _UNTRUSTED * glyphs:
        told = f"{doubtful} of {glyphs} characters have no meaning in its tables of characters"
        yield Notice("encoding", told)


def _is_doubtful(codes: Any) -> Any:
    """Which characters are not known, or are for private use."""
    private = (codes >= _PRIVATE[0]) & (codes < _PRIVATE[1])
    return private | (codes == _UNKNOWN) | (codes >= _PRIVATE[2])


def _hidden(
    pages: Sequence[GlyphPage], glyphs: int, words_on: Callable[[GlyphPage], Sequence[Word]]
) -> Iterator[Notice]:
    """How much is drawn invisibly, and what of it stands over other words."""
    hidden = [page for page in pages if page.hidden.any()]
    if not hidden:
        return
    count = sum(int(page.hidden.sum()) for page in hidden)
    told = f"{count} of {glyphs} characters are hidden, such as those recognised in a scan, on"
    yield Notice(
        "hidden-text", f"{told} {len(hidden)} pages; the first is number {hidden[0].number}"
    )
    over, others, first = 0, 0, ""
    for page in hidden:
        if page.hidden.all():
            continue
        drawn, unseen = (
            words_on(reordered(page, np.flatnonzero(page.hidden == each))) for each in (False, True)
        )
        for word, below in _covered(unseen, drawn):
            over += 1
            if not _agree(word, below):
                others += 1
                what = f"{word.text[:_LONGEST]!r} over {below[0].text[:_LONGEST]!r}"
                first = first or f"the first on page {page.number}: {what}"
    if others:
        told = f"{others} of {over} hidden words over drawn ones say something else, {first}"
        yield Notice("hidden-text-differs", told)


def _covered(unseen: Sequence[Word], drawn: Sequence[Word]) -> Iterator[tuple[Word, list[Word]]]:
    """Hidden words whose middle is in drawn ones, and these."""
    squares: dict[tuple[int, int], list[Word]] = {}
    for word in drawn:
        left, top, right, bottom = (int(side // _CELL) for side in word.box)
        touched = product(range(left, right + 1), range(top, bottom + 1))
        for square in islice(touched, _MOST_CELLS):
            there = squares.setdefault(square, [])
            if len(there) < _MOST_IN_A_CELL:
                there.append(word)
    for word in unseen:
        x, y = (word.box[0] + word.box[2]) / 2, (word.box[1] + word.box[3]) / 2
        near = squares.get((int(x // _CELL), int(y // _CELL)), ())
        below = [
            each
            for each in near
            if each.box[0] <= x <= each.box[2] and each.box[1] <= y <= each.box[3]
        ]
        if below and _letters(word):
            yield word, below


def _agree(word: Word, below: Sequence[Word]) -> bool:
    """Whether a hidden word is one of those, or a part of one, or one a part of it."""
    letters = _letters(word)
    return any(letters in known or (known and known in letters) for known in map(_letters, below))


def _letters(word: Word) -> str:
    """The letters and digits of a word, without their forms and cases."""
    whole = unicodedata.normalize("NFKC", word.text).casefold()
    return "".join(each for each in whole if each.isalnum())


_FIRST_RTL = 0x590
_MADE_UP = np.array([0x0A, 0x0D, 0x20], np.uint32)
"""What the numbers -3, -2 and -1 stand for: they count from the end of the columns."""
_WORD = compile_pattern(r"[^\W_]++(?:-[^\W_]++)*+")
_UNBROKEN = compile_pattern(r"[^\s]++")
_HYPHENS = (0xAD, 0x2010)
_FARTHEST = 1e6
"""Points from the corner of a page, as far as the map goes."""


@dataclass(slots=True, eq=False)
class _HyphenatedPage:
    """A page whose text is written, hyphens at the ends of its lines still in it."""

    page: GlyphPage
    text: str
    order: Any
    hyphens: list[int]
    joints: list[int]
    """Where spaces stand between lines of Korean that may end within words."""


def render(document: PdfDocument) -> Rendered:
    """The text with its labels, its map and what must be known of it."""
    sheets = [_sheet(page) for page in document.pages]
    known = _words(sheets)
    within = iter(_within_words(sheets, known))
    texts: list[str] = []
    labels: list[Label] = []
    pages: list[PageMap] = []
    columns: list[list[Any]] = [[], [], [], []]
    flags: list[bytes] = []
    position = 0
    for sheet in sheets:
        page = sheet.page
        text, order, flag = _without(sheet, _dropped(sheet, known), next(within))
        pages.append(PageMap(position, page.number, _units(page.width), _units(page.height)))
        for column, values in zip(columns, _boxes(page, order), strict=True):
            column.append(values)
        flags.append(flag)
        if text:
            name = page.label or str(page.number)
            labels.append(
                Label(position, position + len(text), "page", name, f"page={page.number}")
            )
        texts.append(text)
        position += len(text)
    whole = "".join(texts)
    return Rendered(
        whole,
        tuple(labels),
        write_map(pages, [_differences(column) for column in columns], b"".join(flags))
        if whole
        else b"",
        title=document.title,
        stated=document.stated,
        notices=(*document.notices, *notices_of(document.pages, whole, _words_on)),
        builds=document.builds,
    )


def _sheet(page: GlyphPage) -> _HyphenatedPage:
    """The text of a page: its frames in turn, each region by region."""
    page = downwards(as_said(with_accents(page)))
    rtl = np.zeros(page.codes.size, np.bool_)
    for index in np.flatnonzero(page.codes >= _FIRST_RTL).tolist():
        rtl[index] = is_rtl(int(page.codes[index]))
    sheet = PageWriter(page.codes)
    for frame in frames_of(page, rtl):
        fragments = fragments_of(frame)
        gaps = np.flatnonzero(gaps_of(frame, fragments)).tolist()
        listed = frame.in_lists()
        to_the_left = sum(part.rtl for part in fragments) * 2 > len(fragments)
        for run in runs_of(fragments):
            for region in regions_of(run, to_the_left=to_the_left):
                write_region(sheet, listed, gaps, region)
    codes = np.concatenate((page.codes, _MADE_UP))
    codes[np.isin(codes, _HYPHENS)] = 0x2D
    _mirror(codes, sheet)
    order = np.array(sheet.order, np.int64)
    text = codes[order].astype("<u4").tobytes().decode("utf-32-le")
    return _HyphenatedPage(page, text, order, sheet.hyphens, sheet.joints)


def _mirror(codes: Any, sheet: PageWriter) -> None:
    """Turn brackets in text that runs leftwards round, if more of them make pairs so.

    Some tables of characters name what is seen, some what is meant.
    """
    if not sheet.mirrored:
        return
    turned = codes.copy()
    for number in sheet.mirrored:
        turned[number] = MIRRORED[int(codes[number])]
    order = np.array(sheet.order, np.int64)
    brackets = order[np.isin(codes[order], list(MIRRORED))]
    if _pairs(turned[brackets]) >= _pairs(codes[brackets]):
        codes[:] = turned


def _pairs(brackets: Any) -> int:
    """How many brackets are closed by one of their kind."""
    opened: list[int] = []
    pairs = 0
    for code in brackets.tolist():
        if code < MIRRORED[code]:
            opened.append(code)
        elif opened and opened[-1] == MIRRORED[code]:
            opened.pop()
            pairs += 1
    return pairs


def _words(sheets: Sequence[_HyphenatedPage]) -> frozenset[str]:
    """All words of the document, but those that a hyphen at the end of a line divides."""
    if not any(sheet.hyphens or sheet.joints for sheet in sheets):
        return frozenset()
    known: set[str] = set()
    for sheet in sheets:
        begin = 0
        for hyphen in sheet.hyphens:
            known.update(_WORD.findall(sheet.text, begin, hyphen))
            begin = hyphen + 1
        if not sheet.joints:
            known.update(_WORD.findall(sheet.text, begin))
            continue
        beside = {*sheet.joints, *(joint + 1 for joint in sheet.joints)}
        whole = _WORD.finditer(sheet.text)
        known.update(each[0] for each in whole if not beside & {each.start(), each.end()})
    return frozenset(word.casefold() for word in known)


def _dropped(sheet: _HyphenatedPage, known: frozenset[str]) -> list[int]:
    """The hyphens that go: all but those of compounds that stand elsewhere in the document."""
    dropped = []
    for hyphen in sheet.hyphens:
        first = _before(sheet.text, hyphen)
        second = _after(sheet.text, hyphen + 1)
        compound = f"{first}-{second}".casefold()
        if compound not in known or (first + second).casefold() in known:
            dropped.append(hyphen)
    return dropped


def _before(text: str, end: int) -> str:
    start = end
    while start and (text[start - 1].isalnum() or text[start - 1] == "-"):
        start -= 1
    return text[start:end]


def _after(text: str, start: int) -> str:
    end = start
    while end < len(text) and (text[end].isalnum() or text[end] == "-"):
        end += 1
    return text[start:end]


def _within_words(sheets: Sequence[_HyphenatedPage], known: frozenset[str]) -> Iterator[list[int]]:
    """For each page, the spaces between lines that are dropped, since they are within words."""
    pairs = [
        (_before(sheet.text, joint), _after(sheet.text, joint + 1))
        for sheet in sheets
        for joint in sheet.joints
    ]
    spaces = iter(spaces_between(pairs, known))
    for sheet in sheets:
        yield [joint for joint in sheet.joints if not next(spaces)]


def _without(
    sheet: _HyphenatedPage, hyphens: Sequence[int], spaces: Sequence[int]
) -> tuple[str, Any, bytes]:
    """The text, the numbers of its glyphs and its flags, without those hyphens and spaces."""
    flags = np.zeros(len(sheet.text), np.uint8)
    dropped = sorted((*hyphens, *spaces))
    if not dropped:
        return sheet.text, sheet.order, flags.tobytes()
    begin, parts = 0, []
    for place in dropped:
        parts.append(sheet.text[begin:place])
        begin = place + 1
    parts.append(sheet.text[begin:])
    flags[np.array(hyphens, np.int64) + 1] = HYPHEN
    return "".join(parts), np.delete(sheet.order, dropped), np.delete(flags, dropped).tobytes()


def _units(length: float) -> int:
    return round(min(max(length, 0.0), _FARTHEST) * UNITS)


def _boxes(page: GlyphPage, order: Any) -> Iterator[Any]:
    """Left, top, width and height of each character, in units."""
    units = np.rint(np.clip(page.boxes, -_FARTHEST, _FARTHEST) * UNITS).astype(np.int32)
    columns = np.zeros((page.codes.size + 3, 4), np.int32)
    columns[:-3, :2] = units[:, :2]
    columns[:-3, 2:] = units[:, 2:] - units[:, :2]
    chosen = columns[order]
    made_up = order < 0
    if made_up.any() and not made_up.all():  # they stand where the glyph before them does
        last = np.maximum.accumulate(np.where(made_up, 0, np.arange(order.size)))
        chosen[:, :2] = chosen[last, :2]
    yield from chosen.T


def _differences(parts: Sequence[Any]) -> array[int]:
    values = np.concatenate(parts) if parts else np.zeros(0, np.int32)
    steps = np.diff(values, prepend=np.int32(0)).astype(np.int32)
    return array("i", steps.tobytes())


def _words_on(page: GlyphPage) -> list[Word]:
    """The words of a page, each with the box around its glyphs."""
    sheet = _sheet(page)
    words = []
    for found in _UNBROKEN.finditer(sheet.text):
        glyphs = sheet.order[found.start() : found.end()]
        boxes = sheet.page.boxes[glyphs[glyphs >= 0]]
        box = (*boxes[:, :2].min(axis=0).tolist(), *boxes[:, 2:].max(axis=0).tolist())
        words.append(Word(found[0], box))
    return words
