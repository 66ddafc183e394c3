"""Heap of a server that runs for months: one glibc arena, which returns free memory.

glibc gives each thread an arena, up to eight for each core. Each keeps its largest size, and takes
large blocks too, after one was freed. Python runs one thread at a time, so one arena is enough
(mallopt(3)).
"""

from __future__ import annotations

import ctypes

__all__ = ["share_heap"]

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Of `malloc.h`."""
_LARGE_BYTES = 256 << 10
"""What is larger is taken from the system, and goes back to it at once."""
_FREE_BYTES = 1 << 20
"""So much may lie free at the end of the heap."""


def share_heap() -> None:
    """Let all threads that are to come use one heap; nothing is done where glibc is not."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, 1)
        mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)
        mallopt(_TRIM_THRESHOLD, _FREE_BYTES)
