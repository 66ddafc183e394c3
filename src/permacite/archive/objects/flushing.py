"""Names and small files that are on the disk when the call returns.

A flush of a file says nothing of its name: that stands in the folder, which has a flush of its own.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["flush_folder", "make_folders", "write_file"]


def flush_folder(folder: str | Path) -> None:
    """Bring the names in `folder` to the disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
