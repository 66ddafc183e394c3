"""Citations on record, each with its addresses, and the forms that people paste.

Every form carries the permanent name itself, its address at the resolver, and what the document
says of itself: author, date, title. The wiki form, which is made for everyone, leaves out an
address that others cannot open.
"""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from permacite.archive.objects.source import MOST_OF_BLOB, git_blob
from permacite.errors import RestrictedError
from permacite.fragments import convert
from permacite.lazy_dataclass import dataclass
from permacite.service import names
from permacite.service.citations.parts import clock, part_of
from permacite.service.citations.source import reference_of, source_of
from permacite.service.labels import printed_of, record_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from permacite.archive.model.answered import Citation, Representation, Version
    from permacite.archive.repository import Repository
    from permacite.bibliography import Reference
    from permacite.fragments import Text
    from permacite.pdi import PDI, FragmentPDI
    from permacite.renditions import Printed
    from permacite.service.citations.source import Source
    from permacite.service.transcripts import Heard, Said, Sayings

__all__ = ["CitationForms", "Cited", "CitedTexts", "all_cited", "cited", "swhid"]

_LF = b"\n"


@dataclass(frozen=True, slots=True)
class Cited:
    """A recorded citation."""

    reference: str
    """The PDI with its fragment: the permanent name of the passage."""
    part: str
    """What of the document it is, in words: "0:12-0:31", "rectangle from 5,10 to 25,30"."""
    told: str
    """What is cited, on one line, for people: the words, or else "0:12-0:31 of" and the title."""
    url: str
    """The same passage for any browser, through a resolver."""
    swhid: str | None
    """What Software Heritage calls the same lines of a file; None where they are no whole lines."""
    rfc5147_url: str | None
    """The text's address at the resolver, with RFC 5147 fragment and integrity checks; None for
    what is no plain text."""
    quote: str
    """The words; "" for a part that is no text."""
    before: str
    """What stands before them, and behind them: up to some thirty characters."""
    after: str
    start: int | None
    """Position in the text; None where a fragment of another format is cited."""
    end: int | None
    title: str | None
    """Of the document, and the address that it came from."""
    uri: str | None
    digest: str
    """Of the representation that is cited."""
    cited_at: datetime
    occurrences: int
    """How often the quoted words stand in the document (1 when cited by position)."""
    nth: int
    """Which of them this is, counted from 1."""
    note: str | None
    """The remark that was kept with it."""
    forms: CitationForms
    """The same citation, ready for pasting."""
    heard: tuple[Heard, ...] = ()
    """Of words of a transcript: where in which recordings they are said."""
    said: tuple[Said, ...] = ()
    """Of a time of a recording: the words that are said then, as each transcript has them."""
    labels: tuple[Printed, ...] = ()
    """Where the words stand as the document numbers its own parts: the page first."""
    drawn: str = ""
    """Of what a browser drew: by which, how large, and when; "" for what was served."""
    cautions: tuple[str, ...] = ()
    """What must be known of the text that is cited: that its words may not be those that are
    printed, for example."""
    found_by: tuple[str, ...] = ()
    """How the passage was found that another program selected: by its "quote", its "letters" (the
    quote but for spaces and hyphens), "page", "position", "context", "fragment", "element", "area"
    or "octets"; of several, what decided."""


def all_cited(repository: Repository, citations: Iterable[Citation]) -> tuple[Cited, ...]:
    """Recorded citations likewise; every text they are of is read once."""
    texts = CitedTexts(repository)
    return tuple(cited(texts, citation) for citation in citations)


class CitedTexts:
    """The texts of an archive that are cited, and what their documents say: each read once."""

    def __init__(self, repository: Repository) -> None:
        self.archive = repository
        self._known: dict[str, Text | None] = {}
        self._references: dict[PDI, Reference] = {}

    @cached_property
    def sayings(self) -> Sayings:
        """What is said in recordings, and when."""
        from permacite.service.transcripts import Sayings

        return Sayings(self.archive)

    def keep(self, source: names.TextOf) -> None:
        """Keep a text that has been read already."""
        self._known[source.representation.digest] = source.entity

    def of(self, representation: Representation) -> Text | None:
        """A text as an entity; None where it is not given out."""
        digest = representation.digest
        if digest not in self._known:
            try:
                text = names.text_of(self.archive, representation, whole=False)
            except RestrictedError:
                # What was cited stays on record; checks of it cannot be made any more.
                self._known[digest] = None
            else:
                self._known[digest] = text.entity
        return self._known[digest]

    def about(self, version: Version) -> Reference:
        """What a version says of itself."""
        if version.pdi not in self._references:
            self._references[version.pdi] = reference_of(self.archive, version)
        return self._references[version.pdi]


def cited(texts: CitedTexts, citation: Citation, *, nth: int = 1, occurrences: int = 1) -> Cited:
    """A recorded citation with its addresses and forms."""
    repository = texts.archive
    representation = repository.lookup.representation(citation.pdi)
    version = repository.lookup.version(citation.pdi)
    fragment = names.document_of(citation.fragment)[1]
    heard, said = _sayings(texts, representation, citation, fragment)
    printed: tuple[Printed, ...] = ()
    with suppress(RestrictedError):
        printed = printed_of(repository, representation, fragment)
    source = source_of(
        repository,
        version,
        citation.fragment,
        citation.quote or "\n".join(item.quote for item in said[:1]),
        about=texts.about(version),
        media_type=citation.media_type,
        printed=printed,
    )
    rfc5147_url = _rfc5147_url(texts, representation, citation, source.url.partition("?")[0])
    source = dataclasses.replace(
        source,
        title=_title(source.title, heard),
        before=citation.before,
        after=citation.after,
        rfc5147=(rfc5147_url or "").partition("#")[2],
        paged_url=_paged_url(source, representation),
    )
    return Cited(
        reference=citation.fragment,
        part=source.part,
        told=source.told,
        url=source.url,
        swhid=_swhid(texts, representation, citation),
        rfc5147_url=rfc5147_url,
        quote=citation.quote,
        before=citation.before,
        after=citation.after,
        start=citation.start,
        end=citation.end,
        title=version.title,
        uri=source.uri,
        digest=representation.digest,
        cited_at=citation.cited_at,
        occurrences=occurrences,
        nth=nth,
        note=citation.note,
        forms=CitationForms(source),
        heard=heard,
        said=said,
        labels=printed,
        drawn=source.drawn,
        cautions=_cautions(repository, representation),
    )


def _cautions(repository: Repository, representation: Representation) -> tuple[str, ...]:
    """What must be known of a text by whoever cites it."""
    record = record_of(repository, representation)
    return () if record is None else tuple(notice.text for notice in record.notices)


def _paged_url(source: Source, representation: Representation) -> str:
    """The address of the document with pages that a text was made of; "" where it has none."""
    on_pages = any(each.target.startswith("page=") for each in source.printed)
    if not on_pages or representation.derived_from is None:
        return ""
    address = source.url.partition("?")[0]
    full = str(representation.pdi)
    paged = str(representation.pdi.with_(format=representation.derived_from))
    return address.removesuffix(full) + paged


def _title(title: str, heard: Sequence[Heard]) -> str:
    """What the forms call a document: of words that are said, with where in which recording."""
    for place in heard[:1]:
        if place.start_ms is not None and place.end_ms is not None:
            time = f"{clock(place.start_ms)}-{clock(place.end_ms)}"
            return f"{title} ({time} of {place.title or place.pdi})"
    return title


def _sayings(
    texts: CitedTexts,
    representation: Representation,
    citation: Citation,
    fragment: FragmentPDI | None,
) -> tuple[tuple[Heard, ...], tuple[Said, ...]]:
    """Where cited words of a transcript are said; what is said in a cited time of a recording."""
    if citation.start is not None and citation.end is not None and names.are_words(representation):
        return tuple(texts.sayings.heard(representation, (citation.start, citation.end))), ()
    time = None if fragment is None else part_of(fragment).milliseconds
    return (), () if time is None else tuple(texts.sayings.said(representation, *time))


def _swhid(texts: CitedTexts, representation: Representation, citation: Citation) -> str | None:
    is_text = representation.media_type.startswith("text/")
    if not is_text or citation.start is None or citation.end is None:
        return None
    entity = texts.of(representation)
    if entity is None:
        return None
    return swhid(texts.archive, representation, entity, (citation.start, citation.end))


def _rfc5147_url(
    texts: CitedTexts, representation: Representation, citation: Citation, address: str
) -> str | None:
    """The address with an RFC 5147 fragment and checks.

    None for what is no plain text: the positions of a PDI are never passed off as others.
    """
    if citation.start is None or citation.end is None:
        return None
    entity = texts.of(representation)
    if entity is None:
        return None
    start, end, _ = convert.pdi_to_rfc5147(entity, citation.start, citation.end)
    return f"{address}#{entity.cite(start, end, checks=('length', 'md5'))}"


def swhid(
    repository: Repository, representation: Representation, entity: Text, span: tuple[int, int]
) -> str | None:
    """The name of some characters of a file; None where they are no whole lines, or it is large."""
    if representation.derived_from is not None or representation.size_bytes > MOST_OF_BLOB:
        return None
    places = entity.places("pdi", span)
    if any(place.pdi("http") != wanted for place, wanted in zip(places, span, strict=True)):
        return None  # between CR and LF
    try:
        content = repository.contents.read(representation)
    except RestrictedError:
        return None
    start, end = (place.byte for place in places)
    before, lines = content[:start], content[start:end]
    starts = not before or before.endswith(_LF)
    if not (starts and lines and (lines.endswith(_LF) or end == len(content))):
        return None
    first = before.count(_LF) + 1
    last = first + lines.removesuffix(_LF).count(_LF)
    told = f"{first}" if first == last else f"{first}-{last}"
    return f"swh:1:cnt:{git_blob(content)};lines={told}"


@dataclass(frozen=True)
class CitationForms:
    """Ready forms of one citation, for pasting; each is written when it is first asked for."""

    sentence: str
    markdown: str
    html: str
    bibtex: str
    csl_json: str
    ris: str
    wiki: str
    annotation: str
    warnings: tuple[str, ...]
    """What a form leaves out, and why."""

    def __init__(self, source: Source) -> None:
        """Take what is cited, from which every form is written."""
        object.__setattr__(self, "_source", source)

    def __getattr__(self, name: str) -> object:
        """Write a form, and keep it."""
        if name not in type(self).__dataclass_fields__:
            raise AttributeError(name=name, obj=self)
        value = _written(vars(self)["_source"], name)
        object.__setattr__(self, name, value)
        return value


def _written(source: Source, name: str) -> object:
    """One form, or the warnings."""
    from permacite.service.citations.writing import annotation, bibtex, csl, prose

    if name in {"wiki", "warnings"}:
        private = _private(source)
        if name == "wiki":
            return prose.wiki(source, is_public=private is None)
        return () if private is None else (_left_out(private),)
    writers = {
        "sentence": prose.sentence,
        "markdown": prose.markdown,
        "html": prose.html_form,
        "bibtex": bibtex.bibtex,
        "csl_json": csl.csl_json,
        "ris": bibtex.ris,
        "annotation": annotation.annotation,
    }
    return writers[name](source)


_AN_ACCOUNT = "the page was seen with an account"


def _private(source: Source) -> str | None:
    """Why others cannot open the address of a citation; None where they can."""
    from permacite.capture.address import unreachable

    return _AN_ACCOUNT if source.account else unreachable(source.url)


def _left_out(private: str) -> str:
    if private == _AN_ACCOUNT:
        return f"the wiki form has no archive-url: {private}, and others may see another"
    return (
        f"the wiki form has no archive-url, which nobody else could open: {private}; "
        "an archive is given its public address by `permacite init --resolver`"
    )
