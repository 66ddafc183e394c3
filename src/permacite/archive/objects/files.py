"""Objects as files: objects/ab/cd/<sha256 in hexadecimal>, written once, never again.

A file is written under a temporary name, flushed to the disk, and linked to its final name only
if that name is free; then the folder is flushed. So a final name never shows half a file, and no
two writers can replace one another's bytes. POSIX file systems with hard links are needed.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import io
import os
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from permacite.archive.objects.durable import (
    flush_all,
    flush_folder,
    flush_folders,
    modes_of,
    write_file,
)
from permacite.archive.objects.source import ContentReader, digest_of, path_of, refuse
from permacite.errors import IntegrityError, NotFoundError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from permacite.archive.objects.durable import Modes

__all__ = ["FileObjects", "Opens"]

_NAME = compile_pattern(r"[0-9a-f]{64}")
_AT_ONCE = 64
"""How many files are open at a time."""
_NO_LINK = {errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EEXIST, errno.ENOENT}
"""What a disk says that cannot give a file a second name, here or ever."""
_THREADS = 8
"""How many contents are fetched at the same time from a remote store."""
_PIECE_BYTES = 1 << 20
"""How many bytes of a file are in memory while it is copied."""


class Opens(Protocol):
    """A source of contents by their digest."""

    @property
    def is_far(self) -> bool:
        """Whether each call takes a round trip."""

    def open(self, digest: str, /) -> ContentReader:
        """Open contents. Raises NotFoundError, StorageError."""


class FileObjects:
    """Objects in the files below one folder. Threads and processes may share it."""

    is_far = False

    def __init__(self, directory: Path) -> None:
        """Make `directory` if it is not there; remove temporary files of dead processes."""
        self._directory = directory
        self._root = self.name = str(directory)
        try:
            self._writer = _FileWriter(directory, modes_of(directory.parent))
        except OSError as error:
            refuse(error, self._root)

    def claim(self) -> None:
        """Take an empty folder. Raises ConflictError where it has objects, StorageError."""
        from permacite.archive.objects.mark import MARK, taken

        if self.published(MARK) is not None or next(self.digests(), None) is not None:
            raise taken(self)

    def publish(self, path: str, content: bytes) -> None:
        """Write a file under a path, in place of what was there."""
        try:
            write_file(self._directory / path, content, mode=self._writer.modes.content)
            flush_folder(self._directory)
        except OSError as error:
            refuse(error, f"{self._root}/{path}")

    def published(self, path: str) -> bytes | None:
        """Read the file under a path; None where there is none."""
        try:
            return (self._directory / path).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            refuse(error, f"{self._root}/{path}")

    def ask_first(self, question: Callable[[], object]) -> None:
        """A folder is always available: the check ran when it was opened."""

    def put(self, content: bytes) -> str:
        """Store `content` and return its digest, once it would survive a loss of power."""
        self.put_all([(digest := digest_of(content), content)])
        return digest

    def put_all(self, contents: Sequence[tuple[str, bytes]]) -> None:
        """Store contents under their digests; return once all would survive a loss of power.

        All are written before the first is flushed: the disk does much of that for all of them.
        """
        for start in range(0, len(contents), _AT_ONCE):
            some = contents[start : start + _AT_ONCE]
            paths = [(self._path(digest), content) for digest, content in some]
            folders = {path.rpartition("/")[0] for path, _ in paths}
            try:
                self._writer.make_folders(folders)
                self._writer.write([path for path in paths if not _is_there(*path)])
                flush_folders(folders)
            except OSError as error:
                refuse(error, paths[0][0])

    def has(self, digest: str) -> bool:
        """Whether the folder has this digest."""
        name = digest.removeprefix("sha-256:")
        return os.path.exists(f"{self._root}/{name[:2]}/{name[2:4]}/{name}")

    def open(self, digest: str) -> ContentReader:
        """Open contents. Raises NotFoundError, StorageError."""
        path = self._path(digest)
        try:
            return ContentReader(digest, io.FileIO(path), path)
        except FileNotFoundError as error:
            raise NotFoundError(f"no object {digest}", digest) from error
        except OSError as error:
            refuse(error, path)

    def part(self, digest: str, start: int, end: int) -> bytes:
        """Read the bytes from `start` up to `end`, unchecked. Raises NotFoundError."""
        with self.open(digest) as source:
            return source.read(start, end)

    def get(self, digest: str) -> bytes:
        """Read contents, and recompute the digest.

        Raises NotFoundError, StorageError, or IntegrityError where they are altered.
        """
        with self.open(digest) as source:
            return source.whole()

    def _path(self, digest: str) -> str:
        """Return the path of an object. Raises NotFoundError for no digest."""
        return f"{self._root}/{path_of(digest)}"

    def delete(self, digest: str) -> None:
        """Destroy contents, durably; nothing happens where there are none."""
        path = self._path(digest)
        try:
            os.unlink(path)
            flush_folder(path.rpartition("/")[0])
        except FileNotFoundError:
            return
        except OSError as error:
            refuse(error, path)

    def check_deletes(self) -> None:
        """A file that is removed is gone."""

    def strangers(self) -> Iterator[str]:
        """Yield nothing: any disk has other files of its own in a folder."""
        return iter(())

    def digests(self) -> Iterator[str]:
        """Yield all digests, in no order."""
        for path in _files(self._directory):
            yield f"sha-256:{path.name}"

    def adopt(
        self,
        source: Opens,
        digests: Iterable[str],
        *,
        link: Path | None,
        flush_all: bool = False,
        check: bool = False,
        progress: Callable[[int], object] = int,
    ) -> tuple[int, list[str]]:
        """Copy contents of another store; how many came, and the digests of the lost.

        They are hard links to its folder `link` where that is possible; otherwise copies, with
        their digests recomputed: an altered or missing one is lost. `flush_all` flushes the names
        of files that are here too, in case their writer was stopped before that. `check` recomputes
        the digests of these, and replaces altered ones. `progress` gets the number of contents
        done. Raises StorageError.
        """
        came, lost = 0, list[str]()
        for batch in _batches(digests):
            folders = {self._path(digest).rpartition("/")[0] for digest in batch}
            try:
                self._writer.make_folders(folders)
                wanted = [each for each in batch if not _is_right(self._path(each), check=check)]
                targets = {each: self._path(each) for each in wanted}
                lost += self._writer.copy(source, targets, link)
                if wanted or flush_all:
                    flush_folders(folders)
            except OSError as error:
                refuse(error, self._root)
            came += len(wanted)
            progress(len(batch))
        return came - len(lost), lost


class _FileWriter:
    """The writer of files below one folder: temporary files get their final names when durable."""

    def __init__(self, root: Path, modes: Modes) -> None:
        """Make the folder of temporary files; remove those of dead processes. Raises OSError."""
        self.modes = modes
        self._root = str(root)
        self._temporary = root / "tmp"
        self._durable: set[str] = {str(root.parent)}
        """Folders whose own name is known to be on the disk."""
        self._temporary.mkdir(parents=True, exist_ok=True)
        self._sweep()

    def make_folders(self, folders: Iterable[str]) -> None:
        """Make folders and their parents, durably: the name of a folder is in its parent."""
        wanted = {self._root, *folders, *(folder.rpartition("/")[0] for folder in folders)}
        missing = sorted(wanted - self._durable)  # a parent stands before what is in it
        for folder in missing:
            try:
                os.mkdir(folder, 0o700)
                os.chmod(folder, self.modes.folder)
            except FileExistsError:
                if not os.path.isdir(folder):
                    raise
        # Another process may have made one a moment ago and not have flushed its name yet.
        flush_folders({folder.rpartition("/")[0] for folder in missing})
        self._durable.update(missing)

    def write(self, contents: Sequence[tuple[str, bytes]]) -> None:
        """Write contents to temporary files, and give each its final name if that is free."""
        taken = self.place([(path, partial(_write_all, content)) for path, content in contents])
        for path, content in contents:
            if path in taken:
                _is_there(path, content)  # another writer was faster: raises where it lied

    def place(
        self,
        files: Sequence[tuple[str, Callable[[int], None]]],
        *,
        replace: bool = False,
        threads: int = 1,
    ) -> set[str]:
        """Fill temporary files, and give each its final name if that is free, or to `replace`.

        The names that were taken are returned.
        """
        written: list[tuple[int, str]] = []
        taken = set()
        try:
            for _, fill in files:
                descriptor, temporary = self._open_temporary()
                written.append((descriptor, temporary))
                os.fchmod(descriptor, self.modes.content)
                if threads == 1:
                    fill(descriptor)
            if threads > 1:
                _fill_all([fill for _, fill in files], [each for each, _ in written], threads)
            flush_all([descriptor for descriptor, _ in written])
            for (_, temporary), (path, _) in zip(written, files, strict=True):
                try:
                    os.link(temporary, path)
                except FileExistsError:
                    taken.add(path)
                    if replace:
                        os.replace(temporary, path)
        finally:
            for descriptor, temporary in written:
                # The lock goes with the descriptor: the name goes first, so that no sweep meets it.
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(temporary)
                os.close(descriptor)
        return taken

    def copy(self, source: Opens, targets: Mapping[str, str], link: Path | None) -> list[str]:
        """Copy contents to their paths, by digest; the lost ones are returned. Raises OSError."""
        files = {
            digest: (path, partial(_copy, source, digest))
            for digest, path in targets.items()
            if link is None or not _linked(f"{link}/{path_of(digest)}", path)
        }
        try:
            threads = _THREADS if source.is_far else 1
            self.place(list(files.values()), replace=True, threads=threads)
        except (NotFoundError, IntegrityError):
            lost = []
            for digest, file in files.items():
                try:
                    self.place([file], replace=True)
                except (NotFoundError, IntegrityError):
                    lost.append(digest)
            return lost
        return []

    def _open_temporary(self) -> tuple[int, str]:
        """Return a new temporary file, locked: the lock says that its process lives."""
        while True:
            path = f"{self._temporary}/{os.urandom(16).hex()}"
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink:
                return descriptor, path
            # A sweep met it between its making and its locking; take another.
            os.close(descriptor)

    def _sweep(self) -> None:
        """Remove temporary files that nobody holds: their processes are dead, here or elsewhere."""
        for path in self._temporary.iterdir():
            with contextlib.suppress(OSError):
                descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()
                finally:
                    os.close(descriptor)


def _files(directory: Path) -> Iterator[Path]:
    """Return the files of a store."""
    for path in directory.glob("[0-9a-f][0-9a-f]/[0-9a-f][0-9a-f]/*"):
        if _NAME.fullmatch(path.name):
            yield path


def _batches(digests: Iterable[str]) -> Iterator[list[str]]:
    """Digests, so many at a time as files may be open."""
    left = iter(digests)
    while batch := list(islice(left, _AT_ONCE)):
        yield batch


def _linked(path: str, target: str) -> bool:
    """Give a file a second name, and say whether the disk could."""
    try:
        os.link(path, target)
    except OSError as error:
        if error.errno in _NO_LINK:
            return False
        raise
    return True


def _fill_all(
    fills: Sequence[Callable[[int], None]], descriptors: Sequence[int], threads: int
) -> None:
    """Fill open files, several at the same time; all are done with when this ends."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda fill, descriptor: fill(descriptor), fills, descriptors))


def _copy(source: Opens, digest: str, descriptor: int) -> None:
    """Copy contents into an open file, in pieces. Raises IntegrityError where they are altered."""
    actual = hashlib.sha256()
    with source.open(digest) as kept:
        start = 0
        while piece := kept.read(start, start + _PIECE_BYTES):
            actual.update(piece)
            _write_all(piece, descriptor)
            start += len(piece)
        if f"sha-256:{actual.hexdigest()}" != digest:
            raise IntegrityError(
                f"stored bytes are altered: {kept.name}",
                expected=digest,
                actual=f"sha-256:{actual.hexdigest()}",
            )


def _is_right(path: str, *, check: bool) -> bool:
    """Whether a file is there, and with `check` whether its octets are those of its name."""
    if not check:
        return os.path.exists(path)
    try:
        with io.FileIO(path) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return False
    return digest == path.rpartition("/")[2]


def _is_there(path: str, content: bytes) -> bool:
    """Say whether `path` exists and holds `content`. Raises IntegrityError for other bytes."""
    if not os.path.exists(path):
        return False
    stored = Path(path).read_bytes()
    if stored == content:
        return True
    expected = f"sha-256:{path.rpartition('/')[2]}"
    raise IntegrityError(
        f"stored bytes are altered: {path}", expected=expected, actual=digest_of(stored)
    )


def _write_all(content: bytes, descriptor: int) -> None:
    """Write all of `content`: the system may take less at a time."""
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]
