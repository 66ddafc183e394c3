"""Politeness to sites: one page at a time with pauses, and robots.txt (RFC 9309).

robots.txt is fetched once a run, and recorded as it was. It is obeyed for pages that links led to,
and not for those that a person named: these are fetched as that person's agent.
"""

from __future__ import annotations

import heapq
import threading
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from time import monotonic, sleep
from typing import TYPE_CHECKING, Generic, TypeVar
from urllib.parse import urlsplit

from permacite.capture import fetch
from permacite.capture.model import FetchLimits, FetchOptions
from permacite.errors import CaptureError
from permacite.lazy_dataclass import dataclass
from permacite.service.ingest.directives import AGENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from protego import Protego

    from permacite.archive.model.answered import JSON

__all__ = ["Robots", "Rules", "Turns"]

_MOST_OCTETS = 500 * 1024
"""RFC 9309 §2.5: so much is read at least."""
_MOST_DELAY_S = 60
_ABSENT = range(400, 500)
Wanted = TypeVar("Wanted")
Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class Rules:
    """What one site asks for."""

    uri: str
    text: str
    """As it stood; "" where there is none."""
    parsed: Protego | None
    """None: nothing may be fetched, since the site does not say."""

    def allows(self, uri: str) -> bool:
        """Whether a page may be fetched."""
        return self.parsed is not None and bool(self.parsed.can_fetch(uri, AGENT))

    @property
    def delay_s(self) -> float:
        """How long to wait between two pages."""
        asked = None if self.parsed is None else self.parsed.crawl_delay(AGENT)
        return min(float(asked or 0), _MOST_DELAY_S)

    def on_record(self) -> dict[str, JSON]:
        """As it is kept with what was fetched under it."""
        return {"robots": {"uri": self.uri, "text": self.text}}


class Robots:
    """The rules of the sites of one run; threads may share it."""

    def __init__(self, *, allow_private: bool) -> None:
        self._allow_private = allow_private
        self._lock = threading.Lock()
        self._known: dict[str, Rules] = {}

    def of(self, uri: str) -> Rules:
        """The rules of the site of a page."""
        parts = urlsplit(uri)
        site = f"{parts.scheme}://{parts.netloc}"
        with self._lock:
            if site not in self._known:
                self._known[site] = self._read(f"{site}/robots.txt")
            return self._known[site]

    def _read(self, uri: str) -> Rules:
        """RFC 9309 §2.3.1: what is not there forbids nothing; what cannot be had, everything."""
        from protego import Protego

        limits = FetchLimits(total_bytes=_MOST_OCTETS, part_bytes=_MOST_OCTETS, redirects=5)
        options = FetchOptions(limits, allow_private=self._allow_private)
        try:
            content = fetch(uri, options).content
        except CaptureError as error:
            is_absent = error.status in _ABSENT
            return Rules(uri, "", Protego.parse("") if is_absent else None)
        text = content.decode("utf-8", "replace")
        return Rules(uri, text, Protego.parse(text))


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
