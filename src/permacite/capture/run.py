"""One capture from start to end, within its time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, cast

from permacite.capture.address import absolute, refusal
from permacite.capture.collect import Collector
from permacite.capture.fetcher import DOCUMENT, Fetcher
from permacite.capture.model import Capture, Exchange, Failure, Limits, Lookup, Progress
from permacite.capture.refresh import refresh_of
from permacite.capture.trouble import timed_out
from permacite.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from permacite.capture.credentials import Credentials
    from permacite.capture.model import Earlier, Refuse, Sent

__all__ = ["capture_page", "fetch_one", "policy"]


async def capture_page(
    uri: str,
    limits: Limits | None,
    *,
    allow_private: bool,
    progress: Callable[[Progress], None] | None,
    lookup: Lookup | None,
    credentials: Credentials | None = None,
    earlier: Mapping[str, Earlier] | None = None,
) -> Capture:
    """Fetch the page `uri` and all it shows; when time is up, what is there is kept.

    Raises CaptureError where the page itself is not there by then.
    """
    limits = limits or Limits()
    started_at, clock = datetime.now(UTC), monotonic()
    trail = _Trail()
    fetcher = Fetcher(
        limits,
        refuse=policy(allow_private),
        lookup=lookup,
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
    limits: Limits | None,
    *,
    allow_private: bool,
    lookup: Lookup | None,
    sent: Sent | None = None,
    onward: bool = True,
) -> Exchange:
    """Fetch `uri` alone, asked for as a page is, or post what is `sent`. Raises CaptureError."""
    async with Fetcher(limits or Limits(), refuse=policy(allow_private), lookup=lookup) as fetcher:
        if sent is not None:
            return await fetcher.fetch(absolute(uri), sent=sent)
        if not onward:
            return await fetcher.fetch(absolute(uri), onward=False)
        return await _page(fetcher, uri)


def policy(allow_private: bool) -> Refuse:  # noqa: FBT001 - the option, handed on
    """Which addresses are refused."""
    return (lambda _: None) if allow_private else refusal


async def _page(fetcher: Fetcher, uri: str) -> Exchange:
    """Fetch what a user typed; errors name it as typed."""
    try:
        return await fetcher.fetch(absolute(uri), accept=DOCUMENT)
    except CaptureError as error:
        error.uri = uri
        raise
