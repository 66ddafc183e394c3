"""One page drawn by Chromium: opened, recorded, left to run until it is quiet, and closed."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any

from permacite.capture.address import absolute, comparable, parse_target
from permacite.capture.browsing.chromium import Browser
from permacite.capture.browsing.freezing import fonts_of, freeze
from permacite.capture.browsing.guard import SocksGuard
from permacite.capture.browsing.program import FLAGS, LOCALE, VIEW
from permacite.capture.browsing.recording import Recorder
from permacite.capture.browsing.timing import Clock, settle
from permacite.capture.browsing.wire import digest_of
from permacite.capture.collect import Collector
from permacite.capture.fetcher import USER_AGENT, Fetcher
from permacite.capture.model import Capture, CaptureProgress, FetchOptions
from permacite.capture.trouble import timed_out
from permacite.errors import CaptureError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from permacite.capture.browsing.chromium import Tab, TargetSession
    from permacite.capture.browsing.program import Program
    from permacite.capture.browsing.recording import RecordedRequest
    from permacite.capture.browsing.timing import SettledPage
    from permacite.capture.model import (
        Exchange,
        Failure,
        FetchLimits,
        Frozen,
        Headers,
        Refuse,
    )

__all__ = [
    "Completed",
    "complete",
    "draw_alone",
    "draw_page",
    "wall",
]

_NAME = USER_AGENT.partition(" ")[0]
"""What stands behind the browser's own name for itself."""

_LOOK_S = 5
"""How long a page that is drawn is looked at for its fonts: it may not answer."""
_FREEZE_S = 30
"""How long its freezing may take."""


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
    limits, lookup, credentials = options.limits, options.lookup, options.credentials
    refuse = refuse or options.refuse
    home = absolute(uri)
    guard = SocksGuard(limits, refuse=refuse, lookup=lookup)
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
    browser: Browser, home: str, recorder: Recorder, guard: SocksGuard, *, behaviour: str
) -> _DrawnPage:
    """Open a page, and leave it once all is seen."""
    way = f"http={guard.address};https={guard.address};socks={browser.sockets.address}"
    async with browser.tab(recorder.prepare, proxy=way) as tab:
        lost = asyncio.get_running_loop().create_future()

        def lose(_: TargetSession, told: Mapping[str, Any]) -> None:
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


async def _watched(tab: Tab, home: str, recorder: Recorder, behaviour: str) -> _DrawnPage:
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
    return _DrawnPage(settled, clock, fonts, frozen, trouble)


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


def _telling(
    recorder: Recorder, progress: Callable[[CaptureProgress], None] | None
) -> Callable[[], None]:
    def tell() -> None:
        if progress is not None:
            known = len(recorder.requests)
            done = known - len(recorder.pending)
            progress(CaptureProgress(done, known, recorder.size_bytes, recorder.requests[-1].uri))

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
    first: dict[str, RecordedRequest] = {}
    for each in recorder.requests:
        if each.is_whole and each not in mains:
            first.setdefault(each.uri, each)
    return recorder.exchange(page), led_by, tuple(map(recorder.exchange, first.values()))


def _not_there(page: RecordedRequest, uri: str) -> CaptureError:
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


def _record(
    seen: _DrawnPage, recorder: Recorder, guard: SocksGuard, browser: Browser
) -> dict[str, object]:
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


_FIELDS = {
    "cf-mitigated": "Cloudflare's challenge",
    "x-datadome": "DataDome's challenge",
    "x-amzn-waf-action": "a challenge of AWS WAF",
    "x-sucuri-block": "Sucuri's wall",
}
_MARKS = tuple(
    (compile_pattern(mark), name)
    for mark, name in (
        (rb"/cdn-cgi/challenge-platform/[^\"' >]{0,80}orchestrate/", "Cloudflare's challenge"),
        (rb"<title>Just a moment\.\.\.</title>", "Cloudflare's challenge"),
        (rb"<title>Attention Required! \| Cloudflare</title>", "Cloudflare's wall"),
        (rb"geo\.captcha-delivery\.com", "DataDome's challenge"),
        (rb"_Incapsula_Resource\?", "Imperva's challenge"),
        (rb"<title>Making sure you(?:&#39;|')re not a bot!</title>", "Anubis' challenge"),
        (rb"/\.within\.website/x/cmd/anubis/", "Anubis' challenge"),
        (rb"id=[\"']?px-captcha", "HUMAN's challenge"),
        (rb"\.awswaf\.com/[^\"' >]{0,120}/challenge\.js", "a challenge of AWS WAF"),
        (rb"<title>Access Denied</title>[^<]{0,200}", "Akamai's wall"),
    )
)
_HEAD = 64 * 1024
"""How much of a page is looked at: those of walls are small."""
_SMALL = 32 * 1024
"""A larger page has more to say than that there is a wall."""
_REFUSED = frozenset({401, 403, 405, 429, 503})


def wall(status: int, headers: Headers, content: bytes) -> str | None:
    """Say whose wall an answer is; None where it is none, or none that is known."""
    for name, value in headers:
        if name.lower() in _FIELDS and value.strip().lower() not in {"", "protected", "0"}:
            return _FIELDS[name.lower()]
    if status not in _REFUSED and len(content) > _SMALL:
        return None
    head = content[:_HEAD]
    return next((name for mark, name in _MARKS if mark.search(head)), None)


_AGAIN = frozenset({"connect", "timeout"})
"""Why what a browser could not have is tried once more: it takes fewer codings, for one."""


@dataclass(frozen=True, slots=True)
class Completed:
    """All that a page shows, or tried to."""

    resources: tuple[Exchange, ...]
    failures: tuple[Failure, ...]
    left_out: tuple[Failure, ...]
    aliases: tuple[tuple[str, str], ...]


async def complete(
    root: Exchange,
    others: Iterable[Exchange],
    lost: Iterable[Failure],
    fetcher: Fetcher,
    *,
    progress: Callable[[CaptureProgress], None] | None = None,
) -> Completed:
    """Fetch what `root` shows beside the `others`, that are on record, and what is `lost`.

    Takes the fetcher's `total_s` at most. First comes what the page refers to, in its order, then
    what its scripts asked for, in theirs.
    """
    came, gone = tuple(others), tuple(lost)
    known = _RecordedFetcher(fetcher, [root, *came], gone)
    collector = Collector(known, progress)
    with contextlib.suppress(TimeoutError):  # what is not there by then is late
        async with asyncio.timeout(fetcher.limits.total_s):
            await collector.collect(root)
    shown = collector.resources()
    told = {comparable(each.uri) for each in shown}
    told |= {comparable(each.uri) for each in collector.failures()} | {comparable(root.uri)}
    recorded = {comparable(each.uri) for each in came}
    return Completed(
        resources=(*shown, *(each for each in came if comparable(each.uri) not in told)),
        failures=(
            *collector.failures(),
            *(each for each in gone if comparable(each.uri) not in told),
        ),
        left_out=tuple(
            each for each in collector.left_out() if comparable(each.uri) not in recorded
        ),
        aliases=collector.aliases(),
    )


class _RecordedFetcher:
    """A fetcher that has most of it already."""

    def __init__(
        self, fetcher: Fetcher, exchanges: Iterable[Exchange], lost: Iterable[Failure]
    ) -> None:
        self._fetcher = fetcher
        self._exchanges = {comparable(each.uri): each for each in exchanges}
        self._lost = {comparable(each.uri): each for each in lost if each.reason not in _AGAIN}
        self._size_bytes = sum(len(each.content) for each in self._exchanges.values())

    @property
    def limits(self) -> FetchLimits:
        return self._fetcher.limits

    @property
    def received(self) -> int:
        return self._size_bytes + self._fetcher.received

    async def fetch(
        self, uri: str, *, accept: str = "*/*", likely: str | None = None, referrer: str = ""
    ) -> Exchange:
        """What is on record of `uri`, under the name that it is asked by; else what is fetched."""
        key = comparable(uri)
        if key in self._exchanges:
            return replace(self._exchanges[key], uri=uri)
        if key in self._lost:
            lost = self._lost[key]
            raise CaptureError(lost.problem, uri=uri, reason=lost.reason)
        return await self._fetcher.fetch(uri, accept=accept, likely=likely, referrer=referrer)
