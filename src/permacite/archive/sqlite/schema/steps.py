"""Steps of the schema: tables, and the triggers that make their rows immutable.

`INSERT OR REPLACE` would delete a row without firing a DELETE trigger, so each table also refuses
an INSERT whose key is taken. docs/reference/archive-layout.md describes every column.
"""

from __future__ import annotations

from permacite.archive.sqlite.session import SITE

__all__ = [
    "BUILDING",
    "FIRST",
    "GIT_BLOBS",
    "JOTTINGS",
    "LIVE",
    "PACKS",
    "SEALED_DAYS",
    "SITES",
    "UNSETTLED",
    "WATCH",
    "immutable",
]

_TABLES = """
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE series (
  series_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  added_at TEXT NOT NULL
) STRICT;

CREATE TABLE document (
  document_id INTEGER PRIMARY KEY,
  series TEXT NOT NULL REFERENCES series (name),
  date TEXT NOT NULL CHECK (date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
  unique_id TEXT NOT NULL CHECK (unique_id <> ''),
  serial INTEGER CHECK (serial > 0),
  UNIQUE (series, date, unique_id)
) STRICT;
CREATE UNIQUE INDEX document_serial ON document (series, date, serial) WHERE serial IS NOT NULL;

CREATE TABLE version (
  version_id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL REFERENCES document,
  number INTEGER NOT NULL CHECK (number > 0),
  committed_at TEXT NOT NULL,
  title TEXT,
  uri TEXT,
  final_uri TEXT,
  retrieved_at TEXT,
  details TEXT NOT NULL,
  UNIQUE (document_id, number)
) STRICT;
CREATE INDEX version_uri ON version (uri) WHERE uri IS NOT NULL;
CREATE INDEX version_final_uri ON version (final_uri) WHERE final_uri IS NOT NULL;

CREATE TABLE representation (
  representation_id INTEGER PRIMARY KEY,
  version_id INTEGER NOT NULL REFERENCES version,
  format TEXT NOT NULL CHECK (format <> ''),
  media_type TEXT NOT NULL,
  charset TEXT,
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
  digest TEXT NOT NULL CHECK (length(digest) = 72),
  canonical_digest TEXT,
  received_digest TEXT,
  derived_from TEXT,
  rendition TEXT,
  committed_at TEXT NOT NULL,
  UNIQUE (version_id, format)
) STRICT;
CREATE INDEX representation_digest ON representation (digest);
CREATE INDEX representation_received ON representation (received_digest)
WHERE received_digest IS NOT NULL;

CREATE TABLE attachment (
  representation_id INTEGER NOT NULL REFERENCES representation,
  name TEXT NOT NULL,
  digest TEXT NOT NULL CHECK (length(digest) = 72),
  PRIMARY KEY (representation_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX attachment_digest ON attachment (digest);

CREATE TABLE idempotency (
  key TEXT PRIMARY KEY,
  request TEXT NOT NULL,
  version_id INTEGER NOT NULL REFERENCES version
) STRICT, WITHOUT ROWID;

CREATE TABLE citation (
  citation_id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  representation_id INTEGER NOT NULL REFERENCES representation,
  fragment TEXT NOT NULL,
  start INTEGER,
  "end" INTEGER,
  quote TEXT NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL,
  media_type TEXT,
  cited_at TEXT NOT NULL,
  note TEXT
) STRICT;
CREATE INDEX citation_representation ON citation (representation_id);

CREATE TABLE leaf (
  sequence INTEGER PRIMARY KEY CHECK (sequence >= 0),
  subject TEXT NOT NULL,
  content TEXT NOT NULL
) STRICT;
CREATE INDEX leaf_subject ON leaf (subject);

CREATE TABLE log_node (
  level INTEGER NOT NULL CHECK (level >= 0),
  position INTEGER NOT NULL CHECK (position >= 0),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (level, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE assertion (
  assertion_id INTEGER PRIMARY KEY,
  sequence INTEGER NOT NULL UNIQUE REFERENCES leaf,
  subject TEXT NOT NULL,
  predicate TEXT NOT NULL CHECK (predicate <> ''),
  object TEXT NOT NULL,
  who TEXT,
  stated_at TEXT NOT NULL
) STRICT;
CREATE INDEX assertion_subject ON assertion (subject, predicate);

CREATE TABLE delegation (
  delegation_id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('resolver', 'minter')),
  series TEXT NOT NULL,
  first_date TEXT NOT NULL,
  last_date TEXT NOT NULL CHECK (last_date >= first_date),
  target TEXT NOT NULL,
  recorded_at TEXT NOT NULL
) STRICT;
CREATE INDEX delegation_series ON delegation (series, kind);

CREATE TABLE quotation (
  quotation_id INTEGER PRIMARY KEY,
  representation_id INTEGER NOT NULL REFERENCES representation,
  origin TEXT NOT NULL,
  cited TEXT NOT NULL,
  cited_document TEXT NOT NULL,
  UNIQUE (representation_id, origin, cited)
) STRICT;
CREATE INDEX quotation_cited ON quotation (cited_document);

CREATE TABLE checkpoint (
  size INTEGER PRIMARY KEY CHECK (size >= 0),
  note TEXT NOT NULL,
  signed_at TEXT NOT NULL
) STRICT;
"""

_MORE_TABLES = """
CREATE TABLE day (
  series TEXT NOT NULL REFERENCES series (name),
  date TEXT NOT NULL CHECK (date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
  sequence INTEGER NOT NULL UNIQUE REFERENCES leaf,
  sealed_at TEXT NOT NULL CHECK (substr(sealed_at, 1, 10) > date),
  PRIMARY KEY (series, date)
) STRICT, WITHOUT ROWID;

CREATE TABLE citation_leaf (
  citation_id INTEGER PRIMARY KEY REFERENCES citation,
  sequence INTEGER NOT NULL UNIQUE REFERENCES leaf
) STRICT;

CREATE TABLE delegation_leaf (
  delegation_id INTEGER PRIMARY KEY REFERENCES delegation,
  sequence INTEGER NOT NULL UNIQUE REFERENCES leaf
) STRICT;

CREATE TABLE timestamp (
  timestamp_id INTEGER PRIMARY KEY,
  size INTEGER NOT NULL REFERENCES checkpoint,
  authority TEXT NOT NULL,
  response BLOB NOT NULL,
  stamped_at TEXT NOT NULL
) STRICT;
CREATE INDEX timestamp_size ON timestamp (size);
"""

_KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "series": (("series_id",), ("name",)),
    "document": (("document_id",), ("series", "date", "unique_id"), ("series", "date", "serial")),
    "version": (("version_id",), ("document_id", "number")),
    "representation": (("representation_id",), ("version_id", "format")),
    "attachment": (("representation_id", "name"),),
    "idempotency": (("key",),),
    "citation": (("citation_id",), ("identity",)),
    "leaf": (("sequence",),),
    "log_node": (("level", "position"),),
    "checkpoint": (("size",),),
    "assertion": (("assertion_id",), ("sequence",)),
    "delegation": (("delegation_id",),),
    "quotation": (("quotation_id",), ("representation_id", "origin", "cited")),
}
"""The tables whose rows never change, and every key a row could be replaced by."""

_MORE_KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "day": (("series", "date"), ("sequence",)),
    "citation_leaf": (("citation_id",), ("sequence",)),
    "delegation_leaf": (("delegation_id",), ("sequence",)),
    "timestamp": (("timestamp_id",),),
}

_RULES = """
CREATE TRIGGER document_date BEFORE INSERT ON document
WHEN NEW.date < (SELECT max(date) FROM document WHERE series = NEW.series)
BEGIN SELECT RAISE(ABORT, 'permacite: a date earlier than the last one of the series'); END;

CREATE TRIGGER version_next BEFORE INSERT ON version
WHEN NEW.number <> 1 + coalesce(
  (SELECT max(number) FROM version WHERE document_id = NEW.document_id), 0)
BEGIN SELECT RAISE(ABORT, 'permacite: versions follow one another without a gap'); END;

CREATE TRIGGER leaf_next BEFORE INSERT ON leaf
WHEN NEW.sequence <> 1 + coalesce((SELECT max(sequence) FROM leaf), -1)
BEGIN SELECT RAISE(ABORT, 'permacite: leaves follow one another without a gap'); END;
"""

_MORE_RULES = """
CREATE TRIGGER document_sealed BEFORE INSERT ON document
WHEN EXISTS (SELECT 1 FROM day WHERE series = NEW.series AND date >= NEW.date)
BEGIN SELECT RAISE(ABORT, 'permacite: the day is sealed'); END;
"""

_UNSETTLED_TABLE = """
CREATE TABLE unsettled (
  unsettled_id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE CHECK (length(digest) = 72),
  content BLOB NOT NULL
) STRICT;
"""

_UNSETTLED_RULES = """
CREATE TRIGGER unsettled_no_update BEFORE UPDATE ON unsettled
BEGIN SELECT RAISE(ABORT, 'permacite: rows of unsettled never change'); END;

CREATE TRIGGER unsettled_no_replace BEFORE INSERT ON unsettled
WHEN EXISTS (SELECT 1 FROM unsettled WHERE unsettled_id = NEW.unsettled_id)
  OR EXISTS (SELECT 1 FROM unsettled WHERE digest = NEW.digest)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of unsettled never change'); END;
"""
"""A row goes, and is the only kind that does, once its octets are a file."""


def immutable(
    table: str, keys: tuple[tuple[str, ...], ...], *, update: str = "", delete: str = ""
) -> str:
    """Return the triggers that refuse to change, delete or replace a row of `table`.

    `update` and `delete` are conditions in which one may be changed, or deleted.
    """
    taken = " OR ".join(
        f"EXISTS (SELECT 1 FROM {table} WHERE "  # noqa: S608 - our own names
        + " AND ".join(f"{column} = NEW.{column}" for column in key)
        + ")"
        for key in keys
    )
    refusal = f"BEGIN SELECT RAISE(ABORT, 'permacite: rows of {table} never change'); END;"
    return "\n".join(
        [
            f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table}{_but(update)} {refusal}",
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table}{_but(delete)} {refusal}",
            f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN {taken} {refusal}",
        ]
    )


def _but(condition: str) -> str:
    return f" WHEN NOT coalesce({condition}, 0)" if condition else ""


def _step(tables: str, rules: str, keys: dict[str, tuple[tuple[str, ...], ...]]) -> str:
    """Return all statements of one step."""
    return "\n".join([tables, rules, *(immutable(table, keys[table]) for table in keys)])


FIRST = _step(_TABLES, _RULES, _KEYS)
SEALED_DAYS = _step(_MORE_TABLES, _MORE_RULES, _MORE_KEYS)
UNSETTLED = _step(_UNSETTLED_TABLE, _UNSETTLED_RULES, {})

LIVE = """
CREATE TABLE live_page (
  version_id INTEGER PRIMARY KEY REFERENCES version,
  checked_at TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('same', 'changed', 'answers', 'gone', 'unanswered'))
) STRICT;

CREATE TABLE live_passage (
  citation_id INTEGER PRIMARY KEY REFERENCES citation ON DELETE CASCADE,
  checked_at TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome <> '')
) STRICT;
"""
"""The fifth step: what the last look at a live page found. Each look replaces the one before."""

JOTTINGS = """
CREATE TABLE jotting (
  jotting_id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL REFERENCES document,
  version_id INTEGER REFERENCES version,
  part TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('tag', 'collection', 'note')),
  text TEXT NOT NULL CHECK (text <> ''),
  written_at TEXT NOT NULL,
  UNIQUE (document_id, part, kind, text)
) STRICT;
CREATE INDEX jotting_text ON jotting (kind, text);
"""
"""The sixth step: what the owner of an archive jots down, which may change and go."""

GIT_BLOBS = """
CREATE TABLE git_blob (
  digest TEXT PRIMARY KEY CHECK (length(digest) = 72),
  name TEXT CHECK (length(name) = 40)
) STRICT, WITHOUT ROWID;
CREATE INDEX git_blob_name ON git_blob (name);

INSERT INTO git_blob (digest)
SELECT DISTINCT digest FROM representation
WHERE derived_from IS NULL AND charset IS NOT NULL AND size_bytes <= 4194304;
"""
"""The seventh step: what Git calls texts. Of those of before the octets are read when one is asked
for; the number is `MOST_OF_BLOB`, as it was then."""

WATCH = """
CREATE TABLE watch (
  uri TEXT PRIMARY KEY CHECK (uri <> ''),
  every_s INTEGER NOT NULL CHECK (every_s > 0),
  added_at TEXT NOT NULL,
  looked_at TEXT,
  outcome TEXT NOT NULL DEFAULT '',
  problem TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

CREATE TABLE passage_news (
  news_id INTEGER PRIMARY KEY,
  citation_id INTEGER NOT NULL REFERENCES citation ON DELETE CASCADE,
  found_at TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome <> ''),
  there TEXT NOT NULL
) STRICT;
CREATE INDEX passage_news_citation ON passage_news (citation_id);
"""
"""The eighth step: pages that are looked at again and again, and news of cited passages."""

SITES = f"""
CREATE INDEX version_site ON version ({SITE.format(uri="uri")}, uri, version_id DESC)
WHERE instr(uri, '://') > 0;
"""
"""The ninth step: pages by their site."""

PIECES = """
CREATE TABLE content_pieces (
  digest TEXT PRIMARY KEY CHECK (length(digest) = 72),
  pieces BLOB NOT NULL
) STRICT;
"""
"""The tenth step: digests of the pieces of contents that came in without them. They are made when
such a content is first read by the piece, and can be made again."""

PACKS = """
CREATE TABLE packed (
  digest TEXT PRIMARY KEY CHECK (length(digest) = 72),
  pack TEXT NOT NULL CHECK (length(pack) = 72),
  start INTEGER NOT NULL CHECK (start >= 0),
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX packed_pack ON packed (pack, start);

CREATE TABLE emptied_pack (
  pack TEXT PRIMARY KEY CHECK (length(pack) = 72)
) STRICT, WITHOUT ROWID;

CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  until TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""
"""The eleventh step: small octets that are together in one object of a store elsewhere, the objects
that others replaced, and who does at the moment what one alone should do."""

BUILDING = _step(
    """
CREATE TABLE building (
  standing_id INTEGER PRIMARY KEY REFERENCES standing
) STRICT;
""",
    """
CREATE TRIGGER building_closed BEFORE INSERT ON building
WHEN NOT EXISTS (
  SELECT 1 FROM standing WHERE standing_id = NEW.standing_id AND access = 'closed')
BEGIN SELECT RAISE(ABORT, 'permacite: what is open in the building is closed elsewhere'); END;
""",
    {"building": (("standing_id",),)},
)
"""The twelfth step: which of the closed documents may be read in the building of the archive."""
