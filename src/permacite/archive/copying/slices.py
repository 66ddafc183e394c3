"""The log of an archive in slices: all rows that its next entries stand for, and their octets."""

# ruff: noqa: S608 - the names of tables and columns are our own
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.archive.copying.tables import SLICED
from permacite.archive.entries import commitments, hash_of, lenient, tokens
from permacite.archive.objects import digest_of
from permacite.archive.records import leaves
from permacite.archive.records.rows import ERASED_OCTETS, digest_in
from permacite.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.archive.entries import Leaf
    from permacite.archive.records.session import Session

__all__ = ["Reached", "Row", "Slice", "digests_behind", "reached", "slice_of"]

Row = tuple[Any, ...]

_REACHED = """
SELECT (SELECT 1 + coalesce(max(sequence), -1) FROM leaf),
  (SELECT coalesce(max(document_id), 0) FROM document),
  (SELECT coalesce(max(version_id), 0) FROM version),
  (SELECT coalesce(max(representation_id), 0) FROM representation)
"""
_DIGEST, _RECEIVED, _OF_SIDECAR = 6, 8, 2
"""The columns of representation, and of attachment, that name octets."""


class Reached(NamedTuple):
    """How far a copy has come: entries of the log, and the last of the rows they stand for."""

    size: int
    document: int
    version: int
    format: int


@dataclass(frozen=True, slots=True)
class Slice:
    """What the entries from `before.size` up to `after.size` stand for."""

    before: Reached
    after: Reached
    rows: dict[str, list[Row]]
    """By table, in the order in which they may be added."""
    hashes: list[bytes]
    """Of the entries."""

    def digests(self) -> list[str]:
        """The digests of the octets that the rows name, each once."""
        return _digests(self.rows["representation"], self.rows["attachment"])


def _digests(formats: Sequence[Row], sidecars: Sequence[Row]) -> list[str]:
    """The digests of the octets that rows name, each once."""
    named = [row[column] for row in formats for column in (_DIGEST, _RECEIVED)]
    named += [row[_OF_SIDECAR] for row in sidecars]
    return [
        digest_in(octets) for octets in dict.fromkeys(named) if octets not in {None, ERASED_OCTETS}
    ]


def digests_behind(session: Session, format_: int, many: int) -> tuple[int, list[str]] | None:
    """The digests that so many formats behind one name, and the last of them; None at the end."""
    last = _last(session, "representation", format_, many)
    marks = {"format": format_, "last_format": last}
    formats, sidecars = (
        session.execute(f"SELECT * FROM {table} WHERE {SLICED[table]}", marks).fetchall()
        for table in ("representation", "attachment")
    )
    return (last, _digests(formats, sidecars)) if formats else None


def reached(session: Session) -> Reached:
    """How far an archive has come."""
    return Reached(*session.execute(_REACHED).fetchone())


def slice_of(session: Session, before: Reached, many: int) -> Slice:
    """The next entries, up to so many of them. Raises IntegrityError where one is damaged.

    Versions and formats were written in the order of the entries that stand for them, so that their
    numbers tell which they are.
    """
    entries = leaves.leaves(session, before.size, before.size + many)
    said = [lenient(leaf) for leaf in entries]
    versions = sum(entry.get("kind") == "version" for entry in said)
    formats = sum(len(tokens(entry)) for entry in said)
    version = _last(session, "version", before.version, versions)
    after = Reached(
        before.size + len(entries),
        _document(session, before, version),
        version,
        _last(session, "representation", before.format, formats),
    )
    marks = {
        "start": before.size,
        "end": after.size,
        "document": before.document,
        "last_document": after.document,
        "version": before.version,
        "last_version": after.version,
        "format": before.format,
        "last_format": after.format,
    }
    rows = {
        table: session.execute(
            f"SELECT * FROM {table} WHERE {condition} ORDER BY 1", marks
        ).fetchall()
        for table, condition in SLICED.items()
    }
    found = Slice(before, after, rows, [leaf.hash for leaf in entries])
    _check(found, entries, said)
    return found


def _document(session: Session, before: Reached, version: int) -> int:
    """The last document that the versions up to this one brought."""
    question = "SELECT max(document_id) FROM version WHERE version_id > ? AND version_id <= ?"
    (document,) = session.execute(question, (before.version, version)).fetchone()
    return max(before.document, document or 0)


def _last(session: Session, table: str, after: int, many: int) -> int:
    """The id of the row that so many rows behind `after` end with."""
    key = f"{table}_id"
    question = (
        f"SELECT coalesce(max({key}), ?) FROM"
        f" (SELECT {key} FROM {table} WHERE {key} > ? ORDER BY {key} LIMIT ?) AS next"
    )
    return int(session.execute(question, (after, after, many)).fetchone()[0])


def _check(found: Slice, entries: list[Leaf], said: list[dict[str, Any]]) -> None:
    """Raise IntegrityError where an entry, or an opening, is not what its hash says."""
    for number, leaf in enumerate(entries, found.before.size):
        if leaf.sequence != number or hash_of(leaf) != leaf.hash:
            raise _damaged(f"entry {number} of the log", leaf.hash.hex(), hash_of(leaf).hex())
    for sequence, part, content in found.rows["opening"]:
        expected = commitments(said[sequence - found.before.size]).get(part, "nothing")
        actual = digest_of(content.encode())
        if actual != expected:
            raise _damaged(f"the opening {part!r} of entry {sequence}", expected, actual)


def _damaged(what: str, expected: str, actual: str) -> IntegrityError:
    return IntegrityError(
        f"{what} is not what its hash says, and is not copied",
        expected=expected,
        actual=actual,
        hint="permacite fsck lists all that is wrong",
    )
