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
    from permacite.archive.model import Version
    from permacite.archive.records.session import Session

__all__ = ["addresses", "sites"]

_NEXT = (
    "SELECT {name}, {listed} FROM version AS v CROSS JOIN document AS d"
    " WHERE d.document_id = v.document_id AND instr(v.uri, '://') > 0 AND {condition}"
    " ORDER BY {order} LIMIT 1"
)
"""`instr` is a function of SQLite; where an engine has another name for it, its schema has one."""


def sites(connection: Session, *, after: str, limit: int) -> list[tuple[str, Version]]:
    """Up to `limit` sites behind one, each with the last version saved from its first address."""
    site = _site(connection)
    order = f"{site}, v.uri, v.version_id DESC"
    question = _NEXT.format(name=site, listed=LISTED, condition=f"{site} > ?", order=order)
    return _walk(connection, question, (after,), limit)


def addresses(
    connection: Session, site: str, *, after: str, limit: int
) -> list[tuple[str, Version]]:
    """Up to `limit` addresses of a site behind one, each with the last version saved from there."""
    question = _NEXT.format(
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
