-- Tags, collections and notes.
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
