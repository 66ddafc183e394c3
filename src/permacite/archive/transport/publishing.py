"""What an archive hands out to mirrors: entries with their openings, octets, standings.

The gate decides here as everywhere. Of what is not given out there is the entry, which is public
for ever, and why its openings are not beside it. Who says a thing stands by a random id.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
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
from permacite.archive.gate import of_all
from permacite.archive.model import Assertion
from permacite.archive.records import access, versions
from permacite.archive.records.rows import name_of, stored, timestamp
from permacite.archive.statements import EFFECTS, without_persons
from permacite.errors import IntegrityError, NotFoundError, ParseError
from permacite.pdi import PDI

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from permacite.archive.engine import Catalog, WriteBehind
    from permacite.archive.entries import Leaf
    from permacite.archive.gate import Gate
    from permacite.archive.log import Log
    from permacite.archive.model import Representation, Restriction, Version
    from permacite.archive.objects import ContentReader
    from permacite.archive.records.session import Session

__all__ = ["PublishedEntry", "PublishedStanding", "Publisher", "Withheld"]

Withheld = Literal["closed", "withdrawn", "erased"]

_MOST_ENTRIES = 256
"""As many as a tile has."""
_MOST_OCTETS = 8 << 20
"""Of the openings of one answer, about."""
_MOST_STANDINGS = 1000
_TOLD = frozenset({"version", "format"})

_HELD_BY = """
SELECT d.series, d.date, d.unique_id, r.format, v.number
FROM representation AS r JOIN version AS v USING (version_id) JOIN document AS d USING (document_id)
WHERE r.digest = :digest OR r.received_digest = :digest
  OR r.representation_id IN (SELECT representation_id FROM attachment WHERE digest = :digest)
"""


@dataclass(frozen=True, slots=True)
class PublishedEntry:
    """One entry of the log, with what may be told beside it."""

    content: str
    """Its octets, in UTF-8; of an early entry that is not given out, its tombstone."""
    hash: str | None
    """Its hash in hexadecimal, where that is not the hash of `content`."""
    openings: Mapping[str, str]
    """By part, as far as they are given out."""
    withheld: Withheld | None
    """Why openings are not, where any should be."""
    formats: Sequence[tuple[str, str]]
    """Format token and media type of all that an entry commits, in the order of commit."""
    serial: bool
    """Whether the entry is of a new document whose unique id is a serial number of the day."""
    beside: Mapping[str, Any] | None = None
    """Of early entries: when something was committed, or what a withdrawal has decided, where they
    are not given out; and the provenance, of which they have a digest."""


@dataclass(frozen=True, slots=True)
class PublishedStanding:
    """Who may see a document, from a moment on."""

    place: int
    """Where it stands among all; the next question begins behind it."""
    name: str
    access: str
    """public, closed or embargo: what is open in one building alone is closed elsewhere."""
    embargo_until: str | None


class _Told(NamedTuple):
    """What is known of the versions that some entries name."""

    versions: Mapping[tuple[PDI, int], Version]
    restricted: Mapping[PDI, Restriction]


class Publisher:
    """What one archive hands out, to one audience."""

    def __init__(self, catalog: Catalog, objects: WriteBehind, log: Log, gate: Gate) -> None:
        self._catalog = catalog
        self._objects = objects
        self._log = log
        self._gate = gate

    def entries(self, start: int, end: int) -> list[PublishedEntry]:
        """The entries from `start` up to `end`, or the first of them where they are too many.

        Raises NotFoundError where the log has none there, IntegrityError for a damaged one.
        """
        kept = list(self._log.leaves(start, min(end, start + _MOST_ENTRIES)))
        if not kept:
            raise NotFoundError(f"the log has no entry {start}", str(start))
        told = self._told(kept)
        given: list[PublishedEntry] = []
        size = 0
        for leaf, seen in zip(kept, self._gate.leaves(kept), strict=True):
            entry = self._handed(leaf, told, is_hidden=not seen.content)
            size += len(entry.content) + sum(map(len, entry.openings.values()))
            if given and size > _MOST_OCTETS:
                break
            given.append(entry)
        return given

    def octets(self, digest: str) -> ContentReader:
        """Open octets that anything that is given out has. Raises NotFoundError for others."""
        names = self._catalog.read(_held_by, digest)
        found = self._catalog.read(versions.representations_named, names) if names else []
        formats = [item for item in found if item is not None]
        if len(self._gate.restrictions(formats)) < len(formats):
            return self._objects.open(digest)
        raise NotFoundError(f"nothing that is given out has the octets {digest}", digest)

    def standings(self, after: int) -> list[PublishedStanding]:
        """The next standings behind a place, without those that say what all begin with."""
        rows = self._catalog.read(access.standings_after, after, _MOST_STANDINGS)
        return [PublishedStanding(row[0], str(row[1]), row[2], row[3]) for row in rows]

    def _told(self, kept: Sequence[Leaf]) -> _Told:
        """The versions that entries name, and what of them is not given out."""
        names = [name for leaf in kept if (name := _version_of(leaf)) is not None]
        found = self._catalog.read(versions.versions_named, names)
        known = {name: item for name, item in zip(names, found, strict=True) if item is not None}
        formats = [item for version in known.values() for item in version.representations]
        return _Told(known, self._gate.restrictions(formats))

    def _handed(self, leaf: Leaf, told: _Told, *, is_hidden: bool) -> PublishedEntry:
        entry = lenient(leaf)
        if hash_of(leaf) != leaf.hash:
            problem = f"entry {leaf.sequence} of the log is damaged"
            raise IntegrityError(problem, expected="what was entered", actual="other octets")
        if is_hidden or is_erased(leaf.content):
            return self._hidden(leaf, entry, told)
        openings = self._log.openings(leaf)
        given, withheld = self._given(entry, openings, told)
        return PublishedEntry(
            leaf.content.decode(),
            None,
            {part: opening.decode() for part, opening in openings.items() if part in given},
            withheld,
            _formats(entry, told),
            self._is_serial(entry),
            _details(entry, told),
        )

    def _hidden(self, leaf: Leaf, entry: Mapping[str, Any], told: _Told) -> PublishedEntry:
        """An early entry that is not given out: its tombstone, and what a withdrawal decided."""
        said: dict[str, str] = {}
        if entry.get("predicate") in EFFECTS:
            row = without_persons(_assertion(entry))
            said = {"subject": row.subject, "predicate": row.predicate, "object": row.object}
            said["stated_at"] = str(entry["stated_at"])
        committed = _committed(entry, told)
        if committed:
            said["committed_at"] = timestamp(committed[0].committed_at)
        was_erased = is_erased(leaf.content)
        content = leaf.content if was_erased else tombstone(leaf.content)
        left = lenient(dataclasses.replace(leaf, content=content))
        return PublishedEntry(
            content.decode(),
            leaf.hash.hex(),
            {},
            "erased" if was_erased else "withdrawn",
            _formats(left, told),
            self._is_serial(left),
            said or None,
        )

    def _given(
        self, entry: Mapping[str, Any], openings: Mapping[str, bytes], told: _Told
    ) -> tuple[set[str], Withheld | None]:
        """The parts of an entry whose openings are handed out; and why others are not."""
        kind, committed = entry.get("kind"), set(commitments(entry))
        if kind in _TOLD:
            return self._given_of_version(entry, committed, told)
        if kind == "citation":
            pdi = _document_of(entry)
            hidden = pdi is None or self._gate.hidden(
                [pdi.with_(format=str(entry.get("format")), version=int(entry["version"]))]
            )
            # A note is for whoever took it.
            return (set(), "closed") if hidden else ({CITATION}, None)
        if kind == "assertion" and openings:
            said = _assertion(disclosed(entry, openings))
            return (committed, None) if self._gate.assertions([said]) else (set(), "closed")
        return committed, None if committed <= openings.keys() else "erased"

    def _given_of_version(
        self, entry: Mapping[str, Any], committed: set[str], told: _Told
    ) -> tuple[set[str], Withheld | None]:
        version = _told_of(entry, told)
        if version is None:
            return set(), "closed"
        restrictions = {
            item.format: told.restricted.get(item.pdi) for item in version.representations
        }
        given = {part for part in committed if restrictions.get(part.removeprefix(FORMAT)) is None}
        hidden = of_all(version, told.restricted)
        if hidden is not None:
            given.discard("provenance")
        kinds = [item.kind for item in restrictions.values() if item is not None]
        if given == committed:
            return given, None
        return given, "closed" if "closed" in kinds else kinds[0] if kinds else "closed"

    def _is_serial(self, entry: Mapping[str, Any]) -> bool:
        pdi = _document_of(entry)
        is_new = entry.get("kind") == "version" and entry.get("version") == 1
        return is_new and pdi is not None and self._catalog.read(versions.is_serial, pdi)


def _assertion(said: Mapping[str, Any]) -> Assertion:
    """The statement that an entry tells, with its openings or in clear."""
    subject = said.get("subject", said["name"])
    at = datetime.fromisoformat(said["stated_at"])
    return Assertion(subject, said["predicate"], said["object"], said.get("who"), at)


def _document_of(entry: Mapping[str, Any]) -> PDI | None:
    """The document that an entry names; None where it names none."""
    try:
        name = grammar.parse(str(entry.get("name")))
    except ParseError:
        return None
    return name if isinstance(name, PDI) else None


def _version_of(leaf: Leaf) -> tuple[PDI, int] | None:
    """The version that an entry commits formats of."""
    entry = lenient(leaf)
    name, number = _document_of(entry), entry.get("version")
    if name is None or entry.get("kind") not in _TOLD or not isinstance(number, int):
        return None
    return name, number


def _told_of(entry: Mapping[str, Any], told: _Told) -> Version | None:
    """The version that an entry commits formats of; None where it is not here."""
    name, number = _document_of(entry), entry.get("version")
    return told.versions.get((name, number)) if name and isinstance(number, int) else None


def _details(entry: Mapping[str, Any], told: _Told) -> Mapping[str, Any] | None:
    """What an early entry has the digest of, and does not tell itself; None for others."""
    version = _told_of(entry, told)
    if version is None or "schema" in entry or "provenance" not in entry:
        return None
    of = version.provenance
    beside = {"title": of.title, "final_uri": of.final_uri, "details": of.details}
    return {name: value for name, value in beside.items() if value is not None}


def _formats(entry: Mapping[str, Any], told: _Told) -> list[tuple[str, str]]:
    """The formats that an entry commits, with their media types, in the order of commit."""
    return [(each.format, each.media_type) for each in _committed(entry, told)]


def _committed(entry: Mapping[str, Any], told: _Told) -> list[Representation]:
    """The formats that an entry commits, as far as they are here."""
    version, own = _told_of(entry, told), tokens(entry)
    formats = () if version is None else version.representations
    return [each for each in formats if each.format in own]


def _held_by(connection: Session, digest: str) -> list[PDI]:
    """The full names of all that has these octets."""
    rows = connection.execute(_HELD_BY, {"digest": stored(connection, digest)})
    return [name_of((row[0], row[1], row[2]), row[3], row[4]) for row in rows]
