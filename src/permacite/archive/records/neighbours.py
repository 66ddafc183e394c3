"""What a reader may have meant who asked for a document that is not here."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from permacite.archive.records.rows import Key, name_of

if TYPE_CHECKING:
    import sqlite3

__all__ = ["neighbours"]

_MAX_DIGITS = 18
"""More do not fit the integers of SQLite."""


def neighbours(connection: sqlite3.Connection, key: Key, limit: int) -> list[str]:
    """Return up to `limit` names near the unknown `key`: of the day, of the series, or series.

    Each question is served by an index, so that unknown names cost no more than known ones.
    """
    series, date, _ = key
    found = _of_day(connection, key, limit) or _of_other_days(connection, series, date)
    if found:
        return [str(name_of(one)) for one in found[:limit]]
    known = [name for (name,) in connection.execute("SELECT name FROM series")]
    close = difflib.get_close_matches(series, [name for name in known if name != series], limit)
    return [f"urn:pdi://{name}/" for name in close]


def _of_day(connection: sqlite3.Connection, key: Key, limit: int) -> list[Key]:
    """Return documents of the same day, by the distance of their serial numbers."""
    series, date, unique_id = key
    digits = unique_id.isascii() and unique_id.isdigit() and len(unique_id) <= _MAX_DIGITS
    wanted = int(unique_id) if digits else 0
    question = "SELECT serial FROM document WHERE series = ? AND date = ? AND serial IS NOT NULL"
    below = connection.execute(
        f"{question} AND serial <= ? ORDER BY serial DESC LIMIT ?", (series, date, wanted, limit)
    ).fetchall()
    above = connection.execute(
        f"{question} AND serial > ? ORDER BY serial LIMIT ?", (series, date, wanted, limit)
    ).fetchall()
    serials = sorted((serial for (serial,) in below + above), key=lambda one: abs(one - wanted))
    return [(series, date, str(serial)) for serial in serials]


def _of_other_days(connection: sqlite3.Connection, series: str, date: str) -> list[Key]:
    """Return the last document before the day and the first one after it."""
    question = "SELECT series, date, unique_id FROM document WHERE series = ? AND date"
    before = connection.execute(
        f"{question} < ? ORDER BY date DESC LIMIT 1", (series, date)
    ).fetchall()
    after = connection.execute(f"{question} > ? ORDER BY date LIMIT 1", (series, date)).fetchall()
    return before + after
