"""Write-behind: small octets reach the disk with their names, and become files after that.

A file for each content costs flushes that cannot be shared. Where several commit at the same time,
small octets are staged: the catalog writes them in the transaction that names them, and one flush
of the disk is enough for all. (Their table is called `unsettled`.) A thread makes files of them
when it is quiet, and what a dead process left is made files of when the archive is opened next.
Whoever reads looks for the file first.

Whoever commits alone, large octets, and what finds too much waiting already go to files at once.

Store ownership: a store that is named apart from the catalog has a mark (`checked`), so that two
archives never share one, and one archive never writes to two. The mark is written when the archive
is opened for the first time and the store holds nothing of another archive. A store without a mark
belongs to the archive if it has the octets that the catalog names, or if there should be none yet.
"""

from __future__ import annotations

import contextlib
import io
import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from permacite.archive.engine import packs
from permacite.archive.objects.files import FileObjects
from permacite.archive.objects.mark import MARK, StoreMark, mark_of
from permacite.archive.objects.source import ContentReader, digest_of
from permacite.archive.records import octets, settings
from permacite.errors import IntegrityError, NotFoundError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from permacite.archive.engine.bringing import BroughtOctets
    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.engine.location import Place
    from permacite.archive.engine.packing import Packing
    from permacite.archive.objects.files import Opens
    from permacite.archive.objects.store import ObjectStore
    from permacite.archive.records.rows import Session

__all__ = ["Staging", "WriteBehind", "checked", "open_objects"]

_MOST_BYTES = 64 * 1024 * 1024
"""How much may wait; half of it makes the thread work whether it is quiet or not."""
_MOST_BYTES_FAR = 1024 * 1024 * 1024
"""The same where the store is elsewhere: it may be away for a while. Who takes over can wait."""
_QUIET_S = 0.2
_LATER_S = 5.0
"""When to look again where the store is away, or another process writes for us."""
_BATCH = 64
"""How many octets are flushed in one transaction; they are in memory meanwhile."""
_HANDS = 4
"""How many files are flushed at the same time: the disk shares what it can."""
_SOME = 8
"""How many objects are looked for in a store without a mark: some may be lost."""


class Staging:
    """Where one commit puts its octets: with the objects, but small ones may be staged."""

    __slots__ = ("_files", "_objects", "_together", "contents")

    def __init__(self, objects: ObjectStore, *, together: bool) -> None:
        """Take whether small octets are to be staged."""
        self.contents: list[tuple[str, bytes]] = []
        """Digests and octets that the catalog is to keep."""
        self._objects = objects
        self._together = together
        self._files: list[tuple[str, bytes]] = []

    def put(self, content: bytes) -> str:
        """Take `content`, to be staged or an object; its digest is returned."""
        # Whether there is a file already is asked when it is flushed: no call of the system
        # here, after which each of many threads would have to wait for the interpreter.
        digest = digest_of(content)
        is_staged = self._together and len(content) <= packs.SMALL_BYTES
        (self.contents if is_staged else self._files).append((digest, content))
        return digest

    def flush(self) -> None:
        """Make objects of all that is not staged. Raises StorageError, IntegrityError."""
        self._objects.put_all(self._files)


class WriteBehind:
    """The objects of an archive, those that are staged among them."""

    def __init__(self, objects: ObjectStore, catalog: Catalog) -> None:
        """Take both that are open; `resume` makes files of what was left."""
        self._objects = objects
        self._catalog = catalog
        self._lock = threading.Lock()
        self._staged_bytes = 0
        """Of what this process handed to the catalog."""
        self._busy = False
        """Whether anything came since the thread looked."""
        self._refused: set[str] = set()
        """What no file could be made of, as other bytes stand there: it stays where it is."""
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._packing: Packing | None = None
        if objects.is_far:
            from permacite.archive.engine.packing import Packing

            self._packing = Packing(objects, catalog)

    @property
    def is_far(self) -> bool:
        """Whether the store is elsewhere: then all small octets are staged."""
        return self._objects.is_far

    @contextlib.contextmanager
    def staging(self, *, together: bool) -> Iterator[Staging]:
        """Lend a staging until the commit that fills it is on the disk, or has failed.

        `together`: others commit at the same time.
        """
        with self._lock:
            most = _MOST_BYTES_FAR if self.is_far else _MOST_BYTES
            together = (together or self.is_far) and self._staged_bytes < most
        staging = Staging(self._objects, together=together)
        try:
            yield staging
        finally:
            if staging.contents:
                self._count(staging.contents)
                with self._lock:
                    self._busy = True
                    self._start()

    def _count(self, contents: Sequence[tuple[str, bytes]]) -> None:
        """Count what this process handed to the catalog."""
        with self._lock:
            self._staged_bytes += sum(len(content) for _, content in contents)

    def resume(self) -> None:
        """Make files, in a thread, of what a process that died left in the catalog."""
        with self._lock:
            if self._catalog.read(octets.staged_digests, 1):
                self._start()
        if self._packing is None and self._catalog.read(packs.has_any):
            self._catalog.write(packs.forget)

    def close(self) -> None:
        """Make files of all that waits, as far as the disk allows, and stop."""
        self._stop.set()
        with self._lock:
            thread, left = self._thread, self._staged_bytes
        if thread is not None:
            thread.join()
        if left or (self.is_far and thread is not None):  # what a store that was away left, too
            self.flush()

    def flush(self) -> None:
        """Make files of all that waits, as far as the disk allows."""
        while self._flush_some():
            pass

    def put(self, content: bytes) -> str:
        """Keep `content` as an object and return its digest."""
        return self._objects.put(content)

    def has(self, digest: str) -> bool:
        """Say whether octets are kept under this digest."""
        return self._catalog.read(packs.found, digest) is not None or self._objects.has(digest)

    def get(self, digest: str) -> bytes:
        """Return the octets with this digest, recomputed just now."""
        if self._packing is not None:
            with self.open(digest) as source:
                return source.whole()
        try:
            return self._objects.get(digest)
        except (NotFoundError, IntegrityError):
            content = self._catalog.read(octets.staged, digest)
        if content is None:
            return self._objects.get(digest)  # flushed between the two looks, or nowhere
        actual = digest_of(content)
        if actual != digest:
            raise IntegrityError("stored bytes are altered", expected=digest, actual=actual)
        return content

    def open(self, digest: str) -> ContentReader:
        """The octets with this digest, to be read. Raises NotFoundError, StorageError."""
        if self._packing is not None and (source := self._packing.open(digest)):
            return source
        try:
            return self._objects.open(digest)
        except NotFoundError:
            if self._packing is not None and (source := self._packing.open(digest)):
                return source  # packed between the two looks
            content = self._catalog.read(octets.staged, digest)
        if content is None:
            return self._objects.open(digest)  # flushed between the two looks, or nowhere
        return ContentReader(digest, io.BytesIO(content), "the catalog")

    def begin_checks(self) -> None:
        """Read again what is checked from now on."""
        if self._packing is not None:
            self._packing.begin_checks()

    def check(self, digest: str) -> None:
        """Raise as `get` does; also for an altered file where right octets are staged beside it."""
        if self._packing is not None and self._packing.check(digest):
            return
        with self.open(digest) as source:
            source.check()

    @contextlib.contextmanager
    def bringing(self, source: Opens, digests: Sequence[str]) -> Iterator[BroughtOctets]:
        """Take octets over by their digests; small ones are lent until rows name them, or not.

        They are packed in whole packs from then on, and what is left when this is closed. Raises
        StorageError.
        """
        erasing_round = self._catalog.read(octets.erasing_round)
        brought = self._brought(source, digests)
        try:
            yield replace(brought, digests=digests, erasing_round=erasing_round)
        finally:
            self._count(brought.staged)

    def _brought(self, source: Opens, digests: Sequence[str]) -> BroughtOctets:
        """What becomes of octets that are taken over. Raises StorageError."""
        from permacite.archive.engine.bringing import Bringing, BroughtOctets

        if isinstance(self._objects, FileObjects):
            return BroughtOctets(*self._objects.adopt(source, digests, link=None, flush_all=True))
        return Bringing(
            partial(_whole, source),
            self._objects,
            self._catalog,
            compares=False,
            stages=self._has_room(),
        ).bring(digests)

    def _has_room(self) -> bool:
        """Whether more may be staged for rows that come, once what fills packs is packed."""
        while self._catalog.read(packs.is_full) and self._flush_some():
            pass
        return self._catalog.read(octets.staged_bytes) < _MOST_BYTES

    def mend(self, source: Opens, digests: Iterable[str]) -> tuple[int, list[str]]:
        """Take octets over where those here are missing or altered; how many, and which are lost.

        Raises StorageError.
        """
        if isinstance(self._objects, FileObjects):
            return self._objects.adopt(source, digests, link=None, flush_all=True, check=True)
        came, lost = 0, list[str]()
        for digest in digests:
            try:
                if not self._is_right(digest):
                    self._objects.put(_whole(source, digest))
                    if self._catalog.read(octets.is_packed, digest):
                        self._catalog.write(packs.take_out, digest)
                    came += 1
            except (NotFoundError, IntegrityError):
                lost.append(digest)
        return came, lost

    def _is_right(self, digest: str) -> bool:
        """Whether octets are kept, and are those of their digest."""
        try:
            self.check(digest)
        except (NotFoundError, IntegrityError):
            return False
        return True

    def delete(self, digest: str) -> None:
        """Destroy octets, durably; not those of a pack that a document had as its own."""
        if self._packing is None or not self._packing.is_pack(digest):
            self._objects.delete(digest)

    def destroy(self) -> None:
        """Destroy what is to be destroyed and nothing names. Raises StorageError."""
        if self._packing is not None:
            self._packing.leave_out_erased()
        self._catalog.write(octets.destroy, self.delete)

    def check_deletes(self) -> None:
        """Raise StorageError where what is deleted would not be destroyed."""
        self._objects.check_deletes()

    def strangers(self) -> Iterator[str]:
        """The names of what is kept where only octets by their digest should be."""
        return self._objects.strangers()

    def digests(self) -> Iterator[str]:
        """Return the digests of all objects, and of what is in packs, in no order."""
        if self._packing is None:
            yield from self._objects.digests()
            return
        for digest in self._objects.digests():
            if not self._packing.is_pack(digest):
                yield digest
        yield from self._packing.digests()

    def _start(self) -> None:
        """Start the thread if it does not run."""
        if self._thread is None and not self._stop.is_set():
            self._thread = threading.Thread(
                target=self._work, name="permacite-flusher", daemon=True
            )
            self._thread.start()

    def _work(self) -> None:
        """Flush what waits whenever it is quiet; stop when nothing does."""
        pause_s = _QUIET_S
        while not self._stop.wait(pause_s):
            with self._lock:
                busy, self._busy = self._busy, False
                urgent = self._staged_bytes > _MOST_BYTES // 2
            if busy and not urgent:
                continue
            more = self._flush_some()
            left = more or self._is_left()
            waits = left and not more and self.is_far
            pause_s = _LATER_S if waits else _QUIET_S
            with self._lock:
                if not left and not self._busy:
                    self._staged_bytes = 0  # others may have made files of it
                if not more and not waits and not self._busy:
                    self._thread = None
                    return

    def _is_left(self) -> bool:
        """Whether anything is staged, as far as the catalog says."""
        try:
            return bool(self._catalog.read(octets.staged_digests, 1))
        except StorageError:
            return True

    def _flush_some(self) -> bool:
        """Make files of one batch, and say whether there may be more to do."""
        try:
            if self._packing is not None:
                size = self._packing.pack_some()
                with self._lock:
                    self._staged_bytes = max(0, self._staged_bytes - size)
                return size > 0
            since = self._catalog.read(octets.erasing_round)
            digests = self._catalog.read(octets.staged_digests, _BATCH + len(self._refused))
            digests = [digest for digest in digests if digest not in self._refused]
            if not digests:
                return False
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(_HANDS) as hands:
                sizes = list(hands.map(self._flush_one, digests))
            done = [digest for digest in digests if digest not in self._refused]
            if not self._catalog.write(octets.let_go_since, done, since):
                return True
        except (StorageError, RuntimeError):
            return False  # the disk is full, or Python is ending: it all waits where it is safe
        with self._lock:
            self._staged_bytes = max(0, self._staged_bytes - sum(sizes))
        return True

    def _flush_one(self, digest: str) -> int:
        """Make a file of octets and return their size. Raises StorageError."""
        content = self._catalog.read(octets.staged, digest)
        if content is None:
            return 0  # another process was faster
        try:
            if self._objects.put(content) != digest:
                self._refused.add(digest)
        except IntegrityError:
            self._refused.add(digest)
        if not self._catalog.read(_is_kept, digest):
            self._objects.delete(digest)  # erased since it was read
        return len(content)


def open_objects(place: Place, catalog: Catalog) -> ObjectStore:
    """Open the store of octets at a place, which is that of the catalog. Raises StorageError."""
    if not place.names_objects:
        return place.objects()
    return checked(place, catalog)


def _whole(source: Opens, digest: str) -> bytes:
    """All octets with a digest. Raises NotFoundError, IntegrityError, and what `source` does."""
    with source.open(digest) as found:
        return found.whole()


def _is_kept(connection: Session, digest: str) -> bool:
    """Whether octets are staged or named still."""
    return octets.staged(connection, digest) is not None or octets.is_named(connection, digest)


def checked(place: Place, catalog: Catalog) -> ObjectStore:
    """The store of octets that a place names, open, once it is seen to be that of the catalog.

    One that is away is asked before anything is put there. Raises StorageError: reason
    "other-store" where it is another archive's, or lacks what the catalog says is there.
    """
    store = place.objects()
    check = partial(_check, place, catalog, store)
    try:
        check()
    except StorageError as error:
        if error.reason != "away":
            raise
        store.ask_first(check)
    return store


def _check(place: Place, catalog: Catalog, store: ObjectStore) -> None:
    """Raise StorageError where a store is not that of a catalog; mark it where nobody did."""
    mark, told = mark_of(store), catalog.read(settings.settings)
    known, may_write = told.get(settings.STORE), place.log_key is not None
    if mark is None or mark.number != known:
        if known is None and may_write:
            known = catalog.write(settings.name_store)
        there = catalog.read(octets.some_objects, _SOME)
        is_expected = bool(there) or settings.MARKED in told
        if mark is not None or (is_expected and not any(map(store.has, there))):
            raise _refusal(store, mark, known)
        if known is None:
            return
    with contextlib.suppress(StorageError):  # who only reads leaves it to others
        if mark is None:
            store.publish(MARK, bytes(StoreMark(known, place.where)))
        if may_write and settings.MARKED not in told:
            catalog.write(settings.note_marked)


def _refusal(store: ObjectStore, mark: StoreMark | None, known: str | None) -> StorageError:
    """The error of a store that is not the one of the archive."""
    if mark is None:
        problem = f"{store.name} has none of the octets of this archive, nor its mark"
    else:
        problem = f"{store.name} has the octets of another archive: {mark.number} {mark.where}"
    return StorageError(
        f"{problem}; expected the store with the mark {known or '(not known here)'}",
        path=store.name,
        reason="other-store",
        hint="name the store that the archive was made with; where this one is to take its place,"
        f" let its file {MARK!r} have that mark as its first line",
    )
