"""What one commit writes: the name, the version, its formats and the leaf, in one transaction.

PDI draft, minting and binding:
  §2.1, §2.3 date of minting, UTC     -> `_today`: one reading of the clock, inside the transaction
  §2.4 serial numbers                 -> `_next_serial`: from 1, by 1, again from 1 every day
  §2.6 versions                       -> `_next_number`: of the document, for all formats together
  §2.6 addition of a format           -> `add_format`: no new version

Deviations: none.
Readings: a clock that is behind the last date of the series mints nothing, because an earlier date
would be untrue and names would no longer sort by time (pdi-17). Serial numbers are never reused,
because no document is ever deleted; a number that a caller took as unique id is passed over. The
first commit of a later day seals the last day on which the series minted.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from permacite.archive.canonical_json import canonical_json
from permacite.archive.objects import digest_of
from permacite.archive.sqlite.leaves import (
    Committed,
    append,
    committed,
    format_entry,
    side,
    version_entry,
)
from permacite.archive.sqlite.log.days import seal_passed
from permacite.archive.sqlite.rows import Key, document_key, name_of, timestamp
from permacite.errors import ConflictError, NotFoundError, StorageError

if TYPE_CHECKING:
    import sqlite3

    from permacite.archive.catalog import Order, StoredFormat
    from permacite.archive.model import JSON, Clock, Provenance
    from permacite.pdi import PDI

__all__ = ["add_format", "commit"]

_LAST = """
SELECT (SELECT max(date) FROM document WHERE series = ?),
       (SELECT max(date) FROM day WHERE series = ?)
"""
"""The last date on which a series minted, and the last one that is sealed."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a version goes: its document, its number, and the reading of the clock."""

    document_id: int
    key: Key
    number: int
    now: datetime


def commit(connection: sqlite3.Connection, order: Order, clock: Clock) -> Committed | int:
    """Write the version of `order` and return its rows.

    The same idempotency key again gives the id of the first row. Raises ConflictError,
    NotFoundError, StorageError (reason "clock").
    """
    earlier = _earlier(connection, order)
    if earlier is not None:
        return earlier
    if order.replaces is None:
        place = _mint(connection, order, clock)
    else:
        place = _next_version(connection, order.replaces, clock)
    version = _insert_version(connection, place, order.provenance)
    formats = [_insert_format(connection, version[0], one, place.now) for one in order.formats]
    if order.key is not None:
        connection.execute(
            "INSERT INTO idempotency VALUES (?, ?, ?)", (order.key, _request(order), version[0])
        )
    made = Committed(version, formats, [_beside(one) for one in order.formats])
    append(connection, version_entry(made))
    return made


def add_format(
    connection: sqlite3.Connection, pdi: PDI, number: int, stored: StoredFormat, *, clock: Clock
) -> int:
    """Add a format to a version and return the version's row id.

    The same octets again change nothing. Raises ConflictError for others, NotFoundError.
    """
    key = document_key(pdi)
    document_id = _document_id(connection, key)
    version = connection.execute(
        "SELECT version_id FROM version WHERE document_id = ? AND number = ?",
        (document_id, number),
    ).fetchone()
    if document_id is None or version is None:
        raise NotFoundError(f"no version {number} of {name_of(key)}", str(pdi))
    present = connection.execute(
        "SELECT digest FROM representation WHERE version_id = ? AND format = ?",
        (version[0], stored.format),
    ).fetchone()
    if present is None:
        now = _today(connection, key[0], clock)
        _insert_format(connection, version[0], stored, now)
        append(connection, format_entry(committed(connection, version[0]), stored.format))
    elif present[0] != stored.digest:
        name = str(name_of(key).with_(format=stored.format, version=number))
        raise ConflictError(f"{name} is committed, with other bytes", name)
    return int(version[0])


def _earlier(connection: sqlite3.Connection, order: Order) -> int | None:
    """Return the version that was committed under the same key. Raises ConflictError."""
    if order.key is None:
        return None
    row = connection.execute(
        "SELECT request, version_id FROM idempotency WHERE key = ?", (order.key,)
    ).fetchone()
    if row is None:
        return None
    if row[0] != _request(order):
        raise ConflictError("this idempotency key was used for something else", order.key)
    return int(row[1])


def _request(order: Order) -> str:
    """Return the digest of what an order asks for; the circumstances of a retry do not count."""
    return digest_of(
        canonical_json(
            {
                "series": order.series,
                "unique_id": order.unique_id,
                "replaces": None if order.replaces is None else str(order.replaces),
                "formats": [
                    [one.format, one.media_type, one.charset, one.digest] for one in order.formats
                ],
            }
        )
    )


def _mint(connection: sqlite3.Connection, order: Order, clock: Clock) -> _Place:
    """Take a new name. Raises ConflictError, NotFoundError, StorageError."""
    if (
        connection.execute("SELECT 1 FROM series WHERE name = ?", (order.series,)).fetchone()
        is None
    ):
        raise NotFoundError(f"{order.series} does not mint here", order.series)
    now = _today(connection, order.series, clock)
    date = now.date().isoformat()
    if order.unique_id is None:
        serial = _next_serial(connection, order.series, date)
        key = (order.series, date, str(serial))
    else:
        serial = None
        key = (order.series, date, order.unique_id)
        if _document_id(connection, key) is not None:
            raise ConflictError(f"{name_of(key)} is committed already", str(name_of(key)))
    document_id = connection.execute(
        "INSERT INTO document (series, date, unique_id, serial) VALUES (?, ?, ?, ?)", (*key, serial)
    ).lastrowid
    assert document_id is not None  # noqa: S101 - an INSERT always has one
    return _Place(document_id, key, 1, now)


def _today(connection: sqlite3.Connection, series: str, clock: Clock) -> datetime:
    """Read the clock once, and seal the series' last date if it has passed.

    Raises StorageError where the clock is behind that date, or not past the last sealed one.
    """
    now = clock().astimezone(UTC)
    today = now.date().isoformat()
    last, sealed = connection.execute(_LAST, (series, series)).fetchone()
    if sealed is not None and today <= sealed:
        raise StorageError(
            f"the clock says {now.date()}, but {series} has sealed {sealed}",
            path=series,
            reason="clock",
            hint="set the clock of this machine right",
        )
    if last is not None and today > last:
        seal_passed(connection, series, last, now)
    if last is not None and today < last:
        raise StorageError(
            f"the clock says {now.date()}, but {series} has minted on {last}",
            path=series,
            reason="clock",
            hint="set the clock of this machine right",
        )
    return now


def _next_serial(connection: sqlite3.Connection, series: str, date: str) -> int:
    """Return the next serial number of the day that no unique id holds."""
    highest = connection.execute(
        "SELECT max(serial) FROM document WHERE series = ? AND date = ? AND serial IS NOT NULL",
        (series, date),
    ).fetchone()[0]
    serial = 1 + (highest or 0)
    while _document_id(connection, (series, date, str(serial))) is not None:
        serial += 1
    return serial


def _next_version(connection: sqlite3.Connection, replaced: PDI, clock: Clock) -> _Place:
    """Take the next version of a document. Raises NotFoundError, StorageError."""
    key = document_key(replaced)
    document_id = _document_id(connection, key)
    if document_id is None:
        raise NotFoundError(f"no document {name_of(key)}", str(replaced))
    now = _today(connection, key[0], clock)
    highest = connection.execute(
        "SELECT max(number) FROM version WHERE document_id = ?", (document_id,)
    ).fetchone()[0]
    return _Place(document_id, key, highest + 1, now)


def _document_id(connection: sqlite3.Connection, key: Key) -> int | None:
    """Return the row of a document, or None."""
    row = connection.execute(
        "SELECT document_id FROM document WHERE series = ? AND date = ? AND unique_id = ?", key
    ).fetchone()
    return None if row is None else int(row[0])


def _insert_version(
    connection: sqlite3.Connection, place: _Place, provenance: Provenance
) -> tuple[Any, ...]:
    """Write the row of a version and return it as `Committed` has it."""
    retrieved_at = provenance.retrieved_at
    described = (
        timestamp(place.now),
        provenance.title,
        provenance.uri,
        provenance.final_uri,
        None if retrieved_at is None else timestamp(retrieved_at),
        canonical_json(provenance.details).decode(),
    )
    version_id = connection.execute(
        "INSERT INTO version (document_id, number, committed_at, title, uri, final_uri,"
        " retrieved_at, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (place.document_id, place.number, *described),
    ).lastrowid
    return (version_id, *place.key, place.number, *described)


def _insert_format(
    connection: sqlite3.Connection, version_id: int, stored: StoredFormat, now: datetime
) -> tuple[Any, ...]:
    """Write the rows of a format and of what stands beside it; return it as `Committed` has it."""
    row = (
        stored.format,
        stored.media_type,
        stored.charset,
        stored.size_bytes,
        stored.digest,
        stored.canonical_digest,
        stored.received_digest,
        stored.derived_from,
        stored.rendition,
        timestamp(now),
    )
    representation_id = connection.execute(
        "INSERT INTO representation (version_id, format, media_type, charset, size_bytes, digest,"
        " canonical_digest, received_digest, derived_from, rendition, committed_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (version_id, *row),
    ).lastrowid
    connection.executemany(
        "INSERT INTO attachment VALUES (?, ?, ?)",
        [(representation_id, name, digest) for name, digest in stored.attachments],
    )
    connection.executemany(
        "INSERT INTO quotation (representation_id, origin, cited, cited_document)"
        " VALUES (?, ?, ?, ?)",
        [(representation_id, *quotation) for quotation in stored.quotations],
    )
    return row


def _beside(stored: StoredFormat) -> dict[str, JSON]:
    """Return what the log's entry says of a format's side objects and quotations."""
    return side(stored.attachments, [one[:2] for one in stored.quotations])
