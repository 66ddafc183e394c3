"""The entries of the Merkle log, one for each commit, and the node hashes above them.

A leaf is canonical JSON (`log.entries` tells what it says); what it commits to stands in `opening`.
Its hash stands in `log_node` at level 0; above it stands every node whose subtree is complete
(RFC 6962 §2.1), so that a proof among a million leaves reads some forty rows. Checkpoints that were
signed are kept, with the time-stamps of others on them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.archive.entries import FORMAT, Entry, Leaf
from permacite.archive.merkle import node_hash
from permacite.archive.records.rows import (
    DAYS,
    ERASABLE,
    digest_in,
    document_key,
    has_schema,
    in_order,
    name_of,
    timestamp,
)
from permacite.errors import IntegrityError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from permacite.archive.entries import Sealed
    from permacite.archive.model.answered import JSON
    from permacite.archive.records.rows import Session, Together, Transaction
    from permacite.pdi import PDI

    Edge = list[tuple[int, bytes | None]]
    """For each level of the tree, from the leaves up: how many complete nodes it has, and the hash
    of the last one."""

__all__ = [
    "Committed",
    "Stamped",
    "append",
    "append_all",
    "append_as_is",
    "append_nodes",
    "checkpoints",
    "committed",
    "edge",
    "entries",
    "entries_before",
    "format_entry",
    "head",
    "leaf_at",
    "leaves",
    "node",
    "openings",
    "record_checkpoint",
    "record_timestamp",
    "side",
    "size",
    "stamped",
    "version_entry",
]

_HEAD = """
SELECT (SELECT 1 + coalesce(max(sequence), -1) FROM leaf),
       (SELECT note FROM checkpoint ORDER BY size DESC LIMIT 1)
"""
"""One statement, so one view of the database."""

_EDGE = """
WITH RECURSIVE edge (level, nodes) AS (
  SELECT 0, 1 + coalesce(max(sequence), -1) FROM leaf
  UNION ALL SELECT level + 1, nodes / 2 FROM edge WHERE nodes > 1)
SELECT e.nodes, n.hash FROM edge AS e
LEFT JOIN log_node AS n ON n.level = e.level AND n.position = e.nodes - 1 ORDER BY e.level
"""

_VERSION = """
SELECT v.version_id, d.series, d.date, d.unique_id, v.number, v.committed_at,
       v.title, v.uri, v.final_uri, v.retrieved_at, v.details
FROM version AS v JOIN document AS d USING (document_id) WHERE v.version_id = ?
"""

_FORMATS = """
SELECT representation_id, format, media_type, charset, size_bytes, digest,
       received_digest, derived_from, rendition, committed_at
FROM representation WHERE version_id = ? ORDER BY representation_id
"""

_DESCRIBED = (
    "format",
    "media_type",
    "charset",
    "size_bytes",
    "digest",
    "received_digest",
    "derived_from",
    "rendition",
)


@dataclass(frozen=True, slots=True)
class Stamped:
    """A checkpoint with a time-stamp of another authority on it (RFC 3161)."""

    size: int
    note: str
    authority: str
    """The address that was asked."""
    response: bytes
    """A TimeStampResp in DER."""


class Committed(NamedTuple):
    """A version as its rows have it; both the log's entry and the answer are made of this."""

    version: tuple[Any, ...]
    """version_id, series, date, unique_id, number, committed_at, title, uri, final_uri,
    retrieved_at, details."""
    formats: list[tuple[Any, ...]]
    """format, media_type, charset, size_bytes, digest, received_digest, derived_from, rendition,
    committed_at."""
    sides: list[dict[str, JSON]]
    """Beside each format: its "attachments" and "quotations", where it has any."""


def committed(connection: Session, version_id: int) -> Committed:
    """Read what is committed of a version."""
    version = connection.execute(_VERSION, (version_id,)).fetchone()
    formats = connection.execute(_FORMATS, (version_id,)).fetchall()
    sides = [_side(connection, row[0]) for row in formats]
    return Committed(version, [_in_texts(row[1:]) for row in formats], sides)


def _in_texts(columns: tuple[Any, ...]) -> tuple[Any, ...]:
    """The columns of a format with digests as texts, as entries have them."""
    *described, digest, received, source, way, committed_at = columns
    received = None if received is None else digest_in(received)
    return (*described, digest_in(digest), received, source, way, committed_at)


def version_entry(written: Committed, tokens: Collection[str] | None = None) -> Entry:
    """Return the entry of a version with these formats, all where None."""
    _, series, date, unique_id, number, committed_at, *provenance = written.version
    clear: dict[str, JSON] = {
        "kind": "version",
        "name": _name(series, date, unique_id),
        "version": number,
        "committed_at": committed_at,
    }
    title, uri, final_uri, retrieved_at, details = provenance
    parts: dict[str, dict[str, JSON]] = {}
    if any(provenance[:-1]) or details != "{}":
        parts["provenance"] = {
            "title": title,
            "uri": uri,
            "final_uri": final_uri,
            "retrieved_at": retrieved_at,
            "details": json.loads(details),
        }
    return Entry(clear, parts | _formats(written, tokens))


def format_entry(written: Committed, token: str) -> Entry:
    """Return the entry of a format that was added later. Raises LookupError if there is none."""
    _, series, date, unique_id, number, *_ = written.version
    (committed_at,) = [row[-1] for row in written.formats if row[0] == token] or [None]
    if committed_at is None:
        raise LookupError(token)
    clear: dict[str, JSON] = {
        "kind": "format",
        "name": _name(series, date, unique_id),
        "version": number,
        "committed_at": committed_at,
    }
    return Entry(clear, _formats(written, (token,)))


def _formats(written: Committed, tokens: Collection[str] | None) -> dict[str, dict[str, JSON]]:
    """The parts of an entry for these formats, all where None."""
    return {
        FORMAT + row[0]: dict(zip(_DESCRIBED, row, strict=False)) | side
        for row, side in zip(written.formats, written.sides, strict=True)
        if tokens is None or row[0] in tokens
    }


def append(transaction: Transaction, entry: Entry) -> int:
    """Append one leaf and the nodes it completes; the place of the leaf is returned."""
    return append_all(transaction, [entry])


def edge(together: Together) -> Edge:
    """The right edge of the tree, to be asked with other questions."""
    return together.ask(_EDGE)


def append_all(
    transaction: Transaction, entries: Sequence[Entry], *, edge: Edge | None = None
) -> int:
    """Append leaves, each node above them written once; the place of the first is returned.

    The `edge` of the tree is looked up where it is not known.
    """
    connection = transaction.connection
    known = connection.execute(_EDGE).fetchall() if edge is None else edge
    first = int(known[0][0])
    sealed = [transaction.sealer(entry) for entry in entries]
    rows = [
        (sequence, json.loads(leaf.content)["name"], leaf.content.decode())
        for sequence, leaf in enumerate(sealed, first)
    ]
    connection.executemany("INSERT INTO leaf VALUES (?, ?, ?)", rows)
    openings = [
        (sequence, part, opening.decode())
        for sequence, leaf in enumerate(sealed, first)
        for part, opening in leaf.openings.items()
    ]
    connection.executemany("INSERT INTO opening VALUES (?, ?, ?)", openings)
    append_nodes(connection, first, [leaf.hash for leaf in sealed], edge=known)
    return first


def append_as_is(transaction: Transaction, name: str, leaf: Sealed) -> None:
    """Append a leaf about the document `name` as it is, of which no record is left."""
    append(transaction._replace(sealer=lambda _: leaf), Entry({"name": name}, {}))


def append_nodes(
    connection: Session, first: int, hashes: list[bytes], *, edge: Edge | None = None
) -> None:
    """Write the hashes of new leaves, from `first` on, and the nodes they complete.

    What stands to the left of them is looked up where the `edge` of the tree is not known.
    """
    nodes: list[tuple[int, int, bytes]] = []
    level, position, row = 0, first, hashes
    while row:
        nodes += [(level, position + number, hash_) for number, hash_ in enumerate(row)]
        if position % 2:
            position -= 1
            left = edge[level][1] if edge else node(connection, level, position)
            row.insert(0, _present(left, level, position))
        pairs = zip(row[::2], row[1::2], strict=False)
        level, position, row = level + 1, position // 2, [node_hash(*pair) for pair in pairs]
    connection.executemany("INSERT INTO log_node VALUES (?, ?, ?)", nodes)


def openings(connection: Session, sequence: int) -> dict[str, bytes]:
    """Return the openings of a leaf by part, in the order of their parts; without those erased."""
    if not has_schema(connection, ERASABLE):
        return {}
    rows = connection.execute(
        f"SELECT part, {connection.dialect.as_octets} FROM opening"
        " WHERE sequence = ? ORDER BY part",
        (sequence,),
    )
    return {part: bytes(content) for part, content in rows}


def size(connection: Session) -> int:
    """Return the number of leaves."""
    row = connection.execute("SELECT 1 + coalesce(max(sequence), -1) FROM leaf").fetchone()
    return int(row[0])


def head(connection: Session) -> tuple[int, str | None]:
    """The number of leaves and the newest checkpoint, as they are at one moment.

    Read one after the other, a checkpoint that others signed in between would promise more.
    """
    size, note = connection.execute(_HEAD).fetchone()
    return int(size), note


def node(connection: Session, level: int, position: int) -> bytes:
    """Return the hash of a complete subtree. Raises IntegrityError where it is missing."""
    row = connection.execute(
        "SELECT hash FROM log_node WHERE level = ? AND position = ?", (level, position)
    ).fetchone()
    return _present(None if row is None else row[0], level, position)


def _present(hash_: bytes | None, level: int, position: int) -> bytes:
    """A hash that was looked up. Raises IntegrityError where it is missing."""
    if hash_ is None:
        raise IntegrityError(
            f"the log lacks its node {level}/{position}", expected="a hash", actual="nothing"
        )
    return bytes(hash_)


def leaves(connection: Session, start: int, end: int) -> list[Leaf]:
    """The leaves from `start` up to `end`."""
    page = _leaves(connection, "l.sequence >= ? AND l.sequence < ?", (start, end))
    in_order(leaf.sequence >= start for leaf in page)
    return page


def leaf_at(connection: Session, sequence: int) -> Leaf | None:
    """One leaf, None where it is missing."""
    return next(iter(leaves(connection, sequence, sequence + 1)), None)


def entries(connection: Session, pdi: PDI) -> list[Leaf]:
    """The leaves about the document `pdi`, oldest first."""
    return _leaves(connection, "l.subject = ?", (str(name_of(document_key(pdi))),))


def entries_before(connection: Session, subject: str, sequence: int) -> list[Leaf]:
    """The leaves about a subject that stand before a place, oldest first."""
    return _leaves(connection, "l.subject = ? AND l.sequence < ?", (subject, sequence))


def _leaves(connection: Session, condition: str, parameters: tuple[int | str, ...]) -> list[Leaf]:
    """Return the leaves that meet a condition; the hash is empty where it is missing.

    As octets: what is no text any more has a hash too, which tells it.
    """
    rows = connection.execute(
        f"SELECT l.sequence, {connection.dialect.as_octets}, n.hash FROM leaf AS l"
        " LEFT JOIN log_node AS n"
        f" ON n.level = 0 AND n.position = l.sequence WHERE {condition} ORDER BY l.sequence",
        parameters,
    )
    return [
        Leaf(sequence, bytes(content), bytes(hash_ or b"")) for sequence, content, hash_ in rows
    ]


def side(
    sidecars: Sequence[tuple[str, str]], quotations: Sequence[tuple[str, str]]
) -> dict[str, JSON]:
    """The members beside a format: (name, digest) pairs, and (origin, cited) pairs."""
    members: dict[str, JSON] = {}
    if sidecars:
        named: dict[str, JSON] = {}
        named.update(sidecars)
        members["attachments"] = named
    if quotations:
        members["quotations"] = [[origin, cited] for origin, cited in quotations]
    return members


def _side(connection: Session, representation_id: int) -> dict[str, JSON]:
    """Read what stands beside a format."""
    sidecars = connection.execute(
        "SELECT name, digest FROM attachment WHERE representation_id = ?", (representation_id,)
    )
    quotations = connection.execute(
        "SELECT origin, cited FROM quotation WHERE representation_id = ? ORDER BY quotation_id",
        (representation_id,),
    ).fetchall()
    return side([(name, digest_in(octets)) for name, octets in sidecars], quotations)


def checkpoints(connection: Session) -> list[tuple[int, str]]:
    """Sizes and notes of the checkpoints that were signed, the newest first."""
    return connection.execute("SELECT size, note FROM checkpoint ORDER BY size DESC").fetchall()


def record_checkpoint(transaction: Transaction, size: int, note: str) -> str:
    """Keep a signed checkpoint; where one of this size is kept, that is returned instead."""
    question = "SELECT note FROM checkpoint WHERE size = ?"
    kept = transaction.connection.execute(question, (size,)).fetchone()
    if kept is not None:
        return str(kept[0])
    row = (size, note, timestamp(transaction.clock()))
    transaction.connection.execute("INSERT INTO checkpoint VALUES (?, ?, ?)", row)
    return note


def stamped(connection: Session, sequence: int | None = None) -> list[Stamped]:
    """The time-stamps on checkpoints, of the shortest log first.

    Of those that cover the leaf `sequence`, where it is given.
    """
    if not has_schema(connection, DAYS):
        return []
    rows = connection.execute(
        "SELECT size, note, authority, response FROM timestamp JOIN checkpoint USING (size)"
        " WHERE size > ? ORDER BY size, timestamp_id",
        (-1 if sequence is None else sequence,),
    )
    return [Stamped(*row) for row in rows]


def record_timestamp(
    transaction: Transaction, size: int, authority: str, response: bytes, *, stamped_at: datetime
) -> None:
    """Keep a time-stamp on the checkpoint of `size`."""
    transaction.connection.execute(
        "INSERT INTO timestamp (size, authority, response, stamped_at) VALUES (?, ?, ?, ?)",
        (size, authority, response, timestamp(stamped_at)),
    )


def _name(series: str, date: str, unique_id: str) -> str:
    """Return the document's name; the catalog's fields are canonical already."""
    return f"urn:pdi://{series}/{date.replace('-', '/')}/{unique_id}"
