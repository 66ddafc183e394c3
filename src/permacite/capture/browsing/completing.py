"""What a browser had no use for is fetched as in the HTTP way; what is on record is not again."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from permacite.capture.address import comparable
from permacite.capture.collect import Collector
from permacite.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from permacite.capture.fetcher import Fetcher
    from permacite.capture.model import Exchange, Failure, Limits, Progress

__all__ = ["Completed", "complete"]


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
    progress: Callable[[Progress], None] | None = None,
) -> Completed:
    """Fetch what `root` shows beside the `others`, that are on record, and what is `lost`.

    Takes the fetcher's `total_s` at most. First comes what the page refers to, in its order, then
    what its scripts asked for, in theirs.
    """
    came, gone = tuple(others), tuple(lost)
    known = _Known(fetcher, [root, *came], gone)
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


class _Known:
    """A fetcher that has most of it already."""

    def __init__(
        self, fetcher: Fetcher, exchanges: Iterable[Exchange], lost: Iterable[Failure]
    ) -> None:
        self._fetcher = fetcher
        self._exchanges = {comparable(each.uri): each for each in exchanges}
        self._lost = {comparable(each.uri): each for each in lost if each.reason not in _AGAIN}
        self._size_bytes = sum(len(each.content) for each in self._exchanges.values())

    @property
    def limits(self) -> Limits:
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
