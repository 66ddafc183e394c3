"""What the catalog answers is what the log tells: asked once of each version that is read.

A digest guards the octets; the entry of the log guards what is said of them: media type, charset,
title, address. Comparing takes a fraction of a millisecond, and what was found right is remembered
by its value, so that another value is compared anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.entries import read, tokens
from permacite.archive.records import leaves, versions
from permacite.archive.records.rebuilding import entry_fault
from permacite.errors import IntegrityError

if TYPE_CHECKING:
    import sqlite3

    from permacite.archive.model import Representation, Version
    from permacite.archive.sqlite import Catalog
    from permacite.pdi import PDI

__all__ = ["Agreement"]

_KINDS = {"version", "format"}
_MOST = 10_000
"""How many versions and formats are remembered."""


class Agreement:
    """Compares what one catalog answers with its log."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._right: set[Version | Representation] = set()

    def check(self, version: Version) -> Version:
        """Return a version that the log tells of as it is. Raises IntegrityError."""
        if version not in self._right:
            told = self.check_document(version.pdi, version.number)
            for one in version.representations:
                if one.format not in told:
                    raise _differs(one.pdi, f"no entry tells of {one.pdi}")
            if len(self._right) > _MOST:
                self._right.clear()
            self._right.update((version, *version.representations))
        return version

    def check_format(self, representation: Representation) -> Representation:
        """Return a representation that the log tells of as it is. Raises IntegrityError."""
        if representation not in self._right:
            pdi = representation.pdi
            version = self._catalog.read(versions.find, pdi, pdi.version)
            if version is None or representation not in self.check(version).representations:
                raise _differs(representation.pdi, "the catalog gives two answers about it")
        return representation

    def check_document(self, pdi: PDI, number: int | None) -> set[str]:
        """Hold a document, or one version of it, to the log, and return the formats it tells of.

        One that is nowhere agrees; what the log tells of and the catalog lacks does not. Raises
        IntegrityError.
        """
        return self._catalog.read(_told, pdi, number)


def _told(connection: sqlite3.Connection, pdi: PDI, number: int | None) -> set[str]:
    """The formats that entries without fault tell of. Raises IntegrityError for a fault."""
    told: set[str] = set()
    for leaf in leaves.entries(connection, pdi):
        try:
            entry = read(leaf.content)
        except ValueError:
            continue  # damaged: it tells of nothing any more
        if entry.get("kind") in _KINDS and number in {None, entry.get("version")}:
            problem = entry_fault(connection, leaf)
            if problem:
                raise _differs(pdi, problem)
            told.update(tokens(entry))
    return told


def _differs(pdi: PDI, problem: str) -> IntegrityError:
    return IntegrityError(
        f"the catalog and the log do not agree on {pdi.document}: {problem}",
        expected="what the log tells",
        actual="other records",
        hint="permacite fsck lists all that is wrong",
    )
