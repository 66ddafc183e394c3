"""Verification: digests recomputed, records compared with the log; and proofs for others."""

from __future__ import annotations

import dataclasses
import json
from random import SystemRandom
from typing import TYPE_CHECKING

from permacite.archive.log.agreement import entry_fault, is_mirror, rebuilt
from permacite.archive.log.bundles.writing import absence, bundle, entry_of
from permacite.archive.log.tiles import Tile, content_of
from permacite.archive.model.answered import Finding, Representation, Version
from permacite.archive.records import access, citations, days, leaves, listing, octets, versions
from permacite.errors import (
    ConflictError,
    IntegrityError,
    NotFoundError,
    ParseError,
    PermaciteError,
    StorageError,
)
from permacite.pdi import PDI, parse
from permacite.renditions.stored import LABELS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.engine.pieces import KnownPieces
    from permacite.archive.engine.write_behind import ArchiveObjects
    from permacite.archive.entries import Leaf
    from permacite.archive.gate import Gate
    from permacite.archive.log.log import Log
    from permacite.archive.lookup import DocumentContents, VersionLists, VersionLookup
    from permacite.archive.model.answered import Citation
    from permacite.archive.name_tree import DayDocument
    from permacite.archive.parts import ArchiveParts
    from permacite.archive.passages import CitedPassages
    from permacite.archive.texts import Texts

__all__ = ["FixityCheck", "Proofs", "logged_versions"]

_CATALOG = "catalog"
_PAGE = 200


class FixityCheck:
    """Checks the contents, the records and the log of one archive."""

    def __init__(self, parts: ArchiveParts, passages: CitedPassages, lists: VersionLists) -> None:
        self._catalog = parts.catalog
        self._log = parts.log
        self._objects = parts.objects
        self._pieces = parts.pieces
        self._texts = parts.texts
        self._passages = passages
        self._lists = lists

    def verify(self, pdi: PDI | None = None) -> Iterator[Finding]:
        """Recompute the digests of all that `pdi` names; of everything, and the log, where None."""
        findings = _verify(self._catalog, self._objects, pdi)
        if pdi is not None:
            yield from findings
            return
        from permacite.archive.log.audit import audit

        yield from _without_errors(findings)
        yield from _without_errors(audit(self._catalog, self._log), "log")

    def fsck(self) -> Iterator[Finding]:
        """Check all that `verify` checks, the database, the words of citations, and for orphans.

        Octets of a commit that is under way count as named by nothing.
        """
        yield from self.verify()
        yield from _without_errors(self._quote_faults())
        yield from _fsck(self._catalog, self._objects, self._texts, self._pieces)

    def cautions(self) -> tuple[str, ...]:
        """What of the engine's settings may lose what was acknowledged, and what to do, in words.

        Raises StorageError.
        """
        return self._catalog.cautions()

    def verify_new(self, start: int, end: int | None = None) -> Iterator[Finding]:
        """Check, as `verify` does, all versions that the log names from `start` up to `end`."""
        for named in logged_versions(self._log, start, end):
            if isinstance(named, Finding):
                yield named
            else:
                yield from _without_errors(self.verify(named), str(named))

    def verify_sample(self, number: int) -> Iterator[Finding]:
        """Check so many versions likewise, which nobody can foresee; all where there are fewer."""
        last = self._lists.count()
        for place in SystemRandom().sample(range(1, last + 1), min(number, last)):
            try:
                _, version = self._catalog.read(listing.at, place)
            except LookupError:
                yield Finding(_CATALOG, "missing", f"the row of version {place} is lost")
                continue
            name = dataclasses.replace(version.pdi.document, version=version.number)
            yield from _without_errors(self.verify(name), str(name))

    def _quote_faults(self) -> Iterator[Finding]:
        """Return the citations whose record has other words than stand there."""
        checked = map(self._passages.check_citation, self._passages.citations())
        yield from (finding for finding in checked if finding.kind == "quote")


class Proofs:
    """Makes the proofs of one archive, and the tiles of its log."""

    def __init__(
        self, parts: ArchiveParts, gate: Gate, lookup: VersionLookup, contents: DocumentContents
    ) -> None:
        self._catalog = parts.catalog
        self._log = parts.log
        self._gate = gate
        self._lookup = lookup
        self._contents = contents

    def tile(self, path: str) -> bytes:
        """Return the file of this path in the layout of C2SP tlog-tiles, such as "tile/0/000".

        Raises ParseError for another path, NotFoundError for a tile that is not filled so far,
        LimitError for a bundle with an entry that is too long for it.
        """
        return content_of(Tile.parse(path), self._log, self._gate.leaves)

    def prove(self, pdi: PDI, *, citation: Citation | None = None, labelled: bool = False) -> bytes:
        """Return a zip that proves, offline, that this archive holds what `pdi` names.

        The log is signed as it is now; `check_proof` checks the zip, and its README says how to do
        so by hand. `citation`, of the same representation, is put in with its words, and with
        `labelled` the labels of its text, if it has any: they say on which page it stands. Raises
        NotFoundError, IntegrityError, StorageError.
        """
        representation = self._lookup.representation(pdi)
        self._gate.check(representation)
        leaf = entry_of(self._catalog.read(leaves.entries, pdi), representation)
        cited = None if citation is None else self._catalog.read(citations.leaf_of, citation)
        content = self._contents.read(representation)
        return bundle(
            self._log,
            representation,
            content,
            leaf,
            citation=citation,
            citation_leaf=cited,
            labels=self._contents.sidecar(representation, LABELS) if labelled else None,
        )

    def prove_absence(self, pdi: PDI) -> bytes:
        """Return a zip that proves, offline, that no document of this name was ever minted here.

        Where the document is here, and `pdi` names a version that is not, it proves that this was
        not there when the day was sealed. The day in the name must be sealed: see `records.days`.
        Raises ConflictError where that is here, NotFoundError where the day is not sealed, or was
        sealed before there were proofs of versions, StorageError.
        """
        numbers = self._catalog.read(versions.numbers, pdi)
        if numbers and (pdi.version is None or pdi.version <= max(numbers)):
            raise ConflictError(f"{pdi.document} is here", str(pdi))
        leaf, documents = self._sealed_documents(pdi)
        if numbers and days.form_of(leaf) == 1:
            problem = "the day was sealed before versions could be told"
            raise NotFoundError(problem, str(pdi))
        return absence(self._log, pdi, leaf, documents)

    def _sealed_documents(self, pdi: PDI) -> tuple[Leaf, Sequence[DayDocument]]:
        """The entry that seals the day in a name, and the day's documents.

        Raises NotFoundError where the day is not sealed, IntegrityError where it has other names.
        """
        series, day = ".".join(pdi.series), f"{pdi.year}-{pdi.month}-{pdi.day}"
        leaf = self._catalog.read(days.seal_of, series, day)
        if leaf is None:
            raise NotFoundError(f"{day} is not sealed in {series}", str(pdi))
        if self._catalog.read(rebuilt, leaf) != leaf.content:
            raise IntegrityError(
                f"{day} is sealed in {series}, and other documents are there now",
                expected=leaf.content.decode("utf-8", "replace"),
                actual="other names",
            )
        return leaf, self._catalog.read(days.documents, series, day, before=leaf.sequence)


def logged_versions(log: Log, start: int, end: int | None = None) -> Iterator[PDI | Finding]:
    """The versions that log entries say are new, or have a format more, each once.

    A damaged entry gives a finding. Up to the last entry of now where `end` is None.
    """
    found: set[PDI] = set()
    for leaf in log.leaves(start, log.size() if end is None else end):
        try:
            named = _version_of(leaf)
        except (ValueError, ParseError):
            yield Finding("log", "altered", f"entry {leaf.sequence} is not as it is written")
            continue
        if named is not None and named not in found:
            found.add(named)
            yield named


def _version_of(leaf: Leaf) -> PDI | None:
    """The version that an entry says is new, or has a format more."""
    entry = json.loads(leaf.content)
    if not isinstance(entry, dict) or entry.get("kind") not in {"version", "format"}:
        return None
    number = entry.get("version")
    name = parse(str(entry.get("name")))
    if not isinstance(name, PDI) or type(number) is not int:
        raise ValueError(entry)
    return dataclasses.replace(name.document, version=number)


def _verify(catalog: Catalog, objects: ArchiveObjects, pdi: PDI | None) -> Iterator[Finding]:
    """Return one finding for each representation that `pdi` names (all where None), or more.

    A representation is "ok" only if its octets, those received and its sidecars all are.
    Raises NotFoundError where `pdi` names nothing here.
    """
    objects.begin_checks()
    for version in _everything(catalog) if pdi is None else _named(catalog, pdi):
        if isinstance(version, Finding):
            yield version
            continue
        for representation in version.representations:
            name = str(representation.pdi)
            yield from _without_errors(_check(catalog, objects, representation), name)
    for leaf in () if pdi is None else catalog.read(leaves.entries, pdi):
        problem = catalog.read(entry_fault, leaf)
        if problem:
            yield Finding(str(pdi), "log", problem)


def _fsck(
    catalog: Catalog, objects: ArchiveObjects, texts: Texts, pieces: KnownPieces
) -> Iterator[Finding]:
    """Findings about the database and the indexes, and octets that nothing names."""
    yield from _without_errors(Finding(_CATALOG, _CATALOG, fault) for fault in catalog.faults())
    yield from _without_errors(_index_faults(catalog, texts, pieces))
    yield from _without_errors(_orphans(catalog, objects))


def _without_errors(findings: Iterator[Finding], pdi: str = _CATALOG) -> Iterator[Finding]:
    """Return findings, and as the last one the error that ended them, if one did."""
    try:
        yield from findings
    except PermaciteError as error:
        yield Finding(pdi, _CATALOG, error.problem)


def _index_faults(catalog: Catalog, texts: Texts, pieces: KnownPieces) -> Iterator[Finding]:
    """Findings about the indexes of large texts, and the digests of pieces."""
    for version in _everything(catalog):
        for representation in () if isinstance(version, Finding) else version.representations:
            problem = texts.fault(representation) or pieces.fault(representation)
            if problem:
                yield Finding(str(representation.pdi), "index", problem)


def _orphans(catalog: Catalog, objects: ArchiveObjects) -> Iterator[Finding]:
    """Return the octets that nothing names."""
    for digest in objects.digests():
        if not catalog.read(octets.is_named, digest):
            yield Finding(digest, "orphan", "octets that nothing names; a failed commit left them")
    for name in objects.store.strangers():
        yield Finding(name, "orphan", "it stands among the octets, and no digest is its name")


def _everything(catalog: Catalog) -> Iterator[Version | Finding]:
    """Return all versions, a page at a time, and what is wrong with those that cannot be read."""
    last = 0
    while places := catalog.read(versions.places, after=last, limit=_PAGE):
        try:
            page = catalog.read(versions.everything, after=last, limit=_PAGE)
        except StorageError:
            for place in places:
                yield _read(catalog, place)
        else:
            yield from (version for _, version in page)
        last = max(places)


def _read(catalog: Catalog, place: int) -> Version | Finding:
    """Return the version at a place, or what is wrong with it."""
    problem = "what it is a version of is missing"
    try:
        for there, version in catalog.read(versions.everything, after=place - 1, limit=1):
            if there == place:
                return version
    except StorageError as error:
        problem = error.problem
    return Finding(_CATALOG, _CATALOG, f"version {place} cannot be read: {problem}")


def _named(catalog: Catalog, pdi: PDI) -> Iterator[Version]:
    """Return the version that `pdi` names, or all of them where it names none."""
    first = catalog.read(versions.version, pdi)
    if pdi.version is not None:
        yield first
        return
    for number in catalog.read(versions.numbers, pdi):
        version = catalog.read(versions.find, pdi, number)
        if version is not None:
            yield version


def _check(
    catalog: Catalog, objects: ArchiveObjects, representation: Representation
) -> Iterator[Finding]:
    """Findings about one representation: faults, that all is well, or that it is erased."""
    if not representation.digest:
        for erasure in catalog.read(access.erasures, [representation.pdi]):
            if erasure.number in {None, representation.pdi.version}:
                detail = f"erased on {erasure.erased_at:%Y-%m-%d}"
                yield Finding(str(representation.pdi), "erased", detail)
                return
        if catalog.read(is_mirror):
            detail = "withdrawn before this mirror was given it"
            yield Finding(str(representation.pdi), "withdrawn", detail)
            return
    parts = {"": representation.digest}
    if representation.received_digest is not None:
        parts["as received: "] = representation.received_digest
    for name, digest in catalog.read(versions.sidecars, representation).items():
        parts[f"sidecar {name}: "] = digest
    clean = True
    for label, digest in parts.items():
        kind, detail = _check_object(objects, digest)
        if kind != "ok":
            clean = False
            yield Finding(str(representation.pdi), kind, label + detail)
    if clean:
        yield Finding(str(representation.pdi), "ok")


def _check_object(objects: ArchiveObjects, digest: str) -> tuple[str, str]:
    """Return the kind of finding for one object, and its detail."""
    try:
        objects.check(digest)
    except NotFoundError:
        return "missing", digest
    except IntegrityError as error:
        return "altered", f"{error.actual}, recorded {error.expected}"
    except StorageError as error:
        return "unreadable", error.problem
    return "ok", ""
