"""Comparison of two archives: the beginning of their logs, the numbers of rows, rows by key."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec, TypeVar

from permacite.archive.merkle import tree_hash
from permacite.archive.records import leaves, settings
from permacite.archive.transport.rows import COMPARED, SLICED, insert
from permacite.errors import ConflictError, IntegrityError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.records.rows import Session, Transaction
    from permacite.archive.transport.rows import Row

    Keys = tuple[object, object]
    """A range of keys: after the first, up to the second. None: from the start, to the end."""

__all__ = [
    "CatalogView",
    "TablePage",
    "check_counts",
    "check_earlier",
    "mend",
    "pages",
    "rows_of",
    "same_root",
]

P = ParamSpec("P")
T = TypeVar("T")

_PAGE_ROWS = 2000


class CatalogView:
    """The rows of an archive as they were at one moment."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._session = catalog.reader()
        with catalog.reporting():
            self._session.one_view()

    def read(
        self, question: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Answer a question. Raises StorageError, and what `question` raises."""
        with self._catalog.reading_rows():
            return question(self._session, *args, **kwargs)

    def close(self) -> None:
        """Close the session."""
        self._session.close()


def _root(session: Session, size: int) -> bytes:
    return tree_hash(size, partial(leaves.node, session))


def same_root(view: CatalogView, catalog: Catalog, size: int) -> bytes:
    """Return the root of both logs. Raises IntegrityError where the roots differ."""
    expected, actual = view.read(_root, size), catalog.read(_root, size)
    if expected != actual:
        raise IntegrityError(
            "the log of the copy, computed from its entries, has another root than the archive's",
            expected=expected.hex(),
            actual=actual.hex(),
            hint="permacite fsck tells what is wrong with the archive",
        )
    return actual


def _count(session: Session, table: str) -> int:
    return int(session.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def check_counts(view: CatalogView, catalog: Catalog) -> None:
    """Raise IntegrityError where the copy has more or fewer rows than the entries stand for."""
    for table in SLICED:
        expected, actual = view.read(_count, table), catalog.read(_count, table)
        if expected != actual:
            raise IntegrityError(
                f"the copy has other rows of {table} than the archive",
                expected=f"{expected} rows",
                actual=f"{actual} rows",
                hint="permacite fsck tells which of the two is damaged",
            )


def check_earlier(view: CatalogView, catalog: Catalog, where: str) -> None:
    """Raise ConflictError unless the catalog is an earlier state of the archive."""
    origin = catalog.read(settings.setting, settings.ORIGIN)
    if origin is not None:
        problem = f"{where} is a mirror of {origin}, and no copy: it may lack what is not public"
        raise ConflictError(problem, where, hint="copy into a new place")
    ours, theirs = view.read(settings.all_series), catalog.read(settings.all_series)
    if not theirs <= ours:
        raise ConflictError(f"{where} is another archive", where)
    size, copied = view.read(leaves.size), catalog.read(leaves.size)
    different = _first_difference(view, catalog, min(size, copied))
    if different is not None:
        raise ConflictError(
            f"the log of {where} has another entry {different}: one has {size}, it has {copied}",
            where,
            hint="one of them was written to as if it were the archive: copy into a new place",
        )
    if copied > size:
        raise ConflictError(
            f"{where} is ahead of the archive, by {copied - size} entries of the log",
            where,
            hint="copy the other way round",
        )


def _first_difference(view: CatalogView, catalog: Catalog, size: int) -> int | None:
    """Return the first of `size` entries that differs between both logs; None where none does."""
    if view.read(_root, size) == catalog.read(_root, size):
        return None
    same, different = 0, size
    while different - same > 1:
        middle = (same + different) // 2
        if view.read(_root, middle) == catalog.read(_root, middle):
            same = middle
        else:
            different = middle
    return same


class TablePage(NamedTuple):
    """The changes that make one page of a table the same."""

    table: str
    missing: list[Row]
    changed: list[Row]
    """Rows as they should be, where the copy has other values."""
    extra: list[object]
    """The keys of rows that should not be there."""


def pages(
    source: Callable[[Keys], list[Row]], copy: Callable[[Keys], list[Row]], table: str
) -> Iterator[TablePage]:
    """Yield the pages of a table in which the rows of a copy differ from those of its source."""
    lower: object = None
    while True:
        rows = source((lower, None))
        upper = rows[-1][0] if len(rows) == _PAGE_ROWS else None
        actual = {row[0]: row for row in copy((lower, upper))}
        expected = {row[0]: row for row in rows}
        page = TablePage(
            table,
            [row for key, row in expected.items() if key not in actual],
            [row for key, row in expected.items() if actual.get(key, row) != row],
            [key for key in actual if key not in expected],
        )
        if page.missing or page.changed or page.extra:
            yield page
        if upper is None:
            return
        lower = upper


def rows_of(session: Session, table: str, keys: Keys) -> list[Row]:
    """Read the rows in a range of keys, in order; at most a page where the range has no end."""
    key, (lower, upper) = COMPARED[table].key, keys
    bounds = ((f"{key} > ?", lower), (f"{key} <= ?", upper))
    given = [(bound, value) for bound, value in bounds if value is not None]
    given += [(f"{key} <> ?", own) for own in COMPARED[table].own]
    where = f"WHERE {' AND '.join(bound for bound, _ in given)}" if given else ""
    limit = "" if upper is not None else f"LIMIT {_PAGE_ROWS}"
    question = f"SELECT * FROM {table} {where} ORDER BY {key} {limit}"
    return [tuple(row) for row in session.execute(question, [value for _, value in given])]


def mend(transaction: Transaction, page: TablePage) -> None:
    """Make a page the same. Raises ConflictError where rows that may not change differ.

    Checkpoints that a copy signed itself stay beside those of the archive.
    """
    session = transaction.connection
    table, of = page.table, COMPARED[page.table]
    if table == "checkpoint":
        insert(session, table, page.missing)
        return
    if of.is_lasting and (page.extra or (page.changed and not of.change)):
        raise ConflictError(
            f"the copy has rows of {table} that the archive has not: something wrote there",
            table,
            hint="copy into a new place",
        )
    if of.change:
        changes = [(row[of.column], row[0]) for row in page.changed]
        session.executemany(of.change, changes)
    else:
        gone = [*page.extra, *(row[0] for row in page.changed)]
        session.executemany(f"DELETE FROM {table} WHERE {of.key} = ?", [(key,) for key in gone])
        insert(session, table, page.changed)
    insert(session, table, page.missing)
