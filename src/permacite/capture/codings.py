"""Content-codings taken off piece by piece, under a limit: gzip, deflate, br and zstd.

Sources: RFC 9110 §8.4.1 (gzip, deflate), RFC 1952 §2.2 (a gzip stream may have several members),
RFC 7932 (br), RFC 8878 §3.1 (zstd: several frames), RFC 9659 (its window is 8 MiB at most here).
Only those codings are asked for whose decoder can stop at a given size.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Protocol

import brotli

try:
    from compression import zstd  # type: ignore[import-not-found, unused-ignore] # from 3.14
except ModuleNotFoundError:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ACCEPTED", "CodingError", "ContentDecoder"]

ACCEPTED = "gzip, deflate, br, zstd"
"""What requests say in Accept-Encoding."""

_MEMBERS = 4096
"""A stream of more gzip members or zstd frames is an attack: each costs more than its bytes."""
_STEP = 64 * 1024
"""How much a decoder gives at once that knows no exact limit."""
_WINDOW_LOG = 23


class CodingError(Exception):
    """Content that is not what its Content-Encoding says; the message says why."""


class _CodedStream(Protocol):
    """One member of a coded stream."""

    ended: bool
    """Whether it came to its end."""

    def step(self, data: bytes, room: int) -> tuple[bytes, bytes]:
        """Return some content, at most `room`, and the input that is still to be read."""


class _Inflated:
    """gzip, or deflate with its wrapper or without."""

    def __init__(self, bits: int) -> None:
        self._inflate = zlib.decompressobj(bits)
        self.ended = False

    def step(self, data: bytes, room: int) -> tuple[bytes, bytes]:
        part = self._inflate.decompress(data, room)
        self.ended = self._inflate.eof
        return part, self._inflate.unused_data if self.ended else self._inflate.unconsumed_tail


class _Brotli:
    """br: its decoder keeps what it has not read, and gives a little more than it is asked for."""

    def __init__(self) -> None:
        self._decoder = brotli.Decompressor()
        self.ended = False

    def step(self, data: bytes, room: int) -> tuple[bytes, bytes]:
        parts = []
        while room > 0 and not self.ended:
            part = self._decoder.process(data, output_buffer_limit=min(room, _STEP))[:room]
            data = b""
            parts.append(part)
            room -= len(part)
            self.ended = self._decoder.is_finished()
            if not part and self._decoder.can_accept_more_data():
                break
        return b"".join(parts), b""


class _Zstd:
    """One frame of zstd."""

    def __init__(self) -> None:
        window = {zstd.DecompressionParameter.window_log_max: _WINDOW_LOG}
        self._decoder = zstd.ZstdDecompressor(options=window)
        self.ended = False

    def step(self, data: bytes, room: int) -> tuple[bytes, bytes]:
        parts = []
        while room > 0:
            part = self._decoder.decompress(data, room)
            data = b""
            parts.append(part)
            room -= len(part)
            if self._decoder.eof or self._decoder.needs_input:
                break
        self.ended = self._decoder.eof
        return b"".join(parts), self._decoder.unused_data if self.ended else b""


def _deflated(head: bytes) -> _CodedStream:
    """RFC 9110 asks for the zlib wrapper, whose first four bits are 8 (RFC 1950 §2.2).

    Many servers send the bare stream instead, and a bare stream cannot begin like that.
    """
    wrapped = head[0] & 0x0F == zlib.DEFLATED
    return _Inflated(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)


_STREAMS: dict[str, Callable[[bytes], _CodedStream]] = {
    "gzip": lambda _: _Inflated(zlib.MAX_WBITS | 16),
    "x-gzip": lambda _: _Inflated(zlib.MAX_WBITS | 16),
    "deflate": _deflated,
    "br": lambda _: _Brotli(),
    "zstd": lambda _: _Zstd(),
}
_IN_MEMBERS = ("gzip", "x-gzip", "zstd")
_ERRORS = (zlib.error, brotli.error, zstd.ZstdError)


class ContentDecoder:
    """Takes coded bytes piece by piece and gives back content piece by piece.

    `coding` is the value of Content-Encoding, "" where there is none. Raises CodingError for one
    that was not asked for.
    """

    def __init__(self, coding: str) -> None:
        self._name = coding.strip().lower()
        if self._name in {"", "identity"}:
            self._name = ""
        elif self._name not in _STREAMS:
            raise CodingError(f"the content comes in a coding that was not asked for: {coding}")
        self._stream: _CodedStream | None = None
        self._members = 0

    def feed(self, data: bytes, room: int) -> bytes:
        """What `data` stands for: at most `room` + 1 bytes, so that too much shows."""
        if not self._name:
            return data[: room + 1]
        parts: list[bytes] = []
        room += 1
        while data and room > 0:
            if self._stream is None or self._stream.ended:
                if not self._begins(data):
                    break
                self._stream = _STREAMS[self._name](data)
            try:
                part, data = self._stream.step(data, room)
            except _ERRORS as error:
                raise CodingError(f"the {self._name} content is damaged: {error}") from None
            parts.append(part)
            room -= len(part)
        return b"".join(parts)

    def _begins(self, data: bytes) -> bool:
        """Whether one more member begins; padding does not, nor what nobody asked for."""
        if self._stream is not None and self._name == "br":  # its decoder takes none in one piece
            raise CodingError("the br content goes on behind its end")
        if self._stream is not None and (self._name not in _IN_MEMBERS or not data.strip(b"\0")):
            return False
        self._members += 1
        if self._members > _MEMBERS:
            raise CodingError(f"the {self._name} content has more than {_MEMBERS} members")
        return True

    def finish(self) -> None:
        """Raise CodingError if the coded bytes end too early; no bytes at all are no content."""
        if self._stream is not None and not self._stream.ended:
            raise CodingError(f"the {self._name} content ends too early")
