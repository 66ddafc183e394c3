"""Copy of an archive into any engine and store, made or brought up to date; promotion of a copy.

| step | after a stop there, the next copy continues |
|---|---|
| `_open` | the copy is made with a mark, and nobody can open it |
| `RowSink.take` | one transaction per batch: the log's size says how much is there |
| `_erase` | erased contents are destroyed there too, without traces |
| `_compare_all` | all other rows are made the same; the mark goes with the last of them |

All rows are read as they were at one moment. A reader who has the copy open meanwhile sees it as
the archive was at earlier moments.
"""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING

from permacite.archive.engine.intake import ContentTransfer, ReceivedContents
from permacite.archive.engine.location import NO_ARCHIVE, open_objects
from permacite.archive.engine.write_behind import ArchiveObjects
from permacite.archive.entries import seal
from permacite.archive.log.keys import load_or_make
from permacite.archive.log.note import Note
from permacite.archive.model.answered import utc_now
from permacite.archive.objects.durable import modes_of, write_file
from permacite.archive.objects.files import FileObjects
from permacite.archive.records import access, leaves, octets, settings
from permacite.archive.transport.comparing import (
    CatalogView,
    check_counts,
    check_earlier,
    mend,
    pages,
    rows_of,
    same_root,
)
from permacite.archive.transport.rows import (
    COMPARED,
    LEFT_OUT,
    NEEDED,
    add_rows,
    digests_after,
    next_rows,
    position_of,
)
from permacite.archive.transport.stream import BatchOutcome, LeftOut, carry
from permacite.errors import ConflictError, IntegrityError, ParseError, StorageError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.engine.location import Place
    from permacite.archive.log.keys import Verifier
    from permacite.archive.log.log import Log
    from permacite.archive.records.rows import Transaction
    from permacite.archive.transport.comparing import Keys
    from permacite.archive.transport.rows import CopyPosition, Row, RowBatch
    from permacite.archive.transport.stream import Progress

__all__ = ["Copied", "CopySource", "RowSink", "RowSource", "copy", "promote"]

_BATCH = 250
"""How many entries of the log are in one transaction."""
_BUSY_S = 30.0
"""How long to wait for another process that writes to a copy."""


@dataclass(frozen=True, slots=True)
class CopySource:
    """An open archive that is copied."""

    place: Place
    catalog: Catalog
    objects: ArchiveObjects
    log: Log


@dataclass(frozen=True, slots=True)
class Copied:
    """The outcome of a copy."""

    entries: int
    """How many entries of the log are new in the copy."""
    files: int
    """How many contents are new in the copy."""
    lost: tuple[str, ...]
    """The digests of contents that the archive names, but has altered or not at all."""
    size: int
    """The size of the log in the copy."""
    root: bytes
    """The root of that log: the same as in the archive."""
    left_out: tuple[LeftOut, ...] = ()
    """The tables that a copy does not take."""


def copy(
    source: CopySource,
    place: Place,
    *,
    with_key: bool,
    objects: str | None = None,
    full: bool = False,
    progress: Progress = max,
) -> Copied:
    """Make a copy of an archive, or bring an earlier one up to date; the outcome is returned.

    `with_key` copies the key that signs the log: then the copy can replace the archive. A copy
    without it is read-only until `promote`; an earlier one that had a key keeps it, and may write.
    `objects` is the address of the object store of a new copy, if it is not the usual one. `full`
    looks for all contents there, and recomputes their digests where they are files. Raises
    ConflictError where the place holds anything else, or entries that the archive does not have;
    ParseError, StorageError, IntegrityError where an entry of the log is damaged.
    """
    _check_source(source, place)
    if with_key:
        _check_key(source.place, place)
    with contextlib.suppress(StorageError):  # without the key here, an earlier checkpoint serves
        source.log.checkpoints.current()
    keys = None if with_key else _keys_of(source)
    with contextlib.closing(_open(place, objects, keys)) as catalog:
        if _may_write(place, catalog):
            keys = None
        copying = _Copying(source, place, catalog, keys=keys, progress=progress)
        start = catalog.read(position_of).size
        if full:
            copying.check_contents()
        while copying.bring_up():
            pass
        if with_key:
            _copy_key(source.place, place)
            catalog.write(settings.let_write)
        return copying.outcome(start)


def _keys_of(source: CopySource) -> str:
    """Return the public keys that sign the log, one a line; "" where they are not known here."""
    try:
        return "\n".join(map(str, source.log.keys.verifiers))
    except StorageError:
        return ""


def _may_write(place: Place, catalog: Catalog) -> bool:
    """Whether the copy replaced the archive earlier: it has the key, and may write."""
    has_key = place.log_key is not None and place.log_key.exists()
    return has_key and catalog.read(settings.setting, settings.COPY_KEYS) is None


def _open(place: Place, objects: str | None, keys: str | None) -> Catalog:
    """Open the catalog of a copy; make an empty one if there is none, read-only if with `keys`."""
    open_ = partial(place.catalog, clock=utc_now, sealer=seal, busy_timeout_s=_BUSY_S)
    try:
        return open_()
    except StorageError as error:
        if error.reason not in NO_ARCHIVE:
            raise
    place.make(partial(settings.begin_copy, keys=keys), utc_now, objects)
    return open_()


class RowSource:
    """The rows of an archive at one moment, from a position on."""

    def __init__(self, view: CatalogView, before: CopyPosition) -> None:
        """Take the position of the copy, whose rows have the same ids."""
        self._view = view
        self._before = before
        self.size = view.read(leaves.size)

    def batches(self, start: int) -> Iterator[RowBatch]:
        """Yield the rows of the next entries. Raises IntegrityError for a damaged one."""
        before = self._before
        while start < self.size:
            batch = self._view.read(next_rows, before, min(_BATCH, self.size - start))
            yield batch
            before, start = batch.after, batch.end


class RowSink:
    """The catalog and the object store of a copy."""

    def __init__(self, source: ArchiveObjects, place: Place, catalog: Catalog) -> None:
        """Take the contents of the archive, and where the copy is."""
        self._source = source
        self._catalog = catalog
        self._objects = open_objects(place, catalog)
        self.store = ArchiveObjects(self._objects, catalog)
        self._transfer = ContentTransfer(source.get, self._objects, catalog, compares=True)

    def position(self) -> int:
        """Return how many entries are there."""
        return self._catalog.read(position_of).size

    def take(self, batch: RowBatch) -> BatchOutcome:
        """Store contents, then the rows that name them, in one transaction."""
        received = self.receive(batch.digests())
        self._catalog.write(add_rows, batch, received.staged)
        if received.staged:
            self.store.write_behind.flush()
        return BatchOutcome(received.came, received.lost)

    def receive(self, digests: Iterable[str], *, check: bool = False) -> ReceivedContents:
        """Store contents, except small ones for a remote store: the catalog is to stage those.

        `check` recomputes the digests of files that are there. Raises StorageError.
        """
        if isinstance(self._objects, FileObjects):
            came, lost = self._objects.adopt(
                self._source, digests, link=None, flush_all=True, check=check
            )
            return ReceivedContents(came, lost)
        return self._transfer.run(list(dict.fromkeys(digests)))


class _Copying:
    """One archive that is being copied into another; nothing else writes there."""

    def __init__(
        self,
        source: CopySource,
        place: Place,
        catalog: Catalog,
        *,
        keys: str | None,
        progress: Progress,
    ) -> None:
        """Take the public keys of a read-only copy; None leaves the copy as it is."""
        self._source = source
        self._keys = keys
        self._place = place
        self._catalog = catalog
        self._sink = RowSink(source.objects, place, catalog)
        self._progress = progress
        self._contents = 0
        self._lost: list[str] = []
        self._root = (0, b"")
        self._was_cut_short = catalog.read(settings.setting, settings.UNFINISHED) is not None

    def bring_up(self) -> bool:
        """Bring the copy up to this moment; whether contents were erased meanwhile.

        They are missing there then, and the copy does not know yet that they are to be.
        """
        with contextlib.closing(CatalogView(self._source.catalog)) as view:
            before = self._catalog.read(position_of)
            check_earlier(view, self._catalog, self._place.where)
            if self._keys is not None:
                self._catalog.write(settings.read_alone, self._keys)
            self._carry_log(view, before)
            if before.size:
                self._erase()
            if self._was_cut_short and view.read(access.erasures):
                self._delete_unnamed()
            self._compare_all(view)
        self._sink.store.write_behind.flush()
        lost = [each for each in self._lost if self._is_named(each)]
        was_erased, self._lost = len(lost) < len(self._lost), lost
        return was_erased

    def _is_named(self, digest: str) -> bool:
        return self._source.catalog.read(octets.is_named, digest)

    def check_contents(self) -> None:
        """Replace the contents that the copy names and has altered, or not at all."""
        last = 0
        while page := self._catalog.read(digests_after, last, _BATCH):
            last, digests = page
            received = self._sink.receive(digests, check=True)
            self._count(received.came, received.lost)
            self._catalog.write(_stage, received)

    def _carry_log(self, view: CatalogView, before: CopyPosition) -> None:
        """Carry the entries that the copy does not have, with all that they stand for."""
        source = RowSource(view, before)
        if before.size < source.size:
            self._catalog.write(settings.await_copy)
        for table in NEEDED:
            self._compare(view, table)
        carried = carry(source, self._sink, self._progress)
        self._count(carried.contents, carried.lost)
        self._root = (source.size, same_root(view, self._catalog, source.size))

    def _count(self, contents: int, lost: Iterable[str]) -> None:
        self._contents += contents
        self._lost += lost

    def _erase(self) -> None:
        """Destroy what the copy has of what was erased."""
        if self._catalog.read(access.unfinished):
            self._sink.store.store.check_deletes()
            self._sink.store.destroy()
            self._catalog.scour()

    def _delete_unnamed(self) -> None:
        """Delete contents that were stored before their rows, and are erased since."""
        for digest in list(self._sink.store.digests()):
            is_named = self._catalog.read(octets.is_named, digest)
            if not is_named and not self._source.objects.has(digest):
                self._sink.store.delete(digest)

    def _compare_all(self, view: CatalogView) -> None:
        """Make all rows the same that no entry of the log stands for."""
        *tables, settings_ = COMPARED
        for table in tables:
            self._compare(view, table)
        check_counts(view, self._catalog)
        self._catalog.write(_resume_ids)
        self._compare(view, settings_)

    def _compare(self, view: CatalogView, table: str) -> None:
        def source(keys: Keys) -> list[Row]:
            return view.read(rows_of, table, keys)

        def copy(keys: Keys) -> list[Row]:
            return self._catalog.read(rows_of, table, keys)

        for page in pages(source, copy, table):
            self._catalog.write(mend, page)

    def outcome(self, start: int) -> Copied:
        """Return what is new since the log of the copy had `start` entries."""
        size, root = self._root
        left_out = tuple(LeftOut(table, reason) for table, reason in LEFT_OUT.items())
        lost = tuple(sorted(set(self._lost)))
        return Copied(size - start, self._contents, lost, size, root, left_out)


def _stage(transaction: Transaction, received: ReceivedContents) -> None:
    octets.stage(transaction.connection, received.staged)


def _resume_ids(transaction: Transaction) -> None:
    transaction.connection.resume_ids()


def _check_source(source: CopySource, place: Place) -> None:
    """Raise ConflictError where an archive is the copy itself, or a mirror."""
    if place.where == source.place.where:
        raise ConflictError("an archive is no copy of itself", place.where)
    origin = source.catalog.read(settings.setting, settings.ORIGIN)
    if origin is not None:
        problem = f"a mirror is not copied, for it may lack what it was not handed: {origin} is"
        raise ConflictError(problem, source.place.where, hint="or make another mirror")


def _check_key(source: Place, target: Place) -> None:
    """Raise where the key of the log cannot be copied."""
    if source.log_key is None or not source.log_key.exists():
        raise StorageError(
            "the key of the log is not on this machine", path=source.where, reason="missing"
        )
    if target.log_key is None:
        raise ParseError(
            "expected log-key=/FILE in the location of a copy with the key", target.where, 0
        )
    if target.log_key.exists() and target.log_key.read_bytes() != source.log_key.read_bytes():
        raise ConflictError(f"{target.where} has a key of its own", target.where)


def _copy_key(source: Place, target: Place) -> None:
    """Copy the key of the log, if it is not there."""
    if source.log_key is not None and target.log_key is not None and not target.log_key.exists():
        mode = modes_of(target.log_key.parent).secret
        try:
            write_file(target.log_key, source.log_key.read_bytes(), mode=mode)
        except OSError as error:
            problem = f"cannot write {target.log_key}: {error.strerror}"
            raise StorageError(problem, path=str(target.log_key), reason="io") from error


def promote(place: Place) -> Verifier:
    """Let a read-only copy mint and sign in place of its archive; its public key is returned.

    A process that has it open opens it again to write. Raises ConflictError where it is no such
    copy, StorageError where the key of the log is missing, IntegrityError for another log's key.
    """
    opened = place.catalog(clock=utc_now, sealer=seal, busy_timeout_s=_BUSY_S)
    with contextlib.closing(opened) as catalog:
        catalog.read(settings.check_finished)
        origin = catalog.read(settings.setting, settings.ORIGIN)
        if origin is not None:
            problem = f"{place.where} is a mirror of {origin}, and never takes its place"
            raise ConflictError(problem, place.where, hint="a copy can: `permacite copy`")
        keys = catalog.read(settings.setting, settings.COPY_KEYS)
        if keys is None:
            problem = f"{place.where} is no copy that reads: it may write"
            raise ConflictError(problem, place.where)
        verifier = _verifier_at(place)
        if keys and str(verifier) not in keys.split():
            raise IntegrityError(
                f"the key in {place.log_key} is that of another log",
                expected=keys.split()[0],
                actual=str(verifier),
            )
        _, note = catalog.read(leaves.head)
        if note is not None and not verifier.verifies(Note.parse(note)):
            raise IntegrityError(
                f"the key in {place.log_key} did not sign the last checkpoint of this log",
                expected=Note.parse(note).signatures[0].name,
                actual=str(verifier),
            )
        catalog.write(settings.let_write)
        return verifier


def _verifier_at(place: Place) -> Verifier:
    """Return the public half of the log's key. Raises StorageError where the key is missing."""
    if place.log_key is None or not place.log_key.exists():
        raise StorageError(
            "the key of the log is not here",
            path=str(place.log_key or place.where),
            reason="missing",
            hint="`permacite copy --with-key` brings it; or put its file there, or name it in the"
            " location: log-key=/FILE",
        )
    return load_or_make(place.log_key, "").verifier
