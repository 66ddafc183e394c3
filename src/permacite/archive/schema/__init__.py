"""Schema of the catalog, as data that SQLite and PostgreSQL render.

| module | what it holds |
|---|---|
| `tables` | the current tables: columns, keys, indexes, triggers, and how fsck checks each |
| `erasure` | views of erased rows, and the changes that an erasure may make |
| `declaration` | the types of these declarations |

`permacite.archive.sqlite.schema` and `permacite.archive.postgresql.schema` render the statements of
a new catalog. Migrations from earlier schemas are frozen SQL files, `steps/NNN.sql` beside these
modules: tests check that a migrated catalog equals a new one.
docs/reference/archive-layout.md describes every column.
"""

from __future__ import annotations

__all__ = ["SCHEMA_VERSION", "SITE"]

SCHEMA_VERSION = 13
"""The current schema. A catalog with a higher number is of a later permacite."""

_AFTER_SCHEME = "substr({uri}, instr({uri}, '://') + 3)"
SITE = (
    f"lower(substr({_AFTER_SCHEME}, 1, min(instr({_AFTER_SCHEME} || '/', '/'),"
    f" instr({_AFTER_SCHEME} || '?', '?'), instr({_AFTER_SCHEME} || '#', '#')) - 1))"
)
"""The site of the address in a column, in the words of SQLite: an index of schema 9 has it."""
