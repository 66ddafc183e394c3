-- Openings of entries, persons, erasures, remarks, access to documents; rules of what an erasure may change.
CREATE TABLE opening (
  sequence INTEGER NOT NULL REFERENCES leaf,
  part TEXT NOT NULL CHECK (part <> ''),
  content TEXT NOT NULL,
  PRIMARY KEY (sequence, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE person (
  person_id TEXT PRIMARY KEY CHECK (person_id LIKE 'person:%'),
  name TEXT UNIQUE,
  added_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE erasure (
  erasure_id INTEGER PRIMARY KEY,
  sequence INTEGER NOT NULL UNIQUE REFERENCES leaf,
  document_id INTEGER NOT NULL REFERENCES document,
  version_id INTEGER REFERENCES version,
  representation_id INTEGER REFERENCES representation,
  entry INTEGER REFERENCES leaf,
  ground TEXT NOT NULL CHECK (ground <> ''),
  erased_at TEXT NOT NULL,
  done_at TEXT,
  CHECK (representation_id IS NULL OR version_id IS NOT NULL)
) STRICT;
CREATE INDEX erasure_document ON erasure (document_id);

CREATE TABLE erasure_object (
  erasure_id INTEGER NOT NULL REFERENCES erasure,
  digest TEXT NOT NULL CHECK (length(digest) = 72),
  PRIMARY KEY (erasure_id, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE remark (
  sequence INTEGER PRIMARY KEY REFERENCES leaf,
  content TEXT NOT NULL
) STRICT;

CREATE TABLE standing (
  standing_id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL REFERENCES document,
  access TEXT NOT NULL CHECK (access IN ('public', 'closed', 'embargo')),
  embargo_until TEXT CHECK ((embargo_until IS NULL) = (access <> 'embargo')),
  ground TEXT NOT NULL
    CHECK (ground IN ('deposit', 'licence', 'consent', 'quotation', 'unknown')),
  retain_until TEXT,
  set_at TEXT NOT NULL
) STRICT;
CREATE INDEX standing_document ON standing (document_id);

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
  CASE WHEN instr(l.content, '"kind":"version"') THEN 'format.' || r.format END AS part
FROM leaf AS l
JOIN document AS d ON d.series = substr(substr(l.subject, 11), 1, instr(substr(l.subject, 11), '/') - 1) AND d.date = replace(substr(substr(substr(l.subject, 11), instr(substr(l.subject, 11), '/') + 1), 1, 10), '/', '-') AND d.unique_id = substr(substr(substr(substr(l.subject, 11), instr(substr(l.subject, 11), '/') + 1), 12), 1, min(instr(substr(substr(substr(l.subject, 11), instr(substr(l.subject, 11), '/') + 1), 12) || '.', '.'), instr(substr(substr(substr(l.subject, 11), instr(substr(l.subject, 11), '/') + 1), 12) || '#', '#'), instr(substr(substr(substr(l.subject, 11), instr(substr(l.subject, 11), '/') + 1), 12) || '@', '@')) - 1)
JOIN erasure AS e ON e.document_id = d.document_id
LEFT JOIN version AS v ON v.version_id = e.version_id
LEFT JOIN representation AS r ON r.representation_id = e.representation_id
WHERE l.sequence = coalesce(e.entry, l.sequence) AND l.sequence < e.sequence
  AND NOT instr(l.content, '"kind":"erasure"')
  AND CASE WHEN l.subject = 'urn:pdi://' || d.series || '/' || replace(d.date, '-', '/') || '/' || d.unique_id THEN
    (v.number IS NULL OR substr(l.content, -length(',"version":' || v.number || '}')) = ',"version":' || v.number || '}')
    AND (r.format IS NULL OR instr(l.content, '"kind":"version"')
      OR instr(l.content, '"format":"' || r.format || '"')
      OR instr(l.content, '"formats":["' || r.format || '"')
      OR instr(l.content, '"format.' || r.format || '"'))
  ELSE l.subject || '#' GLOB
    'urn:pdi://' || d.series || '/' || replace(d.date, '-', '/') || '/' || d.unique_id || coalesce('.' || coalesce(r.format, '*') || '.' || v.number, '') || '[.#@]*'
  END;

CREATE TRIGGER opening_no_update BEFORE UPDATE ON opening BEGIN SELECT RAISE(ABORT, 'permacite: rows of opening never change'); END;
CREATE TRIGGER opening_no_delete BEFORE DELETE ON opening BEGIN SELECT RAISE(ABORT, 'permacite: rows of opening never change'); END;
CREATE TRIGGER opening_no_replace BEFORE INSERT ON opening WHEN EXISTS (SELECT 1 FROM opening WHERE sequence = NEW.sequence AND part = NEW.part) BEGIN SELECT RAISE(ABORT, 'permacite: rows of opening never change'); END;
CREATE TRIGGER person_no_update BEFORE UPDATE ON person BEGIN SELECT RAISE(ABORT, 'permacite: rows of person never change'); END;
CREATE TRIGGER person_no_delete BEFORE DELETE ON person BEGIN SELECT RAISE(ABORT, 'permacite: rows of person never change'); END;
CREATE TRIGGER person_no_replace BEFORE INSERT ON person WHEN EXISTS (SELECT 1 FROM person WHERE person_id = NEW.person_id) OR EXISTS (SELECT 1 FROM person WHERE name = NEW.name) BEGIN SELECT RAISE(ABORT, 'permacite: rows of person never change'); END;
CREATE TRIGGER erasure_no_update BEFORE UPDATE ON erasure BEGIN SELECT RAISE(ABORT, 'permacite: rows of erasure never change'); END;
CREATE TRIGGER erasure_no_delete BEFORE DELETE ON erasure BEGIN SELECT RAISE(ABORT, 'permacite: rows of erasure never change'); END;
CREATE TRIGGER erasure_no_replace BEFORE INSERT ON erasure WHEN EXISTS (SELECT 1 FROM erasure WHERE erasure_id = NEW.erasure_id) OR EXISTS (SELECT 1 FROM erasure WHERE sequence = NEW.sequence) BEGIN SELECT RAISE(ABORT, 'permacite: rows of erasure never change'); END;
CREATE TRIGGER standing_no_update BEFORE UPDATE ON standing BEGIN SELECT RAISE(ABORT, 'permacite: rows of standing never change'); END;
CREATE TRIGGER standing_no_delete BEFORE DELETE ON standing BEGIN SELECT RAISE(ABORT, 'permacite: rows of standing never change'); END;
CREATE TRIGGER standing_no_replace BEFORE INSERT ON standing WHEN EXISTS (SELECT 1 FROM standing WHERE standing_id = NEW.standing_id) BEGIN SELECT RAISE(ABORT, 'permacite: rows of standing never change'); END;

CREATE TRIGGER erasure_object_no_update BEFORE UPDATE ON erasure_object
BEGIN SELECT RAISE(ABORT, 'permacite: rows of erasure_object never change'); END;

CREATE TRIGGER remark_no_update BEFORE UPDATE ON remark
BEGIN SELECT RAISE(ABORT, 'permacite: rows of remark never change'); END;

CREATE TRIGGER remark_no_replace BEFORE INSERT ON remark
WHEN EXISTS (SELECT 1 FROM remark WHERE sequence = NEW.sequence)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of remark never change'); END;

CREATE TRIGGER version_erased BEFORE INSERT ON version
WHEN EXISTS (SELECT 1 FROM erasure
  WHERE document_id = NEW.document_id AND coalesce(version_id, entry) IS NULL)
BEGIN SELECT RAISE(ABORT, 'permacite: the document is erased'); END;

CREATE TRIGGER representation_erased BEFORE INSERT ON representation
WHEN EXISTS (SELECT 1 FROM erased_version WHERE version_id = NEW.version_id)
BEGIN SELECT RAISE(ABORT, 'permacite: the version is erased'); END;

CREATE TRIGGER citation_erased BEFORE INSERT ON citation
WHEN EXISTS (
  SELECT 1 FROM erased_representation WHERE representation_id = NEW.representation_id)
BEGIN SELECT RAISE(ABORT, 'permacite: what it cites is erased'); END;

DROP TRIGGER version_no_update;
CREATE TRIGGER version_no_update BEFORE UPDATE ON version WHEN NOT coalesce(
NEW.version_id = OLD.version_id AND NEW.document_id = OLD.document_id
  AND NEW.number = OLD.number AND NEW.committed_at = OLD.committed_at
  AND coalesce(NEW.title, NEW.uri, NEW.final_uri, NEW.retrieved_at) IS NULL
  AND NEW.details = '{}'
  AND EXISTS (SELECT 1 FROM erased_version WHERE version_id = OLD.version_id)
, 0)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of version never change'); END;
DROP TRIGGER representation_no_update;
CREATE TRIGGER representation_no_update BEFORE UPDATE ON representation WHEN NOT coalesce(
NEW.representation_id = OLD.representation_id AND NEW.version_id = OLD.version_id
  AND NEW.format = OLD.format AND NEW.media_type = OLD.media_type
  AND NEW.committed_at = OLD.committed_at
  AND NEW.size_bytes = 0 AND NEW.digest = 'sha-256:0000000000000000000000000000000000000000000000000000000000000000'
  AND coalesce(NEW.charset, NEW.canonical_digest, NEW.received_digest, NEW.derived_from,
    NEW.rendition) IS NULL
  AND EXISTS (
    SELECT 1 FROM erased_representation WHERE representation_id = OLD.representation_id)
, 0)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of representation never change'); END;
DROP TRIGGER idempotency_no_update;
CREATE TRIGGER idempotency_no_update BEFORE UPDATE ON idempotency WHEN NOT coalesce(
NEW.key = OLD.key AND NEW.version_id = OLD.version_id AND NEW.request = ''
  AND EXISTS (SELECT 1 FROM erased_representation WHERE version_id = OLD.version_id)
, 0)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of idempotency never change'); END;
DROP TRIGGER leaf_no_update;
CREATE TRIGGER leaf_no_update BEFORE UPDATE ON leaf WHEN NOT coalesce(
NEW.sequence = OLD.sequence AND NOT instr(OLD.content, '"schema":2')
  AND NEW.subject = substr(OLD.subject, 1, instr(OLD.subject || '#', '#') - 1) AND NEW.content GLOB '{"erased":true,*'
  AND instr(NEW.content, '"name":"' || NEW.subject || '"')
  AND EXISTS (SELECT 1 FROM erased_entry WHERE sequence = OLD.sequence AND part IS NULL)
, 0)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of leaf never change'); END;
DROP TRIGGER person_no_update;
CREATE TRIGGER person_no_update BEFORE UPDATE ON person WHEN NOT coalesce(NEW.person_id = OLD.person_id AND NEW.added_at = OLD.added_at AND NEW.name IS NULL, 0)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of person never change'); END;
DROP TRIGGER erasure_no_update;
CREATE TRIGGER erasure_no_update BEFORE UPDATE ON erasure WHEN NOT coalesce(
NEW.erasure_id = OLD.erasure_id AND NEW.sequence = OLD.sequence
  AND NEW.document_id = OLD.document_id AND NEW.version_id IS OLD.version_id
  AND NEW.representation_id IS OLD.representation_id AND NEW.entry IS OLD.entry
  AND NEW.ground = OLD.ground AND NEW.erased_at = OLD.erased_at
  AND OLD.done_at IS NULL AND NEW.done_at IS NOT NULL
, 0)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of erasure never change'); END;
DROP TRIGGER attachment_no_delete;
CREATE TRIGGER attachment_no_delete BEFORE DELETE ON attachment WHEN NOT coalesce(EXISTS (SELECT 1 FROM erased_representation AS r WHERE r.representation_id = OLD.representation_id), 0)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of attachment never change'); END;
DROP TRIGGER quotation_no_delete;
CREATE TRIGGER quotation_no_delete BEFORE DELETE ON quotation WHEN NOT coalesce(EXISTS (SELECT 1 FROM erased_representation AS r WHERE r.representation_id = OLD.representation_id), 0)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of quotation never change'); END;
DROP TRIGGER citation_no_delete;
CREATE TRIGGER citation_no_delete BEFORE DELETE ON citation WHEN NOT coalesce(EXISTS (SELECT 1 FROM erased_representation AS r WHERE r.representation_id = OLD.representation_id) OR EXISTS (SELECT 1 FROM erasure JOIN citation_leaf ON citation_leaf.sequence = entry
  WHERE citation_id = OLD.citation_id), 0)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of citation never change'); END;
DROP TRIGGER citation_leaf_no_delete;
CREATE TRIGGER citation_leaf_no_delete BEFORE DELETE ON citation_leaf WHEN NOT coalesce(EXISTS (SELECT 1 FROM erased_entry WHERE sequence = OLD.sequence), 0)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of citation_leaf never change'); END;
DROP TRIGGER assertion_no_delete;
CREATE TRIGGER assertion_no_delete BEFORE DELETE ON assertion WHEN NOT coalesce(EXISTS (SELECT 1 FROM erased_entry WHERE sequence = OLD.sequence), 0)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of assertion never change'); END;
DROP TRIGGER opening_no_delete;
CREATE TRIGGER opening_no_delete BEFORE DELETE ON opening WHEN NOT coalesce(
EXISTS (SELECT 1 FROM erased_entry
  WHERE sequence = OLD.sequence AND coalesce(part, OLD.part) = OLD.part)
, 0)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of opening never change'); END;
