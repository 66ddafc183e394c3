"""Aggregates shown to people: one page that holds all it shows, runs nothing, fetches nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.mhtml.export.single import MAX_BYTES, MAX_DEPTH, Export, single_html

__all__ = ["MAX_BYTES", "MAX_DEPTH", "Export", "single_html"]

on_demand(
    __name__,
    {
        "permacite.mhtml.export.single": "MAX_BYTES, MAX_DEPTH, Export, single_html",
    },
)
