"""Records of versions and formats, and which of them answers to a name.

PDI draft:
  §2.5, §3.4.1 formats -> `nearest`, of `representation` and `answering`
  §2.6 versions        -> `version`: the highest where a name has none

Deviations: none.
Readings: none.
"""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from permacite import pdi as grammar
from permacite.archive.records.rows import (
    LISTED,
    VERSION,
    Key,
    among,
    digest_in,
    document_key,
    in_order,
    name_of,
    representation_of,
    storable,
    stored,
    version_of,
)
from permacite.errors import NotFoundError
from permacite.media_types import PAGES
from permacite.pdi import PDI

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.records.rows import Session

__all__ = [
    "all_of",
    "answering",
    "everything",
    "find",
    "formats_named",
    "from_digest",
    "from_uri",
    "is_serial",
    "named",
    "nearest",
    "numbers",
    "place",
    "places",
    "representation",
    "representations_named",
    "sidecars",
    "under_key",
    "version",
    "version_by_id",
    "versions_named",
    "versions_of",
    "versions_where",
]

_WANTED: dict[str | None, tuple[str, ...]] = {None: (*PAGES, "text/plain"), "text": ("text/plain",)}
_CANDIDATES = 5
_MAX_DIGITS = 18
"""More do not fit the integers of engines."""

_REPRESENTATIONS = """
SELECT version_id, format, media_type, charset, size_bytes, digest, received_digest,
       derived_from, rendition, committed_at
FROM representation WHERE {condition} ORDER BY representation_id
"""

_NAMED = """
WITH asked (place, series, date, unique_id, number) AS (VALUES {values})
SELECT asked.place, r.representation_id, v.number, {columns}
FROM asked CROSS JOIN document AS d CROSS JOIN version AS v LEFT JOIN representation AS r
  ON r.version_id = v.version_id
WHERE d.series = asked.series AND d.date = asked.date AND d.unique_id = asked.unique_id
  AND v.document_id = d.document_id AND v.number = coalesce(CAST(asked.number AS BIGINT),
    (SELECT max(number) FROM version AS w WHERE w.document_id = d.document_id))
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

_MANY = 500
"""How many versions are asked for their formats at once; SQLite allows 32,766 parameters."""


def version(connection: Session, pdi: PDI) -> Version:
    """The version that `pdi` names, the highest where it names none.

    Raises NotFoundError, whose candidates are the versions, formats or names that exist.
    """
    known = versions_named(connection, [(pdi, pdi.version)])[0]
    if known is not None:
        return known
    document = pdi.document
    ascending = numbers(connection, pdi)
    if not ascending:
        near = neighbours(connection, document_key(pdi), _CANDIDATES)
        candidates = tuple(_meant(connection, pdi, name) for name in near)
        raise NotFoundError(f"no document {document} here", str(pdi), candidates=candidates)
    latest = [find(connection, pdi, number) for number in reversed(ascending[-_CANDIDATES:])]
    raise NotFoundError(
        f"{document} has no version {pdi.version}",
        str(pdi),
        candidates=tuple(_instead(pdi.format, known) for known in latest if known is not None),
    )


def _instead(token: str | None, known: Version) -> str:
    """The name of a version in the format nearest to a token, in any where none is."""
    formats = [(each.format, each.media_type) for each in known.representations]
    return str(known.representations[nearest(token, formats) or 0].pdi)


def _meant(connection: Session, pdi: PDI, near: str) -> str:
    """The document of that name in the series `near`, if it is there; else `near`."""
    if not near.endswith("/"):
        return near
    name = grammar.parse(f"{near}{pdi.year}/{pdi.month}/{pdi.day}/{pdi.unique_id}")
    known = find(connection, name) if isinstance(name, PDI) else None
    return near if known is None else str(known.pdi.document)


def representation(connection: Session, pdi: PDI) -> Representation:
    """The format that answers to `pdi`: exact, or the nearest one of the highest version.

    `text` is answered by text/plain under the name of its charset (PDI §3.4.1); without a format,
    as `nearest` says. Raises NotFoundError.
    """
    (chosen,) = representations_named(connection, [pdi])
    return answering(connection, pdi)[1] if chosen is None else chosen


def answering(connection: Session, pdi: PDI) -> tuple[Version, Representation]:
    """The same format, and the version it is of. Raises NotFoundError."""
    known = version(connection, pdi)
    formats = [(each.format, each.media_type) for each in known.representations]
    chosen = nearest(pdi.format, formats)
    if chosen is not None:
        return known, known.representations[chosen]
    raise NotFoundError(
        f"{known.pdi.document} has no format {pdi.format} in version {known.number}",
        str(pdi),
        candidates=tuple(str(each.pdi) for each in known.representations),
    )


def nearest(token: str | None, formats: Sequence[tuple[Any, ...]]) -> int | None:
    """Which of `formats`, tuples of token and media type and more, answers to a token.

    None where none does. A short alias stands for its media type. Without a token the page answers,
    HTML or XHTML, then plain text, then the first. This is the one place that decides it.
    """
    if token is not None:
        token = token.lower()
        for place, columns in enumerate(formats):
            if columns[0] == token:
                return place
    alias = None if token is None else grammar.alias_for(token)
    for media_type in _WANTED.get(token, () if alias is None else (alias,)):
        for place, each in enumerate(formats):
            if each[1] == media_type:
                return place
    return 0 if token is None and formats else None


def find(connection: Session, pdi: PDI, number: int | None = None) -> Version | None:
    """One version of the document `pdi`, the highest where `number` is None; None if unknown."""
    return versions_named(connection, [(pdi, number)])[0]


def all_of(connection: Session, pdi: PDI) -> list[Version]:
    """All versions of the document `pdi`, the first one first."""
    names = [(pdi, number) for number in numbers(connection, pdi)]
    return [known for known in versions_named(connection, names) if known is not None]


def named(connection: Session, pdis: Sequence[PDI]) -> list[Version | None]:
    """The version that each of `pdis` names, the highest where it names none; None if unknown."""
    return versions_named(connection, [(pdi, pdi.version) for pdi in pdis])


def numbers(connection: Session, pdi: PDI) -> list[int]:
    """The version numbers of the document `pdi`, ascending; empty if it is unknown."""
    rows = connection.execute(
        "SELECT number FROM version JOIN document USING (document_id)"
        " WHERE series = ? AND date = ? AND unique_id = ? ORDER BY number",
        document_key(pdi),
    )
    return [number for (number,) in rows]


def from_uri(connection: Session, uri: str) -> list[Version]:
    """The versions with this requested or final URI, newest first."""
    condition = "v.uri = ? OR v.final_uri = ?"
    order = "v.version_id DESC"
    rows = versions_where(connection, condition, (uri, uri), columns=LISTED, order=order)
    return [known for _, known in rows]


def from_digest(connection: Session, digest: str) -> list[Version]:
    """The versions with a format that was received with these octets, newest first."""
    condition = (
        "v.version_id IN (SELECT version_id FROM representation"
        " WHERE digest = ? AND derived_from IS NULL)"
    )
    asked = (stored(connection, digest),)
    rows = versions_where(connection, condition, asked, order="v.version_id DESC")
    return [known for _, known in rows]


def is_serial(connection: Session, pdi: PDI) -> bool:
    """Whether a document's unique id was taken from the day's serial numbers."""
    row = connection.execute(
        "SELECT serial FROM document WHERE series = ? AND date = ? AND unique_id = ?",
        document_key(pdi),
    ).fetchone()
    return row is not None and row[0] is not None


def places(connection: Session, *, after: int, limit: int) -> list[int]:
    """The places of up to `limit` versions past `after`, be they readable or not."""
    question = "SELECT version_id FROM version WHERE version_id > ? ORDER BY 1 LIMIT ?"
    rows = [place for (place,) in connection.execute(question, (after, limit))]
    in_order(place > after for place in rows)
    return rows


def everything(connection: Session, *, after: int, limit: int) -> list[tuple[int, Version]]:
    """Up to `limit` versions with their places in the order of commit, past `after`."""
    versions = versions_where(
        connection, "v.version_id > ?", [after], order="v.version_id", limit=limit
    )
    in_order(place > after for place, _ in versions)
    return versions


def place(connection: Session, pdi: PDI, number: int | None) -> int | None:
    """A version's place in the order of commit, that of the highest for None."""
    which = "TRUE ORDER BY number DESC" if number is None else "number = ?"
    row = connection.execute(
        "SELECT version_id FROM version JOIN document USING (document_id)"
        f" WHERE series = ? AND date = ? AND unique_id = ? AND {which} LIMIT 1",
        (*document_key(pdi), *(() if number is None else (storable(number),))),
    ).fetchone()
    return None if row is None else int(row[0])


def sidecars(connection: Session, representation: Representation) -> dict[str, str]:
    """The digests of a representation's sidecars by name."""
    pdi = representation.pdi
    rows = connection.execute(
        "SELECT a.name, a.digest FROM attachment AS a"
        " JOIN representation USING (representation_id) JOIN version USING (version_id)"
        " JOIN document USING (document_id) WHERE series = ? AND date = ?"
        " AND unique_id = ? AND format = ? AND number = ?",
        (*document_key(pdi), representation.format, pdi.version),
    )
    return {name: digest_in(octets) for name, octets in rows}


def version_by_id(connection: Session, version_id: int) -> Version:
    """Return one version; it must exist."""
    return versions_where(connection, "v.version_id = ?", (version_id,))[0][1]


def under_key(connection: Session, key: str) -> list[Version]:
    """The version that was committed under an idempotency key, if there is one."""
    where = "v.version_id = (SELECT version_id FROM idempotency WHERE key = ?)"
    return [version for _, version in versions_where(connection, where, (key,))]


def versions_named(
    connection: Session, names: Sequence[tuple[PDI, int | None]]
) -> list[Version | None]:
    """Return the version of each document and number, the highest for None; None if unknown."""
    versions: list[Version | None] = [None] * len(names)
    for place, rows in _named(connection, names, f"{_FORMAT}, {VERSION}"):
        formats = [row[_FORMAT_FROM:_VERSION_FROM] for row in rows if row[1] is not None]
        versions[place] = version_of(rows[0][_VERSION_FROM:], formats)
    return versions


def representations_named(connection: Session, names: Sequence[PDI]) -> list[Representation | None]:
    """The format that answers to each name, of the highest version where it has none."""
    representations: list[Representation | None] = [None] * len(names)
    for place, rows in _named(connection, [(name, name.version) for name in names], _FORMAT):
        formats = [row[_FORMAT_FROM:] for row in rows if row[1] is not None]
        chosen = nearest(names[place].format, formats)
        if chosen is not None:
            key = document_key(names[place])
            representations[place] = representation_of(key, rows[0][2], formats[chosen])
    return representations


def formats_named(connection: Session, names: Sequence[PDI]) -> list[list[Representation]]:
    """The formats of the version that each name has, likewise; none where it is unknown."""
    formats: list[list[Representation]] = [[] for _ in names]
    for place, rows in _named(connection, [(name, name.version) for name in names], _FORMAT):
        key = document_key(names[place])
        formats[place] = [
            representation_of(key, row[2], row[_FORMAT_FROM:]) for row in rows if row[1] is not None
        ]
    return formats


def _named(
    connection: Session, names: Sequence[tuple[PDI, int | None]], columns: str
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
    connection: Session,
    condition: str,
    parameters: Iterable[str | bytes | int | None],
    *,
    columns: str = VERSION,
    order: str = "v.version_id",
    limit: int | None = None,
) -> list[tuple[int, Version]]:
    """Return the versions that meet `condition`, each with its place in the order of commit."""
    rows = connection.execute(
        f"SELECT {columns} FROM version AS v JOIN document AS d USING (document_id)"
        f" WHERE {condition} ORDER BY {order}{'' if limit is None else f' LIMIT {limit:d}'}",
        tuple(parameters),
    ).fetchall()
    return versions_of(connection, rows)


def versions_of(connection: Session, rows: Sequence[tuple[Any, ...]]) -> list[tuple[int, Version]]:
    """Versions, each with its place in the order of commit, of rows with the columns `VERSION`."""
    versions: list[tuple[int, Version]] = []
    for start in range(0, len(rows), _MANY):
        versions += _with_formats(connection, rows[start : start + _MANY])
    return versions


def _with_formats(
    connection: Session, rows: Sequence[tuple[Any, ...]]
) -> list[tuple[int, Version]]:
    """Return the versions of `rows`, with their formats."""
    formats: dict[int, list[tuple[Any, ...]]] = {row[0]: [] for row in rows}
    condition, parameters = among("version_id", list(formats))
    for fields in connection.execute(_REPRESENTATIONS.format(condition=condition), parameters):
        formats[fields[0]].append(fields[1:])
    return [(row[0], version_of(row, formats[row[0]])) for row in rows]


def neighbours(connection: Session, key: Key, limit: int) -> list[str]:
    """Return up to `limit` names near the unknown `key`: of the day, of the series, or series.

    Each question is served by an index, so that unknown names cost no more than known ones.
    """
    series, date, _ = key
    keys = _of_day(connection, key, limit) or _of_other_days(connection, series, date)
    if keys:
        return [str(name_of(each)) for each in keys[:limit]]
    known = [name for (name,) in connection.execute("SELECT name FROM series")]
    import difflib

    close = difflib.get_close_matches(series, [name for name in known if name != series], limit)
    return [f"urn:pdi://{name}/" for name in close]


def _of_day(connection: Session, key: Key, limit: int) -> list[Key]:
    """Return documents of the same day, by the distance of their serial numbers."""
    series, date, unique_id = key
    digits = unique_id.isascii() and unique_id.isdigit() and len(unique_id) <= _MAX_DIGITS
    wanted = int(unique_id) if digits else 0
    question = "SELECT serial FROM document WHERE series = ? AND date = ? AND serial IS NOT NULL"
    below = connection.execute(
        f"{question} AND serial <= ? ORDER BY serial DESC LIMIT ?", (series, date, wanted, limit)
    ).fetchall()
    above = connection.execute(
        f"{question} AND serial > ? ORDER BY serial LIMIT ?", (series, date, wanted, limit)
    ).fetchall()
    serials = sorted(
        (serial for (serial,) in below + above), key=lambda serial: abs(serial - wanted)
    )
    return [(series, date, str(serial)) for serial in serials]


def _of_other_days(connection: Session, series: str, date: str) -> list[Key]:
    """Return the last document before the day and the first one after it."""
    question = "SELECT series, date, unique_id FROM document WHERE series = ? AND date"
    before = connection.execute(
        f"{question} < ? ORDER BY date DESC LIMIT 1", (series, date)
    ).fetchall()
    after = connection.execute(f"{question} > ? ORDER BY date LIMIT 1", (series, date)).fetchall()
    return before + after
