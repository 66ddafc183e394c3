"""What the entries of the log would say if they were made of the records as they are now."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

from permacite.archive.sqlite import citations, leaves, statements
from permacite.archive.sqlite.log import days

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.archive.catalog import Leaf
    from permacite.archive.model import JSON

__all__ = ["counted", "rebuilt"]

_VERSION_ID = """
SELECT version_id FROM version JOIN document USING (document_id)
WHERE series = ? AND date = ? AND unique_id = ? AND number = ?
"""

_OF_SEQUENCE: dict[str, Callable[[sqlite3.Connection, int], dict[str, JSON] | None]] = {
    "assertion": statements.entry_at,
    "citation": citations.entry_at,
    "day": days.day_entry_at,
    "delegation": statements.delegation_entry_at,
}
"""How to make the entry again that a row of its own refers to, by kind."""

_COUNTED = ("version", "representation", "assertion")
_COUNTED_LATER = ("citation", "delegation", "day")
"""Tables whose rows each stand in one leaf; the second ones since schema 2."""


def rebuilt(connection: sqlite3.Connection, leaf: Leaf) -> bytes | None:
    """Return what a leaf would say now, None where the records lack what it is about."""
    try:
        entry = json.loads(leaf.content)
        make = _OF_SEQUENCE.get(entry["kind"])
        if make is not None:
            said = make(connection, leaf.sequence)
            return None if said is None else leaves.content_of(said)
        row = connection.execute(_VERSION_ID, (*_key(entry["name"]), entry["version"])).fetchone()
        tokens = [one["format"] for one in entry["formats"]]
        if row is None:
            return None
        made = leaves.committed(connection, row[0])
        if entry["kind"] == "format":
            return leaves.content_of(leaves.format_entry(made, tokens[0]))
        return leaves.content_of(leaves.version_entry(made, tokens))
    except (ValueError, LookupError, TypeError, StopIteration, sqlite3.Error):
        return None  # the leaf itself is no entry of ours


def counted(connection: sqlite3.Connection) -> tuple[int, dict[str, int]]:
    """Return the number of leaves, and of the rows that they tell by table, at one moment."""
    tables = _COUNTED + (_COUNTED_LATER if leaves.has_days(connection) else ())
    counts = ", ".join(f"(SELECT count(*) FROM {table})" for table in tables)  # noqa: S608 - ours
    size, *found = connection.execute(
        f"SELECT (SELECT count(*) FROM leaf), {counts}"  # noqa: S608 - ours
    ).fetchone()
    return int(size), dict(zip(tables, found, strict=True))


def _key(name: str) -> tuple[str, str, str]:
    """Return the key of the document that a leaf names. Raises ValueError for other texts."""
    series, year, month, day, unique_id = name.removeprefix("urn:pdi://").split("/")
    return series, f"{year}-{month}-{day}", unique_id
