"""Rows of the catalog as values of the archive: the questions that only read."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from permacite.archive.model import Provenance, Representation, Version
from permacite.pdi import PDI

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from permacite.archive.catalog import Selection

__all__ = [
    "document_key",
    "instant",
    "name_of",
    "timestamp",
    "version_by_id",
    "version_of",
    "versions_where",
    "where",
]

Key = tuple[str, str, str]
"""Series, date as yyyy-mm-dd, unique id."""

_VERSIONS = """
SELECT v.version_id, d.series, d.date, d.unique_id, v.number, v.committed_at,
       v.title, v.uri, v.final_uri, v.retrieved_at, v.details
FROM version AS v JOIN document AS d USING (document_id)
"""

_REPRESENTATIONS = """
SELECT version_id, format, media_type, charset, size_bytes, digest, canonical_digest,
       received_digest, derived_from, rendition, committed_at
FROM representation WHERE version_id IN ({marks}) ORDER BY representation_id
"""

_MANY = 500
"""How many versions are asked for their formats at once; SQLite allows 32,766 parameters."""


def timestamp(moment: datetime) -> str:
    """Return `moment` in UTC, as texts that sort like times do: yyyy-mm-ddThh:mm:ss.ffffffZ."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


def instant(text: str) -> datetime:
    """Return the time that `timestamp` wrote."""
    return datetime.fromisoformat(text)


def document_key(pdi: PDI) -> Key:
    """Return what the catalog knows the document by: its canonical fields, without the prefix."""
    series, year, month, day, last = pdi.canonical().partition("//")[2].split("/")
    return series, f"{year}-{month}-{day}", last.partition(".")[0]


def name_of(key: Key) -> PDI:
    """Return the document's name; the fields of the catalog were checked when they were minted."""
    series, date, unique_id = key
    year, month, day = date.split("-")
    return PDI(
        urn=True,
        series=tuple(series.split(".")),
        year=year,
        month=month,
        day=day,
        unique_id=unique_id,
    )


def version_by_id(connection: sqlite3.Connection, version_id: int) -> Version:
    """Return one version; it must exist."""
    return versions_where(connection, "v.version_id = ?", (version_id,))[0][1]


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
    document = name_of((series, date, unique_id))
    return Version(
        pdi=dataclasses.replace(document, version=number),
        number=number,
        committed_at=instant(committed_at),
        provenance=_provenance(provenance),
        representations=tuple(_representation(document, number, fields) for fields in formats),
    )


def _provenance(columns: list[Any]) -> Provenance:
    """Return the provenance in the last five columns of a version."""
    title, uri, final_uri, retrieved_at, details = columns
    return Provenance(
        title=title,
        uri=uri,
        final_uri=final_uri,
        retrieved_at=None if retrieved_at is None else instant(retrieved_at),
        details=json.loads(details),
    )


def _representation(document: PDI, number: int, fields: tuple[Any, ...]) -> Representation:
    """Return the representation in the columns of one format, `version_id` left out."""
    token, media_type, charset, size_bytes, digest, *others, committed_at = fields
    canonical_digest, received_digest, derived_from, rendition = others
    return Representation(
        pdi=dataclasses.replace(document, format=token, version=number),
        format=token,
        media_type=media_type,
        charset=charset,
        size_bytes=size_bytes,
        digest=digest,
        canonical_digest=canonical_digest,
        received_digest=received_digest,
        derived_from=derived_from,
        rendition=rendition,
        committed_at=instant(committed_at),
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
        "v.number = ?": selection.number,
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
