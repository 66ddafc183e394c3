"""What commits write: names, versions, formats and leaves, many of them in one transaction.

PDI draft, binding:
  §2.6 versions                       -> `commit`: of the document, for all formats together
  §2.6 addition of a format           -> `add_format`: no new version

Deviations: none.
Readings: none; those of minting are in `places`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.canonical_json import canonical_json
from permacite.archive.objects import digest_of
from permacite.archive.records.derived import note_rows
from permacite.archive.records.erasing import check_octets
from permacite.archive.records.inserts import insert_format, insert_versions
from permacite.archive.records.leaves import (
    Committed,
    append,
    committed,
    format_entry,
)
from permacite.archive.records.places import Place, Places, document_id
from permacite.archive.records.rows import document_key, name_of, timestamp
from permacite.errors import ConflictError, NotFoundError, PermaciteError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from permacite.archive.catalog import Order, StoredFormat
    from permacite.archive.entries import Sealer
    from permacite.archive.model import Timekeeper
    from permacite.pdi import PDI

__all__ = ["add_format", "commit"]


def commit(
    connection: sqlite3.Connection, orders: Sequence[Order], clock: Timekeeper, sealer: Sealer
) -> list[Committed | Exception]:
    """Write the versions of all `orders` and return the rows of each.

    The same idempotency key again gives the first version. An order that cannot be met gives its
    ConflictError, NotFoundError or StorageError (reason "clock"), and the others are written.
    Raises sqlite3.IntegrityError where two orders want the same thing: these must come one after
    the other.
    """
    places = Places(connection, clock, sealer, expected=len(orders))
    outcomes: list[Committed | Exception | None] = []
    placed: list[tuple[Order, Place]] = []
    for order in orders:
        try:
            earlier = _earlier(connection, order)
            if earlier is None:
                check_octets(connection, order.formats, order.erasing_round)
                placed.append((order, places.place(order)))
        except PermaciteError as error:
            outcomes.append(error)
        else:
            outcomes.append(earlier)
    made = insert_versions(connection, placed, timestamp(places.now), sealer) if placed else []
    keyed = [
        (order.key, _request(order), one.version[0])
        for (order, _), one in zip(placed, made, strict=True)
        if order.key is not None
    ]
    if keyed:
        connection.executemany("INSERT INTO idempotency VALUES (?, ?, ?)", keyed)
        note_rows(connection, "idempotency", [(key, made_id) for key, _, made_id in keyed])
    rest = iter(made)
    return [next(rest) if outcome is None else outcome for outcome in outcomes]


def add_format(
    connection: sqlite3.Connection,
    pdi: PDI,
    number: int,
    stored: StoredFormat,
    *,
    clock: Timekeeper,
    sealer: Sealer,
) -> int:
    """Add a format to a version and return the version's row id.

    The same octets again change nothing. Raises ConflictError for others, NotFoundError.
    """
    key = document_key(pdi)
    document = document_id(connection, key)
    version = connection.execute(
        "SELECT version_id FROM version WHERE document_id = ? AND number = ?",
        (document, number),
    ).fetchone()
    if document is None or version is None:
        raise NotFoundError(f"no version {number} of {name_of(key)}", str(pdi))
    present = connection.execute(
        "SELECT digest FROM representation WHERE version_id = ? AND format = ?",
        (version[0], stored.format),
    ).fetchone()
    if present is None:
        places = Places(connection, clock, sealer)
        places.add_to(key[0])
        insert_format(connection, version[0], stored, timestamp(places.now))
        append(connection, format_entry(committed(connection, version[0]), stored.format), sealer)
    elif present[0] != stored.digest:
        name = str(name_of(key).with_(format=stored.format, version=number))
        raise ConflictError(f"{name} is committed, with other bytes", name)
    return int(version[0])


def _earlier(connection: sqlite3.Connection, order: Order) -> Committed | None:
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
    return committed(connection, row[1])


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
