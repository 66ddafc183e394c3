"""Types that declare a table: columns, keys, indexes, triggers, and what fsck owes to its rows."""

from __future__ import annotations

from enum import Enum

from permacite.lazy_dataclass import dataclass

__all__ = [
    "BYTES",
    "IDENTITY",
    "NUMBER",
    "TEXT",
    "Changes",
    "Column",
    "ColumnCheck",
    "InsertRule",
    "Nature",
    "Table",
    "TableIndex",
    "View",
    "Wording",
    "column_words",
]

NUMBER, TEXT, BYTES = "number", "text", "bytes"
IDENTITY = "identity"
"""A number that the engine counts up where a row comes without one."""


@dataclass(frozen=True, slots=True)
class Wording:
    """SQL that engines spell differently."""

    sqlite: str
    postgresql: str


class Nature(Enum):
    """What the rows of a table are worth."""

    COMMITTED = "committed: the log, a sum or a digest covers the rows"
    REBUILDABLE = "made from committed rows or from objects, and compared with them"
    FREE = "free to change: nothing covers the rows"


class Changes(Enum):
    """Which changes of rows the triggers allow."""

    NONE = "rows never change and are never deleted, but for what an erasure covers"
    DELETE = "rows never change; they may be deleted"
    ANY = "rows may be changed and deleted"


class ColumnCheck(Enum):
    """How fsck checks the rows of a table."""

    ENTRY = "an entry of the log is made again from the row and what refers to it"
    TREE = "hashes of the log's tree, and signatures and time-stamps of its checkpoints"
    DIGEST = "a setting holds the digest of all rows"
    DERIVED = "columns that follow from others"
    CONTENT = "objects, by their digests"


@dataclass(frozen=True, slots=True)
class Column:
    """A column. It takes no NULL unless `is_optional`, or as the key in PostgreSQL's sense."""

    name: str
    kind: str
    is_key: bool = False
    """Whether it alone is the primary key."""
    is_optional: bool = False
    is_unique: bool = False
    default: str | None = None
    references: str = ""
    """The table whose rows it refers to, with the column in brackets where that is not its key."""
    check: str | Wording = ""


@dataclass(frozen=True, slots=True)
class TableIndex:
    """An index by `on`; an empty wording leaves it out of an engine."""

    name: str
    on: str | Wording
    where: str = ""
    is_unique: bool = False
    is_hash: bool = False
    """Whether PostgreSQL hashes its values, which may be long and are only compared."""


@dataclass(frozen=True, slots=True)
class InsertRule:
    """A trigger that refuses new rows.

    `sqlite` is the condition by which it refuses `NEW`; `postgresql`, in which `added` are all new
    rows of a statement, selects those to refuse.
    """

    name: str
    problem: str
    sqlite: str
    postgresql: str
    is_checked_last: bool = False
    """Whether SQLite, which runs the newest trigger first, checks it after the keys."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it is today."""

    name: str
    since: int
    """The schema that brought it."""
    nature: Nature
    changes: Changes
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    """The primary key, if it has several columns."""
    unique: tuple[str, ...] = ()
    """Columns that are unique together."""
    unique_text: tuple[str, ...] = ()
    """The same where the last one is a text that is too long for an index of PostgreSQL, which
    compares its MD5."""
    check: str = ""
    """A condition on several columns."""
    indexes: tuple[TableIndex, ...] = ()
    rules: tuple[InsertRule, ...] = ()
    update: str | Wording = ""
    """The one change that an erasure, or its end, may make to a row."""
    delete: str = ""
    """When a row may be deleted though its table allows no changes."""
    is_clustered: bool = False
    """Whether SQLite stores the rows in the index of the primary key (WITHOUT ROWID)."""
    checks: tuple[ColumnCheck, ...] = ()
    logged_since: int = 0
    """The schema since which the log has an entry for each row; 0 where it has none."""
    summed: tuple[str, ...] = ()
    """Columns of which a setting holds the sum, over the digests of all rows."""

    def unique_keys(self) -> tuple[tuple[str, ...], ...]:
        """All keys by which a row could be replaced: the primary key first."""
        of_columns = [(one.name,) for one in self.columns if one.is_key or one.is_unique]
        of_indexes = [_columns(one) for one in self.indexes if one.is_unique]
        several = [each for each in (self.unique, self.unique_text) if each]
        first = [self.key] if self.key else []
        return (*first, *of_columns, *several, *of_indexes)


def _columns(index: TableIndex) -> tuple[str, ...]:
    """The columns of a unique index, which every engine words alike."""
    return tuple(str(index.on).split(", "))


@dataclass(frozen=True, slots=True)
class View:
    """A view."""

    name: str
    sqlite: str
    postgresql: str


def column_words(column: Column, kind: str, *, reserved: frozenset[str] | set[str]) -> list[str]:
    """What both engines say of a column alike: its name, its type `kind`, and its constraints."""
    words = [f'"{column.name}"' if column.name in reserved else column.name, kind]
    if not (column.is_key or column.is_optional):
        words.append("NOT NULL")
    if column.is_key:
        words.append("PRIMARY KEY")
    if column.is_unique:
        words.append("UNIQUE")
    if column.default is not None:
        words.append(f"DEFAULT '{column.default}'")
    if column.references:
        words.append(f"REFERENCES {column.references}")
    return words
