-- Piece digests of contents that were committed without them.
CREATE TABLE content_pieces (
  digest TEXT PRIMARY KEY CHECK (length(digest) = 72),
  pieces BLOB NOT NULL
) STRICT;
