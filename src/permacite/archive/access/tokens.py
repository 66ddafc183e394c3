"""Tokens: what lets a program write to an archive over the network, and how far.

They belong to one machine. So they are rows of a file of their own beside the catalog: no copy
takes it along, and no entry of the log tells of them. Of a token only the digest is kept; it is
256 bits of chance, which no dictionary holds. The file is read for each request, so that a token
that is revoked admits nobody from the next one on, at whatever server of this archive.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from permacite.archive.objects.modes import modes_of
from permacite.errors import NotFoundError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["FILE", "Token", "Tokens"]

FILE = "tokens.sqlite"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS token (
  token_id TEXT PRIMARY KEY CHECK (token_id <> ''),
  digest TEXT NOT NULL UNIQUE CHECK (length(digest) = 64),
  series TEXT NOT NULL CHECK (series <> ''),
  scope TEXT NOT NULL CHECK (scope IN ('read', 'cite', 'save', 'admin')),
  note TEXT NOT NULL,
  added_at TEXT NOT NULL
) STRICT, WITHOUT ROWID
"""
_ROWS = "SELECT token_id, series, scope, note, added_at FROM token {} ORDER BY added_at, token_id"
_PREFIX = "permacite_"
"""So that whoever finds one in a text knows what it is."""
_ID_BYTES = 4
_SECRET_BYTES = 32
_BUSY_S = 5.0


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is listed: all but the secret."""

    id: str
    """By which it is revoked, and by which records say who wrote."""
    series: str
    """Whose names it lets mint."""
    scope: str
    """What it lets do: "save"."""
    note: str
    """What it is for, in the words of who added it."""
    added_at: datetime


class Tokens:
    """The tokens of the archive in a folder."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE
        self._directory = directory

    def add(self, series: str, scope: str, note: str, *, at: datetime) -> tuple[Token, str]:
        """Add a token; its secret is given this once. Raises StorageError."""
        token = Token(secrets.token_hex(_ID_BYTES), series, scope, note, at)
        secret = _PREFIX + secrets.token_urlsafe(_SECRET_BYTES)
        self._make()
        with self._open() as rows:
            rows.execute(
                "INSERT INTO token VALUES (?, ?, ?, ?, ?, ?)",
                (token.id, _digest(secret), series, scope, note, at.isoformat()),
            )
        return token, secret

    def listed(self) -> list[Token]:
        """All that admit somebody, oldest first. Raises StorageError."""
        return self._read("")

    def find(self, secret: str) -> Token | None:
        """The token of a secret; None where it is unknown or revoked. Raises StorageError."""
        return next(iter(self._read("WHERE digest = ?", _digest(secret))), None)

    def revoke(self, token_id: str) -> None:
        """Let a token admit nobody any more. Raises NotFoundError, StorageError."""
        count = 0
        if self._path.exists():
            with self._open() as rows:
                count = rows.execute("DELETE FROM token WHERE token_id = ?", (token_id,)).rowcount
        if not count:
            hint = "permacite token list shows them"
            raise NotFoundError("there is no such token", token_id, hint=hint)

    def _read(self, condition: str, *values: str) -> list[Token]:
        if not self._path.exists():
            return []
        with self._open() as rows:
            found = rows.execute(_ROWS.format(condition), values).fetchall()
        return [
            Token(name, series, scope, note, datetime.fromisoformat(at))
            for name, series, scope, note, at in found
        ]

    def _make(self) -> None:
        """Make the file, with its table, for whoever may read the archive's secrets alone."""
        with self._telling():
            secret = modes_of(self._directory).secret
            os.close(os.open(self._path, os.O_CREAT | os.O_WRONLY, secret))
        with self._open() as rows:
            rows.execute(_SCHEMA)

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """The rows, in one transaction."""
        with (
            self._telling(),
            contextlib.closing(sqlite3.connect(self._path, timeout=_BUSY_S)) as rows,
            rows,
        ):
            rows.execute("PRAGMA secure_delete = ON")
            yield rows

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        """Say what fails as the rest of the archive does."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise StorageError(
                f"the tokens cannot be read or kept: {error}", path=str(self._path), reason="io"
            ) from error


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
