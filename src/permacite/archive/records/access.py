"""Access records: who may see each document, why it is kept and how long; erasures.

Of the standings of a document the latest row counts. Erasing goes rows first, in one transaction
with the erasure; then files; then traces.

| step | where it stops, the next one to open the archive goes on |
|---|---|
| `erase` | rows are emptied or deleted, digests of octets go to `erasure_object`: all or nothing |
| `octets.destroy` | octets that nothing names are deleted, then their rows in `erasure_object` |
| `Catalog.scour` | the file is written anew, without what deleted rows left in its pages and WAL |
| `finish` | the erasures are marked as done |
"""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

from permacite.archive.entries import Entry, read, tombstone
from permacite.archive.model.answered import Erasure, Standing
from permacite.archive.records import leaves
from permacite.archive.records.fixity import add_to_sum
from permacite.archive.records.octets import is_named
from permacite.archive.records.rows import (
    BUILDING,
    ERASABLE,
    ERASED_OCTETS,
    among,
    digest_in,
    document_key,
    has_schema,
    instant,
    name_of,
    storable,
    timestamp,
)
from permacite.archive.records.settings import settings
from permacite.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from permacite.archive.model.answered import JSON
    from permacite.archive.records.rows import Session, Together, Transaction
    from permacite.pdi import PDI

__all__ = [
    "ask_standings",
    "carry_out",
    "changes",
    "default_standing",
    "erase",
    "erasures",
    "finish",
    "insert_standings",
    "overdue",
    "set_standing",
    "standing_alone",
    "standing_in",
    "standings",
    "standings_after",
    "standings_of",
    "unfinished",
]

_LATEST = """
SELECT d.series, d.date, d.unique_id, {access}, s.embargo_until, s.ground, s.retain_until, s.set_at
FROM document AS d JOIN standing AS s ON s.document_id = d.document_id AND NOT EXISTS (
  SELECT 1 FROM standing AS t
  WHERE t.document_id = s.document_id AND t.standing_id > s.standing_id)
"""
"""Asked for the highest row of a document, PostgreSQL may read all rows from the end: it takes
those of each document for spread evenly."""
_IN_BUILDING = """
CASE WHEN EXISTS (SELECT 1 FROM building WHERE standing_id = s.standing_id)
  THEN 'building' ELSE s.access END
"""
"""An access as it is told: in the table it is "closed", and so it was in earlier schemas."""
_OF_DOCUMENTS = "(d.series, d.date, d.unique_id) IN ({keys})"
"""The condition that a document is one of those in a JSON array of keys."""

_AFTER = """
SELECT s.standing_id, d.series, d.date, d.unique_id, s.access, s.embargo_until
FROM standing AS s JOIN document AS d USING (document_id)
WHERE s.standing_id > ? AND (s.access <> 'public' OR EXISTS (
  SELECT 1 FROM standing AS t
  WHERE t.document_id = s.document_id AND t.standing_id < s.standing_id))
ORDER BY s.standing_id LIMIT ?
"""

_MOST_CHANGES = 1000
_ENDED = """
SELECT d.series, d.date, d.unique_id FROM standing AS s JOIN document AS d USING (document_id)
WHERE s.embargo_until > ? AND s.embargo_until <= ?
"""

_INSERT = """
INSERT INTO standing (document_id, access, embargo_until, ground, retain_until, set_at)
VALUES (?, ?, ?, ?, ?, ?)
"""
_OPEN_INSIDE = """
INSERT INTO building SELECT max(standing_id) FROM standing WHERE document_id = ?
RETURNING standing_id
"""
_BUILDING = "building"
_COVERED = """
SELECT representation_id FROM representation JOIN version USING (version_id)
WHERE document_id = :document AND version_id = coalesce(:version, version_id)
"""

_DIGESTS = f"""
SELECT digest FROM representation
WHERE representation_id IN ({_COVERED}) AND digest <> :erased
UNION SELECT received_digest FROM representation
WHERE representation_id IN ({_COVERED}) AND received_digest IS NOT NULL
UNION SELECT digest FROM attachment WHERE representation_id IN ({_COVERED})
"""

_VERSIONS = """
SELECT version_id FROM version
WHERE document_id = :document AND version_id = coalesce(:version, version_id)
"""

_EMPTIED = f"""
DELETE FROM citation_leaf WHERE citation_id IN
  (SELECT citation_id FROM citation WHERE representation_id IN ({_COVERED}));
DELETE FROM citation WHERE representation_id IN ({_COVERED});
DELETE FROM attachment WHERE representation_id IN ({_COVERED});
DELETE FROM quotation WHERE representation_id IN ({_COVERED});
UPDATE representation SET digest = :erased, size_bytes = 0, charset = NULL,
  canonical_digest = NULL, received_digest = NULL, derived_from = NULL, rendition = NULL
WHERE representation_id IN ({_COVERED});
DELETE FROM watch WHERE uri IN
  (SELECT uri FROM version WHERE version_id IN ({_VERSIONS})
   UNION SELECT final_uri FROM version WHERE version_id IN ({_VERSIONS}));
UPDATE version SET title = NULL, uri = NULL, final_uri = NULL, retrieved_at = NULL, details = '{{}}'
WHERE version_id IN ({_VERSIONS});
DELETE FROM live_page WHERE version_id IN ({_VERSIONS});
DELETE FROM jotting WHERE document_id = :document AND (
  CAST(:version AS BIGINT) IS NULL OR version_id = :version OR NOT EXISTS (
    SELECT 1 FROM version WHERE document_id = :document AND version_id NOT IN
      (SELECT version_id FROM erased_version)));
UPDATE idempotency SET request = '' WHERE version_id IN ({_VERSIONS})
"""
"""What empties the rows of formats and versions, one statement after the other."""

_RECORDED = """
SELECT series, date, unique_id, document_id, version_id
FROM erasure JOIN document USING (document_id) WHERE erasure_id = ?
"""

_STANDS_ALONE = """
SELECT 1 FROM document AS d WHERE d.series = ? AND d.date = ? AND d.unique_id = ?
  AND NOT EXISTS (SELECT 1 FROM standing AS s WHERE s.document_id = d.document_id
    AND s.access <> 'public' AND NOT EXISTS (SELECT 1 FROM standing AS t
      WHERE t.document_id = s.document_id AND t.standing_id > s.standing_id))
  AND NOT EXISTS (SELECT 1 FROM erasure WHERE document_id = d.document_id)
  AND NOT EXISTS (SELECT 1 FROM assertion WHERE {subject} AND {predicate})
"""

_ERASURES = """
SELECT d.series, d.date, d.unique_id, v.number, e.ground, e.erased_at, e.done_at
FROM erasure AS e JOIN document AS d USING (document_id)
LEFT JOIN version AS v ON v.version_id = e.version_id
WHERE e.entry IS NULL AND e.representation_id IS NULL
"""


def set_standing(transaction: Transaction, pdi: PDI, standing: Standing) -> None:
    """Record the standing of a document from now on. Raises NotFoundError."""
    row = transaction.connection.execute(
        "SELECT document_id FROM document WHERE series = ? AND date = ? AND unique_id = ?",
        document_key(pdi),
    ).fetchone()
    if row is None:
        raise NotFoundError(f"no document {pdi.document} here", str(pdi))
    now = timestamp(transaction.clock())
    insert_standings(transaction.connection, [(row[0], standing)], now)


def standings(connection: Session, pdis: Iterable[PDI]) -> dict[PDI, Standing]:
    """The standings of documents, without those of which none is on record."""
    return _standings(connection, f"WHERE {_of_documents(connection)}", _keys(pdis))


def standing_alone(
    pdi: PDI, subjects: Sequence[str], predicates: Sequence[str]
) -> tuple[str, list[str]]:
    """What has a row where a document is public, without erasures and such statements on these."""
    subject, named = among("subject", subjects)
    predicate, told = among("predicate", predicates)
    statement = _STANDS_ALONE.format(subject=subject, predicate=predicate)
    return statement, [*document_key(pdi), *named, *told]


def ask_standings(together: Together, pdis: Iterable[PDI]) -> list[Any]:
    """The rows of those of documents that are not public, to be asked with other questions."""
    connection = together.connection
    if not has_schema(connection, ERASABLE):
        return []
    condition = f"WHERE {_of_documents(connection)} AND s.access <> 'public'"
    return together.ask(f"{_latest(connection)} {condition}", (_keys(pdis),))


def standings_of(rows: Iterable[Any]) -> dict[PDI, Standing]:
    """The standings that rows tell."""
    return {name_of((row[0], row[1], row[2])): _standing(row[3:]) for row in rows}


def overdue(connection: Session, today: date) -> dict[PDI, Standing]:
    """The documents that were to be kept until a day before `today`."""
    condition = "WHERE s.retain_until < ? ORDER BY s.retain_until"
    return _standings(connection, condition, today.isoformat())


def standings_after(
    connection: Session, place: int, limit: int
) -> list[tuple[int, PDI, str, str | None]]:
    """The next standings behind a place: its own place, document, access, end of an embargo.

    Those by which documents began as open to all are left out.
    """
    if not has_schema(connection, ERASABLE):
        return []
    rows = connection.execute(_AFTER, (place, limit))
    return [(row[0], name_of((row[1], row[2], row[3])), row[4], row[5]) for row in rows]


def changes(connection: Session, since: str | None, today: date) -> tuple[tuple[PDI, ...], str]:
    """The next documents whose access changed since a mark, and the mark behind them.

    A mark has the place of a standing and a day: embargoes end by themselves. None stands for now,
    and "" for the beginning.
    """
    if not has_schema(connection, ERASABLE):
        return (), ""
    day = today.isoformat()
    (newest,) = connection.execute("SELECT max(standing_id) FROM standing").fetchone()
    if since is None:
        return (), f"{newest or 0} {day}"
    place, _, last_day = since.partition(" ")
    rows = standings_after(connection, int(place or 0), _MOST_CHANGES)
    changed = [document for _, document, *_ in rows]
    if day != last_day:
        changed += [name_of(row) for row in connection.execute(_ENDED, (last_day, day))]
    is_cut = len(rows) == _MOST_CHANGES
    return tuple(changed), f"{rows[-1][0] if is_cut else newest or 0} {day}"


def _of_documents(connection: Session) -> str:
    return _OF_DOCUMENTS.format(keys=connection.dialect.keys)


def _keys(pdis: Iterable[PDI]) -> str:
    """The keys of documents, each once, as a JSON array."""
    return json.dumps(list(dict.fromkeys(document_key(pdi) for pdi in pdis)))


def _standings(connection: Session, condition: str, parameter: str) -> dict[PDI, Standing]:
    """The standings that meet a condition."""
    if not has_schema(connection, ERASABLE):
        return {}
    return standings_of(connection.execute(f"{_latest(connection)} {condition}", (parameter,)))


def _latest(connection: Session) -> str:
    """The question for the latest standings, as the schema of a catalog can answer it."""
    told = _IN_BUILDING if has_schema(connection, BUILDING) else "s.access"
    return _LATEST.format(access=told)


def default_standing(connection: Session) -> Standing:
    """Return the standing that the settings `access` and `ground` say."""
    return standing_in(settings(connection))


def standing_in(told: Mapping[str, str]) -> Standing:
    """The same, of settings that are known."""
    usual = Standing()
    return Standing(told.get("access", usual.access), told.get("ground", usual.ground))


def insert_standings(
    connection: Session,
    standings: Sequence[tuple[int, Standing]],
    now: str,
    told: Mapping[str, str] | None = None,
) -> None:
    """Write the standings of documents; what settings have `told` is asked where it is unknown."""
    told = settings(connection) if told is None else told
    rows = [
        (
            document_id,
            "closed" if standing.access == _BUILDING else standing.access,
            _day(standing.embargo_until),
            standing.ground,
            _day(standing.retain_until),
            now,
        )
        for document_id, standing in standings
    ]
    connection.executemany(_INSERT, rows)
    add_to_sum(connection, "standing", rows, told)
    inside = [(document_id,) for document_id, each in standings if each.access == _BUILDING]
    if inside:
        rows = [connection.execute(_OPEN_INSIDE, row).fetchone() for row in inside]
        add_to_sum(connection, "building", rows, told)


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _standing(row: tuple[Any, ...]) -> Standing:
    access, embargo_until, ground, retain_until, set_at = row
    return Standing(access, ground, _date(embargo_until), _date(retain_until), instant(set_at))


def _date(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def erasures(connection: Session, pdis: Iterable[PDI] | None = None) -> list[Erasure]:
    """The erasures of any of these documents, or of their parts; all where None."""
    if not has_schema(connection, ERASABLE):
        return []
    condition = "" if pdis is None else f" AND {_of_documents(connection)}"
    parameters = () if pdis is None else (_keys(pdis),)
    rows = connection.execute(f"{_ERASURES}{condition} ORDER BY erasure_id", parameters)
    return [_erasure(row) for row in rows]


def unfinished(connection: Session) -> list[int]:
    """The rows of erasures of which octets or traces may be left."""
    if not has_schema(connection, ERASABLE):
        return []
    rows = connection.execute("SELECT erasure_id FROM erasure WHERE done_at IS NULL")
    return [erasure_id for (erasure_id,) in rows]


def finish(transaction: Transaction, erasure_ids: Sequence[int]) -> None:
    """Mark erasures as done."""
    now = timestamp(transaction.clock())
    statement = "UPDATE erasure SET done_at = ? WHERE erasure_id = ? AND done_at IS NULL"
    rows = [(now, erasure_id) for erasure_id in erasure_ids]
    transaction.connection.executemany(statement, rows)


def erase(transaction: Transaction, pdi: PDI, ground: str) -> tuple[Erasure, int]:
    """Erase a document, or the version that `pdi` names, and put that on record.

    What is returned is the record, and how many octets stay as others have them too. Octets are
    destroyed by `octets.destroy`. The same again gives the first record. Raises NotFoundError.
    """
    connection = transaction.connection
    scope = _scope(connection, pdi)
    known = connection.execute(
        "SELECT erasure_id FROM erasure WHERE document_id = :document AND entry IS NULL"
        " AND representation_id IS NULL AND (version_id IS NULL OR version_id = :version)",
        scope,
    ).fetchone()
    if known is not None:
        return _by_id(connection, known[0]), 0
    name, now = str(name_of(document_key(pdi))), timestamp(transaction.clock())
    clear: dict[str, JSON] = {
        "kind": "erasure",
        "name": name,
        "version": pdi.version,
        "ground": ground,
        "erased_at": now,
    }
    sequence = leaves.append(transaction, Entry(clear, {}))
    erasure_id = connection.execute(
        "INSERT INTO erasure (sequence, document_id, version_id, ground, erased_at)"
        " VALUES (?, ?, ?, ?, ?) RETURNING erasure_id",
        (sequence, scope["document"], scope["version"], ground, now),
    ).fetchall()[0][0]
    return _by_id(connection, erasure_id), _empty(connection, erasure_id, name, scope)


def carry_out(transaction: Transaction, erasure_id: int) -> None:
    """Erase what an erasure covers that another archive, of which this is a copy, has recorded."""
    connection = transaction.connection
    series, day, unique_id, *rows = connection.execute(_RECORDED, (erasure_id,)).fetchone()
    scope = dict(zip(("document", "version"), rows, strict=True))
    _empty(connection, erasure_id, str(name_of((series, day, unique_id))), scope)


def _empty(connection: Session, erasure_id: int, name: str, scope: Mapping[str, int | None]) -> int:
    """Empty the rows that an erasure covers; how many octets stay as others have them too."""
    asked = {**scope, "erased": ERASED_OCTETS}
    named = connection.execute(_DIGESTS, asked).fetchall()
    connection.defer_references()
    # A part of the document has a dot, a number sign or an at sign behind its name.
    covered = connection.execute(
        "SELECT sequence, part FROM erased_entry WHERE erasure_id = ? AND sequence IN"
        " (SELECT sequence FROM leaf WHERE subject >= ? AND subject < ?)",
        (erasure_id, name, f"{name}A"),
    ).fetchall()
    for statement in _EMPTIED.split(";"):
        connection.execute(statement, asked)
    for place, part in covered:
        _empty_entry(connection, place, part)
    shared = 0
    for (octets,) in named:
        if is_named(connection, digest_in(octets)):
            shared += 1
        else:
            row = (erasure_id, octets)
            connection.execute("INSERT INTO erasure_object VALUES (?, ?)", row)
            connection.execute("DELETE FROM unsettled WHERE digest = ?", (octets,))
    return shared


def _scope(connection: Session, pdi: PDI) -> dict[str, int | None]:
    """Return the rows of the document, and of the version if `pdi` names one."""
    row = connection.execute(
        "SELECT document_id, version_id FROM document JOIN version USING (document_id)"
        " WHERE series = ? AND date = ? AND unique_id = ? AND number = coalesce(?, number)",
        (*document_key(pdi), None if pdi.version is None else storable(pdi.version)),
    ).fetchone()
    if row is None:
        raise NotFoundError(f"there is nothing to erase: {pdi}", str(pdi))
    return {"document": row[0], "version": None if pdi.version is None else row[1]}


def _empty_entry(connection: Session, sequence: int, part: str | None) -> None:
    """Delete what an entry of the log commits to; of an early one, what it says in clear."""
    who = connection.execute("SELECT who FROM assertion WHERE sequence = ?", (sequence,)).fetchall()
    connection.execute("DELETE FROM assertion WHERE sequence = ?", (sequence,))
    connection.execute("DELETE FROM remark WHERE sequence = ?", (sequence,))
    connection.execute(
        "DELETE FROM opening WHERE sequence = ? AND part = coalesce(?, part)", (sequence, part)
    )
    connection.executemany(
        "UPDATE person SET name = NULL WHERE person_id = ?"
        " AND NOT EXISTS (SELECT 1 FROM assertion WHERE who = person_id)",
        who,
    )
    if part is None:
        subject, content = connection.execute(
            "SELECT subject, content FROM leaf WHERE sequence = ?", (sequence,)
        ).fetchone()
        said = read(content.encode())
        if "schema" not in said and "erased" not in said:
            left = (subject.partition("#")[0], tombstone(content.encode()).decode(), sequence)
            connection.execute("UPDATE leaf SET subject = ?, content = ? WHERE sequence = ?", left)


def _by_id(connection: Session, erasure_id: int) -> Erasure:
    question = f"{_ERASURES} AND erasure_id = ?"
    return _erasure(connection.execute(question, (erasure_id,)).fetchone())


def _erasure(row: Sequence[Any]) -> Erasure:
    series, date, unique_id, number, ground, erased_at, done_at = row
    return Erasure(
        name_of((series, date, unique_id)),
        number,
        ground,
        instant(erased_at),
        None if done_at is None else instant(done_at),
    )
