-- Index of pages by site.
CREATE INDEX version_site ON version (lower(substr(substr(uri, instr(uri, '://') + 3), 1, min(instr(substr(uri, instr(uri, '://') + 3) || '/', '/'), instr(substr(uri, instr(uri, '://') + 3) || '?', '?'), instr(substr(uri, instr(uri, '://') + 3) || '#', '#')) - 1)), uri, version_id DESC)
WHERE instr(uri, '://') > 0;
