"""References to documents: what each says of itself and where, and as a style prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.capture.address import unreachable
from permacite.lazy_dataclass import dataclass
from permacite.service import names
from permacite.service.citations.source import reference_of, source_of
from permacite.service.labels import printed_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.repository import Repository
    from permacite.bibliography import Reference, Stated
    from permacite.service.citations.source import Source

__all__ = ["Description", "Detail", "References", "Seen"]

_SINGLE = (
    *("title", "issued", "container", "site", "publisher", "language"),
    *("doi", "isbn", "issn", "volume", "issue", "pages"),
)

_LONGEST = 300
"""Characters of a description; chats show fewer."""

_TAGS = {
    "title": "citation_title",
    "author": "citation_author",
    "issued": "citation_publication_date",
    "container": "citation_journal_title",
    "publisher": "citation_publisher",
    "language": "citation_language",
    "doi": "citation_doi",
    "isbn": "citation_isbn",
    "issn": "citation_issn",
    "volume": "citation_volume",
    "issue": "citation_issue",
}
"""Names of Google Scholar's Inclusion Guidelines, which Zotero reads as well."""


@dataclass(frozen=True, slots=True)
class Detail:
    """One thing that is known of a document."""

    field: str
    value: str
    stated: str
    """Where: the vocabulary and the name there, such as "citation_*: citation_author"."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a document says of itself, or what is asserted of it."""

    pdi: str
    type: str
    """A type of CSL, such as "article-journal"; "webpage" where nothing is said."""
    details: tuple[Detail, ...]

    def tags(self) -> Iterator[tuple[str, str]]:
        """Names and contents of meta elements by which citation managers know a document."""
        for detail in self.details:
            if detail.field in _TAGS:
                yield _TAGS[detail.field], detail.value
        yield "DC.identifier", self.pdi


@dataclass(frozen=True, slots=True)
class Seen:
    """How a page of the reader is seen by programs."""

    coins: str
    """An OpenURL ContextObject, for the title of a span of the class Z3988."""
    preview: tuple[tuple[str, str], ...]
    """Properties of Open Graph; none for what is not open to all."""


class References:
    """References to documents."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def describe(self, reference: str) -> Description:
        """What a document says of itself, each value with the place that states it.

        Raises NotFoundError.
        """
        name, _ = names.document_of(reference)
        version, answer = self._repository.lookup.answering(name)
        about = reference_of(self._repository, version)
        return Description(str(answer.pdi), about.type, tuple(_details(about)))

    def styled(self, reference: str, style: str) -> str:
        """A reference to a document or a part of it, as a style of CSL prints it, in plain text.

        `style` is the file name of a style, such as "apa" or "nature", or "Chicago", "MLA" and
        others that are usual. Raises NotFoundError, PermaciteError where no styles are installed.
        """
        from permacite.service.citations.writing.csl import styled

        name, fragment = names.document_of(reference)
        version, answer = self._repository.lookup.answering(name)
        exact = str(answer.pdi) + (f"#{fragment.specifier}" if fragment else "")
        printed = printed_of(self._repository, answer, fragment)
        source = source_of(self._repository, version, exact, "", printed=printed)
        is_public = not source.account and unreachable(source.url) is None
        return styled(source, style, is_public=is_public)

    def seen(self, reference: str, words: str = "") -> Seen:
        """How the page of a document or a part of it is seen by programs that show or cite it.

        `words`: those of the part. Raises NotFoundError.
        """
        from permacite.service.citations.writing.csl import coins

        name, fragment = names.document_of(reference)
        version, answer = self._repository.lookup.answering(name)
        exact = str(answer.pdi) + (f"#{fragment.specifier}" if fragment else "")
        source = source_of(self._repository, version, exact, words)
        public = self._repository.public()
        is_open = answer.pdi not in public.lookup.restrictions([answer])
        return Seen(coins(source), tuple(_preview(source)) if is_open else ())


def _preview(source: Source) -> Iterator[tuple[str, str]]:
    """Properties of the Open Graph protocol: what a chat shows of a link."""
    about = source.about
    yield "og:type", "article"
    yield "og:title", " ".join(source.title.split())
    yield "og:url", source.url
    yield "og:site_name", source.archive
    words = source.words or source.part
    told = f"\u201c{words}\u201d" if source.words else words
    saved = " ".join(filter(None, (source.container, source.day)))
    yield "og:description", _shortened(" \u2014 ".join(filter(None, (told, saved))))
    for person in about.authors:
        yield "article:author", str(person.value)
    if about.issued is not None:
        yield "article:published_time", str(about.issued.value)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 2].rstrip()} \u2026"


def _details(about: Reference) -> Iterator[Detail]:
    for field, people in (("author", about.authors), ("editor", about.editors)):
        for person in people:
            yield Detail(field, person.value.inverted, str(person.place))
    for field in _SINGLE:
        stated: Stated[object] | None = getattr(about, field)
        if stated is not None:
            yield Detail(field, str(stated.value), str(stated.place))
    if (issued := about.issued) is not None and issued.value.edtf not in {"", str(issued.value)}:
        yield Detail("edtf", issued.value.edtf, str(issued.place))
    if issued is not None and issued.value.year is not None and issued.value.literal:
        yield Detail("date", issued.value.literal, str(issued.place))
