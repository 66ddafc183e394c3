"""Rows of the catalog as values of the archive: the questions that only read."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from permacite.archive.model import Provenance, Representation, Version
from permacite.archive.names import nearest
from permacite.archive.sqlite.schema.erasable import ERASED_DIGEST
from permacite.errors import StorageError
from permacite.pdi import PDI
from permacite.pdi.escapes import unescaped

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from permacite.archive.catalog import Selection

__all__ = [
    "document_key",
    "instant",
    "name_of",
    "representations_named",
    "storable",
    "timestamp",
    "version_by_id",
    "version_of",
    "versions_named",
    "versions_where",
    "where",
]

Key = tuple[str, str, str]
"""Series, date as yyyy-mm-dd, unique id."""

_VERSION = """
v.version_id, d.series, d.date, d.unique_id, v.number, v.committed_at,
v.title, v.uri, v.final_uri, v.retrieved_at, v.details
"""

_VERSIONS = f"SELECT {_VERSION} FROM version AS v JOIN document AS d USING (document_id)"  # noqa: S608 - ours

_REPRESENTATIONS = """
SELECT version_id, format, media_type, charset, size_bytes, digest, received_digest,
       derived_from, rendition, committed_at
FROM representation WHERE version_id IN ({marks}) ORDER BY representation_id
"""

_NAMED = """
WITH asked (place, series, date, unique_id, number) AS (VALUES {values})
SELECT asked.place, r.representation_id, v.number, {columns}
FROM asked CROSS JOIN document AS d CROSS JOIN version AS v LEFT JOIN representation AS r
  ON r.version_id = v.version_id
WHERE d.series = asked.series AND d.date = asked.date AND d.unique_id = asked.unique_id
  AND v.document_id = d.document_id AND v.number = coalesce(
    asked.number, (SELECT max(number) FROM version AS w WHERE w.document_id = d.document_id))
"""
_FORMAT = """
r.format, r.media_type, r.charset, r.size_bytes, r.digest, r.received_digest, r.derived_from,
r.rendition, r.committed_at
"""
_FORMAT_FROM = 3
"""Where in a row of the answer its format begins, and where the version, behind that."""
_VERSION_FROM = 12
_AT_ONCE = 100
"""How many names one question holds; two questions, for one name and for so many, stay prepared."""

_LARGEST = (1 << 63) - 1
_MANY = 500
"""How many versions are asked for their formats at once; SQLite allows 32,766 parameters."""


def timestamp(moment: datetime) -> str:
    """Return `moment` in UTC, as texts that sort like times do: yyyy-mm-ddThh:mm:ss.ffffffZ."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def instant(text: str) -> datetime:
    """Return the time that `timestamp` wrote. Raises StorageError where the row is damaged."""
    try:
        return datetime.fromisoformat(text)
    except (ValueError, TypeError) as error:
        raise _damaged(f"expected a time, not {text!r}") from error


def document_key(pdi: PDI) -> Key:
    """Return what the catalog knows the document by: its canonical fields, without the prefix."""
    date = f"{pdi.year}-{pdi.month}-{pdi.day}"
    return ".".join(pdi.series), date, unescaped(pdi.unique_id)


def storable(number: int) -> int:
    """Return a version number as SQLite can compare it; those beyond its integers exist nowhere."""
    return min(number, _LARGEST)


def name_of(key: Key, token: str | None = None, number: int | None = None) -> PDI:
    """Return the name of a document, or of this format and version of it.

    Nothing is parsed: the fields of the catalog were checked when they were minted.
    """
    series, date, unique_id = key
    year, month, day = _fields(date)
    return PDI(True, _components(series), year, month, day, unique_id, token, number)  # noqa: FBT003 - urn


@lru_cache(maxsize=256)
def _fields(date: str) -> tuple[str, str, str]:
    """Return year, month and day. Raises StorageError where the row is damaged."""
    try:
        year, month, day = date.split("-")
    except (ValueError, AttributeError) as error:
        raise _damaged(f"expected a date, not {date!r}") from error
    return year, month, day


def _damaged(problem: str) -> StorageError:
    return StorageError(
        f"the catalog is damaged: {problem}", path="catalog.sqlite", reason="damaged"
    )


@lru_cache(maxsize=256)
def _components(series: str) -> tuple[str, ...]:
    """Return the components of a series."""
    return tuple(series.split("."))


def version_by_id(connection: sqlite3.Connection, version_id: int) -> Version:
    """Return one version; it must exist."""
    return versions_where(connection, "v.version_id = ?", (version_id,))[0][1]


def versions_named(
    connection: sqlite3.Connection, names: Sequence[tuple[PDI, int | None]]
) -> list[Version | None]:
    """Return the version of each document and number, the highest for None; None if unknown."""
    found: list[Version | None] = [None] * len(names)
    for place, rows in _named(connection, names, f"{_FORMAT}, {_VERSION}"):
        formats = [row[_FORMAT_FROM:_VERSION_FROM] for row in rows if row[1] is not None]
        found[place] = version_of(rows[0][_VERSION_FROM:], formats)
    return found


def representations_named(
    connection: sqlite3.Connection, names: Sequence[PDI]
) -> list[Representation | None]:
    """Return what answers to each name (`nearest`), of the highest version where it has none."""
    found: list[Representation | None] = [None] * len(names)
    for place, rows in _named(connection, [(name, name.version) for name in names], _FORMAT):
        formats = [row[_FORMAT_FROM:] for row in rows if row[1] is not None]
        chosen = nearest(names[place].format, formats)
        if chosen is not None:
            key = document_key(names[place])
            found[place] = _representation(key, rows[0][2], formats[chosen])
    return found


def _named(
    connection: sqlite3.Connection, names: Sequence[tuple[PDI, int | None]], columns: str
) -> Iterator[tuple[int, list[tuple[Any, ...]]]]:
    """Return the place of each name that is known, and its rows, one for each format."""
    size = 1 if len(names) == 1 else _AT_ONCE
    for start in range(0, len(names), size):
        parameters: list[str | int | None] = []
        for place, (pdi, number) in enumerate(names[start : start + size], start):
            parameters += (place, *document_key(pdi))
            parameters.append(None if number is None else storable(number))
        parameters += (None,) * (5 * size - len(parameters))
        groups: dict[int, list[tuple[Any, ...]]] = {}
        for row in connection.execute(_question(size, columns), parameters):
            groups.setdefault(row[0], []).append(row)
        for place, rows in groups.items():
            yield place, sorted(rows, key=itemgetter(1)) if len(rows) > 1 else rows


@lru_cache(maxsize=4)
def _question(size: int, columns: str) -> str:
    """Return the question for so many names."""
    return _NAMED.format(values=",".join(["(?, ?, ?, ?, ?)"] * size), columns=columns)


def versions_where(
    connection: sqlite3.Connection,
    condition: str,
    parameters: Iterable[str | int | None],
    *,
    order: str = "v.version_id",
    limit: int = -1,
) -> list[tuple[int, Version]]:
    """Return the versions that meet `condition`, each with its place in the order of commit."""
    rows = connection.execute(
        f"{_VERSIONS} WHERE {condition} ORDER BY {order} LIMIT {int(limit)}",
        tuple(parameters),
    ).fetchall()
    found: list[tuple[int, Version]] = []
    for start in range(0, len(rows), _MANY):
        found += _with_formats(connection, rows[start : start + _MANY])
    return found


def _with_formats(
    connection: sqlite3.Connection, rows: list[tuple[Any, ...]]
) -> list[tuple[int, Version]]:
    """Return the versions of `rows`, with their formats."""
    formats: dict[int, list[tuple[Any, ...]]] = {row[0]: [] for row in rows}
    question = _REPRESENTATIONS.format(marks=",".join("?" * len(rows)))
    for version_id, *fields in connection.execute(question, tuple(formats)):
        formats[version_id].append(tuple(fields))
    return [(row[0], version_of(row, formats[row[0]])) for row in rows]


def version_of(row: tuple[Any, ...], formats: list[tuple[Any, ...]]) -> Version:
    """Return the version of one row and the rows of its formats."""
    _, series, date, unique_id, number, committed_at, *provenance = row
    key = (series, date, unique_id)
    return Version(
        name_of(key, None, number),
        number,
        instant(committed_at),
        _provenance(provenance),
        tuple([_representation(key, number, fields) for fields in formats]),
    )


def _provenance(columns: list[Any]) -> Provenance:
    """Return the provenance in the last five columns of a version."""
    title, uri, final_uri, retrieved_at, text = columns
    retrieved = None if retrieved_at is None else instant(retrieved_at)
    details = {} if text == "{}" else json.loads(text)
    return Provenance(title, uri, final_uri, retrieved, details)


def _representation(key: Key, number: int, fields: tuple[Any, ...]) -> Representation:
    """Return the representation in the columns of one format, `version_id` left out."""
    token, media_type, charset, size_bytes, digest, received, source, way, at = fields
    if digest == ERASED_DIGEST:
        digest = ""
    return Representation(
        name_of(key, token, number),
        token,
        media_type,
        charset,
        size_bytes,
        digest,
        received,
        source,
        way,
        instant(at),
    )


def where(selection: Selection) -> tuple[str, list[str | int]]:
    """Return the condition, with its parameters, that `selection` puts on a version."""
    # Within some interval the index on series and date finds the few rows there are, to be sorted
    # by place. A whole series is read in the order of places: the plus keeps the index away.
    conditions: dict[str, str | int | None] = {
        "d.series = ?" if selection.year else "+d.series = ?": selection.series,
        "substr(d.date, 6, 2) = ?": selection.month,
        "substr(d.date, 9, 2) = ?": selection.day,
        "d.unique_id = ?": selection.unique_id,
        "v.number = ?": None if selection.number is None else storable(selection.number),
        _HAS_FORMAT: selection.format,
    }
    if selection.year is not None:
        conditions["d.date >= ?"], conditions["d.date <= ?"] = _interval(selection)
    chosen = {text: value for text, value in conditions.items() if value is not None}
    latest = [_IS_LATEST] if selection.latest else []
    return " AND ".join([*chosen, *latest]) or "TRUE", list(chosen.values())


_HAS_FORMAT = (
    "EXISTS (SELECT 1 FROM representation AS r WHERE r.version_id = v.version_id AND r.format = ?)"
)
_IS_LATEST = "v.number = (SELECT max(number) FROM version AS w WHERE w.document_id = v.document_id)"


def _interval(selection: Selection) -> tuple[str, str]:
    """Return bounds of the dates that the leading fields allow, the year among them."""
    leading = []
    for part in (selection.year, selection.month, selection.day):
        if part is None:
            break
        leading.append(part)
    prefix = "-".join(leading)
    return prefix, f"{prefix}~"  # "~" sorts behind every digit and hyphen
