"""Packing of small contents into tar files, each one object of a remote store.

Storing an object and reading it back take two round trips, whatever the size. So staged contents go
into packs: tar files whose members are named by their SHA-256. One request for a range reads a
member, and any program that reads tar files reads a pack. A pack is an object named by its digest;
the catalog knows the places of its members.

A process that packs holds a lease, so that two do not pack the same. If contents are erased, the
other members of their pack go into a new one, and the old one is deleted. So is a failed one.
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
"""The block of a tar file: a header has one, contents are padded to whole ones (POSIX, ustar)."""
_PAUSE_S = 0.1
_PATIENCE_S = 2 * packs.LEASE.total_seconds()
"""How long to wait for the lease to delete packs: longer than a killed process holds it."""


class Packer:
    """Packs staged contents. Any number of threads and processes may pack for one archive."""

    def __init__(self, store: ObjectStore, catalog: Catalog) -> None:
        """Take both that are open."""
        self._store = store
        self._catalog = catalog
        self._reader = packs.PackReader(store, catalog)
        self._lock = threading.Lock()
        self._holder = os.urandom(16).hex()

    def settle_some(self) -> int | None:
        """Pack a batch; how many bytes, None if nothing is staged or another process packs.

        Raises StorageError.
        """
        if not self._catalog.read(octets.staged_digests, 1):
            return None
        with self._lock:  # this process has one lease
            if not self._catalog.write(packs.take, self._holder):
                return None
            try:
                batch = self._catalog.read(packs.waiting, packs.MOST_MEMBERS, packs.MOST_BYTES)
                self._keep(batch)
            finally:
                self._catalog.write(packs.give_back, self._holder)
        return sum(len(content) for _, content in batch) or None

    def _keep(self, batch: Sequence[tuple[str, bytes]]) -> None:
        """Make a pack of staged contents, or an object of a single one."""
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
        self._put_announced(places[0].pack, pack)
        if not self._catalog.write(packs.note, places, holder=self._holder):
            self._delete_pack(places[0].pack)

    def _put_announced(self, name: str, pack: bytes) -> None:
        """Announce a pack and store it, so that a kill leaves no unknown one."""
        self._catalog.write(packs.announce, name)
        self._store.put_all([(name, pack)])

    def _delete_pack(self, pack: str) -> None:
        self._destroy(pack)
        self._catalog.write(packs.was_deleted, pack)

    @contextlib.contextmanager
    def _lease(self) -> Iterator[None]:
        """Hold the lease until the block ends; wait for other processes. Raises StorageError."""
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
        """Pack again the other members of packs with erased contents, and delete these packs.

        Altered and missing members stay so, for `fsck` to find. Raises StorageError.
        """
        while waiting := self._catalog.read(packs.to_repack):
            for pack, gone in waiting.items():
                with self._lease():
                    self._leave_out(pack, gone)
        if not self._catalog.read(packs.emptied):
            return
        with self._lease():  # packs of other processes count by now, or never will
            for pack in self._catalog.read(packs.emptied):
                self._delete_pack(pack)

    def _leave_out(self, pack: str, gone: Sequence[str]) -> None:
        members = self._catalog.read(packs.members, pack)
        beside = [member for member in members if member.digest not in gone]
        try:
            contents = [(member.digest, self._bytes_of(member)) for member in beside]
        except NotFoundError:
            self._catalog.write(packs.replace, pack, gone, beside, holder=self._holder)
            return
        new, places = _packed(contents)
        if beside:
            self._put_announced(digest_of(new), new)
        counts = self._catalog.write(packs.replace, pack, gone, places, holder=self._holder)
        if beside and not counts:
            self._delete_pack(digest_of(new))

    def _bytes_of(self, member: packs.Member) -> bytes:
        """Read a member; an altered one is read twice, in case the first answer was wrong."""
        try:
            return self._reader.member(member).whole()
        except IntegrityError:
            return self._reader.member(member).read(0, member.size_bytes)

    def _destroy(self, digest: str) -> None:
        """Delete a useless object, unless it is the contents of a document."""
        if not self._catalog.read(octets.is_named, digest):
            self._store.delete(digest)


def _packed(contents: Sequence[tuple[str, bytes]]) -> tuple[bytes, list[packs.Member]]:
    """Make a tar file and the places of its members. No two files are the same.

    So writers never share one, and each deletes only its own.
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
