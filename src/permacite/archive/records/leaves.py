"""The entries of the Merkle log, one for each commit, and the node hashes above them.

A leaf is canonical JSON (`log.entries` tells what it says); what it commits to stands in `opening`.
Its hash stands in `log_node` at level 0; above it stands every node whose subtree is complete
(RFC 6962 §2.1), so that a proof among a million leaves reads some forty rows.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.archive.catalog import Leaf
from permacite.archive.entries import FORMAT, Entry
from permacite.archive.merkle import node_hash
from permacite.errors import IntegrityError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Sequence

    from permacite.archive.entries import Sealer
    from permacite.archive.model import JSON

__all__ = [
    "Committed",
    "append",
    "append_all",
    "committed",
    "entries",
    "format_entry",
    "has_days",
    "has_openings",
    "leaf_at",
    "leaves",
    "node",
    "openings",
    "side",
    "size",
    "version_entry",
]

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


def committed(connection: sqlite3.Connection, version_id: int) -> Committed:
    """Read what is committed of a version."""
    version = connection.execute(_VERSION, (version_id,)).fetchone()
    formats = connection.execute(_FORMATS, (version_id,)).fetchall()
    sides = [_side(connection, row[0]) for row in formats]
    return Committed(version, [row[1:] for row in formats], sides)


def version_entry(made: Committed, tokens: Collection[str] | None = None) -> Entry:
    """Return the entry of a version with these formats, all where None."""
    _, series, date, unique_id, number, committed_at, *provenance = made.version
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
    return Entry(clear, parts | _formats(made, tokens))


def format_entry(made: Committed, token: str) -> Entry:
    """Return the entry of a format that was added later. Raises LookupError if there is none."""
    _, series, date, unique_id, number, *_ = made.version
    (committed_at,) = [row[-1] for row in made.formats if row[0] == token] or [None]
    if committed_at is None:
        raise LookupError(token)
    clear: dict[str, JSON] = {
        "kind": "format",
        "name": _name(series, date, unique_id),
        "version": number,
        "committed_at": committed_at,
    }
    return Entry(clear, _formats(made, (token,)))


def _formats(made: Committed, tokens: Collection[str] | None) -> dict[str, dict[str, JSON]]:
    """Return what is committed of each of these formats, all where None."""
    return {
        FORMAT + row[0]: dict(zip(_DESCRIBED, row, strict=False)) | side
        for row, side in zip(made.formats, made.sides, strict=True)
        if tokens is None or row[0] in tokens
    }


def append(connection: sqlite3.Connection, entry: Entry, sealer: Sealer) -> int:
    """Append one leaf and the nodes it completes; return its place."""
    return append_all(connection, [entry], sealer)


def append_all(connection: sqlite3.Connection, entries: Sequence[Entry], sealer: Sealer) -> int:
    """Append leaves, each node above them written once; return the place of the first one."""
    first = size(connection)
    sealed = [sealer(entry) for entry in entries]
    rows = [
        (sequence, json.loads(one.content)["name"], one.content.decode())
        for sequence, one in enumerate(sealed, first)
    ]
    connection.executemany("INSERT INTO leaf VALUES (?, ?, ?)", rows)
    openings = [
        (sequence, part, opening.decode())
        for sequence, one in enumerate(sealed, first)
        for part, opening in one.openings.items()
    ]
    connection.executemany("INSERT INTO opening VALUES (?, ?, ?)", openings)
    _append_nodes(connection, first, [one.hash for one in sealed])
    return first


def _append_nodes(connection: sqlite3.Connection, first: int, hashes: list[bytes]) -> None:
    """Write the hashes of new leaves, from `first` on, and the nodes they complete."""
    nodes: list[tuple[int, int, bytes]] = []
    level, position, found = 0, first, hashes
    while found:
        nodes += [(level, position + number, one) for number, one in enumerate(found)]
        if position % 2:
            position -= 1
            found.insert(0, node(connection, level, position))
        pairs = zip(found[::2], found[1::2], strict=False)
        level, position, found = level + 1, position // 2, [node_hash(*pair) for pair in pairs]
    connection.executemany("INSERT INTO log_node VALUES (?, ?, ?)", nodes)


def openings(connection: sqlite3.Connection, sequence: int) -> dict[str, bytes]:
    """Return the openings of a leaf by part, in the order of their parts; without those erased."""
    if not has_openings(connection):
        return {}
    rows = connection.execute(
        "SELECT part, CAST(content AS BLOB) FROM opening WHERE sequence = ? ORDER BY part",
        (sequence,),
    )
    return {part: bytes(content) for part, content in rows}


def size(connection: sqlite3.Connection) -> int:
    """Return the number of leaves."""
    row = connection.execute("SELECT 1 + coalesce(max(sequence), -1) FROM leaf").fetchone()
    return int(row[0])


def has_days(connection: sqlite3.Connection) -> bool:
    """Say whether the catalog has schema 2; one that may only be read may be older."""
    return bool(connection.execute("PRAGMA user_version").fetchone()[0] > 1)


def has_openings(connection: sqlite3.Connection) -> bool:
    """Say whether the catalog has schema 4, likewise."""
    return bool(connection.execute("PRAGMA user_version").fetchone()[0] > 3)  # noqa: PLR2004 - 4


def node(connection: sqlite3.Connection, level: int, position: int) -> bytes:
    """Return the hash of a complete subtree. Raises IntegrityError where it is missing."""
    row = connection.execute(
        "SELECT hash FROM log_node WHERE level = ? AND position = ?", (level, position)
    ).fetchone()
    if row is None:
        raise IntegrityError(
            f"the log lacks its node {level}/{position}", expected="a hash", actual="nothing"
        )
    return bytes(row[0])


def leaves(connection: sqlite3.Connection, start: int, end: int) -> list[Leaf]:
    """Return the leaves from `start` up to `end`."""
    return _leaves(connection, "l.sequence >= ? AND l.sequence < ?", (start, end))


def leaf_at(connection: sqlite3.Connection, sequence: int) -> Leaf | None:
    """Return one leaf, None where it is missing."""
    return next(iter(leaves(connection, sequence, sequence + 1)), None)


def entries(connection: sqlite3.Connection, subject: str) -> list[Leaf]:
    """Return the leaves about the document named `subject`, oldest first."""
    return _leaves(connection, "l.subject = ?", (subject,))


def _leaves(
    connection: sqlite3.Connection, condition: str, parameters: tuple[int | str, ...]
) -> list[Leaf]:
    """Return the leaves that meet a condition; the hash is empty where it is missing.

    As octets: what is no text any more has a hash too, which tells it.
    """
    found = connection.execute(
        "SELECT l.sequence, CAST(l.content AS BLOB), n.hash FROM leaf AS l LEFT JOIN log_node AS n"  # noqa: S608 - ours
        f" ON n.level = 0 AND n.position = l.sequence WHERE {condition} ORDER BY l.sequence",
        parameters,
    )
    return [
        Leaf(sequence, bytes(content), bytes(hash_ or b"")) for sequence, content, hash_ in found
    ]


def side(
    attachments: Sequence[tuple[str, str]], quotations: Sequence[tuple[str, str]]
) -> dict[str, JSON]:
    """Return what stands beside a format: (name, digest) pairs, and (origin, cited) pairs."""
    found: dict[str, JSON] = {}
    if attachments:
        named: dict[str, JSON] = {}
        named.update(attachments)
        found["attachments"] = named
    if quotations:
        found["quotations"] = [[origin, cited] for origin, cited in quotations]
    return found


def _side(connection: sqlite3.Connection, representation_id: int) -> dict[str, JSON]:
    """Read what stands beside a format."""
    attachments = connection.execute(
        "SELECT name, digest FROM attachment WHERE representation_id = ?", (representation_id,)
    ).fetchall()
    quotations = connection.execute(
        "SELECT origin, cited FROM quotation WHERE representation_id = ? ORDER BY quotation_id",
        (representation_id,),
    ).fetchall()
    return side(attachments, quotations)


def _name(series: str, date: str, unique_id: str) -> str:
    """Return the document's name; the catalog's fields are canonical already."""
    return f"urn:pdi://{series}/{date.replace('-', '/')}/{unique_id}"
