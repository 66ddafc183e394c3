-- A catalog of schema 1, as it was written by the first versions of permacite.
PRAGMA application_id = 1346652481;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE assertion (
  assertion_id INTEGER PRIMARY KEY,
  sequence INTEGER NOT NULL UNIQUE REFERENCES leaf,
  subject TEXT NOT NULL,
  predicate TEXT NOT NULL CHECK (predicate <> ''),
  object TEXT NOT NULL,
  who TEXT,
  stated_at TEXT NOT NULL
) STRICT;
INSERT INTO "assertion" VALUES(1,2,'urn:pdi://lab.example.us/2026/11/20/1.utf-8.1','dc:subject','harbours','ann','2026-11-21T12:00:00.000000Z');
CREATE TABLE attachment (
  representation_id INTEGER NOT NULL REFERENCES representation,
  name TEXT NOT NULL,
  digest TEXT NOT NULL CHECK (length(digest) = 72),
  PRIMARY KEY (representation_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoint (
  size INTEGER PRIMARY KEY CHECK (size >= 0),
  note TEXT NOT NULL,
  signed_at TEXT NOT NULL
) STRICT;
INSERT INTO "checkpoint" VALUES(4,'lab.example.us/log
4
hZbPUEiahLkc2bm2cSjRj1UyNtj+LcaG2ERV7NZqF0M=

— lab.example.us/log tACadAqvsuzMXdpzV7klZR3OXsVEW7X1IBZVWjCLbQDV2BwPkFtumaEWBAeZkIsjUWwIcygWqiWgPLv+Mfbpo/MaFgQ=
','2026-11-21T12:00:00.000000Z');
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
INSERT INTO "citation" VALUES(1,'sha-256:807e78d34488ced39257e10e71e4efa22aa8ca5b1bffdf72f38bf031f8ff3b9d',2,'urn:pdi://lab.example.us/2026/11/20/1.utf-8.1#char=0,3',0,3,'one','','',NULL,'2026-11-20T12:00:00.000000Z','a note');
CREATE TABLE delegation (
  delegation_id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('resolver', 'minter')),
  series TEXT NOT NULL,
  first_date TEXT NOT NULL,
  last_date TEXT NOT NULL CHECK (last_date >= first_date),
  target TEXT NOT NULL,
  recorded_at TEXT NOT NULL
) STRICT;
INSERT INTO "delegation" VALUES(1,'resolver','lab.example.us','0001-01-01','9999-12-31','https://resolver.example/','2026-11-20T12:00:00.000000Z');
INSERT INTO "delegation" VALUES(2,'minter','press.lab.example.us','2026-01-01','2026-12-31','ann','2026-11-20T12:00:00.000000Z');
CREATE TABLE document (
  document_id INTEGER PRIMARY KEY,
  series TEXT NOT NULL REFERENCES series (name),
  date TEXT NOT NULL CHECK (date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
  unique_id TEXT NOT NULL CHECK (unique_id <> ''),
  serial INTEGER CHECK (serial > 0),
  UNIQUE (series, date, unique_id)
) STRICT;
INSERT INTO "document" VALUES(1,'lab.example.us','2026-11-20','1',1);
INSERT INTO "document" VALUES(2,'lab.example.us','2026-11-20','report',NULL);
CREATE TABLE idempotency (
  key TEXT PRIMARY KEY,
  request TEXT NOT NULL,
  version_id INTEGER NOT NULL REFERENCES version
) STRICT, WITHOUT ROWID;
INSERT INTO "idempotency" VALUES('k','sha-256:64a43e031e8a7387ad466fa80b9541aa63bae3d8343ffa9178ccef2950aec89a',1);
CREATE TABLE leaf (
  sequence INTEGER PRIMARY KEY CHECK (sequence >= 0),
  subject TEXT NOT NULL,
  content TEXT NOT NULL
) STRICT;
INSERT INTO "leaf" VALUES(0,'urn:pdi://lab.example.us/2026/11/20/1','{"committed_at":"2026-11-20T12:00:00.000000Z","formats":[{"canonical_digest":"sha-256:6cdd0621def911531209bd14685fc4fca0c38ca0464199fa72c9496b8d9a9e91","charset":"utf-8","digest":"sha-256:6cdd0621def911531209bd14685fc4fca0c38ca0464199fa72c9496b8d9a9e91","format":"html","media_type":"text/html","size_bytes":6},{"canonical_digest":"sha-256:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed","charset":"utf-8","digest":"sha-256:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed","format":"utf-8","media_type":"text/plain","size_bytes":3}],"kind":"version","name":"urn:pdi://lab.example.us/2026/11/20/1","provenance":"sha-256:f89be4ff9079daac5be41f30627d770979ab4fc768490839c732043306fe6a04","uri":"http://example.org/","version":1}');
INSERT INTO "leaf" VALUES(1,'urn:pdi://lab.example.us/2026/11/20/report','{"committed_at":"2026-11-20T12:00:00.000000Z","formats":[{"canonical_digest":"sha-256:a157d36a739191c1826419da5c87aedf3dd0cd6828565ada2a38a6b68ed741e5","charset":"utf-8","digest":"sha-256:a157d36a739191c1826419da5c87aedf3dd0cd6828565ada2a38a6b68ed741e5","format":"utf-8","media_type":"text/plain","size_bytes":5}],"kind":"version","name":"urn:pdi://lab.example.us/2026/11/20/report","provenance":"sha-256:7f995d26c4a1fd7a5bb2cc6138eb91ce1e132427f4e40ed337ef6dbc781243b7","version":1}');
INSERT INTO "leaf" VALUES(2,'urn:pdi://lab.example.us/2026/11/20/1.utf-8.1','{"kind":"assertion","name":"urn:pdi://lab.example.us/2026/11/20/1.utf-8.1","object":"harbours","predicate":"dc:subject","stated_at":"2026-11-21T12:00:00.000000Z","who":"ann"}');
INSERT INTO "leaf" VALUES(3,'urn:pdi://lab.example.us/2026/11/20/1','{"committed_at":"2026-11-21T12:00:00.000000Z","formats":[{"canonical_digest":"sha-256:3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3","charset":"utf-8","digest":"sha-256:3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3","format":"utf-8","media_type":"text/plain","size_bytes":3}],"kind":"version","name":"urn:pdi://lab.example.us/2026/11/20/1","provenance":"sha-256:7f995d26c4a1fd7a5bb2cc6138eb91ce1e132427f4e40ed337ef6dbc781243b7","version":2}');
CREATE TABLE log_node (
  level INTEGER NOT NULL CHECK (level >= 0),
  position INTEGER NOT NULL CHECK (position >= 0),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (level, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "log_node" VALUES(0,0,X'8771EDAAD4C982111B29CA3803C7C26F76D73493A207F34255485B6EE9AB8F0B');
INSERT INTO "log_node" VALUES(0,1,X'7B4AAA40346E084EB1C2DB69EDBC3BE84137344F3AD9358E1BD121ED3E2F108F');
INSERT INTO "log_node" VALUES(0,2,X'F202D029F5AC9269CFC40B43C2EA4C023115F2ECFECB16A49B95FD779E0C001D');
INSERT INTO "log_node" VALUES(0,3,X'002BA78DD05E4BAFBB2D71CE5866A18C1A816C78568C15D14594F7C7A26AB15D');
INSERT INTO "log_node" VALUES(1,0,X'17A79C9DFCA3CE1199D5F4271A141BE32BFB875A6777E0CC0A04C87551F7D120');
INSERT INTO "log_node" VALUES(1,1,X'FF21637EC41680F79C1E13BC01ADB5F02C398F91BA9339264912616D8F9AC44F');
INSERT INTO "log_node" VALUES(2,0,X'8596CF50489A84B91CD9B9B67128D18F553236D8FE2DC686D84455ECD66A1743');
CREATE TABLE quotation (
  quotation_id INTEGER PRIMARY KEY,
  representation_id INTEGER NOT NULL REFERENCES representation,
  origin TEXT NOT NULL,
  cited TEXT NOT NULL,
  cited_document TEXT NOT NULL,
  UNIQUE (representation_id, origin, cited)
) STRICT;
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
INSERT INTO "representation" VALUES(1,1,'html','text/html','utf-8',6,'sha-256:6cdd0621def911531209bd14685fc4fca0c38ca0464199fa72c9496b8d9a9e91','sha-256:6cdd0621def911531209bd14685fc4fca0c38ca0464199fa72c9496b8d9a9e91',NULL,NULL,NULL,'2026-11-20T12:00:00.000000Z');
INSERT INTO "representation" VALUES(2,1,'utf-8','text/plain','utf-8',3,'sha-256:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed','sha-256:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed',NULL,NULL,NULL,'2026-11-20T12:00:00.000000Z');
INSERT INTO "representation" VALUES(3,2,'utf-8','text/plain','utf-8',5,'sha-256:a157d36a739191c1826419da5c87aedf3dd0cd6828565ada2a38a6b68ed741e5','sha-256:a157d36a739191c1826419da5c87aedf3dd0cd6828565ada2a38a6b68ed741e5',NULL,NULL,NULL,'2026-11-20T12:00:00.000000Z');
INSERT INTO "representation" VALUES(4,3,'utf-8','text/plain','utf-8',3,'sha-256:3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3','sha-256:3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3',NULL,NULL,NULL,'2026-11-21T12:00:00.000000Z');
CREATE TABLE series (
  series_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  added_at TEXT NOT NULL
) STRICT;
INSERT INTO "series" VALUES(1,'lab.example.us','2026-11-20T12:00:00.000000Z');
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
INSERT INTO "setting" VALUES('series','lab.example.us');
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
INSERT INTO "version" VALUES(1,1,1,'2026-11-20T12:00:00.000000Z','One','http://example.org/',NULL,NULL,'{}');
INSERT INTO "version" VALUES(2,2,1,'2026-11-20T12:00:00.000000Z',NULL,NULL,NULL,NULL,'{}');
INSERT INTO "version" VALUES(3,1,2,'2026-11-21T12:00:00.000000Z',NULL,NULL,NULL,NULL,'{}');
CREATE UNIQUE INDEX document_serial ON document (series, date, serial) WHERE serial IS NOT NULL;
CREATE INDEX version_uri ON version (uri) WHERE uri IS NOT NULL;
CREATE INDEX version_final_uri ON version (final_uri) WHERE final_uri IS NOT NULL;
CREATE INDEX representation_digest ON representation (digest);
CREATE INDEX representation_received ON representation (received_digest)
WHERE received_digest IS NOT NULL;
CREATE INDEX attachment_digest ON attachment (digest);
CREATE INDEX citation_representation ON citation (representation_id);
CREATE INDEX leaf_subject ON leaf (subject);
CREATE INDEX assertion_subject ON assertion (subject, predicate);
CREATE INDEX delegation_series ON delegation (series, kind);
CREATE INDEX quotation_cited ON quotation (cited_document);
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
COMMIT;
