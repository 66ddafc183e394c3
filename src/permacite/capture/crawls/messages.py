"""HTTP messages in the blocks of records: their heads, and their content without codings.

Sources: RFC 9112 §4 (status line), §5 (fields), §7.1 (chunked); RFC 9110 §8.4 (content codings).

Readings: crawlers write what came over the network, or what a browser gave them, whose codings are
off while its fields still name them. Content that does not begin as its fields say is taken as it
is, as all tools for web archives do; content that goes wrong later is damaged. Fields that a tool
put out of force (`X-Archive-Orig-`, `X-Orig-`) are given their own names again.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import TYPE_CHECKING, NamedTuple

from permacite.capture.codings import CodingError, ContentDecoder
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from hashlib import _Hash as Hash

    from permacite.capture.model import Headers

__all__ = ["MOST_HEAD", "Digest", "HttpMessage", "content_of", "is_of", "read_head", "value_of"]

MOST_HEAD = 1 << 17
"""The longest head of a message."""
_STATUS = compile_pattern(rb"HTTP/[0-9](?:\.[0-9])?+ ++([0-9]{3})(?: ++([^\r\n]*+))?+\r?\n")
_REQUEST = compile_pattern(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}+) ([^\r\n]*+)\r?\n")
_END = compile_pattern(rb"\r?\n\r?\n")
_SIZE = compile_pattern(rb"([0-9A-Fa-f]{1,12}+)[ \t]*+(?:;[^\r\n]*+)?+\r?\n")
_SET_ASIDE = ("x-archive-orig-", "x-orig-")


class HttpMessage(NamedTuple):
    """The head of a message."""

    status: int
    """0 of a request."""
    reason: str
    """Of a request its method."""
    headers: Headers
    """As they came over the network."""
    in_force: Headers
    """As they stand: they say which codings the body has."""
    size: int
    """How many octets the head has."""


def read_head(block: bytes) -> HttpMessage | None:
    """The head that a block begins with; None where it begins with none."""
    first = _STATUS.match(block) or _REQUEST.match(block)
    if first is None:
        return None
    found = _END.search(block, first.end() - 2, MOST_HEAD)
    end, size = found.span() if found else (len(block), len(block))
    lines = block[first.end() : end].decode("latin-1").split("\n")
    pairs = (line.partition(":") for line in lines)
    fields = tuple((name.strip(), value.strip()) for name, _, value in pairs if name.strip())
    headers = _as_sent(fields)
    if block.startswith(b"HTTP/"):
        reason = (first[2] or b"").decode("latin-1")
        return HttpMessage(int(first[1]), reason, headers, fields, size)
    return HttpMessage(0, first[1].decode("ascii"), headers, fields, size)


def _as_sent(fields: Headers) -> Headers:
    """Fields under their own names; what a tool wrote in place of one is left out."""
    own = [(_own(name), name, value) for name, value in fields]
    aside = {name.lower() for name, stated, _ in own if name != stated}
    return tuple(
        (name, value) for name, stated, value in own if name != stated or name.lower() not in aside
    )


def _own(name: str) -> str:
    """The name of a field, without what puts it out of force."""
    for prefix in _SET_ASIDE:
        if name.lower().startswith(prefix):
            return name[len(prefix) :]
    return name


def value_of(headers: Headers, name: str) -> str:
    """The value of a field by its name in lower case, of several all of them; "" where none is."""
    return ", ".join(value for given, value in headers if given.lower() == name)


def content_of(body: bytes, headers: Headers, most: int) -> bytes:
    """The content of a body, at most `most` octets and one, without codings. Raises CodingError."""
    if "chunked" in value_of(headers, "transfer-encoding").lower():
        body = _joined(body)
    coding = value_of(headers, "content-encoding")
    content = body
    for name in reversed([each for each in coding.split(",") if each.strip()]):
        content = _decoded(content, name.strip().lower(), most)
    return content


def _decoded(body: bytes, coding: str, most: int) -> bytes:
    try:
        decoder = ContentDecoder(coding)
    except CodingError:
        return body  # aws-chunked and others of no registry: what is there is all there is
    try:
        content = decoder.feed(body, most)
        if len(content) <= most:
            decoder.finish()
    except CodingError:
        if _begins_so(body, coding):
            raise
        return body
    return content


def _begins_so(body: bytes, coding: str) -> bool:
    """Whether the beginning of a body can be decoded."""
    try:
        return bool(ContentDecoder(coding).feed(body[: 1 << 16], 0))
    except CodingError:
        return False


def _joined(body: bytes) -> bytes:
    """The chunks of a body as one (RFC 9112 §7.1); a body that is not in chunks as it is."""
    pieces: list[bytes] = []
    at = 0
    while (size := _SIZE.match(body, at)) is not None:
        many = int(size[1], 16)
        if many == 0:
            return b"".join(pieces)
        at = size.end() + many
        if at > len(body):
            break
        pieces.append(body[size.end() : at])
        at += 2 if body.startswith(b"\r\n", at) else body.startswith(b"\n", at)
    if not pieces:
        return body
    raise CodingError("the chunked content is cut off")


_ALGORITHMS = {
    "md5": "md5",
    "sha1": "sha1",
    "sha-1": "sha1",
    "sha256": "sha256",
    "sha-256": "sha256",
    "sha512": "sha512",
    "sha-512": "sha512",
}


class Digest:
    """A digest as it is stated, to be held to octets piece by piece."""

    def __init__(self, stated: str) -> None:
        """Of what is no digest that we know, `is_known` is False, and nothing agrees."""
        name, _, value = stated.partition(":")
        algorithm = _ALGORITHMS.get(name.strip().lower())
        self._hash: Hash | None = None
        if algorithm is not None:
            self._hash = hashlib.new(algorithm, usedforsecurity=False)
        self._value = value.strip()

    @property
    def is_known(self) -> bool:
        """Whether it can be checked."""
        return self._hash is not None

    def update(self, piece: bytes | memoryview) -> None:
        """Take some more octets."""
        if self._hash is not None:
            self._hash.update(piece)

    def agrees(self) -> bool:
        """Whether the octets are those that it was made of."""
        return self._hash is not None and self._hash.digest() == self._stated(self._hash)

    def _stated(self, made: Hash) -> bytes | None:
        """The octets of the value, in hexadecimal or base32 by its length."""
        try:
            if len(self._value) == 2 * made.digest_size:
                return bytes.fromhex(self._value)
            padded = self._value.upper().rstrip("=")
            return base64.b32decode(padded + "=" * (-len(padded) % 8))
        except (ValueError, binascii.Error):
            return None


def is_of(stated: str, octets: bytes) -> bool:
    """Whether a digest as it is stated is that of some octets."""
    digest = Digest(stated)
    digest.update(octets)
    return digest.agrees()
