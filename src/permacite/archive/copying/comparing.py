"""Tables that are compared by their key, a page at a time, and made the same."""

# ruff: noqa: S608 - the names of tables and columns are our own
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.archive.copying.adding import insert
from permacite.archive.copying.tables import COMPARED
from permacite.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permacite.archive.copying.slices import Row
    from permacite.archive.records.rows import Transaction
    from permacite.archive.records.session import Session

    Keys = tuple[object, object]
    """The keys behind the first one, up to the second; None: from the first, to the last."""

__all__ = ["Page", "mend", "pages", "rows_of"]

_MANY = 2000
"""How many rows are compared at a time."""


class Page(NamedTuple):
    """What is to be done to a page of a table, that it be the same."""

    table: str
    new: list[Row]
    """Rows that are missing."""
    others: list[Row]
    """Rows as they should be, which are there with other values."""
    strange: list[object]
    """The keys of rows that should not be there."""


def pages(
    there: Callable[[Keys], list[Row]], here: Callable[[Keys], list[Row]], table: str
) -> Iterator[Page]:
    """The pages of a table in which the rows of a copy, `here`, differ from those `there`."""
    lower: object = None
    while True:
        rows = there((lower, None))
        upper = rows[-1][0] if len(rows) == _MANY else None
        kept = {row[0]: row for row in here((lower, upper))}
        right = {row[0]: row for row in rows}
        page = Page(
            table,
            [row for key, row in right.items() if key not in kept],
            [row for key, row in right.items() if kept.get(key, row) != row],
            [key for key in kept if key not in right],
        )
        if page.new or page.others or page.strange:
            yield page
        if upper is None:
            return
        lower = upper


def rows_of(session: Session, table: str, keys: Keys) -> list[Row]:
    """The rows of a range of keys, in their order; where it has no end, as many as make a page."""
    key, (lower, upper) = COMPARED[table].key, keys
    bounds = ((f"{key} > ?", lower), (f"{key} <= ?", upper))
    given = [(bound, value) for bound, value in bounds if value is not None]
    given += [(f"{key} <> ?", own) for own in COMPARED[table].own]
    where = f"WHERE {' AND '.join(bound for bound, _ in given)}" if given else ""
    limit = "" if upper is not None else f"LIMIT {_MANY}"
    question = f"SELECT * FROM {table} {where} ORDER BY {key} {limit}"
    return [tuple(row) for row in session.execute(question, [value for _, value in given])]


def mend(transaction: Transaction, page: Page) -> None:
    """Make a page the same. Raises ConflictError where rows that last are others.

    What a copy has signed of its own stays beside what the archive signed.
    """
    session = transaction.connection
    table, of = page.table, COMPARED[page.table]
    if table == "checkpoint":
        insert(session, table, page.new)
        return
    if of.is_lasting and (page.strange or (page.others and not of.change)):
        raise ConflictError(
            f"the copy has rows of {table} that the archive has not: something wrote there",
            table,
            hint="copy into a new place",
        )
    if of.change:
        changes = [(row[of.column], row[0]) for row in page.others]
        session.executemany(of.change, changes)
    else:
        gone = [*page.strange, *(row[0] for row in page.others)]
        session.executemany(f"DELETE FROM {table} WHERE {of.key} = ?", [(key,) for key in gone])
        insert(session, table, page.others)
    insert(session, table, page.new)
