"""The catalog in one SQLite file, for archives on one machine: all that is SQLite's own."""

from permacite.archive.sqlite.catalog import Catalog
from permacite.archive.sqlite.connection import reading_rows
from permacite.archive.sqlite.write_behind import WriteBehind

__all__ = ["Catalog", "WriteBehind", "reading_rows"]
