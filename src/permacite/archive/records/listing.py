"""Pages of versions by pattern: each costs what a page holds, however much the archive does.

Rows are read in the order of commit, from where the page before ended. No index serves every
pattern, so a page reads a bounded number of places (`Effort`), and may hold fewer versions
than were asked for, or none: `Stretch.next` then says where to go on. A pattern that the index on
names says to cover few versions is answered by these alone, wherever they stand.
docs/decisions/0035-pages-by-keyset.md tells why.
"""

# ruff: noqa: S608 - all of it is our own
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.archive.records.rows import VERSION, Effort, in_order, storable
from permacite.archive.records.versions import versions_of

if TYPE_CHECKING:
    import sqlite3

    from permacite.archive.model import Selection, Version

__all__ = ["Stretch", "documents", "highest_place", "stretch"]


Condition = tuple[str, str | int]
"""What a row must meet, and the parameter in it."""

# SQLite keeps the order of a CROSS JOIN; left to itself it sorts all that a series ever minted.
_BY_PLACE = "version AS v CROSS JOIN document AS d"
_BY_NAME = "document AS d CROSS JOIN version AS v"
_SAME_DOCUMENT = "d.document_id = v.document_id"
_HAS_FORMAT = (
    "EXISTS (SELECT 1 FROM representation AS r WHERE r.version_id = v.version_id AND r.format = ?)"
)
_IS_LATEST = (
    "NOT EXISTS (SELECT 1 FROM version AS w WHERE w.document_id = v.document_id"
    " AND w.number = v.number + 1 AND w.version_id <= ?)"
)
"""Versions follow one another without a gap, so the next one tells of all that are higher."""


class Stretch(NamedTuple):
    """Versions, each with its place in the order of commit, and where to go on."""

    versions: list[tuple[int, Version]]
    next: tuple[int, Version] | None
    """The last place that was looked at, and what stands there; None where all were."""


def highest_place(connection: sqlite3.Connection) -> int:
    """The place of the newest version, 0 where there is none."""
    return int(connection.execute("SELECT coalesce(max(version_id), 0) FROM version").fetchone()[0])


def documents(connection: sqlite3.Connection) -> int:
    """The number of documents: row ids are given out by one from the highest, and none is freed."""
    question = "SELECT coalesce(max(document_id), 0) FROM document"
    return int(connection.execute(question).fetchone()[0])


def stretch(
    connection: sqlite3.Connection,
    selection: Selection,
    *,
    after: int | None,
    until: int,
    limit: int,
    newest_first: bool = False,
    effort: Effort = Effort(),  # noqa: B008 - it never changes
) -> Stretch:
    """Up to `limit` versions past the place `after`, of those up to the place `until`.

    With `newest_first` they run the other way, from `until` down. What was committed after `until`
    counts for nothing: with the same one, pages part what stood there at one moment.
    """
    key, other = _conditions(selection, until)
    low, high = _bounds(after, until, newest_first=newest_first)
    is_few = bool(key) and _is_few(connection, key, effort.few)
    if not is_few:
        # What lies beyond is for the next page.
        most = max(effort.rows, limit) - 1
        low, high = (max(low, high - most), high) if newest_first else (low, min(high, low + most))
    rows = _rows(
        connection,
        _BY_NAME if is_few else _BY_PLACE,
        [*key, *other, ("v.version_id >= ?", low), ("v.version_id <= ?", high)],
        order="v.version_id DESC" if newest_first else "v.version_id",
        limit=limit + 1,
    )
    in_order(low <= row[0] <= high for row in rows)
    versions = versions_of(connection, rows[:limit])
    if len(rows) > limit:
        return Stretch(versions, versions[-1])
    if is_few or (low <= 1 if newest_first else high >= until):
        return Stretch(versions, None)
    return Stretch(versions, _at(connection, low if newest_first else high))


def _at(connection: sqlite3.Connection, place: int) -> tuple[int, Version]:
    """A place with the version there. Raises LookupError where the row is lost."""
    rows = _rows(connection, _BY_PLACE, [("v.version_id = ?", place)], order="1", limit=1)
    if not rows:
        raise LookupError(f"no version at {place}")
    return versions_of(connection, rows)[0]


def _bounds(after: int | None, until: int, *, newest_first: bool) -> tuple[int, int]:
    """The first and the last place that may be on a page."""
    if after is None:
        return 1, until
    return (1, min(until, after - 1)) if newest_first else (after + 1, until)


def _rows(
    connection: sqlite3.Connection,
    tables: str,
    conditions: list[Condition],
    *,
    order: str,
    limit: int,
) -> list[tuple[Any, ...]]:
    """The rows of versions that meet all conditions."""
    return connection.execute(
        f"SELECT {VERSION} FROM {tables} WHERE {_SAME_DOCUMENT} AND {_all_of(conditions)}"
        f" ORDER BY {order} LIMIT ?",
        (*(value for _, value in conditions), limit),
    ).fetchall()


def _is_few(connection: sqlite3.Connection, key: list[Condition], few: int) -> bool:
    """Say whether the index on names finds no more than `few` versions."""
    question = (
        f"SELECT count(*) FROM (SELECT 1 FROM {_BY_NAME}"
        f" WHERE {_SAME_DOCUMENT} AND {_all_of(key)} LIMIT ?)"
    )
    values = (*(value for _, value in key), few + 1)
    return int(connection.execute(question, values).fetchone()[0]) <= few


def _all_of(conditions: list[Condition]) -> str:
    return " AND ".join(text for text, _ in conditions)


def _conditions(selection: Selection, until: int) -> tuple[list[Condition], list[Condition]]:
    """What a selection asks: that which the index on names serves, and the rest."""
    key: list[Condition] = []
    other: list[Condition] = []
    if selection.series is not None:
        key.append(("d.series = ?", selection.series))
        key += _interval(selection)
    whole = None not in (selection.year, selection.month, selection.day)
    if selection.unique_id is not None:
        (key if whole else other).append(("d.unique_id = ?", selection.unique_id))
    if selection.month is not None and not whole:
        other.append(("substr(d.date, 6, 2) = ?", selection.month))
    if selection.day is not None and not whole:
        other.append(("substr(d.date, 9, 2) = ?", selection.day))
    if selection.number is not None:
        other.append(("v.number = ?", storable(selection.number)))
    if selection.format is not None:
        other.append((_HAS_FORMAT, selection.format))
    if selection.latest:
        other.append((_IS_LATEST, until))
    return key, other


def _interval(selection: Selection) -> list[Condition]:
    """The bounds of the dates that the leading fields allow."""
    leading: list[str] = []
    for part in (selection.year, selection.month, selection.day):
        if part is None:
            break
        leading.append(part)
    prefix = "-".join(leading)
    if len(leading) == _FIELDS:
        return [("d.date = ?", prefix)]
    # "~" sorts behind every digit and hyphen.
    return [("d.date >= ?", prefix), ("d.date <= ?", f"{prefix}~")] if leading else []


_FIELDS = 3
"""Of a date."""
