"""Capture of a page over HTTP, within its time: the page, where it leads, and all that it shows.

References are followed to the end, several at once, each once. Order of the result: as a reader of
the page would come upon the resources, whatever order they arrived in. A resource that cannot be
fetched is a Failure, never the end of the capture.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from permacite.capture.address import absolute, comparable
from permacite.capture.fetcher import DOCUMENT, Fetcher
from permacite.capture.model import Capture, CaptureProgress, Exchange, Failure, FetchOptions
from permacite.capture.trouble import timed_out
from permacite.errors import CaptureError, ParseError
from permacite.markup import StartTag
from permacite.mhtml.links import in_refresh, references_of
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from permacite.capture.model import Earlier, FetchLimits, Sent
    from permacite.mhtml.links import Link

__all__ = [
    "Collector",
    "Completed",
    "Fetches",
    "Refresh",
    "capture_page",
    "complete",
    "fetch_one",
    "refresh_of",
]

_FRAMED = frozenset({"frame", "object"})
"""Kinds of reference that show a whole document; elsewhere a document is not looked into."""

_STYLED = frozenset({"stylesheet", "import"})
_NOT_FETCHED = ("data:", "blob:", "about:", "javascript:", "cid:", "mid:")


class Fetches(Protocol):
    """What a resource is asked of: the network, or first a record of what came already."""

    @property
    def limits(self) -> FetchLimits:
        """What the capture may take."""

    @property
    def received(self) -> int:
        """Bytes of content so far."""

    async def fetch(
        self, uri: str, *, accept: str = "*/*", likely: str | None = None, referrer: str = ""
    ) -> Exchange:
        """What `uri` is answered with. Raises CaptureError."""


@dataclass(slots=True)
class _Resource:
    """One thing the page refers to, from the moment it is known."""

    uri: str
    referrer: str
    needed_by: str
    depth: int
    outcome: Exchange | Failure | None = None
    shows: list[str] = field(default_factory=list)


class Collector:
    """Collects what a page shows, by one fetcher."""

    def __init__(
        self, fetcher: Fetches, progress: Callable[[CaptureProgress], None] | None
    ) -> None:
        self._fetcher = fetcher
        self._limits = fetcher.limits
        self._tell = progress or (lambda _: None)
        self._known: dict[str, _Resource] = {}
        self._left_out: dict[str, Failure] = {}
        self._aliases: dict[str, str] = {}
        self._turns = asyncio.Semaphore(self._limits.concurrent)
        self._group = asyncio.TaskGroup()
        self._done = 0
        self._root: _Resource | None = None

    async def collect(self, root: Exchange) -> None:
        """Fetch all that `root` shows. What is not there when this is cancelled counts as late."""
        self._root = self._known[root.uri] = _Resource(root.uri, "", "", 0, root)
        async with self._group:
            self._settle(self._root, followed=True)

    async def _visit(self, resource: _Resource, link: Link) -> None:
        """Fetch one resource, then see what it shows in turn."""
        framed, styled = link.kind in _FRAMED, link.kind in _STYLED
        async with self._turns:
            try:
                resource.outcome = await self._fetcher.fetch(
                    resource.uri,
                    accept=DOCUMENT if framed else "*/*",
                    likely="text/css" if styled else None,
                    referrer=resource.referrer,
                )
            except CaptureError as error:
                resource.outcome = _failure(resource, error.problem, error.reason, error.status)
        self._settle(resource, followed=framed or styled)

    def _settle(self, resource: _Resource, *, followed: bool) -> None:
        """Take note that `resource` is done, and start on what it shows."""
        self._done += 1
        if isinstance(resource.outcome, Exchange) and followed:
            for link, base in self._shown(resource.outcome):
                self._meet(link, base, resource)
        self._tell(
            CaptureProgress(self._done, len(self._known), self._fetcher.received, resource.uri)
        )

    def _shown(self, exchange: Exchange) -> Iterator[tuple[Link, str]]:
        """Yield each reference of a page or style sheet with the base it is resolved against."""
        base, has_base = exchange.final_uri, False
        for link in references_of(exchange.document):
            if link.role == "base" and not has_base:
                base, has_base = _absolute(link.value, exchange.final_uri) or base, True
            yield link, base

    def _meet(self, link: Link, base: str, by: _Resource) -> None:
        """Take note of one reference, and fetch what it names if that is new and shown."""
        value = link.value.strip()
        if link.role != "embed" or not value or value.startswith("#"):
            return
        if value.lower().startswith(_NOT_FETCHED):
            return
        uri = _absolute(value, base)
        resource = _Resource(uri or value, by.uri, _name(link), by.depth + 1)
        if link.kind == "script":
            self._left_out.setdefault(
                resource.uri, _failure(resource, "scripts are not saved", "script")
            )
            return
        if uri is not None:
            self._note_alias(value, base, by, uri)
        by.shows.append(resource.uri)
        if resource.uri in self._known:
            return
        self._known[resource.uri] = resource
        resource.outcome = self._obstacle(resource, legal=uri is not None)
        if resource.outcome is None:
            self._group.create_task(self._visit(resource, link))
        else:
            self._done += 1

    def _obstacle(self, resource: _Resource, *, legal: bool) -> Failure | None:
        """Return why `resource` is not even asked for, if so."""
        if not legal:
            return _failure(resource, "the reference is not a URI", "syntax")
        if resource.depth > self._limits.depth:
            return _failure(resource, f"nested deeper than {self._limits.depth} levels", "depth")
        if len(self._known) > self._limits.parts:
            problem = f"the page has more than {self._limits.parts} parts"
            return _failure(resource, problem, "parts")
        return None

    def _note_alias(self, value: str, base: str, by: _Resource, uri: str) -> None:
        """Keep the name a reference has where the redirects of its page are not known.

        An aggregate resolves references against the URI that a part is labelled with (RFC 2557
        §5), which is the one the part was asked by.
        """
        exchange = by.outcome
        if by is self._root or not isinstance(exchange, Exchange) or not exchange.redirects:
            return
        label = _absolute(value, exchange.uri) if base == exchange.final_uri else None
        if label is not None and label != uri:
            self._aliases.setdefault(label, uri)

    def resources(self) -> tuple[Exchange, ...]:
        """What was fetched beside the page, in the page's order."""
        return tuple(r.outcome for r in self._in_order() if isinstance(r.outcome, Exchange))

    def failures(self) -> tuple[Failure, ...]:
        """What was not fetched, in the page's order; what is not there yet is late."""
        late = f"not complete within the limit total_s = {self._limits.total_s:g} seconds"
        outcomes = (r.outcome or _failure(r, late, "timeout") for r in self._in_order())
        return tuple(each for each in outcomes if isinstance(each, Failure))

    def left_out(self) -> tuple[Failure, ...]:
        """What was not meant to be fetched."""
        return tuple(self._left_out.values())

    def aliases(self) -> tuple[tuple[str, str], ...]:
        """Return (label, URI) pairs for what was fetched; no label is the URI of another part."""
        fetched = {each.uri for each in self.resources()}
        return tuple(
            (label, uri)
            for label, uri in self._aliases.items()
            if uri in fetched and label not in fetched
        )

    def _in_order(self) -> Iterator[_Resource]:
        """Yield all but the root: each after what refers to it, in the order of the references."""
        if self._root is None:
            return
        seen = {self._root.uri}
        waiting = list(reversed(self._root.shows))
        while waiting:
            uri = waiting.pop()
            if uri in seen:
                continue
            seen.add(uri)
            yield self._known[uri]
            waiting.extend(reversed(self._known[uri].shows))


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


def _absolute(value: str, base: str) -> str | None:
    """Return the URI that `value` names; None where it names nothing."""
    try:
        return absolute(value, base)
    except ParseError:
        return None


def _name(link: Link) -> str:
    return f"{link.element} {link.attribute}".strip()


def _failure(resource: _Resource, problem: str, reason: str, status: int | None = None) -> Failure:
    uri, needed_by = resource.uri, resource.needed_by
    return Failure(uri, resource.referrer, problem, reason, needed_by, status)


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
    uri: str, options: FetchOptions | None, *, sent: Sent | None = None, onward: bool = True
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
