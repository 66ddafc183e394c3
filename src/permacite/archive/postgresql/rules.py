"""The rules of an archive in PostgreSQL: what may never be inserted, changed or deleted.

Triggers hold whoever writes, the owner too. Where somebody else writes, by a role of its own, that
may only select and insert, but where `grants` says so: PostgreSQL refuses the rest by itself.
"""

# ruff: noqa: S608 - all of it is our own
from __future__ import annotations

import re

from permacite.archive.records.rows import ERASED_DIGEST, ERASED_OCTETS

__all__ = ["RULES", "RULE_OF_OCTETS", "functions", "grants", "triggers"]

_NEVER_INSERTED: dict[str, tuple[str, str, str]] = {
    "document_date": (
        "document",
        """added AS n
  WHERE n.date < (SELECT max(d.date) FROM document AS d WHERE d.series = n.series)""",
        "a date earlier than the last one of the series",
    ),
    "document_sealed": (
        "document",
        "added AS n JOIN day AS s ON s.series = n.series AND s.date >= n.date",
        "the day is sealed",
    ),
    "version_next": (
        "version",
        """added AS n WHERE n.number > 1 AND NOT EXISTS (SELECT 1 FROM version AS v
  WHERE v.document_id = n.document_id AND v.number = n.number - 1)""",
        "versions follow one another without a gap",
    ),
    "version_erased": (
        "version",
        """added AS n JOIN erasure AS e USING (document_id)
  WHERE coalesce(e.version_id, e.entry) IS NULL""",
        "the document is erased",
    ),
    "representation_erased": (
        "representation",
        "added AS n JOIN erased_version AS e USING (version_id)",
        "the version is erased",
    ),
    "citation_erased": (
        "citation",
        "added AS n JOIN erased_representation AS e USING (representation_id)",
        "what it cites is erased",
    ),
    "building_closed": (
        "building",
        """added AS n WHERE NOT EXISTS
  (SELECT 1 FROM standing AS s WHERE s.standing_id = n.standing_id AND s.access = 'closed')""",
        "what is open in the building is closed elsewhere",
    ),
    "leaf_next": (
        "leaf",
        """added AS n WHERE n.sequence > 0 AND NOT EXISTS
  (SELECT 1 FROM leaf AS l WHERE l.sequence = n.sequence - 1)""",
        "leaves follow one another without a gap",
    ),
}
"""Rules of what may be inserted, each by its name: table, rows that break it, what is then said."""

_ERASED_SUBJECT = "split_part(OLD.subject, '#', 1)"

_SCRUBBED = {
    "version": """
NEW.version_id = OLD.version_id AND NEW.document_id = OLD.document_id
  AND NEW.number = OLD.number AND NEW.committed_at = OLD.committed_at
  AND coalesce(NEW.title, NEW.uri, NEW.final_uri, NEW.retrieved_at) IS NULL
  AND NEW.details = '{}'
  AND EXISTS (SELECT 1 FROM erased_version WHERE version_id = OLD.version_id)
""",
    "representation": """
NEW.representation_id = OLD.representation_id AND NEW.version_id = OLD.version_id
  AND NEW.format = OLD.format AND NEW.media_type = OLD.media_type
  AND NEW.committed_at = OLD.committed_at
  AND NEW.size_bytes = 0 AND NEW.digest = '{digest}'
  AND coalesce(NEW.charset, NEW.derived_from, NEW.rendition) IS NULL
  AND coalesce(NEW.canonical_digest, NEW.received_digest) IS NULL
  AND EXISTS (
    SELECT 1 FROM erased_representation WHERE representation_id = OLD.representation_id)
""".replace("{digest}", ERASED_DIGEST),
    "idempotency": """
NEW.key = OLD.key AND NEW.version_id = OLD.version_id AND NEW.request = ''
  AND EXISTS (SELECT 1 FROM erased_representation WHERE version_id = OLD.version_id)
""",
    "leaf": f"""
NEW.sequence = OLD.sequence AND strpos(OLD.content, '"schema":2') = 0
  AND NEW.subject = {_ERASED_SUBJECT} AND starts_with(NEW.content, '{{"erased":true,')
  AND strpos(NEW.content, '"name":"' || NEW.subject || '"') > 0
  AND EXISTS (SELECT 1 FROM erased_entry WHERE sequence = OLD.sequence AND part IS NULL)
""",
    "person": "NEW.person_id = OLD.person_id AND NEW.added_at = OLD.added_at AND NEW.name IS NULL",
    "erasure": """
NEW.erasure_id = OLD.erasure_id AND NEW.sequence = OLD.sequence
  AND NEW.document_id = OLD.document_id AND NEW.version_id IS NOT DISTINCT FROM OLD.version_id
  AND NEW.representation_id IS NOT DISTINCT FROM OLD.representation_id
  AND NEW.entry IS NOT DISTINCT FROM OLD.entry
  AND NEW.ground = OLD.ground AND NEW.erased_at = OLD.erased_at
  AND OLD.done_at IS NULL AND NEW.done_at IS NOT NULL
""",
}
"""The one change that each of these tables allows."""

_OF_FORMAT = "EXISTS (SELECT 1 FROM erased_representation AS r WHERE r.representation_id = OLD.{})"
_DELETED = {
    "attachment": _OF_FORMAT.format("representation_id"),
    "quotation": _OF_FORMAT.format("representation_id"),
    "citation": _OF_FORMAT.format("representation_id")
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

_LASTING = (
    "series", "document", "version", "representation", "attachment", "idempotency", "citation",
    "leaf", "log_node", "checkpoint", "assertion", "delegation", "quotation", "day",
    "citation_leaf", "delegation_leaf", "timestamp", "opening", "person", "erasure", "standing",
    "building",
)  # fmt: skip
"""Tables whose rows never change and are never deleted, but for what is written above."""
_ONLY_DELETED = ("unsettled", "erasure_object", "remark")
"""Tables whose rows never change; they may go."""
_FREE = ("live_page", "live_passage", "jotting", "git_blob", "watch", "passage_news",
         "content_pieces", "setting", "log_head", "writer", "packed", "emptied_pack",
         "lease")  # fmt: skip
"""Tables whose rows may change and go."""


def grants(schema: str, role: str | None) -> list[str]:
    """Let a role write: select and insert, and no more but where rows may change or go."""
    if role is None:
        return []
    beside = (
        dict.fromkeys(_FREE, "UPDATE, DELETE")
        | dict.fromkeys(_ONLY_DELETED, "DELETE")
        | dict.fromkeys(_SCRUBBED, "UPDATE")
        | dict.fromkeys(_DELETED, "DELETE")
    )
    return [
        f"GRANT USAGE ON SCHEMA {schema} TO {role}",
        f"GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA {schema} TO {role}",
        *(f"GRANT {what} ON {table} TO {role}" for table, what in beside.items()),
    ]


_FUNCTION = """
CREATE FUNCTION {name}() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $${body}$$;
"""
_NOT_INSERTED = """
BEGIN
IF EXISTS (SELECT 1 FROM {broken}) THEN
  RAISE integrity_constraint_violation USING MESSAGE = 'permacite: {said}';
END IF;
RETURN NULL;
END
"""
_AFTER = """
CREATE TRIGGER {name} AFTER INSERT ON {table} REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION {name}();
"""
_NEVER_CHANGED = """
BEGIN
IF coalesce(({condition}), false) THEN RETURN {row}; END IF;
RAISE integrity_constraint_violation
USING MESSAGE = 'permacite: rows of {table} never change';
END
"""
_BEFORE = """
CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}();
"""


def _rules() -> str:
    """The triggers, and their functions."""
    statements: list[str] = []
    for name, (table, broken, said) in _NEVER_INSERTED.items():
        body = _NOT_INSERTED.format(broken=broken, said=said)
        statements += [
            _FUNCTION.format(name=name, body=body),
            _AFTER.format(name=name, table=table),
        ]
    for table in _LASTING:
        statements += _lasting(table, "UPDATE", _SCRUBBED.get(table, "false"))
        statements += _lasting(table, "DELETE", _DELETED.get(table, "false"))
    for table in _ONLY_DELETED:
        statements += _lasting(table, "UPDATE", "false")
    return "\n".join(statements)


def _lasting(table: str, event: str, condition: str) -> list[str]:
    """Refuse to change or delete rows of a table, but where a condition holds."""
    name = f"{table}_no_{event.lower()}"
    return [
        _never_changed(table, event, condition),
        _BEFORE.format(name=name, event=event, table=table),
    ]


def _never_changed(table: str, event: str, condition: str) -> str:
    """The function of such a trigger."""
    row = "NEW" if event == "UPDATE" else "OLD"
    body = _NEVER_CHANGED.format(condition=condition, row=row, table=table)
    return _FUNCTION.format(name=f"{table}_no_{event.lower()}", body=body)


def triggers(statements: str) -> set[str]:
    """The names of the triggers that statements make."""
    return set(re.findall(r"CREATE TRIGGER (\w+)", statements))


def functions(statements: str) -> dict[str, str]:
    """The functions that statements make: the name of each, and its source."""
    made = r"CREATE (?:OR REPLACE )?FUNCTION (\w+)\(.*?\$\$(.*?)\$\$"
    pairs = re.findall(made, statements, re.DOTALL)
    return dict(pairs)


RULES = _rules()
"""The statements that make them."""

RULE_OF_OCTETS = _never_changed(
    "representation",
    "UPDATE",
    _SCRUBBED["representation"].replace(ERASED_DIGEST, rf"\x{ERASED_OCTETS.hex()}"),
).replace("CREATE", "CREATE OR REPLACE", 1)
"""The one that digests as octets, of schema 13, put in the place of another."""
