"""Compare what a document quotes with what stands at its source, and find who quotes a passage.

PDI draft:
  §3.5 citations                       -> `Quotations.quotes`: A@origin=B, compared letter by letter
  §3.5.1 references to the citation    -> `Quotations.quoters`: who quotes a passage, or overlaps it

Readings: words agree exactly, or but for white space, or the document leaves them to whoever shows
it (transclusion by reference); anything else differs, and both texts are shown (pdi-47).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from permacite import pdi
from permacite.archive.model.answered import Page
from permacite.archive.names import as_urn
from permacite.archive.objects.source import digest_of
from permacite.errors import NotFoundError, ParseError, PermaciteError
from permacite.lazy_dataclass import dataclass
from permacite.markup import Document
from permacite.media_types import PAGES
from permacite.pdi.quotation import agreement
from permacite.scan import compile_pattern
from permacite.service import names
from permacite.service.names import resolver_of
from permacite.service.quotations import finding
from permacite.service.quotations.recording import MOST
from permacite.service.resolution.resolving import Resolver

if TYPE_CHECKING:
    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.repository import Repository
    from permacite.service.quotations.composing import Templates
    from permacite.service.quotations.recording import QuotationsByType as Known
    from permacite.service.transcripts import Transcripts
    from permacite.text.entity import DocumentText

__all__ = ["Overlaps", "Quotation", "Quotations"]

_HIDDEN = frozenset({"withdrawn", "erased", "closed"})
"""What becomes of quotations whose source is not given out: their words are not repeated."""
_DIGITS = 9
Range = tuple[int, int]

_MILLISECONDS = {"sec": 1000, "msec": 1}
_NUMBER = compile_pattern(r"[0-9]+")
_CORNERS = 4
"""Numbers of a rectangle; a frame may follow."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words that a document quotes from another by its permanent name (PDI §3.5)."""

    citation: str | None
    """The citation object A@origin=B; None for a name that cannot be quoted from."""
    composite: str
    """The full name of the text that quotes."""
    title: str | None
    """Of the document that quotes."""
    start: int
    """Where the quotation begins in that text: its origin position."""
    end: int
    url: str
    """That place for any browser, through a resolver."""
    cited: str
    """The name that is quoted from."""
    status: str
    """"exact", "space" (white space differs), "reference" (the words are left to whoever shows
    it), "differs", "unchecked" (no text), "unknown" (not in this archive), "withdrawn", "invalid"
    (no name with a version), or the code of the error that kept the words from being read."""
    words: str
    """What stands in the document that quotes."""
    cited_words: str | None
    """What stands at the source; None where that is not known."""
    problem: str = ""


class Quotations:
    """What documents quote by permanent names, and who quotes them."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._resolution = Resolver(repository)

    def of(self, reference: str) -> list[Quotation]:
        """What a document quotes, in order, each quotation compared with its source.

        Raises NotFoundError, RestrictedError.
        """
        return self.compare(reference, None)

    def compare(self, reference: str, known: Known | None) -> list[Quotation]:
        """The same; `known` is what its formats quote, where they were just read."""
        repository = self._repository
        name, _ = names.document_of(reference)
        version, _ = repository.lookup.answering(name)
        on_record = repository.passages.quotations(version.pdi)
        recorded = {(citation.origin, as_urn(citation.cited)): citation for citation in on_record}
        sources = _Sources(self._resolution, repository)
        answers = []
        for composite, quotations in _found(repository, version, known):
            for quotation in quotations[:MOST]:
                answers.append(_compared(sources, version, composite, quotation))
                key = (str(quotation.start), recorded_name(quotation.reference))
                recorded.pop(key, None)
        others = recorded.values()
        return answers + [_other(repository, sources, version, citation) for citation in others]

    def quoters(self, reference: str) -> list[Quotation]:
        """Who quotes what `reference` names, or a part of it, or more of it; oldest first.

        A name without a version stands for all versions. Raises NotFoundError where it is unknown.
        """
        return list(self.quoter_page(reference).items)

    def quoter_page(
        self, reference: str, *, limit: int | None = None, after: str | None = None
    ) -> Page[Quotation]:
        """The same, by pages of up to `limit`; `after` is the `next` of the page before.

        Only documents of the page are read. Raises NotFoundError, ParseError for another `after`.
        """
        repository = self._repository
        name, fragment = names.document_of(reference)
        version, _ = repository.lookup.answering(name)
        known: dict[str, list[Quotation] | PermaciteError] = {}
        overlaps = Overlaps(repository)
        answers: list[Quotation] = []
        for number, citation in enumerate(repository.passages.quoters(version.pdi.document)):
            if number < _place(after):
                continue
            # Who quotes a quotation quotes the document that holds it (PDI §3.5.1).
            cited = citation.cited
            cited = cited.pdi if isinstance(cited, pdi.CitationPDI) else cited
            if not _touches(overlaps, name, fragment, cited):
                continue
            if limit is not None and len(answers) >= limit:
                return Page(tuple(answers), str(number))
            composite = str(citation.pdi)
            if composite not in known:
                known[composite] = self._quotes_or_error(composite)
            quotations = known[composite]
            if isinstance(quotations, PermaciteError):
                answers.append(_untold(repository, citation, quotations))
            else:
                answers += [item for item in quotations if item.citation == str(citation)]
        return Page(tuple(answers), None)

    def _quotes_or_error(self, composite: str) -> list[Quotation] | PermaciteError:
        """What a document quotes, or why that cannot be told: it was withdrawn, say."""
        try:
            return self.of(composite)
        except PermaciteError as error:
            return error

    @cached_property
    def templates(self) -> Templates:
        """Documents composed from templates."""
        from permacite.service.quotations.composing import Templates

        return Templates(self._repository)

    @cached_property
    def transcripts(self) -> Transcripts:
        """Transcripts of recordings."""
        from permacite.service.transcripts import Transcripts

        return Transcripts(self._repository)


def _place(after: str | None) -> int:
    """How many quotations on record come before a page. Raises ParseError."""
    if after is not None and not (after.isascii() and after.isdigit() and len(after) <= _DIGITS):
        raise ParseError("expected the `next` of another page", after, 0)
    return int(after or 0)


def _found(
    repository: Repository, version: Version, known: Known | None
) -> list[tuple[Representation, list[finding.FoundQuotation]]]:
    """Each format that quotes, with its quotations."""
    restricted = repository.lookup.restrictions(version.representations)
    # Of a page that is withdrawn, what was recorded when it was committed is known all the same.
    formats = [item for item in version.representations if item.pdi not in restricted]
    if not formats:
        repository.contents.check_access(version.representations[0])  # the error says why
    pages = [item for item in formats if item.media_type in PAGES][:1]
    texts = [item for item in formats if item.derived_from is not None][:1]
    drafts = [item for item in formats if item.media_type in finding.MARKDOWN]
    return [
        (
            composite,
            _read(repository, quoting) if known is None else known.get(quoting.media_type, []),
        )
        for quoting, composite in (
            *zip(pages, texts, strict=False),
            *zip(drafts, drafts, strict=True),
        )
    ]


def _read(repository: Repository, quoting: Representation) -> list[finding.FoundQuotation]:
    return finding.in_document(Document.of(repository.contents.text(quoting), quoting.media_type))


def recorded_name(reference: str) -> str:
    """A name in the form in which it is recorded; as it is where it is no name."""
    try:
        return as_urn(finding.cited_name(reference))
    except ParseError:
        return reference


def _compared(
    sources: _Sources, version: Version, composite: Representation, quoted: finding.FoundQuotation
) -> Quotation:
    """One quotation, compared with its source."""
    cited = recorded_name(quoted.reference)
    citation = None
    problem = ""
    words = None
    try:
        finding.cited_name(quoted.reference)
        citation = f"{composite.pdi}@{quoted.start}={cited.removeprefix('urn:')}"
        words = sources.words(cited)
        status = _status(quoted.words, words)
    except ParseError as error:
        status, problem = "invalid", error.problem
    except PermaciteError as error:
        status, problem = _state(error), error.problem
    return Quotation(
        citation=citation,
        composite=str(composite.pdi),
        title=version.title,
        start=quoted.start,
        end=quoted.end,
        url=_address(sources.repository, composite, quoted.start, quoted.end),
        cited=cited,
        status=status,
        words="" if status in _HIDDEN else quoted.words,
        cited_words=words,
        problem=problem,
    )


def _state(error: PermaciteError) -> str:
    """The word for words that cannot be read."""
    return "unknown" if error.code == NotFoundError.code else error.code


def _status(here: str, there: str | None) -> str:
    """How the words of a quotation agree with those of its source."""
    if not here.strip():
        return "reference"
    return "unchecked" if there is None else agreement(here, there)


def _other(
    repository: Repository, sources: _Sources, version: Version, citation: pdi.CitationPDI
) -> Quotation:
    """A quotation that was recorded by whoever committed the document."""
    composite = repository.lookup.representation(citation.pdi)
    cited = as_urn(citation.cited)
    words, problem, status = None, "", ""
    try:
        words = sources.words(cited)
        status = repository.passages.check_quotation(citation).outcome
    except PermaciteError as error:
        status, problem = _state(error), error.problem
    start = int(citation.origin) if citation.origin.isdecimal() else 0
    end = start + (len(words) if words is not None and status == "exact" else 0)
    here = ""
    if composite.media_type.startswith("text/") and status not in _HIDDEN:
        size = len(words or "")
        here = repository.contents.text(composite).words(start, start + size)
    return Quotation(
        citation=str(citation),
        composite=str(composite.pdi),
        title=version.title,
        start=start,
        end=end,
        url=_address(repository, composite, start, end),
        cited=cited,
        status=status,
        words=here,
        cited_words=words,
        problem=problem,
    )


class _Sources:
    """The words of names; each text is opened once, and what is read of it is checked."""

    def __init__(self, resolution: Resolver, repository: Repository) -> None:
        self._resolution = resolution
        self.repository = repository
        self._texts: dict[str, DocumentText] = {}

    def words(self, cited: str) -> str | None:
        """The text of what a name means; None where it is no text. Raises NotFoundError."""
        name, fragment = names.document_of(cited)
        representation = self.repository.lookup.representation(name)
        if not representation.media_type.startswith("text/"):
            return None
        if fragment is not None and fragment.scheme != "char":
            return self._resolution.resolve(cited).text
        if fragment is None:
            return self.repository.contents.text(representation).text
        key = str(representation.pdi)
        if key not in self._texts:
            self._texts[key] = self.repository.contents.text(representation, whole=False)
        source = self._texts[key]
        start, end = (int(position) for position in fragment.positions)
        if end > source.length:
            raise NotFoundError(f"the text ends at {source.length}", cited)
        return source.words(start, end)


def _address(repository: Repository, composite: Representation, start: int, end: int) -> str:
    """Where a reader sees a place in a document."""
    return f"{resolver_of(repository)}/{composite.pdi}?fragment=char={start},{end}"


def _untold(repository: Repository, citation: pdi.CitationPDI, error: PermaciteError) -> Quotation:
    """A quotation on record in a document whose words are not to be had."""
    start = int(citation.origin) if citation.origin.isdecimal() else 0
    composite = repository.lookup.representation(citation.pdi)
    return Quotation(
        citation=str(citation),
        composite=str(composite.pdi),
        title=repository.lookup.version(composite.pdi).title,
        start=start,
        end=start,
        url=_address(repository, composite, start, start),
        cited=as_urn(citation.cited),
        status=error.code,
        words="",
        cited_words=None,
        problem=error.problem,
    )


def _touches(
    overlaps: Overlaps,
    name: pdi.PDI,
    fragment: pdi.FragmentPDI | None,
    cited: pdi.PDI | pdi.FragmentPDI,
) -> bool:
    """Whether what is cited shares anything with what was asked for."""
    whole = cited if isinstance(cited, pdi.PDI) else cited.pdi
    if name.version not in {None, whole.version}:
        return False
    if fragment is None or isinstance(cited, pdi.PDI):
        return True
    return overlaps.touch(fragment, cited)


class Overlaps:
    """Compares passages; what is read for it is kept for the next comparison."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._bytes: dict[str, Range | None] = {}
        self._pages: dict[str, Document] = {}

    def touch(self, a: pdi.FragmentPDI, b: pdi.FragmentPDI) -> bool:
        """Whether two passages share anything; not where one of them is not to be had."""
        try:
            first, second = (
                self._repository.lookup.representation(fragment.pdi) for fragment in (a, b)
            )
            if first.pdi == second.pdi:
                return self._within(first, a, b)
            if first.pdi.version != second.pdi.version:
                return False
            if second.derived_from == first.format:
                return self._across(first, a, second, b)
            return first.derived_from == second.format and self._across(second, b, first, a)
        except PermaciteError:
            return False

    def _within(
        self, representation: Representation, a: pdi.FragmentPDI, b: pdi.FragmentPDI
    ) -> bool:
        """Compare two passages of one format."""
        if (a.scheme, a.positions) == (b.scheme, b.positions):
            return True
        if a.scheme == b.scheme == "rect":
            return _rectangles(a, b)
        if a.scheme in _MILLISECONDS and b.scheme in _MILLISECONDS:
            return _share(_milliseconds(a), _milliseconds(b))
        if a.scheme == b.scheme and a.scheme in {"char", "byte"}:
            return _share(_numbers(a), _numbers(b))
        return _share(self._place(representation, a), self._place(representation, b))

    def _across(
        self, page: Representation, a: pdi.FragmentPDI, text: Representation, b: pdi.FragmentPDI
    ) -> bool:
        """Compare a passage of a page with one of its text."""
        place = self._place(page, a)
        document = self._page(page)
        rendition = document.reading.rendition
        digest = digest_of(rendition.text.encode())
        if place is None or digest != text.digest:
            return False
        start, end = map(document.text.offset, place)
        shown = rendition.text_range(start, min(end, len(document.source)))
        if b.scheme == "char":
            return _share(shown, _numbers(b))
        # Any other scheme of the text is compared by its bytes, which are UTF-8.
        edges = (len(rendition.text[:position].encode()) for position in shown)
        return _share((next(edges), next(edges)), self._place(text, b))

    def _page(self, page: Representation) -> Document:
        """A page, to be read once."""
        if page.digest not in self._pages:
            self._pages[page.digest] = Document.of(
                self._repository.contents.text(page), page.media_type
            )
        return self._pages[page.digest]

    def _place(self, representation: Representation, fragment: pdi.FragmentPDI) -> Range | None:
        """The bytes that a passage is made of; None where it is decoded from them."""
        key = f"{representation.pdi}#{fragment.specifier}"
        if key not in self._bytes:
            self._bytes[key] = self._repository.contents.excerpt(
                representation, fragment.specifier
            ).source_range
        return self._bytes[key]


def _share(a: Range | None, b: Range | None) -> bool:
    """Whether two half-open intervals share anything."""
    return a is not None and b is not None and max(a[0], b[0]) < min(a[1], b[1])


def _numbers(fragment: pdi.FragmentPDI) -> Range:
    return int(fragment.positions[0]), int(fragment.positions[1])


def _milliseconds(fragment: pdi.FragmentPDI) -> Range:
    start, end = _numbers(fragment)
    unit = _MILLISECONDS[fragment.scheme]
    return start * unit, end * unit


def _rectangles(a: pdi.FragmentPDI, b: pdi.FragmentPDI) -> bool:
    """Whether two rectangles share a pixel of one frame; the first where none is named."""
    first, second = ([int(n) for n in _NUMBER.findall(",".join(x.positions))] for x in (a, b))
    if (*first[_CORNERS:], 0)[0] != (*second[_CORNERS:], 0)[0]:
        return False
    across = _share((first[0], first[2]), (second[0], second[2]))
    return across and _share((first[1], first[3]), (second[1], second[3]))
