"""A file whose octets are elsewhere, and are asked for by ranges."""

from __future__ import annotations

import io
import os
import tempfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MOST_AT_ONCE", "RangedFile"]

MOST_AT_ONCE = 8 << 20
"""Octets of the largest range that is asked for; as many are in memory."""


class RangedFile(io.RawIOBase):
    """Octets that `ask` gives from a start up to an end. What is read in a row is asked for ahead.

    Whoever needs a descriptor gets that of a temporary file without a name, into which all is
    copied first. What `ask` raises is raised.
    """

    def __init__(self, ask: Callable[[int, int], bytes], first: bytes, size: int) -> None:
        """Take the first octets, which are here already, and how many there are."""
        super().__init__()
        self._ask = ask
        self._size = size
        self._position = 0
        self._start = 0
        """Where the octets that are at hand begin."""
        self._window = first
        self._copy: Any = None

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def seekable(self) -> bool:
        """Whether it can be read from any place on."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to a place, which is returned."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer, as far as there are octets."""
        view = memoryview(buffer).cast("B")
        wanted = min(len(view), self._size - self._position)
        filled = 0
        while filled < wanted:
            at_hand = self._at_hand(wanted - filled)
            view[filled : filled + len(at_hand)] = at_hand
            filled += len(at_hand)
            self._position += len(at_hand)
        return max(0, filled)

    def readall(self) -> bytes:
        """All octets from here on."""
        left = bytearray(max(0, self._size - self._position))
        self.readinto(left)
        return bytes(left)

    def fileno(self) -> int:
        """The descriptor of a copy. Raises OSError where there is no room for one."""
        if self._copy is None:
            copy = tempfile.TemporaryFile()  # noqa: SIM115 - closed with this
            try:
                position = self.seek(0, os.SEEK_CUR)
                self.seek(0)
                while piece := self.read(MOST_AT_ONCE):
                    copy.write(piece)
                copy.flush()
                self.seek(position)
            except BaseException:
                copy.close()
                raise
            self._copy = copy
        return int(self._copy.fileno())

    def close(self) -> None:
        """Let go of the copy, if one was made."""
        if self._copy is not None:
            self._copy.close()
        super().close()

    def _at_hand(self, wanted: int) -> memoryview:
        """Octets from the position on, at least one and at most `wanted`."""
        end = self._start + len(self._window)
        if not self._start <= self._position < end:
            is_next = self._position == end
            most = min(MOST_AT_ONCE, max(wanted, 2 * len(self._window) if is_next else 0))
            start = self._position
            self._window = self._ask(start, min(start + most, self._size))
            self._start = start
            if not self._window:
                raise OSError("there are fewer octets than the store said")
        begin = self._position - self._start
        return memoryview(self._window)[begin : begin + wanted]
