"""What is not as it was made in the schema of an archive: rules, keys, indexes, references."""

# ruff: noqa: S608 - the names of tables and columns are those of the schema
from __future__ import annotations

import re
from typing import TYPE_CHECKING

from permacite.archive.postgresql.rules import functions, triggers
from permacite.archive.postgresql.schema import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.records.session import Session

    Key = tuple[str, str, tuple[str, ...]]
    """Of which table, its kind as pg_constraint has it, its columns."""

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
_KINDS = {"PRIMARY KEY": "p", "UNIQUE": "u", "REFERENCES": "f"}
_NAMES = {"p": "primary key", "u": "unique key", "f": "reference"}


def faults(session: Session) -> Iterator[str]:
    """The faults of the schema: what was made and is gone, off or another; broken references."""
    yield from _of_rules(session)
    yield from _of_indexes(session)
    yield from _of_keys(session)


def _of_rules(session: Session) -> Iterator[str]:
    expected, tables = triggers(SCHEMA), dict(_tables())
    found = session.execute(_TRIGGERS).fetchall()
    for name in sorted(expected - {name for _, name, is_on in found if is_on}):
        yield f"the trigger {name} is missing or off"
    for table, name, _ in sorted(found):
        if table in tables and name not in expected:
            yield f"the trigger {name} of {table} is not ours"
    sources = dict(session.execute(_FUNCTIONS).fetchall())
    for name, source in sorted(functions(SCHEMA).items()):
        if sources.get(name, "").strip() != source.strip():
            yield f"the function {name} is missing or another"


def _of_indexes(session: Session) -> Iterator[str]:
    expected = set(re.findall(r"CREATE (?:UNIQUE )?INDEX (\w+)", SCHEMA))
    for name in sorted(expected - {name for (name,) in session.execute(_INDEXES)}):
        yield f"the index {name} is missing or not finished"


def _of_keys(session: Session) -> Iterator[str]:
    left, tables = _keys(), dict(_tables())
    for table, name, kind, is_checked, other, columns, to in session.execute(_KEYS).fetchall():
        if table not in tables:
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
        yield f"the {_NAMES[kind]} ({', '.join(columns)}) of {table} is missing"


def _tables() -> list[tuple[str, str]]:
    """The tables that are made: the name of each, and its lines."""
    return re.findall(r"CREATE TABLE (\w+) \(\n(.*?)\n\)", SCHEMA, re.DOTALL)


def _keys() -> set[Key]:
    """The keys and references that they are made with."""
    keys: set[Key] = set()
    for table, lines in _tables():
        for line in lines.splitlines():
            of_table = re.match(r" *(PRIMARY KEY|UNIQUE) \((.*?)\)", line)
            if of_table:
                keys.add((table, _KINDS[of_table[1]], tuple(of_table[2].split(", "))))
            elif column := re.match(r" *(\w+) ", line):
                for kind in re.findall(r"PRIMARY KEY|UNIQUE|REFERENCES", line):
                    keys.add((table, _KINDS[kind], (column[1],)))
    return keys
