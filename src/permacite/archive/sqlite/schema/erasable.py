"""The fourth step: what entries of the log commit to, and what may be erased, and when.

Rows of the tables of before stay immutable, but for one case: where a row of `erasure` covers them,
they can be deleted, or scrubbed to exactly the form that is written here. Nothing else passes the
triggers. docs/decisions/0021-leaves-of-commitments.md tells what erasing does in which order.
"""

# ruff: noqa: S608 - all of it is our own
from __future__ import annotations

from permacite.archive.records.rows import ERASED_DIGEST
from permacite.archive.sqlite.schema.steps import immutable

__all__ = ["ERASABLE", "ERASED_DIGEST", "OF_FORMAT", "SCRUBBED_FORMAT"]

_TABLES = """
CREATE TABLE opening (
  sequence INTEGER NOT NULL REFERENCES leaf,
  part TEXT NOT NULL CHECK (part <> ''),
  content TEXT NOT NULL,
  PRIMARY KEY (sequence, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE person (
  person_id TEXT PRIMARY KEY CHECK (person_id LIKE 'person:%'),
  name TEXT UNIQUE,
  added_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE erasure (
  erasure_id INTEGER PRIMARY KEY,
  sequence INTEGER NOT NULL UNIQUE REFERENCES leaf,
  document_id INTEGER NOT NULL REFERENCES document,
  version_id INTEGER REFERENCES version,
  representation_id INTEGER REFERENCES representation,
  entry INTEGER REFERENCES leaf,
  ground TEXT NOT NULL CHECK (ground <> ''),
  erased_at TEXT NOT NULL,
  done_at TEXT,
  CHECK (representation_id IS NULL OR version_id IS NOT NULL)
) STRICT;
CREATE INDEX erasure_document ON erasure (document_id);

CREATE TABLE erasure_object (
  erasure_id INTEGER NOT NULL REFERENCES erasure,
  digest TEXT NOT NULL CHECK (length(digest) = 72),
  PRIMARY KEY (erasure_id, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE remark (
  sequence INTEGER PRIMARY KEY REFERENCES leaf,
  content TEXT NOT NULL
) STRICT;

CREATE TABLE standing (
  standing_id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL REFERENCES document,
  access TEXT NOT NULL CHECK (access IN ('public', 'closed', 'embargo')),
  embargo_until TEXT CHECK ((embargo_until IS NULL) = (access <> 'embargo')),
  ground TEXT NOT NULL
    CHECK (ground IN ('deposit', 'licence', 'consent', 'quotation', 'unknown')),
  retain_until TEXT,
  set_at TEXT NOT NULL
) STRICT;
CREATE INDEX standing_document ON standing (document_id);
"""

_NAME = "'urn:pdi://' || d.series || '/' || replace(d.date, '-', '/') || '/' || d.unique_id"

_PATH = "substr(l.subject, 11)"
_SERIES = f"substr({_PATH}, 1, instr({_PATH}, '/') - 1)"
_BEHIND = f"substr({_PATH}, instr({_PATH}, '/') + 1)"
_DATE = f"replace(substr({_BEHIND}, 1, 10), '/', '-')"
_REST = f"substr({_BEHIND}, 12)"
_UNIQUE_ID = (
    f"substr({_REST}, 1,"
    f" min(instr({_REST} || '.', '.'), instr({_REST} || '#', '#'), instr({_REST} || '@', '@')) - 1)"
)
"""The document that the subject of a leaf begins with: found by its index, not by comparing all."""
_LAST = """',"version":' || v.number || '}'"""

_VIEWS = f"""
CREATE VIEW erased_representation AS
SELECT r.representation_id, r.version_id, e.erasure_id
FROM erasure AS e
JOIN version AS v ON v.document_id = e.document_id
  AND v.version_id = coalesce(e.version_id, v.version_id)
JOIN representation AS r ON r.version_id = v.version_id
  AND r.representation_id = coalesce(e.representation_id, r.representation_id)
WHERE e.entry IS NULL;

CREATE VIEW erased_version AS
SELECT v.version_id, e.erasure_id
FROM erasure AS e
JOIN version AS v ON v.document_id = e.document_id
  AND v.version_id = coalesce(e.version_id, v.version_id)
WHERE e.entry IS NULL AND e.representation_id IS NULL;

CREATE VIEW erased_entry AS
SELECT l.sequence, e.erasure_id,
  CASE WHEN instr(l.content, '"kind":"version"') THEN 'format.' || r.format END AS part
FROM leaf AS l
JOIN document AS d ON d.series = {_SERIES} AND d.date = {_DATE} AND d.unique_id = {_UNIQUE_ID}
JOIN erasure AS e ON e.document_id = d.document_id
LEFT JOIN version AS v ON v.version_id = e.version_id
LEFT JOIN representation AS r ON r.representation_id = e.representation_id
WHERE l.sequence = coalesce(e.entry, l.sequence) AND l.sequence < e.sequence
  AND NOT instr(l.content, '"kind":"erasure"')
  AND CASE WHEN l.subject = {_NAME} THEN
    (v.number IS NULL OR substr(l.content, -length({_LAST})) = {_LAST})
    AND (r.format IS NULL OR instr(l.content, '"kind":"version"')
      OR instr(l.content, '"format":"' || r.format || '"')
      OR instr(l.content, '"formats":["' || r.format || '"')
      OR instr(l.content, '"format.' || r.format || '"'))
  ELSE l.subject || '#' GLOB
    {_NAME} || coalesce('.' || coalesce(r.format, '*') || '.' || v.number, '') || '[.#@]*'
  END;
"""
"""Which rows an erasure covers: formats, versions, and entries (all of one where `part` is NULL).

An entry of the first schema about a part of a document has that part in its subject. Entries are
searched as texts, for SQLite lets no schema read JSON that may be another's: in canonical JSON a
quotation mark within a text is escaped, and `version` is the last member wherever there is one.
"""

_ERASED_SUBJECT = "substr(OLD.subject, 1, instr(OLD.subject || '#', '#') - 1)"

SCRUBBED_FORMAT = """
NEW.representation_id = OLD.representation_id AND NEW.version_id = OLD.version_id
  AND NEW.format = OLD.format AND NEW.media_type = OLD.media_type
  AND NEW.committed_at = OLD.committed_at
  AND NEW.size_bytes = 0 AND NEW.digest = {digest}
  AND coalesce(NEW.charset, NEW.canonical_digest, NEW.received_digest, NEW.derived_from,
    NEW.rendition) IS NULL
  AND EXISTS (
    SELECT 1 FROM erased_representation WHERE representation_id = OLD.representation_id)
"""
"""The one change that a row of representation allows, to this digest."""

_SCRUBBED = {
    "version": """
NEW.version_id = OLD.version_id AND NEW.document_id = OLD.document_id
  AND NEW.number = OLD.number AND NEW.committed_at = OLD.committed_at
  AND coalesce(NEW.title, NEW.uri, NEW.final_uri, NEW.retrieved_at) IS NULL
  AND NEW.details = '{}'
  AND EXISTS (SELECT 1 FROM erased_version WHERE version_id = OLD.version_id)
""",
    "representation": SCRUBBED_FORMAT.format(digest=f"'{ERASED_DIGEST}'"),
    "idempotency": """
NEW.key = OLD.key AND NEW.version_id = OLD.version_id AND NEW.request = ''
  AND EXISTS (SELECT 1 FROM erased_representation WHERE version_id = OLD.version_id)
""",
    "leaf": f"""
NEW.sequence = OLD.sequence AND NOT instr(OLD.content, '"schema":2')
  AND NEW.subject = {_ERASED_SUBJECT} AND NEW.content GLOB '{{"erased":true,*'
  AND instr(NEW.content, '"name":"' || NEW.subject || '"')
  AND EXISTS (SELECT 1 FROM erased_entry WHERE sequence = OLD.sequence AND part IS NULL)
""",
    "person": "NEW.person_id = OLD.person_id AND NEW.added_at = OLD.added_at AND NEW.name IS NULL",
    "erasure": """
NEW.erasure_id = OLD.erasure_id AND NEW.sequence = OLD.sequence
  AND NEW.document_id = OLD.document_id AND NEW.version_id IS OLD.version_id
  AND NEW.representation_id IS OLD.representation_id AND NEW.entry IS OLD.entry
  AND NEW.ground = OLD.ground AND NEW.erased_at = OLD.erased_at
  AND OLD.done_at IS NULL AND NEW.done_at IS NOT NULL
""",
}
"""The one change that each of these tables allows, in the words of its trigger."""

OF_FORMAT = "EXISTS (SELECT 1 FROM erased_representation AS r WHERE r.representation_id = OLD.{})"

_DELETED = {
    "attachment": OF_FORMAT.format("representation_id"),
    "quotation": OF_FORMAT.format("representation_id"),
    "citation": OF_FORMAT.format("representation_id")
    + """ OR EXISTS (SELECT 1 FROM erasure JOIN citation_leaf ON citation_leaf.sequence = entry
  WHERE citation_id = OLD.citation_id)""",
    "citation_leaf": "EXISTS (SELECT 1 FROM erased_entry WHERE sequence = OLD.sequence)",
    "assertion": "EXISTS (SELECT 1 FROM erased_entry WHERE sequence = OLD.sequence)",
    "opening": """
EXISTS (SELECT 1 FROM erased_entry
  WHERE sequence = OLD.sequence AND coalesce(part, OLD.part) = OLD.part)
""",
}
"""When a row of each of these tables may be deleted."""

_NEW_KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "opening": (("sequence", "part"),),
    "person": (("person_id",), ("name",)),
    "erasure": (("erasure_id",), ("sequence",)),
    "standing": (("standing_id",),),
}

_RULES = """
CREATE TRIGGER erasure_object_no_update BEFORE UPDATE ON erasure_object
BEGIN SELECT RAISE(ABORT, 'permacite: rows of erasure_object never change'); END;

CREATE TRIGGER remark_no_update BEFORE UPDATE ON remark
BEGIN SELECT RAISE(ABORT, 'permacite: rows of remark never change'); END;

CREATE TRIGGER remark_no_replace BEFORE INSERT ON remark
WHEN EXISTS (SELECT 1 FROM remark WHERE sequence = NEW.sequence)
BEGIN SELECT RAISE(ABORT, 'permacite: rows of remark never change'); END;

CREATE TRIGGER version_erased BEFORE INSERT ON version
WHEN EXISTS (SELECT 1 FROM erasure
  WHERE document_id = NEW.document_id AND coalesce(version_id, entry) IS NULL)
BEGIN SELECT RAISE(ABORT, 'permacite: the document is erased'); END;

CREATE TRIGGER representation_erased BEFORE INSERT ON representation
WHEN EXISTS (SELECT 1 FROM erased_version WHERE version_id = NEW.version_id)
BEGIN SELECT RAISE(ABORT, 'permacite: the version is erased'); END;

CREATE TRIGGER citation_erased BEFORE INSERT ON citation
WHEN EXISTS (
  SELECT 1 FROM erased_representation WHERE representation_id = NEW.representation_id)
BEGIN SELECT RAISE(ABORT, 'permacite: what it cites is erased'); END;
"""
"""What is done with may go: digests of octets that are destroyed, private words at any time."""


def _only(table: str, event: str, condition: str) -> str:
    """Statements that put a trigger that heeds `condition` in the place of one that refuses all."""
    name = f"{table}_no_{event.lower()}"
    return (
        f"DROP TRIGGER {name};\n"
        f"CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN NOT coalesce({condition}, 0)\n"
        f"BEGIN SELECT RAISE(ABORT, 'permacite: rows of {table} never change'); END;"
    )


ERASABLE = "\n".join(
    [
        _TABLES,
        _VIEWS,
        *(immutable(table, keys) for table, keys in _NEW_KEYS.items()),
        _RULES,
        *(_only(table, "UPDATE", condition) for table, condition in _SCRUBBED.items()),
        *(_only(table, "DELETE", condition) for table, condition in _DELETED.items()),
    ]
)
