"""One capture from start to end, within its time."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from permacite.capture.address import absolute, refusal
from permacite.capture.collect import Collector
from permacite.capture.fetcher import DOCUMENT, Fetcher
from permacite.capture.model import Capture, Exchange, Limits, Lookup, Progress
from permacite.capture.trouble import timed_out
from permacite.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from permacite.capture.model import Refuse, Sent

__all__ = ["capture_page", "fetch_one", "to_the_end"]

T = TypeVar("T")


async def capture_page(
    uri: str,
    limits: Limits | None,
    *,
    allow_private: bool,
    progress: Callable[[Progress], None] | None,
    lookup: Lookup | None,
) -> Capture:
    """Fetch the page `uri` and all it shows; when time is up, what is there is kept.

    Raises CaptureError where the page itself is not there by then.
    """
    limits = limits or Limits()
    started_at, clock = datetime.now(UTC), monotonic()
    root: Exchange | None = None
    async with Fetcher(limits, refuse=_policy(allow_private), lookup=lookup) as fetcher:
        collector = Collector(fetcher, progress)
        try:
            async with asyncio.timeout(limits.total_s):
                root = await _page(fetcher, uri)
                await collector.collect(root)
        except TimeoutError:
            if root is None:
                raise timed_out(uri, limits.total_s, "total_s") from None
    return Capture(
        requested_uri=uri,
        root=root,
        resources=collector.resources(),
        failures=collector.failures(),
        left_out=collector.left_out(),
        aliases=collector.aliases(),
        started_at=started_at,
        duration_s=monotonic() - clock,
    )


async def fetch_one(
    uri: str,
    limits: Limits | None,
    *,
    allow_private: bool,
    lookup: Lookup | None,
    sent: Sent | None = None,
) -> Exchange:
    """Fetch `uri` alone, asked for as a page is, or post what is `sent`. Raises CaptureError."""
    async with Fetcher(limits or Limits(), refuse=_policy(allow_private), lookup=lookup) as fetcher:
        if sent is not None:
            return await fetcher.fetch(absolute(uri), sent=sent)
        return await _page(fetcher, uri)


def _policy(allow_private: bool) -> Refuse:  # noqa: FBT001 - the option, handed on
    return (lambda _: None) if allow_private else refusal


def to_the_end(work: Coroutine[None, None, T]) -> T:
    """Run `work` in a loop of its own; in a thread of its own where this one has a loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as threads:
        return threads.submit(asyncio.run, work).result()


async def _page(fetcher: Fetcher, uri: str) -> Exchange:
    """Fetch what a user typed; errors name it as typed."""
    try:
        return await fetcher.fetch(absolute(uri), accept=DOCUMENT)
    except CaptureError as error:
        error.uri = uri
        raise
