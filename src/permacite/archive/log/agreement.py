"""Agreement of records and log: each entry is made again from the records and compared.

A digest guards the octets; the entry of the log guards what is said of them: media type, charset,
title, address. Each version that is read is compared once, in a fraction of a millisecond. What was
found right is remembered by hashes of its value, so that another value is compared anew, and large
records take no memory.
"""

from __future__ import annotations

import hashlib
import marshal
from typing import TYPE_CHECKING, Any

from permacite.archive import entries
from permacite.archive.objects.source import digest_of
from permacite.archive.records import citations, days, leaves, settings, statements, versions
from permacite.archive.records.rows import ERASABLE, ERASED_DIGEST, has_schema
from permacite.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.entries import Entry, Leaf
    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.records.rows import Session
    from permacite.pdi import PDI

__all__ = [
    "Agreement",
    "about",
    "counted",
    "entry_fault",
    "erased",
    "is_absent",
    "is_mirror",
    "rebuilt",
]

_KINDS = {"version", "format"}
_TELLING = {*_KINDS, "citation", "assertion"}
"""Kinds of entries of which a mirror may be handed nothing else."""
_MOST = 10_000
"""How many versions and formats are remembered."""

_AS_VALUES = 2
"""The version of marshal whose octets tell nothing of which objects are shared."""

_VERSION_ID = """
SELECT version_id FROM version JOIN document USING (document_id)
WHERE series = ? AND date = ? AND unique_id = ? AND number = ?
"""

_OF_SEQUENCE: dict[str, Callable[[Session, int], Entry | None]] = {
    "assertion": statements.entry_at,
    "citation": citations.entry_at,
    "day": days.entry_at,
    "delegation": statements.delegation_entry_at,
}
"""How to make the entry again that a row of its own refers to, by kind."""


class Agreement:
    """Compares what one catalog answers with its log."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._right: set[tuple[int, bytes]] = set()

    def check(self, version: Version) -> Version:
        """Return a version that the log tells of as it is. Raises IntegrityError."""
        key = _key_of(version)
        if key not in self._right:
            formats = self.check_document(version.pdi, version.number)
            for representation in version.representations:
                if representation.format not in formats:
                    raise _differs(representation.pdi, f"no entry tells of {representation.pdi}")
            if len(self._right) > _MOST:
                self._right.clear()
            self._right.update((key, *map(_key_of, version.representations)))
        return version

    def check_format(self, representation: Representation) -> Representation:
        """Return a representation that the log tells of as it is. Raises IntegrityError."""
        if _key_of(representation) not in self._right:
            pdi = representation.pdi
            version = self._catalog.read(versions.find, pdi, pdi.version)
            if version is None or representation not in self.check(version).representations:
                raise _differs(representation.pdi, "the catalog gives two answers about it")
        return representation

    def check_document(self, pdi: PDI, number: int | None) -> set[str]:
        """Hold a document, or one version of it, to the log, and return the formats it tells of.

        One that is nowhere agrees; what the log tells of and the catalog lacks does not. Raises
        IntegrityError.
        """
        return self._catalog.read(_formats_of, pdi, number)


def _key_of(value: Version | Representation) -> tuple[int, bytes]:
    """What a value is remembered by: its own hash leaves out what is on record of a capture."""
    provenance = getattr(value, "provenance", None)
    details = b"" if provenance is None else marshal.dumps(dict(provenance.details), _AS_VALUES)
    return hash(value), hashlib.blake2b(details, digest_size=16).digest()


def _formats_of(connection: Session, pdi: PDI, number: int | None) -> set[str]:
    """The formats that entries without fault tell of. Raises IntegrityError for a fault."""
    formats: set[str] = set()
    for leaf in leaves.entries(connection, pdi):
        try:
            entry = entries.read(leaf.content)
        except ValueError:
            continue  # damaged: it tells of nothing any more
        if entry.get("kind") in _KINDS and number in {None, entry.get("version")}:
            problem = entry_fault(connection, leaf)
            if problem:
                raise _differs(pdi, problem)
            formats.update(entries.tokens(entry))
    return formats


def _differs(pdi: PDI, problem: str) -> IntegrityError:
    return IntegrityError(
        f"the catalog and the log do not agree on {pdi.document}: {problem}",
        expected="what the log tells",
        actual="other records",
        hint="permacite fsck lists all that is wrong",
    )


def rebuilt(connection: Session, leaf: Leaf) -> bytes | None:
    """The leaf as it would be now, None where the records lack what it is about.

    What is erased is taken from the leaf itself: nothing else has it.
    """
    try:
        said = entries.read(leaf.content)
        gone = erased(connection, leaf.sequence)
        if None in gone or said["kind"] == "erasure":
            return leaf.content
        entry = _entry(connection, leaf, said)
        if entry is None:
            return None
        if "schema" not in said:
            return entries.in_clear(entry, said, gone).content
        gone |= _untold(connection, leaf, entry)
        kept = {
            part: commitment
            for part, commitment in entries.commitments(said).items()
            if part in gone
        }
        openings = leaves.openings(connection, leaf.sequence)
        return entries.reopened(entry, openings, kept).content
    except (ValueError, LookupError, TypeError, AttributeError, connection.Error):
        return None  # the leaf itself is no entry of ours


def erased(connection: Session, sequence: int) -> set[str | None]:
    """Return the parts of an entry that an erasure covers; None stands for all of it."""
    if not has_schema(connection, ERASABLE):
        return set()
    question = "SELECT part FROM erased_entry WHERE sequence = ?"
    return {part for (part,) in connection.execute(question, (sequence,))}


def _is_withheld(connection: Session, leaf: Leaf) -> bool:
    """Whether this is a mirror that was handed an entry, and nothing of what it commits to."""
    if not is_mirror(connection) or entries.hash_of(leaf) != leaf.hash:
        return False
    return entries.is_erased(leaf.content) or is_absent(connection, leaf)


def is_absent(connection: Session, leaf: Leaf) -> bool:
    """Whether neither an opening nor a row is here of what an entry tells."""
    said = entries.lenient(leaf)
    is_told = leaves.openings(connection, leaf.sequence) or said.get("kind") not in _TELLING
    return not is_told and _entry(connection, leaf, said) is None


def is_mirror(connection: Session) -> bool:
    """Whether what is here was entered elsewhere."""
    return settings.setting(connection, settings.ORIGIN) is not None


def _untold(connection: Session, leaf: Leaf, entry: Entry) -> set[str | None]:
    """The parts of an entry that a mirror was not handed, and of which its rows say nothing."""
    missing = entries.commitments(entries.lenient(leaf)).keys() - leaves.openings(
        connection, leaf.sequence
    )
    if not missing or not is_mirror(connection):
        return set()
    known = {part for part, of in entry.parts.items() if of.get("digest") != ERASED_DIGEST}
    return {*(missing - known)}


def _entry(connection: Session, leaf: Leaf, said: dict[str, Any]) -> Entry | None:
    """The entry, made of the records as they are now."""
    make = _OF_SEQUENCE.get(said["kind"])
    if make is not None:
        return make(connection, leaf.sequence)
    row = connection.execute(_VERSION_ID, (*_key(said["name"]), said["version"])).fetchone()
    if row is None:
        return None
    written = leaves.committed(connection, row[0])
    tokens = entries.tokens(said)
    if said["kind"] == "format":
        return leaves.format_entry(written, tokens[0])
    if any(row[-1] != written.version[5] for row in written.formats if row[0] in tokens):
        return None  # what came with the version has its time
    return leaves.version_entry(written, tokens)


def counted(connection: Session) -> tuple[int, dict[str, int]]:
    """Return the number of leaves, and of the rows that they tell by table, at one moment."""
    from permacite.archive.schema.tables import TABLES

    tables = [
        table.name
        for table in TABLES
        if table.logged_since and has_schema(connection, table.logged_since)
    ]
    counts = ", ".join(f"(SELECT count(*) FROM {table})" for table in tables)
    size, *counts_of_rows = connection.execute(
        f"SELECT (SELECT count(*) FROM leaf), {counts}"
    ).fetchone()
    return int(size), dict(zip(tables, counts_of_rows, strict=True))


def _key(name: str) -> tuple[str, str, str]:
    """Return the key of the document that a leaf names. Raises ValueError for other texts."""
    series, year, month, day, unique_id = name.removeprefix("urn:pdi://").split("/")
    return series, f"{year}-{month}-{day}", unique_id


def entry_fault(connection: Session, leaf: Leaf) -> str:
    """Say what is wrong with one entry; "" where it agrees with its hash and its records.

    A mirror may lack what it was not handed.
    """
    problem = _fault(connection, leaf)
    return "" if problem and _is_withheld(connection, leaf) else problem


def _fault(connection: Session, leaf: Leaf) -> str:
    """The same, where all is expected that an entry commits to."""
    if entries.hash_of(leaf) != leaf.hash:
        return f"entry {leaf.sequence}{about(leaf)} is not what its hash says"
    if entries.is_erased(leaf.content) and None not in erased(connection, leaf.sequence):
        return f"entry {leaf.sequence}{about(leaf)} is gone, and no erasure says so"
    problem = _opening_fault(connection, leaf)
    if problem:
        return f"{problem} of entry {leaf.sequence}{about(leaf)}"
    if rebuilt(connection, leaf) != leaf.content:
        return f"entry {leaf.sequence}{about(leaf)} is not what the catalog says"
    return ""


def _opening_fault(connection: Session, leaf: Leaf) -> str:
    """Say which opening of an entry is missing or another; those that are erased may be missing."""
    committed = entries.commitments(entries.lenient(leaf))
    if not committed:
        return ""
    kept = leaves.openings(connection, leaf.sequence)
    entry = None
    for part in sorted(committed.keys() | kept.keys()):
        if part in kept and digest_of(kept[part]) != committed.get(part):
            return f"the opening {part!r} is not the one"
        if part not in kept and not {None, part} & erased(connection, leaf.sequence):
            entry = entry or _entry(connection, leaf, entries.lenient(leaf))
            if entry is None or part not in _untold(connection, leaf, entry):
                return f"the opening {part!r} is missing"
    return ""


def about(leaf: Leaf) -> str:
    """The kind and name of an entry, in brackets; "" where it cannot be read."""
    entry = entries.lenient(leaf)
    name, number = entry.get("name"), entry.get("version")
    version = "" if number is None else f", version {number}"
    return f" ({entry.get('kind')} {name}{version})" if name else ""
