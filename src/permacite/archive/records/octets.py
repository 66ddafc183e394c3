"""Records of octets: which are named by rows, staged, or to be destroyed.

Octets that are staged were committed in the transaction that names them, and become objects
after it. The table is called `unsettled`: that is its stored name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.objects.source import MOST_OF_BLOB
from permacite.archive.records.rows import (
    DIGESTS,
    PACKED,
    STAGED,
    Together,
    among,
    digest_in,
    has_schema,
    octets_of,
    stored,
)
from permacite.archive.records.settings import SET, settings, settings_digest
from permacite.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from permacite.archive.records.rows import Session, Transaction

__all__ = [
    "await_git_blobs",
    "check_octets",
    "check_since",
    "destroy",
    "erasing_round",
    "git_blobs",
    "is_named",
    "is_packed",
    "keep_pieces",
    "kept_in",
    "let_go",
    "name_git_blobs",
    "pieces_of",
    "round_in",
    "some_objects",
    "stage",
    "stage_named",
    "staged",
    "staged_digests",
    "unnamed_git_blobs",
]

_ROUND = "erasing"
"""The setting that counts how often octets were destroyed."""

_NAMED = """
SELECT EXISTS (SELECT 1 FROM representation WHERE digest = :digest)
    OR EXISTS (SELECT 1 FROM representation WHERE received_digest = :digest)
    OR EXISTS (SELECT 1 FROM attachment WHERE digest = :digest)
"""


def is_named(connection: Session, digest: str) -> bool:
    """Whether anything committed has these octets."""
    return bool(connection.execute(_NAMED, {"digest": stored(connection, digest)}).fetchone()[0])


def is_packed(connection: Session, digest: str) -> bool:
    """Whether these octets are in a pack: see `engine.packs`."""
    if not has_schema(connection, PACKED):
        return False
    question = "SELECT 1 FROM packed WHERE digest = ?"
    return connection.execute(question, (stored(connection, digest),)).fetchone() is not None


_OBJECTS = """
SELECT digest FROM representation AS r
WHERE NOT EXISTS (SELECT 1 FROM unsettled AS u WHERE u.digest = r.digest) LIMIT ?
"""
_PACKS = "SELECT DISTINCT pack FROM (SELECT pack FROM packed LIMIT 1000) AS few LIMIT ?"


def some_objects(connection: Session, most: int) -> list[str]:
    """The digests of some octets that should be objects of the store; none where it is empty."""
    question = _PACKS if has_schema(connection, PACKED) else _OBJECTS
    rows = connection.execute(question, (most,)).fetchall()
    if not rows and has_schema(connection, STAGED):
        rows = connection.execute(_OBJECTS, (most,)).fetchall()
    return [digest_in(octets) for (octets,) in rows]


def kept_in(together: Together, table: str, digests: Iterable[str]) -> list[tuple[bytes]]:
    """Which of these digests a table has, as octets, to be asked with other questions."""
    condition, asked = among("digest", [octets_of(digest) for digest in digests])
    return together.ask(f"SELECT digest FROM {table} WHERE {condition}", asked)


def stage(
    connection: Session,
    contents: Iterable[tuple[str, bytes]],
    known: Iterable[tuple[bytes]] | None = None,
) -> None:
    """Keep octets, each with its digest, until they are objects.

    Those that are kept so already are looked up where they are not `known`.
    """
    new = dict(contents)
    if known is None:
        together = Together(connection)
        known = kept_in(together, "unsettled", new)
        together.put()
    for (octets,) in known:
        del new[digest_in(octets)]
    if new:
        statement = "INSERT INTO unsettled (digest, content) VALUES (?, ?)"
        rows = [(octets_of(digest), content) for digest, content in new.items()]
        connection.executemany(statement, rows)


def stage_named(connection: Session, contents: Iterable[tuple[str, bytes]]) -> None:
    """Stage those octets, each with its digest, that something names by now."""
    stage(connection, [each for each in contents if is_named(connection, each[0])])


def staged(connection: Session, digest: str) -> bytes | None:
    """The octets that are staged under a digest, or None."""
    if not has_schema(connection, STAGED):
        return None
    question = "SELECT content FROM unsettled WHERE digest = ?"
    row = connection.execute(question, (stored(connection, digest),)).fetchone()
    return None if row is None else bytes(row[0])


def staged_digests(connection: Session, limit: int) -> list[str]:
    """Up to `limit` digests of what is staged, the oldest first."""
    if not has_schema(connection, STAGED):
        return []
    question = "SELECT digest FROM unsettled ORDER BY unsettled_id LIMIT ?"
    return [digest_in(octets) for (octets,) in connection.execute(question, (limit,))]


def staged_bytes(connection: Session) -> int:
    """How much is staged."""
    if not has_schema(connection, STAGED):
        return 0
    question = "SELECT coalesce(sum(length(content)), 0) FROM unsettled"
    return int(connection.execute(question).fetchone()[0])


def let_go(transaction: Transaction, digests: Sequence[str]) -> None:
    """Let go of staged octets: they are objects now, and would survive a loss of power."""
    statement = "DELETE FROM unsettled WHERE digest = ?"
    transaction.connection.executemany(statement, [(octets_of(digest),) for digest in digests])


def let_go_since(transaction: Transaction, digests: Sequence[str], earlier_round: int) -> bool:
    """The same, of octets that were put since a round of erasing was read.

    False, and nothing is done, where octets were destroyed meanwhile: they may be staged anew, and
    no object any more.
    """
    if erasing_round(transaction.connection) != earlier_round:
        return False
    let_go(transaction, digests)
    return True


_SCHEMA_OF_BLOBS = 7
_NAME_BLOB = (
    "INSERT INTO git_blob VALUES (?, ?) ON CONFLICT (digest) DO UPDATE SET name = excluded.name"
)


def git_blobs(connection: Session, name: str) -> list[str]:
    """The digests of octets that Git calls so."""
    if not has_schema(connection, _SCHEMA_OF_BLOBS):
        return []
    asked = bytes.fromhex(name) if has_schema(connection, DIGESTS) else name
    question = "SELECT digest FROM git_blob WHERE name = ?"
    return [digest_in(octets) for (octets,) in connection.execute(question, (asked,))]


def unnamed_git_blobs(connection: Session) -> list[str]:
    """The digests of texts of which nobody has asked yet what Git calls them."""
    if not has_schema(connection, _SCHEMA_OF_BLOBS):
        return []
    question = "SELECT digest FROM git_blob WHERE name IS NULL"
    return [digest_in(octets) for (octets,) in connection.execute(question)]


def name_git_blobs(connection: Session, blobs: Sequence[tuple[str, str]]) -> None:
    """Note what Git calls octets: of each the digest, and that name."""
    rows = [(octets_of(digest), bytes.fromhex(name)) for digest, name in dict(blobs).items()]
    connection.executemany(_NAME_BLOB, rows)


def await_git_blobs(connection: Session, texts: Sequence[tuple[str, int]]) -> None:
    """Note texts, by digest and size, that are read when somebody asks what Git calls them."""
    rows = [(octets_of(digest),) for digest, size_bytes in texts if size_bytes <= MOST_OF_BLOB]
    statement = "INSERT INTO git_blob (digest) VALUES (?) ON CONFLICT (digest) DO NOTHING"
    connection.executemany(statement, rows)


_SCHEMA_OF_PIECES = 10
_KEEP_PIECES = (
    "INSERT INTO content_pieces (digest, pieces) VALUES (?, ?)"
    " ON CONFLICT (digest) DO UPDATE SET pieces = excluded.pieces"
)


def pieces_of(connection: Session, digest: str) -> bytes | None:
    """The digests of the pieces of octets that came in without them; None where none were made."""
    if not has_schema(connection, _SCHEMA_OF_PIECES):
        return None
    question = "SELECT pieces FROM content_pieces WHERE digest = ?"
    row = connection.execute(question, (stored(connection, digest),)).fetchone()
    return None if row is None else bytes(row[0])


def keep_pieces(connection: Session, digest: str, pieces: bytes) -> None:
    """Keep digests of pieces, as long as anything has the octets that they are of."""
    if is_named(connection, digest):
        connection.execute(_KEEP_PIECES, (octets_of(digest), pieces))


def erasing_round(connection: Session) -> int:
    """How often octets were destroyed so far: see `check_octets`. Raises StorageError."""
    return round_in(settings(connection))


def round_in(told: Mapping[str, str]) -> int:
    """The same, of settings that are known. Raises StorageError."""
    value = told.get(_ROUND, "0")
    if not value.isdecimal():
        raise StorageError(
            f"the catalog is damaged: the setting {_ROUND} is no number", path="", reason="damaged"
        )
    return int(value)


def check_octets(
    told: Mapping[str, str], doomed: AbstractSet[str], digests: Iterable[str], earlier_round: int
) -> None:
    """Raise StorageError (reason "erasing") where octets that were there may be gone since.

    They are not if the settings that are `told` now have the round that was read before, so that
    nothing was destroyed since, and none of them is `doomed`: waits to be.
    """
    if round_in(told) != earlier_round or not doomed.isdisjoint(digests):
        raise StorageError("octets were erased meanwhile", path="", reason="erasing")


def check_since(session: Session, digests: Sequence[str], earlier_round: int) -> None:
    """The same of what the records say now."""
    together = Together(session)
    rows = kept_in(together, "erasure_object", digests)
    together.put()
    doomed = {digest_in(octets) for (octets,) in rows}
    check_octets(settings(session), doomed, digests, earlier_round)


def destroy(transaction: Transaction, delete: Callable[[str], None]) -> None:
    """Call `delete` for the digests of octets that are to be destroyed and nothing names.

    Nobody commits meanwhile; whoever is about to learns of it (see `check_octets`). What is in a
    pack has to be left out of it first, and waits.
    """
    connection = transaction.connection
    waiting = connection.execute("SELECT DISTINCT digest FROM erasure_object").fetchall()
    for (octets,) in waiting:
        digest = digest_in(octets)
        named = is_named(connection, digest)
        if not named and is_packed(connection, digest):
            continue
        if not named:
            delete(digest)
            connection.execute("DELETE FROM git_blob WHERE digest = ?", (octets,))
            connection.execute("DELETE FROM content_pieces WHERE digest = ?", (octets,))
        connection.execute("DELETE FROM erasure_object WHERE digest = ?", (octets,))
    connection.execute(SET, (_ROUND, str(erasing_round(connection) + 1)))
    connection.execute(SET, settings_digest(connection))
