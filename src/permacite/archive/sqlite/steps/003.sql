-- Staged objects: content that is committed and not yet a file.
CREATE TABLE unsettled (
  unsettled_id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE CHECK (length(digest) = 72),
  content BLOB NOT NULL
) STRICT;

CREATE TRIGGER unsettled_no_update BEFORE UPDATE ON unsettled
BEGIN SELECT RAISE(ABORT, 'permacite: rows of unsettled never change'); END;

CREATE TRIGGER unsettled_no_replace BEFORE INSERT ON unsettled
WHEN EXISTS (SELECT 1 FROM unsettled WHERE unsettled_id = NEW.unsettled_id)
  OR EXISTS (SELECT 1 FROM unsettled WHERE digest = NEW.digest)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of unsettled never change'); END;
