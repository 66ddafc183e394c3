"""One capture from start to end, within its time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, cast

from permacite.capture.address import absolute
from permacite.capture.collect import Collector
from permacite.capture.fetcher import DOCUMENT, Fetcher
from permacite.capture.model import Capture, CaptureProgress, Exchange, Failure, FetchOptions
from permacite.capture.trouble import timed_out
from permacite.errors import CaptureError, ParseError
from permacite.markup import StartTag
from permacite.mhtml.links import in_refresh, references_of
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from permacite.capture.model import Earlier, Exchange, Sent

__all__ = [
    "Refresh",
    "capture_page",
    "fetch_one",
    "refresh_of",
]


async def capture_page(
    uri: str,
    options: FetchOptions | None,
    *,
    progress: Callable[[CaptureProgress], None] | None = None,
    earlier: Mapping[str, Earlier] | None = None,
) -> Capture:
    """Fetch the page `uri` and all it shows; when time is up, what is there is kept.

    Raises CaptureError where the page itself is not there by then.
    """
    options = options or FetchOptions()
    limits, credentials = options.limits, options.credentials
    started_at, clock = datetime.now(UTC), monotonic()
    trail = _Trail()
    fetcher = Fetcher(
        limits,
        refuse=options.refuse,
        lookup=options.lookup,
        credentials=credentials,
        home=absolute(uri) if credentials else "",
        earlier=earlier,
    )
    async with fetcher:
        collector = Collector(fetcher, progress)
        try:
            async with asyncio.timeout(limits.total_s):
                trail.page = await _page(fetcher, uri)
                await trail.follow(fetcher)
                await collector.collect(trail.page)
        except TimeoutError:
            if trail.page is None:
                raise timed_out(uri, limits.total_s, "total_s") from None
    return Capture(
        requested_uri=uri,
        root=trail.page,
        led_by=tuple(trail.led_by),
        resources=collector.resources(),
        failures=(*trail.failures, *collector.failures()),
        left_out=collector.left_out(),
        aliases=collector.aliases(),
        started_at=started_at,
        duration_s=monotonic() - clock,
        with_credentials=bool(credentials),
    )


@dataclass(slots=True)
class _Trail:
    """From the page that was asked for to the one that refreshes lead to."""

    page: Exchange | None = None
    led_by: list[Exchange] = field(default_factory=list)
    """The pages before it."""
    failures: list[Failure] = field(default_factory=list)

    async def follow(self, fetcher: Fetcher) -> None:
        """Go where the page leads; it stays where that is back, late, or not to be had."""
        page, limits = self.page, fetcher.limits
        seen = {page.uri} if page else set()
        while page is not None and len(self.led_by) < limits.redirects:
            refresh = refresh_of(page)
            if refresh is None or refresh.delay_s > limits.wait_s or refresh.uri in seen:
                return
            seen.add(refresh.uri)
            try:
                page = await fetcher.fetch(refresh.uri, accept=DOCUMENT, referrer=page.final_uri)
            except CaptureError as error:
                lost = Failure(refresh.uri, page.uri, error.problem, error.reason, "meta content")
                self.failures.append(lost)
                return
            self.led_by.append(cast("Exchange", self.page))
            self.page = page


async def fetch_one(
    uri: str,
    options: FetchOptions | None,
    *,
    sent: Sent | None = None,
    onward: bool = True,
) -> Exchange:
    """Fetch `uri` alone, asked for as a page is, or post what is `sent`. Raises CaptureError."""
    options = options or FetchOptions()
    async with Fetcher(options.limits, refuse=options.refuse, lookup=options.lookup) as fetcher:
        if sent is not None:
            return await fetcher.fetch(absolute(uri), sent=sent)
        if not onward:
            return await fetcher.fetch(absolute(uri), onward=False)
        return await _page(fetcher, uri)


async def _page(fetcher: Fetcher, uri: str) -> Exchange:
    """Fetch what a user typed; errors name it as typed."""
    try:
        return await fetcher.fetch(absolute(uri), accept=DOCUMENT)
    except CaptureError as error:
        error.uri = uri
        raise


_SECONDS = compile_pattern(r"[\t\n\f\r ]*+([0-9]{0,6}+)(?![0-9])")
"""More digits than these are no delay: it is longer than anybody waits."""


class Refresh(NamedTuple):
    """What a page asks for."""

    uri: str
    delay_s: int


def refresh_of(exchange: Exchange) -> Refresh | None:
    """Where a page leads on, and after how long; None where it stays."""
    if not exchange.document.is_page:
        return None
    value = next(_values(exchange), "")
    places = list(in_refresh(value))
    delay = _SECONDS.match(value)
    if not places or delay is None:
        return None
    start, end = places[0]
    try:
        uri = absolute(value[start:end], _base(exchange))
    except ParseError:
        return None
    return None if uri in {exchange.uri, exchange.final_uri} else Refresh(uri, int(delay[1] or 0))


def _values(exchange: Exchange) -> Iterator[str]:
    yield from (value for name, value in exchange.response_headers if name.lower() == "refresh")
    for token in exchange.document.tokens():
        if isinstance(token, StartTag) and token.name == "meta":
            kind = token.get("http-equiv") or ""
            if kind.strip().lower() == "refresh":
                yield token.get("content") or ""


def _base(exchange: Exchange) -> str:
    """What references of a page are resolved against."""
    links = references_of(exchange.document)
    declared = next((link.value for link in links if link.role == "base"), None)
    return exchange.final_uri if declared is None else absolute(declared, exchange.final_uri)
