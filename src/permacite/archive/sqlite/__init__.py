"""The catalog in one SQLite file, for archives on one machine: all that is SQLite's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.archive.sqlite.catalog import Catalog

__all__ = ["Catalog"]

on_demand(
    __name__,
    {"permacite.archive.sqlite.catalog": "Catalog"},
)
