"""Pages that were made for showing, kept while there is room: what is committed never changes."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from permacite.service.reader.pages import Page

__all__ = ["KeptPages"]

_ROOM_BYTES = 64 << 20
_LARGEST_PART = 4
"""A page that takes more than a fourth of the room is made anew each time."""


class KeptPages:
    """The pages that were asked for last, by their tags. Any number of threads may ask."""

    def __init__(self, room_bytes: int = _ROOM_BYTES) -> None:
        self._room_bytes = room_bytes
        self._pages: OrderedDict[str, Page] = OrderedDict()
        self._used_bytes = 0
        self._lock = threading.Lock()

    def get(self, tag: str) -> Page | None:
        """A page that is kept."""
        with self._lock:
            if tag in self._pages:
                self._pages.move_to_end(tag)
            return self._pages.get(tag)

    def keep(self, page: Page) -> None:
        """Keep a page; those asked for least recently make room for it."""
        size = _size(page)
        if size * _LARGEST_PART > self._room_bytes:
            return
        with self._lock:
            if page.tag not in self._pages:
                self._used_bytes += size
            self._pages[page.tag] = page
            while self._used_bytes > self._room_bytes:
                _, old = self._pages.popitem(last=False)
                self._used_bytes -= _size(old)


def _size(page: Page) -> int:
    """How many bytes a page takes: one, two or four for each of its characters."""
    return sys.getsizeof(page.html)
