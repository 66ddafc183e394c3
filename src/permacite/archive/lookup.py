"""What an archive holds: versions, formats, texts, lists of them. Nothing here writes."""

from __future__ import annotations

import contextlib
import copy
from datetime import UTC
from functools import partial
from typing import TYPE_CHECKING, Self

from permacite import pdi as grammar
from permacite.archive import jottings, names
from permacite.archive.delegation import Delegations
from permacite.archive.gate import PUBLIC, Audience, Gate, full_names_of, of_all
from permacite.archive.log.agreement import Agreement
from permacite.archive.model import Page, Standing
from permacite.archive.objects import git_blob
from permacite.archive.records import access, citations, statements, versions
from permacite.archive.records.lists import listing, sites
from permacite.archive.records.looks import live, watches
from permacite.archive.records.octets import git_blobs, name_git_blobs, unnamed_git_blobs
from permacite.archive.statements import Statements
from permacite.archive.texts import Texts
from permacite.archive.texts.contents import Contents, KnownPieces
from permacite.errors import IntegrityError, NotFoundError, StorageError
from permacite.pdi import PDI, CitationPDI, FragmentPDI, PDIPattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from permacite.archive.engine import Catalog, WriteBehind
    from permacite.archive.jottings import Jotting, Kind
    from permacite.archive.log import Log
    from permacite.archive.model import (
        Assertion,
        Citation,
        Clock,
        LiveCheck,
        News,
        Representation,
        Restriction,
        Version,
        Watch,
    )
    from permacite.archive.records.rows import Transaction
    from permacite.archive.transport.publishing import Publisher
    from permacite.extract import Decode, Excerpt
    from permacite.text.document import DocumentText

__all__ = ["Reading"]

_FIRST_PAGE = 200
_LARGEST_PAGE = 6400
"""How many versions a list reads at a time: more and more, since each page costs a search."""


class Reading(Contents):
    """The questions to one archive. Any number of threads may ask at once."""

    log: Log
    """The Merkle log over all commits."""
    statements: Statements
    """Assertions about names, and withdrawals."""
    delegations: Delegations
    """Who mints where, and which resolver answers for which names."""
    decoder_of: Callable[[str], Decode] | None = None
    """From a digest to what cuts its picture, sound or video; None: the decoders of `extract`."""

    def __init__(self, catalog: Catalog, objects: WriteBehind, log: Log, clock: Clock) -> None:
        """Take a catalog, objects and a log that are open, and a clock, for embargoes."""
        self.log = log
        self.statements = Statements(catalog)
        self.delegations = Delegations(catalog)
        self._catalog = catalog
        self._objects = objects
        self._texts = Texts(catalog, objects)
        self._pieces = KnownPieces(catalog, objects)
        self._agreement = Agreement(catalog)
        self._clock = clock
        self._gate = Gate(catalog, clock=clock, audience=None)
        self._full_names = full_names_of(catalog)

    def public(self, audience: Audience = PUBLIC) -> Self:
        """Return the same archive as the public sees it, or some of it: see `gate`."""
        seen = copy.copy(self)
        gate = Gate(self._catalog, clock=self._clock, audience=audience)
        seen._gate = gate  # noqa: SLF001 - our own copy
        return seen

    @property
    def publisher(self) -> Publisher:
        """What is handed out to mirrors, to the same audience."""
        from permacite.archive.transport.publishing import Publisher

        return Publisher(self._catalog, self._objects, self.log, self._gate)

    def moments(self) -> AbstractContextManager[Callable[[], int | None]]:
        """What gives, to one thread, a number that changes with each write of any process."""
        return self._catalog.moments()

    def version(self, pdi: PDI) -> Version:
        """Return the version that `pdi` names; the highest where it names none.

        Raises NotFoundError, whose candidates are what there is instead.
        """
        with self._held_to_log(pdi):
            return self._gate.version(
                self._agreement.check(self._catalog.read(versions.version, pdi))
            )

    def versions(self, pdi: PDI) -> list[Version]:
        """Return all versions of a document, the first one first. Raises NotFoundError."""
        known = [
            self._agreement.check(version) for version in self._catalog.read(versions.all_of, pdi)
        ]
        return [*self._gate.versions(known)] or [self.version(pdi)]

    def representation(self, pdi: PDI) -> Representation:
        """The format that answers to `pdi`: exact, or the nearest one of the highest version.

        `text` finds the plain text under the name of its charset; no format finds the page, then
        plain text, then the first, of what is given out. Raises NotFoundError, whose candidates are
        what there is instead.
        """
        if self._full_names is not None and (kept := self._full_names.find(pdi)) is not None:
            return kept
        with self._held_to_log(pdi):
            chosen = self._given_out(pdi, self._catalog.read(versions.representation, pdi))
            chosen = self._agreement.check_format(chosen)
            if self._full_names is not None:
                self._full_names.keep(pdi, chosen)
            return self._gate.representation(chosen)

    def answering(self, pdi: PDI) -> tuple[Version, Representation]:
        """The format that `representation` gives, and the version that it is of."""
        with self._held_to_log(pdi):
            version, chosen = self._catalog.read(versions.answering, pdi)
        seen = self._gate.version(self._agreement.check(version))
        return seen, seen.representation(self._given_out(pdi, chosen).format)

    @contextlib.contextmanager
    def _held_to_log(self, pdi: PDI) -> Iterator[None]:
        """Say that something is not here only where the log does not tell of it either."""
        try:
            yield
        except NotFoundError:
            self._agreement.check_document(pdi, pdi.version)
            raise

    def main(
        self, version: Version, restricted: Mapping[PDI, Restriction] | None = None
    ) -> Representation:
        """Return the format that stands for a version where none is named.

        `restricted`, of its formats, spares asking.
        """
        withheld = self.restrictions(version.representations) if restricted is None else restricted
        return names.given_out(version, None, withheld) or version.representations[0]

    def _given_out(self, pdi: PDI, chosen: Representation) -> Representation:
        """The format that answers to `pdi` if `chosen` would: another where that is restricted."""
        if pdi.format is not None and pdi.format.lower() == chosen.format:
            return chosen
        if not self._gate.restrictions([chosen]):
            return chosen
        version = self._catalog.read(versions.find, pdi, chosen.pdi.version)
        if version is None:
            return chosen
        restricted = self._gate.restrictions(version.representations)
        return names.given_out(version, pdi.format, restricted) or chosen

    def find_versions(self, pdis: Sequence[PDI], *, agreed: bool = False) -> list[Version | None]:
        """The version that each of many names has, in their order; None if unknown.

        They are asked for together, in a fraction of the time; `agreed`: held against the log too.
        """
        known = self._catalog.read(versions.named, pdis)
        known = [each and self._agreement.check(each) for each in known] if agreed else known
        seen = iter(self._gate.versions([version for version in known if version is not None]))
        return [None if version is None else next(seen) for version in known]

    def find_representations(self, pdis: Sequence[PDI]) -> Sequence[Representation | None]:
        """The format that answers to each of many names, likewise."""
        known = self._catalog.read(versions.representations_named, pdis)
        restricted = self._gate.restrictions([each for each in known if each is not None])
        return [
            self._gate.representation(self._given_out(pdi, chosen))
            if chosen is not None and chosen.pdi in restricted
            else chosen
            for pdi, chosen in zip(pdis, known, strict=True)
        ]

    def list(
        self,
        pattern: PDIPattern | PDI | None = None,
        *,
        limit: int | None = None,
        after: str | None = None,
        latest: bool = False,
        newest_first: bool = False,
    ) -> Iterator[Version]:
        """Return the versions that `pattern` covers, in the order in which they were committed.

        They are those of one moment, that of the first: what is committed meanwhile is left out.
        Arguments as in `page`. Raises NotFoundError where `after` is unknown.
        """
        selection = names.selection(pattern, latest=latest)
        until = self._catalog.read(listing.highest_place)
        place = None if after is None else self._place(after)
        ask = partial(listing.stretch, selection=selection, until=until, newest_first=newest_first)
        left = limit
        size = _FIRST_PAGE
        while left is None or left > 0:
            most = size if left is None else min(size, left)
            stretch = self._catalog.read(ask, after=place, limit=most)
            yield from self._gate.versions([version for _, version in stretch.versions])
            if stretch.next is None:
                return
            place = stretch.next[0]
            left = None if left is None else left - len(stretch.versions)
            size = min(2 * size, _LARGEST_PAGE)

    def page(
        self,
        pattern: PDIPattern | PDI | None = None,
        *,
        limit: int,
        after: str | None = None,
        until: str | None = None,
        latest: bool = False,
        newest_first: bool = False,
    ) -> Page[Version]:
        """Return up to `limit` of the versions that `pattern` covers, and where to go on.

        `after` is the name of a version, such as `next` of the page before; `until` that of the
        newest version that counts, the `until` of the first page: with it, pages part what stood
        at one moment, nothing twice and nothing left out. `latest` leaves out all versions but the
        highest; `newest_first` turns the order round. Raises NotFoundError where `after` or
        `until` is unknown.
        """
        newest = self._catalog.read(listing.highest_place) if until is None else self._place(until)
        stretch = self._catalog.read(
            listing.stretch,
            names.selection(pattern, latest=latest),
            after=None if after is None else self._place(after),
            until=newest,
            limit=limit,
            newest_first=newest_first,
        )
        items, restrictions = self._gate.shown_with([version for _, version in stretch.versions])
        following = None if stretch.next is None else names.full_name(stretch.next[1])
        if following is not None and until is None:
            until = names.full_name(self._catalog.read(listing.at, newest)[1])
        return Page(tuple(items), following, until, restrictions)

    def documents(self) -> int:
        """Return the number of documents, be they given out or not; it costs nothing to ask."""
        return self._catalog.read(listing.documents)

    def count(self) -> int:
        """Return the number of versions, likewise."""
        return self._catalog.read(listing.highest_place)

    def starts(self, step: int) -> Sequence[str]:
        """Names behind which `page` goes on, so that `step` versions are before each."""
        places = range(step, self._catalog.read(listing.highest_place), step)
        return [names.full_name(self._catalog.read(listing.at, place)[1]) for place in places]

    def is_serial(self, pdi: PDI) -> bool:
        """Say whether a document's unique id is a serial number, and not one that was given."""
        return self._catalog.read(versions.is_serial, pdi)

    def find_by_uri(self, uri: str) -> Sequence[Version]:
        """Return the versions that came from `uri`, requested or final, newest first."""
        return self._gate.shown(self._catalog.read(versions.from_uri, uri))

    def given_out_from(self, uri: str) -> Sequence[tuple[Version, Representation]]:
        """The same of which anything is given out, each with the format that stands for it."""
        found, restricted = self._gate.shown_with(self._catalog.read(versions.from_uri, uri))
        shown = [version for version in found if of_all(version, restricted) is None]
        return [(version, self.main(version, restricted)) for version in shown]

    def by_site(
        self, site: str | None = None, *, after: str = "", limit: int
    ) -> Sequence[tuple[str, Version, Representation | None]]:
        """Sites that follow `after`, or the addresses of a site; each with its last version.

        The format stands for that version; None where it is not given out: an earlier one may be.
        """
        ask = sites.sites if site is None else partial(sites.addresses, site=site)
        found = self._catalog.read(ask, after=after, limit=limit)
        items, restricted = self._gate.shown_with([version for _, version in found])
        return [
            (name, item, None if of_all(item, restricted) else self.main(item, restricted))
            for (name, _), item in zip(found, items, strict=True)
        ]

    def find_by_digest(self, digest: str) -> Sequence[Version]:
        """Return the versions that were received with these octets, newest first."""
        return self._gate.shown(self._catalog.read(versions.from_digest, digest))

    def find_by_git_blob(self, name: str) -> Sequence[Representation]:
        """Return the texts whose octets Git calls so (40 hexadecimal digits), newest first.

        Those of which that was never asked are read first, once.
        """
        digests = self._catalog.read(git_blobs, name) or self._named_late(name)
        return [
            item
            for digest in digests
            for version in self.find_by_digest(digest)
            for item in version.representations
            if item.digest == digest
        ]

    def _named_late(self, name: str) -> Sequence[str]:
        """The digests of texts of this name among those that came in before such names were kept.

        What is damaged or missing stays without one.
        """
        blobs = []
        for digest in self._catalog.read(unnamed_git_blobs):
            with contextlib.suppress(NotFoundError, IntegrityError, StorageError):
                blobs.append((digest, git_blob(self._objects.get(digest))))
        if blobs:
            with contextlib.suppress(StorageError):  # where the archive may only be read
                self._catalog.write(_note_blobs, blobs)
        return [digest for digest, known in blobs if known == name]

    def find_by_key(self, key: str) -> Version | None:
        """Return the version that was committed under an idempotency key."""
        shown = self._gate.shown(self._catalog.read(versions.under_key, key))
        return shown[0] if shown else None

    def citations(self, pdi: PDI | None = None) -> Sequence[Citation]:
        """Return the citations of what `pdi` names (all where None), oldest first."""
        return self._gate.citations(self._catalog.read(citations.citations, pdi))

    def jottings(
        self, name: PDI | None = None, kind: Kind | None = None, text: str | None = None
    ) -> Sequence[Jotting]:
        """Tags, collections and notes, the oldest first; for the public there are none."""
        if self._gate.public:
            return ()
        return self._catalog.read(jottings.jottings, name, kind, text)

    def last_check(self, version: Version, fragment: str = "") -> LiveCheck | None:
        """What the last look at a version's live page found, and of a citation; None: no look."""
        return self._catalog.read(live.last_check, version.pdi, fragment)

    def last_news(self, version: Version) -> dict[str, tuple[str, str]]:
        """What was told last of each citation of a version: its fate, and what stood there."""
        return self._catalog.read(live.last_news, version.pdi)

    def news(self, most: int) -> Sequence[News]:
        """What became of citations, as looks at live pages found it; the newest `most`."""
        news = self._catalog.read(live.news, most)
        shown = {each.fragment for each in self._gate.citations([one.citation for one in news])}
        return [each for each in news if each.citation.fragment in shown]

    def watches(self) -> Sequence[Watch]:
        """The pages that are looked at again and again. Not for the public."""
        return [] if self._gate.public else self._catalog.read(watches.all_of_them)

    def assertions(
        self, ranges: Sequence[tuple[str, str]], predicate: str | None, *, after: int, limit: int
    ) -> Page[Assertion]:
        """Return a page of the statements about subjects in half-open ranges, oldest first."""
        said, last = self._catalog.read(
            statements.assertions_within, ranges, predicate, after=after, limit=limit
        )
        following = None if last is None else str(last)
        return Page(tuple(self._gate.assertions(said)), following)

    def statements_about(
        self, subjects: Sequence[str], predicates: Sequence[str]
    ) -> Sequence[Assertion]:
        """Return the statements about any of `subjects` with any of `predicates`, oldest first."""
        return self._gate.assertions(
            self._catalog.read(statements.assertions, subjects, predicates)
        )

    def statements_to(
        self, objects: Sequence[str], predicates: Sequence[str]
    ) -> Sequence[Assertion]:
        """Return those that have any of `objects` likewise; all statements are searched."""
        return self._gate.assertions(
            self._catalog.read(statements.assertions, None, predicates, objects)
        )

    def remarks(self, representations: Iterable[Representation]) -> Sequence[str]:
        """Notes of the operator on withdrawals; none for the public."""
        return [] if self._gate.public else self.statements.remarks(representations)

    def restrictions(self, representations: Iterable[Representation]) -> dict[PDI, Restriction]:
        """The restrictions of those of `representations` whose octets are not given out."""
        return self._gate.restrictions(representations)

    def quotations(self, pdi: PDI) -> Sequence[CitationPDI]:
        """Each quotation in the document, version or format `pdi`, as A@origin=B (PDI §3.5)."""
        quotations = [_citation(*row) for row in self._catalog.read(citations.quotations, pdi)]
        return self._gate.quotations(quotations)

    def quoters(self, pdi: PDI) -> Sequence[CitationPDI]:
        """Who quotes the document, version or format `pdi`, as A@origin=B, oldest first."""
        quotations = [_citation(*row) for row in self._catalog.read(citations.quoters, pdi)]
        return self._gate.quotations(
            [quotation for quotation in quotations if _is_of(quotation.cited, pdi)]
        )

    def text(self, representation: Representation, *, whole: bool = True) -> DocumentText:
        """Return the text of a format that has one; a large one by its index.

        Every piece of that which is read is checked against the digest recorded for it. With
        `whole`, and without an index, the digest of all octets is recomputed first. Raises
        IntegrityError where octets are altered, NotFoundError where they are missing,
        WithdrawnError, StorageError.
        """
        self._gate.check(representation)
        return self._texts.text(representation, whole=whole)

    def excerpt(
        self,
        representation: Representation,
        specifier: str,
        *,
        whole: bool = True,
        preview: bool = False,
    ) -> Excerpt:
        """Return the part of a format that the specifier of a fragment names, of whatever kind.

        `whole` as in `text`, `preview` as in `extract`. Raises as `extract` and `text` do.
        """
        from permacite import extract

        media_type = representation.media_type
        if extract.is_of_text(specifier, media_type) and not preview:
            return extract.extract_from(
                self.text(representation, whole=whole), media_type, specifier
            )
        if specifier.startswith("byte=") and not preview:
            if whole:
                with self._objects.open(representation.digest) as source:
                    source.check()
            return extract.octets_from(self.pieces(representation), media_type, specifier)
        if self.decoder_of is None or not extract.is_decoded(specifier, media_type):
            content = self.read(representation)
            return extract.extract(content, media_type, specifier, preview=preview)
        with self.source(representation) as source:
            source.check()
            decode = self.decoder_of(representation.digest)
            return decode(source, media_type, specifier, preview=preview)

    def standing(self, pdi: PDI) -> Standing:
        """Who may see a document, why it is kept and how long. Raises NotFoundError."""
        document = self._catalog.read(versions.version, pdi).pdi.document
        return self._catalog.read(access.standings, [document]).get(document, Standing())

    def default_standing(self) -> Standing:
        """Return the standing that new documents get where none is given."""
        return self._catalog.read(access.default_standing)

    def overdue(self) -> dict[PDI, Standing]:
        """Return the documents that were to be kept until a day that has passed, oldest first."""
        return self._catalog.read(access.overdue, self._clock().astimezone(UTC).date())

    def access_changes(self, since: str | None) -> tuple[tuple[PDI, ...], str]:
        """The next documents whose access changed since a mark, and the mark behind them.

        A mark that stays the same says that there are none. Of None comes the mark of now alone.
        """
        today = self._clock().astimezone(UTC).date()
        return self._catalog.read(access.changes, since, today)

    def _place(self, text: str) -> int:
        """Return the place of the version that `text` names, in the order of commit."""
        name = grammar.parse(text)
        if isinstance(name, PDI):
            place = self._catalog.read(versions.place, name, name.version)
            if place is not None:
                return place
        raise NotFoundError(f"not the name of a version here: {text}", text)


def _note_blobs(transaction: Transaction, blobs: Sequence[tuple[str, str]]) -> None:
    name_git_blobs(transaction.connection, blobs)


def _citation(composite: PDI, origin: str, cited: str) -> CitationPDI:
    """Return the citation object A@origin=B."""
    citation = grammar.parse(f"{composite}@{origin}={cited.removeprefix('urn:')}")
    assert isinstance(citation, CitationPDI)  # noqa: S101 - it was checked when it was committed
    return citation


def _is_of(cited: PDI | FragmentPDI | CitationPDI, pdi: PDI) -> bool:
    """Say whether what is cited is of the version and format that `pdi` names, if it does."""
    name = cited if isinstance(cited, PDI) else cited.pdi
    return pdi.format in {None, name.format} and pdi.version in {None, name.version}
