"""Sessions with PostgreSQL: they run the statements of records, and keep texts with U+0000.

PostgreSQL cannot store U+0000. A text with one is stored with a mark of two noncharacters before
it, and has U+10FFFF and "0" for U+0000, U+10FFFF and "1" for U+10FFFF. A text that has the mark
itself is stored in the same way. Texts are read as they were given, and equal texts stay equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import errors
from psycopg.pq import ExecStatus
from psycopg.types.numeric import Int8Dumper

from permacite.archive.records.rows import Dialect
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Sequence

    from psycopg.pq.abc import PGresult

    from permacite.archive.records.rows import Question, Rows

    Statement = tuple[str, Sequence[object] | Mapping[str, object]]
    """A statement with the parameter marks of psycopg, and its parameters."""

__all__ = ["ENDING", "Connection", "Session", "as_written", "storable", "storable_values"]

Connection = psycopg.Connection[tuple[object, ...]]

_DIALECT = Dialect(
    texts="SELECT json_array_elements_text(CAST(? AS JSON))",
    keys="SELECT key ->> 0, key ->> 1, key ->> 2 FROM json_array_elements(CAST(? AS JSON)) AS key",
    as_octets="convert_to(content, 'UTF8')",
    site="site({uri})",
    # No name has U+0000; PostgreSQL takes no JSON that has it anywhere.
    entry_name=r"entry_name(replace(content, '\u0000', '\u0001'))",
)
ENDING = (
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.DatabaseDropped,
    errors.IdleInTransactionSessionTimeout,
)
"""After these errors the server closes the connection, if it has not yet."""
_MARK = compile_pattern(r"'(?:[^']|'')*'|%|\?|(?<!:):([a-z_]+)")
_INSERT = compile_pattern(
    r"INSERT INTO (?P<table>\w+)(?: \((?P<columns>[\w, \"]+)\))?\s+VALUES \((?:\?, )*\?\)"
    r"(?P<rest>(?: ON CONFLICT .*)?)"
)
_NUL, _ESCAPE = "\0", "\U0010ffff"
_NUL_MARK = "\U0010ffff\U0010fffe"
_WRITTEN = compile_pattern("\U0010ffff([01])")


@lru_cache(maxsize=1024)
def _translated(statement: str) -> str:
    """Return a statement with the parameter marks of psycopg."""
    return _MARK.sub(_mark, statement)


def _mark(found: re.Match[str]) -> str:
    text = found[0]
    if text == "?":
        return "%s"
    if found[1]:
        return f"%({found[1]})s"
    return text.replace("%", "%%")


def _numbered(statement: str) -> str:
    """Return a statement with the parameter marks of libpq."""
    numbers = count(1)
    return _MARK.sub(lambda found: f"${next(numbers)}" if found[0] == "?" else found[0], statement)


class Session:
    """A connection to one archive, of one thread at a time."""

    dialect = _DIALECT
    Error = psycopg.Error

    def __init__(self, connection: Connection, *, name: str) -> None:
        """Take a connection and the `name` of the PostgreSQL schema that holds the archive."""
        connection.adapters.register_dumper(int, Int8Dumper)  # one prepared statement for all
        connection.row_factory = as_written
        self.connection = connection
        self._name = name
        self._columns: dict[str, dict[str, str]] = {}
        self._schema: int | None = None
        self._prepared: dict[str, bytes] = {}
        """The names of prepared statements of `has_row`, by statement."""

    def schema(self) -> int:
        """The schema of the archive."""
        if self._schema is None:
            (self._schema,) = self.execute("SELECT schema FROM archive").fetchall()[0]
        return self._schema

    @property
    def lost(self) -> bool:
        """Whether the connection is lost."""
        return self.connection.closed

    def execute(
        self, statement: str, parameters: Sequence[object] | Mapping[str, object] = (), /
    ) -> Rows:
        """Run one statement."""
        return self._run([(_translated(statement), storable(parameters))])[-1]

    def executemany(
        self, statement: str, rows: Iterable[Sequence[object] | Mapping[str, object]], /
    ) -> None:
        """Run one statement for each of the rows; one INSERT writes them all."""
        self._run(self._statements(statement, list(rows)))

    def ask(self, questions: Sequence[Question], /) -> list[list[Any]]:
        """Return the rows of each of several questions, in one round trip."""
        asked = [
            (_translated(statement), storable(parameters)) for statement, parameters in questions
        ]
        return [rows.fetchall() for rows in self._run(asked)]

    def has_row(self, statement: str, texts: Sequence[str], /) -> bool:
        """Whether a statement returns any row, by libpq's own calls, which take half the time."""
        line = self.connection.pgconn
        if statement not in self._prepared:
            name = b"has_row_%d" % len(self._prepared)
            self._checked(line.prepare(name, _numbered(statement).encode()))
            self._prepared[statement] = name
        octets = [text.encode() for text in texts]
        return self._checked(line.exec_prepared(self._prepared[statement], octets)).ntuples > 0

    def settle(self) -> None:
        """Do nothing: each statement is done when it returns."""

    def _checked(self, result: PGresult) -> PGresult:
        """Return a result of libpq. Raises psycopg.Error where it is an error."""
        if result.status in {ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK}:
            return result
        error = errors.error_from_result(result)
        if error.sqlstate is None:  # libpq's own: it lost the server
            error = psycopg.OperationalError(str(error))
        if error.sqlstate is None or isinstance(error, ENDING):
            self.connection.close()
        raise error

    def _run(self, statements: Sequence[Statement]) -> list[Rows]:
        """Run statements in one round trip; return the rows of each."""
        if not statements:
            return []
        try:
            if len(statements) == 1:
                return [self.connection.execute(*statements[0])]
            with self.connection.pipeline():
                return [self.connection.execute(*statement) for statement in statements]
        except ENDING:
            self.connection.close()  # the server is about to close it
            raise

    def _statements(
        self, statement: str, rows: Sequence[Sequence[object] | Mapping[str, object]]
    ) -> list[Statement]:
        """Return statements that run once for each of the rows; one INSERT writes them all."""
        insert = _INSERT.fullmatch(statement.strip())
        if insert is None:
            return [(_translated(statement), storable(row)) for row in rows]
        columns = [storable_values(column) for column in zip(*rows, strict=True)]
        return [(self._insert(insert), columns)] if rows else []

    def _insert(self, insert: re.Match[str]) -> str:
        """Return the statement that inserts rows, given as columns, at once."""
        table = insert["table"]
        if table not in self._columns:
            rows = self.connection.execute(_COLUMNS, (self._name, table))
            self._columns[table] = {str(name): str(of) for name, of in rows}
        types = self._columns[table]
        named = insert["columns"]
        columns = list(types) if named is None else named.replace('"', "").split(", ")
        marks = ", ".join(
            f"{'%b' if types[column] in _AS_THEY_ARE else '%s'}::{types[column]}[]"
            for column in columns
        )
        into = "" if named is None else f" ({named})"
        return f"INSERT INTO {table}{into} SELECT * FROM unnest({marks}){insert['rest']}"

    def defer_references(self) -> None:
        """Check references only at the end of the transaction."""
        self.execute("SET CONSTRAINTS ALL DEFERRED")

    def resume_ids(self) -> None:
        """Let generated ids continue after those of copied rows."""
        for table, column in self.execute(_GIVEN_IDS).fetchall():
            self.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), max({column}))"
                f" FROM {table} HAVING max({column}) IS NOT NULL"
            )

    def one_view(self) -> None:
        """Begin a transaction that sees all tables as they are now, with no time limit."""
        self.connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        self.connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")

    def rollback(self) -> None:
        """Undo the transaction, if there is one."""
        self.connection.rollback()

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()


_AS_THEY_ARE = {"bytea", "text"}
"""Arrays of these are sent as binary: the text form escapes each quote of each text."""
_GIVEN_IDS = """
SELECT table_name, column_name FROM information_schema.columns
WHERE table_schema = current_schema() AND is_identity = 'YES'
"""
_COLUMNS = """
SELECT a.attname, t.typname FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
WHERE a.attrelid = to_regclass(quote_ident(%s) || '.' || quote_ident(%s)) AND a.attnum > 0
  AND NOT a.attisdropped
ORDER BY a.attnum
"""


def storable(
    parameters: Sequence[object] | Mapping[str, object],
) -> Sequence[object] | Mapping[str, object]:
    """Return the parameters of a statement as PostgreSQL can store them."""
    if isinstance(parameters, Mapping):
        return dict(zip(parameters, storable_values(list(parameters.values())), strict=True))
    return storable_values(parameters)


def storable_values(values: Sequence[object]) -> list[object]:
    """Return values as PostgreSQL can store them."""
    return [
        _written(value)
        if isinstance(value, str) and (_NUL in value or value.startswith(_NUL_MARK))
        else value
        for value in values
    ]


def _written(text: str) -> str:
    return _NUL_MARK + text.replace(_ESCAPE, f"{_ESCAPE}1").replace(_NUL, f"{_ESCAPE}0")


def as_written(cursor: object) -> Callable[[Sequence[object]], tuple[object, ...]]:
    """Return a row factory of psycopg that restores all texts as they were given."""
    del cursor
    return _row


def _row(values: Sequence[object]) -> tuple[object, ...]:
    for value in values:
        if value.__class__ is str and value.startswith(_NUL_MARK):
            return tuple(_read(each) if isinstance(each, str) else each for each in values)
    return tuple(values)


def _read(text: str) -> str:
    if not text.startswith(_NUL_MARK):
        return text
    return _WRITTEN.sub(lambda found: _NUL if found[1] == "0" else _ESCAPE, text[len(_NUL_MARK) :])
