"""Documents of an archive: lists and sets by pattern, one document whole, one format as a file.

Readings: a set is what this archive knows, so its answer never claims to be complete (pdi-48), even
where this archive mints the series: others may have been given a part of it.
"""

from __future__ import annotations

import re
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Self

from permacite import captions, pdi
from permacite.errors import NotFoundError, ParseError
from permacite.lazy_dataclass import dataclass
from permacite.service import addresses, documents, names
from permacite.service.names import resolver_of
from permacite.service.plain import UNPRINTED

if TYPE_CHECKING:
    from datetime import datetime

    from permacite.archive.model.answered import Representation, Standing
    from permacite.archive.repository import Repository
    from permacite.service.assertions.delegating import SeriesNames
    from permacite.service.citations.recorded import Cited
    from permacite.service.derivations import Derivations
    from permacite.service.documents import Document, VersionNote
    from permacite.service.reader.reading import Reader
    from permacite.service.resolution.captures import Captures
    from permacite.service.resolution.looking import LookUps
    from permacite.service.resolution.resolvers import Leading
    from permacite.service.resolution.resolving import Resolver
    from permacite.service.search.finding import Search
    from permacite.service.search.indexing import WordIndex
    from permacite.service.transcripts import Related

__all__ = ["About", "Documents", "Exported", "Listing", "NameSet", "Shown", "pattern_of"]

_FIELDS = 4
"""Series, year, month, day: what a pattern may leave off from the right."""

_AT_ONCE = 1000
"""How many documents are on a page where all are wanted."""

_AGGREGATE = "multipart/related"


@dataclass(frozen=True, slots=True)
class About:
    """An archive: where it is, who mints its names, where it is served."""

    directory: str
    series: str
    all_series: tuple[str, ...]
    resolver: str
    documents: int


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of the documents that a pattern covers, in the order of their commit."""

    pattern: str | None
    documents: tuple[Document, ...]
    total: int | None
    """How many there are on all pages, where that is known without counting them."""
    complete: bool
    """Whether these are all: the first page, and the last one."""
    next: str | None
    """Names where the next page goes on (`after`); None on the last page.

    A page may hold few documents, or none, before that: what is rare is looked for in parts.
    """
    until: str | None
    """Names what was the newest version at the first page, so that the pages are of one moment."""


@dataclass(frozen=True, slots=True)
class NameSet:
    """What a name with wildcards stands for here (PDI §3.6.3)."""

    pattern: str
    complete: bool
    """False, always: the set is what this archive knows, and others may know more."""
    known: int | None
    """How many documents this archive knows, where it knows that without counting them."""
    names: tuple[str, ...]
    """Full names, of the format in the pattern where it has one."""
    documents: tuple[Document, ...]
    next: str | None
    """Names where the next page goes on (`after`); None on the last page, as in a Listing."""
    until: str | None
    """Names what was the newest version at the first page."""

    @classmethod
    def of(cls, pattern: str, listing: Listing) -> Self:
        """The names of the formats that a listing has, as far as `pattern` covers them."""
        wanted = pattern_of(pattern).format
        formats = [item for document in listing.documents for item in document.formats]
        if wanted not in {None, "*"}:
            formats = [item for item in formats if item.format == wanted]
        return cls(
            pattern=pattern,
            complete=False,
            known=listing.total,
            names=tuple(item.pdi for item in formats),
            documents=listing.documents,
            next=listing.next,
            until=listing.until,
        )


@dataclass(frozen=True, slots=True)
class Shown:
    """All that is known about one document."""

    document: Document
    versions: tuple[int, ...]
    history: tuple[VersionNote, ...]
    """The same versions, and whether they are given out."""
    citations: tuple[Cited, ...]
    provenance: dict[str, object]
    standing: Standing
    remarks: tuple[str, ...]
    """What the operator noted of withdrawals; nobody else sees them."""
    transcripts: tuple[Related, ...]
    """Of a recording: what its words are in."""
    transcript_of: tuple[Related, ...]
    """Of captions: the recordings in which they are said."""


@dataclass(frozen=True, slots=True)
class Exported:
    """Bytes of one format, ready for a file.

    `derived`: made from what `pdi` names, whose own octets are others.
    """

    pdi: str
    media_type: str
    suggested_name: str
    derived: bool
    content: bytes = field(repr=False, metadata=UNPRINTED)


class Documents:
    """Documents of an archive: list, show and export them."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def starts(self, step: int) -> tuple[str, ...]:
        """What `list` takes as `after` to begin behind each `step` versions."""
        return tuple(self._repository.lists.starts(step))

    def about(self) -> About:
        """Which archive this is."""
        return About(
            directory=self._repository.where,
            series=self._repository.settings.series,
            all_series=tuple(self._repository.settings.series_names()),
            resolver=resolver_of(self._repository),
            documents=self._repository.lists.documents(),
        )

    def matching(
        self, pattern: str, *, limit: int = 100, after: str | None = None, until: str | None = None
    ) -> NameSet:
        """What a name with wildcards stands for, as far as this archive knows, by pages."""
        return NameSet.of(pattern, self.list(pattern, limit=limit, after=after, until=until))

    def names_from(self, address: str) -> list[str]:
        """Full names of what was archived from an address, newest first. Raises NotFoundError."""
        versions = addresses.versions(self._repository, address)
        if not versions:
            raise NotFoundError("nothing was archived from there", address)
        return [str(item.pdi) for version in versions for item in version.representations]

    def opened(self, name: str) -> str:
        """What readers are led to under the name of a version, of a thin page as it was drawn."""
        version = self._repository.lookup.version(names.document_of(name)[0])
        return str(documents.opened(self._repository, version).pdi)

    def show(self, reference: str, *, when: datetime | None = None) -> Shown:
        """All that is known about a version; an address means that nearest to `when`, or the last.

        Raises NotFoundError.
        """
        return _shown(self._repository, reference, when=when)

    def export(self, reference: str, *, for_browsers: bool = False) -> Exported:
        """The stored octets of a format; where none is named, of the aggregate if there is one.

        With `for_browsers` the aggregate is written anew in the profile that browsers open: the
        result is derived, and every part keeps its bytes. Raises ParseError where there is none.
        """
        return _exported(self._repository, reference, for_browsers=for_browsers)

    def list(
        self,
        pattern: str | None = None,
        *,
        limit: int | None = None,
        after: str | None = None,
        until: str | None = None,
        newest_first: bool = False,
        fill: bool = False,
    ) -> Listing:
        """The documents that `pattern` covers, in the order of their commit or against it.

        All of them, or a page of up to `limit`, whose `next` and `until` are the `after` and the
        `until` of the page that follows; `complete` speaks of this archive alone (PDI §3.6.3). What
        is rare fills no page, unless `fill` says to look for `limit` documents, however long it
        takes. Of each document the highest version is listed, unless the pattern speaks of
        versions. Raises ParseError where `after` or `until` names nothing.
        """
        return _listed(
            self._repository,
            pattern,
            limit=limit,
            after=after,
            until=until,
            newest_first=newest_first,
            fill=fill,
        )

    @cached_property
    def resolver(self) -> Resolver:
        """Names and web addresses resolved."""
        from permacite.service.resolution.resolving import Resolver

        return Resolver(self._repository)

    @cached_property
    def captures(self) -> Captures:
        """Captures of an address by time, by site and by day."""
        from permacite.service.resolution.captures import Captures

        return Captures(self._repository)

    @cached_property
    def derivations(self) -> Derivations:
        """Texts derived from the bytes, made again by newer rules."""
        from permacite.service.derivations import Derivations

        return Derivations(self._repository)

    @cached_property
    def series(self) -> SeriesNames:
        """Series that mint here, and delegations of others."""
        from permacite.service.assertions.delegating import SeriesNames

        return SeriesNames(self._repository)

    @cached_property
    def word_index(self) -> WordIndex:
        """The index of words."""
        from permacite.service.search.indexing import WordIndex

        return WordIndex(self._repository)

    @cached_property
    def full_text(self) -> Search:
        """Documents found by their words."""
        from permacite.service.search.finding import Search

        return Search(self._repository)

    @cached_property
    def reader(self) -> Reader:
        """Pages of the web reader."""
        from permacite.service.reader.reading import Reader

        return Reader(self._repository)

    @cached_property
    def directions(self) -> Leading:
        """Where names are that are not here."""
        from permacite.service.resolution.resolvers import Leading

        return Leading(self._repository)

    @cached_property
    def look_ups(self) -> LookUps:
        """Names looked up by the thousand."""
        from permacite.service.resolution.looking import LookUps

        return LookUps(self._repository)


def pattern_of(text: str) -> pdi.PDI | pdi.PDIPattern:
    """A pattern, or the start of one: `lab.example.us/2026/11` means every day of it."""
    typed = text.strip().rstrip("/")
    bare = re.sub(r"(?i)^(?:urn:)?(?:pdi:)?/*", "", typed)
    fields = bare.split("/")
    if len(fields) <= _FIELDS and all(fields):
        fields += ["*"] * (_FIELDS + 1 - len(fields))
        typed = "urn:pdi://" + "/".join(fields)
    elif not typed.lower().startswith(("urn:", "pdi:")):
        typed = f"urn:pdi://{bare}"
    try:
        value = pdi.parse(typed, strict=False)
    except ParseError as error:
        raise _placed(error, text, typed, bare) from error
    if isinstance(value, pdi.FragmentPDI):
        return value.pdi
    return value.pdi if isinstance(value, pdi.CitationPDI) else value


def _placed(error: ParseError, text: str, typed: str, bare: str) -> ParseError:
    """An error about the completed pattern, placed in the text that the user typed."""
    start = max(0, text.find(bare))
    offset = error.offset - (len(typed) - len(typed.partition("//")[2]))
    place = min(len(text), start + max(0, offset))
    return ParseError(error.problem, text, place, error.spec, hint=error.hint)


def _file_name(representation: Representation, mark: str) -> str:
    """A name such as lab.example.us-2026-11-21-7.v1.mhtml, with a mark before the suffix."""
    name = representation.pdi
    stem = re.sub(r"[^0-9A-Za-z.-]+", "-", str(name.document).partition("//")[2])
    from permacite.file_types import ending_of

    suffix = ending_of(representation.media_type)
    marked = f".{mark}" if mark else ""
    return f"{stem}.v{name.version}{marked}{suffix or f'.{representation.format}'}"


def _exported(repository: Repository, reference: str, *, for_browsers: bool) -> Exported:
    name, _ = names.document_of(reference)
    version = repository.lookup.version(name)
    formats = version.representations
    aggregates = [r for r in formats if r.media_type == _AGGREGATE and r.derived_from is None]
    if name.format is None and aggregates:
        representation = aggregates[0]
    else:
        representation = repository.lookup.representation(name)
    if for_browsers and representation.media_type != _AGGREGATE:
        raise ParseError(
            f"only an aggregate is written for browsers, and this is {representation.format}",
            reference,
            0,
            "RFC 2557 §7",
        )
    content = repository.contents.read(representation)
    if for_browsers:
        from permacite import mhtml

        content = mhtml.for_browsers(content)
    return Exported(
        pdi=str(representation.pdi),
        media_type=representation.media_type,
        suggested_name=_file_name(representation, "for-browsers" if for_browsers else ""),
        derived=for_browsers,
        content=content,
    )


def _listed(
    repository: Repository,
    pattern: str | None,
    *,
    limit: int | None,
    after: str | None,
    until: str | None,
    newest_first: bool,
    fill: bool,
) -> Listing:
    wanted = pattern_of(pattern) if pattern else None
    listed: list[Document] = []
    place = after
    while True:
        try:
            page = repository.lists.page(
                wanted,
                limit=_AT_ONCE if limit is None else limit - len(listed),
                after=place,
                until=until,
                latest=wanted is None or wanted.version is None,
                newest_first=newest_first,
            )
        except NotFoundError as error:
            problem = "expected the name of a version that is here, to go on from there"
            raise ParseError(problem, error.name, 0, hint="a page tells it: `next`") from error
        found = documents.documents(page)
        if any(item.media_type in captions.MEDIA_TYPES for each in found for item in each.formats):
            from permacite.service import transcripts

            found = tuple(transcripts.with_recordings(repository, found))
        listed += found
        enough = limit is not None and not (fill and len(listed) < limit)
        if enough or page.next is None:
            break
        place, until = page.next, page.until
    complete = after is None and page.next is None
    known = len(listed) if complete else None
    return Listing(
        pattern,
        tuple(listed),
        repository.lists.documents() if wanted is None else known,
        complete=complete,
        next=page.next,
        until=page.until if page.next else None,
    )


def _shown(repository: Repository, reference: str, *, when: datetime | None) -> Shown:
    from permacite.service.citations import recorded
    from permacite.service.transcripts import related

    name, _ = names.document_of(addresses.reference_of(repository, reference, when))
    version, _ = repository.lookup.answering(name)
    history = documents.history(repository, version.pdi)
    transcripts, recordings = related(repository, version)
    return Shown(
        document=documents.document(
            version, repository.lookup.restrictions(version.representations)
        ),
        versions=tuple(item.number for item in history),
        history=history,
        citations=recorded.all_cited(repository, repository.passages.citations(version.pdi)),
        provenance=dict(version.provenance.details),
        standing=repository.access.standing(version.pdi),
        remarks=tuple(repository.statement_search.remarks(version.representations)),
        transcripts=transcripts,
        transcript_of=recordings,
    )
