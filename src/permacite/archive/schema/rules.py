"""Rules of what may be inserted, in the words of both engines."""

from __future__ import annotations

from permacite.archive.schema.declaration import InsertRule

__all__ = [
    "BUILDING_CLOSED",
    "CITATION_ERASED",
    "DOCUMENT_DATE",
    "DOCUMENT_SEALED",
    "LEAF_NEXT",
    "REPRESENTATION_ERASED",
    "VERSION_ERASED",
    "VERSION_NEXT",
]

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
