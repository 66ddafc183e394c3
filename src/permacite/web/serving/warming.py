"""Warm-up after the start: compiles templates and rules, and imports modules for large texts.

Else the first request would wait for this. It takes a second of CPU time, so it runs in the
background two seconds after the start, and not at all in servers that end soon.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["WarmUp"]

_AFTER = 2


class WarmUp:
    """Runs work once, some seconds after the start."""

    def __init__(self, *work: Callable[[], None]) -> None:
        self._work = work
        self._ticks = 0
        self._task: asyncio.Task[None] | None = None

    def tick(self) -> None:
        """Count a second."""
        self._ticks += 1
        if self._ticks == _AFTER:
            self._task = asyncio.create_task(run_in_threadpool(self._run))

    def _run(self) -> None:
        for each in self._work:
            each()
