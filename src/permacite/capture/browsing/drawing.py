"""One page drawn by Chromium: opened, recorded, left to run until it is quiet, and closed.

Chrome DevTools Protocol, `Emulation.setVirtualTimePolicy`. The clock of the page starts at the true
time and stands while anything is fetched; where nothing is to be done it skips to the next timer.
It is never told to "advance": that would skip to timers that are hours away. Workers keep true
time, so the clock gives them a moment when it stops. Frames are drawn in true time.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from dataclasses import field, replace
from datetime import UTC, datetime
from time import monotonic, time
from typing import TYPE_CHECKING, Any

from permacite.capture.address import absolute, parse_target
from permacite.capture.browsing.chromium import Browser
from permacite.capture.browsing.freezing import freeze
from permacite.capture.browsing.guard import SocksGuard
from permacite.capture.browsing.program import FLAGS, LOCALE, VIEW
from permacite.capture.browsing.recording import Recorder, Recording
from permacite.capture.browsing.wire import Wire
from permacite.capture.collect import complete
from permacite.capture.credentials import Credentials
from permacite.capture.fetcher import USER_AGENT, Fetcher
from permacite.capture.model import Capture, CaptureProgress, FetchOptions, digest_of
from permacite.capture.trouble import timed_out, wall
from permacite.errors import CaptureError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from permacite.capture.browsing.chromium import Tab, TargetSession
    from permacite.capture.browsing.program import Program
    from permacite.capture.model import Exchange, Frozen, Refuse

__all__ = ["draw_alone", "draw_page"]

_NAME = USER_AGENT.partition(" ")[0]
"""What stands behind the browser's own name for itself."""

_LOOK_S = 5
"""How long a page that is drawn is looked at for its fonts: it may not answer."""
_FREEZE_S = 30
"""How long its freezing may take."""
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
_STYLES = 40
"""How many elements are asked about at most."""

_ONE_OF_EACH = """
(() => {
    const seen = new Map();
    const words = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
    for (let n = 0; n < 20000 && seen.size < %d && words.nextNode(); n++) {
        const element = words.currentNode.parentElement;
        if (!element || !words.currentNode.data.trim()) continue;
        const {fontFamily, fontWeight, fontStyle} = getComputedStyle(element);
        const key = [fontFamily, fontWeight, fontStyle].join();
        if (!seen.has(key)) seen.set(key, element);
    }
    return [...seen.values()];
})()
"""


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
    clock: Clock, recording: Recording, within_s: float, behaviour: str = ""
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
    recording.closed = True
    if any(each.type == "worker" for each in clock.tab.sessions.values()):
        await asyncio.sleep(min(_WORKER_S, max(0.0, until - monotonic())))
        quiet &= await clock.run(_BUDGET_MS // 8, until - monotonic())
    steps = 0
    if quiet:
        steps = await _scroll(clock, until)
        quiet = await clock.run(_STEP_MS, until - monotonic())
    return SettledPage(quiet and not recording.pending, steps, trouble)


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


async def _fonts_of(tab: Tab) -> tuple[str, ...]:
    """The names of the fonts of a page, in order; none where the page does not tell."""
    names: set[str] = set()
    with contextlib.suppress(CaptureError):
        await tab.send("DOM.enable")
        await tab.send("CSS.enable")
        await tab.send("DOM.getDocument", {"depth": 0})
        asked = {"expression": _ONE_OF_EACH % _STYLES}
        found = (await tab.send("Runtime.evaluate", asked))["result"].get("objectId")
        if found is None:
            return ()
        listed = await tab.send("Runtime.getProperties", {"objectId": found, "ownProperties": True})
        for each in listed["result"]:
            element = each.get("value", {})
            if element.get("subtype") != "node":
                continue
            node = await tab.send("DOM.requestNode", {"objectId": element["objectId"]})
            told = await tab.send("CSS.getPlatformFontsForNode", {"nodeId": node["nodeId"]})
            names |= {font["familyName"] for font in told["fonts"]}
    return tuple(sorted(names))


@dataclass(frozen=True, slots=True)
class _DrawnPage:
    """What was seen of a page while it was drawn."""

    settled: SettledPage
    clock: Clock
    fonts: tuple[str, ...]
    frozen: Frozen | None
    trouble: str
    """Why the page could not be frozen; nothing where it was."""


async def draw_alone(
    program: Program,
    uri: str,
    options: FetchOptions | None,
    *,
    progress: Callable[[CaptureProgress], None] | None = None,
    behaviour: str = "",
) -> Capture:
    """Start a browser for one page: see `draw_page`."""
    parse_target(absolute(uri))  # before a program is started
    async with Browser.started(program) as browser:
        return await draw_page(browser, uri, options, progress=progress, behaviour=behaviour)


async def draw_page(
    browser: Browser,
    uri: str,
    options: FetchOptions | None,
    *,
    refuse: Refuse | None = None,
    progress: Callable[[CaptureProgress], None] | None = None,
    behaviour: str = "",
) -> Capture:
    """Draw the page `uri`, record what it asks for, and fetch what else it shows.

    A `behaviour` is a script that runs in it before it is frozen. `refuse` replaces the check of
    addresses.

    Raises CaptureError where the page itself cannot be had, or the browser fails.
    """
    started_at, begun = datetime.now(UTC), monotonic()
    options = options or FetchOptions()
    limits, credentials = options.limits, options.credentials or Credentials()
    refuse = refuse or options.refuse
    home = absolute(uri)
    visit = _Visit(browser, home, options, refuse)
    recording = visit.recording
    visit.recorder.told = _telling(recording, progress)
    try:
        async with asyncio.timeout(limits.total_s):
            seen = await visit.draw(home, behaviour)
    except TimeoutError:
        raise timed_out(uri, limits.total_s, "total_s") from None
    except CaptureError as error:
        error.uri = uri
        raise
    recording.end()
    root, led_by, others = recording.exchanges(uri)
    lost = [each.lost() for each in recording.requests if not (each.shown or each.is_unasked)]
    left_s = max(1.0, limits.total_s - (monotonic() - begun))
    rest = replace(limits, total_s=left_s, total_bytes=limits.total_bytes - recording.size_bytes)
    fetcher = Fetcher(
        rest, refuse=refuse, lookup=options.lookup, credentials=credentials, home=home
    )
    async with fetcher:
        whole = await complete(root, others, filter(None, lost), fetcher, progress=progress)
    return Capture(
        requested_uri=uri,
        root=root,
        led_by=led_by,
        resources=whole.resources,
        failures=whole.failures,
        left_out=(*whole.left_out, *recording.left_out),
        aliases=whole.aliases,
        started_at=started_at,
        duration_s=monotonic() - begun,
        with_credentials=bool(credentials),
        drawing=visit.record(seen) | _behaved(behaviour, seen.settled.trouble) | _walled(root),
        drawn=seen.frozen,
    )


class _Visit:
    """One page in a browser: the guard that it is behind, and what is recorded of it."""

    def __init__(self, browser: Browser, home: str, options: FetchOptions, refuse: Refuse) -> None:
        credentials = options.credentials or Credentials()
        self._agent = f"{browser.agent} {_NAME}"
        self._browser = browser
        self._refused_before = Counter(browser.shut.refused)
        self._guard = SocksGuard(options.limits, refuse=refuse, lookup=options.lookup)
        self.recording = Recording(self._guard, options.limits, Wire(credentials))
        self.recorder = Recorder(
            self.recording, self._guard, agent=self._agent, credentials=credentials, home=home
        )

    async def draw(self, home: str, behaviour: str) -> _DrawnPage:
        """Open the page, and leave it once all is seen."""
        async with self._guard as guard:
            sockets = self._browser.sockets.address
            way = f"http={guard.address};https={guard.address};socks={sockets}"
            async with self._browser.tab(self.recorder.prepare, proxy=way) as tab:
                return await _drawn(tab, home, self.recording, behaviour)

    def record(self, seen: _DrawnPage) -> dict[str, object]:
        """How the page was drawn, as plain values for JSON."""
        told: dict[str, object] = {
            "browser": self._browser.build,
            "flags": list(FLAGS),
            "agent": self._agent,
            "view": list(VIEW),
            "locale": LOCALE,
            "fonts": list(seen.fonts),
            "clock": {"started_at": seen.clock.started_at, "ran_ms": seen.clock.granted_ms},
            "quiet": seen.settled.quiet,
            "scrolled": seen.settled.steps,
            "requests": list(self.recording.listed()),
            "refused": dict(self._guard.refused),
        }
        told |= {"not_frozen": seen.trouble} if seen.trouble else {}
        return told | {"calls_home": dict(self._browser.shut.refused - self._refused_before)}


async def _drawn(tab: Tab, home: str, recording: Recording, behaviour: str) -> _DrawnPage:
    """Open a page, and leave it once all is seen, or once it is gone."""
    lost = asyncio.get_running_loop().create_future()

    def lose(_: TargetSession, told: Mapping[str, Any]) -> None:
        if not lost.done():
            lost.set_result(told["why"])

    tab.on("lost", lose)
    work = asyncio.ensure_future(_watched(tab, home, recording, behaviour))
    try:
        await asyncio.wait({work, lost}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise CaptureError(lost.result(), uri=home, reason="browser")
        return await work
    finally:
        work.cancel()
        lost.cancel()
        await asyncio.gather(work, return_exceptions=True)


async def _watched(tab: Tab, home: str, recording: Recording, behaviour: str) -> _DrawnPage:
    """Open the page, let it settle, and look at what it is drawn with."""
    clock, within_s = Clock(tab), recording.limits.load_s
    view = {"width": VIEW[0], "height": VIEW[1], "deviceScaleFactor": 1, "mobile": False}
    await tab.send("Emulation.setDeviceMetricsOverride", view)
    # Beside other pages it is drawn as it is alone: one window has the focus of them all.
    await tab.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
    await clock.start()
    try:
        async with asyncio.timeout(within_s):
            await tab.send("Page.navigate", {"url": home})
    except TimeoutError:
        raise timed_out(home, within_s, "load_s") from None
    settled = await settle(clock, recording, within_s, behaviour)
    frozen, trouble = await _frozen(tab, clock, recording)
    recording.over = True
    fonts: tuple[str, ...] = ()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_LOOK_S):
            await recording.wire.certify(tab, [each.now for each in recording.requests])
            fonts = await _fonts_of(tab)
    return _DrawnPage(settled, clock, fonts, frozen, trouble)


async def _frozen(tab: Tab, clock: Clock, recording: Recording) -> tuple[Frozen | None, str]:
    """The page as it stands, or why it cannot be had. It is captured as it was served then."""
    try:
        if not await clock.answers():
            return None, "it answers nothing: its scripts never end, or its layout takes too long"
        async with asyncio.timeout(_FREEZE_S), clock.ticking():
            return await freeze(tab, sheets=recording.sheets()), ""
    except TimeoutError:
        return None, f"freezing it took longer than {_FREEZE_S} s"
    except CaptureError as error:
        return None, error.problem


def _telling(
    recording: Recording, progress: Callable[[CaptureProgress], None] | None
) -> Callable[[], None]:
    def tell() -> None:
        if progress is not None:
            known = len(recording.requests)
            done = known - len(recording.pending)
            progress(CaptureProgress(done, known, recording.size_bytes, recording.requests[-1].uri))

    return tell


def _walled(root: Exchange) -> dict[str, object]:
    """What is on record of a page that has the marks of a wall."""
    found = wall(root.status, root.response_headers, root.content)
    return {} if found is None else {"wall": found}


def _behaved(behaviour: str, trouble: str) -> dict[str, object]:
    """What is on record of a script that was run in the page: which one, and how it went."""
    if not behaviour:
        return {}
    content = behaviour.encode()
    known = {"digest": digest_of(content), "size_bytes": len(content)}
    return {"behaviour": known | ({"problem": trouble} if trouble else {})}
