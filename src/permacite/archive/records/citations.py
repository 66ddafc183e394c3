"""The citations on record: each once, and found again by what they cite."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from permacite.archive.canonical_json import canonical_json
from permacite.archive.entries import CITATION, Entry
from permacite.archive.model.answered import Citation
from permacite.archive.objects.source import digest_of
from permacite.archive.records import leaves
from permacite.archive.records.rows import (
    DAYS,
    document_key,
    has_schema,
    instant,
    name_of,
    storable,
    timestamp,
)
from permacite.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from permacite.archive.entries import Leaf
    from permacite.archive.model.answered import JSON
    from permacite.archive.model.submitted import NewCitation
    from permacite.archive.records.rows import Session, Transaction
    from permacite.pdi import PDI

__all__ = [
    "citations",
    "entry_at",
    "fill",
    "identities",
    "leaf_of",
    "log_all",
    "quotations",
    "quoters",
    "record",
]

_CITATIONS = """
SELECT c.fragment, d.series, d.date, d.unique_id, r.format, v.number, c.start, c."end", c.quote,
       c.before, c.after, c.media_type, c.cited_at, c.note
FROM citation AS c
JOIN representation AS r USING (representation_id)
JOIN version AS v USING (version_id)
JOIN document AS d USING (document_id)
"""

_QUOTATIONS = """
SELECT d.series, d.date, d.unique_id, r.format, v.number, q.origin, q.cited
FROM quotation AS q
JOIN representation AS r USING (representation_id)
JOIN version AS v USING (version_id)
JOIN document AS d USING (document_id)
"""


def leaf_of(connection: Session, citation: Citation) -> Leaf | None:
    """The leaf of a citation; None where it is not recorded, or not in the log."""
    place = _sequence_of(connection, citation) if has_schema(connection, DAYS) else None
    return None if place is None else leaves.leaf_at(connection, place)


def quotations(connection: Session, pdi: PDI) -> list[tuple[PDI, str, str]]:
    """Each quotation in the representations that `pdi` names: which, the origin, the cited."""
    conditions = _of_document(pdi)
    if pdi.format is not None:
        conditions["r.format = ?"] = pdi.format
    if pdi.version is not None:
        conditions["v.number = ?"] = storable(pdi.version)
    return _quotations(connection, conditions)


def quoters(connection: Session, pdi: PDI) -> list[tuple[PDI, str, str]]:
    """The same of all that quote the document `pdi`, oldest first."""
    document = name_of(document_key(pdi)).canonical()
    return _quotations(connection, {"q.cited_document = ?": document})


def _of_document(pdi: PDI) -> dict[str, str | int]:
    """The conditions on the document that `pdi` names, each with its parameter."""
    conditions = ("d.series = ?", "d.date = ?", "d.unique_id = ?")
    return dict(zip(conditions, document_key(pdi), strict=True))


def _quotations(
    connection: Session, conditions: dict[str, str | int]
) -> list[tuple[PDI, str, str]]:
    """Who quotes, from which position on, and what."""
    rows = connection.execute(
        f"{_QUOTATIONS} WHERE {' AND '.join(conditions)} ORDER BY q.quotation_id",
        tuple(conditions.values()),
    )
    return [
        (
            dataclasses.replace(name_of((row[0], row[1], row[2])), format=row[3], version=row[4]),
            *row[5:],
        )
        for row in rows
    ]


def record(transaction: Transaction, citation: NewCitation) -> Citation:
    """Record a citation once; the same again gives the first record.

    Raises NotFoundError where what it cites is not committed.
    """
    connection = transaction.connection
    row = connection.execute(
        "SELECT citation_id FROM citation WHERE identity = ?", (_identity(citation),)
    ).fetchone()
    if row is not None:
        return citations(connection, citation_id=row[0])[0]
    at = citation.cited_at or transaction.clock()
    return _log(transaction, _inserted(connection, citation, at))


def fill(connection: Session, citation: NewCitation, at: datetime, sequence: int) -> None:
    """Write the row of a citation whose leaf is there, where none is: for mirrors.

    Raises NotFoundError where what it cites is not here.
    """
    if not connection.execute(
        "SELECT 1 FROM citation WHERE identity = ?", (_identity(citation),)
    ).fetchone():
        row = (_inserted(connection, citation, at), sequence)
        connection.execute("INSERT INTO citation_leaf VALUES (?, ?)", row)


def _inserted(connection: Session, citation: NewCitation, at: datetime) -> int:
    """Write the row of a citation; its id is returned."""
    fields = (
        _identity(citation),
        _representation_id(connection, citation.pdi),
        citation.fragment,
        citation.start,
        citation.end,
        citation.quote,
        citation.before,
        citation.after,
        citation.media_type,
        timestamp(at),
        citation.note,
    )
    ((citation_id,),) = connection.execute(
        'INSERT INTO citation (identity, representation_id, fragment, start, "end", quote, before,'
        " after, media_type, cited_at, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " RETURNING citation_id",
        fields,
    ).fetchall()
    return int(citation_id)


def log_all(transaction: Transaction) -> None:
    """Append the leaves of all citations that have none, oldest first."""
    question = (
        "SELECT citation_id FROM citation WHERE citation_id NOT IN"
        " (SELECT citation_id FROM citation_leaf) ORDER BY citation_id"
    )
    for (citation_id,) in transaction.connection.execute(question).fetchall():
        _log(transaction, citation_id)


def _log(transaction: Transaction, citation_id: int) -> Citation:
    """Append the leaf of a citation, and give that back."""
    (citation,) = citations(transaction.connection, citation_id=citation_id)
    sequence = leaves.append(transaction, _entry_of(citation))
    row = (citation_id, sequence)
    transaction.connection.execute("INSERT INTO citation_leaf VALUES (?, ?)", row)
    return citation


def entry_at(connection: Session, sequence: int) -> Entry | None:
    """Return the entry of the citation whose leaf is `sequence`, as its row has it now."""
    row = connection.execute(
        "SELECT citation_id FROM citation_leaf WHERE sequence = ?", (sequence,)
    ).fetchone()
    return None if row is None else _entry_of(citations(connection, citation_id=row[0])[0])


def _sequence_of(connection: Session, citation: Citation) -> int | None:
    """Return the place of a recorded citation's leaf, None where it is not recorded or has none."""
    row = connection.execute(
        "SELECT sequence FROM citation_leaf JOIN citation USING (citation_id) WHERE identity = ?",
        (_identity(citation),),
    ).fetchone()
    return None if row is None else int(row[0])


def _entry_of(citation: Citation) -> Entry:
    """The entry of a citation: which words of a document are cited is not in clear."""
    pdi = citation.pdi
    clear: dict[str, JSON] = {
        "kind": "citation",
        "name": str(name_of(document_key(pdi))),
        "version": pdi.version,
        "format": pdi.format,
        "cited_at": timestamp(citation.cited_at),
    }
    cited: dict[str, JSON] = {
        "reference": citation.fragment,
        "start": citation.start,
        "end": citation.end,
        "quote": citation.quote,
        "before": citation.before,
        "after": citation.after,
        "media_type": citation.media_type,
    }
    # A note is for whoever took it: proofs of the words do not open it.
    noted: dict[str, dict[str, JSON]] = (
        {"note": {"note": citation.note}} if citation.note is not None else {}
    )
    return Entry(clear, {CITATION: cited} | noted)


def citations(
    connection: Session, pdi: PDI | None = None, *, citation_id: int | None = None
) -> list[Citation]:
    """The citations of what `pdi` names (all where None), or the one with a row, oldest first."""
    conditions: dict[str, str | int] = {}
    if pdi is not None:
        conditions |= _of_document(pdi)
        if pdi.format is not None:
            conditions["r.format = ?"] = pdi.format.lower()
        if pdi.version is not None:
            conditions["v.number = ?"] = storable(pdi.version)
    if citation_id is not None:
        conditions["c.citation_id = ?"] = citation_id
    question = f"{_CITATIONS} WHERE {' AND '.join(conditions) or 'TRUE'} ORDER BY c.citation_id"
    return [_citation(row) for row in connection.execute(question, tuple(conditions.values()))]


def _identity(citation: NewCitation | Citation) -> str:
    """Return the digest of what makes two citations the same one; the time does not count."""
    return digest_of(
        canonical_json(
            [
                citation.fragment,
                citation.pdi.canonical(),
                citation.quote,
                citation.before,
                citation.after,
                citation.media_type,
                citation.note,
            ]
        )
    )


def identities(connection: Session) -> Iterator[tuple[int, str, str]]:
    """Return the row of each citation, the identity it has, and the one it should have."""
    question = "SELECT citation_id, identity FROM citation ORDER BY citation_id"
    for row, kept in connection.execute(question).fetchall():
        for citation in citations(connection, citation_id=row):
            yield row, kept, _identity(citation)


def _representation_id(connection: Session, pdi: PDI) -> int:
    """Return the row of a full name. Raises NotFoundError."""
    row = connection.execute(
        "SELECT r.representation_id FROM representation AS r JOIN version AS v USING (version_id)"
        " JOIN document AS d USING (document_id) WHERE d.series = ? AND d.date = ?"
        " AND d.unique_id = ? AND r.format = ? AND v.number = ?",
        (*document_key(pdi), (pdi.format or "").lower(), storable(pdi.version or 0)),
    ).fetchone()
    if row is None:
        raise NotFoundError(f"only what is committed can be cited: {pdi}", str(pdi))
    return int(row[0])


def _citation(row: tuple[Any, ...]) -> Citation:
    """Return the citation of one row."""
    fragment, *key, token, number, start, end, quote, before, after, media_type = row[:-2]
    cited_at, note = row[-2:]
    return Citation(
        fragment=fragment,
        pdi=name_of((key[0], key[1], key[2])).with_(format=token, version=number),
        start=start,
        end=end,
        quote=quote,
        before=before,
        after=after,
        media_type=media_type,
        cited_at=instant(cited_at),
        note=note,
    )
