"""The Merkle tree of a log: hashes, and proofs that an entry is in it and that it only grew.

Certificate Transparency (RFC 6962), the part about trees, with the checking algorithms of RFC 9162:
  §2.1 Merkle Hash Trees            -> `leaf_hash`, `node_hash`, `tree_hash`
  §2.1.1 Merkle audit paths         -> `inclusion_proof`; `root_of_inclusion` (RFC 9162 §2.1.3.2)
  §2.1.2 Merkle consistency proofs  -> `consistency_proof`; `is_consistent` (RFC 9162 §2.1.4.2)

Deviations: none.
Readings: proofs are made from the hashes of complete subtrees: the node at (level, position) stands
over the leaves from position * 2**level up to (position + 1) * 2**level.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "EMPTY",
    "consistency_proof",
    "inclusion_proof",
    "is_consistent",
    "leaf_hash",
    "node_hash",
    "nodes_over",
    "root_of_inclusion",
    "tree_hash",
]

EMPTY = hashlib.sha256(b"").digest()
"""The hash of the tree without leaves."""


def leaf_hash(content: bytes) -> bytes:
    """Return SHA-256(0x00 || content)   (RFC 6962 §2.1)."""
    return hashlib.sha256(b"\x00" + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return SHA-256(0x01 || left || right)   (RFC 6962 §2.1)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def tree_hash(size: int, node: Callable[[int, int], bytes]) -> bytes:
    """Return the hash of the tree over the first `size` leaves (RFC 6962 §2.1).

    `node(level, position)` answers the hash of a complete subtree.
    """
    return _range_hash(0, size, node) if size else EMPTY


def nodes_over(leaves: Sequence[bytes]) -> Callable[[int, int], bytes]:
    """What answers the hash of each complete subtree over the hashes of leaves, for the others."""
    levels = [list(leaves)]
    while len(levels[-1]) > 1:
        below = levels[-1]
        pairs = zip(below[::2], below[1::2], strict=False)  # the last one may stand alone
        levels.append([node_hash(left, right) for left, right in pairs])
    return lambda level, position: levels[level][position]


def inclusion_proof(index: int, size: int, node: Callable[[int, int], bytes]) -> list[bytes]:
    """Return PATH(index, D[size]): the hashes beside the way from a leaf to the root (§2.1.1).

    Raises IndexError unless 0 <= index < size.
    """
    if not 0 <= index < size:
        raise IndexError(f"leaf {index} of a tree of {size}")
    path = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(_range_hash(middle, end, node))
            end = middle
        else:
            path.append(_range_hash(start, middle, node))
            start = middle
    return path[::-1]


def consistency_proof(old: int, new: int, node: Callable[[int, int], bytes]) -> list[bytes]:
    """Return PROOF(old, D[new]): how the tree of `new` leaves extends that of `old` (§2.1.2).

    Raises IndexError unless 0 < old <= new.
    """
    if not 0 < old <= new:
        raise IndexError(f"a tree of {old} leaves within one of {new}")
    proof = []
    start, end = 0, new
    while old != end:
        middle = start + _split(end - start)
        if old <= middle:
            proof.append(_range_hash(middle, end, node))
            end = middle
        else:
            proof.append(_range_hash(start, middle, node))
            start = middle
    if start:
        proof.append(_range_hash(start, end, node))
    return proof[::-1]


def root_of_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes | None:
    """Return the root that an inclusion proof leads to, None where its length is wrong."""
    if not 0 <= index < size:
        return None
    position, last, found = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return None
        if position % 2 or position == last:
            found = node_hash(sibling, found)
            while not position % 2 and position:
                position, last = position // 2, last // 2
        else:
            found = node_hash(found, sibling)
        position, last = position // 2, last // 2
    return found if last == 0 else None


def is_consistent(
    old: int, old_root: bytes, new: int, new_root: bytes, *, proof: Iterable[bytes]
) -> bool:
    """Say whether `proof` shows that the tree `new` begins with the tree `old`."""
    hashes = list(proof)
    if not 0 <= old <= new or (old == 0 and old_root != EMPTY):
        return False
    if old in (0, new):
        return not hashes and (old < new or old_root == new_root)
    if old & (old - 1) == 0:
        hashes.insert(0, old_root)  # a complete tree is a node of the new one
    return _walk_consistency(old, new, hashes) == (old_root, new_root)


def _walk_consistency(old: int, new: int, hashes: list[bytes]) -> tuple[bytes, bytes] | None:
    """Return the two roots that the hashes of a consistency proof lead to."""
    if not hashes:
        return None
    position, last = old - 1, new - 1
    while position % 2:
        position, last = position // 2, last // 2
    old_root = new_root = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            return None
        if position % 2 or position == last:
            old_root, new_root = node_hash(sibling, old_root), node_hash(sibling, new_root)
            while not position % 2 and position:
                position, last = position // 2, last // 2
        else:
            new_root = node_hash(new_root, sibling)
        position, last = position // 2, last // 2
    return (old_root, new_root) if last == 0 else None


def _split(size: int) -> int:
    """Return the largest power of two smaller than `size`, which is 2 or more."""
    return 1 << ((size - 1).bit_length() - 1)


def _range_hash(start: int, end: int, node: Callable[[int, int], bytes]) -> bytes:
    """Return MTH(D[start:end]); `start` is a multiple of the power of two that spans the range."""
    subtrees = []
    while start < end:
        level = (end - start).bit_length() - 1
        subtrees.append(node(level, start >> level))
        start += 1 << level
    found = subtrees.pop()
    while subtrees:
        found = node_hash(subtrees.pop(), found)
    return found
