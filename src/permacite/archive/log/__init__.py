"""The Merkle log of an archive: what was committed, in which order, signed and provable."""

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
