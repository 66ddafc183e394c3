"""Network events of a browser: header fields, protocols and initiators of its requests.

Chrome DevTools Protocol, `Network`. These events come before the stops of a request or after them,
so they are put together at the end.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from permacite.capture.credentials import withhold
from permacite.capture.model import digest_of
from permacite.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from permacite.capture.browsing.chromium import Handler, Tab
    from permacite.capture.credentials import Credentials
    from permacite.capture.model import Headers

__all__ = ["Wire", "telling"]

_COOKIE = "set-cookie"
_PRIVATE = frozenset({"cookie", "authorization", "proxy-authorization"})


class Wire:
    """What was told, by the browser's number for a request."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials
        self._initiators: dict[str, Mapping[str, Any]] = {}
        self._sent: dict[str, Mapping[str, str]] = {}
        self._received: dict[str, Mapping[str, Any]] = {}
        self._protocols: dict[str, str] = {}
        self._certificates: dict[str, str] = {}

    def listen(self, tab: Tab) -> None:
        """Take note of what is told of the requests of a tab."""
        for method, take in (
            ("Network.requestWillBeSent", self._take_initiator),
            ("Network.requestWillBeSentExtraInfo", self._take_sent),
            ("Network.responseReceivedExtraInfo", self._take_received),
            ("Network.responseReceived", self._take_response),
        ):
            tab.on(method, telling(take))

    def _take_initiator(self, told: Mapping[str, Any]) -> None:
        self._initiators.setdefault(told["requestId"], told["initiator"])

    def _take_sent(self, told: Mapping[str, Any]) -> None:
        self._sent[told["requestId"]] = told["headers"]

    def _take_received(self, told: Mapping[str, Any]) -> None:
        self._received[told["requestId"]] = told

    def _take_response(self, told: Mapping[str, Any]) -> None:
        self._protocols[told["requestId"]] = told["response"].get("protocol", "")

    async def certify(self, tab: Tab, uris: Iterable[str]) -> None:
        """Ask for the certificates of the hosts of some URIs."""
        origins = {"/".join(uri.split("/", 3)[:3]) for uri in uris if uri.startswith("https:")}
        for origin in sorted(origins):
            try:
                chain = (await tab.send("Network.getCertificate", {"origin": origin}))["tableNames"]
            except CaptureError:
                continue
            if chain:
                self._certificates[origin] = digest_of(base64.b64decode(chain[0]))

    def certificate(self, uri: str) -> str | None:
        """Digest of the certificate of the server of `uri`; None where none was told."""
        return self._certificates.get("/".join(uri.split("/", 3)[:3]))

    def initiator(self, number: str) -> Mapping[str, Any]:
        """What made a request."""
        return self._initiators.get(number, {})

    def protocol(self, number: str) -> str:
        """By which protocol it was answered, such as "h2"; "" where that is not told."""
        return self._protocols.get(number, "")

    def sent(self, number: str) -> Headers:
        """The header fields of a request."""
        return self._withheld(tuple(self._sent.get(number, {}).items()))

    def received(self, number: str, status: int, seen: Headers) -> Headers:
        """The header fields of an answer: as on the wire where that is told, else with cookies.

        `seen` are those that came with the octets: in order, without cookies.
        """
        told = self._received.get(number, {})
        if told.get("statusCode") != status:
            return self._withheld(seen)
        lines = told.get("headersText", "").replace("\r\n", "\n").split("\n")[1:]
        pairs = (line.partition(":") for line in lines if ":" in line)
        wired = tuple((name, value.strip(" \t")) for name, _, value in pairs)
        # Octets that are no UTF-8 take what follows them with them: then the text is not usable.
        if tuple(each for each in wired if each[0].lower() != _COOKIE) == seen:
            return self._withheld(wired)
        cookies = ((n, v) for n, v in told.get("headers", {}).items() if n.lower() == _COOKIE)
        more = ((name, each) for name, values in cookies for each in values.split("\n"))
        return self._withheld((*seen, *more))

    def _withheld(self, fields: Headers) -> Headers:
        """Header fields without what is nobody's business but the person's and the server's."""
        private = set(_PRIVATE)
        if self._credentials:
            private |= {_COOKIE, *(name.lower() for name, _ in self._credentials.headers)}
        return withhold(fields, private)


def telling(take: Callable[[Mapping[str, Any]], None]) -> Handler:
    """A handler that wants to know no session."""
    return lambda _, told: take(told)
