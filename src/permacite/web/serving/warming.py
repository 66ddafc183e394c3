"""What the first page would wait for, brought in while a server that has just begun waits itself.

Pages are made from templates, which are compiled when they are first asked for, as are the rules of
names; rooms that only large texts need are imported then. It takes a second of the processor, so
it is done behind the start, and not at all by servers that end soon.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Warming"]

_AFTER = 2


class Warming:
    """Brings in what is needed, once, some seconds after the start."""

    def __init__(self, *work: Callable[[], None]) -> None:
        self._work = work
        self._ticks = 0
        self._task: asyncio.Task[None] | None = None

    def tick(self) -> None:
        """A second is over."""
        self._ticks += 1
        if self._ticks == _AFTER:
            self._task = asyncio.create_task(run_in_threadpool(self._bring_in))

    def _bring_in(self) -> None:
        for each in self._work:
            each()
