"""Merkle trees and their proofs (RFC 6962 §2.1, checked as in RFC 9162 §2.1.3 and §2.1.4)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from permacite.archive.merkle import (
    consistency_proof,
    inclusion_proof,
    is_consistent,
    leaf_hash,
    node_hash,
    root_of_inclusion,
    tree_hash,
)

if TYPE_CHECKING:
    from collections.abc import Callable

# The eight leaves that implementations of Certificate Transparency test themselves with.
LEAVES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
    (2, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
    (3, "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
    (4, "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"),
    (5, "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"),
    (6, "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"),
    (7, "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"),
    (8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
]


def mth(leaves: list[bytes]) -> bytes:
    """Return MTH(D[n]) by the recursion of RFC 6962 §2.1, word for word."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaf_hash(leaves[0])
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return node_hash(mth(leaves[:k]), mth(leaves[k:]))


def nodes_of(leaves: list[bytes]) -> Callable[[int, int], bytes]:
    """Return the hash of any complete subtree."""
    return lambda level, position: mth(leaves[position << level : (position + 1) << level])


@pytest.mark.parametrize(("size", "root"), ROOTS)
def test_rfc6962_s2_1_roots_of_the_well_known_leaves(size: int, root: str) -> None:
    assert tree_hash(size, nodes_of(LEAVES)).hex() == root
    assert mth(LEAVES[:size]).hex() == root


def test_rfc6962_s2_1_1_proofs_of_the_well_known_leaves() -> None:
    # PATH(0, D[7]) and PATH(6, D[7]) of the worked example, in its letters: [b, h, l] and [i, k].
    node = nodes_of(LEAVES[:7])
    b, h, i, k, l = node(0, 1), node(1, 1), node(1, 2), node(2, 0), mth(LEAVES[4:7])  # noqa: E741 - its letters
    assert inclusion_proof(0, 7, node) == [b, h, l]
    assert inclusion_proof(6, 7, node) == [i, k]
    # PROOF(4, D[7]) is [l]; PROOF(6, D[7]) is [i, j, k].
    j = leaf_hash(LEAVES[6])
    assert consistency_proof(4, 7, node) == [l]
    assert consistency_proof(6, 7, node) == [i, j, k]


def test_rfc6962_s2_1_1_every_proof_of_small_trees_holds_and_no_other() -> None:
    leaves = [bytes([number]) for number in range(20)]
    for size in range(1, 21):
        node, root = nodes_of(leaves[:size]), mth(leaves[:size])
        for index in range(size):
            proof = inclusion_proof(index, size, node)
            leaf = leaf_hash(leaves[index])
            assert root_of_inclusion(leaf, index, size, proof) == root
            assert root_of_inclusion(leaf, index, size, [*proof, root]) is None
            if proof:
                assert root_of_inclusion(leaf, index, size, proof[:-1]) != root
                assert root_of_inclusion(leaf, index ^ 1, size, proof) != root
            assert root_of_inclusion(leaf, size, size, proof) is None


def test_rfc6962_s2_1_2_every_consistency_of_small_trees_holds_and_no_other() -> None:
    leaves = [bytes([number]) for number in range(20)]
    for new in range(1, 21):
        node, root = nodes_of(leaves[:new]), mth(leaves[:new])
        for old in range(1, new + 1):
            proof, old_root = consistency_proof(old, new, node), mth(leaves[:old])
            assert is_consistent(old, old_root, new, root, proof=proof)
            other = leaf_hash(b"other")
            assert not is_consistent(old, other, new, root, proof=proof)
            assert not is_consistent(old, old_root, new, other, proof=proof)
            assert not is_consistent(old, old_root, new, root, proof=[*proof, other])
            if proof:
                assert not is_consistent(old, old_root, new, root, proof=proof[:-1])
    assert is_consistent(0, mth([]), 5, mth(leaves[:5]), proof=[])
    assert not is_consistent(6, mth(leaves[:6]), 5, mth(leaves[:5]), proof=[])
    assert is_consistent(0, mth([]), 0, mth([]), proof=[])
    for size in (0, -1):
        assert not is_consistent(size, mth(leaves), size, mth(leaves), proof=[])
    for wrong in (-1, 5):
        with pytest.raises(IndexError):
            inclusion_proof(wrong, 5, node)
    with pytest.raises(IndexError):
        consistency_proof(0, 5, node)
