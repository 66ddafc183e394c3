"""The Merkle log of an archive: what was committed, in which order, signed and provable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.archive.log.bundles import Check, ProofReport, check_proof
    from permacite.archive.log.keys import Signer, Verifier
    from permacite.archive.log.log import Log
    from permacite.archive.log.note import Checkpoint
    from permacite.archive.log.policy import Policy

__all__ = [
    "Check",
    "Checkpoint",
    "Log",
    "Policy",
    "ProofReport",
    "Signer",
    "Verifier",
    "check_proof",
]

on_demand(
    __name__,
    {
        "permacite.archive.log.bundles": "Check, ProofReport, check_proof",
        "permacite.archive.log.keys": "Signer, Verifier",
        "permacite.archive.log.log": "Log",
        "permacite.archive.log.note": "Checkpoint",
        "permacite.archive.log.policy": "Policy",
    },
)
