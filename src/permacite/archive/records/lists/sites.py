"""Sites that pages were saved from, and the addresses of one: each a search in an index.

A site is what stands in an address between `//` and the next `/`, `?` or `#`, in lower case: a
host, and its port where one is given. Each step goes to what follows in the index, past all
versions of the address or the site before: a page of a list costs what is on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permacite.archive.records.rows import LISTED
from permacite.archive.records.versions import versions_of

if TYPE_CHECKING:
    import sqlite3

    from permacite.archive.model import Version

__all__ = ["SITE", "addresses", "sites"]

_BEHIND = "substr({uri}, instr({uri}, '://') + 3)"
SITE = (
    f"lower(substr({_BEHIND}, 1, min(instr({_BEHIND} || '/', '/'), instr({_BEHIND} || '?', '?'),"
    f" instr({_BEHIND} || '#', '#')) - 1))"
)
"""The site of the address in a column, as the index of schema 9 has it."""

_OF_SITE = SITE.format(uri="v.uri")
_NEXT = (
    "SELECT {name}, {listed} FROM version AS v CROSS JOIN document AS d"
    " WHERE d.document_id = v.document_id AND instr(v.uri, '://') > 0 AND {condition}"
    " ORDER BY {order} LIMIT 1"
)
_NEXT_SITE = _NEXT.format(
    name=_OF_SITE,
    listed=LISTED,
    condition=f"{_OF_SITE} > ?",
    order=f"{_OF_SITE}, v.uri, v.version_id DESC",
)
_NEXT_ADDRESS = _NEXT.format(
    name="v.uri",
    listed=LISTED,
    condition=f"{_OF_SITE} = ? AND v.uri > ?",
    order="v.uri, v.version_id DESC",  # with the site before them, SQLite would sort
)


def sites(connection: sqlite3.Connection, *, after: str, limit: int) -> list[tuple[str, Version]]:
    """Up to `limit` sites behind one, each with the last version saved from its first address."""
    return _walk(connection, _NEXT_SITE, (after,), limit)


def addresses(
    connection: sqlite3.Connection, site: str, *, after: str, limit: int
) -> list[tuple[str, Version]]:
    """Up to `limit` addresses of a site behind one, each with the last version saved from there."""
    return _walk(connection, _NEXT_ADDRESS, (site, after), limit)


def _walk(
    connection: sqlite3.Connection, question: str, values: tuple[str, ...], limit: int
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
