"""One page drawn by Chromium: opened, recorded, left to run until it is quiet, and closed."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any

from permacite.capture.address import absolute, parse_target
from permacite.capture.browsing.completing import complete
from permacite.capture.browsing.fonts import fonts_of
from permacite.capture.browsing.freezing import freeze
from permacite.capture.browsing.guard import Guard
from permacite.capture.browsing.pipe import Browser
from permacite.capture.browsing.program import FLAGS, LOCALE, VIEW
from permacite.capture.browsing.recording import Recorder
from permacite.capture.browsing.timing import Clock, settle
from permacite.capture.browsing.walls import wall
from permacite.capture.browsing.wire import digest_of
from permacite.capture.fetcher import USER_AGENT, Fetcher
from permacite.capture.model import Capture, Limits, Progress
from permacite.capture.trouble import timed_out
from permacite.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from permacite.capture.browsing.pipe import Session, Tab
    from permacite.capture.browsing.program import Program
    from permacite.capture.browsing.recording import Request
    from permacite.capture.browsing.timing import Settled
    from permacite.capture.credentials import Credentials
    from permacite.capture.model import Exchange, Frozen, Lookup, Refuse

__all__ = ["draw_alone", "draw_page"]

_NAME = USER_AGENT.partition(" ")[0]
"""What stands behind the browser's own name for itself."""

_LOOK_S = 5
"""How long a page that is drawn is looked at for its fonts: it may not answer."""
_FREEZE_S = 30
"""How long its freezing may take."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was seen of a page while it was drawn."""

    settled: Settled
    clock: Clock
    fonts: tuple[str, ...]
    frozen: Frozen | None
    trouble: str
    """Why the page could not be frozen; nothing where it was."""


async def draw_alone(
    program: Program,
    uri: str,
    limits: Limits | None,
    *,
    refuse: Refuse,
    lookup: Lookup | None = None,
    credentials: Credentials | None = None,
    progress: Callable[[Progress], None] | None = None,
    behaviour: str = "",
) -> Capture:
    """Start a browser for one page: see `draw_page`."""
    parse_target(absolute(uri))  # before a program is started
    async with Browser.started(program) as browser:
        return await draw_page(
            browser,
            uri,
            limits or Limits(),
            refuse=refuse,
            lookup=lookup,
            credentials=credentials,
            progress=progress,
            behaviour=behaviour,
        )


async def draw_page(
    browser: Browser,
    uri: str,
    limits: Limits,
    *,
    refuse: Refuse,
    lookup: Lookup | None = None,
    credentials: Credentials | None = None,
    progress: Callable[[Progress], None] | None = None,
    behaviour: str = "",
) -> Capture:
    """Draw the page `uri`, record what it asks for, and fetch what else it shows.

    A `behaviour` is a script that is run in it before it is frozen.

    Raises CaptureError where the page itself cannot be had, or the browser fails.
    """
    started_at, begun = datetime.now(UTC), monotonic()
    home = absolute(uri)
    guard = Guard(limits, refuse=refuse, lookup=lookup)
    agent = f"{browser.agent} {_NAME}"
    recorder = Recorder(guard, limits, agent=agent, credentials=credentials, home=home)
    recorder.told = _telling(recorder, progress)
    before = Counter(browser.shut.refused)
    try:
        async with asyncio.timeout(limits.total_s), guard:
            seen = await _drawn(browser, home, recorder, guard, behaviour=behaviour)
    except TimeoutError:
        raise timed_out(uri, limits.total_s, "total_s") from None
    except CaptureError as error:
        error.uri = uri
        raise
    recorder.end()
    root, led_by, others = _exchanges(recorder, uri)
    lost = [each.lost() for each in recorder.requests if not (each.shown or each.is_unasked)]
    left_s = max(1.0, limits.total_s - (monotonic() - begun))
    rest = replace(limits, total_s=left_s, total_bytes=limits.total_bytes - recorder.size_bytes)
    fetcher = Fetcher(rest, refuse=refuse, lookup=lookup, credentials=credentials, home=home)
    async with fetcher:
        whole = await complete(root, others, filter(None, lost), fetcher, progress=progress)
    return Capture(
        requested_uri=uri,
        root=root,
        led_by=led_by,
        resources=whole.resources,
        failures=whole.failures,
        left_out=(*whole.left_out, *recorder.left_out),
        aliases=whole.aliases,
        started_at=started_at,
        duration_s=monotonic() - begun,
        with_credentials=bool(credentials),
        drawing=_record(seen, recorder, guard, browser)
        | {"calls_home": dict(browser.shut.refused - before)}
        | _behaved(behaviour, seen.settled.trouble)
        | _walled(root),
        drawn=seen.frozen,
    )


async def _drawn(
    browser: Browser, home: str, recorder: Recorder, guard: Guard, *, behaviour: str
) -> _Seen:
    """Open a page, and leave it once all is seen."""
    way = f"http={guard.address};https={guard.address};socks={browser.sockets.address}"
    async with browser.tab(recorder.prepare, proxy=way) as tab:
        lost = asyncio.get_running_loop().create_future()

        def lose(_: Session, told: Mapping[str, Any]) -> None:
            if not lost.done():
                lost.set_result(told["why"])

        tab.on("lost", lose)
        work = asyncio.ensure_future(_watched(tab, home, recorder, behaviour))
        try:
            await asyncio.wait({work, lost}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise CaptureError(lost.result(), uri=home, reason="browser")
            return await work
        finally:
            work.cancel()
            lost.cancel()
            await asyncio.gather(work, return_exceptions=True)


async def _watched(tab: Tab, home: str, recorder: Recorder, behaviour: str) -> _Seen:
    """Open the page, let it settle, and look at what it is drawn with."""
    clock, within_s = Clock(tab), recorder.limits.load_s
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
    settled = await settle(clock, recorder, within_s, behaviour)
    frozen, trouble = await _frozen(tab, clock, recorder)
    recorder.over = True
    fonts: tuple[str, ...] = ()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_LOOK_S):
            await recorder.wire.certify(tab, [each.now for each in recorder.requests])
            fonts = await fonts_of(tab)
    return _Seen(settled, clock, fonts, frozen, trouble)


async def _frozen(tab: Tab, clock: Clock, recorder: Recorder) -> tuple[Frozen | None, str]:
    """The page as it stands, or why it cannot be had. It is captured as it was served then."""
    try:
        if not await clock.answers():
            return None, "it answers nothing: its scripts never end, or its layout takes too long"
        async with asyncio.timeout(_FREEZE_S), clock.ticking():
            return await freeze(tab, sheets=recorder.sheets()), ""
    except TimeoutError:
        return None, f"freezing it took longer than {_FREEZE_S} s"
    except CaptureError as error:
        return None, error.problem


def _telling(recorder: Recorder, progress: Callable[[Progress], None] | None) -> Callable[[], None]:
    def tell() -> None:
        if progress is not None:
            known = len(recorder.requests)
            done = known - len(recorder.pending)
            progress(Progress(done, known, recorder.size_bytes, recorder.requests[-1].uri))

    return tell


def _exchanges(
    recorder: Recorder, uri: str
) -> tuple[Exchange, tuple[Exchange, ...], tuple[Exchange, ...]]:
    """The page, the pages that led to it, and all else that came, each address once.

    Raises CaptureError where the page did not come.
    """
    wanted = [each for each in recorder.requests if each.main and not each.refused]
    mains = [each for each in wanted if each.shown] or wanted[-1:]
    if not mains:
        raise CaptureError("the browser asked for no page", uri=uri, reason="browser")
    page = mains[-1]
    if page.content is None or page.failure is not None:
        raise _not_there(page, uri)
    led_by = tuple(recorder.exchange(each) for each in mains[:-1] if each.is_whole)
    first: dict[str, Request] = {}
    for each in recorder.requests:
        if each.is_whole and each not in mains:
            first.setdefault(each.uri, each)
    return recorder.exchange(page), led_by, tuple(map(recorder.exchange, first.values()))


def _not_there(page: Request, uri: str) -> CaptureError:
    """Why there is no page."""
    problem, reason = page.failure or ("the page did not come", "connect")
    name = wall(page.status, page.headers, page.content or b"")
    if name is None:
        return CaptureError(problem, uri=uri, reason=reason, status=page.status or None)
    hint = "a page that you see in your own browser can be saved there as MHTML, and imported"
    return CaptureError(
        f"{problem}: it is {name}", uri=uri, reason="wall", status=page.status, hint=hint
    )


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


def _record(seen: _Seen, recorder: Recorder, guard: Guard, browser: Browser) -> dict[str, object]:
    """How the page was drawn, as plain values for JSON."""
    return {
        "browser": browser.build,
        "flags": list(FLAGS),
        "agent": recorder.agent,
        "view": list(VIEW),
        "locale": LOCALE,
        "fonts": list(seen.fonts),
        "clock": {
            "started_at": seen.clock.started_at,
            "ran_ms": seen.clock.granted_ms,
        },
        "quiet": seen.settled.quiet,
        "scrolled": seen.settled.steps,
        "requests": list(recorder.listed()),
        "refused": dict(guard.refused),
    } | ({"not_frozen": seen.trouble} if seen.trouble else {})
