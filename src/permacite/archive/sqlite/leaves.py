"""The entries of the Merkle log, one for each commit, and the node hashes above them.

A leaf is canonical JSON. Its hash stands in `log_node` at level 0; above it stands every node whose
subtree is complete (RFC 6962 §2.1), so that a proof among a million leaves reads some forty rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permacite.archive.canonical_json import canonical_json
from permacite.archive.catalog import Leaf
from permacite.archive.merkle import leaf_hash, node_hash
from permacite.archive.objects import digest_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from permacite.archive.model import JSON

__all__ = ["append", "append_formats", "append_version", "leaves"]

_VERSION = """
SELECT d.series, d.date, d.unique_id, v.number, v.title, v.uri, v.final_uri, v.retrieved_at,
       v.details, v.committed_at
FROM version AS v JOIN document AS d USING (document_id) WHERE v.version_id = ?
"""

_FORMATS = """
SELECT representation_id, format, media_type, charset, size_bytes, digest, canonical_digest,
       received_digest, derived_from, rendition, committed_at
FROM representation WHERE version_id = ? ORDER BY representation_id
"""

_DESCRIBED = (
    "format",
    "media_type",
    "charset",
    "size_bytes",
    "digest",
    "canonical_digest",
    "received_digest",
    "derived_from",
    "rendition",
)


def append_version(connection: sqlite3.Connection, version_id: int) -> None:
    """Append the leaf of a version with all its formats."""
    row = connection.execute(_VERSION, (version_id,)).fetchone()
    formats = connection.execute(_FORMATS, (version_id,)).fetchall()
    uri, final_uri, retrieved_at, details, committed_at = row[5:]
    origin = [row[4], uri, final_uri, retrieved_at, details]
    append(
        connection,
        {
            "kind": "version",
            "name": _name(row),
            "version": row[3],
            "committed_at": committed_at,
            "uri": uri,
            "retrieved_at": retrieved_at,
            "provenance": digest_of(canonical_json(origin)),
            "formats": [_format(connection, one) for one in formats],
        },
    )


def append_formats(connection: sqlite3.Connection, version_id: int, token: str) -> None:
    """Append the leaf of a format that was added to a version later."""
    row = connection.execute(_VERSION, (version_id,)).fetchone()
    formats = connection.execute(_FORMATS, (version_id,)).fetchall()
    added = next(one for one in formats if one[1] == token)
    append(
        connection,
        {
            "kind": "format",
            "name": _name(row),
            "version": row[3],
            "committed_at": added[-1],
            "formats": [_format(connection, added)],
        },
    )


def append(connection: sqlite3.Connection, entry: dict[str, JSON]) -> int:
    """Append one leaf and the nodes it completes; return its sequence number.

    Members without a value are left out.
    """
    content = canonical_json({name: value for name, value in entry.items() if value is not None})
    sequence = int(
        connection.execute("SELECT 1 + coalesce(max(sequence), -1) FROM leaf").fetchone()[0]
    )
    connection.execute("INSERT INTO leaf VALUES (?, ?)", (sequence, content.decode()))
    position, level, node = sequence, 0, leaf_hash(content)
    connection.execute("INSERT INTO log_node VALUES (?, ?, ?)", (level, position, node))
    while position % 2:
        left = connection.execute(
            "SELECT hash FROM log_node WHERE level = ? AND position = ?", (level, position - 1)
        ).fetchone()[0]
        position, level, node = position // 2, level + 1, node_hash(left, node)
        connection.execute("INSERT INTO log_node VALUES (?, ?, ?)", (level, position, node))
    return sequence


def leaves(connection: sqlite3.Connection, start: int, end: int) -> Iterator[Leaf]:
    """Return the leaves from `start` up to `end`."""
    for sequence, content, node in connection.execute(
        "SELECT l.sequence, l.content, n.hash FROM leaf AS l LEFT JOIN log_node AS n"
        " ON n.level = 0 AND n.position = l.sequence"
        " WHERE l.sequence >= ? AND l.sequence < ? ORDER BY l.sequence",
        (start, end),
    ):
        yield Leaf(sequence, content.encode(), node or b"")


def _name(row: tuple[Any, ...]) -> str:
    """Return the document's name; the catalog's fields are canonical already."""
    series, date, unique_id = row[:3]
    return f"urn:pdi://{series}/{date.replace('-', '/')}/{unique_id}"


def _format(connection: sqlite3.Connection, row: tuple[Any, ...]) -> dict[str, JSON]:
    """Return what a leaf says of one format."""
    attachments = connection.execute(
        "SELECT name, digest FROM attachment WHERE representation_id = ?", (row[0],)
    ).fetchall()
    described: dict[str, JSON] = {
        name: value for name, value in zip(_DESCRIBED, row[1:], strict=False) if value is not None
    }
    return described | {"attachments": dict(attachments)} if attachments else described
