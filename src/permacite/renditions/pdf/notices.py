"""What must be known of the words of a PDF (pdf-text/1, clause 11).

Hidden words over drawn ones that say something else are what a search finds and no reader sees.
"""

from __future__ import annotations

import unicodedata
from itertools import islice, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from permacite.renditions.model import Notice
from permacite.renditions.pdf.scripts.indic import reordered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from permacite.renditions.pdf.glyphs import Page

__all__ = ["Word", "notices_of"]

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
    pages: Sequence[Page], text: str, words_on: Callable[[Page], Sequence[Word]]
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
    pages: Sequence[Page], glyphs: int, words_on: Callable[[Page], Sequence[Word]]
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
