"""Aggregates shown to people: one page that holds all it shows, runs nothing, fetches nothing."""

from permacite.mhtml.export.single import MAX_BYTES, MAX_DEPTH, Export, single_html

__all__ = ["MAX_BYTES", "MAX_DEPTH", "Export", "single_html"]
