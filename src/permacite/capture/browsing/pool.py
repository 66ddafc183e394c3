"""One Chromium that draws many pages, for many threads, within bounds of memory.

A page has a context and a guard of its own (see `drawing`), so it reaches and sees no more than
if it had the browser to itself. The browser is started for the first page, and anew once it has
drawn many, has grown large, or died. There is one at a time, so that the bound is one of them all.

Whoever loses a page because the browser died has it drawn once more, with nobody beside it: what
brought the browser down then brings down nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import defaultdict
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from permacite.capture.address import absolute, parse_target
from permacite.capture.browsing.chromium import Browser
from permacite.capture.browsing.drawing import draw_page
from permacite.errors import CaptureError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from types import TracebackType
    from typing import Self

    from permacite.capture.browsing.program import Program
    from permacite.capture.model import Capture, CaptureProgress, FetchOptions

__all__ = ["BrowserPool", "PoolLimits", "SharedBrowser", "memory_of"]

_MIB = 1024 * 1024
_LOOK_S = 0.5
"""How often is looked at how large a browser is."""
_Draw: TypeAlias = "Callable[[Browser], Awaitable[Capture]]"


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """How much one browser is used for."""

    pages: int = 100
    """It is started anew after so many: what they leave behind in it goes."""
    at_once: int = 8
    """How many pages it may draw beside each other; more wait."""
    full_bytes: int = 1536 * _MIB
    """A browser of this size finishes its pages, and then makes way for a new one."""
    most_bytes: int = 3072 * _MIB
    """A browser of this size is ended at once."""


class BrowserPool:
    """Draws pages for threads, which wait for theirs. A context manager; use it in one `with`."""

    def __init__(self, bounds: PoolLimits | None = None) -> None:
        self._shared = SharedBrowser(bounds or PoolLimits())
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        if self._thread is not None:
            loop, over = self._begun.result()
            loop.call_soon_threadsafe(over.set)
            self._thread.join()

    def draw(
        self,
        uri: str,
        program: Program,
        options: FetchOptions | None = None,
        *,
        progress: Callable[[CaptureProgress], None] | None = None,
        behaviour: str = "",
    ) -> Capture:
        """As `permacite.capture.draw`; its time counts from when the page has its turn."""
        parse_target(absolute(uri))  # before a program is started

        async def page(browser: Browser) -> Capture:
            return await draw_page(browser, uri, options, progress=progress, behaviour=behaviour)

        work = self._shared.draw(program, page)
        return asyncio.run_coroutine_threadsafe(work, self._loop()).result()

    def _loop(self) -> asyncio.AbstractEventLoop:
        """The loop that browsers are spoken with in, in a thread of its own."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=lambda: asyncio.run(self._serve()), name="browser", daemon=True
                )
                self._thread.start()
        return self._begun.result()[0]

    async def _serve(self) -> None:
        over = asyncio.Event()
        self._begun.set_result((asyncio.get_running_loop(), over))
        await over.wait()
        await self._shared.end()


class SharedBrowser:
    """Whose turn it is, and the browser at present. All of it belongs to one loop."""

    def __init__(self, bounds: PoolLimits) -> None:
        self._bounds = bounds
        self._running: _Running | None = None
        self._changed = asyncio.Condition()
        self._drawing = 0
        self._waiting_alone = 0
        self._is_alone = False

    async def draw(self, program: Program, page: _Draw) -> Capture:
        """Draw one page, once more if the browser dies. Raises CaptureError."""
        async with self._turn(program, alone=False) as running:
            try:
                captured = await page(running.browser)
            except CaptureError:
                if not running.is_over:
                    raise
            else:
                # One that dies while a page is frozen leaves what was served, and no drawing.
                if captured.drawn is not None or not running.is_over:
                    return captured
        async with self._turn(program, alone=True) as running:
            try:
                return await page(running.browser)
            except CaptureError as error:
                if not running.burst:
                    raise
                most = f"{self._bounds.most_bytes // _MIB:,} MiB"
                problem = f"Chromium takes more than {most} of memory for it"
                raise CaptureError(problem, uri=error.uri, reason="browser") from error

    async def end(self) -> None:
        """End the browser that runs."""
        async with self._changed:
            await self._end()

    @contextlib.asynccontextmanager
    async def _turn(self, program: Program, *, alone: bool) -> AsyncIterator[_Running]:
        """A browser to draw a page by, when it is its turn."""
        async with self._changed:
            self._waiting_alone += alone
            try:
                await self._changed.wait_for(lambda: self._is_free(program, alone=alone))
                running = await self._browser(program, anew=alone)
            finally:
                self._waiting_alone -= alone
                self._changed.notify_all()
            running.pages += 1
            self._drawing += 1
            self._is_alone = alone
        try:
            yield running
        finally:
            async with self._changed:
                self._drawing -= 1
                self._is_alone = False
                self._changed.notify_all()

    def _is_free(self, program: Program, *, alone: bool) -> bool:
        if not self._drawing:
            return alone or not self._waiting_alone
        if alone or self._waiting_alone or self._is_alone or self._drawing >= self._bounds.at_once:
            return False
        return self._running is None or not self._running.is_spent(program)

    async def _browser(self, program: Program, *, anew: bool) -> _Running:
        """The browser that runs, or another one. Nobody draws where it is not to be kept."""
        if self._running is not None and (anew or self._running.is_spent(program)):
            await self._end()
        if self._running is None:
            running = _Running(program, self._bounds)
            await running.started
            self._running = running
        return self._running

    async def _end(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.over.set()
            await running.task


class _Running:
    """A browser, watched over as long as it runs."""

    def __init__(self, program: Program, bounds: PoolLimits) -> None:
        self.started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.over = asyncio.Event()
        self.pages = 0
        self.burst = False
        """Whether it was ended because of its size."""
        self.browser: Browser
        self.task = asyncio.create_task(self._watch())
        self._program = program
        self._bounds = bounds
        self._size_bytes = 0

    @property
    def is_over(self) -> bool:
        """Whether it is gone."""
        return self.burst or bool(self.browser.pipe.ended)

    def is_spent(self, program: Program) -> bool:
        """Whether the next page is to have another one."""
        much = self._size_bytes > self._bounds.full_bytes or self.pages >= self._bounds.pages
        return much or self.is_over or program != self._program

    async def _watch(self) -> None:
        try:
            async with Browser.started(self._program) as self.browser:
                self.started.set_result(None)
                while not self.over.is_set() and not self.burst:
                    self._size_bytes = memory_of(self.browser.pid)
                    self.burst = self._size_bytes > self._bounds.most_bytes
                    if not self.burst:
                        with contextlib.suppress(TimeoutError):
                            await asyncio.wait_for(self.over.wait(), _LOOK_S)
        except Exception as error:  # noqa: BLE001 - who waits for the start is told
            if not self.started.done():
                self.started.set_exception(error)


_PROCESSES = Path("/proc")
_KIB = 1024


def memory_of(pid: int) -> int:
    """Bytes that `pid` and the processes below it have of their own; 0 where nothing tells.

    Files that are mapped are left out: the kernel takes them back when it needs room. What two
    of them share counts twice: it is rather too much than too little.
    """
    below: dict[int, list[int]] = defaultdict(list)
    for entry in _PROCESSES.glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name of a process stands in brackets, and may hold any octets.
            fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
            below[int(fields[1])].append(int(entry.name))
    family = [pid]
    for each in family:  # it grows meanwhile
        family += below[each]
    return sum(map(_own_bytes, family))


def _own_bytes(pid: int) -> int:
    """Anonymous and shared memory of one process; 0 where it is gone."""
    total = 0
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in (_PROCESSES / str(pid) / "status").read_bytes().splitlines():
            if line.startswith((b"RssAnon:", b"RssShmem:")):
                total += int(line.split()[1]) * _KIB
    return total
