"""Access tokens for requests over the network, with their rate limits.

Tokens belong to one machine, so they are in a file of their own beside the catalog: no copy has it,
and no entry of the log mentions them. Only the digest of a token is kept; it has 256 random bits.
The file is read for each request, so a revoked token is refused from the next request on, by every
server of this archive.

| table | rows |
|---|---|
| token | valid tokens; deleted when revoked |
| share | rate limits that differ from the usual |
| person | the owner of a token; deleted only when the person is to be forgotten |
| spent | requests of a token in this minute, and bytes sent in this day, over all servers |
| written | names that were committed, each with the short name of a token, never the person |
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import sqlite3
from datetime import datetime
from typing import TYPE_CHECKING

from permacite.archive.objects.durable import modes_of
from permacite.archive.sqlite.connection import write_ahead
from permacite.errors import LimitError, NotFoundError, RateError, StorageError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["FILE", "USUAL_SHARE", "Share", "Token", "TokenStore", "WrittenName", "new_token"]

FILE = "tokens.sqlite"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS token (
  token_id TEXT PRIMARY KEY CHECK (token_id <> ''),
  digest TEXT NOT NULL UNIQUE CHECK (length(digest) = 64),
  series TEXT NOT NULL CHECK (series <> ''),
  scope TEXT NOT NULL CHECK (scope IN ('read', 'cite', 'save', 'admin')),
  note TEXT NOT NULL,
  added_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS share (
  token_id TEXT PRIMARY KEY,
  requests INTEGER NOT NULL CHECK (requests > 0),
  octets INTEGER NOT NULL CHECK (octets > 0)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS person (
  token_id TEXT PRIMARY KEY,
  name TEXT NOT NULL CHECK (name <> '')
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent (
  token_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('requests', 'octets')),
  period INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (token_id, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS written (
  written_id INTEGER PRIMARY KEY,
  token_id TEXT NOT NULL,
  name TEXT NOT NULL,
  written_at TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS written_token ON written (token_id);
"""
_ROWS = """
SELECT token_id, series, scope, note, added_at, coalesce(name, ''),
  coalesce(requests, {requests}), coalesce(octets, {octets})
FROM token LEFT JOIN person USING (token_id) LEFT JOIN share USING (token_id)
"""
_WRITTEN = """
SELECT token_id, coalesce(person.name, ''), written.name, written_at
FROM written LEFT JOIN person USING (token_id)
"""
_SPEND = """
INSERT INTO spent VALUES (?, ?, ?, ?)
ON CONFLICT (token_id, kind) DO UPDATE SET period = excluded.period,
  amount = excluded.amount + CASE WHEN period = excluded.period THEN amount ELSE 0 END
RETURNING amount
"""
_PREFIX = "permacite_"
"""The prefix by which a token in a text is recognised."""
_ID_BYTES = 4
_SECRET_BYTES = 32
_BUSY_S = 5.0
_PERIODS = {"requests": 60, "octets": 24 * 60 * 60}
"""Seconds after which each count restarts."""


@dataclass(frozen=True, slots=True)
class Share:
    """The rate limits of a token."""

    requests: int = 600
    """A minute."""
    octets: int = 2 * 1024 * 1024 * 1024
    """Sent in requests, a day (UTC)."""


USUAL_SHARE = Share()


@dataclass(frozen=True, slots=True)
class Token:
    """A listed token: everything but the secret."""

    id: str
    """The short name by which it is revoked, and that records have."""
    series: str
    """The series in which it may mint, and whose closed documents it may read."""
    scope: str
    """Its scope: "read", "cite", "save" or "admin"; each includes those before it."""
    note: str
    """Its purpose, in the words of the person who added it."""
    added_at: datetime
    person: str = ""
    """Its owner; "" where unknown or forgotten."""
    share: Share = USUAL_SHARE


@dataclass(frozen=True, slots=True)
class WrittenName:
    """A name that was committed over the network, and by which token."""

    token: str
    person: str
    """The owner of the token; "" where unknown or forgotten."""
    name: str
    """Of the document, or the citation."""
    written_at: datetime


class TokenStore:
    """The tokens of the archive in a folder."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE
        self._directory = directory

    def add(self, token: Token) -> str:
        """Add a token; its secret is given this once.

        Raises StorageError.
        """
        secret = _PREFIX + secrets.token_urlsafe(_SECRET_BYTES)
        self._make()
        with self._open() as rows:
            rows.execute(
                "INSERT INTO token VALUES (?, ?, ?, ?, ?, ?)",
                (
                    token.id,
                    _digest(secret),
                    token.series,
                    token.scope,
                    token.note,
                    token.added_at.isoformat(),
                ),
            )
            share = (token.id, token.share.requests, token.share.octets)
            rows.execute("INSERT INTO share VALUES (?, ?, ?)", share)
            if token.person:
                rows.execute("INSERT INTO person VALUES (?, ?)", (token.id, token.person))
        return secret

    def listed(self) -> list[Token]:
        """All that admit somebody, oldest first. Raises StorageError."""
        return self._read("ORDER BY added_at, token_id")

    def find(self, secret: str) -> Token | None:
        """The token of a secret; None where it is unknown or revoked. Raises StorageError."""
        return next(iter(self._read("WHERE digest = ?", _digest(secret))), None)

    def revoke(self, token_id: str) -> None:
        """Let a token admit nobody any more. Raises NotFoundError, StorageError."""
        if not self._change("DELETE FROM token WHERE token_id = ?", token_id):
            hint = "permacite token list shows them"
            raise NotFoundError("there is no such token", token_id, hint=hint)

    def forget(self, token_id: str) -> None:
        """Destroy what says whose a token is or was. Raises NotFoundError, StorageError."""
        if not self._change("DELETE FROM person WHERE token_id = ?", token_id):
            raise NotFoundError("nobody is on record for that token", token_id)
        with self._open() as rows:
            rows.commit()
            rows.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def spend(self, token: Token, kind: str, amount: int, *, at: datetime) -> None:
        """Count requests, or octets, that come with a token, whichever server they come to.

        Raises RateError where its share is used up, LimitError for more octets than it has in a
        day, StorageError.
        """
        share = token.share.requests if kind == "requests" else token.share.octets
        if amount > share:
            problem = "the token lets its bearer send fewer octets a day than these"
            raise LimitError(problem, limit="token_octets", maximum=share)
        seconds = _PERIODS[kind]
        now = int(at.timestamp())
        with self._open(durable=False) as rows:
            row = (token.id, kind, now // seconds, amount)
            ((spent,),) = rows.execute(_SPEND, row).fetchall()
            if spent > share:
                over = "minute" if kind == "requests" else "day"
                raise RateError(
                    f"the token is for {share} {kind} a {over}",
                    retry_after_s=seconds - now % seconds,
                )

    def write(self, token: Token, name: str, *, at: datetime) -> None:
        """Record that what has a name was committed by the bearer of a token."""
        with self._open() as rows:
            rows.execute(
                "INSERT INTO written (token_id, name, written_at) VALUES (?, ?, ?)",
                (token.id, name, at.isoformat()),
            )

    def written(self, token_id: str | None = None) -> Sequence[WrittenName]:
        """What was committed with a token, or with any, oldest first. Raises StorageError."""
        if not self._path.exists():
            return ()
        with self._open() as rows:
            found = rows.execute(
                f"{_WRITTEN} WHERE token_id = coalesce(?, token_id) ORDER BY written_id",
                (token_id,),
            ).fetchall()
        return [
            WrittenName(token, person, name, datetime.fromisoformat(at))
            for token, person, name, at in found
        ]

    def _change(self, statement: str, token_id: str) -> int:
        if not self._path.exists():
            return 0
        with self._open() as rows:
            return rows.execute(statement, (token_id,)).rowcount

    def _read(self, condition: str, *values: str) -> list[Token]:
        if not self._path.exists():
            return []
        question = _ROWS.format(requests=USUAL_SHARE.requests, octets=USUAL_SHARE.octets)
        with self._open() as rows:
            found = rows.execute(question + condition, values).fetchall()
        return [
            Token(name, series, scope, note, datetime.fromisoformat(at), person, Share(*share))
            for name, series, scope, note, at, person, *share in found
        ]

    def _make(self) -> None:
        """Make the file, for whoever may read the archive's secrets alone."""
        with self._telling():
            secret = modes_of(self._directory).secret
            os.close(os.open(self._path, os.O_CREAT | os.O_WRONLY, secret))

    @contextlib.contextmanager
    def _open(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """The rows, in one transaction; one that is not `durable` need not outlive the power."""
        with (
            self._telling(),
            contextlib.closing(sqlite3.connect(self._path, timeout=_BUSY_S)) as rows,
        ):
            write_ahead(rows)
            rows.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            rows.execute("PRAGMA secure_delete = ON")
            rows.executescript(_SCHEMA)
            with rows:
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


def new_token(
    series: str, scope: str, note: str, *, at: datetime, person: str, share: Share
) -> Token:
    """A token with a short name of its own, which nothing tells of yet."""
    return Token(secrets.token_hex(_ID_BYTES), series, scope, note, at, person, share)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
