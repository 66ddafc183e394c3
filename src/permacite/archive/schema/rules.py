"""Rules of rows in both engines: what may be inserted, and what an erasure may change.

Rows stay immutable but for one case: where a row of `erasure` covers them, they can be deleted, or
emptied to exactly the form that is written here. Nothing else passes the triggers.
docs/decisions/0021-leaves-of-commitments.md tells what erasing does in which order.
"""

from __future__ import annotations

from permacite.archive.schema.declaration import InsertRule, View, Wording

__all__ = [
    "BUILDING_CLOSED",
    "CITATION_ERASED",
    "DOCUMENT_DATE",
    "DOCUMENT_SEALED",
    "EMPTIED_ENTRY",
    "EMPTIED_FORMAT",
    "EMPTIED_REQUEST",
    "EMPTIED_VERSION",
    "ERASED_CITATION",
    "ERASED_ENTRY",
    "ERASED_FORMAT",
    "ERASED_OPENING",
    "FINISHED_ERASURE",
    "FORGOTTEN_PERSON",
    "LEAF_NEXT",
    "REPRESENTATION_ERASED",
    "VERSION_ERASED",
    "VERSION_NEXT",
    "VIEWS",
]

_NO_DIGEST = "0" * 64
"""Replaces the digest of erased bytes: that of a short text could be guessed from."""

_NAME = "'urn:pdi://' || d.series || '/' || replace(d.date, '-', '/') || '/' || d.unique_id"
_PATH = "substr(l.subject, 11)"
_REFORMATTED_DATE = "replace(substr({}, 1, 10), '/', '-')"

_AFTER_SERIES = f"substr({_PATH}, instr({_PATH}, '/') + 1)"
_REST = f"substr({_AFTER_SERIES}, 12)"
_SERIES = f"substr({_PATH}, 1, instr({_PATH}, '/') - 1)"
_UNIQUE_ID = (
    f"substr({_REST}, 1,"
    f" min(instr({_REST} || '.', '.'), instr({_REST} || '#', '#'), instr({_REST} || '@', '@')) - 1)"
)
"""The document that the subject of a leaf begins with: found by its index, not by comparing all."""
_LAST = """',"version":' || v.number || '}'"""

_AFTER_SERIES_PG = f"substr({_PATH}, strpos({_PATH}, '/') + 1)"
_LAST_PG = f"({_LAST})"

_ERASED_REPRESENTATION = """
SELECT r.representation_id, r.version_id, e.erasure_id
FROM erasure AS e
JOIN version AS v ON v.document_id = e.document_id
  AND v.version_id = coalesce(e.version_id, v.version_id)
JOIN representation AS r ON r.version_id = v.version_id
  AND r.representation_id = coalesce(e.representation_id, r.representation_id)
WHERE e.entry IS NULL"""

_ERASED_VERSION = """
SELECT v.version_id, e.erasure_id
FROM erasure AS e
JOIN version AS v ON v.document_id = e.document_id
  AND v.version_id = coalesce(e.version_id, v.version_id)
WHERE e.entry IS NULL AND e.representation_id IS NULL"""

_ERASED_ENTRY = Wording(
    sqlite=f"""
SELECT l.sequence, e.erasure_id,
  CASE WHEN instr(l.content, '"kind":"version"') THEN 'format.' || r.format END AS part
FROM leaf AS l
JOIN document AS d ON d.series = {_SERIES} AND d.date = {_REFORMATTED_DATE.format(_AFTER_SERIES)} \
AND d.unique_id = {_UNIQUE_ID}
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
  END""",
    postgresql=rf"""
SELECT l.sequence, e.erasure_id,
  CASE WHEN strpos(l.content, '"kind":"version"') > 0 THEN 'format.' || r.format END AS part
FROM leaf AS l
JOIN document AS d ON d.series = split_part({_PATH}, '/', 1)
  AND d.date = {_REFORMATTED_DATE.format(_AFTER_SERIES_PG)}
  AND d.unique_id = substring(substr({_AFTER_SERIES_PG}, 12) FROM '^[^.#@]*')
JOIN erasure AS e ON e.document_id = d.document_id
LEFT JOIN version AS v ON v.version_id = e.version_id
LEFT JOIN representation AS r ON r.representation_id = e.representation_id
WHERE l.sequence = coalesce(e.entry, l.sequence) AND l.sequence < e.sequence
  AND strpos(l.content, '"kind":"erasure"') = 0
  AND CASE WHEN l.subject = {_NAME} THEN
    (v.number IS NULL OR right(l.content, length({_LAST_PG})) = {_LAST_PG})
    AND (r.format IS NULL OR strpos(l.content, '"kind":"version"') > 0
      OR strpos(l.content, '"format":"' || r.format || '"') > 0
      OR strpos(l.content, '"formats":["' || r.format || '"') > 0
      OR strpos(l.content, '"format.' || r.format || '"') > 0)
  ELSE starts_with(l.subject, {_NAME}) AND substr(l.subject || '#', length({_NAME}) + 1) ~ (
    '^' || coalesce('[.]' || coalesce(regexp_replace(r.format, '([^a-zA-Z0-9])', '\\\1', 'g'),
      '.*') || '[.]' || v.number, '') || '[.#@]')
  END""",
)

VIEWS = (
    View("erased_representation", _ERASED_REPRESENTATION, _ERASED_REPRESENTATION),
    View("erased_version", _ERASED_VERSION, _ERASED_VERSION),
    View("erased_entry", _ERASED_ENTRY.sqlite, _ERASED_ENTRY.postgresql),
)
"""Rows that an erasure covers: formats, versions, and entries (all of one where `part` is NULL).

An entry of the first schema about a part of a document has that part in its subject. Entries are
searched as texts, for SQLite lets no schema read JSON that may be another's: in canonical JSON a
quotation mark within a text is escaped, and `version` is the last member wherever there is one.
"""

EMPTIED_VERSION = """
NEW.version_id = OLD.version_id AND NEW.document_id = OLD.document_id
  AND NEW.number = OLD.number AND NEW.committed_at = OLD.committed_at
  AND coalesce(NEW.title, NEW.uri, NEW.final_uri, NEW.retrieved_at) IS NULL
  AND NEW.details = '{}'
  AND EXISTS (SELECT 1 FROM erased_version WHERE version_id = OLD.version_id)
"""

_SAME_FORMAT = """
NEW.representation_id = OLD.representation_id AND NEW.version_id = OLD.version_id
  AND NEW.format = OLD.format AND NEW.media_type = OLD.media_type
  AND NEW.committed_at = OLD.committed_at
"""
_IS_ERASED_FORMAT = """
  AND EXISTS (
    SELECT 1 FROM erased_representation WHERE representation_id = OLD.representation_id)
"""
EMPTIED_FORMAT = Wording(
    sqlite=f"""{_SAME_FORMAT}\
  AND NEW.size_bytes = 0 AND NEW.digest = x'{_NO_DIGEST}'
  AND coalesce(NEW.charset, NEW.canonical_digest, NEW.received_digest, NEW.derived_from,
    NEW.rendition) IS NULL{_IS_ERASED_FORMAT}""",
    postgresql=f"""{_SAME_FORMAT}\
  AND NEW.size_bytes = 0 AND NEW.digest = '\\x{_NO_DIGEST}'
  AND coalesce(NEW.charset, NEW.derived_from, NEW.rendition) IS NULL
  AND coalesce(NEW.canonical_digest, NEW.received_digest) IS NULL{_IS_ERASED_FORMAT}""",
)

EMPTIED_REQUEST = """
NEW.key = OLD.key AND NEW.version_id = OLD.version_id AND NEW.request = ''
  AND EXISTS (SELECT 1 FROM erased_representation WHERE version_id = OLD.version_id)
"""

EMPTIED_ENTRY = Wording(
    sqlite="""
NEW.sequence = OLD.sequence AND NOT instr(OLD.content, '"schema":2')
  AND NEW.subject = substr(OLD.subject, 1, instr(OLD.subject || '#', '#') - 1) \
AND NEW.content GLOB '{"erased":true,*'
  AND instr(NEW.content, '"name":"' || NEW.subject || '"')
  AND EXISTS (SELECT 1 FROM erased_entry WHERE sequence = OLD.sequence AND part IS NULL)
""",
    postgresql="""
NEW.sequence = OLD.sequence AND strpos(OLD.content, '"schema":2') = 0
  AND NEW.subject = split_part(OLD.subject, '#', 1) \
AND starts_with(NEW.content, '{"erased":true,')
  AND strpos(NEW.content, '"name":"' || NEW.subject || '"') > 0
  AND EXISTS (SELECT 1 FROM erased_entry WHERE sequence = OLD.sequence AND part IS NULL)
""",
)

FORGOTTEN_PERSON = (
    "NEW.person_id = OLD.person_id AND NEW.added_at = OLD.added_at AND NEW.name IS NULL"
)

FINISHED_ERASURE = Wording(
    sqlite="""
NEW.erasure_id = OLD.erasure_id AND NEW.sequence = OLD.sequence
  AND NEW.document_id = OLD.document_id AND NEW.version_id IS OLD.version_id
  AND NEW.representation_id IS OLD.representation_id AND NEW.entry IS OLD.entry
  AND NEW.ground = OLD.ground AND NEW.erased_at = OLD.erased_at
  AND OLD.done_at IS NULL AND NEW.done_at IS NOT NULL
""",
    postgresql="""
NEW.erasure_id = OLD.erasure_id AND NEW.sequence = OLD.sequence
  AND NEW.document_id = OLD.document_id AND NEW.version_id IS NOT DISTINCT FROM OLD.version_id
  AND NEW.representation_id IS NOT DISTINCT FROM OLD.representation_id
  AND NEW.entry IS NOT DISTINCT FROM OLD.entry
  AND NEW.ground = OLD.ground AND NEW.erased_at = OLD.erased_at
  AND OLD.done_at IS NULL AND NEW.done_at IS NOT NULL
""",
)

ERASED_FORMAT = (
    "EXISTS (SELECT 1 FROM erased_representation AS r"
    " WHERE r.representation_id = OLD.representation_id)"
)
ERASED_CITATION = (
    f"{ERASED_FORMAT} OR EXISTS (SELECT 1 FROM erasure JOIN citation_leaf"
    " ON citation_leaf.sequence = entry\n  WHERE citation_id = OLD.citation_id)"
)
ERASED_ENTRY = "EXISTS (SELECT 1 FROM erased_entry WHERE sequence = OLD.sequence)"
ERASED_OPENING = """
EXISTS (SELECT 1 FROM erased_entry
  WHERE sequence = OLD.sequence AND coalesce(part, OLD.part) = OLD.part)
"""
DOCUMENT_DATE = InsertRule(
    "document_date",
    "a date earlier than the last one of the series",
    sqlite="NEW.date < (SELECT max(date) FROM document WHERE series = NEW.series)",
    postgresql="""added AS n
  WHERE n.date < (SELECT max(d.date) FROM document AS d WHERE d.series = n.series)""",
    is_checked_last=True,
)
DOCUMENT_SEALED = InsertRule(
    "document_sealed",
    "the day is sealed",
    sqlite="EXISTS (SELECT 1 FROM day WHERE series = NEW.series AND date >= NEW.date)",
    postgresql="added AS n JOIN day AS s ON s.series = n.series AND s.date >= n.date",
)
VERSION_NEXT = InsertRule(
    "version_next",
    "versions follow one another without a gap",
    sqlite="""NEW.number <> 1 + coalesce(
  (SELECT max(number) FROM version WHERE document_id = NEW.document_id), 0)""",
    postgresql="""added AS n WHERE n.number > 1 AND NOT EXISTS (SELECT 1 FROM version AS v
  WHERE v.document_id = n.document_id AND v.number = n.number - 1)""",
    is_checked_last=True,
)
VERSION_ERASED = InsertRule(
    "version_erased",
    "the document is erased",
    sqlite="""EXISTS (SELECT 1 FROM erasure
  WHERE document_id = NEW.document_id AND coalesce(version_id, entry) IS NULL)""",
    postgresql="""added AS n JOIN erasure AS e USING (document_id)
  WHERE coalesce(e.version_id, e.entry) IS NULL""",
)
REPRESENTATION_ERASED = InsertRule(
    "representation_erased",
    "the version is erased",
    sqlite="EXISTS (SELECT 1 FROM erased_version WHERE version_id = NEW.version_id)",
    postgresql="added AS n JOIN erased_version AS e USING (version_id)",
)
CITATION_ERASED = InsertRule(
    "citation_erased",
    "what it cites is erased",
    sqlite="""EXISTS (
  SELECT 1 FROM erased_representation WHERE representation_id = NEW.representation_id)""",
    postgresql="added AS n JOIN erased_representation AS e USING (representation_id)",
)
LEAF_NEXT = InsertRule(
    "leaf_next",
    "leaves follow one another without a gap",
    sqlite="NEW.sequence <> 1 + coalesce((SELECT max(sequence) FROM leaf), -1)",
    postgresql="""added AS n WHERE n.sequence > 0 AND NOT EXISTS
  (SELECT 1 FROM leaf AS l WHERE l.sequence = n.sequence - 1)""",
    is_checked_last=True,
)
BUILDING_CLOSED = InsertRule(
    "building_closed",
    "what is open in the building is closed elsewhere",
    sqlite="""NOT EXISTS (
  SELECT 1 FROM standing WHERE standing_id = NEW.standing_id AND access = 'closed')""",
    postgresql="""added AS n WHERE NOT EXISTS
  (SELECT 1 FROM standing AS s WHERE s.standing_id = n.standing_id AND s.access = 'closed')""",
    is_checked_last=True,
)
