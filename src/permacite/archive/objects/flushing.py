"""Names and small files that are on the disk when the call returns.

A flush of a file says nothing of its name: that stands in the folder, which has a flush of its own.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

__all__ = ["flush_all", "flush_folder", "flush_folders", "make_folders", "write_file"]


_HANDS = 16
"""How many files are flushed at the same time."""
_FEW = 4
"""As many are flushed one after the other: to start threads for them takes as long."""
_AT_ONCE = 64
"""How many folders are open at the same time."""


def flush_all(descriptors: Collection[int]) -> None:
    """Bring open files to the disk, several at a time: it shares what it can. Raises OSError."""
    if len(descriptors) <= _FEW:
        for descriptor in descriptors:
            os.fsync(descriptor)
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(_HANDS, len(descriptors))) as hands:
            list(hands.map(os.fsync, descriptors))


def flush_folders(folders: Iterable[str | Path]) -> None:
    """Bring the names in `folders` to the disk. Raises OSError."""
    paths = list(folders)
    for start in range(0, len(paths), _AT_ONCE):
        with contextlib.ExitStack() as stack:
            descriptors: list[int] = []
            for folder in paths[start : start + _AT_ONCE]:
                descriptors.append(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
                stack.callback(os.close, descriptors[-1])
            flush_all(descriptors)


def flush_folder(folder: str | Path) -> None:
    """Bring the names in `folder` to the disk. Raises OSError."""
    flush_folders([folder])


def make_folders(folder: Path) -> None:
    """Make `folder`, for its owner alone, and all above it, durably. Raises OSError.

    Folders that are there may have been made a moment ago and not have been flushed: the names of
    all are. Some may not be ours to open; those were there long before.
    """
    folder.mkdir(0o700, parents=True, exist_ok=True)
    for above in folder.absolute().parents:
        with contextlib.suppress(OSError):
            flush_folder(above)


def write_file(path: Path, content: bytes, *, mode: int) -> None:
    """Write a small file whole: aside, as ".new", then under its name. Raises OSError.

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
