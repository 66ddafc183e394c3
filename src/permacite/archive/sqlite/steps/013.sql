-- Digests as 32 bytes, where they were texts of 72 characters. The only step that rewrites rows: tables
-- with a digest are made beside the old ones, filled from them, and renamed. A text that is no digest
-- (the row is damaged) becomes the SHA-256 of that text, so that fsck reports it as before.
-- A connection has to know the function `octets_in`.
PRAGMA legacy_alter_table = ON;
CREATE TABLE representation_13 (
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
) STRICT;
CREATE TABLE attachment_13 (
  representation_id INTEGER NOT NULL REFERENCES representation,
  name TEXT NOT NULL,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  PRIMARY KEY (representation_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE unsettled_13 (
  unsettled_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  content BLOB NOT NULL
) STRICT;
CREATE TABLE erasure_object_13 (
  erasure_id INTEGER NOT NULL REFERENCES erasure,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  PRIMARY KEY (erasure_id, digest)
) STRICT, WITHOUT ROWID;
CREATE TABLE git_blob_13 (
  digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
  name BLOB CHECK (length(name) = 20)
) STRICT, WITHOUT ROWID;
CREATE TABLE content_pieces_13 (
  digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
  pieces BLOB NOT NULL
) STRICT;
CREATE TABLE packed_13 (
  digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
  pack BLOB NOT NULL CHECK (length(pack) = 32),
  start INTEGER NOT NULL CHECK (start >= 0),
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0)
) STRICT, WITHOUT ROWID;
CREATE TABLE emptied_pack_13 (
  pack BLOB PRIMARY KEY CHECK (length(pack) = 32)
) STRICT, WITHOUT ROWID;
INSERT INTO representation_13 SELECT representation_id, version_id, format, media_type, charset, size_bytes, octets_in(CAST(digest AS BLOB), 32), octets_in(CAST(canonical_digest AS BLOB), 32), octets_in(CAST(received_digest AS BLOB), 32), derived_from, rendition, committed_at FROM representation ORDER BY 1;
INSERT INTO attachment_13 SELECT representation_id, name, octets_in(CAST(digest AS BLOB), 32) FROM attachment ORDER BY 1;
INSERT INTO unsettled_13 SELECT unsettled_id, octets_in(CAST(digest AS BLOB), 32), content FROM unsettled ORDER BY 1;
INSERT INTO erasure_object_13 SELECT erasure_id, octets_in(CAST(digest AS BLOB), 32) FROM erasure_object ORDER BY 1;
INSERT INTO git_blob_13 SELECT octets_in(CAST(digest AS BLOB), 32), octets_in(CAST(name AS BLOB), 20) FROM git_blob ORDER BY 1;
INSERT INTO content_pieces_13 SELECT octets_in(CAST(digest AS BLOB), 32), pieces FROM content_pieces ORDER BY 1;
INSERT INTO packed_13 SELECT octets_in(CAST(digest AS BLOB), 32), octets_in(CAST(pack AS BLOB), 32), start, size_bytes FROM packed ORDER BY 1;
INSERT INTO emptied_pack_13 SELECT octets_in(CAST(pack AS BLOB), 32) FROM emptied_pack ORDER BY 1;
DROP TABLE representation;
DROP TABLE attachment;
DROP TABLE unsettled;
DROP TABLE erasure_object;
DROP TABLE git_blob;
DROP TABLE content_pieces;
DROP TABLE packed;
DROP TABLE emptied_pack;
ALTER TABLE representation_13 RENAME TO representation;
ALTER TABLE attachment_13 RENAME TO attachment;
ALTER TABLE unsettled_13 RENAME TO unsettled;
ALTER TABLE erasure_object_13 RENAME TO erasure_object;
ALTER TABLE git_blob_13 RENAME TO git_blob;
ALTER TABLE content_pieces_13 RENAME TO content_pieces;
ALTER TABLE packed_13 RENAME TO packed;
ALTER TABLE emptied_pack_13 RENAME TO emptied_pack;
PRAGMA legacy_alter_table = OFF;

CREATE INDEX representation_digest ON representation (digest);
CREATE INDEX representation_received ON representation (received_digest)
WHERE received_digest IS NOT NULL;
CREATE INDEX attachment_digest ON attachment (digest);
CREATE INDEX git_blob_name ON git_blob (name);
CREATE INDEX packed_pack ON packed (pack, start);

CREATE TRIGGER representation_no_update BEFORE UPDATE ON representation WHEN NOT coalesce(
NEW.representation_id = OLD.representation_id AND NEW.version_id = OLD.version_id
  AND NEW.format = OLD.format AND NEW.media_type = OLD.media_type
  AND NEW.committed_at = OLD.committed_at
  AND NEW.size_bytes = 0 AND NEW.digest = x'0000000000000000000000000000000000000000000000000000000000000000'
  AND coalesce(NEW.charset, NEW.canonical_digest, NEW.received_digest, NEW.derived_from,
    NEW.rendition) IS NULL
  AND EXISTS (
    SELECT 1 FROM erased_representation WHERE representation_id = OLD.representation_id)
, 0) BEGIN SELECT RAISE(ABORT, 'permacite: rows of representation never change'); END;
CREATE TRIGGER representation_no_delete BEFORE DELETE ON representation BEGIN SELECT RAISE(ABORT, 'permacite: rows of representation never change'); END;
CREATE TRIGGER representation_no_replace BEFORE INSERT ON representation WHEN EXISTS (SELECT 1 FROM representation WHERE representation_id = NEW.representation_id) OR EXISTS (SELECT 1 FROM representation WHERE version_id = NEW.version_id AND format = NEW.format) BEGIN SELECT RAISE(ABORT, 'permacite: rows of representation never change'); END;
CREATE TRIGGER attachment_no_update BEFORE UPDATE ON attachment BEGIN SELECT RAISE(ABORT, 'permacite: rows of attachment never change'); END;
CREATE TRIGGER attachment_no_delete BEFORE DELETE ON attachment WHEN NOT coalesce(EXISTS (SELECT 1 FROM erased_representation AS r WHERE r.representation_id = OLD.representation_id), 0) BEGIN SELECT RAISE(ABORT, 'permacite: rows of attachment never change'); END;
CREATE TRIGGER attachment_no_replace BEFORE INSERT ON attachment WHEN EXISTS (SELECT 1 FROM attachment WHERE representation_id = NEW.representation_id AND name = NEW.name) BEGIN SELECT RAISE(ABORT, 'permacite: rows of attachment never change'); END;

CREATE TRIGGER representation_erased BEFORE INSERT ON representation
WHEN EXISTS (SELECT 1 FROM erased_version WHERE version_id = NEW.version_id)
BEGIN SELECT RAISE(ABORT, 'permacite: the version is erased'); END;

CREATE TRIGGER unsettled_no_update BEFORE UPDATE ON unsettled BEGIN SELECT RAISE(ABORT, 'permacite: rows of unsettled never change'); END;

CREATE TRIGGER unsettled_no_replace BEFORE INSERT ON unsettled
WHEN EXISTS (SELECT 1 FROM unsettled WHERE unsettled_id = NEW.unsettled_id)
  OR EXISTS (SELECT 1 FROM unsettled WHERE digest = NEW.digest)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of unsettled never change'); END;

CREATE TRIGGER erasure_object_no_update BEFORE UPDATE ON erasure_object
BEGIN SELECT RAISE(ABORT, 'permacite: rows of erasure_object never change'); END;
