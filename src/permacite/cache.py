"""LRU cache bounded by bytes, and locks by key so that each value is computed once."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Cache", "KeyLocks"]

Value = TypeVar("Value")

_LARGEST = 4
"""One takes at most one in so many of all octets, so that one does not drive out all others."""


class Cache(Generic[Value]):
    """Values by keys. Any number of threads may use it.

    `octets`: how much all of them may take; `size` tells how much one takes.
    """

    def __init__(self, octets: int, size: Callable[[Value], int]) -> None:
        self._octets = octets
        self._size = size
        self._taken = 0
        self._lock = threading.Lock()
        self._values: OrderedDict[tuple[str, ...], Value] = OrderedDict()

    def get(self, *key: str) -> Value | None:
        """Return what is kept."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, value: Value, *key: str) -> None:
        """Keep a value in place of an earlier one, unless it is large."""
        size = self._size(value)
        with self._lock:
            if size * _LARGEST > self._octets:
                return
            if key in self._values:
                self._taken -= self._size(self._values.pop(key))
            self._values[key] = value
            self._taken += size
            while self._taken > self._octets:
                _, oldest = self._values.popitem(last=False)
                self._taken -= self._size(oldest)


class KeyLocks:
    """Threads that want the same wait for each other, so that who comes later finds it made."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wanted: dict[tuple[str, ...], tuple[threading.Lock, list[None]]] = {}

    @contextlib.contextmanager
    def of(self, *key: str) -> Iterator[None]:
        """Wait until nobody else has the turn of a key, and have it."""
        with self._lock:
            turn, waiting = self._wanted.setdefault(key, (threading.Lock(), []))
            waiting.append(None)
        try:
            with turn:
                yield
        finally:
            with self._lock:
                waiting.pop()
                if not waiting:
                    del self._wanted[key]
