"""Turns: several things at once, one at a time from each site, with a pause between two of them."""

from __future__ import annotations

import heapq
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from time import monotonic, sleep
from typing import TYPE_CHECKING, Generic, TypeVar
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["Turns"]

Wanted = TypeVar("Wanted")
Done = TypeVar("Done")


class Turns(Generic[Wanted, Done]):
    """What waits for which site, and what is under way."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._waiting: dict[str, deque[Wanted]] = {}
        """By site."""
        self._idle: list[tuple[float, str]] = []
        """A heap of sites that have something waiting, by the time from which they may be asked."""
        self._free_at: dict[str, float] = {}

    def put(self, uri: str, wanted: Wanted) -> None:
        """Have something wait for the turn of the site of `uri`; also while others are done."""
        site = urlsplit(uri).netloc
        if site not in self._waiting:
            self._waiting[site] = deque()
            heapq.heappush(self._idle, (self._free_at.get(site, 0.0), site))
        self._waiting[site].append(wanted)

    def work(
        self, do: Callable[[Wanted], Done], pause_s: Callable[[Wanted], float]
    ) -> Iterator[tuple[Wanted, Done]]:
        """Do all that waits, in threads, as the sites' turns come; yield each with its outcome.

        What `do` raises ends it all. `pause_s` is how long a site is let be after something.
        """
        running: dict[Future[Done], tuple[Wanted, str]] = {}
        threads = ThreadPoolExecutor(max_workers=self._jobs, thread_name_prefix="turn")
        try:
            while running or self._waiting:
                while len(running) < self._jobs and (begun := self._next()) is not None:
                    running[threads.submit(do, begun[0])] = begun
                for future in self._finished(running):
                    wanted, site = running.pop(future)
                    outcome = future.result()
                    self._release(site, pause_s(wanted))
                    yield wanted, outcome
        finally:
            threads.shutdown(wait=True, cancel_futures=True)

    def _finished(self, running: Mapping[Future[Done], object]) -> set[Future[Done]]:
        """Wait until one is done, or until the turn of the next site; what is done by then."""
        until = self._idle[0][0] if self._idle and len(running) < self._jobs else None
        left_s = None if until is None else max(0.0, until - monotonic())
        if not running:
            sleep(left_s or 0)
            return set()
        return wait(running, timeout=left_s, return_when=FIRST_COMPLETED).done

    def _next(self) -> tuple[Wanted, str] | None:
        """What is next, and its site, which may be asked now; None where none may."""
        if not self._idle or self._idle[0][0] > monotonic():
            return None
        _, site = heapq.heappop(self._idle)
        return self._waiting[site].popleft(), site

    def _release(self, site: str, pause_s: float) -> None:
        """A site's turn is over: it is asked again after a pause."""
        self._free_at[site] = monotonic() + pause_s
        if self._waiting[site]:
            heapq.heappush(self._idle, (self._free_at[site], site))
        else:
            del self._waiting[site]
