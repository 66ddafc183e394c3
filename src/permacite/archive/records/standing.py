"""Who may see each document, why it is kept, and how long: the latest row of a document counts."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

from permacite.archive.model import Standing
from permacite.archive.records.derived import note_rows
from permacite.archive.records.rows import document_key, instant, name_of, timestamp
from permacite.archive.sqlite.writer import Access
from permacite.errors import NotFoundError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from permacite.pdi import PDI

__all__ = ["OF_DOCUMENTS", "SqliteStandings", "default_standing", "insert_standings"]

_LATEST = """
SELECT d.series, d.date, d.unique_id, s.access, s.embargo_until, s.ground, s.retain_until, s.set_at
FROM document AS d JOIN standing AS s ON s.standing_id =
  (SELECT max(standing_id) FROM standing WHERE document_id = d.document_id)
"""
OF_DOCUMENTS = """
(d.series, d.date, d.unique_id) IN (SELECT json_extract(value, '$[0]'),
  json_extract(value, '$[1]'), json_extract(value, '$[2]') FROM json_each(?))
"""
"""The condition that a document is one of those in a JSON array of keys."""

_INSERT = """
INSERT INTO standing (document_id, access, embargo_until, ground, retain_until, set_at)
VALUES (?, ?, ?, ?, ?, ?)
"""
_SINCE = 4
"""The version of the schema that brought the table."""


class SqliteStandings(Access):
    """The standings of the documents in one catalog."""

    def set_standing(self, pdi: PDI, standing: Standing) -> None:
        """Record the standing of a document from now on. Raises NotFoundError."""
        now = timestamp(self._clock())

        def work(connection: sqlite3.Connection) -> None:
            question = (
                "SELECT document_id FROM document WHERE series = ? AND date = ? AND unique_id = ?"
            )
            row = connection.execute(question, document_key(pdi)).fetchone()
            if row is None:
                raise NotFoundError(f"no document {pdi.document} here", str(pdi))
            insert_standings(connection, [(row[0], standing)], now)

        self._writer.run(work)

    def standings(self, pdis: Iterable[PDI], *, but_public: bool = False) -> dict[PDI, Standing]:
        """Return the standings of documents, without those of which none is on record."""
        keys = json.dumps(list(dict.fromkeys(document_key(one) for one in pdis)))
        condition = " AND s.access <> 'public'" if but_public else ""
        return self._select(f"WHERE {OF_DOCUMENTS}{condition}", keys)

    def default_standing(self) -> Standing:
        """Return the standing that new documents get where none is given."""
        with self._readers.lend() as connection:
            return default_standing(connection)

    def overdue(self, today: date) -> dict[PDI, Standing]:
        """Return the documents that were to be kept until a day before `today`."""
        return self._select("WHERE s.retain_until < ? ORDER BY s.retain_until", today.isoformat())

    def _select(self, condition: str, parameter: str) -> dict[PDI, Standing]:
        with self._readers.lend() as connection:
            if connection.execute("PRAGMA user_version").fetchone()[0] < _SINCE:
                return {}
            found = connection.execute(f"{_LATEST} {condition}", (parameter,))
            return {name_of((row[0], row[1], row[2])): _standing(row[3:]) for row in found}


def default_standing(connection: sqlite3.Connection) -> Standing:
    """Return the standing that the settings `access` and `ground` say."""
    question = "SELECT name, value FROM setting WHERE name IN ('access', 'ground')"
    return Standing(**dict(connection.execute(question).fetchall()))


def insert_standings(
    connection: sqlite3.Connection, standings: Sequence[tuple[int, Standing]], now: str
) -> None:
    """Write the standings of documents."""
    rows = [
        (
            document_id,
            standing.access,
            _day(standing.embargo_until),
            standing.ground,
            _day(standing.retain_until),
            now,
        )
        for document_id, standing in standings
    ]
    connection.executemany(_INSERT, rows)
    note_rows(connection, "standing", rows)


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _standing(row: tuple[Any, ...]) -> Standing:
    access, embargo_until, ground, retain_until, set_at = row
    return Standing(access, ground, _date(embargo_until), _date(retain_until), instant(set_at))


def _date(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)
