"""Bulk work on an archive: put into a queue as jobs, done by workers, looked at.

An archive in PostgreSQL has its queue there (Procrastinate), for workers on any machine; one in a
folder has it in a file beside the catalog, for one worker of several processes.
"""

from __future__ import annotations

import asyncio
import signal
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permacite.archive import Repository, place_of
from permacite.loops import to_the_end
from permacite.service.work import dividing
from permacite.service.work.running import work

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from permacite.archive import Location
    from permacite.service.work.jobs import Does, Job, Outcome, Queue, Run

__all__ = ["PATIENCE_S", "do_jobs", "put_listed", "put_ranges", "runs"]

PATIENCE_S = 30.0
"""How long a worker gives no sign of life until others do its jobs."""


def put_ranges(
    location: Location,
    kind: str,
    *,
    start: int = 0,
    entries: int = dividing.ENTRIES,
    **options: Any,
) -> int:
    """Put jobs over the log from the entry `start` on, so many `entries` in each; how many.

    `kind`: "fixity", "derive" (option `renew`), "index", or "drift" (option `allow_private`).
    Raises StorageError.
    """
    with Repository.open(location) as archive:
        end = archive.log.size()
    divide = dividing.of_sites if kind == "drift" else dividing.of_log
    return _put(location, kind, list(divide(kind, start, end, entries, **options)))


def put_listed(location: Location, kind: str, listed: Sequence[str], **options: Any) -> int:
    """Put jobs over slices of a list; how many.

    `kind`: "save", of addresses in normal form, or "import", of files by their whole paths. The
    options are those of `Ingest.save` and `Ingest.add_files` that can be written as JSON. Raises
    StorageError.
    """
    Repository.open(location).close()  # raises where none is there
    return _put(location, kind, list(dividing.of_list(kind, listed, options)))


def _put(location: Location, kind: str, jobs: Sequence[Job]) -> int:
    async def put() -> None:
        async with _queue(location) as queue:
            await queue.put(kind, jobs)

    if jobs:
        to_the_end(put())
    return len(jobs)


def runs(location: Location) -> list[Run]:
    """The newest runs, the newest first, and how far each is. Raises StorageError."""

    async def ask() -> list[Run]:
        async with _queue(location) as queue:
            return await queue.runs()

    Repository.open(location).close()
    return to_the_end(ask())


def do_jobs(
    location: Location,
    crew: Does,
    *,
    once: bool = False,
    patience_s: float = PATIENCE_S,
    tell: Callable[[Job, Outcome], None] = lambda _job, _outcome: None,
    ending: Callable[[], None] = lambda: None,
) -> None:
    """Do jobs by a crew until told to end (SIGINT, SIGTERM), or (`once`) until none is left.

    What is begun then is ended, which `ending` may say; told once more, the process ends at once. A
    worker that gives no sign of life for `patience_s` is taken for dead, and its jobs are done by
    others. Raises StorageError, BusyError.
    """

    async def run() -> None:
        stopping = asyncio.Event()
        async with _queue(location, works=True, patience_s=patience_s) as queue:
            _listen(stopping, ending)
            doing = asyncio.ensure_future(
                work(queue, crew, once=once, stopping=stopping, tell=tell)
            )
            try:
                await asyncio.shield(doing)
            except asyncio.CancelledError:  # the thread that waits for this was interrupted
                stopping.set()
                await doing
                raise

    Repository.open(location).close()
    try:
        to_the_end(run())
    finally:
        crew.close()


def _listen(stopping: asyncio.Event, ending: Callable[[], None]) -> None:
    """End gently at the first signal, and at the second as if killed: that loses nothing either."""
    loop = asyncio.get_running_loop()

    def end() -> None:
        stopping.set()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)
        ending()

    with suppress(RuntimeError, ValueError):  # a thread of somebody's program gets no signals
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, end)


@asynccontextmanager
async def _queue(
    location: Location, *, works: bool = False, patience_s: float = PATIENCE_S
) -> AsyncIterator[Queue]:
    """The queue of an archive. Raises StorageError, BusyError."""
    queue: Queue
    if isinstance(location, str) and "://" in location:
        from permacite.service.work.shared import SharedQueue

        queue = await SharedQueue.open(location, works=works, patience_s=patience_s)
    else:
        from permacite.service.work.local import LocalQueue

        queue = LocalQueue(place_of(Path(location)).directory, works=works)
    try:
        yield queue
    finally:
        await queue.close()
