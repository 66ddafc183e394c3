"""The time of a page that is drawn: virtual, so that the same page is drawn the same way.

Chrome DevTools Protocol, `Emulation.setVirtualTimePolicy`. The clock of the page starts at the true
time and stands while anything is fetched; where nothing is to be done it skips to the next timer.
It is never told to "advance": that would skip to timers that are hours away. Workers keep true
time, so the clock gives them a moment when it stops. Frames are drawn in true time.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import field
from time import monotonic, time
from typing import TYPE_CHECKING, Any

from permacite.errors import CaptureError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from permacite.capture.browsing.chromium import Tab, TargetSession
    from permacite.capture.browsing.recording import Recorder

__all__ = ["Clock", "settle"]

_BUDGET_MS = 8000
"""How long the page runs after it was loaded, on its own clock."""
_STEP_MS = 40
"""What it is granted at each step afterwards."""
_FRAME_S = 0.034
"""Two frames of a display."""
_WORKER_S = 1.0
"""What workers are waited for, in true time."""
_ANSWER_S = 2
"""What a page may take to answer a question."""
_BEHAVE_S = 10
"""What a behaviour may take, in true time."""
_LED_ON = "navigated"
"""What Chromium says of a script that ended because it led to another page."""
_TOLD = 200
"""How many characters of what goes wrong in it are told."""
_SCREENS = 40
"""How far down a page is scrolled, in heights of the view: some never end."""
_WHILE_PAUSED = "pauseIfNetworkFetchesPending"


@dataclass(slots=True)
class Clock:
    """The clock of one page."""

    tab: Tab
    granted_ms: int = 0
    """How far it has been let go on since it was started."""
    started_at: float = 0
    """In true time: seconds since 1970."""
    _expired: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.tab.on("Emulation.virtualTimeBudgetExpired", self._end)

    def _end(self, session: TargetSession, _: Mapping[str, Any]) -> None:
        if session.target == self.tab.target:
            self._expired.set()

    async def start(self) -> None:
        """Let it stand at the true time. A page that is opened then loads, and no timer fires."""
        self.started_at = time()
        terms = {"policy": "pause", "initialVirtualTime": self.started_at}
        await self.tab.send("Emulation.setVirtualTimePolicy", terms)

    async def run(self, budget_ms: int, within_s: float) -> bool:
        """Let it go on for a while; whether it got there within some seconds of true time."""
        self._expired.clear()
        terms = {"policy": _WHILE_PAUSED, "budget": budget_ms}
        try:
            async with asyncio.timeout(max(within_s, 0.0)):
                # A page that never leaves its script does not even take this.
                await self.tab.send("Emulation.setVirtualTimePolicy", terms)
                await self._expired.wait()
        except TimeoutError:
            return False
        self.granted_ms += budget_ms
        return True

    async def answers(self) -> bool:
        """Whether the page can be asked anything: its script may never end."""
        return await _go(self, "true")

    @contextlib.asynccontextmanager
    async def ticking(self) -> AsyncIterator[None]:
        """Let it go on by steps as long as the block lasts: what stands still answers nothing."""

        async def tick() -> None:
            with contextlib.suppress(CaptureError):
                while await self.run(_STEP_MS, _ANSWER_S):
                    pass

        ticks = asyncio.ensure_future(tick())
        try:
            yield
        finally:
            ticks.cancel()
            await asyncio.gather(ticks, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class SettledPage:
    """How a page came to rest."""

    quiet: bool
    """Whether nothing was being fetched any more, and its time ran to the end."""
    steps: int
    """How often it was scrolled by the height of the view."""
    trouble: str = ""
    """What went wrong with a behaviour; nothing where none did."""


async def settle(
    clock: Clock, recorder: Recorder, within_s: float, behaviour: str = ""
) -> SettledPage:
    """Let a page run until it is quiet, then scroll through it; it takes no longer than it may.

    A `behaviour` is run in it once it is quiet: it may lead to another page, as forms do.
    """
    until = monotonic() + within_s
    quiet = await clock.run(_BUDGET_MS, until - monotonic())
    trouble = ""
    if behaviour:
        trouble = await _behave(clock, behaviour)
        quiet = await clock.run(_BUDGET_MS, until - monotonic())
    recorder.closed = True
    if any(each.type == "worker" for each in clock.tab.sessions.values()):
        await asyncio.sleep(min(_WORKER_S, max(0.0, until - monotonic())))
        quiet &= await clock.run(_BUDGET_MS // 8, until - monotonic())
    steps = 0
    if quiet:
        steps = await _scroll(clock, until)
        quiet = await clock.run(_STEP_MS, until - monotonic())
    return SettledPage(quiet and not recorder.pending, steps, trouble)


async def _behave(clock: Clock, script: str) -> str:
    """Run a script of ours in the page, as if a person had asked for it; what went wrong."""
    terms = {"expression": script, "awaitPromise": True, "userGesture": True}
    try:
        async with asyncio.timeout(_BEHAVE_S), clock.ticking():
            answer = await clock.tab.send("Runtime.evaluate", terms)
    except TimeoutError:
        return f"it did not end within {_BEHAVE_S} s"
    except CaptureError as error:
        return "" if _LED_ON in error.problem else error.problem
    told = answer.get("exceptionDetails", {})
    return str(told.get("exception", {}).get("description") or told.get("text", ""))[:_TOLD]


async def _scroll(clock: Clock, until: float) -> int:
    """Show each part of the page once, so that what waits to be seen is fetched."""
    steps = 0
    while steps < _SCREENS and monotonic() < until and await _go(clock, _DOWN):
        steps += 1
        await asyncio.sleep(_FRAME_S)
        if not await clock.run(_STEP_MS, until - monotonic()):
            break
    await _go(clock, _UP)
    await asyncio.sleep(_FRAME_S)
    return steps


_DOWN = """(() => {
    const before = scrollY;
    scrollBy({top: innerHeight, behavior: "instant"});
    return scrollY > before;
})()"""
_UP = 'scrollTo({top: 0, left: 0, behavior: "instant"}), true'


async def _go(clock: Clock, script: str) -> bool:
    terms = {"expression": script, "returnByValue": True}
    try:
        async with asyncio.timeout(_ANSWER_S):
            answer = await clock.tab.send("Runtime.evaluate", terms)
    except (CaptureError, TimeoutError):
        return False
    return answer.get("result", {}).get("value") is True
