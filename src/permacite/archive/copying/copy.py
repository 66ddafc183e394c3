"""A copy of an archive, made or brought up: octets first, then the rows that name them.

| step | where it stops, whoever copies again goes on |
|---|---|
| `_opened` | the copy is made with a mark that lets nobody open it |
| `bring_log` | a slice of the log is one transaction: the entries there say how far it has come |
| `carry_out` | what is erased is destroyed there too, and no traces are left |
| `compare` | all other rows are made the same; with the last of them the mark goes |

All rows are read as they were at one moment. Whoever has the copy open while it is brought up sees
it as the archive was at moments before that.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from permacite.archive.copying.adding import add
from permacite.archive.copying.agreement import View, check_counts, check_earlier, same_root
from permacite.archive.copying.comparing import mend, pages, rows_of
from permacite.archive.copying.contents import Contents
from permacite.archive.copying.slices import digests_behind, reached, slice_of
from permacite.archive.copying.tables import COMPARED, NEEDED
from permacite.archive.engine import WriteBehind, open_objects
from permacite.archive.engine.place import NO_ARCHIVE
from permacite.archive.entries import seal
from permacite.archive.model import utc_now
from permacite.archive.objects import modes_of, write_file
from permacite.archive.records import access, leaves, octets, settings
from permacite.errors import ConflictError, ParseError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from permacite.archive.copying.comparing import Keys
    from permacite.archive.copying.slices import Reached, Row
    from permacite.archive.engine import Catalog
    from permacite.archive.engine.place import Place
    from permacite.archive.folder.backup import Brought
    from permacite.archive.log import Log
    from permacite.archive.records.rows import Transaction

    Progress = Callable[[int, int], object]
    """Is told how many entries of the log came, of how many."""

__all__ = ["BUSY_S", "Copied", "Source", "copy"]

_SLICE = 250
"""How many entries of the log come in one transaction."""
BUSY_S = 30.0
"""How long to wait for others that write to a copy."""


@dataclass(frozen=True, slots=True)
class Source:
    """An open archive that is copied."""

    place: Place
    catalog: Catalog
    objects: WriteBehind
    log: Log


@dataclass(frozen=True, slots=True)
class Copied:
    """What came to a copy."""

    entries: int
    """Of the log, since the last time."""
    files: int
    """How many contents came."""
    lost: tuple[str, ...]
    """The digests of contents that the archive names, and has altered or not at all."""
    size: int
    """Of the log that is there now."""
    root: bytes
    """Of that log: the same as in the archive."""


def copy(
    source: Source,
    place: Place,
    *,
    with_key: bool,
    objects: str | None = None,
    full: bool = False,
    progress: Progress = max,
) -> Copied:
    """Make a copy of an archive at a place, or bring an earlier one up; what came is returned.

    `with_key` copies the key that signs the log: then the copy can take the archive's place. One
    without it reads alone, until `promote`; an earlier one that had a key keeps it, and may write.
    `objects` is the address of the store of a new copy's octets, if it is not the usual one. `full`
    looks for all octets there, and recomputes their digests where they are files. Raises
    ConflictError where other things are there, or entries that the archive has not, ParseError,
    StorageError, IntegrityError where an entry of the log is damaged.
    """
    _check_source(source, place)
    if with_key:
        _check_key(source.place, place)
    with contextlib.suppress(StorageError):  # where the key is not here, there are earlier ones
        source.log.checkpoint()
    keys = None if with_key else _keys_of(source)
    with contextlib.closing(_opened(place, objects, keys)) as catalog:
        if _may_write(place, catalog):
            keys = None
        copying = _Copying(source, place, catalog, keys=keys, progress=progress)
        start = catalog.read(reached).size
        if full:
            copying.bring_again()
        while copying.bring_up():
            pass
        if with_key:
            _copy_key(source.place, place)
            catalog.write(settings.let_write)
        return copying.copied(start)


def backup(source: Source, target: Path, *, link: bool, full: bool, progress: Progress) -> Brought:
    """Make a folder a second archive, or bring it up: see `folder.backup`, which copies folders.

    Of records elsewhere it is a copy, with the key of the log if that is on this machine.
    """
    from permacite.archive.folder import backup
    from permacite.archive.folder.place import Folder
    from permacite.archive.sqlite import Catalog as InOneFile

    place, catalog = source.place, source.catalog
    if isinstance(catalog, InOneFile):
        folder = place.directory
        return backup.backup(
            folder, catalog, source.objects, target, link=link, full=full, progress=progress
        )
    has_key = place.log_key is not None and place.log_key.exists()
    copied = copy(source, Folder(target), with_key=has_key, full=full, progress=progress)
    return backup.Brought(copied.entries == copied.size, copied.files, copied.lost)


def _keys_of(source: Source) -> str:
    """The public keys that sign the log, one a line; none where they are not known here."""
    try:
        return "\n".join(map(str, source.log.verifiers))
    except StorageError:
        return ""


def _may_write(place: Place, catalog: Catalog) -> bool:
    """Whether what is there took the archive's place earlier: it has the key, and is no copy."""
    has_key = place.log_key is not None and place.log_key.exists()
    return has_key and catalog.read(settings.setting, settings.COPY_KEYS) is None


def _opened(place: Place, objects: str | None, keys: str | None) -> Catalog:
    """Open the catalog of a copy; an empty one is made where none is, which reads if `keys` are."""
    open_ = partial(place.catalog, clock=utc_now, sealer=seal, busy_timeout_s=BUSY_S)
    try:
        return open_()
    except StorageError as error:
        if error.reason not in NO_ARCHIVE:
            raise
    place.make(partial(settings.begin_copy, keys=keys), utc_now, objects)
    return open_()


class _Copying:
    """One archive that is being copied into another; nobody else writes there."""

    def __init__(
        self,
        source: Source,
        place: Place,
        catalog: Catalog,
        *,
        keys: str | None,
        progress: Progress,
    ) -> None:
        """Take who signs the log of a copy that reads alone; None lets it be what it is."""
        self._source = source
        self._keys = keys
        self._place = place
        self._catalog = catalog
        store = open_objects(place, catalog)
        self._store = WriteBehind(store, catalog)
        self._contents = Contents(source.objects, store, catalog)
        self._progress = progress
        self._root = (0, b"")
        self._was_cut_short = catalog.read(settings.setting, settings.UNFINISHED) is not None

    def bring_up(self) -> bool:
        """Bring the copy up to this moment; whether octets were erased on the way.

        They are missing there then, and the copy does not know yet that they are to be.
        """
        with contextlib.closing(View(self._source.catalog)) as view:
            before = self._catalog.read(reached)
            check_earlier(view, self._catalog, self._place.where)
            if self._keys is not None:
                self._catalog.write(settings.read_alone, self._keys)
            self._bring_log(view, before)
            if before.size:
                self._carry_out()
            if self._was_cut_short and view.read(access.erasures):
                self._leave_nothing()
            self._compare_all(view)
        self._store.flush()
        lost = [each for each in self._contents.lost if self._is_named(each)]
        was_erased, self._contents.lost = len(lost) < len(self._contents.lost), lost
        return was_erased

    def _is_named(self, digest: str) -> bool:
        return self._source.catalog.read(octets.is_named, digest)

    def bring_again(self) -> None:
        """Bring the octets that the copy names and has altered, or not at all."""
        last = 0
        while found := self._catalog.read(digests_behind, last, _SLICE):
            last, digests = found
            staged = self._contents.bring(digests, check=True)
            self._catalog.write(_stage, staged)

    def _bring_log(self, view: View, before: Reached) -> None:
        """Bring what the entries that are not there stand for, a slice after the other."""
        size, start = view.read(leaves.size), before.size
        if start < size:
            self._catalog.write(settings.await_copy)
        for table in NEEDED:
            self._compare(view, table)
        while before.size < size:
            found = view.read(slice_of, before, min(_SLICE, size - before.size))
            staged = self._contents.bring(found.digests())
            self._catalog.write(add, found, staged)
            if staged:
                self._store.flush()
            before = found.after
            self._progress(before.size - start, size - start)
        self._root = (size, same_root(view, self._catalog, size))

    def _carry_out(self) -> None:
        """Destroy what is erased, and was there."""
        if self._catalog.read(access.unfinished):
            self._store.check_deletes()
            self._store.destroy()
            self._catalog.scour()

    def _leave_nothing(self) -> None:
        """Destroy octets that came before the rows which name them, and are erased since."""
        for digest in list(self._store.digests()):
            is_named = self._catalog.read(octets.is_named, digest)
            if not is_named and not self._source.objects.has(digest):
                self._store.delete(digest)

    def _compare_all(self, view: View) -> None:
        """Make all rows the same that no entry of the log stands for."""
        *tables, settings_ = COMPARED
        for table in tables:
            self._compare(view, table)
        check_counts(view, self._catalog)
        self._catalog.write(_resume_ids)
        self._compare(view, settings_)

    def _compare(self, view: View, table: str) -> None:
        def there(keys: Keys) -> list[Row]:
            return view.read(rows_of, table, keys)

        def here(keys: Keys) -> list[Row]:
            return self._catalog.read(rows_of, table, keys)

        for page in pages(there, here, table):
            self._catalog.write(mend, page)

    def copied(self, start: int) -> Copied:
        """What came since the log of the copy had so many entries."""
        size, root = self._root
        lost = tuple(sorted(set(self._contents.lost)))
        return Copied(size - start, self._contents.came, lost, size, root)


def _stage(transaction: Transaction, staged: list[tuple[str, bytes]]) -> None:
    octets.stage(transaction.connection, staged)


def _resume_ids(transaction: Transaction) -> None:
    transaction.connection.resume_ids()


def _check_source(source: Source, place: Place) -> None:
    """Raise ConflictError where an archive is the copy itself, or what a mirror was handed."""
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
