"""The content of an answer: its coding taken off under a limit, a missing type told by looks.

Sources: RFC 9110 §8.4.1 (gzip, deflate), RFC 1952 §2.2 (a gzip stream may have several members),
the signatures that browsers go by (WHATWG MIME Sniffing §6, §7). Only those codings are asked for
whose decoder can stop at a given size.
"""

from __future__ import annotations

import re
import zlib

from permacite.scan import compile_pattern

__all__ = ["ACCEPTED", "CodingError", "Decoder", "sniff"]

ACCEPTED = "gzip, deflate"
"""What requests say in Accept-Encoding."""

_CODINGS = {"": "", "identity": "", "gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate"}
_MEMBERS = 4096
"""A stream of more gzip members than this is an attack: each costs more than its bytes."""


class CodingError(Exception):
    """Content that is not what its Content-Encoding says; the message says why."""


class Decoder:
    """Takes coded bytes piece by piece and gives back content piece by piece.

    `coding` is the value of Content-Encoding, "" where there is none. Raises CodingError for one
    that was not asked for.
    """

    def __init__(self, coding: str) -> None:
        name = _CODINGS.get(coding.strip().lower())
        if name is None:
            raise CodingError(f"the content comes in a coding that was not asked for: {coding}")
        self._name = name
        self._inflate = None if name == "deflate" else _inflater(gzip=True)
        self._fed = False
        self._members = 0

    def feed(self, data: bytes, room: int) -> bytes:
        """What `data` stands for: at most `room` + 1 bytes, so that too much shows."""
        if not self._name:
            return data[: room + 1]
        self._fed = self._fed or bool(data)
        parts: list[bytes] = []
        room += 1
        while data and room > 0:
            if self._inflate is None:
                self._inflate = _inflater(gzip=self._name == "gzip", head=data)
            part, data = self._step(self._inflate, data, room)
            parts.append(part)
            room -= len(part)
        return b"".join(parts)

    def _step(self, inflate: zlib._Decompress, data: bytes, room: int) -> tuple[bytes, bytes]:
        """Return some content and the input that is still to be read."""
        try:
            part = inflate.decompress(data, room)
        except zlib.error as error:
            raise CodingError(f"the {self._name} content is damaged: {error}") from None
        if not inflate.eof:
            return part, inflate.unconsumed_tail
        rest = inflate.unused_data
        if self._name == "deflate" or not rest.strip(b"\0"):
            return part, b""  # padding, or what nobody asked for
        self._members += 1
        if self._members > _MEMBERS:
            raise CodingError(f"the gzip content has more than {_MEMBERS} members")
        self._inflate = None
        return part, rest

    def finish(self) -> None:
        """Raise CodingError if the coded bytes end too early; no bytes at all are no content."""
        if self._name and self._fed and (self._inflate is None or not self._inflate.eof):
            raise CodingError(f"the {self._name} content ends too early")


def _inflater(*, gzip: bool, head: bytes = b"") -> zlib._Decompress:
    if gzip:
        return zlib.decompressobj(zlib.MAX_WBITS | 16)
    # RFC 9110 asks for the zlib wrapper, whose first four bits are 8 (RFC 1950 §2.2); many servers
    # send the bare stream instead, and a bare stream cannot begin like that.
    wrapped = head[:1] and head[0] & 0x0F == zlib.DEFLATED
    return zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)


_SIGNATURES = (
    (compile_pattern(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (compile_pattern(rb"\xff\xd8\xff"), "image/jpeg"),
    (compile_pattern(rb"GIF8[79]a"), "image/gif"),
    (compile_pattern(rb"RIFF....WEBPVP", re.DOTALL), "image/webp"),
    (compile_pattern(rb"....ftypavif", re.DOTALL), "image/avif"),
    (compile_pattern(rb"BM"), "image/bmp"),
    (compile_pattern(rb"\x00\x00\x01\x00"), "image/x-icon"),
    (compile_pattern(rb"wOF2"), "font/woff2"),
    (compile_pattern(rb"wOFF"), "font/woff"),
    (compile_pattern(rb"OTTO"), "font/otf"),
    (compile_pattern(rb"\x00\x01\x00\x00"), "font/ttf"),
    (compile_pattern(rb"RIFF....WAVE", re.DOTALL), "audio/wav"),
    (compile_pattern(rb"OggS\x00"), "application/ogg"),
    (compile_pattern(rb"ID3|\xff\xfb"), "audio/mpeg"),
    (compile_pattern(rb"\x1aE\xdf\xa3"), "video/webm"),
    (compile_pattern(rb"....ftyp", re.DOTALL), "video/mp4"),
    (compile_pattern(rb"%PDF-"), "application/pdf"),
)
_MARKUP = compile_pattern(
    rb"(?:\xef\xbb\xbf)?[ \t\r\n\f]*+(?:<\?xml[^>]{0,200}>[ \t\r\n\f]*+)?"
    rb"(?:<!--.{0,800}?-->[ \t\r\n\f]*+)?"
    rb"<(?P<name>!doctype html|!doctype svg|html|head|body|title|script|h1|p|div|table|a|svg)\b",
    re.IGNORECASE | re.DOTALL,
)
_HEAD = 1024
"""How many bytes are looked at."""


def sniff(content: bytes) -> str:
    """Return the media type that `content` looks like, "application/octet-stream" if like none."""
    head = content[:_HEAD]
    for signature, media_type in _SIGNATURES:
        if signature.match(head):
            return media_type
    if found := _MARKUP.match(head):
        return "image/svg+xml" if found["name"].lower().endswith(b"svg") else "text/html"
    if b"\0" in head:
        return "application/octet-stream"
    return "text/plain" if head else "application/octet-stream"
