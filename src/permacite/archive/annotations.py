"""Jottings: tags, collections and notes that the owner of an archive keeps for himself.

They are rows that may change and go, and no entry of the log tells of them. Who sees the archive as
the public does finds none. What is erased takes its jottings with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from permacite.archive.names import as_urn
from permacite.archive.records.rows import (
    JOTTINGS,
    document_key,
    has_schema,
    instant,
    name_of,
    storable,
    timestamp,
)
from permacite.errors import NotFoundError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from permacite.archive.gate import Gate
    from permacite.archive.parts import ArchiveParts
    from permacite.archive.records.rows import Session, Transaction
    from permacite.pdi import PDI

__all__ = ["KINDS", "Jotting", "Kind", "Subject", "jot", "jottings", "strike"]

Kind: TypeAlias = Literal["tag", "collection", "note"]
KINDS: tuple[Kind, ...] = ("tag", "collection", "note")


class Subject(NamedTuple):
    """What is jotted about."""

    name: PDI
    """The document; with a version, a part of that."""
    part: str = ""
    """What follows the name of the document, such as ".utf-8.1#char=0,9"."""

    def __str__(self) -> str:
        return f"{as_urn(self.name.document)}{self.part}"


@dataclass(frozen=True, slots=True)
class Jotting:
    """A tag of a document, a collection that it is in, or a note on it or on a part of it."""

    reference: str
    """The document, or the part that the note is on."""
    kind: Kind
    text: str
    """The tag, the name of the collection, or the words of the note."""
    written_at: datetime


_ROWS = """
SELECT d.series, d.date, d.unique_id, j.part, j.kind, j.text, j.written_at
FROM jotting AS j JOIN document AS d USING (document_id)
"""
_IDS = """
SELECT document_id, (SELECT version_id FROM version AS v
  WHERE v.document_id = d.document_id AND v.number = ?)
FROM document AS d WHERE series = ? AND date = ? AND unique_id = ?
"""


def jot(
    transaction: Transaction, subject: Subject, kind: Kind, text: str, *, at: datetime | None
) -> None:
    """Keep a jotting, written `at` a time, else now; the same again stays as it was first.

    Raises NotFoundError.
    """
    name = subject.name
    number = None if name.version is None else storable(name.version)
    ids = transaction.connection.execute(_IDS, (number, *document_key(name))).fetchone()
    if ids is None or (number is not None and ids[1] is None):
        raise NotFoundError(f"no document {name} here", str(name))
    transaction.connection.execute(
        "INSERT INTO jotting (document_id, version_id, part, kind, text, written_at)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (*ids, subject.part, kind, text, timestamp(at or transaction.clock())),
    )


def strike(transaction: Transaction, subject: Subject, kind: Kind, text: str | None) -> int:
    """Take a jotting away, or all of a kind; return how many there were."""
    ids = transaction.connection.execute(_IDS, (None, *document_key(subject.name))).fetchone()
    return transaction.connection.execute(
        "DELETE FROM jotting WHERE document_id = ? AND part = ? AND kind = ?"
        " AND text = coalesce(?, text)",
        (ids and ids[0], subject.part, kind, text),
    ).rowcount


def jottings(
    connection: Session, name: PDI | None = None, kind: Kind | None = None, text: str | None = None
) -> list[Jotting]:
    """Jottings in the order in which they were made: of a document, of a kind, with a text."""
    if not has_schema(connection, JOTTINGS):
        return []
    conditions, values = ["TRUE"], list[object]()
    if name is not None:
        conditions.append("d.series = ? AND d.date = ? AND d.unique_id = ?")
        values += document_key(name)
    for column, value in (("kind", kind), ("text", text)):
        if value is not None:
            conditions.append(f"j.{column} = ?")
            values.append(value)
    where = " AND ".join(conditions)
    rows = connection.execute(f"{_ROWS} WHERE {where} ORDER BY jotting_id", values)
    return [
        Jotting(str(Subject(name_of((series, date, unique_id)), part)), kind, text, instant(at))
        for series, date, unique_id, part, kind, text, at in rows
    ]


class AnnotationRecords:
    """Tags, notes and collections in one archive. The public sees none."""

    def __init__(self, parts: ArchiveParts, gate: Gate) -> None:
        self._catalog = parts.catalog
        self._gate = gate

    def find(
        self, name: PDI | None = None, kind: Kind | None = None, text: str | None = None
    ) -> Sequence[Jotting]:
        """Tags, collections and notes, the oldest first; for the public there are none."""
        if self._gate.public:
            return ()
        return self._catalog.read(jottings, name, kind, text)

    def add(self, subject: Subject, kind: Kind, text: str, *, at: datetime | None = None) -> None:
        """Keep a tag, a collection or a note of a document or a part. Raises NotFoundError."""
        self._catalog.write(jot, subject, kind, text, at=at)

    def remove(self, subject: Subject, kind: Kind, text: str | None = None) -> int:
        """Take one away, or all of its kind; return how many there were."""
        return self._catalog.write(strike, subject, kind, text)
