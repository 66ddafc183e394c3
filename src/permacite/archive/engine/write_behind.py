"""Write-behind: small octets reach the disk with their names, and become files after that.

A file for each content costs flushes that cannot be shared. Where several commit at the same time,
small octets are staged: the catalog writes them in the transaction that names them, and one flush
of the disk is enough for all. (Their table is called `unsettled`.) A thread makes files of them
when it is quiet, and what a dead process left is made files of when the archive is opened next.
Whoever reads looks for the file first.

Whoever commits alone, large octets, and what finds too much waiting already go to files at once.
"""

from __future__ import annotations

import contextlib
import io
import threading
from typing import TYPE_CHECKING, Protocol

from permacite.archive.engine import packs
from permacite.archive.objects.source import ContentReader, digest_of
from permacite.archive.records import octets
from permacite.errors import IntegrityError, NotFoundError, StorageError
from permacite.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.objects.store import ObjectStore
    from permacite.archive.records.rows import Session

__all__ = ["MOST_BYTES", "ArchiveObjects", "Staging", "WriteBehind"]

MOST_BYTES = 64 * 1024 * 1024
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

_packers = Registry(
    "permacite.packers",
    {"tar": "permacite.archive.engine.packing:Packer"},
    kind=type,
    extras={"tar": "cluster"},
)
"""Where staged contents go if the store is remote. Each takes a store and a catalog."""


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


class Settler(Protocol):
    """What moves staged contents out of the catalog: to an object each, or to packs."""

    def settle_some(self) -> int | None:
        """Move a batch; how many bytes, None where nothing is left to move. Raises StorageError."""

    def leave_out_erased(self) -> None:
        """Remove contents that are to be destroyed from objects that have others too."""


class SingleFiles:
    """Makes a file of each staged content."""

    def __init__(self, store: ObjectStore, catalog: Catalog) -> None:
        """Take both that are open."""
        self._store = store
        self._catalog = catalog
        self._refused: set[str] = set()
        """What no file could be made of, as other bytes stand there: it stays where it is."""

    def settle_some(self) -> int | None:
        """Make files of a batch, and let go of what is staged. Raises StorageError."""
        since = self._catalog.read(octets.erasing_round)
        digests = self._catalog.read(octets.staged_digests, _BATCH + len(self._refused))
        digests = [digest for digest in digests if digest not in self._refused]
        if not digests:
            return None
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(_HANDS) as hands:
            sizes = list(hands.map(self._settle_one, digests))
        done = [digest for digest in digests if digest not in self._refused]
        return sum(sizes) if self._catalog.write(octets.let_go_since, done, since) else 0

    def _settle_one(self, digest: str) -> int:
        """Make a file of octets and return their size. Raises StorageError."""
        content = self._catalog.read(octets.staged, digest)
        if content is None:
            return 0  # another process was faster
        try:
            if self._store.put(content) != digest:
                self._refused.add(digest)
        except IntegrityError:
            self._refused.add(digest)
        if not self._catalog.read(_is_kept, digest):
            self._store.delete(digest)  # erased since it was read
        return len(content)

    def leave_out_erased(self) -> None:
        """Do nothing: each file has one content."""


class WriteBehind:
    """Stages small contents, and a thread that moves them out of the catalog when it is quiet."""

    def __init__(self, store: ObjectStore, catalog: Catalog, settler: Settler) -> None:
        """Take all that are open; `resume` moves what was left."""
        self._store = store
        self._catalog = catalog
        self._settler = settler
        self._lock = threading.Lock()
        self._staged_bytes = 0
        """Of what this process handed to the catalog."""
        self._busy = False
        """Whether anything came since the thread looked."""
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    @contextlib.contextmanager
    def staging(self, *, together: bool) -> Iterator[Staging]:
        """Lend a staging until the commit that fills it is on the disk, or has failed.

        `together`: others commit at the same time.
        """
        with self._lock:
            most = _MOST_BYTES_FAR if self._store.is_far else MOST_BYTES
            together = (together or self._store.is_far) and self._staged_bytes < most
        staging = Staging(self._store, together=together)
        try:
            yield staging
        finally:
            if staging.contents:
                self.count(staging.contents)
                with self._lock:
                    self._busy = True
                    self._start()

    def count(self, contents: Sequence[tuple[str, bytes]]) -> None:
        """Count what this process handed to the catalog."""
        with self._lock:
            self._staged_bytes += sum(len(content) for _, content in contents)

    def resume(self) -> None:
        """Make files, in a thread, of what a process that died left in the catalog."""
        with self._lock:
            if self._catalog.read(octets.staged_digests, 1):
                self._start()
        if not self._store.is_far and self._catalog.read(packs.has_any):
            self._catalog.write(packs.forget)

    def close(self) -> None:
        """Make files of all that waits, as far as the disk allows, and stop."""
        self._stop.set()
        with self._lock:
            thread, left = self._thread, self._staged_bytes
        if thread is not None:
            thread.join()
        is_remote = self._store.is_far and thread is not None
        if left or is_remote:  # what a store that was away left, too
            self.flush()

    def flush(self) -> None:
        """Make files of all that waits, as far as the disk allows."""
        while self.flush_some():
            pass

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
                urgent = self._staged_bytes > MOST_BYTES // 2
            if busy and not urgent:
                continue
            more = self.flush_some()
            left = more or self._is_left()
            waits = left and not more and self._store.is_far
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

    def flush_some(self) -> bool:
        """Make files of one batch, and say whether there may be more to do."""
        try:
            size = self._settler.settle_some()
        except (StorageError, RuntimeError):
            return False  # the disk is full, or Python is ending: it all waits where it is safe
        if size is None:
            return False
        with self._lock:
            self._staged_bytes = max(0, self._staged_bytes - size)
        return True


class ArchiveObjects:
    """The contents of an archive: objects of its store, and what is staged or packed."""

    def __init__(self, store: ObjectStore, catalog: Catalog) -> None:
        """Take both that are open."""
        self.store = store
        self._catalog = catalog
        self._packs = packs.PackReader(store, catalog) if store.is_far else None
        settler = _packers.load("tar") if store.is_far else SingleFiles
        self._settler: Settler = settler(store, catalog)
        self.write_behind = WriteBehind(store, catalog, self._settler)

    @property
    def is_far(self) -> bool:
        """Whether the store is elsewhere: then all small octets are staged."""
        return self.store.is_far

    def has(self, digest: str) -> bool:
        """Say whether octets are kept under this digest."""
        return self._catalog.read(packs.found, digest) is not None or self.store.has(digest)

    def get(self, digest: str) -> bytes:
        """Return the octets with this digest, recomputed just now."""
        if self._packs is not None:
            with self.open(digest) as source:
                return source.whole()
        try:
            return self.store.get(digest)
        except (NotFoundError, IntegrityError):
            content = self._catalog.read(octets.staged, digest)
        if content is None:
            return self.store.get(digest)  # flushed between the two looks, or nowhere
        actual = digest_of(content)
        if actual != digest:
            raise IntegrityError("stored bytes are altered", expected=digest, actual=actual)
        return content

    def open(self, digest: str) -> ContentReader:
        """The octets with this digest, to be read. Raises NotFoundError, StorageError."""
        if self._packs is not None and (source := self._packs.open(digest)):
            return source
        try:
            return self.store.open(digest)
        except NotFoundError:
            if self._packs is not None and (source := self._packs.open(digest)):
                return source  # packed between the two looks
            content = self._catalog.read(octets.staged, digest)
        if content is None:
            return self.store.open(digest)  # flushed between the two looks, or nowhere
        return ContentReader(digest, io.BytesIO(content), "the catalog")

    def begin_checks(self) -> None:
        """Read again what is checked from now on."""
        if self._packs is not None:
            self._packs.begin_checks()

    def check(self, digest: str) -> None:
        """Raise as `get` does; also for an altered file where right octets are staged beside it."""
        if self._packs is not None and self._packs.check(digest):
            return
        with self.open(digest) as source:
            source.check()

    def delete(self, digest: str) -> None:
        """Destroy octets, durably; not those of a pack that a document had as its own."""
        if self._packs is None or not self._packs.is_pack(digest):
            self.store.delete(digest)

    def destroy(self) -> None:
        """Destroy what is to be destroyed and nothing names. Raises StorageError."""
        self._settler.leave_out_erased()
        self._catalog.write(octets.destroy, self.delete)

    def digests(self) -> Iterator[str]:
        """Return the digests of all objects, and of what is in packs, in no order."""
        if self._packs is None:
            yield from self.store.digests()
            return
        for digest in self.store.digests():
            if not self._packs.is_pack(digest):
                yield digest
        yield from self._packs.digests()


def _is_kept(connection: Session, digest: str) -> bool:
    """Whether octets are staged or named still."""
    return octets.staged(connection, digest) is not None or octets.is_named(connection, digest)
