-- The first schema.
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

CREATE TRIGGER series_no_update BEFORE UPDATE ON series BEGIN SELECT RAISE(ABORT, 'permacite: rows of series never change'); END;
CREATE TRIGGER series_no_delete BEFORE DELETE ON series BEGIN SELECT RAISE(ABORT, 'permacite: rows of series never change'); END;
CREATE TRIGGER series_no_replace BEFORE INSERT ON series WHEN EXISTS (SELECT 1 FROM series WHERE series_id = NEW.series_id) OR EXISTS (SELECT 1 FROM series WHERE name = NEW.name) BEGIN SELECT RAISE(ABORT, 'permacite: rows of series never change'); END;
CREATE TRIGGER document_no_update BEFORE UPDATE ON document BEGIN SELECT RAISE(ABORT, 'permacite: rows of document never change'); END;
CREATE TRIGGER document_no_delete BEFORE DELETE ON document BEGIN SELECT RAISE(ABORT, 'permacite: rows of document never change'); END;
CREATE TRIGGER document_no_replace BEFORE INSERT ON document WHEN EXISTS (SELECT 1 FROM document WHERE document_id = NEW.document_id) OR EXISTS (SELECT 1 FROM document WHERE series = NEW.series AND date = NEW.date AND unique_id = NEW.unique_id) OR EXISTS (SELECT 1 FROM document WHERE series = NEW.series AND date = NEW.date AND serial = NEW.serial) BEGIN SELECT RAISE(ABORT, 'permacite: rows of document never change'); END;
CREATE TRIGGER version_no_update BEFORE UPDATE ON version BEGIN SELECT RAISE(ABORT, 'permacite: rows of version never change'); END;
CREATE TRIGGER version_no_delete BEFORE DELETE ON version BEGIN SELECT RAISE(ABORT, 'permacite: rows of version never change'); END;
CREATE TRIGGER version_no_replace BEFORE INSERT ON version WHEN EXISTS (SELECT 1 FROM version WHERE version_id = NEW.version_id) OR EXISTS (SELECT 1 FROM version WHERE document_id = NEW.document_id AND number = NEW.number) BEGIN SELECT RAISE(ABORT, 'permacite: rows of version never change'); END;
CREATE TRIGGER representation_no_update BEFORE UPDATE ON representation BEGIN SELECT RAISE(ABORT, 'permacite: rows of representation never change'); END;
CREATE TRIGGER representation_no_delete BEFORE DELETE ON representation BEGIN SELECT RAISE(ABORT, 'permacite: rows of representation never change'); END;
CREATE TRIGGER representation_no_replace BEFORE INSERT ON representation WHEN EXISTS (SELECT 1 FROM representation WHERE representation_id = NEW.representation_id) OR EXISTS (SELECT 1 FROM representation WHERE version_id = NEW.version_id AND format = NEW.format) BEGIN SELECT RAISE(ABORT, 'permacite: rows of representation never change'); END;
CREATE TRIGGER attachment_no_update BEFORE UPDATE ON attachment BEGIN SELECT RAISE(ABORT, 'permacite: rows of attachment never change'); END;
CREATE TRIGGER attachment_no_delete BEFORE DELETE ON attachment BEGIN SELECT RAISE(ABORT, 'permacite: rows of attachment never change'); END;
CREATE TRIGGER attachment_no_replace BEFORE INSERT ON attachment WHEN EXISTS (SELECT 1 FROM attachment WHERE representation_id = NEW.representation_id AND name = NEW.name) BEGIN SELECT RAISE(ABORT, 'permacite: rows of attachment never change'); END;
CREATE TRIGGER idempotency_no_update BEFORE UPDATE ON idempotency BEGIN SELECT RAISE(ABORT, 'permacite: rows of idempotency never change'); END;
CREATE TRIGGER idempotency_no_delete BEFORE DELETE ON idempotency BEGIN SELECT RAISE(ABORT, 'permacite: rows of idempotency never change'); END;
CREATE TRIGGER idempotency_no_replace BEFORE INSERT ON idempotency WHEN EXISTS (SELECT 1 FROM idempotency WHERE key = NEW.key) BEGIN SELECT RAISE(ABORT, 'permacite: rows of idempotency never change'); END;
CREATE TRIGGER citation_no_update BEFORE UPDATE ON citation BEGIN SELECT RAISE(ABORT, 'permacite: rows of citation never change'); END;
CREATE TRIGGER citation_no_delete BEFORE DELETE ON citation BEGIN SELECT RAISE(ABORT, 'permacite: rows of citation never change'); END;
CREATE TRIGGER citation_no_replace BEFORE INSERT ON citation WHEN EXISTS (SELECT 1 FROM citation WHERE citation_id = NEW.citation_id) OR EXISTS (SELECT 1 FROM citation WHERE identity = NEW.identity) BEGIN SELECT RAISE(ABORT, 'permacite: rows of citation never change'); END;
CREATE TRIGGER leaf_no_update BEFORE UPDATE ON leaf BEGIN SELECT RAISE(ABORT, 'permacite: rows of leaf never change'); END;
CREATE TRIGGER leaf_no_delete BEFORE DELETE ON leaf BEGIN SELECT RAISE(ABORT, 'permacite: rows of leaf never change'); END;
CREATE TRIGGER leaf_no_replace BEFORE INSERT ON leaf WHEN EXISTS (SELECT 1 FROM leaf WHERE sequence = NEW.sequence) BEGIN SELECT RAISE(ABORT, 'permacite: rows of leaf never change'); END;
CREATE TRIGGER log_node_no_update BEFORE UPDATE ON log_node BEGIN SELECT RAISE(ABORT, 'permacite: rows of log_node never change'); END;
CREATE TRIGGER log_node_no_delete BEFORE DELETE ON log_node BEGIN SELECT RAISE(ABORT, 'permacite: rows of log_node never change'); END;
CREATE TRIGGER log_node_no_replace BEFORE INSERT ON log_node WHEN EXISTS (SELECT 1 FROM log_node WHERE level = NEW.level AND position = NEW.position) BEGIN SELECT RAISE(ABORT, 'permacite: rows of log_node never change'); END;
CREATE TRIGGER checkpoint_no_update BEFORE UPDATE ON checkpoint BEGIN SELECT RAISE(ABORT, 'permacite: rows of checkpoint never change'); END;
CREATE TRIGGER checkpoint_no_delete BEFORE DELETE ON checkpoint BEGIN SELECT RAISE(ABORT, 'permacite: rows of checkpoint never change'); END;
CREATE TRIGGER checkpoint_no_replace BEFORE INSERT ON checkpoint WHEN EXISTS (SELECT 1 FROM checkpoint WHERE size = NEW.size) BEGIN SELECT RAISE(ABORT, 'permacite: rows of checkpoint never change'); END;
CREATE TRIGGER assertion_no_update BEFORE UPDATE ON assertion BEGIN SELECT RAISE(ABORT, 'permacite: rows of assertion never change'); END;
CREATE TRIGGER assertion_no_delete BEFORE DELETE ON assertion BEGIN SELECT RAISE(ABORT, 'permacite: rows of assertion never change'); END;
CREATE TRIGGER assertion_no_replace BEFORE INSERT ON assertion WHEN EXISTS (SELECT 1 FROM assertion WHERE assertion_id = NEW.assertion_id) OR EXISTS (SELECT 1 FROM assertion WHERE sequence = NEW.sequence) BEGIN SELECT RAISE(ABORT, 'permacite: rows of assertion never change'); END;
CREATE TRIGGER delegation_no_update BEFORE UPDATE ON delegation BEGIN SELECT RAISE(ABORT, 'permacite: rows of delegation never change'); END;
CREATE TRIGGER delegation_no_delete BEFORE DELETE ON delegation BEGIN SELECT RAISE(ABORT, 'permacite: rows of delegation never change'); END;
CREATE TRIGGER delegation_no_replace BEFORE INSERT ON delegation WHEN EXISTS (SELECT 1 FROM delegation WHERE delegation_id = NEW.delegation_id) BEGIN SELECT RAISE(ABORT, 'permacite: rows of delegation never change'); END;
CREATE TRIGGER quotation_no_update BEFORE UPDATE ON quotation BEGIN SELECT RAISE(ABORT, 'permacite: rows of quotation never change'); END;
CREATE TRIGGER quotation_no_delete BEFORE DELETE ON quotation BEGIN SELECT RAISE(ABORT, 'permacite: rows of quotation never change'); END;
CREATE TRIGGER quotation_no_replace BEFORE INSERT ON quotation WHEN EXISTS (SELECT 1 FROM quotation WHERE quotation_id = NEW.quotation_id) OR EXISTS (SELECT 1 FROM quotation WHERE representation_id = NEW.representation_id AND origin = NEW.origin AND cited = NEW.cited) BEGIN SELECT RAISE(ABORT, 'permacite: rows of quotation never change'); END;
