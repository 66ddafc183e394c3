"""Recorder of the requests of a browser and their answers, byte by byte, while it draws a page.

Each request stops twice, before it goes out and before its answer is read (Chrome DevTools
Protocol, `Fetch`). At the first stop its address is checked, and its host named to the guard. At
the second the whole content is read, exactly as it was received, content-codings removed; what the
protocol's `Network` gives of it would be coded anew. Header fields, protocols and initiators are
from `Network`.

POST and the like are answered and listed, but are no parts of a page. An answer that never ends is
given up. Shared and service workers have no network, since what they ask for would not stop.
"""

from __future__ import annotations

import asyncio
import base64
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from permacite.capture.address import parse_target
from permacite.capture.browsing.wire import Wire, telling
from permacite.capture.credentials import origin_of
from permacite.capture.model import Exchange, Failure, Redirect, digest_of
from permacite.capture.trouble import check_size, timed_out, wall
from permacite.errors import CaptureError
from permacite.file_types import content_type_of
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from permacite.capture.browsing.chromium import Tab, TargetSession
    from permacite.capture.browsing.guard import SocksGuard
    from permacite.capture.credentials import Cookie, Credentials
    from permacite.capture.model import FetchLimits, Headers

__all__ = ["RecordedRequest", "Recorder", "Recording"]

_STOPS = {
    "patterns": [{"urlPattern": "*", "requestStage": stage} for stage in ("Request", "Response")]
}
_OK = range(200, 300)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PARTIAL = 206
_WHOLE = compile_pattern(r"bytes 0-([0-9]{1,15})/([0-9]{1,15})")
_ENDLESS = "text/event-stream"
_NO_REQUEST = ("data:", "blob:", "about:", "chrome-error:")
_DIGITS = 16
_LEFT_OUT = {
    "window": "windows that a page opens are closed",
    "download": "downloads are refused",
    "socket": "what comes over a socket is no part of a page: sockets are refused",
    "away": "the page wanted to go elsewhere once it was there",
}
_REASONS = {
    "TimedOut": "timeout",
    "NameNotResolved": "connect",
    "AccessDenied": "address",
    "BlockedByClient": "address",
}


@dataclass(slots=True)
class RecordedRequest:
    """One thing that was asked for, through all its redirects."""

    uri: str
    """As asked at first, without fragment."""
    method: str
    kind: str
    """What it is for, as Chromium says: "Document" "Script" "Image" "XHR" and so on."""
    referrer: str
    """The page, style sheet or script that asked."""
    number: str
    """The browser's own, by which it tells more of it."""
    started_at: datetime
    clock: float
    now: str = ""
    """Where the redirects have led to."""
    redirects: list[Redirect] = field(default_factory=list)
    status: int = 0
    phrase: str = ""
    headers: Headers = ()
    content: bytes | None = field(default=None, repr=False)
    duration_s: float = 0
    failure: tuple[str, str] | None = None
    """(problem, reason)."""
    main: bool = False
    """Whether it is to become the page."""
    shown: bool = False
    """Whether it did."""

    @property
    def pending(self) -> bool:
        """Whether an answer is still to come."""
        return self.content is None and self.failure is None

    @property
    def refused(self) -> bool:
        """Whether it was not to be made, since the page was to stay."""
        return self.failure is not None and self.failure[1] == "away"

    @property
    def is_whole(self) -> bool:
        """Whether its content is all there is of a resource."""
        if self.content is None or self.method != "GET" or self.status not in _OK:
            return False
        return self.status != _PARTIAL or _is_all(field_of(self.headers, "content-range"))

    @property
    def is_unasked(self) -> bool:
        """Whether the browser looked for it by itself: an icon that no page names."""
        return self.kind == "Other" and urlsplit(self.uri).path == "/favicon.ico"

    def fail(self, problem: str, reason: str) -> None:
        """Note why it came to nothing."""
        self.failure = self.failure or (problem, reason)

    def lost(self) -> Failure | None:
        """What is told of it if it came to nothing."""
        if self.failure is None:
            return None
        problem, reason = self.failure
        return Failure(self.uri, self.referrer, problem, reason, self.kind.lower())

    def error(self, uri: str) -> CaptureError:
        """Why there is no page, where this was to become it."""
        problem, reason = self.failure or ("the page did not come", "connect")
        name = wall(self.status, self.headers, self.content or b"")
        if name is None:
            return CaptureError(problem, uri=uri, reason=reason, status=self.status or None)
        hint = "a page that you see in your own browser can be saved there as MHTML, and imported"
        problem = f"{problem}: it is {name}"
        return CaptureError(problem, uri=uri, reason="wall", status=self.status, hint=hint)


class Recording:
    """What a page asked for while it was drawn, and what came."""

    def __init__(self, guard: SocksGuard, limits: FetchLimits, wire: Wire) -> None:
        self.limits = limits
        self.wire = wire
        """What is reported of requests beside their octets."""
        self.requests: list[RecordedRequest] = []
        self.left_out: list[Failure] = []
        """What was not to be: windows, sockets, downloads, pages led to later."""
        self.size_bytes = 0
        """Of all contents so far."""
        self.closed = False
        """Whether the page stays the page it is: what would replace it is refused."""
        self.over = False
        """Whether nothing goes on record any more: what is asked for then is our own doing."""
        self._guard = guard
        self._by_number: dict[str, RecordedRequest] = {}

    def find(self, number: str) -> RecordedRequest | None:
        """The request that the browser gave a number."""
        return self._by_number.get(number)

    def add(self, request: RecordedRequest) -> None:
        """Record that something is asked for; one more than there may be is noted as well."""
        self._by_number[request.number] = request
        if len(self.requests) <= self.limits.parts:
            self.requests.append(request)

    def leave(self, uri: str, reason: str) -> None:
        """Record that something is left out on purpose."""
        if len(self.left_out) < self.limits.parts:
            self.left_out.append(Failure(uri, "", _LEFT_OUT[reason], reason, reason))

    @property
    def pending(self) -> list[RecordedRequest]:
        """What is still to be answered."""
        return [each for each in self.requests if each.pending]

    def end(self) -> None:
        """Record that what has not come is not waited for any more."""
        for each in self.pending:
            each.fail("it was not complete when the page was left", "timeout")

    def exchanges(self, uri: str) -> tuple[Exchange, tuple[Exchange, ...], tuple[Exchange, ...]]:
        """The page, the pages that led to it, and all else that came, each address once.

        Raises CaptureError where the page did not come.
        """
        wanted = [each for each in self.requests if each.main and not each.refused]
        mains = [each for each in wanted if each.shown] or wanted[-1:]
        if not mains:
            raise CaptureError("the browser asked for no page", uri=uri, reason="browser")
        page = mains[-1]
        if page.content is None or page.failure is not None:
            raise page.error(uri)
        led_by = tuple(self._exchange(each) for each in mains[:-1] if each.is_whole)
        first: dict[str, RecordedRequest] = {}
        for each in self.requests:
            if each.is_whole and each not in mains:
                first.setdefault(each.uri, each)
        return self._exchange(page), led_by, tuple(map(self._exchange, first.values()))

    def show(self, number: str) -> None:
        """Record that an answer became the page, if it was to."""
        request = self._by_number.get(number)
        if request is not None and request.main:
            request.shown = True

    def _exchange(self, request: RecordedRequest) -> Exchange:
        """A request that was answered, as it goes on record."""
        content = request.content or b""
        headers = self.wire.received(request.number, request.status, request.headers)
        content_type, sniffed = content_type_of(
            field_of(headers, "content-type"), content, uri=request.now
        )
        return Exchange(
            uri=request.uri,
            final_uri=request.now,
            method=request.method,
            status=request.status,
            reason=request.phrase,
            request_headers=self.wire.sent(request.number),
            response_headers=headers,
            content=content,
            content_type=content_type,
            sniffed=sniffed,
            peer_address=self._guard.peer(parse_target(request.now)),
            certificate=self.wire.certificate(request.now),
            redirects=tuple(request.redirects),
            started_at=request.started_at,
            duration_s=request.duration_s,
            digest=digest_of(content),
        )

    def sheets(self) -> dict[str, str]:
        """The style sheets that came, by their addresses. Their charset is taken to be UTF-8."""
        whole = [each for each in self.requests if each.kind == "Stylesheet" and each.is_whole]
        return {each.now: (each.content or b"").decode("utf-8-sig", "replace") for each in whole}

    def listed(self) -> Iterator[dict[str, object]]:
        """What is told of each request beside its exchange, in order."""
        for each in self.requests:
            initiator = self.wire.initiator(each.number)
            told: dict[str, object] = {
                "uri": each.uri,
                "method": each.method,
                "kind": each.kind.lower(),
                "status": each.status,
                "protocol": self.wire.protocol(each.number),
                "initiator": {k: initiator[k] for k in ("type", "url") if initiator.get(k)},
            }
            if each.now != each.uri:
                told["final_uri"] = each.now
            if each.content is not None and not each.is_whole:
                told |= {"digest": digest_of(each.content), "size_bytes": len(each.content)}
            yield told


class _RequestGate:
    """The first stop: a request is recorded and checked, and its host named to the guard."""

    def __init__(
        self, recording: Recording, guard: SocksGuard, credentials: Credentials, home: str
    ) -> None:
        self._recording = recording
        self._guard = guard
        self._credentials = credentials
        self._home = origin_of(home)

    async def ask(self, tab: Tab, told: Mapping[str, Any], number: str) -> dict[str, Any] | None:
        """Check what is about to be asked for. With what it goes on; None: it does not."""
        uri = told["request"]["url"].partition("#")[0]
        if uri.startswith(_NO_REQUEST):
            return {}
        request = self._recording.find(number)
        if request is None or "redirectedRequestId" not in told:
            request = self._request(tab, told, number, uri)
            self._recording.add(request)
        request.now = uri
        try:
            self._check(request)
            await self._guard.allow(parse_target(uri), uri)
        except CaptureError as error:
            request.fail(error.problem, error.reason)
            return None
        if not self._credentials or origin_of(uri) != self._home:
            return {}
        given = dict(told["request"]["headers"]) | self._credentials.fields(uri)
        return {"headers": [{"name": name, "value": value} for name, value in given.items()]}

    def _request(self, tab: Tab, told: Mapping[str, Any], number: str, uri: str) -> RecordedRequest:
        asked, kind = told["request"], told["resourceType"]
        initiator = self._recording.wire.initiator(number)
        referrer = initiator.get("url") or asked["headers"].get("Referer", "")
        request = RecordedRequest(
            uri, asked["method"], kind, referrer, number, datetime.now(UTC), monotonic()
        )
        request.main = kind == "Document" and told["frameId"] == tab.target
        return request

    def _check(self, request: RecordedRequest) -> None:
        """Raise CaptureError where a request is not to be made."""
        uri, recording = request.now, self._recording
        limits = recording.limits
        if len(recording.requests) > limits.parts:
            problem = f"the page has more than {limits.parts} parts"
            raise CaptureError(problem, uri=uri, reason="parts")
        if len(request.redirects) > limits.redirects:
            problem = f"there are more than {limits.redirects} redirects"
            raise CaptureError(problem, uri=uri, reason="redirects")
        mains = sum(each.main for each in recording.requests)
        if request.main and (recording.closed or mains > limits.redirects + 1):
            recording.leave(uri, "away")
            raise CaptureError(_LEFT_OUT["away"], uri=uri, reason="away")


class Recorder:
    """Handler of the two stops of each request. Its `prepare` is for `Browser.tab`."""

    def __init__(
        self,
        recording: Recording,
        guard: SocksGuard,
        *,
        agent: str,
        credentials: Credentials,
        home: str,
    ) -> None:
        self.told: Callable[[], None] = lambda: None
        """Called whenever a request is done."""
        self._agent = agent
        self._recording = recording
        self._gate = _RequestGate(recording, guard, credentials, home)
        self._cookies = [_cookie(each) for each in credentials.cookies]

    async def prepare(self, tab: Tab, session: TargetSession) -> None:
        """Have a session stop at each request."""
        if session.target == tab.target:
            self._listen(tab)
            if self._cookies:
                cookies = {"cookies": self._cookies}
                await tab.send("Network.setCookies", cookies, session=session.id)
            deny = {"behavior": "deny", "browserContextId": tab.context, "eventsEnabled": True}
            await tab.send("Browser.setDownloadBehavior", deny, session=session.id)
        await tab.send("Network.enable", {"maxPostDataSize": 0}, session=session.id)
        await tab.send(
            "Network.setUserAgentOverride", {"userAgent": self._agent}, session=session.id
        )
        if session.type in {"page", "iframe"}:
            await tab.send("Network.setBypassServiceWorker", {"bypass": True}, session=session.id)
            await tab.send("Page.enable", session=session.id)
            await tab.send("Fetch.enable", _STOPS, session=session.id)

    def _listen(self, tab: Tab) -> None:
        recording = self._recording

        async def stopped(session: TargetSession, params: Mapping[str, Any]) -> None:
            await self._stopped(tab, session, params)

        async def asked(session: TargetSession, _: Mapping[str, Any]) -> None:
            refuse = {"accept": False}
            await tab.send("Page.handleJavaScriptDialog", refuse, session=session.id)

        tab.on("Fetch.requestPaused", stopped)
        tab.on("Page.javascriptDialogOpening", asked)
        for method, take in (
            ("Page.frameNavigated", lambda told: recording.show(told["frame"]["loaderId"])),
            ("Page.windowOpen", lambda told: recording.leave(told["url"], "window")),
            ("Page.downloadWillBegin", lambda told: recording.leave(told["url"], "download")),
            ("Network.webSocketCreated", lambda told: recording.leave(told["url"], "socket")),
            ("Network.webTransportCreated", lambda told: recording.leave(told["url"], "socket")),
        ):
            tab.on(method, telling(take))
        recording.wire.listen(tab)

    async def _stopped(self, tab: Tab, session: TargetSession, told: Mapping[str, Any]) -> None:
        number = told.get("networkId", told["requestId"])
        answered = "responseStatusCode" in told or "responseErrorReason" in told
        go_on: dict[str, Any] | None
        request = self._recording.find(number)
        if self._recording.over:
            go_on = None
        elif answered and request is not None:
            go_on = await self._answered(tab, session, told, request)
        else:
            go_on = await self._gate.ask(tab, told, number)
        method = "Fetch.continueRequest" if go_on is not None else "Fetch.failRequest"
        terms: dict[str, Any] = {"requestId": told["requestId"]}
        terms |= {"errorReason": "BlockedByClient"} if go_on is None else go_on
        await tab.send(method, terms, session=session.id)
        self.told()

    async def _answered(
        self, tab: Tab, session: TargetSession, told: Mapping[str, Any], request: RecordedRequest
    ) -> dict[str, Any] | None:
        """Record an answer. With what it goes on; None: it does not."""
        if "responseErrorReason" in told:
            reason = told["responseErrorReason"]
            request.fail(
                f"the browser could not load it: {reason}", _REASONS.get(reason, "connect")
            )
            return {}
        request.status = told["responseStatusCode"]
        request.phrase = told.get("responseStatusText", "")
        request.headers = tuple((e["name"], e["value"]) for e in told.get("responseHeaders", ()))
        location = field_of(request.headers, "location")
        if request.status in _REDIRECTS and location:
            request.redirects.append(Redirect(request.now, request.status, location))
            return {}
        try:
            content = await self._content(tab, session, told["requestId"], request)
        except CaptureError as error:
            request.fail(error.problem, error.reason)
            return None
        request.content = content
        request.duration_s = monotonic() - request.clock
        self._recording.size_bytes += len(content)
        if request.status not in _OK:
            said = f"{request.status} {request.phrase}".strip()
            request.fail(f"the server answers {said} for {request.now}", "status")
        return {}

    async def _content(
        self, tab: Tab, session: TargetSession, stop: str, request: RecordedRequest
    ) -> bytes:
        """The content of an answer. Raises CaptureError where it is too much, or never ends."""
        limits, before = self._recording.limits, self._recording.size_bytes
        said = field_of(request.headers, "content-length")
        size = int(said) if said.isascii() and said.isdigit() and len(said) < _DIGITS else 0
        if field_of(request.headers, "content-type").lower().startswith(_ENDLESS):
            raise CaptureError("the answer never ends", uri=request.now, reason="stream")
        check_size(limits, request.now, part=size, total=before + size)
        try:
            async with asyncio.timeout(limits.load_s):
                answer = await tab.send(
                    "Fetch.getResponseBody", {"requestId": stop}, session=session.id
                )
        except TimeoutError:
            raise timed_out(request.now, limits.load_s, "load_s") from None
        body: str = answer["body"]
        content = base64.b64decode(body) if answer["base64Encoded"] else body.encode()
        size, before = len(content), self._recording.size_bytes  # others came meanwhile
        check_size(limits, request.now, part=size, total=before + size)
        return content


def _cookie(cookie: Cookie) -> dict[str, object]:
    """A cookie as the browser takes it: of a host, or with all hosts below."""
    scheme = "https" if cookie.secure else "http"
    told: dict[str, object] = {
        "name": cookie.name,
        "value": cookie.value,
        "url": f"{scheme}://{cookie.host}/",
        "path": cookie.path,
        "secure": cookie.secure,
    }
    return told | ({"domain": cookie.host} if cookie.below else {})


def field_of(headers: Headers, name: str) -> str:
    """The value of the first field `name` (lower case), "" where there is none."""
    return next((value for given, value in headers if given.lower() == name), "").strip()


def _is_all(content_range: str) -> bool:
    """Whether a Content-Range field (RFC 9110 §14.4) names the first octet to the last."""
    found = _WHOLE.fullmatch(content_range)
    return found is not None and int(found[1]) + 1 == int(found[2])
