"""Rows of an archive in batches: all rows that the next log entries stand for, read and inserted.

A copy from one catalog into another is carried this way: see `copying`. All rows that no entry
stands for are compared by key whenever a copy is brought up to date. The tables say which is so for
which, and which are left out.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.archive.entries import commitments, hash_of, lenient, tokens
from permacite.archive.objects.source import digest_of
from permacite.archive.records import access, leaves, octets
from permacite.archive.records.rows import ERASED_OCTETS, digest_in
from permacite.archive.records.settings import OF_ONE_PLACE
from permacite.errors import ConflictError, IntegrityError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from permacite.archive.entries import Leaf
    from permacite.archive.records.rows import Session, Transaction

__all__ = [
    "COMPARED",
    "LEFT_OUT",
    "LOG",
    "NEEDED",
    "SLICED",
    "Compared",
    "CopyPosition",
    "Row",
    "RowBatch",
    "add_rows",
    "digests_after",
    "insert",
    "next_rows",
    "position_of",
]

Row = tuple[Any, ...]

_POSITION = """
SELECT (SELECT 1 + coalesce(max(sequence), -1) FROM leaf),
  (SELECT coalesce(max(document_id), 0) FROM document),
  (SELECT coalesce(max(version_id), 0) FROM version),
  (SELECT coalesce(max(representation_id), 0) FROM representation)
"""
_DATE = 2
"""The column of `document` that has its date."""
_DIGEST, _RECEIVED, _OF_SIDECAR = 6, 8, 2
"""The columns of `representation`, and of `attachment`, that name contents."""
LOG = "log_node"
"""The hashes of the log: computed again from its entries."""

_OF_ENTRIES = "sequence >= :start AND sequence < :end"
_OF_DOCUMENTS = "document_id > :document AND document_id <= :last_document"
_OF_FORMATS = "representation_id > :format AND representation_id <= :last_format"

SLICED = {
    "document": _OF_DOCUMENTS,
    "version": "version_id > :version AND version_id <= :last_version",
    "representation": _OF_FORMATS,
    "attachment": _OF_FORMATS,
    "quotation": _OF_FORMATS,
    "leaf": _OF_ENTRIES,
    "opening": _OF_ENTRIES,
    "citation": f"citation_id IN (SELECT citation_id FROM citation_leaf WHERE {_OF_ENTRIES})",
    "citation_leaf": _OF_ENTRIES,
    "assertion": _OF_ENTRIES,
    "delegation": "delegation_id IN"
    f" (SELECT delegation_id FROM delegation_leaf WHERE {_OF_ENTRIES})",
    "delegation_leaf": _OF_ENTRIES,
    "day": _OF_ENTRIES,
    "erasure": _OF_ENTRIES,
    "standing": _OF_DOCUMENTS,
    "building": f"standing_id IN (SELECT standing_id FROM standing WHERE {_OF_DOCUMENTS})",
}
"""Conditions for the rows of each table in a batch, in the order in which they may be inserted. The
standing of a document comes with it."""


class CopyPosition(NamedTuple):
    """The size of a log, and the ids of the last rows that its entries stand for."""

    size: int
    document: int
    version: int
    format: int


@dataclass(frozen=True, slots=True)
class RowBatch:
    """All rows that the entries from `before.size` up to `after.size` stand for."""

    before: CopyPosition
    after: CopyPosition
    rows: dict[str, list[Row]]
    """By table, in the order in which they may be inserted."""
    hashes: list[bytes]
    """The hashes of the entries."""

    @property
    def end(self) -> int:
        """The size of the log after it."""
        return self.after.size

    def digests(self) -> list[str]:
        """Return the digests of the contents that the rows name, each once."""
        return _digests(self.rows["representation"], self.rows["attachment"])


def _digests(formats: Sequence[Row], sidecars: Sequence[Row]) -> list[str]:
    """Return the digests of the contents that rows name, each once."""
    named = [row[column] for row in formats for column in (_DIGEST, _RECEIVED)]
    named += [row[_OF_SIDECAR] for row in sidecars]
    return [
        digest_in(octets) for octets in dict.fromkeys(named) if octets not in {None, ERASED_OCTETS}
    ]


def digests_after(session: Session, format_: int, count: int) -> tuple[int, list[str]] | None:
    """Return the id of the last of the next `count` formats, and the digests that they name.

    None at the end.
    """
    last = _last(session, "representation", format_, count)
    bounds = {"format": format_, "last_format": last}
    formats, sidecars = (
        session.execute(f"SELECT * FROM {table} WHERE {SLICED[table]}", bounds).fetchall()
        for table in ("representation", "attachment")
    )
    return (last, _digests(formats, sidecars)) if formats else None


def position_of(session: Session) -> CopyPosition:
    """Return how far an archive is."""
    return CopyPosition(*session.execute(_POSITION).fetchone())


def next_rows(session: Session, before: CopyPosition, count: int) -> RowBatch:
    """Read the rows of the next entries, at most `count`. Raises IntegrityError for a damaged one.

    Versions and formats were inserted in the order of their entries, so their ids tell which
    belong to a batch.
    """
    entries = leaves.leaves(session, before.size, before.size + count)
    fields = [lenient(leaf) for leaf in entries]
    versions = sum(entry.get("kind") == "version" for entry in fields)
    formats = sum(len(tokens(entry)) for entry in fields)
    version = _last(session, "version", before.version, versions)
    after = CopyPosition(
        before.size + len(entries),
        _document(session, before, version),
        version,
        _last(session, "representation", before.format, formats),
    )
    bounds = {
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
            f"SELECT * FROM {table} WHERE {condition} ORDER BY 1", bounds
        ).fetchall()
        for table, condition in SLICED.items()
    }
    batch = RowBatch(before, after, rows, [leaf.hash for leaf in entries])
    _check(batch, entries, fields)
    return batch


def _document(session: Session, before: CopyPosition, version: int) -> int:
    """Return the id of the last document that the versions up to this one added."""
    question = "SELECT max(document_id) FROM version WHERE version_id > ? AND version_id <= ?"
    (document,) = session.execute(question, (before.version, version)).fetchone()
    return max(before.document, document or 0)


def _last(session: Session, table: str, after: int, count: int) -> int:
    """Return the id of the last of the next `count` rows after `after`."""
    key = f"{table}_id"
    question = (
        f"SELECT coalesce(max({key}), ?) FROM"
        f" (SELECT {key} FROM {table} WHERE {key} > ? ORDER BY {key} LIMIT ?) AS next"
    )
    return int(session.execute(question, (after, after, count)).fetchone()[0])


def _check(batch: RowBatch, entries: list[Leaf], fields: list[dict[str, Any]]) -> None:
    """Raise IntegrityError where an entry or an opening does not have its hash."""
    for number, leaf in enumerate(entries, batch.before.size):
        if leaf.sequence != number or hash_of(leaf) != leaf.hash:
            raise _damaged(f"entry {number} of the log", leaf.hash.hex(), hash_of(leaf).hex())
    for sequence, part, content in batch.rows["opening"]:
        expected = commitments(fields[sequence - batch.before.size]).get(part, "nothing")
        actual = digest_of(content.encode())
        if actual != expected:
            raise _damaged(f"the opening {part!r} of entry {sequence}", expected, actual)


def _damaged(subject: str, expected: str, actual: str) -> IntegrityError:
    return IntegrityError(
        f"{subject} is not what its hash says, and is not copied",
        expected=expected,
        actual=actual,
        hint="permacite fsck lists all that is wrong",
    )


def add_rows(
    transaction: Transaction, batch: RowBatch, staged: Sequence[tuple[str, bytes]]
) -> None:
    """Insert a batch, and erase what its entries say is erased.

    `staged` are contents that no object holds yet. Raises ConflictError where something else
    writes there.
    """
    session = transaction.connection
    if position_of(session).size != batch.before.size:
        raise ConflictError("something else writes to the copy", "leaf")
    for table, rows in batch.rows.items():
        for group in _groups(table, rows):
            insert(session, table, group)
    leaves.append_nodes(session, batch.before.size, list(batch.hashes))
    octets.stage(session, staged)
    for row in batch.rows["erasure"]:
        access.carry_out(transaction, row[0])


def _groups(table: str, rows: Sequence[Row]) -> Iterable[list[Row]]:
    """Yield rows that may be inserted together: documents of one day, erasures not done yet."""
    if table == "document":
        return (list(group) for _, group in groupby(rows, key=lambda row: row[_DATE]))
    if table == "erasure":
        return [[(*row[:-1], None) for row in rows]]
    return [list(rows)]


def insert(session: Session, table: str, rows: Sequence[Row]) -> None:
    """Insert whole rows."""
    if not rows:
        return
    marks = ", ".join("?" * len(rows[0]))
    session.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


class Compared(NamedTuple):
    """Comparison of a table by its key, the first column."""

    key: str
    is_lasting: bool = False
    """Whether existing rows may not be deleted, nor changed except by `change`."""
    change: str = ""
    """The only statement that may change a row; it takes a value and the key."""
    column: int = 0
    """The column of that value."""
    own: tuple[str, ...] = ()
    """The keys of rows that every place has for itself: they are not compared."""


NEEDED = {
    "series": Compared("series_id", is_lasting=True),
    "person": Compared(
        "person_id",
        is_lasting=True,
        change="UPDATE person SET name = ? WHERE person_id = ? AND name IS NOT NULL",
        column=1,
    ),
}
"""Tables that rows of a batch refer to: compared before the first batch, and at the end."""

COMPARED = NEEDED | {
    "erasure": Compared(
        "erasure_id",
        is_lasting=True,
        change="UPDATE erasure SET done_at = ? WHERE erasure_id = ? AND done_at IS NULL",
        column=8,
    ),
    "standing": Compared("standing_id", is_lasting=True),
    "building": Compared("standing_id", is_lasting=True),
    "idempotency": Compared("key", is_lasting=True),
    "checkpoint": Compared("size", is_lasting=True),
    "timestamp": Compared("timestamp_id", is_lasting=True),
    "remark": Compared("sequence"),
    "live_page": Compared("version_id"),
    "live_passage": Compared("citation_id"),
    "passage_news": Compared("news_id"),
    "jotting": Compared("jotting_id"),
    "watch": Compared("uri"),
    "git_blob": Compared("digest"),
    "content_pieces": Compared("digest"),
    "setting": Compared("name", own=OF_ONE_PLACE),
}
"""The other tables. The settings are last: they say that the copy is complete."""

LEFT_OUT = {
    "unsettled": "octets that wait to become objects, which they are in the copy",
    "erasure_object": "octets that are to be destroyed: a copy notes those that it has itself",
    "packed": "where in the objects of one store octets are",
    "emptied_pack": "objects of one store that are to be deleted",
    "lease": "who does something at the moment",
}
"""Tables that belong to one place, and why a copy does not have them."""
