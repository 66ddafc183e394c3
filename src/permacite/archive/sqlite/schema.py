"""Schema of catalog.sqlite: the statements of a new catalog, and those of migrations.

`INSERT OR REPLACE` would delete a row without firing a DELETE trigger, so each table whose rows
never change also refuses an INSERT whose key is taken.

SQLite stores the text of each statement, and fsck compares it. So white space here is as the
migrations wrote it: a catalog that was migrated has the same texts as a new one.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from permacite.archive.schema.declaration import (
    IDENTITY,
    NUMBER,
    TEXT,
    Changes,
    Wording,
    column_words,
)
from permacite.archive.schema.rules import VIEWS
from permacite.archive.schema.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.schema.declaration import Column, InsertRule, Table, TableIndex

__all__ = ["SCHEMA", "earlier", "step"]

_TYPES = {IDENTITY: "INTEGER", NUMBER: "INTEGER", TEXT: "TEXT"}
_RESERVED = {"end"}
_MOST_COLUMNS = 98
"""How long a line may be before it is broken."""

_RENAMED = {
    "representation",
    "attachment",
    "unsettled",
    "erasure_object",
    "git_blob",
    "content_pieces",
    "packed",
    "emptied_pack",
}
"""Tables that step 13 renamed: SQLite writes their names in quotation marks since."""
_ON_ONE_LINE = {"representation", "attachment", "unsettled"}
"""Tables whose triggers step 13 wrote again, each on a line."""


def step(number: int) -> str:
    """The statements that lead to a schema from the one before; step 13 needs `octets_in`."""
    return (resources.files(__package__) / f"steps/{number:03}.sql").read_text("utf-8")


def earlier(version: int) -> str:
    """The statements that make an empty catalog of an earlier schema."""
    return "\n".join(step(number) for number in range(1, version + 1))


def _statements() -> Iterator[str]:
    """All statements of a new catalog."""
    for table in TABLES:
        yield _table(table)
        yield from (_index(table, index) for index in table.indexes if _sql(index.on))
    for view in VIEWS:
        yield f"CREATE VIEW {view.name} AS{view.sqlite};"
    for table in TABLES:
        yield from (_insert_rule(table, rule) for rule in table.rules if rule.is_checked_last)
        if table.changes is not Changes.ANY:
            yield _refusal(table, "UPDATE", _sql(table.update))
            if table.changes is Changes.NONE:
                yield _refusal(table, "DELETE", table.delete)
            if table.name != "erasure_object":
                yield _refused_replacement(table)
        yield from (_insert_rule(table, rule) for rule in table.rules if not rule.is_checked_last)


def _sql(words: str | Wording) -> str:
    return words.sqlite if isinstance(words, Wording) else words


def _table(table: Table) -> str:
    lines = [_column(column) for column in table.columns]
    if table.key:
        lines.append(f"PRIMARY KEY ({', '.join(table.key)})")
    if unique := table.unique or table.unique_text:
        lines.append(f"UNIQUE ({', '.join(unique)})")
    if table.check:
        lines.append(f"CHECK ({table.check})")
    name = f'"{table.name}"' if table.name in _RENAMED else table.name
    options = "STRICT, WITHOUT ROWID" if table.is_clustered else "STRICT"
    body = ",\n  ".join(lines)
    return f"CREATE TABLE {name} (\n  {body}\n) {options};"


def _column(column: Column) -> str:
    words = column_words(column, _TYPES.get(column.kind, "BLOB"), reserved=_RESERVED)
    line = " ".join(words)
    if not column.check:
        return line
    check = f"CHECK ({_sql(column.check)})"
    return f"{line} {check}" if len(f"  {line} {check}") < _MOST_COLUMNS else f"{line}\n    {check}"


def _index(table: Table, index: TableIndex) -> str:
    unique = "UNIQUE " if index.is_unique else ""
    line = f"CREATE {unique}INDEX {index.name} ON {table.name} ({_sql(index.on)})"
    where = f" WHERE {index.where}" if index.where else ""
    if len(line + where) > _MOST_COLUMNS:
        where = where.replace(" ", "\n", 1)
    return f"{line}{where};"


def _insert_rule(table: Table, rule: InsertRule) -> str:
    return (
        f"CREATE TRIGGER {rule.name} BEFORE INSERT ON {table.name}\nWHEN {rule.sqlite}\n"
        f"BEGIN SELECT RAISE(ABORT, 'permacite: {rule.problem}'); END;"
    )


def _never(table: Table) -> str:
    return f"BEGIN SELECT RAISE(ABORT, 'permacite: rows of {table.name} never change'); END;"


def _refusal(table: Table, event: str, allowed: str) -> str:
    """The trigger that refuses to change or delete a row, but where a condition holds."""
    is_long = bool(allowed) or table.changes is Changes.DELETE
    gap = "\n" if is_long and table.name not in _ON_ONE_LINE else " "
    unless = f" WHEN NOT coalesce({allowed}, 0)" if allowed else ""
    name = f"{table.name}_no_{event.lower()}"
    return f"CREATE TRIGGER {name} BEFORE {event} ON {table.name}{unless}{gap}{_never(table)}"


def _refused_replacement(table: Table) -> str:
    """The trigger that refuses a row whose key is taken."""
    taken = [
        f"EXISTS (SELECT 1 FROM {table.name} WHERE "
        + " AND ".join(f"{column} = NEW.{column}" for column in key)
        + ")"
        for key in table.unique_keys()
    ]
    gap = "\n" if table.changes is Changes.DELETE else " "
    either = "\n  OR " if table.changes is Changes.DELETE else " OR "
    return (
        f"CREATE TRIGGER {table.name}_no_replace BEFORE INSERT ON {table.name}{gap}"
        f"WHEN {either.join(taken)}{gap}{_never(table)}"
    )


SCHEMA = "\n".join(_statements())
"""The statements of a new catalog."""
