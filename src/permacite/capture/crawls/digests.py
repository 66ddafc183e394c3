"""What records say that their octets hash to: WARC-Block-Digest and WARC-Payload-Digest.

WARC 1.1 §5.8, §5.9: `labelled-digest = algorithm ":" digest-value`. Nothing says how a value is
written: SHA-1 stands in base32 mostly, the others in hexadecimal, and tools write each in either.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import _Hash as Hash

__all__ = ["Digest", "is_of"]

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
