"""Proof bundles: written by the archive, checked by anyone, offline."""

from permacite.archive.log.bundles.checking import Check, ProofReport, check_proof
from permacite.archive.log.bundles.writing import bundle, entry_of

__all__ = ["Check", "ProofReport", "bundle", "check_proof", "entry_of"]
