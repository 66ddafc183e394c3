-- Packs of small objects, and leases.
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
