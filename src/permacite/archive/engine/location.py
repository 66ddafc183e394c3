"""Location of an archive: a folder, or an address such as `postgresql://host/db?objects=/dir`.

The scheme of an address is the name of its engine, which a registry finds.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from permacite.registry import Registry
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.entries import Sealer
    from permacite.archive.model.answered import Clock
    from permacite.archive.objects.store import ObjectStore
    from permacite.archive.records.rows import Transaction

__all__ = ["NO_ARCHIVE", "Fill", "Location", "Place", "engine_of", "engines"]

_POSTGRESQL = "postgresql"
_MEANS_POSTGRESQL = compile_pattern(r"(?i)postgres(?:ql)?:|(?:\w+ *=.* )?pass(?:word|file) *=")
"""The scheme, or a password in the words of libpq: such a text is no folder."""

engines = Registry(
    "permacite.engines",
    {_POSTGRESQL: "permacite.archive.postgresql.server:Server"},
    kind=type,
)
"""Engines of records beside SQLite, by scheme. Each takes a location, and is a `Place`."""

Fill: TypeAlias = "Callable[[Transaction], None]"
"""Writes the first rows of an archive."""

Location: TypeAlias = Path | str
"""A folder; or a text that begins with the scheme of an engine."""

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
