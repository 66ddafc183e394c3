"""HTTP response compression by zstd or gzip (RFC 9110 §8.4, RFC 8878, RFC 1952).

| answer | compressed |
|---|---|
| 200 with a text type, 512 bytes to 8 MiB | if Accept-Encoding takes zstd or gzip |
| already compressed, such as pictures, or with a Content-Encoding; ranges; errors | never |
| to a request with a token, in a field or a cookie; private answers | never |

The last row protects secrets: the size of a compressed answer reveals how much it has in common
with words that an attacker chose (BREACH). Callers in the archive's building see closed documents
without a token, so their answers count as private. Public documents are no secret.

The entity tag of a compressed answer is weak, because its bytes differ from those of the same
answer uncompressed. `Unencoded-Digest` replaces `Repr-Digest`, which covers the bytes as they are
sent (RFC 9530 §3). Ranges count uncompressed bytes.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Protocol

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders

from permacite.limits import COMPRESSED_BYTES, COMPRESSIONS
from permacite.web.headers import weights

try:
    from compression import zstd  # type: ignore[import-not-found, unused-ignore] # from 3.14
except ModuleNotFoundError:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Compression"]

_TEXTS = re.compile(
    r"text/|application/(json|javascript|xml|link-format|problem\+json)|image/svg"
    r"|message/rfc822|multipart/(related|alternative)|[^;]*\+(json|xml)\b"
)
"""Start of the media types that compress well."""
_LEAST_BYTES = 512
_LARGE_BYTES = 64 << 10
"""Larger answers are compressed in a thread, at the lowest level."""
_OK, _NOT_MODIFIED = 200, 304

_running: set[int] = set()
"""The large answers that are being compressed."""


class _Compressor(Protocol):
    """An incremental compressor."""

    def compress(self, data: bytes, /) -> bytes:
        """The bytes that can be sent so far."""

    def flush(self) -> bytes:
        """The remaining bytes."""


def _by_zstd(*, light: bool) -> _Compressor:
    compressor: _Compressor = zstd.ZstdCompressor(1 if light else 6)
    return compressor


def _by_gzip(*, light: bool) -> _Compressor:
    return zlib.compressobj(1 if light else 6, zlib.DEFLATED, 16 + zlib.MAX_WBITS)


_CODINGS: dict[str, Callable[..., _Compressor]] = {"zstd": _by_zstd, "gzip": _by_gzip}
"""In order of preference."""


class Compression:
    """Middleware that compresses answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application, and compress its answer if allowed."""
        if scope["type"] != "http" or scope["method"] not in {"GET", "HEAD"}:
            await self._app(scope, receive, send)
            return
        answer = _CompressedAnswer(scope, send)
        try:
            await self._app(scope, receive, answer.send)
        finally:
            _running.discard(id(answer))


class _CompressedAnswer:
    """One answer that is being sent."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._asked = Headers(scope=scope)
        self._is_head = scope["method"] == "HEAD"
        self._send = send
        self._start: Message | None = None
        """The head, which waits for the first bytes."""
        self._compressor: _Compressor | None = None
        self._is_large = False

    async def send(self, message: Message) -> None:
        """Send a part of it, compressed or not."""
        if message["type"] == "http.response.start":
            self._prepare(message)
            if self._compressor is not None and not self._is_head:
                self._start = message
                return
        elif self._compressor is not None and not self._is_head:
            message = await self._compressed(message)
            if self._start is not None:
                start, self._start = self._start, None
                if not message["more_body"]:
                    MutableHeaders(raw=start["headers"])["Content-Length"] = str(
                        len(message["body"])
                    )
                await self._send(start)
        await self._send(message)

    def _prepare(self, start: Message) -> None:
        """Decide how the answer is sent, and set its fields."""
        fields = MutableHeaders(raw=start["headers"])
        tag = fields.get("etag", "")
        if start["status"] == _NOT_MODIFIED:
            fields.add_vary_header("Accept-Encoding")
            is_kept = f"W/{tag}" in self._asked.get("if-none-match", "")
            if is_kept and self._coding() is not None:
                fields["ETag"] = f"W/{tag}"  # the cached answer is compressed (RFC 9111 §4.3.4)
            return
        size = fields.get("content-length", "")
        is_text = start["status"] == _OK and _TEXTS.match(fields.get("content-type", "").lower())
        is_private = "private" in fields.get("cache-control", "")
        if not is_text or is_private or "content-encoding" in fields or not size.isdecimal():
            return
        fields.add_vary_header("Accept-Encoding")
        coding = self._coding()
        self._is_large = int(size) > _LARGE_BYTES
        if (
            coding is None
            or not _LEAST_BYTES <= int(size) <= COMPRESSED_BYTES
            or not self._may_start()
        ):
            return
        self._compressor = _CODINGS[coding](light=self._is_large)
        fields["Content-Encoding"] = coding
        del fields["content-length"]
        if tag and not tag.startswith("W/"):
            fields["ETag"] = f"W/{tag}"
        if "repr-digest" in fields:
            fields["Unencoded-Digest"] = fields["repr-digest"]
            del fields["repr-digest"]

    def _coding(self) -> str | None:
        """The coding that the client prefers, if we have it; none for a request with a token."""
        if any(name in self._asked for name in ("authorization", "cookie", "range")):
            return None
        accepted = weights(self._asked.get("accept-encoding", ""))
        weight = {name: accepted.get(name, accepted.get("*", 0.0)) for name in _CODINGS}
        best = max(weight, key=weight.__getitem__)
        return best if weight[best] and weight[best] >= accepted.get("identity", 0.0) else None

    def _may_start(self) -> bool:
        if not self._is_large or self._is_head:
            return True
        if len(_running) >= COMPRESSIONS:
            return False
        _running.add(id(self))
        return True

    async def _compressed(self, message: Message) -> Message:
        """The same bytes, compressed."""
        octets, more = message.get("body", b""), message.get("more_body", False)
        compressed = (
            await run_in_threadpool(self._compress, octets, more=more)
            if self._is_large
            else self._compress(octets, more=more)
        )
        return {"type": "http.response.body", "body": compressed, "more_body": more}

    def _compress(self, octets: bytes, *, more: bool) -> bytes:
        compressor = self._compressor
        if compressor is None:
            return octets
        compressed = compressor.compress(octets)
        return compressed if more else compressed + compressor.flush()
