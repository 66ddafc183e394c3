"""Find a passage, name it, record the citation, give its forms.

Quotes are looked for in a document's plain text, where white space is all alike; the citation
names characters of that text. A fragment of another format is cited as it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from permacite.archive.model.submitted import NewCitation
from permacite.errors import ConflictError, LimitError, NotFoundError, ParseError, PermaciteError
from permacite.fragments import quote as quotes
from permacite.media_types import AGGREGATE, PDF
from permacite.pdi import SCHEMES
from permacite.renditions import ranges_of
from permacite.service import addresses, names
from permacite.service.citations import parts, recorded
from permacite.service.citations.quoted import Chosen, choose, passage
from permacite.service.labels import labels_of, text_of_pages
from permacite.service.names import TextOf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from permacite import pdi
    from permacite.archive.model.answered import Representation
    from permacite.archive.repository import Repository
    from permacite.pdi import Specifier
    from permacite.service.citations.parts import CiteTarget
    from permacite.service.citations.recorded import Cited
    from permacite.text.entity import DocumentText

__all__ = [
    "aggregate_of",
    "check_length",
    "cite",
    "drawn_with",
    "fragment_of",
    "quoted_text",
    "text_with",
]

_NO_PASSAGE = (
    "expected a passage: a quote, a part by one of the schemes, or a #fragment in the name"
)
MOST = 1_000_000
"""How many characters are cited at once."""

_LINE_END = "\r\n"
_SHOWN_PAGES = 12
_COMMAS_OF_AN_AREA = 3
_OF_TEXT = frozenset({"char", "line"})
"""Schemes whose places are those of a document's plain text, whatever format it is read in."""


def cite(
    repository: Repository,
    reference: str,
    target: CiteTarget,
    *,
    note: str | None = None,
    when: datetime | None = None,
) -> Cited:
    """Cite a passage, or any part of a document, and record it.

    `reference` is a name, or the address of a page that was saved, nearest to the time `when`
    or last. By the words of a `quote`, by one of the schemes of fragments, or by a fragment in
    `reference`. A quote is looked for in what was served, then in what a browser drew.
    `char="15,21"` and `line` are places in the text of the document; `elt`, `name`,
    `rect="5,10,25,30"`, `sec="0:12-0:31"`, `msec`, `crop` and `byte` name a part of the format
    itself, and `frame` says which picture `rect` is in. `nth` (from 1), or the words `before`
    and `after`, choose among several occurrences of a quote; so does the `page` on which it
    stands, as it is printed there. `page` alone is all words of that page, or of a PDF without
    words the page itself; with `viewrect="72,100,200,150"` an area of it. A part of a recording
    in which something is damaged is cited if `damaged` says so. Raises ParseError for what is
    no part of a document, NotFoundError where that is not there, ConflictError for damage.
    """
    if when is not None or not reference.startswith(names.NAMES):
        reference = addresses.reference_of(repository, reference, when)
    name, fragment = names.document_of(reference)
    way, quote, page, damaged = target.place, target.quote, target.page, target.damaged
    if page is not None and way is not None:
        way = _on_page(repository, name, way, page)
    if way is None and quote is None:
        whole = fragment if page is None else _wordless_page(repository, name, page)
        if whole is None and page is None:
            raise ParseError(_NO_PASSAGE, reference, len(reference))
        if whole is not None and not _is_of_text(repository, whole):
            return _cite_part(repository, whole.pdi, whole, note=note, damaged=damaged)
        way = None if whole is None else (whole.scheme, ",".join(whole.positions))
    if way is not None and way[0] not in _OF_TEXT:
        representation = _holding(repository, name, way[0])
        found = _specifier(repository, representation, *way)
        return _cite_part(repository, representation.pdi, found, note=note, damaged=damaged)
    source = quoted_text(repository, name)
    within = None if page is None else _pages(repository, source, page)
    path = ""
    if way is not None:
        chosen = _choose_place(source, *way)
    elif within is not None and quote is None:
        chosen = _choose_page(source, within, page or "")
    else:
        if within is None:
            source, path = text_with(repository, source, quote or "")
        chosen = choose(
            source,
            quote or "",
            target.nth,
            before=target.before or "",
            after=target.after or "",
            within=within,
        )
    return _record(repository, source, chosen, note, path=path)


def quoted_text(repository: Repository, name: pdi.PDI, quote: str = "") -> names.TextOf:
    """The text in which quotes of a document are looked for. Raises NotFoundError.

    It is what was served, but for a `quote` that stands in what a browser drew alone.
    """
    repository.lookup.representation(
        name
    )  # an unknown format is an error, though its text is what is read
    source = names.text_of(repository, names.text_representation(repository, name))
    return drawn_with(repository, source, quote)


def check_length(start: int, end: int) -> None:
    """Raise LimitError for more characters than are cited at once."""
    if end - start > MOST:
        raise LimitError(
            f"expected at most {MOST:,} characters, found {end - start:,}",
            limit="characters cited",
            maximum=MOST,
            hint="cite the whole document by its name",
        )


def _record(
    repository: Repository, source: names.TextOf, chosen: Chosen, note: str | None, *, path: str
) -> Cited:
    """Record a passage of a text; `path` is that of a page within the document, "" for itself."""
    check_length(chosen.start, chosen.end)
    words = passage(source, chosen.start, chosen.end)
    representation, place = source.representation, (chosen.start, chosen.end)
    fragment = (
        fragment_of(representation, path, *place)
        if path
        else representation.pdi.fragment("char", *place)
    )
    citation = repository.passages.record(
        NewCitation(
            fragment=str(fragment),
            pdi=representation.pdi,
            start=None if path else chosen.start,
            end=None if path else chosen.end,
            quote=words.quote,
            before=words.before,
            after=words.after,
            media_type="text/plain" if path else representation.media_type,
            note=note,
        )
    )
    texts = recorded.CitedTexts(repository)
    if not path:
        texts.keep(source)
    return recorded.cited(texts, citation, nth=chosen.nth, occurrences=chosen.occurrences)


def _is_of_text(repository: Repository, fragment: pdi.FragmentPDI) -> bool:
    """Whether a fragment names characters of the text that every citation by words is of."""
    if fragment.scheme != "char":
        return False
    representation = repository.lookup.representation(fragment.pdi)
    return representation == names.text_representation(repository, representation.pdi)


def _specifier(
    repository: Repository, representation: Representation, scheme: str, said: str
) -> Specifier:
    """What is said of a part, as a fragment of a format that has this scheme."""
    try:
        return parts.specifier(scheme, said, representation.media_type)
    except ParseError as error:
        known = SCHEMES.get(scheme)
        if known is not None and not known.applies(representation.media_type):
            formats = repository.lookup.version(representation.pdi).representations
            others = [str(item.pdi) for item in formats if known.applies(item.media_type)]
            error.hint = "; ".join([error.hint, *(f"{other} has {scheme}" for other in others)])
        raise


def _cite_part(
    repository: Repository,
    name: pdi.PDI,
    part: Specifier | pdi.FragmentPDI,
    *,
    note: str | None,
    damaged: bool,
) -> Cited:
    """Cite a part of any format that can be cut."""
    representation = repository.lookup.representation(name)
    exact = representation.pdi.fragment(part.scheme, *part.positions)
    if part.scheme == "part":
        check_length(*map(int, part.positions[1:]))
    excerpt = repository.contents.excerpt(representation, exact.specifier)
    if excerpt.clipped:
        problem = "the part reaches beyond the end of the document, and is not to be cited so"
        raise NotFoundError(problem, str(exact))
    if not excerpt.data:
        raise _empty(exact.specifier)
    if excerpt.damaged and not damaged:
        problem = "something in this part is damaged and cannot be decoded"
        hint = "cite another, or this one as it is: --damaged, or `damaged` over HTTP"
        raise ConflictError(problem, str(exact), hint=hint)
    citation = repository.passages.record(
        NewCitation(
            fragment=str(exact),
            pdi=representation.pdi,
            start=None,
            end=None,
            quote=excerpt.text or "",
            before="",
            after="",
            media_type=excerpt.media_type,
            note=note,
        )
    )
    return recorded.cited(recorded.CitedTexts(repository), citation)


def _empty(part: str) -> ParseError:
    hint = "the end is excluded: 4,5 is one character"
    return ParseError("expected a passage, found an empty one", part, 0, hint=hint)


def _choose_place(source: names.TextOf, scheme: str, said: str) -> Chosen:
    """Characters or lines of a text."""
    found = parts.specifier(scheme, said, source.representation.media_type)
    start, end = map(int, found.positions)
    edges = None
    if scheme == "line":
        edges = _edges(source.document.text)
    size = source.document.length if edges is None else len(edges) - 1
    if end > size:
        raise NotFoundError(f"the text ends at {scheme} {size}", f"{scheme}={said}")
    chosen = Chosen(start, end) if edges is None else Chosen(edges[start], edges[end])
    if chosen.start == chosen.end:
        raise _empty(f"{scheme}={said}")
    return chosen


def _edges(text: str) -> list[int]:
    """Where the lines of a text begin, and where the last one ends."""
    ends = [match.end() for match in re.finditer(_LINE_END, text)]
    starts = [0, *ends] if text and not text.endswith(_LINE_END) else [0, *ends[:-1]]
    return [*starts, len(text)]


def _pages(repository: Repository, source: names.TextOf, page: str) -> list[tuple[int, int]]:
    """Where the text of a page stands that has this number printed on it.

    Raises NotFoundError, whose candidates are pages that there are.
    """
    labels = labels_of(repository, source.representation)
    ranges = ranges_of(labels, "page", page)
    if not ranges:
        pages = list(dict.fromkeys(label.name for label in labels if label.kind == "page"))
        raise NotFoundError(
            f"no page {page} is printed in this document"
            if pages
            else "this document numbers no pages",
            str(source.representation.pdi),
            candidates=tuple(pages[:_SHOWN_PAGES]),
        )
    return ranges


def _paged(repository: Repository, name: pdi.PDI) -> Representation | None:
    """The format of a document that has pages, of which places are cited; None where none has."""
    known = repository.lookup.representation(name)
    formats = (known, *repository.lookup.version(known.pdi).representations)
    return next((item for item in formats if item.media_type == PDF), None)


def _page_number(repository: Repository, original: Representation, page: str) -> int:
    """The number in the file of the page on which this number is printed. Raises NotFoundError.

    Of a document that tells no numbers of its pages, that is the number itself.
    """
    text = text_of_pages(repository, original)
    labels = () if text is None else labels_of(repository, text)
    pages = {label.target: label.name for label in labels if label.kind == "page"}
    targets = [target for target, name in pages.items() if name == page]
    if len(targets) == 1:
        return int(targets[0].removeprefix("page="))
    if not pages and page.isascii() and page.isdigit() and int(page[:9]):
        return int(page[:9])
    many = f"{len(targets)} pages have" if targets else "no page of this document has"
    hint = "name it by its place in the file, such as #page=17"
    candidates = tuple(dict.fromkeys(pages.values()))[:_SHOWN_PAGES]
    problem = f"{many} the number {page[:40]}"
    raise NotFoundError(problem, str(original.pdi), candidates=candidates, hint=hint)


def _on_page(
    repository: Repository, name: pdi.PDI, way: tuple[str, str], page: str
) -> tuple[str, str]:
    """An area, on the page with this number. Raises ParseError for parts of other schemes."""
    scheme, said = way
    original = _paged(repository, name)
    if scheme != "viewrect" or original is None or said.count(",") != _COMMAS_OF_AN_AREA:
        problem = "expected a quote, an area (viewrect) of a PDF, or nothing else, on a page"
        raise ParseError(problem, f"page={page}", 0)
    return scheme, f"{said},{_page_number(repository, original, page)}"


def _wordless_page(repository: Repository, name: pdi.PDI, page: str) -> pdi.FragmentPDI | None:
    """A page of a PDF of which no page has words, as its place; None for all other documents."""
    original = _paged(repository, name)
    if original is None:
        return None
    text = text_of_pages(repository, original)
    if text is not None and labels_of(repository, text):
        return None
    return original.pdi.fragment("page", _page_number(repository, original, page))


def _holding(repository: Repository, name: pdi.PDI, scheme: str) -> Representation:
    """The format of a document that a part is of: the one that is named, or that has the places."""
    holder = _HOLDERS.get(scheme)
    held = None if holder is None else holder(repository, name)
    return held or repository.lookup.representation(name)


def _choose_page(source: names.TextOf, ranges: list[tuple[int, int]], page: str) -> Chosen:
    """All words of a page. Raises NotFoundError where several have its number."""
    if len(ranges) > 1:
        problem = f"{len(ranges)} pages have the number {page}; cite by words on it"
        raise NotFoundError(problem, str(source.representation.pdi))
    return Chosen(*ranges[0])


def aggregate_of(repository: Repository, name: pdi.PDI) -> Representation | None:
    """The aggregate of a document, in which its pages are; None where it has none."""
    known = repository.lookup.representation(name)
    formats = (known, *repository.lookup.version(known.pdi).representations)
    return next((item for item in formats if item.media_type == AGGREGATE), None)


def text_with(repository: Repository, source: TextOf, quote: str) -> tuple[TextOf, str]:
    """The text that quoted words are to be looked for in, and the number of its body part.

    That of the document itself, with "", unless they stand in a page within it alone, or in what
    a browser drew of it.
    """
    if not quote.strip() or _holds(source.document, quote):
        return source, ""
    served = next(_within(repository, source, quote), None)
    return served or (drawn_with(repository, source, quote), "")


def drawn_with(repository: Repository, source: TextOf, quote: str) -> TextOf:
    """What a browser drew, where quoted words stand in that and not in a text; else the text."""
    if not quote.strip() or _holds(source.document, quote):
        return source
    drawn = names.drawn_text(repository.lookup.version(source.representation.pdi))
    if drawn is None or repository.lookup.restrictions([drawn]):
        return source
    other = names.text_of(repository, drawn)
    return other if _holds(other.document, quote) else source


def _within(repository: Repository, source: TextOf, quote: str) -> Iterator[tuple[TextOf, str]]:
    """Yield the texts of pages within a document in which words stand, in their order."""
    aggregate = aggregate_of(repository, source.representation.pdi)
    if aggregate is None:
        return
    from permacite import mhtml
    from permacite.extract.inner import pages_within, text_within

    try:
        opened = mhtml.open(repository.contents.read(aggregate))
    except PermaciteError:  # it is not given out, or is none
        return
    with opened:
        for part in pages_within(opened):
            try:
                text = text_within(part)
            except PermaciteError:  # it cannot be decoded
                continue
            if _holds(text, quote):
                yield TextOf(aggregate, text), part.path


def _holds(text: DocumentText, quote: str) -> bool:
    return next(iter(quotes.occurrences(text.text, quote)), None) is not None


def fragment_of(aggregate: Representation, path: str, start: int, end: int) -> pdi.FragmentPDI:
    """The name of characters of the text of a body part."""
    numbers = path.replace(".", ",")
    return aggregate.pdi.fragment("part", f"({numbers})" if "." in path else numbers, start, end)


_HOLDERS: dict[str, Callable[[Repository, pdi.PDI], Representation | None]] = {
    "viewrect": _paged,
    "part": aggregate_of,
}
"""Which format of a document has the places of a scheme, whatever format is named."""
