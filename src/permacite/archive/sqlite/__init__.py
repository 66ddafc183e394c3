"""The catalog in one SQLite file, for archives on one machine: all that is SQLite's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.archive.sqlite.catalog import Catalog
    from permacite.archive.sqlite.connection import reading_rows
    from permacite.archive.sqlite.write_behind import WriteBehind

__all__ = ["Catalog", "WriteBehind", "reading_rows"]

on_demand(
    __name__,
    {
        "permacite.archive.sqlite.catalog": "Catalog",
        "permacite.archive.sqlite.connection": "reading_rows",
        "permacite.archive.sqlite.write_behind": "WriteBehind",
    },
)
