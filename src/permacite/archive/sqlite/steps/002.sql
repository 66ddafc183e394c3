-- Sealed days, entries of citations and delegations, time-stamps of checkpoints.
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

CREATE TRIGGER document_sealed BEFORE INSERT ON document
WHEN EXISTS (SELECT 1 FROM day WHERE series = NEW.series AND date >= NEW.date)
BEGIN SELECT RAISE(ABORT, 'permacite: the day is sealed'); END;

CREATE TRIGGER day_no_update BEFORE UPDATE ON day BEGIN SELECT RAISE(ABORT, 'permacite: rows of day never change'); END;
CREATE TRIGGER day_no_delete BEFORE DELETE ON day BEGIN SELECT RAISE(ABORT, 'permacite: rows of day never change'); END;
CREATE TRIGGER day_no_replace BEFORE INSERT ON day WHEN EXISTS (SELECT 1 FROM day WHERE series = NEW.series AND date = NEW.date) OR EXISTS (SELECT 1 FROM day WHERE sequence = NEW.sequence) BEGIN SELECT RAISE(ABORT, 'permacite: rows of day never change'); END;
CREATE TRIGGER citation_leaf_no_update BEFORE UPDATE ON citation_leaf BEGIN SELECT RAISE(ABORT, 'permacite: rows of citation_leaf never change'); END;
CREATE TRIGGER citation_leaf_no_delete BEFORE DELETE ON citation_leaf BEGIN SELECT RAISE(ABORT, 'permacite: rows of citation_leaf never change'); END;
CREATE TRIGGER citation_leaf_no_replace BEFORE INSERT ON citation_leaf WHEN EXISTS (SELECT 1 FROM citation_leaf WHERE citation_id = NEW.citation_id) OR EXISTS (SELECT 1 FROM citation_leaf WHERE sequence = NEW.sequence) BEGIN SELECT RAISE(ABORT, 'permacite: rows of citation_leaf never change'); END;
CREATE TRIGGER delegation_leaf_no_update BEFORE UPDATE ON delegation_leaf BEGIN SELECT RAISE(ABORT, 'permacite: rows of delegation_leaf never change'); END;
CREATE TRIGGER delegation_leaf_no_delete BEFORE DELETE ON delegation_leaf BEGIN SELECT RAISE(ABORT, 'permacite: rows of delegation_leaf never change'); END;
CREATE TRIGGER delegation_leaf_no_replace BEFORE INSERT ON delegation_leaf WHEN EXISTS (SELECT 1 FROM delegation_leaf WHERE delegation_id = NEW.delegation_id) OR EXISTS (SELECT 1 FROM delegation_leaf WHERE sequence = NEW.sequence) BEGIN SELECT RAISE(ABORT, 'permacite: rows of delegation_leaf never change'); END;
CREATE TRIGGER timestamp_no_update BEFORE UPDATE ON timestamp BEGIN SELECT RAISE(ABORT, 'permacite: rows of timestamp never change'); END;
CREATE TRIGGER timestamp_no_delete BEFORE DELETE ON timestamp BEGIN SELECT RAISE(ABORT, 'permacite: rows of timestamp never change'); END;
CREATE TRIGGER timestamp_no_replace BEFORE INSERT ON timestamp WHEN EXISTS (SELECT 1 FROM timestamp WHERE timestamp_id = NEW.timestamp_id) BEGIN SELECT RAISE(ABORT, 'permacite: rows of timestamp never change'); END;
