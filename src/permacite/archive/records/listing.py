"""Lists of versions by pattern, a page at a time, and of sites and their addresses.

A page costs what it holds, however much the archive does.

Rows are read in the order of commit, from where the page before ended. No index serves every
pattern, so a page reads a bounded number of places (`Effort`), and may hold fewer versions
than were asked for, or none: `Stretch.next` then says where to go on. A pattern that the index on
names says to cover few versions is answered by these alone, wherever they stand. Of documents of
some days, those places are read where they were committed, and then where later versions may be.
docs/decisions/0035-pages-by-keyset.md tells why.

A site is what is in an address between `//` and the next `/`, `?` or `#`, in lower case: a host,
and its port where one is given. Each step goes to what follows in the index, past all versions of
the address or the site before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.archive.records.rows import LISTED, USUAL_EFFORT, Effort, in_order, storable
from permacite.archive.records.versions import versions_of

if TYPE_CHECKING:
    from permacite.archive.model.answered import Selection, Version
    from permacite.archive.records.rows import Session

__all__ = [
    "Stretch",
    "addresses",
    "at",
    "documents",
    "formats",
    "highest_place",
    "sites",
    "stretch",
]


Condition = tuple[str, str | int]
"""What a row must meet, and the parameter in it."""

# SQLite keeps the order of a CROSS JOIN; left to itself it sorts all that a series ever minted.
_BY_PLACE = "version AS v CROSS JOIN document AS d"
_BY_NAME = "document AS d CROSS JOIN version AS v"
_FIELDS = 3
"""Of a date."""
_BREADTH = 10
"""Where most rows are passed over without a look at their documents."""
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


def highest_place(connection: Session) -> int:
    """The place of the newest version, 0 where there is none."""
    return int(connection.execute("SELECT coalesce(max(version_id), 0) FROM version").fetchone()[0])


def documents(connection: Session) -> int:
    """The number of documents: row ids are given out by one from the highest, and none is freed."""
    question = "SELECT coalesce(max(document_id), 0) FROM document"
    return int(connection.execute(question).fetchone()[0])


def formats(connection: Session) -> int:
    """The number of formats of all versions; the rows of an index are counted."""
    return int(connection.execute("SELECT count(*) FROM representation").fetchone()[0])


def stretch(
    connection: Session,
    selection: Selection,
    *,
    after: int | None,
    until: int,
    limit: int,
    newest_first: bool = False,
    effort: Effort = USUAL_EFFORT,
) -> Stretch:
    """Up to `limit` versions past the place `after`, of those up to the place `until`.

    With `newest_first` they run the other way, from `until` down. What was committed after `until`
    counts for nothing: with the same one, pages part what stood there at one moment.
    """
    key, other = _conditions(selection, until)
    whole = _bounds(after, until, newest_first=newest_first)
    order = "v.version_id DESC" if newest_first else "v.version_id"
    if key and _is_few(connection, key, effort.few):
        rows = _rows(connection, _BY_NAME, [*key, *other], whole, order=order, limit=limit + 1)
        return _stretch(connection, rows, limit, None)
    rows = []
    for span in _spans(connection, selection, whole, effort, newest_first=newest_first):
        # What lies beyond is for the next page.
        most = max(effort.rows * span.breadth, limit) - 1
        low, high = span.low, span.high
        low, high = (max(low, high - most), high) if newest_first else (low, min(high, low + most))
        conditions = [*span.conditions, *key, *other]
        left = limit + 1 - len(rows)
        rows += _rows(connection, _BY_PLACE, conditions, (low, high), order=order, limit=left)
        if len(rows) > limit or (low, high) != (span.low, span.high):
            return _stretch(connection, rows, limit, low if newest_first else high)
    return _stretch(connection, rows, limit, None)


def _stretch(
    connection: Session, rows: list[tuple[Any, ...]], limit: int, last: int | None
) -> Stretch:
    """The stretch of `rows`, which goes on behind the last of them, or behind the place `last`."""
    versions = versions_of(connection, rows[:limit])
    if len(rows) > limit:
        return Stretch(versions, versions[-1])
    return Stretch(versions, None if last is None else at(connection, last))


def at(connection: Session, place: int) -> tuple[int, Version]:
    """A place with the version there. Raises LookupError where the row is lost."""
    rows = _rows(connection, _BY_PLACE, [], (place, place), order="1", limit=1)
    if not rows:
        raise LookupError(f"no version at {place}")
    return versions_of(connection, rows)[0]


def _bounds(after: int | None, until: int, *, newest_first: bool) -> tuple[int, int]:
    """The first and the last place that may be on a page."""
    if after is None:
        return 1, until
    return (1, min(until, after - 1)) if newest_first else (after + 1, until)


def _rows(
    connection: Session,
    tables: str,
    conditions: list[Condition],
    places: tuple[int, int],
    *,
    order: str,
    limit: int,
) -> list[tuple[Any, ...]]:
    """The rows of versions that meet all conditions, from a place up to another."""
    low, high = places
    bounds = [("v.version_id >= ?", low), ("v.version_id <= ?", high)]
    rows = connection.execute(
        f"SELECT {LISTED} FROM {tables}"
        f" WHERE {_SAME_DOCUMENT} AND {_all_of([*conditions, *bounds])} ORDER BY {order} LIMIT ?",
        (*(value for _, value in conditions), low, high, limit),
    ).fetchall()
    in_order(low <= row[0] <= high for row in rows)
    return rows


def _is_few(connection: Session, key: list[Condition], few: int) -> bool:
    """Say whether the index on names finds no more than `few` versions."""
    question = (
        f"SELECT count(*) FROM (SELECT 1 FROM {_BY_NAME}"
        f" WHERE {_SAME_DOCUMENT} AND {_all_of(key)} LIMIT ?) AS few"
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


class _Span(NamedTuple):
    """Places that may hold what is selected, from `low` up to `high`."""

    low: int
    high: int
    conditions: tuple[Condition, ...] = ()
    """What a row must meet besides; it is told by the version alone, without its document."""
    breadth: int = 1
    """How many times as many rows may be read for a page."""


def _spans(
    connection: Session,
    selection: Selection,
    whole: tuple[int, int],
    effort: Effort,
    *,
    newest_first: bool,
) -> list[_Span]:
    """Where to look, in the order of looking: all of `whole`, or less of it.

    The days in names of a series never go back, so the documents of some days were committed one
    after the other; only later versions of them may stand anywhere behind that.
    """
    low, high = whole
    days = [str(value) for _, value in _interval(selection)]
    if selection.series is None or not days:
        return [_Span(low, high)]
    before = _last_before(connection, selection.series, days[0])
    behind = _first_behind(connection, selection.series, days[-1])
    first = _place_of_first(
        connection, "min(document_id) FROM document WHERE document_id > ?", before
    )
    if behind is None:
        return [_Span(max(low, first), high)]
    last = _place_of_first(
        connection, "max(document_id) FROM document WHERE document_id < ?", behind
    )
    later = _later(connection, before, behind, effort)
    spans = [_Span(max(low, first), min(high, last))]
    low = max(low, last + 1)
    if later is None:
        ids = (("+v.document_id > ?", before), ("+v.document_id < ?", behind))
        spans.append(_Span(low, high, ids, _BREADTH))
    elif places := sorted(place for place in later if low <= place <= high):
        among = f"v.version_id IN ({','.join([*map(str, places[:-1]), '?'])})"
        spans.append(_Span(places[0], places[-1], ((among, places[-1]),), places[-1]))
    return spans[::-1] if newest_first else spans


def _last_before(connection: Session, series: str, day: str) -> int:
    """The row of a document of the last day before `day`, 0 where there is none.

    Of the highest serial number on that day, if there is one: the last document, or near it.
    """
    question = "SELECT max(date) FROM document WHERE series = ? AND date < ?"
    (last,) = connection.execute(question, (series, day)).fetchone()
    return _of_day(connection, series, last, "DESC") or 0


def _first_behind(connection: Session, series: str, day: str) -> int | None:
    """The row of a document of the first day behind `day`, likewise of the lowest serial number."""
    question = "SELECT min(date) FROM document WHERE series = ? AND date > ?"
    (first,) = connection.execute(question, (series, day)).fetchone()
    return _of_day(connection, series, first, "ASC")


def _of_day(connection: Session, series: str, day: str | None, direction: str) -> int | None:
    question = "SELECT document_id FROM document WHERE series = ? AND date = ?"
    by_serial = f"{question} AND serial IS NOT NULL ORDER BY serial {direction} LIMIT 1"
    for ordered in (by_serial, f"{question} LIMIT 1"):
        row = connection.execute(ordered, (series, day)).fetchone()
        if row is not None:
            return int(row[0])
    return None


def _place_of_first(connection: Session, document: str, row_id: int) -> int:
    """The place of the first version of a document; 0 where there is none."""
    question = (
        f"SELECT version_id FROM version WHERE document_id = (SELECT {document}) AND number = 1"
    )
    row = connection.execute(question, (row_id,)).fetchone()
    return 0 if row is None else int(row[0])


def _later(connection: Session, before: int, behind: int, effort: Effort) -> list[int] | None:
    """The places of all versions but the first ones of the documents between two; None if many."""
    if behind - before > effort.documents:
        return None
    question = (
        "SELECT version_id FROM version WHERE document_id > ? AND document_id < ? AND number > 1"
        " LIMIT ?"
    )
    rows = connection.execute(question, (before, behind, effort.few + 1)).fetchall()
    return None if len(rows) > effort.few else [place for (place,) in rows]


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


_NEXT_SITE = (
    "SELECT {name}, {listed} FROM version AS v CROSS JOIN document AS d"
    " WHERE d.document_id = v.document_id AND instr(v.uri, '://') > 0 AND {condition}"
    " ORDER BY {order} LIMIT 1"
)
"""`instr` is a function of SQLite; where an engine has another name for it, its schema has one."""


def sites(connection: Session, *, after: str, limit: int) -> list[tuple[str, Version]]:
    """Up to `limit` sites behind one, each with the last version saved from its first address."""
    site = _site(connection)
    order = f"{site}, v.uri, v.version_id DESC"
    question = _NEXT_SITE.format(name=site, listed=LISTED, condition=f"{site} > ?", order=order)
    return _walk(connection, question, (after,), limit)


def addresses(
    connection: Session, site: str, *, after: str, limit: int
) -> list[tuple[str, Version]]:
    """Up to `limit` addresses of a site behind one, each with the last version saved from there."""
    question = _NEXT_SITE.format(
        name="v.uri",
        listed=LISTED,
        condition=f"{_site(connection)} = ? AND v.uri > ?",
        order="v.uri, v.version_id DESC",  # with the site before them, SQLite would sort
    )
    return _walk(connection, question, (site, after), limit)


def _site(connection: Session) -> str:
    return connection.dialect.site.format(uri="v.uri")


def _walk(
    connection: Session, question: str, values: tuple[str, ...], limit: int
) -> list[tuple[str, Version]]:
    """What follows, one by one; the last of the values is where to go on."""
    rows: list[tuple[Any, ...]] = []
    while len(rows) < limit:
        row = connection.execute(question, values).fetchone()
        if row is None:
            break
        rows.append(row)
        values = (*values[:-1], row[0])
    found = versions_of(connection, [row[1:] for row in rows])
    return [(row[0], version) for row, (_, version) in zip(rows, found, strict=True)]
