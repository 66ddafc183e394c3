-- Results of the last check of live pages and of cited passages.
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
