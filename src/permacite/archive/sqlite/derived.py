"""Columns that follow from others: they are kept for searching, and must not say anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.canonical_json import canonical_json
from permacite.archive.deposit import cited_document
from permacite.archive.objects import digest_of
from permacite.archive.sqlite.citations import identities
from permacite.errors import PermaciteError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

__all__ = ["derived_faults", "settings_digest"]

_DIGEST = "digest"
"""The setting that holds the digest of all others and of the series."""

_BY_SQL = {
    "entry {} of the log stands under another name than it tells": """
SELECT sequence FROM leaf
WHERE CASE WHEN json_valid(content) THEN json_extract(content, '$.name') END IS NOT subject
""",
    "document {} has another serial number than its unique id": """
SELECT document_id FROM document WHERE serial IS NOT NULL AND CAST(serial AS TEXT) <> unique_id
""",
    "statement {} stands before an earlier one": """
SELECT assertion_id FROM (
  SELECT assertion_id, sequence, lag(sequence) OVER (ORDER BY assertion_id) AS before
  FROM assertion) WHERE sequence <= before
""",
}
"""What is wrong with the rows that a question finds."""


def derived_faults(connection: sqlite3.Connection) -> Iterator[str]:
    """Return what is wrong with columns that follow from others. Raises sqlite3.Error."""
    for problem, question in _BY_SQL.items():
        for (row,) in connection.execute(question):
            yield problem.format(row)
    for row, cited, document in connection.execute(
        "SELECT quotation_id, cited, cited_document FROM quotation"
    ):
        if _document_of(cited) != document:
            yield f"quotation {row} stands under another document than it cites"
    for row, kept, identity in identities(connection):
        if kept != identity:
            yield f"citation {row} is known by another identity than its words have"
    if _settings_differ(connection):
        yield "the settings, or the series that mint, are not those that were set"


def _settings_differ(connection: sqlite3.Connection) -> bool:
    """Say whether a setting or a series is another than when the last one was set."""
    question = "SELECT value FROM setting WHERE name = ?"
    connection.execute("BEGIN")  # one view of both tables
    try:
        kept = connection.execute(question, (_DIGEST,)).fetchone()
        return kept is not None and kept[0] != settings_digest(connection)[1]
    finally:
        connection.execute("ROLLBACK")


def _document_of(cited: str) -> str:
    try:
        return cited_document(cited)
    except PermaciteError:
        return ""


def settings_digest(connection: sqlite3.Connection) -> tuple[str, str]:
    """Return the setting that guards all settings and the series, as they are now."""
    settings = connection.execute(
        "SELECT name, value FROM setting WHERE name <> ? ORDER BY name", (_DIGEST,)
    ).fetchall()
    series = connection.execute("SELECT * FROM series ORDER BY series_id").fetchall()
    rows = [list(row) for row in (*settings, *series)]
    return _DIGEST, digest_of(canonical_json(rows))
