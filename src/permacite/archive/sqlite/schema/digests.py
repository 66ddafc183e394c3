"""The thirteenth step: digests as 32 octets, where they were texts of 72 characters.

The only step that writes rows anew: the tables with a digest in each row are made beside the old
ones, filled from them, and put in their place under the same names. Octets that a text had come
from it alone, so that no name, no entry of the log and no proof changes.
"""

# ruff: noqa: S608 - all of it is our own
from __future__ import annotations

import hashlib

from permacite.archive.records.rows import ERASED_OCTETS
from permacite.archive.sqlite.schema.erasable import OF_FORMAT, SCRUBBED_FORMAT
from permacite.archive.sqlite.schema.steps import immutable
from permacite.scan import compile_pattern

__all__ = ["DIGESTS", "FILLED", "octets_in"]

_TABLES = {
    "representation": """(
  representation_id INTEGER PRIMARY KEY,
  version_id INTEGER NOT NULL REFERENCES version,
  format TEXT NOT NULL CHECK (format <> ''),
  media_type TEXT NOT NULL,
  charset TEXT,
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  canonical_digest BLOB CHECK (length(canonical_digest) = 32),
  received_digest BLOB CHECK (length(received_digest) = 32),
  derived_from TEXT,
  rendition TEXT,
  committed_at TEXT NOT NULL,
  UNIQUE (version_id, format)
) STRICT""",
    "attachment": """(
  representation_id INTEGER NOT NULL REFERENCES representation,
  name TEXT NOT NULL,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  PRIMARY KEY (representation_id, name)
) STRICT, WITHOUT ROWID""",
    "unsettled": """(
  unsettled_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  content BLOB NOT NULL
) STRICT""",
    "erasure_object": """(
  erasure_id INTEGER NOT NULL REFERENCES erasure,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  PRIMARY KEY (erasure_id, digest)
) STRICT, WITHOUT ROWID""",
    "git_blob": """(
  digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
  name BLOB CHECK (length(name) = 20)
) STRICT, WITHOUT ROWID""",
    "content_pieces": """(
  digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
  pieces BLOB NOT NULL
) STRICT""",
    "packed": """(
  digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
  pack BLOB NOT NULL CHECK (length(pack) = 32),
  start INTEGER NOT NULL CHECK (start >= 0),
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0)
) STRICT, WITHOUT ROWID""",
    "emptied_pack": """(
  pack BLOB PRIMARY KEY CHECK (length(pack) = 32)
) STRICT, WITHOUT ROWID""",
}
"""All tables with a digest of octets, as they are from now on; columns stand as they stood."""

_INDEXES = """
CREATE INDEX representation_digest ON representation (digest);
CREATE INDEX representation_received ON representation (received_digest)
WHERE received_digest IS NOT NULL;
CREATE INDEX attachment_digest ON attachment (digest);
CREATE INDEX git_blob_name ON git_blob (name);
CREATE INDEX packed_pack ON packed (pack, start);
"""

_NEVER = "BEGIN SELECT RAISE(ABORT, 'permacite: rows of {0} never change'); END;"
_RULES = f"""
CREATE TRIGGER representation_erased BEFORE INSERT ON representation
WHEN EXISTS (SELECT 1 FROM erased_version WHERE version_id = NEW.version_id)
BEGIN SELECT RAISE(ABORT, 'permacite: the version is erased'); END;

CREATE TRIGGER unsettled_no_update BEFORE UPDATE ON unsettled {_NEVER.format("unsettled")}

CREATE TRIGGER unsettled_no_replace BEFORE INSERT ON unsettled
WHEN EXISTS (SELECT 1 FROM unsettled WHERE unsettled_id = NEW.unsettled_id)
  OR EXISTS (SELECT 1 FROM unsettled WHERE digest = NEW.digest)
{_NEVER.format("unsettled")}

CREATE TRIGGER erasure_object_no_update BEFORE UPDATE ON erasure_object
{_NEVER.format("erasure_object")}
"""
"""The triggers that went with the old tables, but for those of `immutable`."""

_OCTETS = {"digest", "canonical_digest", "received_digest", "pack"}
_AS_OCTETS = "octets_in(CAST({0} AS BLOB), 32)"
_NAME_AS_OCTETS = "octets_in(CAST(name AS BLOB), 20)"


def _columns(table: str) -> list[str]:
    """The columns of a table, in their order."""
    lines = (line.split()[0] for line in _TABLES[table].splitlines()[1:-1])
    return [word for word in lines if word not in {"UNIQUE", "PRIMARY"}]


def _filled(table: str) -> str:
    """The statement that fills a table from the one of before."""
    values = [
        _AS_OCTETS.format(column)
        if column in _OCTETS
        else _NAME_AS_OCTETS
        if (table, column) == ("git_blob", "name")
        else column
        for column in _columns(table)
    ]
    return f"INSERT INTO {table}_13 SELECT {', '.join(values)} FROM {table} ORDER BY 1;"


def _step(*, is_filled: bool) -> str:
    """All statements. While a table is put in the place of another, what refers to it stays."""
    return "\n".join(
        [
            "PRAGMA legacy_alter_table = ON;",
            *(f"CREATE TABLE {table}_13 {words};" for table, words in _TABLES.items()),
            *(_filled(table) for table in _TABLES if is_filled),
            *(f"DROP TABLE {table};" for table in _TABLES),
            *(f"ALTER TABLE {table}_13 RENAME TO {table};" for table in _TABLES),
            "PRAGMA legacy_alter_table = OFF;",
            _INDEXES,
            immutable(
                "representation",
                (("representation_id",), ("version_id", "format")),
                update=SCRUBBED_FORMAT.format(digest=f"x'{ERASED_OCTETS.hex()}'"),
            ),
            immutable(
                "attachment",
                (("representation_id", "name"),),
                delete=OF_FORMAT.format("representation_id"),
            ),
            _RULES,
        ]
    )


DIGESTS = _step(is_filled=False)
"""The step in an empty catalog."""

FILLED = _step(is_filled=True)
"""The same with all rows; a connection has to know `octets_in`."""

_DIGEST = compile_pattern(rb"sha-256:([0-9a-f]{64})|([0-9a-f]{40})")


def octets_in(text: bytes | None, size: int) -> bytes | None:
    """The octets of a digest, or of a name of Git's, that was a text.

    Of one that is none, for its row is damaged, it is the SHA-256 of what stands there: then
    `fsck` says of that row what it said before, that the log has another digest.
    """
    if text is None:
        return None
    found = _DIGEST.fullmatch(text)
    octets = bytes.fromhex((found[1] or found[2]).decode()) if found else b""
    return octets if len(octets) == size else hashlib.sha256(text).digest()[:size]
