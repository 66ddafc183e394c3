"""Packs of small contents in one object each: records of the places of members, and a reader.

A pack is an object named by its digest. A row of `packed` has the place of one member.
`emptied_pack` names the packs that are to be deleted: replaced ones, and each new one until it
counts. So the pack of a killed process is deleted together with erased contents. A process that
packs or deletes packs holds the lease. If it takes too long, another process gets the lease and may
delete the new pack, which then never counts.
"""

from __future__ import annotations

import io
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from permacite.archive.objects.source import ContentReader
from permacite.archive.records.octets import is_named, is_packed, let_go, staged
from permacite.archive.records.rows import (
    PACKED,
    digest_in,
    has_schema,
    octets_of,
    stored,
    timestamp,
)
from permacite.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.objects.store import ObjectStore
    from permacite.archive.records.rows import Session, Transaction

__all__ = [
    "LEASE",
    "MOST_BYTES",
    "MOST_MEMBERS",
    "SMALL_BYTES",
    "Member",
    "PackReader",
    "announce",
    "drop",
    "emptied",
    "forget",
    "found",
    "give_back",
    "has_any",
    "is_full",
    "is_pack",
    "members",
    "note",
    "packed_digests",
    "replace",
    "take",
    "take_out",
    "to_repack",
    "waiting",
    "was_deleted",
]

SMALL_BYTES = 64 * 1024
"""The largest contents that are staged: to write larger ones twice costs more than a flush."""
MOST_MEMBERS = 1000
MOST_BYTES = 8 << 20
"""The size of a pack: it is in memory, and is read again if a member is erased."""
LEASE = timedelta(seconds=60)
"""How long one pack may take before another process may begin."""
_NAME = "packing"
_PAGE = 1000

_TAKE = """
INSERT INTO lease (name, holder, until) VALUES (:name, :holder, :until)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE lease.holder = excluded.holder OR lease.until < :now
"""


_PACKED = "INSERT INTO packed VALUES (?, ?, ?, ?)"


class Member(NamedTuple):
    """Contents in a pack, from `start` on."""

    digest: str
    pack: str
    start: int
    size_bytes: int


def _member(row: tuple[bytes, bytes, int, int]) -> Member:
    digest, pack, start, size_bytes = row
    return Member(digest_in(digest), digest_in(pack), start, size_bytes)


def _row(place: Member) -> tuple[bytes, bytes, int, int]:
    return octets_of(place.digest), octets_of(place.pack), place.start, place.size_bytes


def take(transaction: Transaction, holder: str) -> bool:
    """Take or keep the lease; False if another process holds it."""
    now = transaction.clock()
    row = {"name": _NAME, "holder": holder, "until": timestamp(now + LEASE), "now": timestamp(now)}
    return transaction.connection.execute(_TAKE, row).rowcount == 1


def give_back(transaction: Transaction, holder: str) -> None:
    """Give the lease back."""
    statement = "DELETE FROM lease WHERE name = ? AND holder = ?"
    transaction.connection.execute(statement, (_NAME, holder))


def waiting(session: Session, most: int, most_bytes: int) -> list[tuple[str, bytes]]:
    """Staged digests and bytes, the oldest first, up to `most` of them or about `most_bytes`."""
    question = "SELECT digest, content FROM unsettled ORDER BY unsettled_id LIMIT ?"
    batch, size = [], 0
    for digest, content in session.execute(question, (most,)):
        batch.append((digest_in(digest), bytes(content)))
        size += len(content)
        if size >= most_bytes:
            break
    return batch


def is_full(session: Session) -> bool:
    """Whether staged contents would fill a pack."""
    question = "SELECT count(*), coalesce(sum(length(content)), 0) FROM unsettled"
    number, size = session.execute(question).fetchone()
    return bool(number >= MOST_MEMBERS or size >= MOST_BYTES)


def found(session: Session, digest: str) -> bytes | Member | None:
    """The bytes if they are staged, else their place in a pack, or None."""
    content = staged(session, digest)
    if content is not None or not has_schema(session, PACKED):
        return content
    question = "SELECT digest, pack, start, size_bytes FROM packed WHERE digest = ?"
    row = session.execute(question, (stored(session, digest),)).fetchone()
    return None if row is None else _member(row)


def announce(transaction: Transaction, pack: str) -> None:
    """Announce a pack before it is stored: unless it counts later, it is deleted."""
    _let_delete(transaction, octets_of(pack))


def note(transaction: Transaction, places: Sequence[Member], *, holder: str) -> bool:
    """Record the members of a pack, and unstage them; False, and nothing is done, on a conflict.

    That is: a member was erased meanwhile, or is in another pack, or the pack may be deleted.
    """
    session = transaction.connection
    for place in places:
        if not isinstance(found(session, place.digest), bytes) or is_packed(session, place.digest):
            return False
    if not _counts(transaction, places[0].pack, holder):
        return False
    session.executemany(_PACKED, [_row(place) for place in places])
    let_go(transaction, [place.digest for place in places])
    return True


def drop(transaction: Transaction, digests: Sequence[str]) -> None:
    """Unstage contents that are in a pack already."""
    session = transaction.connection
    let_go(transaction, [digest for digest in digests if is_packed(session, digest)])


def forget(transaction: Transaction) -> None:
    """Forget all packs: this is a local copy of an archive with a remote store."""
    transaction.connection.execute("DELETE FROM packed")
    transaction.connection.execute("DELETE FROM emptied_pack")


def has_any(session: Session) -> bool:
    """Whether any pack is known."""
    if not has_schema(session, PACKED):
        return False
    return session.execute("SELECT 1 FROM packed LIMIT 1").fetchone() is not None


def is_pack(session: Session, digest: str) -> bool:
    """Whether an object is a pack, or one that is to be deleted."""
    if not has_schema(session, PACKED):
        return False
    question = """
SELECT EXISTS (SELECT 1 FROM packed WHERE pack = :digest)
    OR EXISTS (SELECT 1 FROM emptied_pack WHERE pack = :digest)
"""
    return bool(session.execute(question, {"digest": stored(session, digest)}).fetchone()[0])


def packed_digests(session: Session, after: str, limit: int) -> list[str]:
    """Up to `limit` digests of members after `after`; from the first for ""."""
    if not has_schema(session, PACKED):
        return []
    question = "SELECT digest FROM packed WHERE digest > ? ORDER BY digest LIMIT ?"
    rows = session.execute(question, (stored(session, after), limit))
    return [digest_in(octets) for (octets,) in rows]


def members(session: Session, pack: str) -> list[Member]:
    """The members of a pack, in order."""
    question = "SELECT digest, pack, start, size_bytes FROM packed WHERE pack = ? ORDER BY start"
    return [_member(row) for row in session.execute(question, (stored(session, pack),))]


def to_repack(session: Session) -> dict[str, list[str]]:
    """The packs with contents that are to be destroyed, and the digests of these."""
    if not has_schema(session, PACKED):
        return {}
    packs: dict[str, list[str]] = {}
    question = "SELECT DISTINCT pack, digest FROM packed JOIN erasure_object USING (digest)"
    for pack, octets in session.execute(question).fetchall():
        digest = digest_in(octets)
        if not is_named(session, digest):
            packs.setdefault(digest_in(pack), []).append(digest)
    return packs


def _counts(transaction: Transaction, pack: str, holder: str) -> bool:
    """Let an announced pack count, unless another process holds the lease and may delete it."""
    held = "SELECT 1 FROM lease WHERE name = ? AND holder = ?"
    if transaction.connection.execute(held, (_NAME, holder)).fetchone() is None:
        return False
    was_deleted(transaction, pack)
    return True


def _let_delete(transaction: Transaction, pack: bytes) -> None:
    statement = "INSERT INTO emptied_pack VALUES (?) ON CONFLICT DO NOTHING"
    transaction.connection.execute(statement, (pack,))


def replace(
    transaction: Transaction,
    pack: str,
    gone: Sequence[str],
    places: Sequence[Member],
    *,
    holder: str,
) -> bool:
    """Move the other members of a pack to a new one, and let the old one be deleted.

    False, and nothing is done, if its members changed, erased ones are named again, or the new pack
    may be deleted.
    """
    session = transaction.connection
    there = {member.digest for member in members(session, pack)}
    if there != {*gone, *(place.digest for place in places)}:
        return False
    if any(is_named(session, digest) for digest in gone):
        return False
    for new in {place.pack for place in places} - {pack}:
        if not _counts(transaction, new, holder):
            return False
    session.execute("DELETE FROM packed WHERE pack = ?", (octets_of(pack),))
    session.executemany(_PACKED, [_row(place) for place in places])
    _let_delete(transaction, octets_of(pack))
    return True


def take_out(transaction: Transaction, digest: str) -> None:
    """Remove contents with an object of their own from packs; let an empty pack be deleted."""
    session = transaction.connection
    there = session.execute("SELECT pack FROM packed WHERE digest = ?", (octets_of(digest),))
    for (pack,) in there.fetchall():
        session.execute("DELETE FROM packed WHERE digest = ?", (octets_of(digest),))
        left = session.execute("SELECT 1 FROM packed WHERE pack = ? LIMIT 1", (pack,)).fetchone()
        if left is None:
            _let_delete(transaction, pack)


def emptied(session: Session) -> list[str]:
    """The packs that are to be deleted."""
    if not has_schema(session, PACKED):
        return []
    packs = session.execute("SELECT pack FROM emptied_pack").fetchall()
    return [digest_in(octets) for (octets,) in packs]


def was_deleted(transaction: Transaction, pack: str) -> None:
    """Note that a pack is deleted, or counts."""
    transaction.connection.execute("DELETE FROM emptied_pack WHERE pack = ?", (octets_of(pack),))


class PackReader:
    """Reads contents that are staged, or in packs. Threads may share it."""

    def __init__(self, store: ObjectStore, catalog: Catalog) -> None:
        """Take both that are open."""
        self._store = store
        self._catalog = catalog
        self._checked = ("", b"")
        """The pack of the last check, and its bytes if it was read whole."""

    def open(self, digest: str) -> ContentReader | None:
        """Open contents that are staged or in a pack; None if they are neither.

        Raises NotFoundError where their pack is missing, StorageError.
        """
        place = self._catalog.read(found, digest)
        if isinstance(place, Member):
            try:
                return self.member(place)
            except NotFoundError:
                again = self._catalog.read(found, digest)
            if again == place:
                raise NotFoundError(f"the pack of {digest} is missing", digest)
            return self.open(digest)  # it was packed again meanwhile
        return None if place is None else ContentReader(digest, io.BytesIO(place), "the catalog")

    def member(self, place: Member) -> ContentReader:
        """Open a member. Raises NotFoundError, StorageError."""
        content = self._store.part(place.pack, place.start, place.start + place.size_bytes)
        return ContentReader(place.digest, io.BytesIO(content), _named(place))

    def check(self, digest: str) -> bool:
        """Recompute the digest of contents in a pack; False if they are in none.

        Checks of members of one pack in a row read the pack once. Raises IntegrityError,
        NotFoundError, StorageError.
        """
        place = self._catalog.read(found, digest)
        if not isinstance(place, Member):
            return False
        last, pack = self._checked
        if place.pack != last:
            pack = b""  # the first one is read alone: there may be no more
        elif not pack:
            with self._store.open(place.pack) as source:
                pack = source.read(0, source.size)
        self._checked = (place.pack, pack)
        if pack:
            content = pack[place.start : place.start + place.size_bytes]
            ContentReader(digest, io.BytesIO(content), _named(place)).check()
        else:
            self.member(place).check()
        return True

    def begin_checks(self) -> None:
        """Forget what earlier checks have read."""
        self._checked = ("", b"")

    def is_pack(self, digest: str) -> bool:
        """Whether an object is a pack."""
        return self._catalog.read(is_pack, digest)

    def digests(self) -> Iterator[str]:
        """Yield the digests of all members."""
        last = ""
        while page := self._catalog.read(packed_digests, last, _PAGE):
            yield from page
            last = page[-1]


def _named(place: Member) -> str:
    """The name of a place in errors."""
    return f"{place.pack} at {place.start}"
