"""Full-text index: a file with terms and places, which can be made again any time.

What it says is looked up in the archive before it is reported. So a file that is damaged, cut off
or made by other rules is made again. Words are kept by their terms alone.

| table | |
|---|---|
| `state` | which rules made it; how much of the log it has; sums that tell of other changes |
| `document` | a version that is given out: its name, site, times, type |
| `words` | FTS5: the terms of its title, of what is known about it, of its text |
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple, Self

from permacite.archive.sqlite.connection import write_ahead
from permacite.errors import StorageError
from permacite.service.search.terms import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


__all__ = ["Filters", "Row", "SearchIndex", "forget", "put"]

_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS document (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- terms of what was forgotten keep theirs
    name TEXT NOT NULL,
    number INTEGER NOT NULL,
    pdi TEXT NOT NULL,
    site TEXT NOT NULL,
    kind TEXT NOT NULL,
    saved TEXT NOT NULL,
    latest INTEGER NOT NULL,
    cited INTEGER NOT NULL,
    UNIQUE (name, number)
);
CREATE INDEX IF NOT EXISTS site ON document (site, id);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
    text, title, about, content='', tokenize='ascii'
);
PRAGMA user_version = {RULES};
COMMIT;
"""
_OTHER_RULES = "made by other rules"
_WEIGHTS = "1.0, 8.0, 2.0"
"""Of the columns. Places in the first take two octets less for each word of a document."""
_RANKED = 15_000
"""So many of the newest finds are put in the order of how well they fit."""
_AMONG = (
    " AND words.rowid >= coalesce((SELECT min(rowid) FROM (SELECT rowid FROM words"  # noqa: S608 - ours
    f" WHERE words MATCH ? ORDER BY rowid DESC LIMIT {_RANKED})), 0)"
)


class Row(NamedTuple):
    """A version, as it is indexed. All but the terms can be asked for."""

    name: str
    """Of the document, without version."""
    number: int
    pdi: str
    """The full name of its main format."""
    site: str
    kind: str
    """Its media type."""
    saved: str
    """ISO 8601, UTC."""
    cited: bool
    title: str
    """Terms, as the two below."""
    about: str
    text: str


class Filters(NamedTuple):
    """What finds are restricted to; an empty text or None leaves it open."""

    site: str = ""
    """A host, and those below it."""
    kind: str = ""
    """A media type, or its first half with a slash: "text/"."""
    since: str = ""
    until: str = ""
    cited: bool | None = None
    every_version: bool = False
    among: tuple[str, ...] | None = None
    """The names of documents; any where None."""

    def conditions(self) -> tuple[str, list[object]]:
        """As SQL, with its values."""
        parts, values = ["1"], list[object]()
        if self.site:
            parts.append("(d.site = ? OR substr(d.site, -length(?)) = ?)")
            values += [self.site, f".{self.site}", f".{self.site}"]
        if self.kind:
            parts.append("substr(d.kind, 1, length(?)) = ?")
            values += [self.kind, self.kind]
        for bound, operator in ((self.since, ">="), (self.until, "<")):
            if bound:
                parts.append(f"d.saved {operator} ?")
                values.append(bound)
        if self.cited is not None:
            parts.append("d.cited = ?")
            values.append(self.cited)
        if self.among is not None:
            parts.append("d.name IN (SELECT value FROM json_each(?))")
            values.append(json.dumps(self.among))
        if not self.every_version:
            parts.append("d.latest")
        return " AND ".join(parts), values


class SearchIndex:
    """The index in a file, made where it is missing; a context manager. Processes may share it.

    One that is damaged, or made by other rules, is thrown away. Raises StorageError where the disk
    does not let it be.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._connection = self._opened()
        except sqlite3.Error as error:
            if not _is_damage(error):
                raise self._trouble(error) from error
            self.anew(close=False)
        except OSError as error:
            raise self._trouble(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def _opened(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.touch(mode=0o600, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = OFF")  # what is lost is made anew
            (rules,) = connection.execute("PRAGMA user_version").fetchone()
            if rules == 0:
                write_ahead(connection)
                connection.executescript(_SCHEMA)
            elif rules != RULES:
                raise sqlite3.DatabaseError(_OTHER_RULES)  # noqa: TRY301 - as any damage
            connection.execute("SELECT name FROM document LIMIT 1").fetchone()
            connection.execute(
                "SELECT rowid FROM words WHERE words MATCH '\"a\"' LIMIT 1"
            ).fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    def _trouble(self, error: sqlite3.Error | OSError) -> StorageError:
        reason = "full" if "full" in str(error) else "io"
        problem = f"the index of words cannot be used: {error}"
        return StorageError(problem, path=str(self.path), reason=reason)

    def anew(self, *, close: bool = True) -> None:
        """Throw away all that is in it. Raises StorageError."""
        if close:
            self._connection.close()
        for ending in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
        try:
            self._connection = self._opened()
        except sqlite3.Error as error:
            raise self._trouble(error) from error

    @contextmanager
    def asking(self) -> Iterator[sqlite3.Connection]:
        """The connection. Raises StorageError; what is damaged is thrown away first."""
        try:
            yield self._connection
        except sqlite3.Error as error:
            if _is_damage(error):
                self.anew()
            raise self._trouble(error) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The same in one transaction, which no other process writes beside."""
        with self.asking() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def state(self, name: str) -> str:
        """A value of the state; "" where it has none."""
        with self.asking() as connection:
            row = connection.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
            return "" if row is None else str(row[0])

    def find(
        self, matching: str, filters: Filters, *, newest: bool, limit: int, offset: int
    ) -> list[str]:
        """The names of versions in which terms stand, best first, or newest first."""
        where, values = filters.conditions()
        order, among, matches = "d.id DESC", "", [matching]
        if not newest:
            order, among, matches = f"bm25(words, {_WEIGHTS}), d.id DESC", _AMONG, [matching] * 2
        sql = (
            "SELECT d.pdi FROM words JOIN document AS d ON d.id = words.rowid"  # noqa: S608 - ours
            f" WHERE words MATCH ?{among} AND {where} ORDER BY {order} LIMIT ? OFFSET ?"
        )
        with self.asking() as connection:
            rows = connection.execute(sql, (*matches, *values, limit, offset)).fetchall()
        return [pdi for (pdi,) in rows]

    def count(self) -> int:
        """How many versions are in it."""
        with self.asking() as connection:
            return int(connection.execute("SELECT count(*) FROM document").fetchone()[0])


def _is_damage(error: sqlite3.Error) -> bool:
    """Whether a file is no index, or no longer one."""
    told = str(error)
    signs = ("malformed", "not a database", _OTHER_RULES, "no such", "corrupt", "vtable")
    return any(sign in told for sign in signs)


def put(connection: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Add versions, or have what is newly known of them in place of the old."""
    for row in rows:
        old = connection.execute(
            "SELECT id FROM document WHERE name = ? AND number = ?", (row.name, row.number)
        ).fetchone()
        if old is not None:
            forget(connection, row.name, row.number)
        (newer,) = connection.execute(
            "SELECT count(*) FROM document WHERE name = ? AND number > ?", (row.name, row.number)
        ).fetchone()
        if not newer:
            connection.execute("UPDATE document SET latest = 0 WHERE name = ?", (row.name,))
        (at,) = connection.execute(
            "INSERT INTO document (name, number, pdi, site, kind, saved, latest, cited)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (row.name, row.number, row.pdi, row.site, row.kind, row.saved, not newer, row.cited),
        ).fetchone()
        connection.execute(
            "INSERT INTO words (rowid, title, about, text) VALUES (?, ?, ?, ?)",
            (at, row.title, row.about, row.text),
        )


def forget(connection: sqlite3.Connection, name: str, number: int | None = None) -> None:
    """Versions of a document are found no more; their terms go when the file is made anew."""
    connection.execute(
        "DELETE FROM document WHERE name = ? AND coalesce(number = ?, 1)", (name, number)
    )
    connection.execute(
        "UPDATE document SET latest = 1 WHERE name = ? AND number ="
        " (SELECT max(number) FROM document WHERE name = ?)",
        (name, name),
    )
