-- Watched pages, and news of cited passages.
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
