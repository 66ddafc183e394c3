"""Reader page of a document: its passage, citations, versions, and the view of it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypedDict

from permacite import pdi
from permacite.cache import Cache
from permacite.errors import NotFoundError, PermaciteError
from permacite.fragments import quote as quotes
from permacite.lazy_dataclass import dataclass
from permacite.limits import PAGE_CACHE_BYTES, POSITION_CACHE_BYTES
from permacite.pdi import PagePlace
from permacite.service import documents, names
from permacite.service.citations import citing, quoted, recorded
from permacite.service.citations.quoted import Passage
from permacite.service.labels import printed_of, record_of, table_of, words_on
from permacite.service.reader import links, marking, media, pages, selection, sheets, texts
from permacite.service.reader.links import live_address
from permacite.service.reader.media import speaking
from permacite.service.reader.pages import FrameOptions
from permacite.service.reader.selection import CountedCharacters, Place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from permacite.archive.model.answered import LiveCheck, Representation, Version
    from permacite.archive.passages import QuotationCheck
    from permacite.archive.repository import Repository
    from permacite.renditions import Printed
    from permacite.service.citations.recorded import Cited
    from permacite.service.documents import Document, Format, VersionNote
    from permacite.service.reader.links import Followed
    from permacite.service.reader.marking import MarkedSpans
    from permacite.service.reader.media import Markable, Speaking
    from permacite.service.reader.pages import FramedPage, PageState
    from permacite.service.reader.selection import Selected
    from permacite.service.reader.sheets import PaperPage
    from permacite.service.reader.texts import TableSheet, TextSheet

__all__ = ["DrawnComparison", "Reader", "Reading", "drawn"]

_DEFAULT = FrameOptions()


@dataclass(frozen=True, slots=True)
class Reading:
    """What the reader's page shows around a document."""

    reference: str
    pdi: str
    """The full name of the format that the reference means."""
    fragment: str | None
    """What follows `#` in the reference."""
    text_fragment: str | None
    """A fragment of RFC 5147, or of its first draft, that came with the text's address."""
    trouble: str
    """Why that is not interpreted; empty where it is."""
    document: Document
    versions: tuple[int, ...]
    history: tuple[VersionNote, ...]
    """The same versions, and whether they are given out."""
    citations: tuple[Cited, ...]
    overlapping: tuple[Cited, ...]
    """Those of them that share characters with what is read here, but for itself."""
    live: str | None
    """The address of the page as it is now, at the cited words."""
    live_check: LiveCheck | None
    """What the last look there found; None where nobody looked since it was saved."""
    passage: Passage | None
    """The cited words in their context; None for a whole document or a part that is no text."""
    cited: Cited | None
    """The recorded citation of exactly this reference."""
    text_pdi: str | None
    """The full name of the document's text, if it has one."""
    text: TextSheet | None
    """The text itself, or a piece of it: where it was asked for, or the document is a text."""
    is_text: bool
    """Whether the document is a text, so that nothing else of it is shown."""
    markable: Markable | None
    """What can be marked of a picture, a sound or a video."""
    leaf: PaperPage | None
    """The page that is shown of a document with pages, such as a PDF."""
    speaking: Speaking | None
    """What stands beside a recording or its words."""
    is_table: bool
    """Whether it is CSV."""
    table: TableSheet | None
    """Its rows, where the text was not asked for."""
    printed: tuple[Printed, ...]
    """Where the cited words stand, as the document numbers its own parts."""
    drawn: DrawnComparison | None
    """What a browser drew of a page, where one did."""
    original: Format | None
    """Of a text that rules made: the format that they made it from."""
    cautions: tuple[str, ...]
    """What must be known of such a text."""
    quotation: QuotationCheck | None
    """Of a citation A@origin=B: whether A has there what B names."""


class Reader:
    """Documents as people read them."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._pages: Cache[FramedPage] = Cache(PAGE_CACHE_BYTES, _size)
        self._places: Cache[CountedCharacters] = Cache(POSITION_CACHE_BYTES, selection.size)

    def read(
        self,
        reference: str,
        *,
        text: bool = False,
        text_fragment: str | None = None,
        frame: int | None = None,
        at: int | None = None,
    ) -> Reading:
        """What the reader shows around a document; its text too if `text`.

        `text_fragment`: of RFC 5147 or its first draft, in place of the reference's own. `frame`:
        the one to show by itself; of a PDF its page, from 1. `at`: where a piece of text begins.
        """
        repository = self._repository
        version, answer, fragment = _opened(repository, reference, text_fragment)
        repository.contents.check_access(answer)  # what is restricted is not shown
        citations = recorded.all_cited(repository, repository.passages.citations(version.pdi))
        exact = str(answer.pdi) + (f"#{fragment.specifier}" if fragment else "")
        source = marking.text_source(repository, answer.pdi)
        history = documents.history(repository, version.pdi)
        marked = marking.marked(repository, source, fragment, text_fragment)
        is_text = source is not None and texts.is_shown_as_lines(source, answer)
        is_table = answer.media_type == "text/csv"
        grid = sheet = None
        if is_table and not text and text_fragment is None:
            grid = texts.table_sheet(table_of(repository, answer), fragment, marked, at)
        elif source is not None and (text or marked.caret or is_text):
            sheet = texts.text_sheet(source.document, marked, at)
        restricted = repository.lookup.restrictions(version.representations)
        document = documents.document(version, restricted)
        passage = _passage(repository, fragment, source, marked)
        return Reading(
            reference=exact,
            pdi=str(answer.pdi),
            fragment=fragment.specifier if fragment else None,
            text_fragment=text_fragment,
            trouble=marked.trouble,
            document=document,
            versions=tuple(item.number for item in history),
            history=history,
            citations=citations,
            overlapping=tuple(_overlapping(citations, exact, fragment)),
            live=live_address(document.uri, passage.quote if passage else ""),
            live_check=repository.live_pages.last_check(version, exact),
            passage=passage,
            cited=next((item for item in citations if item.reference == exact), None),
            text_pdi=str(source.representation.pdi) if source else None,
            text=sheet,
            is_table=is_table,
            table=grid,
            is_text=is_text,
            markable=_markable(repository, answer, fragment, frame),
            leaf=_leaf(repository, version, answer, sheets.PageRequest(fragment, marked, frame)),
            speaking=speaking(repository, version, answer, fragment=fragment, marked=marked),
            printed=_printed(repository, answer, fragment, marked),
            quotation=repository.passages.check_name(names.parse(reference)),
            drawn=drawn(repository, version, answer, passage=passage, sheet=sheet),
            **_made_from(repository, document, answer),
        )

    def page(self, reference: str, options: FrameOptions = _DEFAULT) -> FramedPage:
        """The archived page for the reader's frame."""
        view = pages.view(self._repository, reference, options)
        page = self._pages.get(view.state.tag)
        if page is None:
            page = pages.page(self._repository, view)
            self._pages.put(page, view.state.tag)
        return page

    def draw(self, leaf: PaperPage) -> None:
        """Draw a page of a PDF before `page` needs it; an error is left to `page`."""
        with contextlib.suppress(PermaciteError):
            original = self._repository.lookup.representation(names.document_of(leaf.pdi)[0])
            self._repository.contents.excerpt(original, f"page={leaf.number}", preview=True)

    def page_state(self, reference: str, options: FrameOptions = _DEFAULT) -> PageState:
        """The state of the page, which changes with it, without making the page."""
        return pages.view(self._repository, reference, options).state

    def follow(
        self, to: str, *, source: str | None = None, when: datetime | None = None
    ) -> Followed:
        """Where a link to an address leads from the page `source`: the version nearest in time.

        `when`: another time than that page's. Raises ParseError for what is no address at all.
        """
        return links.follow(self._repository, to, source=source, when=when)

    def place(self, reference: str, selected: Selected) -> Place:
        """The words that would be cited for a selection in the frame of a document's page.

        Raises NotFoundError where the document has no text, or what is selected is none of it,
        LimitError where it is more than is cited at once.
        """
        repository = self._repository
        view = pages.view(repository, reference, _DEFAULT)
        text = names.text_representation(repository, view.shown.pdi)
        repository.contents.check_access(text)
        part = view.fragment.specifier if view.paper and view.fragment else ""
        key = str(view.shown.pdi), str(text.pdi), part
        shown = self._places.get(*key)
        if shown is None:
            shown = selection.shown(repository, view, text)
            self._places.put(shown, *key)
        start, end = selection.find(shown, selected)
        citing.check_length(start, end)
        document = names.text_of(repository, text, whole=False).document
        return Place(f"{start},{end}", selection.shortened(document, start, end))


def _opened(
    repository: Repository, reference: str, text_fragment: str | None
) -> tuple[Version, Representation, pdi.FragmentPDI | None]:
    """What a name opens: of one without format and fragment, what readers are led to."""
    name, fragment = names.document_of(reference)
    version, answer = repository.lookup.answering(name)
    if name.format is None and fragment is None and text_fragment is None:
        answer = documents.opened(repository, version)
    return version, answer, fragment


class _MadeFrom(TypedDict):
    original: Format | None
    cautions: tuple[str, ...]


def _made_from(repository: Repository, document: Document, answer: Representation) -> _MadeFrom:
    """The source of a derived text, and its notices; empty for pages and captions."""
    record = record_of(repository, answer)
    if record is None:
        return {"original": None, "cautions": ()}
    sources = [item for item in document.formats if item.format == answer.derived_from]
    cautions = tuple(notice.text for notice in record.notices)
    return {"original": next(iter(sources), None), "cautions": cautions}


def _printed(
    repository: Repository,
    answer: Representation,
    fragment: pdi.FragmentPDI | None,
    marked: MarkedSpans,
) -> tuple[Printed, ...]:
    if fragment is None and marked.spans:
        fragment = answer.pdi.fragment("char", *marked.spans[0])
    return printed_of(repository, answer, fragment)


def _overlapping(
    citations: tuple[Cited, ...], exact: str, fragment: pdi.FragmentPDI | None
) -> Iterator[Cited]:
    """Other citations that overlap in the same text, not in other texts of the document."""
    if fragment is None or fragment.scheme != "char":
        return
    start, end = (int(position) for position in fragment.positions)
    text = exact.partition("#")[0]
    for item in citations:
        if item.start is None or item.end is None or item.reference == exact:
            continue
        if item.reference.partition("#")[0] == text and item.start < end and start < item.end:
            yield item


def _markable(
    repository: Repository,
    answer: Representation,
    fragment: pdi.FragmentPDI | None,
    frame: int | None,
) -> Markable | None:
    """What can be marked of a document. Only what may hold several frames is read for it."""
    content = repository.contents.read(answer) if answer.media_type.startswith("image/") else b""
    return media.markable(answer, content, fragment, frame)


def _leaf(
    repository: Repository, version: Version, answer: Representation, wanted: sheets.PageRequest
) -> PaperPage | None:
    """The page that is shown; None for other documents, and where pages cannot be read."""
    paper = sheets.paper(repository, version, answer)
    if paper is None:
        return None
    try:
        return sheets.leaf(repository, paper, wanted)
    except sheets.REFUSED:
        raise
    except PermaciteError:
        return None


def _passage(
    repository: Repository,
    fragment: pdi.FragmentPDI | None,
    source: names.TextOf | None,
    marked: MarkedSpans,
) -> Passage | None:
    """The (first) marked words. Raises NotFoundError where a PDI's fragment names nothing.

    What is committed never shrinks, so a PDI's fragment beyond the end names nothing.
    """
    if marked.spans and source is not None and _is_in(source, fragment):
        start, end = marked.spans[0]
        if end > source.document.length:
            problem = f"the text ends at {source.document.length}"
            raise NotFoundError(problem, str(fragment))
        return quoted.passage(source, start, end)
    if fragment is None or marked.trouble:
        return None
    representation = repository.lookup.representation(fragment.pdi)
    place = PagePlace.of(fragment.scheme, fragment.positions)
    if place is not None:
        words = words_on(repository, representation, place) if place.area else None
        return Passage(0, 0, 0, words, "", "") if words else None
    excerpt = repository.contents.excerpt(representation, fragment.specifier)
    return Passage(0, 0, 0, excerpt.text, "", "") if excerpt.text else None


def _is_in(source: names.TextOf, fragment: pdi.FragmentPDI | None) -> bool:
    """Whether what is marked is of the document's text, and not of another format."""
    return fragment is None or fragment.pdi.format in {None, source.representation.pdi.format}


def _size(page: FramedPage) -> int:
    """How many bytes a page takes: one, two or four for each of its characters."""
    return sys.getsizeof(page.html)


@dataclass(frozen=True, slots=True)
class DrawnComparison:
    """A page as it was served and as a browser drew it, of which one is shown."""

    page: str | None
    """The full name of the page as it was drawn; None where that is not given out."""
    served: str | None
    """That of the page as it was served."""
    is_shown: bool
    """Whether what is read is what was drawn."""
    browser: str
    """Such as "Chrome/156.0.8078.79"."""
    width: int
    height: int
    """Of its view, in pixels."""
    is_thin: bool
    """Whether next to no words were served, so that the page opens as it was drawn."""
    other: str | None
    """The same words in the other text: as they were served, or as they were drawn."""
    only: frozenset[int] = frozenset()
    """Of drawn words that are shown by lines: the numbers of those that were not served."""


def drawn(
    repository: Repository,
    version: Version,
    shown: Representation,
    *,
    passage: Passage | None,
    sheet: TextSheet | None,
) -> DrawnComparison | None:
    """What a browser drew of a version; None where none did. Raises IntegrityError."""
    formats = version.representations
    page = next((item for item in formats if item.format == pdi.DRAWN_PAGE), None)
    if page is None:
        return None
    is_shown = names.is_drawn(shown)
    served = next((item for item in formats if item.derived_from is None), None)
    other = _other(repository, version, is_drawn=is_shown)
    words = "" if other is None else other.document.text
    view = version.provenance.details.get("drawn")
    view = view if isinstance(view, Mapping) else {}
    return DrawnComparison(
        page=_open(repository, page),
        served=_open(repository, served),
        is_shown=is_shown,
        browser=str(view.get("browser", "")),
        width=_number(view.get("width")),
        height=_number(view.get("height")),
        is_thin="thin" in version.provenance.details,
        other=_same_words(other, passage),
        only=_only(sheet, words) if is_shown and sheet is not None else frozenset(),
    )


def _open(repository: Repository, item: Representation | None) -> str | None:
    return None if item is None or repository.lookup.restrictions([item]) else str(item.pdi)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _other(repository: Repository, version: Version, *, is_drawn: bool) -> names.TextOf | None:
    """The text that is not shown: what was served, or what was drawn."""
    plain = [item for item in version.representations if item.media_type == "text/plain"]
    texts = [item for item in plain if names.is_drawn(item) is not is_drawn]
    if not texts or repository.lookup.restrictions(texts[:1]):
        return None
    return names.text_of(repository, texts[0], whole=False)


def _same_words(other: names.TextOf | None, passage: Passage | None) -> str | None:
    """The name of cited words in the other text, if they occur there once; else None."""
    if other is None or passage is None or not passage.quote.strip():
        return None
    found = list(quotes.occurrences(other.document.text, passage.quote))
    return str(other.representation.pdi.fragment("char", *found[0])) if len(found) == 1 else None


def _only(sheet: TextSheet, served: str) -> frozenset[int]:
    """The lines whose words were not served one after the other."""
    known = " ".join(served.split())
    lines = ((each.number, "".join(piece.text for piece in each.pieces)) for each in sheet.lines)
    words = ((number, " ".join(text.split())) for number, text in lines)
    return frozenset(number for number, text in words if text and text not in known)
