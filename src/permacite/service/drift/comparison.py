"""Comparison of a cited passage with another text: a live page, or another version.

Both texts are aligned as a whole, and the passage is followed through the alignment. A passage that
was on the archived page already is never reported as the successor of another one. A citation is
never moved: it names the archived words. The result says where they are now, and what was changed.

Outcomes in the latest version of a page are recorded as news. An outcome is news where it differs
from the last one reported, or where the words there differ.
"""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, Self

from permacite.errors import NotFoundError, ParseError, PermaciteError
from permacite.extract import extract
from permacite.fragments.alignment.aligning import Alignment, align
from permacite.fragments.alignment.passages import Fate, follow
from permacite.lazy_dataclass import dataclass
from permacite.pdi import SCHEMES, PagePlace
from permacite.service import names
from permacite.service.citations.parts import words_of
from permacite.service.citations.selecting.areas import words_on
from permacite.service.labels import text_of_pages
from permacite.text.entity import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permacite.archive.model.answered import Citation, Representation, Version
    from permacite.archive.repository import Repository
    from permacite.extract import Decode, Excerpt
    from permacite.fragments.alignment.differences import WordChange
    from permacite.fragments.alignment.passages import Similar
    from permacite.pdi import PDI
    from permacite.text.entity import DocumentText


__all__ = [
    "CitedPassage",
    "ComparedPage",
    "Comparison",
    "PassageDrift",
    "Sought",
    "record_gone",
    "record_outcomes",
    "same_format",
]

_IS_TEXT = {scheme.name: scheme.applies for scheme in SCHEMES.known}["char"]
Page = Literal["same", "changed", "gone"]


@dataclass(frozen=True, slots=True)
class PassageDrift:
    """The outcome for one cited passage: on the live page, or in another version."""

    reference: str
    told: str
    """What is cited, on one line: the words, or else "0:12-0:31 of" and the title."""
    quote: str
    status: str
    """"verified", "moved", "changed", "gone", "gone-similar" or "ambiguous" (`Fate.status`);
    "unchecked" where it could not be compared."""
    start: int | None = None
    """Where the passage is in the text of that page; None where it is not."""
    end: int | None = None
    now: str | None = None
    """The words there."""
    score: float = 0.0
    """Similarity of these words to those cited, 0 to 1; 0 where there are none."""
    runner_up: float | None = None
    """Similarity of the most similar other passage, where the cited one is gone."""
    changes: tuple[WordChange, ...] = ()
    """What was changed in the passage: negations, numbers and names first."""
    similar: Similar | None = None
    """A passage similar to the one that is gone, and no successor: it was there before."""
    trouble: str = ""
    """Why there is no such part now, or why it could not be compared."""

    def reference_in(self, there: PDI) -> str:
        """The permanent name of the words in the format `there`; "" where they are not there."""
        if self.start is not None and self.end is not None:
            return str(there.fragment("char", self.start, self.end))
        if self.status == "verified":
            return f"{there}#{self.reference.partition('#')[2]}"
        return ""

    @classmethod
    def without_texts(cls, sought: Sought, title: str, status: str) -> Self:
        """The outcome for a passage that was not compared with a text."""
        told = words_of(sought.fragment, sought.quote, title)
        return cls(sought.fragment, told, sought.quote, status)

    @classmethod
    def unchecked(cls, sought: Sought, title: str, trouble: str) -> Self:
        """The outcome for a passage that cannot be compared."""
        told = words_of(sought.fragment, sought.quote, title)
        return cls(sought.fragment, told, sought.quote, "unchecked", trouble=trouble)


@dataclass(frozen=True, slots=True)
class Sought:
    """A passage to be found in another text: what a citation records of it."""

    fragment: str
    """Its name."""
    pdi: PDI
    """The full name of the format that it is of."""
    start: int | None
    """Its characters in that text; None for a part of another kind."""
    end: int | None
    quote: str

    @classmethod
    def of(cls, citation: Citation) -> Self:
        """The passage of a recorded citation."""
        return cls(citation.fragment, citation.pdi, citation.start, citation.end, citation.quote)


@dataclass(frozen=True, slots=True)
class ComparedPage:
    """The page in which passages are sought: its bytes, and what they are.

    `archived` is the cited format: a part of another format has no place here.
    """

    content: bytes
    digest: str
    media_type: str
    archived: Representation
    text: str | None
    """Its words; None where it has none."""
    document: DocumentText | None
    """The octets as text; None where they are none."""
    decode: Decode | None

    @classmethod
    def of_version(
        cls, repository: Repository, there: Representation, archived: Representation
    ) -> Self:
        """A format of another version of the document."""
        document = None if there.decoding is None else repository.contents.text(there)
        return cls(
            content=repository.contents.read(there),
            digest=there.digest,
            media_type=there.media_type,
            archived=archived,
            text=None if document is None else document.text,
            document=document,
            decode=None
            if repository.parts.decoder_of is None
            else repository.parts.decoder_of(there.digest),
        )

    def part(self, specifier: str) -> Excerpt:
        """The part that a fragment names there.

        Raises ParseError or NotFoundError where there is none, PermaciteError where it cannot be
        cut.
        """
        charset = None if self.document is None else self.document.charset
        return extract(
            self.content, self.media_type, specifier, charset=charset, decode=self.decode
        )


class Comparison:
    """The archived page compared with another page; two texts are aligned once for all passages."""

    def __init__(self, repository: Repository, page: ComparedPage, title: str) -> None:
        self._repository = repository
        self._page = page
        self._title = title
        self._alignments: dict[tuple[str, bool], Alignment] = {}

    def drift(self, sought: Sought) -> PassageDrift:
        """Follow a passage, or what a fragment of another format names."""
        if sought.start is None or sought.end is None:
            return self._drift_of_part(sought)
        aligned = self._aligned(sought, self._page.text or "")
        fate = follow(aligned, sought.start, sought.end)
        return self._drift(sought, fate, _words(aligned, fate), place=(fate.start, fate.end))

    def _drift_of_part(self, sought: Sought) -> PassageDrift:
        """Follow what a fragment cuts out of a format; there is always an outcome."""
        name, fragment = names.document_of(sought.fragment)
        specifier = fragment.specifier if fragment is not None else ""
        try:
            representation = self._repository.lookup.representation(name)
            if self._page.digest == self._page.archived.digest:
                return self._drift(sought, Fate("verified", score=1.0), sought.quote)
            if representation.pdi != self._page.archived.pdi:
                problem = f"only {self._page.archived.format} has a live page"
                return PassageDrift.unchecked(sought, self._title, problem)
            archived = self._repository.contents.excerpt(representation, specifier)
            return self._followed(sought, archived, specifier)
        except PermaciteError as error:
            return PassageDrift.unchecked(sought, self._title, error.problem)

    def _followed(self, sought: Sought, archived: Excerpt, specifier: str) -> PassageDrift:
        """Cut the same part out of the other page; where it differs, follow it in the markup.

        Raises PermaciteError where it cannot be cut.
        """
        now, trouble = None, ""
        try:
            now = self._page.part(specifier)
        except (ParseError, NotFoundError) as error:
            trouble = error.problem
        if now is not None and now.digest == archived.digest and not now.clipped:
            return self._drift(sought, Fate("verified", score=1.0), now.text or "")
        on_page = self._words_of_place(sought)
        if on_page is not None:
            return on_page
        is_text = _IS_TEXT(self._page.archived.media_type)
        if archived.source_range is None or not is_text or self._page.document is None:
            if now is not None and now.clipped:
                trouble = "it reaches beyond the end of what is there"
            fate = Fate("gone" if now is None else "changed")
            return self._drift(sought, fate, trouble=trouble)
        aligned = self._aligned(sought, self._page.document.stored, markup=True)
        document = self._repository.contents.text(self._page.archived)
        fate = follow(aligned, *map(document.offset, archived.source_range))
        return self._drift(sought, fate, _words(aligned, fate))

    def _words_of_place(self, sought: Sought) -> PassageDrift | None:
        """Follow the words of a page, or an area of it, that is drawn differently now.

        None for what is no such place, and where it has no words or the other document has none.
        """
        name, fragment = names.document_of(sought.fragment)
        place = None if fragment is None else PagePlace.of(fragment.scheme, fragment.positions)
        if place is None or self._page.text is None:
            return None
        original = self._repository.lookup.representation(name)
        text = text_of_pages(self._repository, original)
        spans = words_on(self._repository, original, place)
        if text is None or not spans:
            return None
        start, end = spans[0][0], spans[-1][1]
        words = self._repository.contents.text(text).words(start, end)
        start, end = (
            start + len(words) - len(words.lstrip()),
            end - len(words) + len(words.rstrip()),
        )
        if start >= end:
            return None
        aligned = self._aligned(dataclasses.replace(sought, pdi=text.pdi), self._page.text)
        fate = follow(aligned, start, end)
        if fate.status == "verified":
            told = "its words are the same; it is drawn otherwise"
            return self._drift(
                sought, Fate("changed", score=fate.score), words.strip(), trouble=told
            )
        return self._drift(sought, fate, _words(aligned, fate))

    def _aligned(self, sought: Sought, now: str, *, markup: bool = False) -> Alignment:
        """Align what is cited from with the other page: the text of either, or the markup."""
        key = (str(sought.pdi), markup)
        if key not in self._alignments:
            document = self._repository.contents.text(
                self._repository.lookup.representation(sought.pdi)
            )
            self._alignments[key] = align(document.stored if markup else document.text, now)
        return self._alignments[key]

    def _drift(
        self,
        sought: Sought,
        fate: Fate,
        now: str | None = None,
        *,
        place: tuple[int | None, int | None] = (None, None),
        trouble: str = "",
    ) -> PassageDrift:
        """The outcome for a passage."""
        return PassageDrift(
            reference=sought.fragment,
            told=words_of(sought.fragment, sought.quote, self._title),
            quote=sought.quote,
            status=fate.status,
            start=place[0],
            end=place[1],
            now=now,
            score=fate.score,
            runner_up=fate.runner_up,
            changes=fate.changes,
            similar=fate.similar,
            trouble=trouble,
        )


def _words(aligned: Alignment, fate: Fate) -> str | None:
    """The words there now, with the line ends of a cited text."""
    return None if fate.start is None else canonical(aligned.new.text[fate.start : fate.end])


def same_format(version: Version, archived: Representation) -> Representation | None:
    """The format of a version that corresponds to another version's: by its name, or its type."""
    formats = version.representations
    named = [item for item in formats if item.format == archived.format]
    alike = [item for item in formats if item.media_type == archived.media_type]
    return next(iter(named or alike), None)


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """The outcome for one cited passage."""

    reference: str
    told: str
    """What is cited, on one line."""
    status: str
    """"verified", "moved", "changed", "gone", "gone-similar", "ambiguous"; or "unchecked"."""
    there: str
    """The full name of the words there now; "" where there are none."""
    is_news: bool
    trouble: str = ""


def record_outcomes(
    repository: Repository, document: PDI, uri: str, latest: Version
) -> Iterator[CitedPassage]:
    """Compare what is cited of every version with the latest one; record and yield the outcomes."""
    for version in repository.lookup.versions(document):
        cited = repository.passages.citations(version.pdi)
        if cited or version.pdi == latest.pdi:
            drifts = [*_compared(repository, version, cited, latest)]
            page: Page = "same" if version.pdi == latest.pdi else _page(version, latest)
            yield from _record(repository, version, uri=uri, page=page, drifts=drifts)


def record_gone(repository: Repository, document: PDI, uri: str) -> Iterator[CitedPassage]:
    """Record that the site reports no such page, and yield what is cited of it."""
    for version in repository.lookup.versions(document):
        title = version.title or str(version.pdi.document)
        drifts = [
            (PassageDrift.without_texts(Sought.of(citation), title, "gone"), "")
            for citation in repository.passages.citations(version.pdi)
        ]
        yield from _record(repository, version, uri=uri, page="gone", drifts=drifts)


def _record(
    repository: Repository,
    version: Version,
    *,
    uri: str,
    page: Page,
    drifts: Sequence[tuple[PassageDrift, str]],
) -> list[CitedPassage]:
    """Record the outcomes for the passages of one version."""
    last = repository.live_pages.last_news(version)
    passages = [
        CitedPassage(
            drift.reference,
            drift.told,
            drift.status,
            there,
            _is_news(repository, drift, last.get(drift.reference)),
            drift.trouble,
        )
        for drift, there in drifts
    ]
    fates = {} if page == "gone" else {each.reference: each.status for each in passages}
    news = {each.reference: (each.status, each.there) for each in passages if each.is_news}
    repository.live_pages.note_check(version.pdi, uri, page, fates, news=news)
    return passages


def _is_news(repository: Repository, drift: PassageDrift, last: tuple[str, str] | None) -> bool:
    if last is None or last[0] != drift.status:
        return drift.status != "unchecked"
    return drift.status == "changed" and _words_of(repository, last[1]) != drift.now


def _words_of(repository: Repository, reference: str) -> str | None:
    """The words that a name means; None where they are not open."""
    with suppress(PermaciteError):
        name, fragment = names.document_of(reference)
        if fragment is not None:
            return repository.contents.excerpt(
                repository.lookup.representation(name), fragment.specifier
            ).text
    return None


def _compared(
    repository: Repository, version: Version, cited: Sequence[Citation], latest: Version
) -> Iterator[tuple[PassageDrift, str]]:
    """Compare passages; yield each outcome with the name of the words there."""
    title = version.title or str(version.pdi.document)
    comparisons: dict[PDI, Comparison] = {}
    for citation in cited:
        sought, archived = Sought.of(citation), repository.lookup.representation(citation.pdi)
        there = same_format(latest, archived)
        if there is not None and there.digest == archived.digest:
            yield (
                PassageDrift.without_texts(sought, title, "verified"),
                f"{there.pdi}#{sought.fragment.partition('#')[2]}",
            )
            continue
        if there is None:
            problem = f"the page has no format {archived.format} now"
            yield PassageDrift.unchecked(sought, title, problem), ""
            continue
        try:
            if citation.pdi not in comparisons:
                page = ComparedPage.of_version(repository, there, archived)
                comparisons[citation.pdi] = Comparison(repository, page, title)
            drift = comparisons[citation.pdi].drift(sought)
        except PermaciteError as error:
            yield PassageDrift.unchecked(sought, title, error.problem), ""
        else:
            yield drift, drift.reference_in(there.pdi)


def _page(version: Version, latest: Version) -> Page:
    """Whether two versions say the same, as far as their texts tell."""
    texts = [
        {item.digest for item in each.representations if item.media_type == "text/plain"}
        for each in (version, latest)
    ]
    return "same" if texts[0] and texts[0] == texts[1] else "changed"
