"""Signed message of each key type: the text of a note, or a statement about the tree in it.

C2SP tlog-cosignature (c2sp.org):
  Format                    -> `split`, `stamped`
  Ed25519 signed message    -> `signed_message` of COSIGNATURE
  ML-DSA-44 signed message  -> `signed_message` of ML_DSA_44
C2SP signed-note:
  Signature types           -> `KeyType`

Deviations: none.
Readings: an ML-DSA-44 signature vouches for origin, size and root; so it does not hold for a text
that says more in extension lines. A log signs with the time 0, which states nothing about time.
"""

from __future__ import annotations

import struct
from enum import IntEnum

from permacite.archive.log.note import Checkpoint
from permacite.errors import ParseError

__all__ = ["LONGEST_NAME", "KeyType", "signed_message", "split", "stamped"]

_TIME = struct.Struct(">Q")
_LATEST = (1 << 63) - 1
LONGEST_NAME = 255
"""Octets, of a key or a log, in what ML-DSA-44 signs."""

_SUBTREE = b"subtree/v1\n\0"


class KeyType(IntEnum):
    """The signature types of notes that are read here (signed-note, Signature types)."""

    ED25519 = 1
    """Over the text of the note."""
    COSIGNATURE = 4
    """Ed25519, over a time and the text of a checkpoint."""
    ML_DSA_44 = 6
    """Over a time and the tree that a checkpoint names, with the name of who signs."""

    @property
    def key_bytes(self) -> int:
        """How many octets a public key has."""
        return 1312 if self is KeyType.ML_DSA_44 else 32


def split(key_type: KeyType, signature: bytes) -> tuple[int, bytes]:
    """Return the time of a signature in seconds since 1970, 0 where it tells none, and the rest.

    Raises ParseError.
    """
    if key_type is KeyType.ED25519:
        return 0, signature
    if len(signature) < _TIME.size or (time := _TIME.unpack_from(signature)[0]) > _LATEST:
        problem = "expected a time and a signature"
        raise ParseError(problem, signature.hex(), 0, "C2SP tlog-cosignature, Format")
    return time, signature[_TIME.size :]


def stamped(key_type: KeyType, time: int, signature: bytes) -> bytes:
    """Return a signature as it stands in its line, with its time before it where it has one."""
    return signature if key_type is KeyType.ED25519 else _TIME.pack(time) + signature


def signed_message(key_type: KeyType, name: str, time: int, text: str) -> bytes:
    """The octets that the key `name` signs of a note's text at a time.

    Raises ParseError where keys of this type do not sign such a text.
    """
    if key_type is KeyType.ED25519:
        return text.encode()
    if key_type is KeyType.COSIGNATURE:
        return f"cosignature/v1\ntime {time}\n{text}".encode()
    tree = Checkpoint.parse(text)
    names = [each.encode() for each in (name, tree.origin)]
    if tree.body != text or any(len(octets) > LONGEST_NAME for octets in names):
        problem = "expected a checkpoint of three lines, with names of at most 255 octets"
        raise ParseError(problem, text, 0, "C2SP tlog-cosignature, ML-DSA-44 signed message")
    cosigner, origin = (bytes([len(octets)]) + octets for octets in names)
    return b"".join(
        (_SUBTREE, cosigner, _TIME.pack(time), origin, struct.pack(">QQ", 0, tree.size), tree.root)
    )
