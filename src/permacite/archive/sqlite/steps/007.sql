-- Git blob names of texts. Rows from before this step get theirs when one is asked for.
CREATE TABLE git_blob (
  digest TEXT PRIMARY KEY CHECK (length(digest) = 72),
  name TEXT CHECK (length(name) = 40)
) STRICT, WITHOUT ROWID;
CREATE INDEX git_blob_name ON git_blob (name);

INSERT INTO git_blob (digest)
SELECT DISTINCT digest FROM representation
WHERE derived_from IS NULL AND charset IS NOT NULL AND size_bytes <= 4194304;
