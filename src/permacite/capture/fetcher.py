"""The guarded fetcher: one resource over HTTP, from a checked address, within the limits.

A host is looked up once and its addresses are kept for the whole capture, so that a second answer
of the name server cannot slip in another. Redirects are followed here, each checked like a first
request. Cookies live as long as the fetcher, and none is on record. A Referer goes to the origin
that it names alone. Proxies of the environment are not used.

Needs aiohttp (the `capture` extra).
"""

from __future__ import annotations

import asyncio
import errno
import re
import ssl
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Self, cast

import aiohttp
from yarl import URL

from permacite.capture.address import absolute, parse_target, refusal
from permacite.capture.codings import ACCEPTED, CodingError, ContentDecoder
from permacite.capture.credentials import Credentials, origin_of, withhold
from permacite.capture.lookup import PinnedHosts, open_checked_socket
from permacite.capture.model import Exchange, Redirect, digest_of
from permacite.capture.trouble import check_size, explain, timed_out
from permacite.errors import CaptureError, ParseError
from permacite.file_types import content_type_of
from permacite.scan import compile_pattern
from permacite.version import __version__

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from aiohttp.connector import Connection

    from permacite.capture.address import FetchTarget
    from permacite.capture.credentials import Cookie
    from permacite.capture.model import Earlier, FetchLimits, Headers, Lookup, Refuse, Sent

__all__ = ["DOCUMENT", "USER_AGENT", "Fetcher"]

USER_AGENT = f"permacite/{__version__} (saves a page for a person who cites it; Python package)"
DOCUMENT = "text/html,application/xhtml+xml,*/*;q=0.8"
"""What to accept where a page is wanted, as browsers say it."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LISTS = frozenset({"content-encoding"})
"""Fields that may come in several lines, each a part of one list (RFC 9110 §5.3)."""
_OK = range(200, 300)
_PARTIAL = 206
_NOT_MODIFIED = 304
_BUSY = frozenset({429, 503})
_SECONDS = compile_pattern(r"[0-9]{1,6}+")
_DROPPED = frozenset({errno.ECONNRESET, errno.EPIPE, errno.ECONNABORTED})


class _PeerResponse(aiohttp.ClientResponse):
    """A response that remembers who gave it: the connection is gone once the body is read."""

    peer_address: str | None = None
    certificate: str | None = None

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        transport = connection.transport
        if transport is not None:
            peer = transport.get_extra_info("peername")
            self.peer_address = str(peer[0]) if peer else None
            tls = transport.get_extra_info("ssl_object")
            if tls is not None:
                self.certificate = digest_of(tls.getpeercert(binary_form=True) or b"")
        return await super().start(connection)


class _FetchRequest(NamedTuple):
    """What is asked for, wherever redirects lead."""

    uri: str
    accept: str
    likely: str | None
    referrer: str
    sent: Sent | None
    onward: bool


class _BusyError(CaptureError):
    """The server says when to come back."""

    def __init__(self, problem: str, uri: str, wait_s: int, status: int) -> None:
        super().__init__(problem, uri=uri, reason="status", status=status)
        self.wait_s = wait_s


class _CheckedClient:
    """HTTP client of one capture: its connections, its cookies and the addresses it checked."""

    def __init__(
        self,
        limits: FetchLimits,
        refuse: Refuse,
        lookup: Lookup | None,
        cookies: tuple[Cookie, ...],
    ) -> None:
        self._limits = limits
        self._refuse = refuse
        self._hosts = PinnedHosts(lookup, refuse)
        self._cookies = cookies
        self._session: aiohttp.ClientSession | None = None

    async def open(self) -> None:
        """Be ready for requests."""
        connector = aiohttp.TCPConnector(
            limit=self._limits.concurrent,
            limit_per_host=self._limits.per_host,
            resolver=self._hosts,
            use_dns_cache=False,
            socket_factory=open_checked_socket(self._refuse),
        )
        # Cookies of this capture alone; hosts may be numbers, as intranets have them.
        jar = aiohttp.CookieJar(unsafe=True, quote_cookie=False)
        for cookie in self._cookies:
            jar.update_cookies(cookie.morsels(), URL.build(scheme="https", host=cookie.host))
        self._session = aiohttp.ClientSession(
            connector=connector,
            response_class=_PeerResponse,
            cookie_jar=jar,
            auto_decompress=False,
            trust_env=False,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            max_line_size=self._limits.header_bytes,
            max_field_size=self._limits.header_bytes,
        )

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()
        await self._hosts.close()

    @asynccontextmanager
    async def request(
        self, target: FetchTarget, wanted: _FetchRequest, fields: Mapping[str, str]
    ) -> AsyncIterator[_PeerResponse]:
        """The answer to one request, once the addresses of its host are checked."""
        await self._hosts.pin(target, wanted.uri)
        if self._session is None:
            raise RuntimeError("a Fetcher is used inside `async with`")
        async with self._session.request(
            "GET" if wanted.sent is None else "POST",
            URL(target.uri, encoded=True),
            headers=fields,
            data=None if wanted.sent is None else wanted.sent.content,
            allow_redirects=False,
            ssl=self._tls if target.scheme == "https" else True,
        ) as response:
            yield cast("_PeerResponse", response)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """Made on first use, for reading the system's certificates takes a while."""
        context = ssl.create_default_context()
        context.set_alpn_protocols(["http/1.1"])
        return context


class _HeaderFields:
    """Header fields of requests: which are sent to whom, and which go on record."""

    def __init__(self, credentials: Credentials, home: str) -> None:
        self._credentials = credentials
        self._home = home
        self._private = {"cookie"}
        if credentials:
            given = (name.lower() for name, _ in credentials.headers)
            self._private |= {"authorization", "set-cookie", *given}

    def sent(
        self, target: FetchTarget, wanted: _FetchRequest, earlier: Earlier | None
    ) -> dict[str, str]:
        """The fields of a request; with `earlier`, of one that asks whether that has changed."""
        fields = {"User-Agent": USER_AGENT, "Accept": wanted.accept, "Accept-Encoding": ACCEPTED}
        origin = origin_of(target.uri)
        if wanted.referrer and origin_of(wanted.referrer) == origin:
            fields["Referer"] = wanted.referrer
        if self._home and origin_of(self._home) == origin:
            fields |= self._credentials.fields(target.uri)
        if wanted.sent is not None:
            fields["Content-Type"] = wanted.sent.media_type
        elif earlier is not None:
            fields |= earlier.validators()
        return fields

    def recorded(self, fields: Headers) -> Headers:
        """Header fields without what is nobody's business but the person's and the server's."""
        return withhold(fields, self._private)


class _ContentReader:
    """Reader of contents within the limits of one resource, and of the capture."""

    def __init__(self, limits: FetchLimits) -> None:
        self.received = 0
        """Bytes of content so far, of what was not given up."""
        self._limits = limits

    def count(self, content: bytes, uri: str) -> bytes:
        """Count octets that an earlier capture has, as if they had come."""
        check_size(self._limits, uri, total=self.received + len(content))
        self.received += len(content)
        return content

    async def read(self, answer: _PeerResponse, uri: str) -> bytes:
        """Return the content, its coding taken off; stop as soon as it is too large."""
        check_size(self._limits, uri, part=answer.content_length or 0)
        pieces: list[bytes] = []
        size = coded = 0
        try:
            decoder = ContentDecoder(_field(answer, "content-encoding"))
            async for data in answer.content.iter_any():
                coded += len(data)
                pieces.append(decoder.feed(data, self._limits.part_bytes - size))
                size += len(pieces[-1])
                self.received += len(pieces[-1])
                # Coded bytes count as well: empty blocks can go on for ever and give nothing.
                check_size(self._limits, uri, part=max(size, coded), total=self.received)
            decoder.finish()
        except BaseException as error:
            self.received -= size  # of a resource that is given up
            if isinstance(error, CodingError):
                raise CaptureError(str(error), uri=uri, reason="decode") from error
            raise
        return b"".join(pieces)


class _RedirectChain:
    """The redirects of one request: each is followed once, and not too many are."""

    def __init__(self, uri: str, limit: int) -> None:
        self.steps: list[Redirect] = []
        self.target = parse_target(uri)
        """Where they have led to."""
        self._uri = uri
        self._limit = limit
        self._seen = {self.target.uri}

    def follow(self, status: int, location: str) -> None:
        """Go where an answer points, unless that leads round or too far."""
        target = self.target
        self.steps.append(Redirect(target.uri, status, location))
        try:
            following = parse_target(absolute(_escaped(location), target.uri))
        except (CaptureError, ParseError) as error:
            raise CaptureError(
                f"{target.uri} redirects to {location!r}: {error.problem}",
                uri=self._uri,
                reason=error.reason if isinstance(error, CaptureError) else "syntax",
                hint=error.hint,
            ) from error
        steps = " -> ".join([*(step.uri for step in self.steps), following.uri])
        problem = ""
        if following.uri in self._seen:
            problem = f"the redirects lead round: {steps}"
        elif len(self.steps) > self._limit:
            problem = f"there are more than {self._limit} redirects: {steps}"
        if problem:
            raise CaptureError(problem, uri=self._uri, reason="redirects")
        self._seen.add(following.uri)
        self.target = following


class Fetcher:
    """Fetches resources one by one or several at once; an asynchronous context manager.

    `refuse` says why an address must not be connected to, or None; `lookup` replaces the system's
    name resolution; `credentials` are those for the origin of the page `home`. What there is of
    `earlier` captures, by where it came from, is asked for only if it has changed.
    """

    def __init__(
        self,
        limits: FetchLimits,
        *,
        refuse: Refuse = refusal,
        lookup: Lookup | None = None,
        credentials: Credentials | None = None,
        home: str = "",
        earlier: Mapping[str, Earlier] | None = None,
    ) -> None:
        credentials = credentials or Credentials()
        self.limits = limits
        self._earlier = earlier or {}
        self._client = _CheckedClient(limits, refuse, lookup, credentials.cookies)
        self._headers = _HeaderFields(credentials, home)
        self._contents = _ContentReader(limits)

    async def __aenter__(self) -> Self:
        await self._client.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    @property
    def received(self) -> int:
        """Bytes of content so far, of what was not given up."""
        return self._contents.received

    async def fetch(
        self,
        uri: str,
        *,
        accept: str = "*/*",
        likely: str | None = None,
        referrer: str = "",
        sent: Sent | None = None,
        onward: bool = True,
    ) -> Exchange:
        """Fetch `uri` and return what came; `likely` is its type where nothing else tells it.

        `referrer` is the page that shows it. With `sent`, its content is posted, once, and never
        to where a redirect points. Without `onward`, an answer that points elsewhere is what came,
        with no content. Raises CaptureError, and nothing else, for whatever goes wrong.
        """
        limit = self.limits.load_s
        wanted = _FetchRequest(uri, accept, likely, referrer, sent, onward)
        try:
            async with asyncio.timeout(limit):
                return await self._follow(wanted)
        except TimeoutError:
            raise timed_out(uri, limit, "load_s") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise explain(error, uri) from error

    async def _follow(self, wanted: _FetchRequest) -> Exchange:
        """Ask for what is wanted, then for wherever it points, until content comes."""
        uri, sent = wanted.uri, wanted.sent
        started_at, clock = datetime.now(UTC), monotonic()
        chain = _RedirectChain(uri, self.limits.redirects)
        while True:
            answer, content = await self._ask_twice(chain.target, wanted)
            if content is not None or not wanted.onward:
                break
            if sent is not None:
                problem = f"{uri} redirects a request that is made only once"
                raise CaptureError(problem, uri=uri, reason="redirects")
            chain.follow(answer.status, _field(answer, "location"))
        final_uri = chain.target.uri
        fields, is_stale = _as_received(answer), answer.status != _NOT_MODIFIED
        if not is_stale:
            fields = self._earlier[final_uri].freshened(fields)
        content = content or b""
        field = _first(fields, "content-type")
        content_type, sniffed = content_type_of(field, content, wanted.likely, uri=final_uri)
        return Exchange(
            uri=uri,
            final_uri=final_uri if chain.steps else uri,
            method="GET" if sent is None else "POST",
            status=answer.status if is_stale else 200,
            reason=_octets(answer.reason) if is_stale else "OK",
            request_headers=self._headers.recorded(tuple(answer.request_info.headers.items())),
            response_headers=self._headers.recorded(fields),
            content=content,
            content_type=content_type,
            sniffed=sniffed,
            peer_address=answer.peer_address,
            certificate=answer.certificate,
            redirects=tuple(chain.steps),
            started_at=started_at,
            duration_s=monotonic() - clock,
            digest=digest_of(content),
            revalidated=not is_stale,
        )

    async def _ask_twice(
        self, target: FetchTarget, wanted: _FetchRequest
    ) -> tuple[_PeerResponse, bytes | None]:
        """Ask again where a connection was cut, or the server says when to come back.

        What else goes wrong would go wrong again.
        """
        try:
            return await self._ask(target, wanted)
        except (aiohttp.ServerDisconnectedError, OSError) as error:
            cut = not isinstance(error, OSError) or error.errno in _DROPPED
            if wanted.sent is not None or not cut:
                raise
        except _BusyError as busy:
            if wanted.sent is not None or busy.wait_s > self.limits.wait_s:
                raise
            await asyncio.sleep(busy.wait_s)
        return await self._ask(target, wanted)

    async def _ask(
        self, target: FetchTarget, wanted: _FetchRequest
    ) -> tuple[_PeerResponse, bytes | None]:
        """Return the answer with its content, or with None where it points elsewhere."""
        earlier = self._earlier.get(target.uri)
        fields = self._headers.sent(target, wanted, earlier)
        async with self._client.request(target, wanted, fields) as answer:
            if answer.status in _REDIRECTS and "Location" in answer.headers:
                answer.close()
                return answer, None
            if answer.status == _NOT_MODIFIED and earlier is not None:
                return answer, self._contents.count(earlier.content, wanted.uri)
            if not _is_taken(answer.status, wanted.sent):
                problem = (
                    f"the server answers {answer.status} {_octets(answer.reason)} for {target.uri}"
                )
                wait_s = _wait(_field(answer, "retry-after"))
                if answer.status in _BUSY and wait_s is not None:
                    problem += f", and to come back in {wait_s} seconds"
                    raise _BusyError(problem, wanted.uri, wait_s, answer.status)
                raise CaptureError(problem, uri=wanted.uri, reason="status", status=answer.status)
            return answer, await self._contents.read(answer, wanted.uri)


def _escaped(location: str) -> str:
    """Escape the octets of a Location field that are not ASCII, whatever charset was meant."""
    return re.sub(r"[\x80-\xff]", lambda octet: f"%{ord(octet[0]):02X}", location)


def _as_received(answer: aiohttp.ClientResponse) -> Headers:
    """Return the header fields, one character an octet (RFC 9110 §5.5)."""
    return tuple((n.decode("latin-1"), v.decode("latin-1")) for n, v in answer.raw_headers)


def _field(answer: aiohttp.ClientResponse, name: str) -> str:
    """Return the value of the field `name` (lower case), "" where there is none."""
    return _first(_as_received(answer), name)


def _first(fields: Headers, name: str) -> str:
    values = (value for given, value in fields if given.lower() == name)
    return ", ".join(values).strip() if name in _LISTS else next(values, "").strip()


def _wait(said: str) -> int | None:
    """How many seconds a Retry-After field asks to wait (RFC 9110 §10.2.3); None where none."""
    if _SECONDS.fullmatch(said):
        return int(said)
    try:
        when = parsedate_to_datetime(said)
    except (ValueError, OverflowError):
        return None
    left = (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return max(0, ceil(left))


def _octets(text: str | None) -> str:
    """Undo aiohttp's guess at a charset: one character an octet."""
    return (text or "").encode("utf-8", "surrogateescape").decode("latin-1")


def _is_taken(status: int, sent: Sent | None) -> bool:
    """Whether an answer is what was asked for."""
    return (status in _OK and status != _PARTIAL) or (sent is not None and status in sent.also)
