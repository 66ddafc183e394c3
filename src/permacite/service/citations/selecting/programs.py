"""Cited passages in the form of other programs: annotations of Hypothesis and Zotero."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from permacite.errors import NotFoundError, ParseError
from permacite.media_types import PDF
from permacite.pdi import PagePlace
from permacite.service import names
from permacite.service.citations.parts import PROGRAMS
from permacite.service.citations.quoted import passage
from permacite.service.citations.selecting.areas import frame_of
from permacite.service.labels import places_of, printed_of, text_of_pages
from permacite.service.names import resolver_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite import pdi
    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.repository import Repository
    from permacite.renditions.pdf.pages import Box

__all__ = ["SelectionExport"]

_YELLOW = "#ffd400"
_PAGES = 2


class SelectionExport:
    """Passages as other programs keep what their users select."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def write(self, program: str, reference: str) -> str:
        """A passage as "hypothesis" or "zotero" keeps it: JSON for its interface.

        Raises ParseError for another program, NotFoundError for what it cannot keep.
        """
        if program not in PROGRAMS:
            raise ParseError(f"expected {' or '.join(PROGRAMS)}", program, 0)
        return _WRITERS[program](self._repository, reference)


def _hypothesis(repository: Repository, reference: str) -> str:
    """An annotation that selects words, as one is sent to Hypothesis. Raises NotFoundError."""
    version, representation, fragment = _part(repository, reference)
    if fragment.scheme != "char" or representation.media_type != "text/plain":
        problem = "Hypothesis selects words; these are none of the text"
        raise NotFoundError(problem, reference)
    source = names.text_of(repository, representation)
    words = passage(source, *map(int, fragment.positions))
    selectors: list[dict[str, object]] = [
        {
            "type": "TextQuoteSelector",
            "exact": words.quote,
            "prefix": words.before,
            "suffix": words.after,
        }
    ]
    for each in printed_of(repository, representation, fragment)[:1]:
        if each.target.startswith("page="):
            index = int(each.target.removeprefix("page=")) - 1
            selectors.append({"type": "PageSelector", "index": index, "label": each.first})
    original = representation.derived_from or representation.format
    here = f"{resolver_of(repository)}/{representation.pdi.with_(format=original)}"
    address = version.provenance.final_uri or version.provenance.uri or here
    return _written(
        {
            "uri": address,
            "document": {"title": [version.title]} if version.title else {},
            "text": f"{resolver_of(repository)}/{names.as_address(reference)}",
            "target": [{"source": address, "selector": selectors}],
        }
    )


def _zotero(repository: Repository, reference: str) -> str:
    """An item for an attachment of Zotero, which marks a passage of a PDF. Raises NotFoundError."""
    _, representation, fragment = _part(repository, reference)
    area = PagePlace.of(fragment.scheme, fragment.positions)
    if area is not None and area.area is not None:
        left, top, width, height = area.area
        boxes = {area.page: [(float(left), float(top), float(left + width), float(top + height))]}
        paged, words, offset = representation, "", 0
    else:
        paged = _paged(repository, representation, reference)
        boxes, words, offset = _of_words(repository, representation, fragment)
    pages = sorted(boxes)
    if not pages or len(pages) > _PAGES or pages[-1] - pages[0] >= _PAGES:
        raise NotFoundError(
            "Zotero marks words on one page or two, one behind the other", reference
        )
    rects = [_in_file(repository, paged, page, boxes[page]) for page in pages]
    position: dict[str, object] = {"pageIndex": pages[0] - 1, "rects": rects[0]}
    if len(pages) == _PAGES:
        position["nextPageRects"] = rects[1]
    label = next(iter(printed_of(repository, representation, fragment)), None)
    top = int(boxes[pages[0]][0][1])
    return _written(
        {
            "itemType": "annotation",
            "annotationType": "highlight" if words else "image",
            "annotationText": words,
            "annotationComment": reference,
            "annotationColor": _YELLOW,
            "annotationPageLabel": label.first if label is not None else str(pages[0]),
            "annotationSortIndex": f"{pages[0] - 1:05}|{offset:06}|{max(top, 0):05}",
            "annotationPosition": json.dumps(position, separators=(",", ":")),
        }
    )


def _written(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _part(
    repository: Repository, reference: str
) -> tuple[Version, Representation, pdi.FragmentPDI]:
    name, fragment = names.document_of(reference)
    version, representation = repository.lookup.answering(name)
    if fragment is None:
        hint = "name a part, such as #char=3,9"
        raise NotFoundError("other programs mark parts of documents", reference, hint=hint)
    return version, representation, fragment


def _paged(repository: Repository, text: Representation, reference: str) -> Representation:
    """The PDF that a text was made of. Raises NotFoundError."""
    for each in repository.lookup.version(text.pdi).representations:
        is_source = each.media_type == PDF and each.format == text.derived_from
        if is_source and text_of_pages(repository, each) == text:
            return each
    raise NotFoundError("Zotero's places are those of words and areas in PDFs", reference)


def _of_words(
    repository: Repository, text: Representation, fragment: pdi.FragmentPDI
) -> tuple[dict[int, list[Box]], str, int]:
    """The boxes of words by pages, the words, and how many characters stand before on the page."""
    known = places_of(repository, text)
    if fragment.scheme != "char" or known is None:
        raise NotFoundError("these words have no places on pages", str(fragment))
    start, end = map(int, fragment.positions)
    boxes: dict[int, list[Box]] = {}
    for quad in known.quads(start, end):
        boxes.setdefault(quad.page, []).append(quad[1:])
    words = repository.contents.text(text).words(start, end)
    return boxes, " ".join(words.split()), start - known.page_at(start).start


def _in_file(
    repository: Repository, paged: Representation, page: int, boxes: list[Box]
) -> list[list[float]]:
    frame = frame_of(repository, paged, page)
    return [[round(edge, 3) for edge in frame.area_in_file(box)] for box in boxes]


_WRITERS: dict[str, Callable[[Repository, str], str]] = dict(
    zip(PROGRAMS, (_hypothesis, _zotero), strict=True)
)
"""What writes a passage as each program has it."""
