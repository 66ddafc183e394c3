"""Whether a copy is an earlier state of an archive, and whether it has become the same."""

# ruff: noqa: S608 - the names of tables are our own
from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from permacite.archive.copying.tables import SLICED
from permacite.archive.merkle import tree_hash
from permacite.archive.records import leaves, settings
from permacite.errors import ConflictError, IntegrityError

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.archive.engine import Catalog
    from permacite.archive.records.session import Session

__all__ = ["View", "check_counts", "check_earlier", "same_root"]

P = ParamSpec("P")
T = TypeVar("T")


class View:
    """The rows of an archive as they are at one moment."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._session = catalog.reader()
        with catalog.reporting():
            self._session.one_view()

    def read(
        self,
        question: Callable[Concatenate[Session, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """The answer to a question. Raises StorageError, and what `question` raises of ours."""
        with self._catalog.reading_rows():
            return question(self._session, *args, **kwargs)

    def close(self) -> None:
        """Let go of that moment."""
        self._session.close()


def _root(session: Session, size: int) -> bytes:
    return tree_hash(size, partial(leaves.node, session))


def same_root(view: View, catalog: Catalog, size: int) -> bytes:
    """The root of both logs. Raises IntegrityError where it is not the same."""
    there, here = view.read(_root, size), catalog.read(_root, size)
    if there != here:
        raise IntegrityError(
            "the log of the copy, computed from its entries, has another root than the archive's",
            expected=there.hex(),
            actual=here.hex(),
            hint="permacite fsck tells what is wrong with the archive",
        )
    return here


def _count(session: Session, table: str) -> int:
    return int(session.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def check_counts(view: View, catalog: Catalog) -> None:
    """Raise IntegrityError where rows that the log stands for are missing, or too many."""
    for table in SLICED:
        there, here = view.read(_count, table), catalog.read(_count, table)
        if there != here:
            raise IntegrityError(
                f"the copy has other rows of {table} than the archive",
                expected=f"{there} rows",
                actual=f"{here} rows",
                hint="permacite fsck tells which of the two is damaged",
            )


def check_earlier(view: View, catalog: Catalog, where: str) -> None:
    """Raise ConflictError unless what is there is an earlier state of the archive."""
    origin = catalog.read(settings.setting, settings.ORIGIN)
    if origin is not None:
        problem = f"{where} is a mirror of {origin}, and no copy: it may lack what is not public"
        raise ConflictError(problem, where, hint="copy into a new place")
    ours, theirs = view.read(settings.all_series), catalog.read(settings.all_series)
    if not theirs <= ours:
        raise ConflictError(f"{where} is another archive", where)
    size, reached = view.read(leaves.size), catalog.read(leaves.size)
    parts = _first_other(view, catalog, min(size, reached))
    if parts is not None:
        raise ConflictError(
            f"the log of {where} has another entry {parts}: one has {size}, it has {reached}",
            where,
            hint="one of them was written to as if it were the archive: copy into a new place",
        )
    if reached > size:
        raise ConflictError(
            f"{where} is ahead of the archive, by {reached - size} entries of the log",
            where,
            hint="copy the other way round",
        )


def _first_other(view: View, catalog: Catalog, size: int) -> int | None:
    """The first entry, of so many, that is not the same in both logs; None where all are."""
    if view.read(_root, size) == catalog.read(_root, size):
        return None
    same, other = 0, size
    while other - same > 1:
        middle = (same + other) // 2
        if view.read(_root, middle) == catalog.read(_root, middle):
            same = middle
        else:
            other = middle
    return same
