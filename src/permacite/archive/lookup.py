"""Versions and formats: found by name, address or digest, listed, and read.

| method | compared |
|---|---|
| `read`, `octets`, `sidecar` | the digest of all bytes, with the recorded one |
| `pieces` | the digest of each piece that is read, with the recorded one |
"""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING

from permacite import pdi as grammar
from permacite.archive import names
from permacite.archive.gate import of_all
from permacite.archive.model.answered import Page
from permacite.archive.objects.source import git_blob
from permacite.archive.records import listing, octets, statements, versions
from permacite.errors import IntegrityError, NotFoundError, StorageError
from permacite.pdi import PDI, PDIPattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from permacite.archive.engine.pieces import CheckedPieces
    from permacite.archive.gate import Gate
    from permacite.archive.model.answered import Assertion, Representation, Restriction, Version
    from permacite.archive.objects.source import ContentReader
    from permacite.archive.parts import ArchiveParts
    from permacite.archive.records.rows import Transaction
    from permacite.archive.statements import Statements
    from permacite.extract import Excerpt
    from permacite.text.entity import DocumentText

__all__ = ["DocumentContents", "StatementSearch", "VersionLists", "VersionLookup", "VersionOrigins"]

_FIRST_PAGE = 200
_LARGEST_PAGE = 6400
"""How many versions a list reads at a time: more and more, since each page costs a search."""


class VersionLookup:
    """Finds the versions and formats of one archive, as an audience sees them."""

    def __init__(self, parts: ArchiveParts, gate: Gate) -> None:
        self._agreement = parts.agreement
        self._catalog = parts.catalog
        self._full_names = parts.full_names
        self._objects = parts.objects
        self._gate = gate

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
        return _given_out(version, None, withheld) or version.representations[0]

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
        return _given_out(version, pdi.format, restricted) or chosen

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

    def is_serial(self, pdi: PDI) -> bool:
        """Say whether a document's unique id is a serial number, and not one that was given."""
        return self._catalog.read(versions.is_serial, pdi)

    def restrictions(self, representations: Iterable[Representation]) -> dict[PDI, Restriction]:
        """The restrictions of those of `representations` whose octets are not given out."""
        return self._gate.restrictions(representations)


def _given_out(
    version: Version, token: str | None, withheld: Mapping[PDI, Restriction]
) -> Representation | None:
    """The format that answers to a token, of those given out, of all if none is; None if none."""
    formats = version.representations
    given = [
        representation for representation in formats if representation.pdi not in withheld
    ] or formats
    place = versions.nearest(
        token, [(representation.format, representation.media_type) for representation in given]
    )
    return None if place is None else given[place]


class VersionOrigins:
    """Finds versions by what they came from: an address, a digest, an idempotency key."""

    def __init__(self, parts: ArchiveParts, gate: Gate, lookup: VersionLookup) -> None:
        self._catalog = parts.catalog
        self._objects = parts.objects
        self._gate = gate
        self._lookup = lookup

    def find_by_uri(self, uri: str) -> Sequence[Version]:
        """Return the versions that came from `uri`, requested or final, newest first."""
        return self._gate.shown(self._catalog.read(versions.from_uri, uri))

    def given_out_from(self, uri: str) -> Sequence[tuple[Version, Representation]]:
        """The same of which anything is given out, each with the format that stands for it."""
        found, restricted = self._gate.shown_with(self._catalog.read(versions.from_uri, uri))
        shown = [version for version in found if of_all(version, restricted) is None]
        return [(version, self._lookup.main(version, restricted)) for version in shown]

    def by_site(
        self, site: str | None = None, *, after: str = "", limit: int
    ) -> Sequence[tuple[str, Version, Representation | None]]:
        """Sites that follow `after`, or the addresses of a site; each with its last version.

        The format stands for that version; None where it is not given out: an earlier one may be.
        """
        ask = listing.sites if site is None else partial(listing.addresses, site=site)
        found = self._catalog.read(ask, after=after, limit=limit)
        items, restricted = self._gate.shown_with([version for _, version in found])
        return [
            (name, item, None if of_all(item, restricted) else self._lookup.main(item, restricted))
            for (name, _), item in zip(found, items, strict=True)
        ]

    def find_by_digest(self, digest: str) -> Sequence[Version]:
        """Return the versions that were received with these octets, newest first."""
        return self._gate.shown(self._catalog.read(versions.from_digest, digest))

    def find_by_git_blob(self, name: str) -> Sequence[Representation]:
        """Return the texts whose octets Git calls so (40 hexadecimal digits), newest first.

        Those of which that was never asked are read first, once.
        """
        digests = self._catalog.read(octets.git_blobs, name) or self._named_late(name)
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
        for digest in self._catalog.read(octets.unnamed_git_blobs):
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


class VersionLists:
    """Lists the versions of one archive, as an audience sees them."""

    def __init__(self, parts: ArchiveParts, gate: Gate) -> None:
        self._catalog = parts.catalog
        self._gate = gate

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

    def _place(self, text: str) -> int:
        """Return the place of the version that `text` names, in the order of commit."""
        name = grammar.parse(text)
        if isinstance(name, PDI):
            place = self._catalog.read(versions.place, name, name.version)
            if place is not None:
                return place
        raise NotFoundError(f"not the name of a version here: {text}", text)

    def formats(self) -> int:
        """Return the number of formats of all versions."""
        return self._catalog.read(listing.formats)


def _note_blobs(transaction: Transaction, blobs: Sequence[tuple[str, str]]) -> None:
    octets.name_git_blobs(transaction.connection, blobs)


class StatementSearch:
    """Finds the statements of one archive."""

    def __init__(self, parts: ArchiveParts, gate: Gate, recorded: Statements) -> None:
        self._catalog = parts.catalog
        self._gate = gate
        self._statements = recorded

    def page(
        self, ranges: Sequence[tuple[str, str]], predicate: str | None, *, after: int, limit: int
    ) -> Page[Assertion]:
        """Return a page of the statements about subjects in half-open ranges, oldest first."""
        said, last = self._catalog.read(
            statements.assertions_within, ranges, predicate, after=after, limit=limit
        )
        following = None if last is None else str(last)
        return Page(tuple(self._gate.assertions(said)), following)

    def about(self, subjects: Sequence[str], predicates: Sequence[str]) -> Sequence[Assertion]:
        """Return the statements about any of `subjects` with any of `predicates`, oldest first."""
        return self._gate.assertions(
            self._catalog.read(statements.assertions, subjects, predicates)
        )

    def about_objects(
        self, objects: Sequence[str], predicates: Sequence[str]
    ) -> Sequence[Assertion]:
        """Return those that have any of `objects` likewise; all statements are searched."""
        return self._gate.assertions(
            self._catalog.read(statements.assertions, None, predicates, objects)
        )

    def remarks(self, representations: Iterable[Representation]) -> Sequence[str]:
        """Notes of the operator on withdrawals; none for the public."""
        return [] if self._gate.public else self._statements.remarks(representations)


class DocumentContents:
    """Reads the contents of one archive, as far as an audience may."""

    def __init__(self, parts: ArchiveParts, gate: Gate) -> None:
        self._parts = parts
        self._catalog = parts.catalog
        self._objects = parts.objects
        self._pieces = parts.pieces
        self._texts = parts.texts
        self._gate = gate

    def read(self, representation: Representation) -> bytes:
        """Return the octets, checked against their digest.

        Raises IntegrityError where they are altered, NotFoundError where they are missing,
        WithdrawnError.
        """
        self._gate.check(representation)
        return self._objects.get(representation.digest)

    def pieces(self, representation: Representation) -> CheckedPieces:
        """The octets, to be read by ranges; each piece that is read is checked. Raises as `read`.

        Nothing is read here, unless the digests of the pieces are to be made.
        """
        self._gate.check(representation)
        from permacite.archive.engine.pieces import CheckedPieces

        opened = partial(self._objects.open, representation.digest)
        return CheckedPieces(opened, self._pieces.of(representation))

    def source(self, representation: Representation) -> ContentReader:
        """The octets, to be read by ranges as they are stored; close it. Raises RestrictedError."""
        self._gate.check(representation)
        return self._objects.open(representation.digest)

    def check_access(self, representation: Representation) -> None:
        """Raise RestrictedError where the octets are not given out."""
        self._gate.check(representation)

    def octets(self, digest: str) -> bytes:
        """Return kept octets, checked likewise, be they withdrawn or not: for copies of it all."""
        return self._objects.get(digest)

    def sidecar(self, representation: Representation, name: str) -> bytes | None:
        """A sidecar, checked likewise; None where there is none of this name."""
        digest = self.sidecar_digest(representation, name)
        return None if digest is None else self._objects.get(digest)

    def sidecar_digest(self, representation: Representation, name: str) -> str | None:
        """The digest of a sidecar, None where there is none. Raises RestrictedError."""
        self._gate.check(representation)
        return self._catalog.read(versions.sidecars, representation).get(name)

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
        if self._parts.decoder_of is None or not extract.is_decoded(specifier, media_type):
            content = self.read(representation)
            return extract.extract(content, media_type, specifier, preview=preview)
        with self.source(representation) as source:
            source.check()
            decode = self._parts.decoder_of(representation.digest)
            return decode(source, media_type, specifier, preview=preview)

    def staged_bytes(self) -> int:
        """Return how many bytes are committed and have no file yet."""
        return self._catalog.read(octets.staged_bytes)
