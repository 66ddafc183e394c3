"""Octets of a message: bytes, a memory map, or a file by its path.

A file is read in windows and never mapped: a listing of a large one takes little memory, and a
file that shrinks while it is open gives short reads instead of a signal.
"""

from __future__ import annotations

import mmap
import os
import threading
from typing import Protocol, TypeAlias

__all__ = ["Source", "SourceOctets", "octets_of"]

Source: TypeAlias = "bytes | bytearray | memoryview | mmap.mmap | str | os.PathLike[str]"

_WINDOW = 1 << 20
_STRETCH = 1 << 16
_HOPS = 16
"""So many hyphens in so many octets are few, and none of more octets."""
_OVERLAP = 4096
"""Nothing that is searched for has more octets than this."""


class SourceOctets(Protocol):
    """What the index and the parts read from. Offsets count octets from 0."""

    size: int

    def read(self, start: int, end: int) -> bytes:
        """The octets from `start` up to `end`, fewer at the end of the file."""
        ...

    def find(self, needle: bytes, start: int) -> int:
        """Where `needle`, whose second octet is "-", first stands from `start` on; or -1."""
        ...

    def close(self) -> None:
        """Let go of the file, if there is one."""
        ...


class _OctetsInMemory:
    """Octets that are in memory, or look so."""

    __slots__ = ("_data", "size")

    def __init__(self, data: bytes | mmap.mmap) -> None:
        self._data = data
        self.size = len(data)

    def read(self, start: int, end: int) -> bytes:
        return self._data[start:end]

    def find(self, needle: bytes, start: int) -> int:
        return _find(self._data, needle, start)

    def close(self) -> None:
        """Nothing to let go of: what the caller gave is the caller's."""


class _File:
    """Octets of a file, by windows; the last window is kept, since reading mostly goes forward."""

    __slots__ = ("_at", "_handle", "_lock", "_window", "size")

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._handle = -1
        self._handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._lock = threading.Lock()
        self._at = 0
        self._window = b""
        self.size = os.fstat(self._handle).st_size

    def read(self, start: int, end: int) -> bytes:
        end = min(end, self.size)
        with self._lock:
            offset = start - self._at
            if offset >= 0 and end - self._at <= len(self._window):
                return self._window[offset : offset + max(0, end - start)]
            return self._from_disk(start, end)

    def find(self, needle: bytes, start: int) -> int:
        while start < self.size:
            at, window = self._window_at(start)
            place = _find(window, needle, start - at)
            if place >= 0:
                return at + place
            start = self._after(at, window)
        return -1

    def _after(self, at: int, window: bytes) -> int:
        """Where to search on; windows overlap, so that no match is cut in two."""
        end = at + len(window)
        return self.size if end >= self.size or not window else max(at + 1, end - _OVERLAP)

    def _window_at(self, start: int) -> tuple[int, bytes]:
        with self._lock:
            end = self._at + len(self._window)
            if self._at <= start and (
                start + _OVERLAP < end or end >= self.size > start >= self._at
            ):
                return self._at, self._window
            self._window = self._from_disk(start, min(start + _WINDOW, self.size))
            self._at = start
            return start, self._window

    def _from_disk(self, start: int, end: int) -> bytes:
        os.lseek(self._handle, start, os.SEEK_SET)
        pieces = []
        while start < end and (piece := os.read(self._handle, end - start)):
            pieces.append(piece)
            start += len(piece)
        return b"".join(pieces)

    def close(self) -> None:
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    __del__ = close


def _find(data: bytes | mmap.mmap, needle: bytes, start: int) -> int:
    """Find `needle` from hyphen to hyphen, or at once where hyphens are many.

    Encoded bodies have none, and one octet is found several times as fast as many in a row.
    """
    at = start + 1
    while True:
        first = at
        for _ in range(_HOPS):
            at = data.find(b"-", at)
            if at < 0:
                return -1
            if data[at - 1 : at - 1 + len(needle)] == needle:
                return at - 1
            at += 1
        end = first + _STRETCH
        if at < end:
            start = data.find(needle, at - 1, end + len(needle))
            if start >= 0:
                return start
            at = end


def octets_of(source: Source) -> SourceOctets:
    """Return `source` ready to be read; a str or a path is a file's name. Raises OSError."""
    if isinstance(source, bytes | mmap.mmap):
        return _OctetsInMemory(source)
    if isinstance(source, bytearray | memoryview):
        return _OctetsInMemory(bytes(source))
    return _File(source)
