"""Where the bytes of an entity are: in memory, mapped, or in a file that is read as needed."""

from __future__ import annotations

import mmap
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from permacite.errors import NotFoundError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

__all__ = ["FileSource", "MemorySource", "Source", "source_of"]

Buffer: TypeAlias = "bytes | bytearray | memoryview | mmap.mmap"


class Source(Protocol):
    """Bytes that can be read from any place. Sizes and places are in bytes."""

    @property
    def size(self) -> int:
        """How many bytes there are."""
        ...

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes from `start` up to `end`, fewer where the source ends sooner."""
        ...


class MemorySource:
    """Bytes in memory or mapped into it."""

    __slots__ = ("_view", "size")

    def __init__(self, data: Buffer) -> None:
        self._view = data if isinstance(data, bytes) else memoryview(data).cast("B")
        self.size = len(self._view)

    def read(self, start: int, end: int) -> bytes:
        """Return a copy of a slice (the same object where it is the whole of a `bytes`)."""
        return bytes(self._view[start:end])


class FileSource:
    """A file, opened for each piece of work, so that none is left open and none is held."""

    __slots__ = ("_handle", "path", "size")

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None
        with _reported(path):
            self.size = path.stat().st_size

    def read(self, start: int, end: int) -> bytes:
        """Read a slice. Raises StorageError where the file cannot be read."""
        with _reported(self.path), self.path.open("rb", buffering=0) as file:
            file.seek(start)
            return _read_all(file.fileno(), end - start)


def _read_all(handle: int, wanted: int) -> bytes:
    """Read until `wanted` bytes or the end; a raw read may give less."""
    pieces = []
    while wanted > 0 and (piece := os.read(handle, wanted)):
        pieces.append(piece)
        wanted -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    """Turn errors of the operating system into ours."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError("no such file", str(path)) from error
    except OSError as error:
        problem = error.strerror or "cannot be read"
        raise StorageError(problem, path=str(path), reason="io") from error


def source_of(source: Buffer | os.PathLike[str]) -> Source:
    """Return what reads `source`. Raises TypeError for a str, which could be text or a path."""
    if isinstance(source, bytes | bytearray | memoryview | mmap.mmap):
        return MemorySource(source)
    if isinstance(source, os.PathLike):
        return FileSource(Path(source))
    raise TypeError("source: bytes, mmap or pathlib.Path; for decoded text there is Text.of")
