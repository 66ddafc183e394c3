"""Connections to catalog.sqlite: how each is set up, how readers share them, what errors mean."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from typing import TYPE_CHECKING, Any, ClassVar

from permacite.archive.objects.durable import modes_of
from permacite.archive.records.rows import Dialect
from permacite.archive.schema import SCHEMA_VERSION, SITE
from permacite.errors import PermaciteError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from permacite.archive.records.rows import Question
    from permacite.archive.records.rows import Session as AnySession

__all__ = [
    "APPLICATION_ID",
    "Session",
    "aside_of",
    "connect",
    "faults",
    "make",
    "own",
    "reading_rows",
    "recognize",
    "reporting",
    "uri_of",
    "write_ahead",
]

APPLICATION_ID = 0x50444941
"""The letters PDIA, in the header of the file, by which programs such as `file` recognize it."""

_CHECKPOINT_PAGES = 4000
"""How long the write-ahead log gets, about 16 MB: pages that change often are moved once."""

_PAGES_KIB = 512
"""What a connection that reads keeps of the file: the upper pages of its trees, and some. SQLite's
2 MiB are no faster where the system has the file in memory, and a server has many connections."""

_REASONS = {
    sqlite3.SQLITE_BUSY: ("locked", "another process holds the archive"),
    sqlite3.SQLITE_LOCKED: ("locked", "another connection holds the archive"),
    sqlite3.SQLITE_FULL: ("full", "the disk is full"),
    sqlite3.SQLITE_NOTADB: ("not-an-archive", "the catalog is no SQLite file"),
    sqlite3.SQLITE_CANTOPEN: ("io", "the catalog cannot be opened"),
    sqlite3.SQLITE_CORRUPT: ("damaged", "the catalog is damaged"),
    sqlite3.SQLITE_READONLY: ("io", "the archive may only be read"),
}

_WAIT_S = 30.0

_OF_DAMAGE = (UnicodeDecodeError, LookupError, TypeError, AttributeError, ArithmeticError)
"""What comes of rows that hold other values than were ever written."""
_DIALECT = Dialect(
    texts="SELECT value FROM json_each(?)",
    keys="SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'),"
    " json_extract(value, '$[2]') FROM json_each(?)",
    as_octets="CAST(content AS BLOB)",
    site=SITE,
    entry_name="CASE WHEN json_valid(content) THEN json_extract(content, '$.name') END",
)


def write_ahead(connection: sqlite3.Connection) -> None:
    """Have a file keep a write-ahead log.

    SQLite reports BUSY at once while another process opens the same new file, whatever the timeout.
    So this tries again.
    """
    end_s = time.monotonic() + _WAIT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end_s:
                raise
            time.sleep(0.01)
        else:
            return


@contextlib.contextmanager
def reporting(path: Path) -> Iterator[None]:
    """Turn what SQLite raises, or a row that is damaged, into the StorageError that says it."""
    try:
        yield
    except PermaciteError:
        raise
    except (sqlite3.Error, *_OF_DAMAGE) as error:
        raise _refusal(error, path) from error


@contextlib.contextmanager
def reading_rows(path: Path) -> Iterator[None]:
    """Do the same where no value of a caller's can be wrong, so that each ValueError is damage."""
    with reporting(path):
        try:
            yield
        except (PermaciteError, UnicodeEncodeError):
            raise
        except ValueError as error:
            raise _refusal(error, path) from error


def _refusal(error: Exception, path: Path) -> StorageError:
    """Return the error of a catalog that SQLite, or whoever reads its rows, does not understand."""
    if not isinstance(error, sqlite3.Error) or "decode" in str(error):
        detail = " ".join(str(error).split())
        return StorageError(f"the catalog is damaged: {detail}", path=str(path), reason="damaged")
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    reason, problem = _REASONS.get(code, ("io", f"the catalog refuses: {error}"))
    return StorageError(problem, path=str(path), reason=reason)


def connect(path: Path, *, busy_timeout_s: float, query_only: bool = False) -> Session:
    """Return a connection to an existing file, in autocommit mode, for any one thread at a time.

    A commit is on the disk when it returns: synchronous=FULL flushes the write-ahead log, and
    fullfsync makes systems flush that otherwise only pass the flush on to the drive.
    """
    connection = sqlite3.connect(
        uri_of(path, mode="rw"),
        uri=True,
        timeout=busy_timeout_s,
        isolation_level=None,
        check_same_thread=False,
        factory=Session,
        cached_statements=256,
    )
    try:
        for setting in ("synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON"):
            connection.execute(f"PRAGMA {setting}")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        connection.execute(f"PRAGMA query_only = {'ON' if query_only else 'OFF'}")
        if query_only:
            connection.execute(f"PRAGMA cache_size = -{_PAGES_KIB}")
    except Exception:  # a message with damaged octets in it is no sqlite3.Error
        connection.close()
        raise
    return connection


def uri_of(path: Path, *, mode: str) -> str:
    """The address of a catalog for SQLite.

    On a disk that may only be read, SQLite cannot make the files through which readers and writers
    meet; nobody can write there, so it may go without them.
    """
    mode = mode if os.access(path.parent, os.W_OK) else "ro&immutable=1"
    return f"{path.absolute().as_uri()}?mode={mode}"


def make(path: Path, fill: Callable[[Session], None]) -> None:
    """Make a catalog at `path`, whole or not at all: it is written aside, filled, then linked.

    Raises FileExistsError where `path` is taken.
    """
    from permacite.archive.sqlite.schema import SCHEMA

    aside = aside_of(path)
    connection = sqlite3.connect(aside, isolation_level=None, factory=Session)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.executescript(
            f"BEGIN; {SCHEMA}"
            f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION};"
        )
        fill(connection)
        connection.execute("COMMIT")
    finally:
        connection.close()  # the last connection moves the write-ahead log into the file
    try:
        os.link(aside, path)
    finally:
        aside.unlink()


def recognize(path: Path, *, busy_timeout_s: float) -> None:
    """Check that `path` is a catalog that this version understands. Raises StorageError."""
    if not path.exists():
        raise StorageError(
            "there is no archive here", path=str(path.parent), reason="not-an-archive"
        )
    with (
        reporting(path),
        contextlib.closing(connect(path, busy_timeout_s=busy_timeout_s)) as connection,
    ):
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        raise StorageError(
            "the catalog is some other program's", path=str(path), reason="not-an-archive"
        )
    if version > SCHEMA_VERSION:
        raise StorageError(
            f"the archive has schema {version}, and this permacite knows {SCHEMA_VERSION}",
            path=str(path),
            reason="newer",
            hint="use a later version of permacite",
        )


def faults(session: AnySession) -> list[str]:
    """The faults of the file: damaged pages, broken references, rules that are gone."""
    connection = own(session)
    problems: list[str] = []
    for check in (_damaged_pages, _broken_references, _other_rules):
        try:
            problems += check(connection)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            problems.append(f"damaged: {error}")
    return sorted(set(problems))


def own(session: AnySession) -> Session:
    """A session of a catalog of ours, which is one of SQLite."""
    assert isinstance(session, Session)  # noqa: S101 - no catalog has others
    return session


def _damaged_pages(connection: sqlite3.Connection) -> Iterator[str]:
    for (problem,) in connection.execute("PRAGMA integrity_check"):
        if problem != "ok":
            yield f"damaged: {problem}"


def _broken_references(connection: sqlite3.Connection) -> Iterator[str]:
    for row in connection.execute("PRAGMA foreign_key_check"):
        yield f"row {row[1]} of {row[0]} refers to no row of {row[2]}"


def _other_rules(connection: sqlite3.Connection) -> Iterator[str]:
    from permacite.archive.sqlite.schema import SCHEMA, earlier

    question = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"
    actual = set(connection.execute(question))
    with contextlib.closing(sqlite3.connect(":memory:")) as empty:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        empty.executescript(SCHEMA if version >= SCHEMA_VERSION else earlier(version))
        expected = set(empty.execute(question))
    for kind, name, _ in expected - actual:
        yield f"the {kind} {name} is missing or another"
    for kind, name, _ in actual - expected:
        yield f"the {kind} {name} is not ours"


def aside_of(path: Path) -> Path:
    """Make an empty file beside a catalog, with the mode of one: SQLite's own files take it too."""
    aside = path.with_name(f"{path.name}.{os.urandom(8).hex()}.new")
    descriptor = os.open(aside, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(descriptor, modes_of(path.parent).file)
    finally:
        os.close(descriptor)
    return aside


class Session(sqlite3.Connection):
    """A connection; all that runs a statement is sqlite3's own."""

    dialect: ClassVar = _DIALECT
    lost: ClassVar = False

    def schema(self) -> int:
        """The schema of the catalog, which may be earlier than ours."""
        return int(self.execute("PRAGMA user_version").fetchone()[0])

    def ask(self, questions: Sequence[Question], /) -> list[list[Any]]:
        """The rows that answer each of several questions."""
        return [self.execute(*question).fetchall() for question in questions]

    def has_row(self, statement: str, texts: Sequence[str], /) -> bool:
        """Whether a statement gives any row."""
        return self.execute(statement, texts).fetchone() is not None

    def defer_references(self) -> None:
        """Let references to rows that are gone stand until the transaction ends."""
        self.execute("PRAGMA defer_foreign_keys = ON")

    def one_view(self) -> None:
        """Begin a transaction that sees all tables as they are now."""
        self.execute("BEGIN")

    def begin(self) -> None:
        """Begin a transaction in which nobody else writes."""
        self.execute("BEGIN IMMEDIATE")

    def resume_ids(self) -> None:
        """Do nothing: SQLite gives the id behind the highest."""

    def settle(self) -> None:
        """Nothing waits: each statement is done when it returns."""

    def forget(self) -> None:
        """Nothing waits."""
