"""A worker: it takes jobs from a queue and has them done, several at once, until it is told to end.

"Until empty" means that no job is left, whoever does it: those of a worker that died are taken
again, and those of one that lives are waited for.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

from permacite.errors import PermaciteError

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.service.work.jobs import Does, Job, Outcome, Queue

__all__ = ["work"]

_PAUSE_S = 0.2
_TEND_S = 1.0


async def work(
    queue: Queue,
    crew: Does,
    *,
    once: bool,
    stopping: asyncio.Event,
    tell: Callable[[Job, Outcome], None],
) -> None:
    """Do jobs until `stopping` is set, or (`once`) until none is left; those begun are ended.

    `tell` is told what became of each.
    """
    threads = ThreadPoolExecutor(crew.size, thread_name_prefix="job")
    loop = asyncio.get_running_loop()

    async def take_part() -> None:
        while not stopping.is_set():
            taken = await queue.take()
            if taken is None:
                if once and not await queue.tend():
                    stopping.set()
                await _wait(stopping, _PAUSE_S)
                continue
            outcome = await loop.run_in_executor(threads, crew.do, taken.job)
            await queue.finish(taken, outcome)
            tell(taken.job, outcome)

    async def tend() -> None:
        while not all(each.done() for each in parts):
            await queue.tend()
            await asyncio.wait(parts, timeout=_TEND_S)

    parts: list[asyncio.Task[None]] = []
    try:
        async with asyncio.TaskGroup() as group:
            parts += [group.create_task(take_part()) for _ in range(crew.size)]
            group.create_task(tend())
    except* PermaciteError as errors:
        raise errors.exceptions[0] from None
    finally:
        threads.shutdown(wait=True)


async def _wait(stopping: asyncio.Event, seconds: float) -> None:
    """Wait so long, or until there is nothing to wait for."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stopping.wait(), seconds)
