"""Location of an archive: a folder, or an address such as `postgresql://host/db?objects=/dir`.

The scheme of an address is the name of its engine, which a registry finds.

Store ownership: a store with an address of its own has a marker (`_checked`), so that two archives
never share a store, and one archive never writes to two. The marker is written when the archive is
first opened and the store has no other one. A store without a marker belongs to the archive if it
has contents that the catalog names, or if the catalog names none yet.
"""

from __future__ import annotations

import contextlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from permacite.archive.objects.mark import MARK, StoreMark, mark_of
from permacite.archive.records import octets, settings
from permacite.errors import StorageError
from permacite.registry import Registry
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.entries import Sealer
    from permacite.archive.model.answered import Clock
    from permacite.archive.objects.store import ObjectStore
    from permacite.archive.records.rows import Transaction

__all__ = ["NO_ARCHIVE", "Fill", "Location", "Place", "engine_of", "engines", "open_objects"]

_POSTGRESQL = "postgresql"
_MEANS_POSTGRESQL = compile_pattern(r"(?i)postgres(?:ql)?:|(?:\w+ *=.* )?pass(?:word|file) *=")
"""The scheme, or a password in the words of libpq: such a text is no folder."""

engines = Registry(
    "permacite.engines", {_POSTGRESQL: "permacite.archive.postgresql.server:Server"}, kind=type
)
"""Engines of records beside SQLite, by scheme. Each takes a location, and is a `Place`."""

Fill: TypeAlias = "Callable[[Transaction], None]"
"""Writes the first rows of an archive."""

Location: TypeAlias = Path | str
"""A folder; or a text that begins with the scheme of an engine."""

_SOME = 8
"""Objects that are looked for in a store without a marker: some may be lost."""

NO_ARCHIVE = frozenset({"missing", "not-an-archive"})
"""The reasons why a place cannot be opened where an archive may be made."""


class Place(Protocol):
    """Where the parts of one archive are."""

    @property
    def where(self) -> str:
        """The place, for people; no secret is in it."""

    @property
    def directory(self) -> Path:
        """The folder of what this machine keeps for itself: tokens, indexes, uploads."""

    @property
    def log_key(self) -> Path | None:
        """The file of the key that signs the log; None where nothing is signed here."""

    def make(self, fill: Fill, clock: Clock, objects: str | None) -> None:
        """Make an archive with the first rows that `fill` writes, whole or not at all.

        `objects` is the address of the store of its octets, None for the usual one. Raises
        ConflictError, ParseError, StorageError.
        """

    @property
    def names_objects(self) -> bool:
        """Whether the store is named apart from the records, so that another could be."""

    def objects(self) -> ObjectStore:
        """Open the store of octets. Raises StorageError."""

    def catalog(self, *, clock: Clock, sealer: Sealer, busy_timeout_s: float) -> Catalog:
        """Open the records. Raises StorageError."""


def engine_of(location: str) -> str:
    """The name of the engine that a location needs; "" for a folder."""
    if {":", "="}.isdisjoint(location):
        return ""
    if _MEANS_POSTGRESQL.match(location):
        return _POSTGRESQL
    scheme, mark, _ = location.partition("://")
    return scheme if mark else ""


def open_objects(place: Place, catalog: Catalog) -> ObjectStore:
    """Open the object store of the catalog at a place. Raises StorageError."""
    if not place.names_objects:
        return place.objects()
    return _checked(place, catalog)


def _checked(place: Place, catalog: Catalog) -> ObjectStore:
    """Open the store at the address of a place, and check that it belongs to the catalog.

    A store that does not answer is checked before the first write. Raises StorageError: reason
    "other-store" if it belongs to another archive, or lacks contents that the catalog names.
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
    """Raise StorageError for the store of another catalog; mark one without a marker."""
    mark, values = mark_of(store), catalog.read(settings.settings)
    known, may_write = values.get(settings.STORE), place.log_key is not None
    if mark is None or mark.number != known:
        if known is None and may_write:
            known = catalog.write(settings.name_store)
        there = catalog.read(octets.some_objects, _SOME)
        is_expected = bool(there) or settings.MARKED in values
        if mark is not None or (is_expected and not any(map(store.has, there))):
            raise _refusal(store, mark, known)
        if known is None:
            return
    with contextlib.suppress(StorageError):  # a read-only process leaves it to others
        if mark is None:
            store.publish(MARK, bytes(StoreMark(known, place.where)))
        if may_write and settings.MARKED not in values:
            catalog.write(settings.note_marked)


def _refusal(store: ObjectStore, mark: StoreMark | None, known: str | None) -> StorageError:
    """The error for a store that belongs to no archive, or another one."""
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
