"""Byte sources of an entity: in memory, mapped, or in a file that is read as needed."""

from __future__ import annotations

import hashlib
import mmap
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from permacite.errors import NotFoundError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import TypeAlias

__all__ = [
    "Buffer",
    "ByteSource",
    "Fetch",
    "FileSource",
    "Fill",
    "MemorySource",
    "digest",
    "filling",
    "source_of",
]

Buffer: TypeAlias = "bytes | bytearray | memoryview | mmap.mmap"
Fetch: TypeAlias = "Callable[[int, int], memoryview]"
"""Gives the bytes from a start up to an end, fewer where the source ends sooner.

They stay as they are until the next call.
"""
Fill: TypeAlias = "Callable[[int, memoryview], int]"
"""Puts the bytes from a start on into a buffer; gives how many, fewer where the source ends."""


@runtime_checkable
class ByteSource(Protocol):
    """Bytes that can be read from any place. Sizes and places are in bytes.

    Callers with bytes that are neither in memory nor in a file implement this protocol.
    """

    @property
    def size(self) -> int:
        """How many bytes there are."""

    def reading(self) -> AbstractContextManager[Fetch]:
        """A function that reads slices, for as long as the context lasts, in one thread."""

    def whole(self) -> AbstractContextManager[bytes | mmap.mmap]:
        """Return all bytes, for as long as the context lasts; a file is mapped, not read."""


class MemorySource:
    """Bytes in memory or mapped into it."""

    __slots__ = ("_data", "_view", "size")

    def __init__(self, data: Buffer) -> None:
        self._data = data
        self._view = memoryview(data).cast("B")
        self.size = len(self._view)

    @contextmanager
    def reading(self) -> Iterator[Fetch]:
        """Give slices without copying them."""
        yield lambda start, end: self._view[start:end]

    @contextmanager
    def whole(self) -> Iterator[bytes | mmap.mmap]:
        """Give what is there; a copy where it cannot be searched."""
        yield self._data if isinstance(self._data, bytes | mmap.mmap) else bytes(self._data)


class FileSource:
    """A file, opened for each piece of work, so that none is left open."""

    __slots__ = ("path", "size")

    def __init__(self, path: Path) -> None:
        self.path = path
        with _reported(path):
            self.size = path.stat().st_size

    @contextmanager
    def reading(self) -> Iterator[Fetch]:
        """Open the file. Raises NotFoundError or StorageError where it cannot be read."""
        with self.filling() as fill:
            buffer = memoryview(b"")

            def fetch(start: int, end: int) -> memoryview:
                # One buffer serves all slices: fresh memory for each costs more than reading.
                nonlocal buffer
                if len(buffer) < end - start:
                    buffer = memoryview(bytearray(end - start))
                return buffer[: fill(start, buffer[: end - start])]

            yield fetch

    @contextmanager
    def filling(self) -> Iterator[Fill]:
        """Open the file, to read it into the caller's memory. Raises as `reading` does."""
        with _reported(self.path), self.path.open("rb", buffering=0) as file:

            def fill(start: int, buffer: memoryview) -> int:
                done = 0
                file.seek(start)
                while done < len(buffer) and (got := file.readinto(buffer[done:])):
                    done += got
                if done < min(len(buffer), self.size - start):
                    raise _shortened(self.path)
                return done

            yield fill

    @contextmanager
    def whole(self) -> Iterator[bytes | mmap.mmap]:
        """Map the file. Raises NotFoundError or StorageError where it cannot be read."""
        if self.size == 0:  # what is empty cannot be mapped
            yield b""
            return
        with (
            _reported(self.path),
            self.path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
        ):
            yield mapped


def _shortened(path: Path) -> StorageError:
    problem = "the file became shorter while it was read"
    return StorageError(problem, path=str(path), reason="io")


@contextmanager
def filling(source: ByteSource) -> Iterator[Fill]:
    """A function that fills buffers, for as long as the context lasts, in one thread."""
    if isinstance(source, FileSource):
        with source.filling() as fill:
            yield fill
        return
    with source.reading() as fetch:

        def copy(start: int, buffer: memoryview) -> int:
            data = fetch(start, start + len(buffer))
            buffer[: len(data)] = data
            return len(data)

        yield copy


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


def source_of(source: Buffer | os.PathLike[str] | ByteSource) -> ByteSource:
    """The source of octets. Raises TypeError for a str, which could be text or a path."""
    if isinstance(source, bytes | bytearray | memoryview | mmap.mmap):
        return MemorySource(source)
    if isinstance(source, os.PathLike):
        return FileSource(Path(source))
    if isinstance(source, ByteSource):
        return source
    raise TypeError("source: bytes, mmap or pathlib.Path; for decoded text there is Text.of")


_HASHED_BYTES = 1 << 20


def digest(source: ByteSource, name: str) -> str:
    """The digest of that name of the bytes as they are, in hexadecimal digits."""
    hashing = hashlib.new(name, usedforsecurity=False)
    with source.reading() as fetch:
        for start in range(0, source.size, _HASHED_BYTES):
            hashing.update(fetch(start, start + _HASHED_BYTES))
    return hashing.hexdigest()
