"""The Merkle tree of a log: hashes of leaves and nodes.

Certificate Transparency (RFC 6962), the part about trees:
  §2.1 Merkle Hash Trees  -> `leaf_hash`, `node_hash`

Deviations: none. Readings: none.
"""

from __future__ import annotations

import hashlib

__all__ = ["leaf_hash", "node_hash"]


def leaf_hash(content: bytes) -> bytes:
    """Return SHA-256(0x00 || content)   (RFC 6962 §2.1)."""
    return hashlib.sha256(b"\x00" + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return SHA-256(0x01 || left || right)   (RFC 6962 §2.1)."""
    return hashlib.sha256(b"\x01" + left + right).digest()
