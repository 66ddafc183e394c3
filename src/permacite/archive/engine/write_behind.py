"""Write-behind: small contents are staged in the catalog, and become files or packs later.

Each file costs flushes of its own. Where several commit at the same time, small contents are
staged: the catalog writes them in the transaction that names them, so one flush of the disk is
enough for all. (Their table is called `unsettled`.) A thread makes files of them in idle moments;
opening the archive does so with what a killed process left. Readers look for the file first.

A single commit, large contents, and all contents while too many are staged go to files at once.
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
"""The most that is staged; at half of it the thread works without waiting for an idle moment."""
_MOST_BYTES_FAR = 1024 * 1024 * 1024
"""The same for a remote store, which may not answer for a while. Transfers can wait."""
_QUIET_S = 0.2
_LATER_S = 5.0
"""The pause while a store does not answer, or another process makes packs."""
_BATCH = 64
"""Contents that are flushed in one transaction; they are in memory meanwhile."""
_THREADS = 4
"""Files that are flushed at the same time."""

_packers = Registry(
    "permacite.packers",
    {"tar": "permacite.archive.engine.packing:Packer"},
    kind=type,
    extras={"tar": "cluster"},
)
"""Where staged contents go if the store is remote. Each takes a store and a catalog."""


class Staging:
    """Collects the contents of one commit: small ones may be staged, others become objects."""

    __slots__ = ("_files", "_objects", "_together", "contents")

    def __init__(self, objects: ObjectStore, *, together: bool) -> None:
        """Take whether small octets are to be staged."""
        self.contents: list[tuple[str, bytes]] = []
        """Digests and bytes that the catalog is to stage."""
        self._objects = objects
        self._together = together
        self._files: list[tuple[str, bytes]] = []

    def put(self, content: bytes) -> str:
        """Add contents and return their digest."""
        # Whether the file exists is checked in `flush`: after a system call here, each of many
        # threads would have to wait for the interpreter.
        digest = digest_of(content)
        is_staged = self._together and len(content) <= packs.SMALL_BYTES
        (self.contents if is_staged else self._files).append((digest, content))
        return digest

    def flush(self) -> None:
        """Store all that is not staged. Raises StorageError, IntegrityError."""
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
        """Digests whose file holds other bytes: their contents stay staged."""

    def settle_some(self) -> int | None:
        """Make files of a batch, and let go of what is staged. Raises StorageError."""
        since = self._catalog.read(octets.erasing_round)
        digests = self._catalog.read(octets.staged_digests, _BATCH + len(self._refused))
        digests = [digest for digest in digests if digest not in self._refused]
        if not digests:
            return None
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(_THREADS) as pool:
            sizes = list(pool.map(self._settle_one, digests))
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
        """The bytes that this process has staged."""
        self._busy = False
        """Whether anything was staged since the thread checked."""
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    @contextlib.contextmanager
    def staging(self, *, together: bool) -> Iterator[Staging]:
        """Yield a staging for one commit; `together` if others commit at the same time."""
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
        """Count staged contents."""
        with self._lock:
            self._staged_bytes += sum(len(content) for _, content in contents)

    def resume(self) -> None:
        """Start the thread if a killed process left staged contents."""
        with self._lock:
            if self._catalog.read(octets.staged_digests, 1):
                self._start()
        if not self._store.is_far and self._catalog.read(packs.has_any):
            self._catalog.write(packs.forget)

    def close(self) -> None:
        """Move all staged contents, as far as the disk allows, and stop."""
        self._stop.set()
        with self._lock:
            thread, left = self._thread, self._staged_bytes
        if thread is not None:
            thread.join()
        is_remote = self._store.is_far and thread is not None
        if left or is_remote:  # also what a store that did not answer left
            self.flush()

    def flush(self) -> None:
        """Move all staged contents, as far as the disk allows."""
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
        """Move staged contents in idle moments; stop when none are left."""
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
                    self._staged_bytes = 0  # other processes may have moved it
                if not more and not waits and not self._busy:
                    self._thread = None
                    return

    def _is_left(self) -> bool:
        """Whether anything is staged, or may be."""
        try:
            return bool(self._catalog.read(octets.staged_digests, 1))
        except StorageError:
            return True

    def flush_some(self) -> bool:
        """Move one batch, and say whether there may be more."""
        try:
            size = self._settler.settle_some()
        except (StorageError, RuntimeError):
            return False  # a full disk, or Python is exiting: contents stay staged
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
        """Whether the store is remote: then all small contents are staged."""
        return self.store.is_far

    def has(self, digest: str) -> bool:
        """Whether contents have this digest."""
        return self._catalog.read(packs.found, digest) is not None or self.store.has(digest)

    def get(self, digest: str) -> bytes:
        """Read contents, and recompute the digest. Raises NotFoundError, IntegrityError."""
        if self._packs is not None:
            with self.open(digest) as source:
                return source.whole()
        try:
            return self.store.get(digest)
        except (NotFoundError, IntegrityError):
            content = self._catalog.read(octets.staged, digest)
        if content is None:
            return self.store.get(digest)  # flushed meanwhile, or missing
        actual = digest_of(content)
        if actual != digest:
            raise IntegrityError("stored bytes are altered", expected=digest, actual=actual)
        return content

    def open(self, digest: str) -> ContentReader:
        """Open contents. Raises NotFoundError, StorageError."""
        if self._packs is not None and (source := self._packs.open(digest)):
            return source
        try:
            return self.store.open(digest)
        except NotFoundError:
            if self._packs is not None and (source := self._packs.open(digest)):
                return source  # packed meanwhile
            content = self._catalog.read(octets.staged, digest)
        if content is None:
            return self.store.open(digest)  # flushed meanwhile, or missing
        return ContentReader(digest, io.BytesIO(content), "the catalog")

    def begin_checks(self) -> None:
        """Forget what earlier checks have read."""
        if self._packs is not None:
            self._packs.begin_checks()

    def check(self, digest: str) -> None:
        """Raise as `get` does; also for an altered file whose contents are staged."""
        if self._packs is not None and self._packs.check(digest):
            return
        with self.open(digest) as source:
            source.check()

    def delete(self, digest: str) -> None:
        """Destroy contents, durably, unless they are a pack."""
        if self._packs is None or not self._packs.is_pack(digest):
            self.store.delete(digest)

    def destroy(self) -> None:
        """Destroy erased contents that nothing names. Raises StorageError."""
        self._settler.leave_out_erased()
        self._catalog.write(octets.destroy, self.delete)

    def digests(self) -> Iterator[str]:
        """Yield the digests of all objects and of the members of packs, in no order."""
        if self._packs is None:
            yield from self.store.digests()
            return
        for digest in self.store.digests():
            if not self._packs.is_pack(digest):
                yield digest
        yield from self._packs.digests()


def _is_kept(connection: Session, digest: str) -> bool:
    """Whether contents are still staged or named."""
    return octets.staged(connection, digest) is not None or octets.is_named(connection, digest)
