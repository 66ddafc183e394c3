"""Each request is seen as it ends: counted, and written to the access log with an id of its own.

The log has a JSON object a line. What may be secret is not in it: neither header fields, nor the
values of a query, nor who asks, more than by the network; a fault of ours is told with its trace.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import logging.handlers
import re
import secrets
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from permacite.web.serving.metrics import Metrics

__all__ = ["AccessLog", "Observed"]

_HEADER = b"x-request-id"
_ASKED_ID = re.compile(rb"[A-Za-z0-9._-]{8,64}")
_OTHER = "other"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "OPTIONS"})
_faults = logging.getLogger("permacite.faults")


class AccessLog:
    """A line for each request, in a file that others may rotate, or on standard output."""

    def __init__(self, target: str, *, full_addresses: bool = False) -> None:
        """`target`: a file, or - for standard output. Raises OSError."""
        self._full = full_addresses
        self._handler: logging.Handler = (
            logging.StreamHandler(sys.stdout)
            if target == "-"
            else logging.handlers.WatchedFileHandler(Path(target), encoding="utf-8")
        )

    def write(self, scope: Scope, request_id: str, **told: object) -> None:
        """Write what was asked for, and what came of it."""
        names = [name for name, _ in parse_qsl(scope["query_string"].decode("latin-1"), True)]  # noqa: FBT003
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "id": request_id,
            "from": self._address((scope.get("client") or ("", 0))[0]),
            "method": scope["method"],
            "path": scope["path"],
            "query": names,
            **told,
        }
        text = json.dumps(line, ensure_ascii=True, separators=(",", ":"))
        self._handler.handle(logging.LogRecord("", logging.INFO, "", 0, text, None, None))

    def close(self) -> None:
        """Let go of the file."""
        self._handler.close()

    def _address(self, address: str) -> str:
        """An address, or the network that it is in: 256 of IPv4, and a customer's of IPv6."""
        try:
            full = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return ""
        if self._full:
            return str(full)
        bits = 24 if full.version == 4 else 48  # noqa: PLR2004 - of IP
        return str(ipaddress.ip_network((full, bits), strict=False))


class Observed:
    """An application whose requests are counted and logged."""

    def __init__(
        self, app: ASGIApp, *, metrics: Metrics | None = None, log: AccessLog | None = None
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, and see what comes of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        seen = _Seen(scope, send)
        try:
            await self._app(scope, receive, seen.send)
        except Exception:
            _faults.exception("request %s: a fault of permacite itself", seen.id)
            if not seen.status:
                raise
        finally:
            self._tell(scope, seen)

    def tell_known(self, scope: Scope, status: int, octets: int) -> bytes:
        """See a request that was answered from memory; the field of its id is given."""
        seen = _Seen(scope, _to_nobody)
        seen.status, seen.octets, seen.is_whole = status, octets, True
        self._tell(scope, seen)
        return b"%b: %b\r\n" % (_HEADER, seen.id.encode())

    def _tell(self, scope: Scope, seen: _Seen) -> None:
        seconds = time.perf_counter() - seen.begun
        route = _route(scope)
        if self._metrics is not None:
            method = scope["method"] if scope["method"] in _METHODS else _OTHER
            self._metrics.count(method, route, seen.status, seconds=seconds, octets=seen.octets)
        if self._log is not None:
            told = {"status": seen.status, "bytes": seen.octets, "ms": round(seconds * 1000, 1)}
            self._log.write(scope, seen.id, route=route, **told, cut=not seen.is_whole)


async def _to_nobody(message: Message) -> None:
    """Send nothing: it is sent already."""
    del message


class _Seen:
    """What is sent in answer to one request."""

    def __init__(self, scope: Scope, send: Send) -> None:
        asked = next((value for name, value in scope["headers"] if name == _HEADER), b"")
        self.id = asked.decode() if _ASKED_ID.fullmatch(asked) else secrets.token_hex(8)
        self.begun = time.perf_counter()
        self.status = 0
        self.octets = 0
        self.is_whole = False
        self._send = send

    async def send(self, message: Message) -> None:
        """Send on, and count."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            fields = [*message.get("headers", ()), (_HEADER, self.id.encode())]
            message = {**message, "headers": fields}
        elif message["type"] == "http.response.body":
            self.octets += len(message.get("body", b""))
            self.is_whole = not message.get("more_body", False)
        await self._send(message)


def _route(scope: Scope) -> str:
    """The route that answered, in words that do not grow with what is asked for."""
    endpoint = scope.get("endpoint")
    return getattr(endpoint, "__name__", _OTHER)
