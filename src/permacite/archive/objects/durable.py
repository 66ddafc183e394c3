"""Durable files and folders of an archive, and their modes.

A flush of a file does not cover its name: the name is in the folder, which has a flush of its own.

A folder in which the group may write and that has the set-group-id bit (`chmod 2770`) is shared by
a group. Any other archive is private: nobody else may read what is withdrawn, closed or secret in
it. The modes do not depend on the umask of the process that writes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import TYPE_CHECKING

from permacite.errors import StorageError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

__all__ = [
    "PRIVATE",
    "SHARED",
    "Modes",
    "flush_all",
    "flush_folder",
    "flush_folders",
    "keep_modes",
    "make_folders",
    "modes_of",
    "write_file",
    "writing",
]

_THREADS = 16
"""How many files are flushed at the same time."""
_FEW_FILES = 4
"""So many are flushed one after the other: starting threads for them takes as long."""
_FOLDERS_AT_ONCE = 64
"""How many folders are open at the same time."""


def flush_all(descriptors: Collection[int]) -> None:
    """Flush open files, several at a time. Raises OSError."""
    if len(descriptors) <= _FEW_FILES:
        for descriptor in descriptors:
            os.fsync(descriptor)
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(_THREADS, len(descriptors))) as pool:
            list(pool.map(os.fsync, descriptors))


def flush_folders(folders: Iterable[str | Path]) -> None:
    """Flush the names in `folders`. Raises OSError."""
    paths = list(folders)
    for start in range(0, len(paths), _FOLDERS_AT_ONCE):
        with contextlib.ExitStack() as stack:
            descriptors: list[int] = []
            for folder in paths[start : start + _FOLDERS_AT_ONCE]:
                descriptors.append(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
                stack.callback(os.close, descriptors[-1])
            flush_all(descriptors)


def flush_folder(folder: str | Path) -> None:
    """Flush the names in `folder`. Raises OSError."""
    flush_folders([folder])


def make_folders(folder: Path) -> None:
    """Make `folder`, for its owner only, and its parents, durably. Raises OSError.

    Existing folders are flushed too: another process may have made them a moment ago. Folders that
    this user may not open are skipped: they are older.
    """
    folder.mkdir(0o700, parents=True, exist_ok=True)
    for above in folder.absolute().parents:
        with contextlib.suppress(OSError):
            flush_folder(above)


def write_file(path: Path, content: bytes, *, mode: int) -> None:
    """Write a small file as a whole: first as ".new", then under its name. Raises OSError.

    It is durable once its folder is flushed.
    """
    aside = path.with_name(f"{path.name}.{os.urandom(8).hex()}.new")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        aside.rename(path)
    finally:
        aside.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Modes:
    """The permissions of the files and folders of an archive."""

    folder: int
    file: int
    content: int
    """Of contents, which nobody writes again."""
    secret: int
    """Of the log's key, and of the tokens."""


PRIVATE = Modes(folder=0o700, file=0o600, content=0o400, secret=0o600)
SHARED = Modes(folder=0o2770, file=0o660, content=0o440, secret=0o640)

_SECRETS = frozenset({"log.key", "tokens.sqlite"})
_IS_SHARED = stat.S_ISGID | stat.S_IRWXG
"""The bit alone does not count: a folder inherits it."""


def modes_of(directory: Path) -> Modes:
    """Return the modes of the archive in `directory`. Raises OSError."""
    return SHARED if directory.stat().st_mode & _IS_SHARED == _IS_SHARED else PRIVATE


def keep_modes(directory: Path) -> None:
    """Set the modes of the files of an archive that this user owns.

    The folder of a private archive keeps everybody out, whatever the modes below. In a folder that
    was shared just now, each file is opened to the group, once.
    """
    with contextlib.suppress(OSError):  # there is no such file yet, or the disk has no modes
        modes = modes_of(directory)
        _set(directory, modes.folder)
        for path in directory.iterdir():
            if path.name in _SECRETS:
                _set(path, modes.secret)
            elif path.name.startswith(("README.txt", "backup.txt", "catalog.sqlite", "objects.at")):
                _set(path, modes.file)
        objects = directory / "objects"
        if modes is SHARED and _mode(objects) != modes.folder:
            _share(objects)
        _set(objects / "tmp", modes.folder)
        _set(objects, modes.folder)


def _share(objects: Path) -> None:
    """Open all files below a folder to its group."""
    for path in _below(objects):
        if path.is_dir():
            _set(path, SHARED.folder)
        else:
            _set(path, SHARED.content)


def _below(folder: Path) -> Iterator[Path]:
    """Return everything below a folder."""
    for path in folder.iterdir():
        yield path
        if path.is_dir():
            yield from _below(path)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _set(path: Path, mode: int) -> None:
    """Set the mode of a file or folder that this user owns, if it differs."""
    status = path.stat()
    if status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) != mode:
        path.chmod(mode)


@contextlib.contextmanager
def writing(what: str, folder: Path, *, hint: str) -> Iterator[None]:
    """Turn an OSError about the folder that something is written into, into StorageError."""
    try:
        yield
    except OSError as error:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        detail = "the disk is full" if full else error.strerror or error
        problem, reason = f"cannot write {what}: {detail}", "full" if full else "io"
        raise StorageError(problem, path=str(folder), reason=reason, hint=hint) from error
