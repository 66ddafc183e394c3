"""Answers packed for their way by zstd or gzip (RFC 9110 §8.4, RFC 8878, RFC 1952).

| answer | packed |
|---|---|
| 200 of a type that is text, 512 octets to 8 MiB | where Accept-Encoding takes a coding of ours |
| what is packed already, such as pictures, or has a Content-Encoding; ranges; errors | never |
| to a request that shows a token, by a field or a cookie; what is private | never |

The last is for secrets, and who asks from the archive's building is shown some without a token:
what is packed together with words of somebody else's choice tells by its size how alike they are
(BREACH). What is open to all is no secret.

The tag of what is packed is weak, since its octets are others than those of the same answer as it
is, and `Unencoded-Digest` stands for `Repr-Digest`, which is of octets as they are sent (RFC 9530
§3). Ranges are of what is not packed.
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

__all__ = ["Packed"]

_TEXTS = re.compile(
    r"text/|application/(json|javascript|xml|link-format|problem\+json)|image/svg"
    r"|message/rfc822|multipart/(related|alternative)|[^;]*\+(json|xml)\b"
)
"""Types that become smaller, by their beginnings."""
_LEAST_BYTES = 512
_LARGE_BYTES = 64 << 10
"""What is larger is packed in a thread, and lightly."""
_OK, _NOT_MODIFIED = 200, 304

_busy: set[int] = set()
"""The large answers that are being packed."""


class _Packer(Protocol):
    """What packs octets, piece by piece."""

    def compress(self, data: bytes, /) -> bytes:
        """What can be sent so far."""

    def flush(self) -> bytes:
        """What is left in the end."""


def _by_zstd(*, light: bool) -> _Packer:
    packer: _Packer = zstd.ZstdCompressor(1 if light else 6)
    return packer


def _by_gzip(*, light: bool) -> _Packer:
    return zlib.compressobj(1 if light else 6, zlib.DEFLATED, 16 + zlib.MAX_WBITS)


_CODINGS: dict[str, Callable[..., _Packer]] = {"zstd": _by_zstd, "gzip": _by_gzip}
"""In the order in which we like them."""


class Packed:
    """An application whose answers are packed where that can be."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, and pack what comes of it."""
        if scope["type"] != "http" or scope["method"] not in {"GET", "HEAD"}:
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope, send)
        try:
            await self._app(scope, receive, answer.send)
        finally:
            _busy.discard(id(answer))


class _Answer:
    """One answer on its way."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._asked = Headers(scope=scope)
        self._is_head = scope["method"] == "HEAD"
        self._send = send
        self._start: Message | None = None
        """The head, while it waits for the first octets."""
        self._packer: _Packer | None = None
        self._is_large = False

    async def send(self, message: Message) -> None:
        """Send on a part of it, packed or as it is."""
        if message["type"] == "http.response.start":
            self._prepare(message)
            if self._packer is not None and not self._is_head:
                self._start = message
                return
        elif self._packer is not None and not self._is_head:
            message = await self._packed(message)
            if self._start is not None:
                start, self._start = self._start, None
                if not message["more_body"]:
                    MutableHeaders(raw=start["headers"])["Content-Length"] = str(
                        len(message["body"])
                    )
                await self._send(start)
        await self._send(message)

    def _prepare(self, start: Message) -> None:
        """Decide how an answer is sent, and say so in its fields."""
        fields = MutableHeaders(raw=start["headers"])
        tag = fields.get("etag", "")
        if start["status"] == _NOT_MODIFIED:
            fields.add_vary_header("Accept-Encoding")
            is_kept = f"W/{tag}" in self._asked.get("if-none-match", "")
            if is_kept and self._coding() is not None:
                fields["ETag"] = f"W/{tag}"  # what is kept there is packed (RFC 9111 §4.3.4)
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
            or not self._has_turn()
        ):
            return
        self._packer = _CODINGS[coding](light=self._is_large)
        fields["Content-Encoding"] = coding
        del fields["content-length"]
        if tag and not tag.startswith("W/"):
            fields["ETag"] = f"W/{tag}"
        if "repr-digest" in fields:
            fields["Unencoded-Digest"] = fields["repr-digest"]
            del fields["repr-digest"]

    def _coding(self) -> str | None:
        """The coding of ours that is liked most, if any is; none where a token is shown."""
        if any(name in self._asked for name in ("authorization", "cookie", "range")):
            return None
        liked = weights(self._asked.get("accept-encoding", ""))
        weight = {name: liked.get(name, liked.get("*", 0.0)) for name in _CODINGS}
        best = max(weight, key=weight.__getitem__)
        return best if weight[best] and weight[best] >= liked.get("identity", 0.0) else None

    def _has_turn(self) -> bool:
        if not self._is_large or self._is_head:
            return True
        if len(_busy) >= COMPRESSIONS:
            return False
        _busy.add(id(self))
        return True

    async def _packed(self, message: Message) -> Message:
        """The same octets, packed as far as they are."""
        octets, more = message.get("body", b""), message.get("more_body", False)
        packed = (
            await run_in_threadpool(self._pack, octets, more=more)
            if self._is_large
            else self._pack(octets, more=more)
        )
        return {"type": "http.response.body", "body": packed, "more_body": more}

    def _pack(self, octets: bytes, *, more: bool) -> bytes:
        packer = self._packer
        if packer is None:
            return octets
        packed = packer.compress(octets)
        return packed if more else packed + packer.flush()
