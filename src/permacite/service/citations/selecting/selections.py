"""Passages that other programs select, found in an archived document and cited.

Of several selectors of one passage a quote decides first, since words can be compared; then the
fragments of names and formats; then positions, where they count what we count. What a quote leaves
open is decided by pages, by positions, by the words around it, in this order; where that leaves
more than one place, it is an error that tells them.

Positions of others (of the text that PDF.js makes, of a tree of elements) count another text. They
never say a place by themselves; of places where the quoted words stand, the one that is nearest is
taken if every other is more than twice as far.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, TypeAlias

from permacite import pdi, uri
from permacite.errors import NotFoundError, ParseError, PermaciteError, RestrictedError
from permacite.fragments import quote as quotes
from permacite.lazy_dataclass import dataclass
from permacite.media_types import PAGES, PDF
from permacite.pdi import PagePlace
from permacite.service import addresses, names
from permacite.service.citations import parts, quoted
from permacite.service.citations.citing import cite
from permacite.service.citations.selecting import areas, selectors
from permacite.service.labels import places_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from permacite.archive.model.answered import Representation
    from permacite.archive.repository import Repository
    from permacite.service.citations.recorded import Cited
    from permacite.service.citations.selecting.selectors import (
        Between,
        Element,
        Fragment,
        OctetSelector,
        PageSelector,
        Quote,
        Said,
        Selector,
        Target,
    )

    Spans: TypeAlias = list[tuple[int, int]]

__all__ = ["SelectedPassage", "Selections"]

_OTHER_READER = (
    "these positions count the characters of another program, whose text is not known here"
)
_HINT = "give the quoted words too: a TextQuoteSelector"
_TWICE = 2


@dataclass(frozen=True, slots=True)
class SelectedPassage:
    """A passage that was selected."""

    reference: str
    """Its full name."""
    by: tuple[str, ...]
    """What decided: "quote", "letters" (the quote, but for spaces and hyphens), "page", "position",
    "context", "fragment", "octets", "element", "area", "range"."""
    span: tuple[int, int] | None = None
    """Where in the text of the document it stands, if it is of that."""
    occurrences: int = 1
    """How often the quote stands there, and which of them this is."""
    nth: int = 1


class Selections:
    """Passages that others selected."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def cite(
        self,
        reference: str,
        selector: str,
        *,
        note: str | None = None,
        when: datetime | None = None,
    ) -> Cited:
        """Cite what a selector selects in a document, and record it; `found_by` tells how.

        `selector` is JSON: a Web Annotation, a selector or several that select the same, an
        annotation of Hypothesis, an annotation or a position of Zotero. Raises ParseError for what
        is not read, NotFoundError where nothing or more than one passage is selected.
        """
        repository = self._repository
        targets = selectors.read(selector)
        named = addresses.reference_of(repository, reference, when)
        found = _find(repository, names.document_of(named)[0], targets)
        cited = cite(repository, found.reference, parts.CiteTarget(), note=note)
        return dataclasses.replace(
            cited, found_by=found.by, nth=found.nth, occurrences=found.occurrences
        )


def _find(repository: Repository, name: pdi.PDI, targets: Sequence[Target]) -> SelectedPassage:
    """The one passage that all targets select which are of a document.

    Raises NotFoundError where there is none, or more than one; ParseError for what is not read.
    """
    found: dict[str, SelectedPassage] = {}
    refusals: list[PermaciteError] = []
    for target in targets:
        try:
            passage = _Finder(repository, name, target).passage()
        except RestrictedError:
            raise
        except (NotFoundError, ParseError) as error:
            refusals.append(error)
        else:
            found.setdefault(passage.reference, passage)
    if not found:
        raise refusals[0]
    if len(found) > 1:
        problem = f"{len(found)} passages are selected; cite one at a time"
        raise NotFoundError(problem, str(name), candidates=tuple(found))
    return next(iter(found.values()))


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where a selector selects: in the whole document, or in what it refines."""

    spans: Spans | None = None
    base: int | None = None
    """Where its positions are counted from in our text; None where they count another text."""


class _Formats:
    """The formats of a document, and the parts of them that are found."""

    def __init__(self, repository: Repository, name: pdi.PDI, target: Target) -> None:
        """Raises NotFoundError where the target says that it is of another document."""
        self.repository = repository
        self.version = repository.lookup.version(name)
        self.named = self._source_of(target)

    def _source_of(self, target: Target) -> Representation | None:
        """The format that a target names as its source; None where it names none of an archive."""
        try:
            named, _ = names.document_of(target.source)
        except ParseError:
            return None
        if pdi.denotes_same(named.document, self.version.pdi.document) and (
            named.version in {None, self.version.pdi.version}
        ):
            return self.repository.lookup.representation(
                dataclasses.replace(named, version=self.version.pdi.version)
                if named.version is None
                else named
            )
        problem = "the selector is of another document, or another version"
        raise NotFoundError(problem, str(self.version.pdi), candidates=(str(named),))

    def source(self) -> names.TextOf:
        text = names.text_representation(self.repository, self.version.pdi)
        return names.text_of(self.repository, text)

    def paged(self) -> Representation:
        for each in self.version.representations:
            if each.media_type == PDF:
                return each
        raise NotFoundError("this document is no PDF, and has no such pages", str(self.version.pdi))

    def original(self) -> Representation:
        """What was committed, and not made from it."""
        own = [each for each in self.version.representations if each.derived_from is None]
        return own[0] if own else self.repository.lookup.main(self.version)

    def part(self, of: Representation, scheme: str, positions: str, by: str) -> SelectedPassage:
        fragment = pdi.FragmentPDI.make(of.pdi, scheme, positions)
        return SelectedPassage(f"{of.pdi}#{fragment.specifier}", (by,))

    def characters(self, start: int, end: int, *by: str) -> SelectedPassage:
        text = self.source().representation
        return SelectedPassage(str(text.pdi.fragment("char", start, end)), by, (start, end))

    def named_part(self, fragment: pdi.FragmentPDI) -> SelectedPassage:
        representation = self.repository.lookup.representation(fragment.pdi)
        if fragment.scheme == "char" and representation == self.source().representation:
            start, end = map(int, fragment.positions)
            return self.characters(start, end, "fragment")
        return SelectedPassage(f"{representation.pdi}#{fragment.specifier}", ("fragment",))

    def words_of(self, found: SelectedPassage) -> Spans:
        """Where in the text the words of a part of another format stand."""
        _, fragment = names.document_of(found.reference)
        if fragment is None:
            return []
        place = PagePlace.of(fragment.scheme, fragment.positions)
        if place is not None:
            return areas.words_on(self.repository, self.paged(), place)
        return areas.words_of_element(self.repository, self.version, fragment)


class _PartFinder:
    """Parts that a selector names in a format: pages, bytes, elements, fragments."""

    def __init__(self, formats: _Formats) -> None:
        self._formats = formats

    def find(self, said: PageSelector | OctetSelector | Element | Fragment) -> SelectedPassage:
        if isinstance(said, selectors.PageSelector):
            return self._formats.part(self._formats.paged(), "page", str(said.index + 1), "page")
        if isinstance(said, selectors.OctetSelector):
            original = self._formats.named or self._formats.original()
            return self._formats.part(original, "byte", f"{said.start},{said.end}", "octets")
        if isinstance(said, selectors.Element):
            return self._element(said.name)
        return self._fragment(said)

    def _fragment(self, said: Fragment) -> SelectedPassage:
        """What a fragment of some rule selects, or of a name of ours."""
        value = said.value.removeprefix("#")
        is_counted = value.startswith(("char=", "line="))
        is_ours = "mallery-urn-pdi" in said.rule or (
            not said.rule and self._formats.named is not None
        )
        medial = selectors.part_of(value)
        if medial is not None:
            original = self._formats.named or self._formats.original()
            named = parts.specifier(*medial, original.media_type)
            return self._formats.named_part(original.pdi.fragment(named.scheme, *named.positions))
        part = self._of_name(value) if is_ours or not is_counted else None
        if part is not None:
            return self._formats.named_part(part)
        reference: str | None
        if is_counted:  # by RFC 5147, which counts line ends in another way
            text = self._formats.source().representation
            reference = addresses.characters_in(self._formats.repository, text, value)
        elif value.startswith("/"):
            pointer = parts.specifier("pointer", uri.unquote(value), "application/json")
            reference = str(self._formats.original().pdi.fragment("pointer", *pointer.positions))
        else:
            reference = addresses.passage_in(self._formats.repository, self._formats.version, value)
        if reference is None:
            problem = f"expected a fragment that names a part, found {value[:60]}"
            raise NotFoundError(problem, str(self._formats.version.pdi), hint=_HINT)
        _, fragment = names.document_of(reference)
        if fragment is None:
            raise NotFoundError("the fragment names no part", reference)
        return self._formats.named_part(fragment)

    def _of_name(self, value: str) -> pdi.FragmentPDI | None:
        """What the fragment of a name of ours names: of the format that is named, or has it."""
        formats = (
            [self._formats.named]
            if self._formats.named
            else [*self._formats.version.representations]
        )
        for each in formats:
            scheme, _, positions = value.partition("=")
            try:
                return pdi.FragmentPDI.make(each.pdi, scheme, positions)
            except ParseError:
                continue
        return None

    def _element(self, name: str) -> SelectedPassage:
        main = self._formats.repository.lookup.main(self._formats.version)
        if main.media_type not in PAGES:
            raise NotFoundError("only pages have elements that are selected so", str(main.pdi))
        named = parts.specifier("name", name, main.media_type)
        part = main.pdi.fragment(named.scheme, *named.positions)
        self._formats.repository.contents.excerpt(main, part.specifier)
        return SelectedPassage(str(part), ("element",))


class _Finder:
    """One target, in one document."""

    def __init__(self, repository: Repository, name: pdi.PDI, target: Target) -> None:
        """Raises NotFoundError where the target says that it is of another document."""
        self._formats = _Formats(repository, name, target)
        self._parts = _PartFinder(self._formats)
        self._target = target

    def passage(self) -> SelectedPassage:
        base = None
        if not self._target.source or (
            self._formats.named and self._formats.named.media_type == "text/plain"
        ):
            base = 0
        return self._select(self._target.selectors, _Scope(None, base))

    def _select(self, several: Sequence[Selector], scope: _Scope) -> SelectedPassage:
        refusals: list[PermaciteError] = []
        for selector in sorted(several, key=lambda each: _rank(each.said)):
            try:
                found = self._one(selector, several, scope)
                return self._refined(found, selector)
            except RestrictedError:
                raise
            except (NotFoundError, ParseError) as error:
                if isinstance(selector.said, selectors.Quote):
                    raise
                refusals.append(error)
        if refusals:
            raise refusals[0]
        raise NotFoundError(
            "nothing here selects a passage", str(self._formats.version.pdi), hint=_HINT
        )

    def _refined(self, found: SelectedPassage, selector: Selector) -> SelectedPassage:
        """What is meant of what was found."""
        if not selector.refined:
            return found
        spans = [found.span] if found.span is not None else self._formats.words_of(found)
        base = found.span[0] if found.span is not None else None
        inner = self._select(selector.refined, _Scope(spans, base))
        return dataclasses.replace(inner, by=tuple(dict.fromkeys((*found.by, *inner.by))))

    def _one(
        self, selector: Selector, several: Sequence[Selector], scope: _Scope
    ) -> SelectedPassage:
        said = selector.said
        if isinstance(said, selectors.Quote):
            return self._quote(said, [each.said for each in several], scope)
        if isinstance(said, selectors.Position):
            return self._position(said, scope)
        if isinstance(said, selectors.Rectangles):
            return self._words_in(said)
        if isinstance(said, selectors.Between):
            return self._between(said, scope)
        return self._parts.find(said)

    def _quote(self, said: Quote, beside: Sequence[Said], scope: _Scope) -> SelectedPassage:
        source = self._formats.source()
        text, by = source.document.text, ["quote"]
        spans = sorted(quotes.occurrences(text, said.exact))
        if not spans:
            spans = quotes.occurrences_of_letters(text, said.exact)
            by.append("letters")
        if not spans:
            raise quoted.unknown(source, said.exact)
        every = spans
        if scope.spans is not None:
            spans = _overlapping(spans, scope.spans)
            if not spans:
                problem = "the quoted words do not stand in what they are to refine"
                raise NotFoundError(problem, str(source.representation.pdi))
        for name, chosen in (
            ("page", self._on_pages(spans, beside)),
            ("position", _at_positions(spans, beside, scope.base)),
            ("context", _in_context(text, spans, said)),
            ("position", _nearest(spans, beside)),
        ):
            if len(spans) > 1 and chosen and len(chosen) < len(spans):
                by.append(name)
                spans = [span for span in spans if span in chosen] or spans
        if len(spans) > 1:
            raise quoted.several(source, spans)
        passage = self._formats.characters(*spans[0], *by)
        nth = every.index(spans[0]) + 1
        return dataclasses.replace(passage, occurrences=len(every), nth=nth)

    def _on_pages(self, spans: Spans, beside: Sequence[Said]) -> Spans:
        """Those that stand on the pages that are named beside a quote."""
        pages: set[int] = set()
        for said in beside:
            if isinstance(said, selectors.PageSelector | selectors.Rectangles):
                pages.add(said.index + 1)
            if isinstance(said, selectors.Rectangles) and said.following:
                pages.add(said.index + 2)
        known = (
            places_of(self._formats.repository, self._formats.source().representation)
            if pages
            else None
        )
        if known is None or len(spans) == 1:
            return []
        return _overlapping(spans, [known.span_of(page) for page in pages])

    def _position(self, said: selectors.Position, scope: _Scope) -> SelectedPassage:
        source = self._formats.source()
        if scope.base is None:
            raise NotFoundError(_OTHER_READER, str(source.representation.pdi), hint=_HINT)
        start, end = scope.base + said.start, scope.base + said.end
        last = source.document.length if scope.spans is None else scope.spans[-1][1]
        if end > last:
            problem = f"there are {last - scope.base} characters, fewer than {said.end}"
            raise NotFoundError(problem, str(source.representation.pdi))
        return self._formats.characters(start, end, "position")

    def _between(self, said: Between, scope: _Scope) -> SelectedPassage:
        """From the beginning of one part up to that of another (§4.2.8)."""
        start, end = (self._beginning(self._select(each, scope)) for each in (said.start, said.end))
        if start >= end:
            problem = "the range ends before it begins"
            raise NotFoundError(problem, str(self._formats.version.pdi))
        return self._formats.characters(start, end, "range")

    def _beginning(self, found: SelectedPassage) -> int:
        spans = [found.span] if found.span is not None else self._formats.words_of(found)
        if not spans:
            raise NotFoundError("no words of the text stand there", found.reference)
        return spans[0][0]

    def _words_in(self, said: selectors.Rectangles) -> SelectedPassage:
        """The words in areas of a page; where there are none, the area itself."""
        paged = self._formats.paged()
        spans, around = areas.words_in(self._formats.repository, paged, said)
        if not spans:
            positions = ",".join(map(str, around.positions))
            return self._formats.part(paged, around.scheme, positions, "area")
        if len(spans) > 1:
            source = self._formats.source()
            problem = "these areas hold words that do not stand together in the text"
            candidates = tuple(" ".join(source.document.words(*span).split()) for span in spans)
            raise NotFoundError(problem, str(paged.pdi), candidates=candidates, hint=_HINT)
        return self._formats.characters(*spans[0], "area")


def _rank(said: Said) -> int:
    """Which selectors are tried first: words, then names of parts, then positions, pages last."""
    order = (
        selectors.Quote,
        selectors.Fragment,
        selectors.Between,
        selectors.Rectangles,
        selectors.OctetSelector,
        selectors.Element,
        selectors.Position,
        selectors.PageSelector,
    )
    return order.index(type(said))


def _overlapping(spans: Spans, others: Spans) -> Spans:
    return [each for each in spans if any(s < each[1] and each[0] < e for s, e in others)]


def _at_positions(spans: Spans, beside: Sequence[Said], base: int | None) -> Spans:
    """Those that begin exactly where a position says that counts our text."""
    if base is None:
        return []
    starts = {base + said.start for said in beside if isinstance(said, selectors.Position)}
    return [span for span in spans if span[0] in starts]


def _in_context(text: str, spans: Spans, said: Quote) -> Spans:
    """Those whose surroundings agree most with the words that are told of them."""
    if len(spans) == 1 or not (said.prefix.strip() or said.suffix.strip()):
        return []
    agreed = [quoted.agreement(text, span, said.prefix, said.suffix) for span in spans]
    most = max(agreed)
    return [span for span, count in zip(spans, agreed, strict=True) if count == most]


def _nearest(spans: Spans, beside: Sequence[Said]) -> Spans:
    """The one that is nearest to a position of another text, if every other is plainly farther."""
    for said in beside:
        if isinstance(said, selectors.Position) and len(spans) > 1:
            far = sorted((abs(span[0] - said.start), span) for span in spans)
            return [far[0][1]] if far[1][0] > _TWICE * far[0][0] else []
    return []
