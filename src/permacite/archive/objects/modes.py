"""Who may read the files of an archive: its owner alone, or its group where the folder says so.

A folder in which the group may write and that has the set-group-id bit (`chmod 2770`) is, by old
custom, one that a group shares. Any other archive is private: what is withdrawn, closed or secret
in it is for nobody else to read. The modes do not depend on the umask of whoever writes.
"""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["PRIVATE", "SHARED", "Modes", "keep_modes", "modes_of"]


@dataclass(frozen=True, slots=True)
class Modes:
    """The permissions of what is in an archive."""

    folder: int
    file: int
    content: int
    """Of octets, which nobody writes again."""
    secret: int
    """Of the log's key, and of the tokens."""


PRIVATE = Modes(folder=0o700, file=0o600, content=0o400, secret=0o600)
SHARED = Modes(folder=0o2770, file=0o660, content=0o440, secret=0o640)

_SECRETS = frozenset({"log.key", "tokens.sqlite"})
_IS_SHARED = stat.S_ISGID | stat.S_IRWXG
"""The bit alone says nothing: a folder has it from the one above."""


def modes_of(directory: Path) -> Modes:
    """Return the modes of the archive in `directory`. Raises OSError."""
    return SHARED if directory.stat().st_mode & _IS_SHARED == _IS_SHARED else PRIVATE


def keep_modes(directory: Path) -> None:
    """Give what is ours of the archive in `directory` the modes that it should have.

    The folder of a private archive keeps everybody out, whatever the modes below; in one that was
    shared just now, each file is opened to the group, once.
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
    """Open all that is below a folder to its group."""
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
    """Set the mode of a file or folder that is ours, if it is another."""
    status = path.stat()
    if status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) != mode:
        path.chmod(mode)
