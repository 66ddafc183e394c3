"""The schema of an archive in PostgreSQL: the same tables by the same names, and their rules.

Its number is that of the schema of catalog.sqlite with the same tables; an archive of an earlier
one is brought up by the steps in between. docs/reference/archive-layout.md describes every column.

All texts are compared by their octets, as SQLite does, whatever the database's own order is.
Rules of what may be inserted look at all rows of a statement at once; rows that never change
refuse each. `log_head` is the one row that whoever writes locks, so that one at a time does, on
every engine that speaks PostgreSQL's language; `writer` tells each whether its last commit came
to be, where the connection was lost meanwhile.
"""

# ruff: noqa: S608 - all of it is our own
from __future__ import annotations

import re

from permacite.archive.postgresql.rules import RULE_OF_OCTETS, RULES

__all__ = ["SCHEMA", "SCHEMA_VERSION", "STEPS"]

SCHEMA_VERSION = 13
_FIRST = 12
"""The first schema that there was in PostgreSQL."""

_TABLES = """
CREATE TABLE archive (
  archive_id INTEGER PRIMARY KEY CHECK (archive_id = 1),
  schema BIGINT NOT NULL
);
CREATE TABLE log_head (
  log_head_id INTEGER PRIMARY KEY CHECK (log_head_id = 1),
  commits BIGINT NOT NULL
) WITH (fillfactor = 10);
INSERT INTO log_head VALUES (1, 0);
CREATE TABLE writer (
  writer_id TEXT PRIMARY KEY,
  commits BIGINT NOT NULL,
  committed_at TIMESTAMPTZ NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);
CREATE TABLE series (
  series_id ID PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  added_at TEXT NOT NULL
);
CREATE TABLE document (
  document_id BIGINT PRIMARY KEY,
  series TEXT NOT NULL REFERENCES series (name),
  date TEXT NOT NULL CHECK (date ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  unique_id TEXT NOT NULL CHECK (unique_id <> ''),
  serial BIGINT CHECK (serial > 0),
  UNIQUE (series, date, unique_id)
);
CREATE UNIQUE INDEX document_serial ON document (series, date, serial) WHERE serial IS NOT NULL;
CREATE TABLE version (
  version_id BIGINT PRIMARY KEY,
  document_id BIGINT NOT NULL REFERENCES document,
  number BIGINT NOT NULL CHECK (number > 0),
  committed_at TEXT NOT NULL,
  title TEXT,
  uri TEXT,
  final_uri TEXT,
  retrieved_at TEXT,
  details TEXT NOT NULL,
  UNIQUE (document_id, number)
);
CREATE INDEX version_uri ON version USING hash (uri) WHERE uri IS NOT NULL;
CREATE INDEX version_final_uri ON version USING hash (final_uri) WHERE final_uri IS NOT NULL;
CREATE TABLE representation (
  representation_id BIGINT PRIMARY KEY,
  version_id BIGINT NOT NULL REFERENCES version,
  format TEXT NOT NULL CHECK (format <> ''),
  media_type TEXT NOT NULL,
  charset TEXT,
  size_bytes BIGINT NOT NULL CHECK (size_bytes >= 0),
  digest TEXT NOT NULL CHECK (length(digest) = 72),
  canonical_digest TEXT,
  received_digest TEXT,
  derived_from TEXT,
  rendition TEXT,
  committed_at TEXT NOT NULL,
  UNIQUE (version_id, format)
);
CREATE INDEX representation_digest ON representation USING hash (digest);
CREATE INDEX representation_received ON representation USING hash (received_digest)
WHERE received_digest IS NOT NULL;
CREATE TABLE attachment (
  representation_id BIGINT NOT NULL REFERENCES representation,
  name TEXT NOT NULL,
  digest TEXT NOT NULL CHECK (length(digest) = 72),
  PRIMARY KEY (representation_id, name)
);
CREATE INDEX attachment_digest ON attachment USING hash (digest);
CREATE TABLE idempotency (
  key TEXT PRIMARY KEY,
  request TEXT NOT NULL,
  version_id BIGINT NOT NULL REFERENCES version
);
CREATE INDEX idempotency_version ON idempotency (version_id);
CREATE TABLE citation (
  citation_id ID PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  representation_id BIGINT NOT NULL REFERENCES representation,
  fragment TEXT NOT NULL,
  start BIGINT,
  "end" BIGINT,
  quote TEXT NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL,
  media_type TEXT,
  cited_at TEXT NOT NULL,
  note TEXT
);
CREATE INDEX citation_representation ON citation (representation_id);
CREATE TABLE leaf (
  sequence BIGINT PRIMARY KEY CHECK (sequence >= 0),
  subject TEXT NOT NULL,
  content TEXT NOT NULL
);
CREATE INDEX leaf_subject ON leaf (subject);
CREATE TABLE log_node (
  level BIGINT NOT NULL CHECK (level >= 0),
  position BIGINT NOT NULL CHECK (position >= 0),
  hash BYTEA NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (level, position)
);
CREATE TABLE assertion (
  assertion_id ID PRIMARY KEY,
  sequence BIGINT NOT NULL UNIQUE REFERENCES leaf,
  subject TEXT NOT NULL,
  predicate TEXT NOT NULL CHECK (predicate <> ''),
  object TEXT NOT NULL,
  who TEXT,
  stated_at TEXT NOT NULL
);
CREATE INDEX assertion_subject ON assertion (subject, predicate);
CREATE TABLE delegation (
  delegation_id ID PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('resolver', 'minter')),
  series TEXT NOT NULL,
  first_date TEXT NOT NULL,
  last_date TEXT NOT NULL CHECK (last_date >= first_date),
  target TEXT NOT NULL,
  recorded_at TEXT NOT NULL
);
CREATE INDEX delegation_series ON delegation (series, kind);
CREATE TABLE quotation (
  quotation_id ID PRIMARY KEY,
  representation_id BIGINT NOT NULL REFERENCES representation,
  origin TEXT NOT NULL,
  cited TEXT NOT NULL,
  cited_document TEXT NOT NULL,
  UNIQUE (representation_id, origin, cited)
);
CREATE INDEX quotation_cited ON quotation (cited_document);
CREATE TABLE checkpoint (
  size BIGINT PRIMARY KEY CHECK (size >= 0),
  note TEXT NOT NULL,
  signed_at TEXT NOT NULL
);
CREATE TABLE day (
  series TEXT NOT NULL REFERENCES series (name),
  date TEXT NOT NULL CHECK (date ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  sequence BIGINT NOT NULL UNIQUE REFERENCES leaf,
  sealed_at TEXT NOT NULL CHECK (substr(sealed_at, 1, 10) > date),
  PRIMARY KEY (series, date)
);
CREATE TABLE citation_leaf (
  citation_id BIGINT PRIMARY KEY REFERENCES citation,
  sequence BIGINT NOT NULL UNIQUE REFERENCES leaf
);
CREATE TABLE delegation_leaf (
  delegation_id BIGINT PRIMARY KEY REFERENCES delegation,
  sequence BIGINT NOT NULL UNIQUE REFERENCES leaf
);
CREATE TABLE timestamp (
  timestamp_id ID PRIMARY KEY,
  size BIGINT NOT NULL REFERENCES checkpoint,
  authority TEXT NOT NULL,
  response BYTEA NOT NULL,
  stamped_at TEXT NOT NULL
);
CREATE INDEX timestamp_size ON timestamp (size);
CREATE TABLE unsettled (
  unsettled_id ID PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE CHECK (length(digest) = 72),
  content BYTEA NOT NULL
);
CREATE TABLE opening (
  sequence BIGINT NOT NULL REFERENCES leaf,
  part TEXT NOT NULL CHECK (part <> ''),
  content TEXT NOT NULL,
  PRIMARY KEY (sequence, part)
);
CREATE TABLE person (
  person_id TEXT PRIMARY KEY CHECK (person_id LIKE 'person:%'),
  name TEXT UNIQUE,
  added_at TEXT NOT NULL
);
CREATE TABLE erasure (
  erasure_id ID PRIMARY KEY,
  sequence BIGINT NOT NULL UNIQUE REFERENCES leaf,
  document_id BIGINT NOT NULL REFERENCES document,
  version_id BIGINT REFERENCES version,
  representation_id BIGINT REFERENCES representation,
  entry BIGINT REFERENCES leaf,
  ground TEXT NOT NULL CHECK (ground <> ''),
  erased_at TEXT NOT NULL,
  done_at TEXT,
  CHECK (representation_id IS NULL OR version_id IS NOT NULL)
);
CREATE INDEX erasure_document ON erasure (document_id);
CREATE TABLE erasure_object (
  erasure_id BIGINT NOT NULL REFERENCES erasure,
  digest TEXT NOT NULL CHECK (length(digest) = 72),
  PRIMARY KEY (erasure_id, digest)
);
CREATE TABLE remark (
  sequence BIGINT PRIMARY KEY REFERENCES leaf,
  content TEXT NOT NULL
);
CREATE TABLE standing (
  standing_id ID PRIMARY KEY,
  document_id BIGINT NOT NULL REFERENCES document,
  access TEXT NOT NULL CHECK (access IN ('public', 'closed', 'embargo')),
  embargo_until TEXT CHECK ((embargo_until IS NULL) = (access <> 'embargo')),
  ground TEXT NOT NULL
    CHECK (ground IN ('deposit', 'licence', 'consent', 'quotation', 'unknown')),
  retain_until TEXT,
  set_at TEXT NOT NULL
);
CREATE INDEX standing_document ON standing (document_id);
CREATE TABLE building (
  standing_id BIGINT PRIMARY KEY REFERENCES standing
);
CREATE TABLE live_page (
  version_id BIGINT PRIMARY KEY REFERENCES version,
  checked_at TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('same', 'changed', 'answers', 'gone', 'unanswered'))
);
CREATE TABLE live_passage (
  citation_id BIGINT PRIMARY KEY REFERENCES citation ON DELETE CASCADE,
  checked_at TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome <> '')
);
CREATE TABLE jotting (
  jotting_id ID PRIMARY KEY,
  document_id BIGINT NOT NULL REFERENCES document,
  version_id BIGINT REFERENCES version,
  part TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('tag', 'collection', 'note')),
  text TEXT NOT NULL CHECK (text <> ''),
  written_at TEXT NOT NULL
);
CREATE UNIQUE INDEX jotting_once ON jotting (document_id, part, kind, md5(text));
CREATE INDEX jotting_text ON jotting (kind, md5(text));
CREATE TABLE git_blob (
  digest TEXT PRIMARY KEY CHECK (length(digest) = 72),
  name TEXT CHECK (length(name) = 40)
);
CREATE INDEX git_blob_name ON git_blob (name);
CREATE TABLE watch (
  uri TEXT PRIMARY KEY CHECK (uri <> ''),
  every_s BIGINT NOT NULL CHECK (every_s > 0),
  added_at TEXT NOT NULL,
  looked_at TEXT,
  outcome TEXT NOT NULL DEFAULT '',
  problem TEXT NOT NULL DEFAULT ''
);
CREATE TABLE passage_news (
  news_id ID PRIMARY KEY,
  citation_id BIGINT NOT NULL REFERENCES citation ON DELETE CASCADE,
  found_at TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome <> ''),
  there TEXT NOT NULL
);
CREATE INDEX passage_news_citation ON passage_news (citation_id);
CREATE TABLE content_pieces (
  digest TEXT PRIMARY KEY CHECK (length(digest) = 72),
  pieces BYTEA NOT NULL
);
CREATE TABLE packed (
  digest TEXT PRIMARY KEY CHECK (length(digest) = 72),
  pack TEXT NOT NULL CHECK (length(pack) = 72),
  start BIGINT NOT NULL CHECK (start >= 0),
  size_bytes BIGINT NOT NULL CHECK (size_bytes >= 0)
);
CREATE INDEX packed_pack ON packed (pack, start);
CREATE TABLE emptied_pack (
  pack TEXT PRIMARY KEY CHECK (length(pack) = 72)
);
CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  until TEXT NOT NULL
);
"""

_FUNCTIONS = r"""
CREATE FUNCTION instr(TEXT, TEXT) RETURNS INTEGER LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$SELECT pg_catalog.strpos($1, $2)$$;

CREATE FUNCTION site(TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$SELECT lower(substring(substr($1, strpos($1, '://') + 3) FROM '^[^/?#]*') COLLATE "C")$$;

CREATE FUNCTION entry_name(TEXT) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE STRICT
AS $$BEGIN RETURN CAST($1 AS JSON) ->> 'name';
EXCEPTION WHEN data_exception THEN RETURN NULL; END$$;
"""

_SITE_INDEX = """
CREATE INDEX version_site ON version (site(uri))
WHERE instr(uri, '://') > 0;
"""

_NAME = "'urn:pdi://' || d.series || '/' || replace(d.date, '-', '/') || '/' || d.unique_id"
_PATH = "substr(l.subject, 11)"
_BEHIND = f"substr({_PATH}, strpos({_PATH}, '/') + 1)"
_LAST = """(',"version":' || v.number || '}')"""

_VIEWS = rf"""
CREATE VIEW erased_representation AS
SELECT r.representation_id, r.version_id, e.erasure_id
FROM erasure AS e
JOIN version AS v ON v.document_id = e.document_id
  AND v.version_id = coalesce(e.version_id, v.version_id)
JOIN representation AS r ON r.version_id = v.version_id
  AND r.representation_id = coalesce(e.representation_id, r.representation_id)
WHERE e.entry IS NULL;

CREATE VIEW erased_version AS
SELECT v.version_id, e.erasure_id
FROM erasure AS e
JOIN version AS v ON v.document_id = e.document_id
  AND v.version_id = coalesce(e.version_id, v.version_id)
WHERE e.entry IS NULL AND e.representation_id IS NULL;

CREATE VIEW erased_entry AS
SELECT l.sequence, e.erasure_id,
  CASE WHEN strpos(l.content, '"kind":"version"') > 0 THEN 'format.' || r.format END AS part
FROM leaf AS l
JOIN document AS d ON d.series = split_part({_PATH}, '/', 1)
  AND d.date = replace(substr({_BEHIND}, 1, 10), '/', '-')
  AND d.unique_id = substring(substr({_BEHIND}, 12) FROM '^[^.#@]*')
JOIN erasure AS e ON e.document_id = d.document_id
LEFT JOIN version AS v ON v.version_id = e.version_id
LEFT JOIN representation AS r ON r.representation_id = e.representation_id
WHERE l.sequence = coalesce(e.entry, l.sequence) AND l.sequence < e.sequence
  AND strpos(l.content, '"kind":"erasure"') = 0
  AND CASE WHEN l.subject = {_NAME} THEN
    (v.number IS NULL OR right(l.content, length({_LAST})) = {_LAST})
    AND (r.format IS NULL OR strpos(l.content, '"kind":"version"') > 0
      OR strpos(l.content, '"format":"' || r.format || '"') > 0
      OR strpos(l.content, '"formats":["' || r.format || '"') > 0
      OR strpos(l.content, '"format.' || r.format || '"') > 0)
  ELSE starts_with(l.subject, {_NAME}) AND substr(l.subject || '#', length({_NAME}) + 1) ~ (
    '^' || coalesce('[.]' || coalesce(regexp_replace(r.format, '([^a-zA-Z0-9])', '\\\1', 'g'),
      '.*') || '[.]' || v.number, '') || '[.#@]')
  END;
"""
"""Which rows an erasure covers: as in SQLite, in PostgreSQL's words."""


def _in_words_of_postgresql(tables: str) -> str:
    """Tables as they are made: ids, texts that are compared by octets, late references."""
    tables = re.sub(r"\bTEXT\b", 'TEXT COLLATE "C"', tables)
    tables = re.sub(r"\bID\b", "BIGINT GENERATED BY DEFAULT AS IDENTITY", tables)
    references = r"(REFERENCES \w+(?: \(name\))?(?: ON DELETE CASCADE)?)"
    return re.sub(references, r"\1 DEFERRABLE", tables)


_OCTETS = {
    "representation": {"digest": 32, "canonical_digest": 32, "received_digest": 32},
    "attachment": {"digest": 32},
    "unsettled": {"digest": 32},
    "erasure_object": {"digest": 32},
    "git_blob": {"digest": 32, "name": 20},
    "content_pieces": {"digest": 32},
    "packed": {"digest": 32, "pack": 32},
    "emptied_pack": {"pack": 32},
}
"""Columns that had digests as texts until schema 13, and how many octets they have since."""

_AS_OCTETS = """
ALTER COLUMN {column} TYPE BYTEA USING CASE WHEN {column} ~ '^(sha-256:)?([0-9a-f]{{2}}){{{size}}}$'
  THEN decode(replace({column}, 'sha-256:', ''), 'hex')
  ELSE substr(sha256(convert_to({column}, 'UTF8')), 1, {size}) END
"""
"""What is no digest, for the row is damaged, becomes the SHA-256 of what stands there, as in
SQLite: then `fsck` says of that row what it said before."""


def _with_octets(table: str, columns: dict[str, int]) -> str:
    """The statement that writes digests as octets in a table: all its rows anew, once."""
    changes: list[str] = []
    for column, size in columns.items():
        name = f"{table}_{column}_check"
        changes += [
            f"DROP CONSTRAINT IF EXISTS {name}",
            _AS_OCTETS.format(column=column, size=size).strip(),
            f"ADD CONSTRAINT {name} CHECK (length({column}) = {size})",
        ]
    return f"ALTER TABLE {table} {', '.join(changes)};"


STEPS = {
    _FIRST: "\n".join(
        [_in_words_of_postgresql(_TABLES), _FUNCTIONS, _SITE_INDEX, _VIEWS, RULES],
    ),
    13: "\n".join([*(_with_octets(*each) for each in _OCTETS.items()), RULE_OF_OCTETS]),
}
"""The statements that lead from the schema before to that of each number; the first make all."""

SCHEMA = "\n".join(STEPS[number] for number in sorted(STEPS))
