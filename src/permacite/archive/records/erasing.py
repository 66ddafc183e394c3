"""Erasing in the catalog: rows first, in one transaction with the erasure; then files; then traces.

| step | where it stops, the next one to open the archive goes on |
|---|---|
| `erase` | rows are emptied or deleted, digests of octets go to `erasure_object`: all or nothing |
| `destroy` | octets that nothing names any more are deleted, then their rows in `erasure_object` |
| `scour` | the file is written anew, without what deleted rows left in its pages and in the WAL |
| `finish` | the erasures are marked as done |
"""
# ruff: noqa: S608 - the names of tables and columns are our own

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from permacite.archive.entries import Entry, read, tombstone
from permacite.archive.model import Erasure
from permacite.archive.records import leaves
from permacite.archive.records.derived import SET, settings_digest
from permacite.archive.records.rows import document_key, instant, name_of, storable, timestamp
from permacite.archive.records.standing import OF_DOCUMENTS
from permacite.archive.sqlite.schema.erasable import ERASED_DIGEST
from permacite.archive.sqlite.writer import Access
from permacite.errors import NotFoundError, StorageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence

    from permacite.archive.catalog import StoredFormat
    from permacite.archive.entries import Sealer
    from permacite.archive.model import JSON
    from permacite.pdi import PDI

__all__ = ["SqliteErasures", "check_octets", "is_named"]

_ROUND = "erasing"
"""The setting that counts how often octets were destroyed."""


_NAMED = """
SELECT EXISTS (SELECT 1 FROM representation WHERE digest = :digest)
    OR EXISTS (SELECT 1 FROM representation WHERE received_digest = :digest)
    OR EXISTS (SELECT 1 FROM attachment WHERE digest = :digest)
"""

_COVERED = """
SELECT representation_id FROM representation JOIN version USING (version_id)
WHERE document_id = :document AND version_id = coalesce(:version, version_id)
"""

_DIGESTS = f"""
SELECT digest FROM representation
WHERE representation_id IN ({_COVERED}) AND digest <> '{ERASED_DIGEST}'
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
UPDATE representation SET digest = '{ERASED_DIGEST}', size_bytes = 0, charset = NULL,
  canonical_digest = NULL, received_digest = NULL, derived_from = NULL, rendition = NULL
WHERE representation_id IN ({_COVERED});
UPDATE version SET title = NULL, uri = NULL, final_uri = NULL, retrieved_at = NULL, details = '{{}}'
WHERE version_id IN ({_VERSIONS});
UPDATE idempotency SET request = '' WHERE version_id IN ({_VERSIONS})
"""
"""What empties the rows of formats and versions, one statement after the other."""

_ERASURES = """
SELECT d.series, d.date, d.unique_id, v.number, e.ground, e.erased_at, e.done_at
FROM erasure AS e JOIN document AS d USING (document_id)
LEFT JOIN version AS v ON v.version_id = e.version_id
WHERE e.entry IS NULL AND e.representation_id IS NULL
"""

_SINCE = 4
"""The version of the schema that brought the tables."""


class SqliteErasures(Access):
    """What is erased from one catalog."""

    def erase(self, pdi: PDI, ground: str) -> tuple[Erasure, int]:
        """Erase a document, or the version that `pdi` names, and put that on record.

        Return it, and how many octets stay as others have them too. Octets are destroyed by
        `destroy`. The same again gives the first record. Raises NotFoundError.
        """
        now = timestamp(self._clock())
        return self._writer.run(
            lambda connection: _erase(connection, pdi, ground, now=now, sealer=self._sealer)
        )

    def erasures(self, pdis: Iterable[PDI] | None = None) -> list[Erasure]:
        """Return the erasures of any of these documents, or of their parts; all where None."""
        condition = ""
        parameters: tuple[str, ...] = ()
        if pdis is not None:
            keys = json.dumps(list(dict.fromkeys(document_key(one) for one in pdis)))
            condition, parameters = f" AND {OF_DOCUMENTS}", (keys,)
        with self._readers.lend() as connection:
            if not _has(connection):
                return []
            found = connection.execute(f"{_ERASURES}{condition} ORDER BY erasure_id", parameters)
            return [_erasure(row) for row in found]

    def unfinished(self) -> list[int]:
        """Return the rows of erasures of which octets or traces may be left."""
        question = "SELECT erasure_id FROM erasure WHERE done_at IS NULL"
        with self._readers.lend() as connection:
            rows = connection.execute(question).fetchall() if _has(connection) else []
        return [erasure_id for (erasure_id,) in rows]

    def destroy(self, delete: Callable[[str], None]) -> None:
        """Call `delete` for the digests of octets that are to be destroyed and nothing names.

        Nobody commits meanwhile; whoever is about to learns of it (see `check_octets`).
        """

        def work(connection: sqlite3.Connection) -> None:
            waiting = connection.execute("SELECT DISTINCT digest FROM erasure_object").fetchall()
            for (digest,) in waiting:
                if not is_named(connection, digest):
                    delete(digest)
            connection.execute("DELETE FROM erasure_object")
            connection.execute(SET, (_ROUND, str(round_of(connection) + 1)))
            connection.execute(SET, settings_digest(connection))

        self._writer.run(work)

    def erasing_round(self) -> int:
        """Return how often octets were destroyed: see `check_octets`."""
        with self._readers.lend() as connection:
            return round_of(connection)

    def scour(self) -> bool:
        """Write the file anew, without traces of what was deleted; say whether all of them went.

        They stay, in the WAL, while another process reads what was there before.
        """
        with self._writer.beside() as connection:
            connection.execute("VACUUM")
            busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not busy

    def finish(self, erasure_ids: Sequence[int]) -> None:
        """Mark erasures as done."""
        now = timestamp(self._clock())
        statement = "UPDATE erasure SET done_at = ? WHERE erasure_id = ? AND done_at IS NULL"
        rows = [(now, erasure_id) for erasure_id in erasure_ids]
        self._writer.run(lambda connection: connection.executemany(statement, rows).close())


def check_octets(
    connection: sqlite3.Connection, formats: Iterable[StoredFormat], erasing_round: int
) -> None:
    """Raise StorageError (reason "erasing") where octets that were found may be gone since.

    They are not if nothing was destroyed since the round that was read before, and none of them
    waits to be.
    """
    if round_of(connection) == erasing_round:
        if connection.execute("SELECT 1 FROM erasure_object LIMIT 1").fetchone() is None:
            return
        found = [digest for one in formats for digest in _digests_of(one)]
        question = "SELECT 1 FROM erasure_object WHERE digest = ?"
        if not any(connection.execute(question, (digest,)).fetchone() for digest in found):
            return
    raise StorageError("octets were erased meanwhile", path="", reason="erasing")


def _digests_of(stored: StoredFormat) -> list[str]:
    """Return the digests of all octets of a format."""
    received = [] if stored.received_digest is None else [stored.received_digest]
    return [stored.digest, *received, *(digest for _, digest in stored.attachments)]


def round_of(connection: sqlite3.Connection) -> int:
    """Return how often octets were destroyed so far. Raises StorageError."""
    question = "SELECT value FROM setting WHERE name = ?"
    row = connection.execute(question, (_ROUND,)).fetchone()
    if row is None:
        return 0
    if not row[0].isdecimal():
        raise StorageError(
            f"the catalog is damaged: the setting {_ROUND} is no number", path="", reason="damaged"
        )
    return int(row[0])


def is_named(connection: sqlite3.Connection, digest: str) -> bool:
    """Say whether anything committed has these octets."""
    return bool(connection.execute(_NAMED, {"digest": digest}).fetchone()[0])


def _has(connection: sqlite3.Connection) -> bool:
    """Say whether there are such tables: none are in an old archive that may only be read."""
    return bool(connection.execute("PRAGMA user_version").fetchone()[0] >= _SINCE)


def _erase(
    connection: sqlite3.Connection, pdi: PDI, ground: str, *, now: str, sealer: Sealer
) -> tuple[Erasure, int]:
    """Write an erasure with its leaf, and empty all rows that it covers."""
    scope = _scope(connection, pdi)
    known = connection.execute(
        "SELECT erasure_id FROM erasure WHERE document_id = :document AND entry IS NULL"
        " AND representation_id IS NULL AND coalesce(version_id, :version) IS :version",
        scope,
    ).fetchone()
    if known is not None:
        return _one(connection, known[0]), 0
    name = str(name_of(document_key(pdi)))
    clear: dict[str, JSON] = {
        "kind": "erasure",
        "name": name,
        "version": pdi.version,
        "ground": ground,
        "erased_at": now,
    }
    sequence = leaves.append(connection, Entry(clear, {}), sealer)
    digests = [digest for (digest,) in connection.execute(_DIGESTS, scope)]
    erasure_id = connection.execute(
        "INSERT INTO erasure (sequence, document_id, version_id, ground, erased_at)"
        " VALUES (?, ?, ?, ?, ?)",
        (sequence, scope["document"], scope["version"], ground, now),
    ).lastrowid
    assert erasure_id is not None  # noqa: S101 - an INSERT always has one
    connection.execute("PRAGMA defer_foreign_keys = ON")
    # A part of the document has a dot, a number sign or an at sign behind its name.
    covered = connection.execute(
        "SELECT sequence, part FROM erased_entry WHERE erasure_id = ? AND sequence IN"
        " (SELECT sequence FROM leaf WHERE subject >= ? AND subject < ?)",
        (erasure_id, name, f"{name}A"),
    ).fetchall()
    for statement in _EMPTIED.split(";"):
        connection.execute(statement, scope)
    for place, part in covered:
        _empty_entry(connection, place, part)
    shared = 0
    for digest in digests:
        if is_named(connection, digest):
            shared += 1
        else:
            row = (erasure_id, digest)
            connection.execute("INSERT INTO erasure_object VALUES (?, ?)", row)
            connection.execute("DELETE FROM unsettled WHERE digest = ?", (digest,))
    return _one(connection, erasure_id), shared


def _scope(connection: sqlite3.Connection, pdi: PDI) -> dict[str, int | None]:
    """Return the rows of the document, and of the version if `pdi` names one."""
    row = connection.execute(
        "SELECT document_id, version_id FROM document JOIN version USING (document_id)"
        " WHERE series = ? AND date = ? AND unique_id = ? AND number = coalesce(?, number)",
        (*document_key(pdi), None if pdi.version is None else storable(pdi.version)),
    ).fetchone()
    if row is None:
        raise NotFoundError(f"there is nothing to erase: {pdi}", str(pdi))
    return {"document": row[0], "version": None if pdi.version is None else row[1]}


def _empty_entry(connection: sqlite3.Connection, sequence: int, part: str | None) -> None:
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


def _one(connection: sqlite3.Connection, erasure_id: int) -> Erasure:
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
