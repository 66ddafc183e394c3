"""Store ownership: a marker in the store, and the matching number in the catalog.

Whoever opens an archive names its store, and may name another than the day before: octets would go
to two places then, and those of two archives to one. So a store that is named apart from the
catalog has a mark, written when the archive is opened for the first time and nothing of another one
is there. A store without one is the archive's where it has octets that the catalog says are there,
or where there should be none yet, nor a mark: archives of before had no marks.
"""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING

from permacite.archive.objects import MARK, StoreMark, mark_of
from permacite.archive.records import octets, settings
from permacite.errors import StorageError

if TYPE_CHECKING:
    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.engine.place import Place
    from permacite.archive.objects import ObjectStore

__all__ = ["checked"]

_SOME = 8
"""How many objects are looked for in a store without a mark: some may be lost."""


def checked(place: Place, catalog: Catalog) -> ObjectStore:
    """The store of octets that a place names, open, once it is seen to be that of the catalog.

    One that is away is asked before anything is put there. Raises StorageError: reason
    "other-store" where it is another archive's, or lacks what the catalog says is there.
    """
    store = place.objects()
    check = partial(_check, place, catalog, store)
    try:
        check()
    except StorageError as error:
        if error.reason != "away":
            raise
        store.ask_first(check)
    return store


def _check(place: Place, catalog: Catalog, store: ObjectStore) -> None:
    """Raise StorageError where a store is not that of a catalog; mark it where nobody did."""
    mark, told = mark_of(store), catalog.read(settings.settings)
    known, may_write = told.get(settings.STORE), place.log_key is not None
    if mark is None or mark.number != known:
        if known is None and may_write:
            known = catalog.write(settings.name_store)
        there = catalog.read(octets.some_objects, _SOME)
        is_expected = bool(there) or settings.MARKED in told
        if mark is not None or (is_expected and not any(map(store.has, there))):
            raise _refusal(store, mark, known)
        if known is None:
            return
    with contextlib.suppress(StorageError):  # who only reads leaves it to others
        if mark is None:
            store.publish(MARK, bytes(StoreMark(known, place.where)))
        if may_write and settings.MARKED not in told:
            catalog.write(settings.note_marked)


def _refusal(store: ObjectStore, mark: StoreMark | None, known: str | None) -> StorageError:
    """The error of a store that is not the one of the archive."""
    if mark is None:
        problem = f"{store.name} has none of the octets of this archive, nor its mark"
    else:
        problem = f"{store.name} has the octets of another archive: {mark.number} {mark.where}"
    return StorageError(
        f"{problem}; expected the store with the mark {known or '(not known here)'}",
        path=store.name,
        reason="other-store",
        hint="name the store that the archive was made with; where this one is to take its place,"
        f" let its file {MARK!r} have that mark as its first line",
    )
