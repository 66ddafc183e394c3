-- Digests as 32 bytes, where they were texts of 72 characters. A text that is no digest (the row is
-- damaged) becomes the SHA-256 of that text, so that fsck reports it as before.
ALTER TABLE representation DROP CONSTRAINT IF EXISTS representation_digest_check, ALTER COLUMN digest TYPE BYTEA USING CASE WHEN digest ~ '^(sha-256:)?([0-9a-f]{2}){32}$'
  THEN decode(replace(digest, 'sha-256:', ''), 'hex')
  ELSE substr(sha256(convert_to(digest, 'UTF8')), 1, 32) END, ADD CONSTRAINT representation_digest_check CHECK (length(digest) = 32), DROP CONSTRAINT IF EXISTS representation_canonical_digest_check, ALTER COLUMN canonical_digest TYPE BYTEA USING CASE WHEN canonical_digest ~ '^(sha-256:)?([0-9a-f]{2}){32}$'
  THEN decode(replace(canonical_digest, 'sha-256:', ''), 'hex')
  ELSE substr(sha256(convert_to(canonical_digest, 'UTF8')), 1, 32) END, ADD CONSTRAINT representation_canonical_digest_check CHECK (length(canonical_digest) = 32), DROP CONSTRAINT IF EXISTS representation_received_digest_check, ALTER COLUMN received_digest TYPE BYTEA USING CASE WHEN received_digest ~ '^(sha-256:)?([0-9a-f]{2}){32}$'
  THEN decode(replace(received_digest, 'sha-256:', ''), 'hex')
  ELSE substr(sha256(convert_to(received_digest, 'UTF8')), 1, 32) END, ADD CONSTRAINT representation_received_digest_check CHECK (length(received_digest) = 32);
ALTER TABLE attachment DROP CONSTRAINT IF EXISTS attachment_digest_check, ALTER COLUMN digest TYPE BYTEA USING CASE WHEN digest ~ '^(sha-256:)?([0-9a-f]{2}){32}$'
  THEN decode(replace(digest, 'sha-256:', ''), 'hex')
  ELSE substr(sha256(convert_to(digest, 'UTF8')), 1, 32) END, ADD CONSTRAINT attachment_digest_check CHECK (length(digest) = 32);
ALTER TABLE unsettled DROP CONSTRAINT IF EXISTS unsettled_digest_check, ALTER COLUMN digest TYPE BYTEA USING CASE WHEN digest ~ '^(sha-256:)?([0-9a-f]{2}){32}$'
  THEN decode(replace(digest, 'sha-256:', ''), 'hex')
  ELSE substr(sha256(convert_to(digest, 'UTF8')), 1, 32) END, ADD CONSTRAINT unsettled_digest_check CHECK (length(digest) = 32);
ALTER TABLE erasure_object DROP CONSTRAINT IF EXISTS erasure_object_digest_check, ALTER COLUMN digest TYPE BYTEA USING CASE WHEN digest ~ '^(sha-256:)?([0-9a-f]{2}){32}$'
  THEN decode(replace(digest, 'sha-256:', ''), 'hex')
  ELSE substr(sha256(convert_to(digest, 'UTF8')), 1, 32) END, ADD CONSTRAINT erasure_object_digest_check CHECK (length(digest) = 32);
ALTER TABLE git_blob DROP CONSTRAINT IF EXISTS git_blob_digest_check, ALTER COLUMN digest TYPE BYTEA USING CASE WHEN digest ~ '^(sha-256:)?([0-9a-f]{2}){32}$'
  THEN decode(replace(digest, 'sha-256:', ''), 'hex')
  ELSE substr(sha256(convert_to(digest, 'UTF8')), 1, 32) END, ADD CONSTRAINT git_blob_digest_check CHECK (length(digest) = 32), DROP CONSTRAINT IF EXISTS git_blob_name_check, ALTER COLUMN name TYPE BYTEA USING CASE WHEN name ~ '^(sha-256:)?([0-9a-f]{2}){20}$'
  THEN decode(replace(name, 'sha-256:', ''), 'hex')
  ELSE substr(sha256(convert_to(name, 'UTF8')), 1, 20) END, ADD CONSTRAINT git_blob_name_check CHECK (length(name) = 20);
ALTER TABLE content_pieces DROP CONSTRAINT IF EXISTS content_pieces_digest_check, ALTER COLUMN digest TYPE BYTEA USING CASE WHEN digest ~ '^(sha-256:)?([0-9a-f]{2}){32}$'
  THEN decode(replace(digest, 'sha-256:', ''), 'hex')
  ELSE substr(sha256(convert_to(digest, 'UTF8')), 1, 32) END, ADD CONSTRAINT content_pieces_digest_check CHECK (length(digest) = 32);
ALTER TABLE packed DROP CONSTRAINT IF EXISTS packed_digest_check, ALTER COLUMN digest TYPE BYTEA USING CASE WHEN digest ~ '^(sha-256:)?([0-9a-f]{2}){32}$'
  THEN decode(replace(digest, 'sha-256:', ''), 'hex')
  ELSE substr(sha256(convert_to(digest, 'UTF8')), 1, 32) END, ADD CONSTRAINT packed_digest_check CHECK (length(digest) = 32), DROP CONSTRAINT IF EXISTS packed_pack_check, ALTER COLUMN pack TYPE BYTEA USING CASE WHEN pack ~ '^(sha-256:)?([0-9a-f]{2}){32}$'
  THEN decode(replace(pack, 'sha-256:', ''), 'hex')
  ELSE substr(sha256(convert_to(pack, 'UTF8')), 1, 32) END, ADD CONSTRAINT packed_pack_check CHECK (length(pack) = 32);
ALTER TABLE emptied_pack DROP CONSTRAINT IF EXISTS emptied_pack_pack_check, ALTER COLUMN pack TYPE BYTEA USING CASE WHEN pack ~ '^(sha-256:)?([0-9a-f]{2}){32}$'
  THEN decode(replace(pack, 'sha-256:', ''), 'hex')
  ELSE substr(sha256(convert_to(pack, 'UTF8')), 1, 32) END, ADD CONSTRAINT emptied_pack_pack_check CHECK (length(pack) = 32);

CREATE OR REPLACE FUNCTION representation_no_update() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
IF coalesce((
NEW.representation_id = OLD.representation_id AND NEW.version_id = OLD.version_id
  AND NEW.format = OLD.format AND NEW.media_type = OLD.media_type
  AND NEW.committed_at = OLD.committed_at
  AND NEW.size_bytes = 0 AND NEW.digest = '\x0000000000000000000000000000000000000000000000000000000000000000'
  AND coalesce(NEW.charset, NEW.derived_from, NEW.rendition) IS NULL
  AND coalesce(NEW.canonical_digest, NEW.received_digest) IS NULL
  AND EXISTS (
    SELECT 1 FROM erased_representation WHERE representation_id = OLD.representation_id)
), false) THEN RETURN NEW; END IF;
RAISE integrity_constraint_violation
USING MESSAGE = 'permacite: rows of representation never change';
END
$$;
