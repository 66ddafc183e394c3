"""Words in areas of pages and in elements of pages of the web, and areas of words.

Readings: an area of Zotero holds the characters whose middle is in it, as areas of names do. Words
between which nothing stands but white space are together.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

from permacite.cache import Cache
from permacite.errors import NotFoundError
from permacite.markup import Document
from permacite.media_types import PAGES
from permacite.pdi import PagePlace
from permacite.service import names
from permacite.service.decoders import measured
from permacite.service.labels import places_of, text_of_pages

if TYPE_CHECKING:
    from permacite import pdi
    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.repository import Repository
    from permacite.renditions.pdf.pages import PageFrame
    from permacite.service.citations.selecting.selectors import Rectangles

    Spans: TypeAlias = list[tuple[int, int]]

__all__ = ["frame_of", "words_in", "words_of_element", "words_on"]

_FRAMES: Cache[tuple[int, PageFrame]] = Cache(1 << 20, lambda _: 300)


def frame_of(repository: Repository, paged: Representation, number: int) -> PageFrame:
    """The frame of a page of a PDF. Raises NotFoundError where there is no such page."""
    count, frame = _measured(repository, paged, 1)
    if number > count:
        problem = f"the document has {count} pages, and none of the number {number}"
        raise NotFoundError(problem, str(paged.pdi))
    return frame if number == 1 else _measured(repository, paged, number)[1]


def _measured(repository: Repository, paged: Representation, number: int) -> tuple[int, PageFrame]:
    known = _FRAMES.get(paged.digest, str(number))
    if known is None:
        with repository.contents.source(paged) as source:
            source.check()
            known = measured(source, number)
        _FRAMES.put(known, paged.digest, str(number))
    return known


def words_in(
    repository: Repository, paged: Representation, said: Rectangles
) -> tuple[Spans, PagePlace]:
    """Where the words in areas stand in the text, those together as one; and the area around them.

    Raises NotFoundError where there is no such page.
    """
    text = text_of_pages(repository, paged)
    known = None if text is None else places_of(repository, text)
    spans: Spans = []
    boxes = []
    for index, areas in ((said.index, said.areas), (said.index + 1, said.following)):
        if not areas:
            continue
        frame = frame_of(repository, paged, index + 1)
        for area in areas:
            box = frame.area_shown(area)
            if index == said.index:
                boxes.append(box)
            if known is not None:
                spans += known.within(index + 1, box)
    if not boxes:
        raise NotFoundError("the annotation has no areas", str(paged.pdi))
    if text is None:
        return [], _around(boxes, said.index + 1)
    return _joined(repository, text, spans), _around(boxes, said.index + 1)


def _joined(repository: Repository, text: Representation, spans: Spans) -> Spans:
    """Stretches between which there is nothing but white space as one."""
    words = repository.contents.text(text).text
    joined: Spans = []
    for start, end in sorted(spans):
        if joined and not words[joined[-1][1] : start].strip():
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _around(boxes: list[tuple[float, float, float, float]], page: int) -> PagePlace:
    """The area of a page, in whole points, that holds boxes."""
    left, top = (max(0, math.floor(min(edges))) for edges in list(zip(*boxes, strict=True))[:2])
    right, bottom = (math.ceil(max(edges)) for edges in list(zip(*boxes, strict=True))[2:])
    return PagePlace(page, (left, top, max(1, right - left), max(1, bottom - top)))


def words_on(repository: Repository, paged: Representation, place: PagePlace) -> Spans:
    """Where the words of a page or an area of it stand in the text."""
    text = text_of_pages(repository, paged)
    known = None if text is None else places_of(repository, text)
    if known is None:
        return []
    if place.area is None:
        return [known.span_of(place.page)]
    left, top, width, height = place.area
    return known.within(place.page, (left, top, left + width, top + height))


def words_of_element(repository: Repository, version: Version, fragment: pdi.FragmentPDI) -> Spans:
    """Where the words of an element of a page stand in its text."""
    main = repository.lookup.representation(fragment.pdi)
    if main.media_type not in PAGES:
        raise NotFoundError("the words of this part are not known to be in the text", str(fragment))
    excerpt = repository.contents.excerpt(main, fragment.specifier)
    if excerpt.source_range is None:
        return []
    document = Document.of(repository.contents.text(main), main.media_type)
    rendition = document.reading.rendition
    text = names.text_representation(repository, version.pdi)
    if rendition.text != repository.contents.text(text).text:
        return []
    start, end = map(document.text.offset, excerpt.source_range)
    return [rendition.text_range(start, min(end, len(document.source)))]
