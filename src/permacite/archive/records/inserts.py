"""The rows of new versions, written for all of them table by table.

Row ids are given out here, as SQLite would: by one from the highest. So the rows of one table
need nothing read back before those of the next can be written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permacite.archive.canonical_json import canonical_json
from permacite.archive.records import staged
from permacite.archive.records.leaves import Committed, append_all, side, version_entry
from permacite.archive.records.rows import timestamp
from permacite.archive.records.standing import default_standing, insert_standings

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from permacite.archive.catalog import Order, StoredFormat
    from permacite.archive.entries import Sealer
    from permacite.archive.model import JSON, Provenance, Standing
    from permacite.archive.records.places import Place

__all__ = ["insert_format", "insert_versions"]

Row = tuple[Any, ...]

_HIGHEST = """
SELECT coalesce((SELECT max(document_id) FROM document), 0),
       coalesce((SELECT max(version_id) FROM version), 0),
       coalesce((SELECT max(representation_id) FROM representation), 0)
"""
_DOCUMENT = "INSERT INTO document VALUES (?, ?, ?, ?, ?)"
_VERSION = "INSERT INTO version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_REPRESENTATION = (
    "INSERT INTO representation (representation_id, version_id, format, media_type, charset,"
    " size_bytes, digest, received_digest, derived_from, rendition, committed_at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_ATTACHMENT = "INSERT INTO attachment VALUES (?, ?, ?)"
_QUOTATION = (
    "INSERT INTO quotation (representation_id, origin, cited, cited_document) VALUES (?, ?, ?, ?)"
)


def insert_versions(
    connection: sqlite3.Connection,
    placed: Sequence[tuple[Order, Place]],
    now: str,
    sealer: Sealer,
) -> list[Committed]:
    """Write versions with their documents, formats and leaves, and return what was written.

    Raises sqlite3.IntegrityError where two of them have the same place.
    """
    document_id, version_id, representation_id = connection.execute(_HIGHEST).fetchone()
    documents: list[Row] = []
    versions: list[Row] = []
    formats: list[tuple[int, int, StoredFormat]] = []
    made: list[Committed] = []
    standings: list[tuple[int, Standing | None]] = []
    for order, place in placed:
        document = place.document_id
        if document is None:
            document = document_id + len(documents) + 1
            documents.append((document, *place.key, place.serial))
            standings.append((document, order.standing))
        version_id += 1
        described = (place.number, now, *_described(order.provenance))
        versions.append((version_id, document, *described))
        for stored in order.formats:
            formats.append((representation_id + len(formats) + 1, version_id, stored))
        version = (version_id, *place.key, *described)
        rows = [_format(stored, now) for stored in order.formats]
        made.append(Committed(version, rows, [_beside(stored) for stored in order.formats]))
    connection.executemany(_DOCUMENT, documents)
    connection.executemany(_VERSION, versions)
    _insert_formats(connection, formats, now)
    default = default_standing(connection)
    if standings:
        insert_standings(connection, [(one, given or default) for one, given in standings], now)
    append_all(connection, [version_entry(one) for one in made], sealer)
    staged.insert(connection, [one for order, _ in placed for one in order.contents])
    return made


def insert_format(
    connection: sqlite3.Connection, version_id: int, stored: StoredFormat, now: str
) -> None:
    """Write one format of a version that is there."""
    highest = connection.execute(_HIGHEST).fetchone()[2]
    _insert_formats(connection, [(highest + 1, version_id, stored)], now)


def _insert_formats(
    connection: sqlite3.Connection, formats: Sequence[tuple[int, int, StoredFormat]], now: str
) -> None:
    """Write formats, each with its row id and that of its version, and what stands beside them."""
    connection.executemany(
        _REPRESENTATION,
        [(row_id, version_id, *_format(stored, now)) for row_id, version_id, stored in formats],
    )
    attachments = [(row_id, *one) for row_id, _, stored in formats for one in stored.attachments]
    quotations = [(row_id, *one) for row_id, _, stored in formats for one in stored.quotations]
    if attachments:
        connection.executemany(_ATTACHMENT, attachments)
    if quotations:
        connection.executemany(_QUOTATION, quotations)


def _described(provenance: Provenance) -> Row:
    """Return the last five columns of a version."""
    retrieved_at = provenance.retrieved_at
    return (
        provenance.title,
        provenance.uri,
        provenance.final_uri,
        None if retrieved_at is None else timestamp(retrieved_at),
        canonical_json(provenance.details).decode(),
    )


def _format(stored: StoredFormat, now: str) -> Row:
    """Return the columns of a format, as `Committed` has them."""
    return (
        stored.format,
        stored.media_type,
        stored.charset,
        stored.size_bytes,
        stored.digest,
        stored.received_digest,
        stored.derived_from,
        stored.rendition,
        now,
    )


def _beside(stored: StoredFormat) -> dict[str, JSON]:
    """Return what the log's entry says of a format's side objects and quotations."""
    return side(stored.attachments, [one[:2] for one in stored.quotations])
