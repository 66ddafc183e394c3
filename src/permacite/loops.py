"""Event loops for synchronous callers: asynchronous work runs in a loop of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine

__all__ = ["to_the_end"]

T = TypeVar("T")


def to_the_end(work: Coroutine[None, None, T]) -> T:
    """Run `work` in a loop of its own; in a thread of its own where this one has a loop.

    So notebooks may call it, and programs that drive a browser. Whoever interrupts this thread
    cancels the work, and waits for its end.
    """
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    tasks: list[asyncio.Task[T] | None] = []

    async def cancellable() -> T:
        tasks.append(asyncio.current_task())
        return await work

    with ThreadPoolExecutor(max_workers=1) as threads:
        running = threads.submit(asyncio.run, cancellable())
        try:
            return running.result()
        except KeyboardInterrupt:
            for task in filter(None, tasks):
                task.get_loop().call_soon_threadsafe(task.cancel)
            raise
