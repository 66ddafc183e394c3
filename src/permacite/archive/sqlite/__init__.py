"""The catalog in one SQLite file, for archives on one machine."""

from permacite.archive.sqlite.catalog import SqliteCatalog

__all__ = ["SqliteCatalog"]
