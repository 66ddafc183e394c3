"""Published log of an archive, for mirrors: entries with their openings, contents, standings.

The access gate decides what is published. For the rest there is only the entry, which is public for
ever, and the reason why its openings are withheld. Persons are random ids.
"""

from __future__ import annotations

import dataclasses
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from permacite import pdi as grammar
from permacite.archive.entries import (
    CITATION,
    FORMAT,
    commitments,
    disclosed,
    hash_of,
    is_erased,
    lenient,
    tokens,
    tombstone,
)
from permacite.archive.gate import EFFECTS, of_all, without_persons
from permacite.archive.model.answered import Assertion
from permacite.archive.records import access, versions
from permacite.archive.records.rows import name_of, stored, timestamp
from permacite.errors import IntegrityError, NotFoundError, ParseError
from permacite.lazy_dataclass import dataclass
from permacite.pdi import PDI

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.engine.write_behind import ArchiveObjects
    from permacite.archive.entries import Leaf
    from permacite.archive.gate import Gate
    from permacite.archive.log.log import Log
    from permacite.archive.model.answered import Representation, Restriction, Version
    from permacite.archive.objects.source import ContentReader
    from permacite.archive.records.rows import Session

__all__ = ["HandedEntries", "HandedOctets", "HandedStandings", "Publisher"]

Withheld = Literal["closed", "withdrawn", "erased"]

_MOST_ENTRIES = 256
"""So many as a tile has."""
_MOST_OCTETS = 8 << 20
"""About the size of the openings in one answer."""
_MOST_STANDINGS = 1000
_STEP = 1 << 18
_OF_VERSIONS = frozenset({"version", "format"})

_NAMES_OF = """
SELECT d.series, d.date, d.unique_id, r.format, v.number
FROM representation AS r JOIN version AS v USING (version_id) JOIN document AS d USING (document_id)
WHERE r.digest = :digest OR r.received_digest = :digest
  OR r.representation_id IN (SELECT representation_id FROM attachment WHERE digest = :digest)
"""


@dataclass(frozen=True, slots=True)
class PublishedEntry:
    """One entry of the log, with what may be published beside it."""

    content: str
    """Its octets, in UTF-8; the tombstone of an early entry that is withheld."""
    hash: str | None
    """Its hash in hexadecimal, if that is not the hash of `content`."""
    openings: Mapping[str, str]
    """By part; only those that are published."""
    withheld: Withheld | None
    """Why openings are missing, if any are."""
    formats: Sequence[tuple[str, str]]
    """Format tokens and media types that the entry commits, in the order of commit."""
    serial: bool
    """Whether the entry is of a new document whose unique id is a serial number of the day."""
    beside: Mapping[str, Any] | None = None
    """Of early entries: when something was committed, or what a withdrawal has decided, where they
    are not given out; and the provenance, of which they have a digest."""


@dataclass(frozen=True, slots=True)
class PublishedStanding:
    """Who may see a document, from a moment on."""

    place: int
    """Its place among all; the next request starts after it."""
    name: str
    access: str
    """public, closed or embargo; "building" is closed for a mirror."""
    embargo_until: str | None


@dataclass(frozen=True, slots=True)
class HandedEntries:
    """Consecutive entries of the log, with what may be published beside them."""

    start: int
    entries: Sequence[PublishedEntry]
    """At most 256; fewer if they are large."""


@dataclass(frozen=True, slots=True)
class HandedStandings:
    """Changes of access to documents, in order."""

    standings: Sequence[PublishedStanding]
    """The next changes; none at the end."""


class HandedOctets:
    """Open contents, to be sent."""

    def __init__(self, source: ContentReader) -> None:
        self.size = source.size
        self._source = source

    def read(self) -> Generator[bytes, None, None]:
        """Yield all bytes in pieces; the receiver compares them with the digest."""
        with self._source:
            for at in range(0, self.size, _STEP):
                yield self._source.read(at, at + _STEP)

    def close(self) -> None:
        """Close the reader."""
        self._source.close()


class _NamedVersions(NamedTuple):
    """The versions that some entries name, and the restrictions of their formats."""

    versions: Mapping[tuple[PDI, int], Version]
    restricted: Mapping[PDI, Restriction]


class Publisher:
    """The published log of one archive, for one audience."""

    def __init__(self, catalog: Catalog, objects: ArchiveObjects, log: Log, gate: Gate) -> None:
        self._catalog = catalog
        self._objects = objects
        self._log = log
        self._gate = gate

    def entries(self, start: int, end: int) -> HandedEntries:
        """Return the entries from `start` up to `end`, or the first of them if they are too many.

        Raises NotFoundError where the log has none there, IntegrityError for a damaged one.
        """
        kept = list(self._log.leaves(start, min(end, start + _MOST_ENTRIES)))
        if not kept:
            raise NotFoundError(f"the log has no entry {start}", str(start))
        named = self._named(kept)
        published: list[PublishedEntry] = []
        size = 0
        for leaf, seen in zip(kept, self._gate.leaves(kept), strict=True):
            entry = self._entry(leaf, named, is_hidden=not seen.content)
            size += len(entry.content) + sum(map(len, entry.openings.values()))
            if published and size > _MOST_OCTETS:
                break
            published.append(entry)
        return HandedEntries(start, published)

    def octets(self, digest: str) -> HandedOctets:
        """Open the contents of a published format. Raises NotFoundError for others."""
        names = self._catalog.read(_names_of, digest)
        found = self._catalog.read(versions.representations_named, names) if names else []
        formats = [item for item in found if item is not None]
        if len(self._gate.restrictions(formats)) < len(formats):
            return HandedOctets(self._objects.open(digest))
        raise NotFoundError(f"nothing that is given out has the octets {digest}", digest)

    def standings(self, after: int) -> HandedStandings:
        """Return the next standings after a place, except default ones."""
        rows = self._catalog.read(access.standings_after, after, _MOST_STANDINGS)
        standings = [PublishedStanding(row[0], str(row[1]), row[2], row[3]) for row in rows]
        return HandedStandings(standings)

    def _named(self, kept: Sequence[Leaf]) -> _NamedVersions:
        """Read the versions that entries name, and their restrictions."""
        names = [name for leaf in kept if (name := _version_of(leaf)) is not None]
        found = self._catalog.read(versions.versions_named, names)
        known = {name: item for name, item in zip(names, found, strict=True) if item is not None}
        formats = [item for version in known.values() for item in version.representations]
        return _NamedVersions(known, self._gate.restrictions(formats))

    def _entry(self, leaf: Leaf, named: _NamedVersions, *, is_hidden: bool) -> PublishedEntry:
        entry = lenient(leaf)
        if hash_of(leaf) != leaf.hash:
            problem = f"entry {leaf.sequence} of the log is damaged"
            raise IntegrityError(problem, expected="what was entered", actual="other octets")
        if is_hidden or is_erased(leaf.content):
            return self._hidden(leaf, entry, named)
        openings = self._log.openings(leaf)
        published, withheld = self._published(entry, openings, named)
        return PublishedEntry(
            leaf.content.decode(),
            None,
            {part: opening.decode() for part, opening in openings.items() if part in published},
            withheld,
            _formats(entry, named),
            self._is_serial(entry),
            _details(entry, named),
        )

    def _hidden(
        self, leaf: Leaf, entry: Mapping[str, Any], named: _NamedVersions
    ) -> PublishedEntry:
        """Return a withheld early entry: its tombstone, and what a withdrawal decided."""
        values: dict[str, str] = {}
        if entry.get("predicate") in EFFECTS:
            row = without_persons(_assertion(entry))
            values = {"subject": row.subject, "predicate": row.predicate, "object": row.object}
            values["stated_at"] = str(entry["stated_at"])
        committed = _committed(entry, named)
        if committed:
            values["committed_at"] = timestamp(committed[0].committed_at)
        was_erased = is_erased(leaf.content)
        content = leaf.content if was_erased else tombstone(leaf.content)
        left = lenient(dataclasses.replace(leaf, content=content))
        return PublishedEntry(
            content.decode(),
            leaf.hash.hex(),
            {},
            "erased" if was_erased else "withdrawn",
            _formats(left, named),
            self._is_serial(left),
            values or None,
        )

    def _published(
        self, entry: Mapping[str, Any], openings: Mapping[str, bytes], named: _NamedVersions
    ) -> tuple[set[str], Withheld | None]:
        """Return the parts of an entry whose openings are published; and why others are not."""
        kind, committed = entry.get("kind"), set(commitments(entry))
        if kind in _OF_VERSIONS:
            return self._published_of_version(entry, committed, named)
        if kind == "citation":
            pdi = _document_of(entry)
            hidden = pdi is None or self._gate.hidden(
                [pdi.with_(format=str(entry.get("format")), version=int(entry["version"]))]
            )
            # A note is private.
            return (set(), "closed") if hidden else ({CITATION}, None)
        if kind == "assertion" and openings:
            values = _assertion(disclosed(entry, openings))
            return (committed, None) if self._gate.assertions([values]) else (set(), "closed")
        return committed, None if committed <= openings.keys() else "erased"

    def _published_of_version(
        self, entry: Mapping[str, Any], committed: set[str], named: _NamedVersions
    ) -> tuple[set[str], Withheld | None]:
        version = _version_in(entry, named)
        if version is None:
            return set(), "closed"
        restrictions = {
            item.format: named.restricted.get(item.pdi) for item in version.representations
        }
        published = {
            part for part in committed if restrictions.get(part.removeprefix(FORMAT)) is None
        }
        hidden = of_all(version, named.restricted)
        if hidden is not None:
            published.discard("provenance")
        kinds = [item.kind for item in restrictions.values() if item is not None]
        if published == committed:
            return published, None
        return published, "closed" if "closed" in kinds else kinds[0] if kinds else "closed"

    def _is_serial(self, entry: Mapping[str, Any]) -> bool:
        pdi = _document_of(entry)
        is_new = entry.get("kind") == "version" and entry.get("version") == 1
        return is_new and pdi is not None and self._catalog.read(versions.is_serial, pdi)


def _assertion(values: Mapping[str, Any]) -> Assertion:
    """Return the statement of an entry, from its openings or in clear."""
    subject = values.get("subject", values["name"])
    at = datetime.fromisoformat(values["stated_at"])
    return Assertion(subject, values["predicate"], values["object"], values.get("who"), at)


def _document_of(entry: Mapping[str, Any]) -> PDI | None:
    """Return the document that an entry names, if any."""
    try:
        name = grammar.parse(str(entry.get("name")))
    except ParseError:
        return None
    return name if isinstance(name, PDI) else None


def _version_of(leaf: Leaf) -> tuple[PDI, int] | None:
    """Return the version whose formats an entry commits."""
    entry = lenient(leaf)
    name, number = _document_of(entry), entry.get("version")
    if name is None or entry.get("kind") not in _OF_VERSIONS or not isinstance(number, int):
        return None
    return name, number


def _version_in(entry: Mapping[str, Any], named: _NamedVersions) -> Version | None:
    """Return the version whose formats an entry commits, if it is here."""
    name, number = _document_of(entry), entry.get("version")
    return named.versions.get((name, number)) if name and isinstance(number, int) else None


def _details(entry: Mapping[str, Any], named: _NamedVersions) -> Mapping[str, Any] | None:
    """Return what an early entry only has the digest of; None for others."""
    version = _version_in(entry, named)
    if version is None or "schema" in entry or "provenance" not in entry:
        return None
    of = version.provenance
    beside = {"title": of.title, "final_uri": of.final_uri, "details": of.details}
    return {name: value for name, value in beside.items() if value is not None}


def _formats(entry: Mapping[str, Any], named: _NamedVersions) -> list[tuple[str, str]]:
    """Return the formats that an entry commits, with media types, in the order of commit."""
    return [(each.format, each.media_type) for each in _committed(entry, named)]


def _committed(entry: Mapping[str, Any], named: _NamedVersions) -> list[Representation]:
    """Return the formats that an entry commits, if they are here."""
    version, own = _version_in(entry, named), tokens(entry)
    formats = () if version is None else version.representations
    return [each for each in formats if each.format in own]


def _names_of(connection: Session, digest: str) -> list[PDI]:
    """Return the full names of all formats that have these contents."""
    rows = connection.execute(_NAMES_OF, {"digest": stored(connection, digest)})
    return [name_of((row[0], row[1], row[2]), row[3], row[4]) for row in rows]
