"""Job queue of an archive: jobs are put in, done by workers, and reported.

An archive in PostgreSQL has its queue there (Procrastinate), for workers on any machine. One in a
folder has it in a file beside the catalog, for one worker with several processes.
"""

from __future__ import annotations

import asyncio
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from permacite.archive.administration import place_of
from permacite.archive.engine.location import engine_of
from permacite.archive.repository import Repository
from permacite.errors import PermaciteError
from permacite.loops import to_the_end
from permacite.registry import Registry
from permacite.service.work.jobs import ENTRIES, of_list, of_log, of_sites

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from permacite.archive.engine.location import Location
    from permacite.service.work.jobs import Job, JobRun, Outcome, Queue, WorkerPool

__all__ = ["PATIENCE_S", "do_jobs", "put_listed", "put_ranges", "runs"]

PATIENCE_S = 30.0
"""How long a worker may be silent until other workers do its jobs."""

_queues: Registry[Any] = Registry(
    "permacite.queues",
    {"postgresql": "permacite.service.work.postgresql_queue:PostgresqlQueue"},
    kind=type,
    extras={"postgresql": "cluster"},
)
"""Queues beside the records of an archive, by the name of the engine. A folder has its own."""
_PAUSE_S = 0.2
_TEND_S = 1.0


def put_ranges(
    location: Location,
    kind: str,
    *,
    start: int = 0,
    entries: int = ENTRIES,
    **options: Any,
) -> int:
    """Put in jobs over the log from the entry `start` on, with `entries` in each; how many.

    `kind`: "fixity", "derive" (option `renew`), "index", or "drift" (option `allow_private`).
    Raises StorageError.
    """
    with Repository.open(location) as archive:
        end = archive.log.size()
    divide = of_sites if kind == "drift" else of_log
    return _put(location, kind, list(divide(kind, start, end, entries, **options)))


def put_listed(location: Location, kind: str, listed: Sequence[str], **options: Any) -> int:
    """Put in jobs over slices of a list; how many.

    `kind`: "save", of addresses in normal form, or "import", of files by their whole paths. The
    options are those of `SaveOptions` and `CommitOptions` that can be written as JSON. Raises
    StorageError.
    """
    Repository.open(location).close()  # raises where none is there
    return _put(location, kind, list(of_list(kind, listed, options)))


def _put(location: Location, kind: str, jobs: Sequence[Job]) -> int:
    async def put() -> None:
        async with _queue(location) as queue:
            await queue.put(kind, jobs)

    if jobs:
        to_the_end(put())
    return len(jobs)


def runs(location: Location) -> list[JobRun]:
    """Return the latest runs, the latest first, with their progress. Raises StorageError."""

    async def ask() -> list[JobRun]:
        async with _queue(location) as queue:
            return await queue.runs()

    Repository.open(location).close()
    return to_the_end(ask())


def do_jobs(
    location: Location,
    pool: WorkerPool,
    *,
    once: bool = False,
    patience_s: float = PATIENCE_S,
    tell: Callable[[Job, Outcome], None] = lambda _job, _outcome: None,
    ending: Callable[[], None] = lambda: None,
) -> None:
    """Do jobs in a pool of workers until SIGINT or SIGTERM, or (`once`) until none is left.

    Jobs under way are finished then, and `ending` is called; a second signal ends the process at
    once. A worker without a heartbeat for `patience_s` counts as dead, and other workers do its
    jobs. Raises StorageError, BusyError.
    """

    async def run() -> None:
        stopping = asyncio.Event()
        async with _queue(location, works=True, patience_s=patience_s) as queue:
            _listen(stopping, ending)
            doing = asyncio.ensure_future(
                _work(queue, pool, once=once, stopping=stopping, tell=tell)
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
        pool.close()


def _listen(stopping: asyncio.Event, ending: Callable[[], None]) -> None:
    """End gracefully at the first signal, and at once at the second: that loses nothing either."""
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
    """Open the queue of an archive. Raises StorageError, BusyError."""
    queue: Queue
    if isinstance(location, str) and (engine := engine_of(location)):
        queue = await _queues.load(engine).open(location, works=works, patience_s=patience_s)
    else:
        from permacite.service.work.sqlite_queue import SqliteQueue

        queue = SqliteQueue(place_of(location).directory, works=works)
    try:
        yield queue
    finally:
        await queue.close()


async def _work(
    queue: Queue,
    pool: WorkerPool,
    *,
    once: bool,
    stopping: asyncio.Event,
    tell: Callable[[Job, Outcome], None],
) -> None:
    """Do jobs until `stopping` is set, or (`once`) until none is left; finish those under way.

    `tell` gets the outcome of each.
    """
    threads = ThreadPoolExecutor(pool.size, thread_name_prefix="job")
    loop = asyncio.get_running_loop()

    async def take_part() -> None:
        while not stopping.is_set():
            taken = await queue.take()
            if taken is None:
                if once and not await queue.tend():
                    stopping.set()
                await _wait(stopping, _PAUSE_S)
                continue
            outcome = await loop.run_in_executor(threads, pool.do, taken.job)
            await queue.finish(taken, outcome)
            tell(taken.job, outcome)

    async def tend() -> None:
        while not all(each.done() for each in parts):
            await queue.tend()
            await asyncio.wait(parts, timeout=_TEND_S)

    parts: list[asyncio.Task[None]] = []
    try:
        async with asyncio.TaskGroup() as group:
            parts += [group.create_task(take_part()) for _ in range(pool.size)]
            group.create_task(tend())
    except* PermaciteError as errors:
        raise errors.exceptions[0] from None
    finally:
        threads.shutdown(wait=True)


async def _wait(stopping: asyncio.Event, seconds: float) -> None:
    """Wait so long, or until `stopping` is set."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stopping.wait(), seconds)
