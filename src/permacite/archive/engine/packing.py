"""Packs: small octets together in one object of a store elsewhere, in place of an object each.

A put and its reading back cost two round trips, whatever the size. So what is staged is written
behind in packs: tar files whose members are named by the SHA-256 of their content. Each is read by
one request for a range, and a pack by any program that reads tar files. A pack is an object like
any other, named by its digest; the catalog knows what is where in it.

Who packs holds a lease, so that two do not pack the same. Where octets are erased, what is left of
their pack goes into another one, and the pack is deleted; so is each that came to nothing.
"""

from __future__ import annotations

import contextlib
import os
import tarfile
import threading
import time
from typing import TYPE_CHECKING

from permacite.archive.engine import packs
from permacite.archive.objects.source import digest_of
from permacite.archive.records import octets
from permacite.errors import IntegrityError, NotFoundError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.objects.store import ObjectStore

__all__ = ["Packer"]

_BLOCK = 512
"""Of a tar file: headers have one, contents are filled up to whole ones (POSIX, ustar)."""
_PAUSE_S = 0.1
_PATIENCE_S = 2 * packs.LEASE.total_seconds()
"""How long who deletes packs waits for who makes them: for longer than one who was killed can hold
the lease."""


class Packer:
    """Packs what is staged. Any number of threads and processes may pack for one archive."""

    def __init__(self, store: ObjectStore, catalog: Catalog) -> None:
        """Take both that are open."""
        self._store = store
        self._catalog = catalog
        self._reader = packs.PackReader(store, catalog)
        self._lock = threading.Lock()
        self._holder = os.urandom(16).hex()

    def settle_some(self) -> int | None:
        """Pack some of what is staged; how many octets, None where others do it or none is.

        Raises StorageError.
        """
        if not self._catalog.read(octets.staged_digests, 1):
            return None
        with self._lock:  # the lease is this process's
            if not self._catalog.write(packs.take, self._holder):
                return None
            try:
                batch = self._catalog.read(packs.waiting, packs.MOST_MEMBERS, packs.MOST_BYTES)
                self._keep(batch)
            finally:
                self._catalog.write(packs.give_back, self._holder)
        return sum(len(content) for _, content in batch) or None

    def _keep(self, batch: Sequence[tuple[str, bytes]]) -> None:
        """Make a pack of staged octets; an object of those that stand alone."""
        known = [digest for digest, _ in batch if self._catalog.read(octets.is_packed, digest)]
        fresh = [each for each in batch if each[0] not in known]
        if known:
            self._catalog.write(packs.drop, known)
        if len(fresh) == 1:
            self._put_one(*fresh[0])
        elif fresh:
            self._put_pack(fresh)

    def _put_one(self, digest: str, content: bytes) -> None:
        since = self._catalog.read(octets.erasing_round)
        self._store.put_all([(digest, content)])
        if self._catalog.read(octets.staged, digest) is None:
            self._destroy(digest)  # erased since it was read
        self._catalog.write(octets.let_go_since, [digest], since)

    def _put_pack(self, contents: Sequence[tuple[str, bytes]]) -> None:
        pack, places = _packed(contents)
        self._announced(places[0].pack, pack)
        if not self._catalog.write(packs.note, places, holder=self._holder):
            self._came_to_nothing(places[0].pack)

    def _announced(self, name: str, pack: bytes) -> None:
        """Put a pack, which is known first: who dies in between leaves nothing that is not."""
        self._catalog.write(packs.announce, name)
        self._store.put_all([(name, pack)])

    def _came_to_nothing(self, pack: str) -> None:
        self._destroy(pack)
        self._catalog.write(packs.was_deleted, pack)

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        """Hold the lease until the block ends; others are waited for. Raises StorageError."""
        deadline = time.monotonic() + _PATIENCE_S
        with self._lock:
            while not self._catalog.write(packs.take, self._holder):
                if time.monotonic() > deadline:
                    raise StorageError(
                        "other processes make packs all the time",
                        path=self._catalog.where,
                        reason="locked",
                        hint="what is to be destroyed is noted: ask again later",
                    )
                time.sleep(_PAUSE_S)
            try:
                yield
            finally:
                self._catalog.write(packs.give_back, self._holder)

    def leave_out_erased(self) -> None:
        """Pack anew what is beside octets that are to be destroyed, and delete their packs.

        What is altered or missing stays so, for `fsck` to find. Raises StorageError.
        """
        while waiting := self._catalog.read(packs.to_repack):
            for pack, gone in waiting.items():
                with self._turn():
                    self._leave_out(pack, gone)
        if not self._catalog.read(packs.emptied):
            return
        with self._turn():  # what another announced counts by now, or never will
            for pack in self._catalog.read(packs.emptied):
                self._came_to_nothing(pack)

    def _leave_out(self, pack: str, gone: Sequence[str]) -> None:
        members = self._catalog.read(packs.members, pack)
        beside = [member for member in members if member.digest not in gone]
        try:
            contents = [(member.digest, self._as_it_is(member)) for member in beside]
        except NotFoundError:
            self._catalog.write(packs.replace, pack, gone, beside, holder=self._holder)
            return
        new, places = _packed(contents)
        if beside:
            self._announced(digest_of(new), new)
        counts = self._catalog.write(packs.replace, pack, gone, places, holder=self._holder)
        if beside and not counts:
            self._came_to_nothing(digest_of(new))

    def _as_it_is(self, member: packs.Member) -> bytes:
        """Octets in a pack; where they are not right, asked for twice."""
        try:
            return self._reader.member(member).whole()
        except IntegrityError:
            return self._reader.member(member).read(0, member.size_bytes)

    def _destroy(self, digest: str) -> None:
        """Delete an object that came to nothing, unless a document has these octets."""
        if not self._catalog.read(octets.is_named, digest):
            self._store.delete(digest)


def _packed(contents: Sequence[tuple[str, bytes]]) -> tuple[bytes, list[packs.Member]]:
    """A tar file of octets, and where in it each is. No two such files are the same.

    So no two writers ever share one, and what one deletes is no other's.
    """
    parts = [tarfile.TarInfo(f"pack-{os.urandom(16).hex()}").tobuf(tarfile.USTAR_FORMAT)]
    size = len(parts[0])
    starts = []
    for digest, content in contents:
        head = tarfile.TarInfo(digest.removeprefix("sha-256:"))
        head.size, head.mode = len(content), 0o400
        filled = content + bytes(-len(content) % _BLOCK)
        starts.append(size + _BLOCK)
        parts += [head.tobuf(tarfile.USTAR_FORMAT), filled]
        size += _BLOCK + len(filled)
    pack = b"".join([*parts, bytes(2 * _BLOCK)])
    name = digest_of(pack)
    members = [
        packs.Member(digest, name, start, len(content))
        for (digest, content), start in zip(contents, starts, strict=True)
    ]
    return pack, members
