"""Sealed days: what was minted in a series on one day, told once the day has passed.

The entry of a day has the number of its documents, the highest serial number, and the digest of
the sorted list of unique ids, be they counted here or chosen by users. Nothing is minted into a
sealed day, so a name that is not in the list never will be.
"""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from permacite.archive.entries import Entry
from permacite.archive.log.days import digest_of_names
from permacite.archive.records import leaves
from permacite.archive.records.rows import timestamp
from permacite.errors import ConflictError, NotFoundError

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

    from permacite.archive.catalog import Leaf
    from permacite.archive.entries import Sealer
    from permacite.archive.model import JSON

__all__ = ["ON_REQUEST", "day_entry_at", "find", "open_days", "seal", "seal_passed", "unique_ids"]

ON_REQUEST = "on-request"
"""The value of the setting `sealing` where days are sealed only when someone asks."""


def seal(
    connection: sqlite3.Connection, series: str, date: str, now: datetime, *, sealer: Sealer
) -> Leaf:
    """Seal one day of a series, yyyy-mm-dd, or return the seal that it has.

    Raises ConflictError for a day that has not passed (UTC), NotFoundError for another's series.
    """
    found = find(connection, series, date)
    if found is not None:
        return found
    if not connection.execute("SELECT 1 FROM series WHERE name = ?", (series,)).fetchone():
        raise NotFoundError(f"{series} does not mint here", series)
    today = now.astimezone(UTC).date().isoformat()
    if date >= today:
        raise ConflictError(
            f"{date} cannot be sealed before it has ended (UTC); today is {today}",
            f"{series}/{date.replace('-', '/')}",
        )
    sealed_at = timestamp(now)
    sequence = leaves.append(connection, _entry(connection, series, date, sealed_at), sealer)
    connection.execute("INSERT INTO day VALUES (?, ?, ?, ?)", (series, date, sequence, sealed_at))
    return leaves.leaves(connection, sequence, sequence + 1)[0]


def seal_passed(
    connection: sqlite3.Connection, series: str, last: str, now: datetime, *, sealer: Sealer
) -> None:
    """Seal the last day on which a series minted, now that a later one has begun."""
    if find(connection, series, last) is not None:
        return
    asked = connection.execute("SELECT value FROM setting WHERE name = 'sealing'").fetchone()
    if asked is None or asked[0] != ON_REQUEST:
        seal(connection, series, last, now, sealer=sealer)


def find(connection: sqlite3.Connection, series: str, date: str) -> Leaf | None:
    """Return the entry that seals a day, None where there is none."""
    row = connection.execute(
        "SELECT sequence FROM day WHERE series = ? AND date = ?", (series, date)
    ).fetchone()
    return None if row is None else leaves.leaf_at(connection, row[0])


def open_days(connection: sqlite3.Connection, now: datetime) -> list[tuple[str, str]]:
    """Return series and date of each day that has documents, has passed, and is not sealed."""
    return connection.execute(
        "SELECT DISTINCT series, date FROM document AS d WHERE date < ? AND NOT EXISTS"
        " (SELECT 1 FROM day WHERE day.series = d.series AND day.date = d.date) ORDER BY date",
        (now.astimezone(UTC).date().isoformat(),),
    ).fetchall()


def unique_ids(connection: sqlite3.Connection, series: str, date: str) -> list[str]:
    """Return the unique ids of a day, sorted by their octets."""
    found = connection.execute(
        "SELECT unique_id FROM document WHERE series = ? AND date = ? ORDER BY unique_id",
        (series, date),
    )
    return [unique_id for (unique_id,) in found]


def day_entry_at(connection: sqlite3.Connection, sequence: int) -> Entry | None:
    """Return the entry of the day whose leaf is `sequence`, as its documents are now."""
    row = connection.execute(
        "SELECT series, date, sealed_at FROM day WHERE sequence = ?", (sequence,)
    ).fetchone()
    return None if row is None else _entry(connection, *row)


def _entry(connection: sqlite3.Connection, series: str, date: str, sealed_at: str) -> Entry:
    """Return what the leaf of a day says."""
    found = unique_ids(connection, series, date)
    (highest,) = connection.execute(
        "SELECT max(serial) FROM document WHERE series = ? AND date = ?", (series, date)
    ).fetchone()
    clear: dict[str, JSON] = {
        "kind": "day",
        "name": f"urn:pdi://{series}/{date.replace('-', '/')}",
        "documents": len(found),
        "highest": highest,
        "names": digest_of_names(found),
        "sealed_at": sealed_at,
    }
    return Entry(clear, {})
