"""Network errors as CaptureError: one sentence and one word for the reason; and bot walls."""

from __future__ import annotations

import os
import ssl
from typing import TYPE_CHECKING

import aiohttp

from permacite.errors import CaptureError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.capture.model import FetchLimits, Headers

__all__ = ["check_size", "explain", "timed_out", "wall"]

_ONLY_HTTP_2 = "the server may speak HTTP/2 alone, as browsers do: save it by --via browser"
_SETTINGS = r"\x04\x00\x00\x00\x00\x00"
"""Of the frame that such a server begins with, as aiohttp writes octets (RFC 9113 §6.5)."""


def timed_out(uri: str, limit_s: float, name: str) -> CaptureError:
    """Return the error for what took longer than the limit called `name`."""
    return CaptureError(
        f"no complete answer within the limit {name} = {limit_s:g} seconds",
        uri=uri,
        reason="timeout",
    )


def check_size(limits: FetchLimits, uri: str, *, part: int = 0, total: int = 0) -> None:
    """Raise CaptureError where a resource of `part` bytes, or `total` bytes, are too much."""
    for name, maximum, size, what in (
        ("part_bytes", limits.part_bytes, part, "the resource"),
        ("total_bytes", limits.total_bytes, total, "the capture as a whole"),
    ):
        if size > maximum:
            problem = f"{what} is larger than the limit {name} = {maximum} bytes"
            raise CaptureError(problem, uri=uri, reason="size")


def explain(error: Exception, uri: str) -> CaptureError:
    """Return the error that a user sees for one of aiohttp's, the system's or the parser's."""
    if isinstance(error, CaptureError):
        return error
    for kinds, reason, sentence in _KINDS:
        if isinstance(error, kinds):
            # What is quoted from the wire may hold what is no character at all.
            problem = sentence(error).encode("utf-8", "backslashreplace").decode()
            return CaptureError(problem, uri=uri, reason=reason, hint=_hint(error, problem))
    return CaptureError(f"the connection failed: {_cause(error)}", uri=uri, reason="connect")


def _hint(error: Exception, problem: str) -> str:
    """What to do about a server without HTTP/1.1."""
    refused = "no application protocol" in problem
    return _ONLY_HTTP_2 if refused or _SETTINGS in getattr(error, "message", "") else ""


def _cause(error: BaseException) -> str:
    """Return the system's own words for an error, in one line."""
    inner = getattr(error, "os_error", None) or error
    if isinstance(inner, ssl.SSLError):
        return str(inner.reason or "the handshake failed").replace("_", " ").lower()
    if isinstance(inner, OSError) and inner.errno:
        return os.strerror(inner.errno)
    return str(inner).partition("\n")[0].rstrip(".:") or type(inner).__name__


def _first_line(error: Exception) -> str:
    """What aiohttp's parser says, without the picture that it draws below."""
    line = str(getattr(error, "message", "")).strip().partition("\n")[0]
    return line.partition(": b'")[0].rstrip(":")


def _untrusted(error: Exception) -> str:
    inner = getattr(error, "certificate_error", error)
    why = getattr(inner, "verify_message", "") or _cause(inner)
    return f"the server's certificate is not trusted: {why}"


_KINDS: tuple[tuple[tuple[type[Exception], ...], str, Callable[[Exception], str]], ...] = (
    ((aiohttp.ClientConnectorCertificateError, ssl.SSLCertVerificationError), "tls", _untrusted),
    (
        (aiohttp.ClientSSLError, ssl.SSLError),
        "tls",
        lambda error: f"no secure connection could be made: {_cause(error)}",
    ),
    ((PermissionError,), "address", str),
    (
        (aiohttp.ClientConnectorError,),
        "connect",
        lambda error: f"the server cannot be reached: {_cause(error)}",
    ),
    (
        (aiohttp.ServerDisconnectedError,),
        "connect",
        lambda _: "the server closed the connection without an answer",
    ),
    (
        (aiohttp.ClientPayloadError,),
        "connect",
        lambda _: "the connection closed before the content was complete",
    ),
    (
        (aiohttp.ClientResponseError,),
        "decode",
        lambda error: f"the answer is not proper HTTP: {_first_line(error)}",
    ),
    (
        (aiohttp.InvalidURL, ValueError),
        "syntax",
        lambda error: f"the URI cannot be asked for: {error}",
    ),
)


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
