"""Copies of a catalog in SQLite: the whole file, replaced at once, or updated by new rows.

Tables that only grow are copied from the last row of the copy on (`_GROWS`), nodes of the log by
its size. All other tables, also those of later schemas, are compared row by row: settings and
annotations are small. Erasures change tables of both kinds, and leave traces in pages. After one,
and wherever a copy is not as the last update left it, the whole file is copied again.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from typing import TYPE_CHECKING

from permacite.archive.records.rows import ERASED_DIGEST, digest_in
from permacite.archive.sqlite.connection import aside_of, connect, own, reporting, uri_of
from permacite.errors import ConflictError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from permacite.archive.records.rows import Session as AnySession

    Bring = Callable[[int, Iterable[str]], None]
    """Stores contents by their digests, about so many."""

__all__ = ["copy", "follow"]

_GROWS = {
    "document": ("document_id", "document"),
    "version": ("version_id", "version"),
    "representation": ("representation_id", "representation"),
    "attachment": ("representation_id", "representation"),
    "idempotency": ("version_id", "version"),
    "quotation": ("quotation_id", "quotation"),
    "leaf": ("sequence", "leaf"),
    "opening": ("sequence", "leaf"),
    "day": ("sequence", "leaf"),
    "citation": ("citation_id", "citation"),
    "citation_leaf": ("sequence", "leaf"),
    "assertion": ("assertion_id", "assertion"),
    "delegation": ("delegation_id", "delegation"),
    "delegation_leaf": ("sequence", "leaf"),
    "standing": ("standing_id", "standing"),
    "timestamp": ("timestamp_id", "timestamp"),
    "passage_news": ("news_id", "passage_news"),
}
"""Tables to which rows are only added, unless something is erased: the column that shows which are
new, and the table that shows how far the copy is. In the order in which rows may be added."""

_NODES = "log_node"
_BLOBS = "git_blob"

_DIGESTS = """
SELECT digest FROM {0}.representation WHERE representation_id > :last
UNION SELECT received_digest FROM {0}.representation
  WHERE representation_id > :last AND received_digest IS NOT NULL
UNION SELECT digest FROM {0}.attachment WHERE representation_id > :last
{1}
EXCEPT SELECT digest FROM {0}.unsettled
"""
"""Digests of contents that a catalog names and that are files, in the order of their folders."""
_WERE_STAGED = "UNION SELECT digest FROM main.unsettled"


_BROKEN = {"damaged", "not-an-archive"}
"""Reasons of errors after which the whole catalog is copied."""


class _UnlikeError(Exception):
    """New rows are not enough to update a copy."""


def copy(session: AnySession, path: Path, *, bring: Bring, replace: bool) -> None:
    """Copy a catalog to a temporary file, `bring` its contents, then move the file to `path`.

    `replace` also replaces a damaged catalog. Raises ConflictError, before anything is done, if the
    catalog at `path` belongs to another archive.
    """
    source = own(session)
    damaged = path.exists() and not _is_sound(source, path, replace=replace)
    aside = aside_of(path)
    try:
        with contextlib.closing(sqlite3.connect(aside)) as copied:
            source.backup(copied)
            (rows,) = copied.execute("SELECT count(*) FROM representation").fetchone()
            bring(rows, _digests(copied, _DIGESTS.format("main", ""), {"last": 0}))
        if damaged:
            for left in ("-wal", "-shm"):  # SQLite would apply it to the new file
                path.with_name(path.name + left).unlink(missing_ok=True)
            aside.replace(path)
        elif path.exists():
            with (
                contextlib.closing(sqlite3.connect(aside)) as copied,
                contextlib.closing(sqlite3.connect(path)) as target,
            ):
                copied.backup(target)
                target.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
        else:
            os.link(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def follow(source: Path, path: Path, *, bring: Bring, busy_timeout_s: float) -> bool:
    """Update a copy by new rows; False if the whole file must be copied.

    First `bring` stores contents, then all rows are added in one transaction. Raises ConflictError
    if the copy has log entries of its own.
    """
    try:
        with (
            reporting(path),
            contextlib.closing(connect(path, busy_timeout_s=busy_timeout_s)) as connection,
        ):
            _follow(connection, source, bring)
    except (_UnlikeError, sqlite3.IntegrityError):  # a rule of the schema refused a row
        return False
    except StorageError as error:
        if error.reason in _BROKEN:
            return False
        raise
    return True


def _follow(connection: sqlite3.Connection, source: Path, bring: Bring) -> None:
    """Update the copy by a connection to it."""
    connection.execute("PRAGMA foreign_keys = OFF")  # tables are compared one by one
    connection.execute("ATTACH ? AS source", (uri_of(source, mode="ro"),))
    connection.execute("BEGIN IMMEDIATE")
    try:
        _check_copy(connection, connection, "source")
        _check_alike(connection)
        tables = _tables(connection)
        marks = {
            of: _last(connection, of, _GROWS[of][0])
            for of in {of for table, (_, of) in _GROWS.items() if table in tables}
        }
        if "unsettled" in tables:
            last = {"last": marks["representation"]}
            digests = list(_digests(connection, _DIGESTS.format("source", _WERE_STAGED), last))
            bring(len(digests), digests)
        _copy_blobs(connection, tables, marks["representation"])
        for table, (column, of) in _GROWS.items():
            if table in tables:
                connection.execute(
                    f"INSERT INTO main.{table} SELECT * FROM source.{table} WHERE {column} > ?"
                    f" ORDER BY {column}",
                    (marks[of],),
                )
        _copy_nodes(connection, marks["leaf"] + 1)
        for table in tables - _GROWS.keys() - {_NODES, _BLOBS}:
            _compare(connection, table)
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def _digests(connection: sqlite3.Connection, question: str, last: dict[str, int]) -> Iterable[str]:
    digests = (digest_in(octets) for (octets,) in connection.execute(question, last))
    return (digest for digest in digests if digest != ERASED_DIGEST)


def _is_sound(source: sqlite3.Connection, path: Path, *, replace: bool) -> bool:
    """Whether a catalog is an earlier copy; False if it is damaged and `replace` is set."""
    try:
        with reporting(path), contextlib.closing(sqlite3.connect(path)) as target:
            if target.execute("SELECT 1 FROM sqlite_schema").fetchone():
                _check_copy(target, source, "main")
    except StorageError as error:
        if replace and error.reason in _BROKEN:
            return False
        raise
    return True


def _check_copy(target: sqlite3.Connection, source: sqlite3.Connection, schema: str) -> None:
    """Raise ConflictError unless the log of `source` extends that of `target`.

    The last node of each level is enough: it covers everything before it.
    """
    question = f"SELECT * FROM main.{_NODES} WHERE level = ? ORDER BY position DESC LIMIT 1"
    check = f"SELECT 1 FROM {schema}.{_NODES} WHERE (level, position, hash) = (?, ?, ?)"
    level = 0
    while node := target.execute(question, (level,)).fetchone():
        if source.execute(check, node).fetchone() is None:
            raise ConflictError("the copy has entries that the archive has not", "catalog.sqlite")
        level += 1


def _check_alike(connection: sqlite3.Connection) -> None:
    """Raise _UnlikeError if the schemas differ, or something was erased since."""
    for question in (
        "PRAGMA {}.user_version",
        "SELECT type, name, sql FROM {}.sqlite_schema ORDER BY type, name",
        "SELECT value FROM {}.setting WHERE name = 'erasing'",
    ):
        _check_same(connection, question)
    if "erasure" in _tables(connection):
        _check_same(connection, "SELECT * FROM {}.erasure ORDER BY erasure_id")


def _check_same(connection: sqlite3.Connection, question: str) -> None:
    source, target = (
        connection.execute(question.format(schema)).fetchall() for schema in ("source", "main")
    )
    if source != target:
        raise _UnlikeError(question)


def _tables(connection: sqlite3.Connection) -> set[str]:
    """The tables of the schema."""
    question = (
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    return {name for (name,) in connection.execute(question)}


def _last(connection: sqlite3.Connection, table: str, column: str) -> int:
    """Return the last key of a table of the copy. Raises _UnlikeError if the source lacks that row.

    -1 for an empty table: log entries are counted from 0.
    """
    row = connection.execute(
        f"SELECT {column}, * FROM main.{table} ORDER BY {column} DESC LIMIT 1"
    ).fetchone()
    if row is None:
        return -1
    question = f"SELECT {column}, * FROM source.{table} WHERE {column} = ?"
    if connection.execute(question, row[:1]).fetchone() != row:
        raise _UnlikeError(f"row {row[0]} of {table} is another")
    return int(row[0])


def _copy_nodes(connection: sqlite3.Connection, size: int) -> None:
    """Copy the nodes of the log that are new since it had `size` entries."""
    (levels,) = connection.execute(f"SELECT max(level) FROM source.{_NODES}").fetchone()
    for level in range(0 if levels is None else levels + 1):
        connection.execute(
            f"INSERT INTO main.{_NODES} SELECT * FROM source.{_NODES}"
            " WHERE level = ? AND position >= ?",
            (level, size >> level),
        )


def _copy_blobs(connection: sqlite3.Connection, tables: set[str], last: int) -> None:
    """Copy the Git blob names of new texts, and those that were computed since."""
    if _BLOBS in tables:
        connection.execute(
            f"INSERT OR REPLACE INTO main.{_BLOBS} SELECT * FROM source.{_BLOBS} WHERE digest IN"
            " (SELECT digest FROM source.representation WHERE representation_id > ?"
            f" UNION ALL SELECT digest FROM main.{_BLOBS} WHERE name IS NULL)",
            (last,),
        )


def _compare(connection: sqlite3.Connection, table: str) -> None:
    """Make a table equal to that of the source."""
    columns = connection.execute(f"PRAGMA main.table_info({table})").fetchall()
    names = [f'"{column[1]}"' for column in columns]
    keys = [name for name, column in zip(names, columns, strict=True) if column[-1]]

    def unlike(one: str, other: str) -> str:
        """Return the condition that a row of `one` is not in `other`."""
        found = " AND ".join(
            f"there.{name} {'=' if name in keys else 'IS'} {one}.{table}.{name}" for name in names
        )
        return f"NOT EXISTS (SELECT 1 FROM {other}.{table} AS there WHERE {found})"

    connection.execute(f"DELETE FROM main.{table} WHERE {unlike('main', 'source')}")
    connection.execute(
        f"INSERT INTO main.{table} SELECT * FROM source.{table} WHERE {unlike('source', 'main')}"
    )
