"""Faults of an archive's schema in PostgreSQL: triggers, functions, indexes, keys, references."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.postgresql.schema import FUNCTIONS, INDEXES, KEYS, TABLE_NAMES, TRIGGERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.records.session import Session

__all__ = ["faults"]

_HERE = "(SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
_TRIGGERS = f"""
SELECT c.relname, t.tgname, t.tgenabled = 'O'
FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
WHERE c.relnamespace = {_HERE} AND NOT t.tgisinternal
"""
_FUNCTIONS = f"SELECT proname, prosrc FROM pg_proc WHERE pronamespace = {_HERE}"
_INDEXES = f"""
SELECT c.relname FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
WHERE c.relnamespace = {_HERE} AND i.indisvalid
"""
_KEYS = f"""
SELECT t.relname, c.conname, CAST(c.contype AS TEXT), c.convalidated, f.relname, (
  SELECT array_agg(CAST(a.attname AS TEXT) ORDER BY k.place)
  FROM unnest(c.conkey) WITH ORDINALITY AS k (attnum, place)
  JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = k.attnum
), (SELECT a.attname FROM pg_attribute AS a WHERE a.attrelid = f.oid AND a.attnum = c.confkey[1])
FROM pg_constraint AS c JOIN pg_class AS t ON t.oid = c.conrelid
LEFT JOIN pg_class AS f ON f.oid = c.confrelid
WHERE c.connamespace = {_HERE} AND c.conparentid = 0
"""
_BROKEN = """
SELECT DISTINCT n.{column} FROM {table} AS n LEFT JOIN {other} AS o ON o.{to} = n.{column}
WHERE n.{column} IS NOT NULL AND o.{to} IS NULL
"""
_KINDS = {"p": "primary key", "u": "unique key", "f": "reference"}


def faults(session: Session) -> Iterator[str]:
    """What is missing, disabled or altered in the schema, and broken references."""
    yield from _trigger_faults(session)
    yield from _index_faults(session)
    yield from _key_faults(session)


def _trigger_faults(session: Session) -> Iterator[str]:
    found = session.execute(_TRIGGERS).fetchall()
    for name in sorted(TRIGGERS - {name for _, name, is_on in found if is_on}):
        yield f"the trigger {name} is missing or off"
    for table, name, _ in sorted(found):
        if table in TABLE_NAMES and name not in TRIGGERS:
            yield f"the trigger {name} of {table} is not ours"
    sources = dict(session.execute(_FUNCTIONS).fetchall())
    for name, source in sorted(FUNCTIONS.items()):
        if sources.get(name, "").strip() != source.strip():
            yield f"the function {name} is missing or another"


def _index_faults(session: Session) -> Iterator[str]:
    for name in sorted(INDEXES - {name for (name,) in session.execute(_INDEXES)}):
        yield f"the index {name} is missing or not finished"


def _key_faults(session: Session) -> Iterator[str]:
    left = set(KEYS)
    for table, name, kind, is_checked, other, columns, to in session.execute(_KEYS).fetchall():
        if table not in TABLE_NAMES:
            continue
        left.discard((table, kind, tuple(columns or ())))
        if not is_checked:
            yield f"{name} of {table} was never checked"
        if kind == "f":
            (column,) = columns
            question = _BROKEN.format(table=table, column=column, other=other, to=to)
            for (value,) in session.execute(question):
                yield f"{column} {value} of {table} refers to no row of {other}"
    for table, kind, columns in sorted(left):
        yield f"the {_KINDS[kind]} ({', '.join(columns)}) of {table} is missing"
