"""Archive with its records in PostgreSQL, its contents in a shared folder or an object store."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from permacite.archive.entries import seal
from permacite.archive.objects.durable import make_folders
from permacite.archive.objects.files import FileObjects
from permacite.archive.objects.store import open_store
from permacite.archive.postgresql.location import located
from permacite.archive.records.days import kept
from permacite.archive.records.rows import Transaction
from permacite.archive.records.settings import name_store
from permacite.errors import ConflictError, ParseError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.engine.location import Fill
    from permacite.archive.entries import Sealer
    from permacite.archive.model.answered import Clock
    from permacite.archive.objects.store import ObjectStore
    from permacite.archive.postgresql.location import PostgresqlLocation

__all__ = ["Server"]

_TAKEN = """
SELECT EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = n.oid AND relname = 'archive'),
  EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = n.oid)
FROM pg_namespace AS n WHERE n.nspname = ?
"""
_EARLIEST = 120000
"""The earliest version of PostgreSQL."""


class Server:
    """The location of an archive in PostgreSQL."""

    def __init__(self, location: str) -> None:
        """Read a location. Raises ParseError."""
        self._located = located(location)

    @property
    def where(self) -> str:
        """The location, without folders and secrets."""
        return self._located.where

    @property
    def directory(self) -> Path:
        """The folder of this machine's own files."""
        return self._located.local

    @property
    def log_key(self) -> Path | None:
        """The file of the key that signs the log; None where nothing is signed here."""
        return self._located.log_key

    def make(self, fill: Fill, clock: Clock, objects: str | None) -> None:
        """Make the schema, whole or not at all. Raises ConflictError, ParseError, StorageError."""
        if objects is not None:
            raise ParseError("expected the store of octets in the location", objects, 0)
        _check_installed()
        from permacite.archive.postgresql.connection import connect, opening
        from permacite.archive.postgresql.schema import SCHEMA, grants
        from permacite.archive.schema import SCHEMA_VERSION

        name = self._located.schema
        with opening(self.where), _made_by_one(self._located):
            session = connect(self._located, busy_timeout_s=10.0, read_only=False)
            connection = session.connection
            try:
                self._check_server(session.connection.info.server_version)
                (encoding,) = session.execute("SHOW server_encoding").fetchall()[0]
                if encoding != "UTF8":
                    problem = f"the database is written in {encoding}, and not in UTF8"
                    raise StorageError(problem, path=self.where, reason="io")
                with connection.transaction():
                    for archive, taken in session.execute(_TAKEN, (name,)):
                        if taken:
                            what = "is an archive already" if archive else "is not empty"
                            raise ConflictError(f"the schema {name} {what}", self.where)
                    connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{name}"'.encode())
                    connection.execute(SCHEMA.encode())
                    session.execute("INSERT INTO archive VALUES (1, ?)", (SCHEMA_VERSION,))
                    for statement in grants(name, self._located.grant):
                        connection.execute(statement.encode())
                    transaction = Transaction(session, kept(clock), seal)
                    fill(transaction)
                    name_store(transaction)
                    self._make_folders()
                    self.objects().claim()
            finally:
                session.close()

    def _check_server(self, version: int) -> None:
        if version < _EARLIEST:
            raise StorageError(
                f"PostgreSQL {version // 10000} is too early: 12 is the first that will do",
                path=self.where,
                reason="io",
            )

    def _make_folders(self) -> None:
        try:
            # In this order: a folder made on the way to another has the modes of the umask.
            for folder in (self.directory, self._located.objects):
                if not isinstance(folder, str):
                    make_folders(folder)
        except OSError as error:
            raise StorageError(
                f"cannot make {error.filename}: {error.strerror}",
                path=str(error.filename),
                reason="io",
            ) from error

    @property
    def names_objects(self) -> bool:
        """Whether the location names the object store: always."""
        return True

    def objects(self) -> ObjectStore:
        """Open the object store. Raises as `open_store`."""
        store = self._located.objects
        return open_store(store) if isinstance(store, str) else FileObjects(store)

    def catalog(self, *, clock: Clock, sealer: Sealer, busy_timeout_s: float) -> Catalog:
        """Open the catalog. Raises StorageError."""
        _check_installed()
        from permacite.archive.postgresql.catalog import Catalog

        catalog = Catalog(self._located, clock=clock, sealer=sealer, busy_timeout_s=busy_timeout_s)
        try:
            self._make_folders()  # only now: where there is no archive, none are
        except StorageError:
            catalog.close()
            raise
        return catalog


@contextlib.contextmanager
def _made_by_one(located: PostgresqlLocation) -> Iterator[None]:
    """Raise ConflictError where another process makes an archive in the schema meanwhile.

    PostgreSQL lets the second wait for the first, and then finds two of one name.
    """
    from psycopg import errors

    try:
        yield
    except (errors.UniqueViolation, errors.DuplicateTable, errors.DuplicateSchema) as error:
        problem = f"the schema {located.schema} is an archive already"
        raise ConflictError(problem, located.where) from error


def _check_installed() -> None:
    """Raise StorageError without psycopg."""
    try:
        import psycopg
    except ImportError as error:
        problem, hint = "archives in PostgreSQL need psycopg", "install permacite[cluster]"
        raise StorageError(problem, path="postgresql:", reason="missing", hint=hint) from error
    del psycopg
