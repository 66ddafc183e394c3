"""Folders, zip files and tar files, packed or not, as files by their paths; nothing is unpacked.

A path that leads out, a link, a device, a name that stands twice or a file that is far larger than
what it is packed to is a fault of the whole, known before anything of it is read.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import tarfile
import tempfile
import zipfile
import zlib
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from permacite.errors import NotFoundError, ParseError, PermaciteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["ENDINGS", "Store", "opened", "reading"]

_ZIP = (".zip",)
_TAR = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")
ENDINGS = (*_ZIP, *_TAR)
"""How packed folders are called."""
_STEP = 1 << 20
_MOST_TIMES = 200
"""How many times larger something may be than what it is packed to."""
_PACKED: dict[bytes, Callable[[Path], object]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
_LINK = 0o120000
_KIND = 0o170000
_DAMAGED = (OSError, EOFError, ValueError, RuntimeError, NotImplementedError, LookupError)
_DAMAGED_TOO = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)
"""What libraries raise for files that are damaged, or packed as they cannot read."""


class Store(Protocol):
    """Files by their paths, `/` between folders."""

    sizes: dict[str, int]
    """In octets, by the path."""
    fault: ParseError | None
    """Why nothing of it may be read."""

    def open(self, path: str) -> BinaryIO:
        """A file, to be read from its beginning."""

    def close(self) -> None:
        """Let go of it."""


def opened(path: Path) -> Store:
    """A folder, or what is packed in a file; close it. Raises ParseError, NotFoundError."""
    with reading(path.name):
        if path.is_dir():
            return _BagFolder(path)
        return _Zip(path) if path.name.lower().endswith(_ZIP) else _Tar(path)


@contextlib.contextmanager
def reading(name: str) -> Iterator[None]:
    """Make what libraries raise for a damaged file a ParseError, or NotFoundError."""
    try:
        yield
    except PermaciteError:
        raise
    except (*_DAMAGED, *_DAMAGED_TOO) as error:
        if isinstance(error, OSError) and error.strerror:
            raise NotFoundError(f"it cannot be read: {error.strerror}", name) from error
        raise _fault(f"the file is damaged: {error}", name) from error


def _fault(problem: str, path: str) -> ParseError:
    return ParseError(problem, path, 0, hint="nothing was archived of it")


def _fault_of(path: str, *, is_link: bool, is_twice: bool) -> ParseError | None:
    """What is wrong with a file in a folder, if anything is."""
    parts = path.replace("\\", "/").split("/")
    climbs = ".." in parts or path.startswith(("/", "\\", "~")) or ":" in parts[0]
    if climbs or "\0" in path:
        return _fault(f"the path {path!r} leads out of the folder", path)
    if is_twice:
        return _fault(f"{path!r} stands twice in it", path)
    return _fault(f"{path!r} is a link, or no file", path) if is_link else None


class _BagFolder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.sizes: dict[str, int] = {}
        self.fault: ParseError | None = None
        waiting = [("", folder)]
        while waiting:
            prefix, here = waiting.pop()
            for entry in sorted(os.scandir(here), key=lambda each: each.name):
                path = f"{prefix}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((f"{path}/", here / entry.name))
                    continue
                is_link = not entry.is_file(follow_symlinks=False)
                self.fault = self.fault or _fault_of(path, is_link=is_link, is_twice=False)
                self.sizes[path] = entry.stat(follow_symlinks=False).st_size

    def open(self, path: str) -> BinaryIO:
        return (self._folder / path).open("rb")

    def close(self) -> None:
        """Nothing is open."""


class _Zip:
    def __init__(self, file: Path) -> None:
        self._zip = zipfile.ZipFile(file)
        self.sizes: dict[str, int] = {}
        self.fault: ParseError | None = None
        for each in self._zip.infolist():
            path = each.filename
            is_link = each.external_attr >> 16 & _KIND == _LINK
            fault = _fault_of(path, is_link=is_link, is_twice=path in self.sizes)
            self.fault = self.fault or fault or _ratio(path, each.file_size, each.compress_size)
            if not each.is_dir():
                self.sizes[path] = each.file_size

    def open(self, path: str) -> BinaryIO:
        return cast("BinaryIO", self._zip.open(path))

    def close(self) -> None:
        self._zip.close()


class _Tar:
    """A tar file; one that is packed is unpacked once, into a file without a name."""

    def __init__(self, file: Path) -> None:
        self._file = _plain(file)
        self._members: dict[str, tarfile.TarInfo] = {}
        self.fault: ParseError | None = None
        try:
            self._tar = tarfile.open(fileobj=self._file, mode="r:")  # noqa: SIM115 - see `close`
            for each in self._tar:
                path = each.name.removeprefix("./")
                is_link = not (each.isdir() or (each.isreg() and not each.issparse()))
                fault = _fault_of(path, is_link=is_link, is_twice=path in self._members)
                self.fault = self.fault or fault
                if not each.isdir():
                    self._members[path] = each
        except BaseException:
            self._file.close()
            raise
        self.sizes = {path: each.size for path, each in self._members.items()}

    def open(self, path: str) -> BinaryIO:
        return cast("BinaryIO", self._tar.extractfile(self._members[path]))

    def close(self) -> None:
        self._tar.close()
        self._file.close()


def _plain(file: Path) -> BinaryIO:
    """A tar file without what packs it."""
    with file.open("rb") as packed:
        head = packed.read(8)
    open_ = next((way for mark, way in _PACKED.items() if head.startswith(mark)), None)
    if open_ is None:
        return file.open("rb")
    size, done = file.stat().st_size, 0
    target = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 - `close` closes it
    try:
        with cast("BinaryIO", open_(file)) as unpacked:
            while piece := unpacked.read(_STEP):
                done += len(piece)
                _check_ratio(file.name, done, size)
                target.write(piece)
    except BaseException:
        target.close()
        raise
    target.seek(0)
    return target


def _ratio(path: str, size: int, packed: int) -> ParseError | None:
    if size <= _MOST_TIMES * packed + _STEP:
        return None
    return _fault(f"{path!r} unpacks to {size:,} octets or more: too much for what it is", path)


def _check_ratio(path: str, size: int, packed: int) -> None:
    fault = _ratio(path, size, packed)
    if fault is not None:
        raise fault
