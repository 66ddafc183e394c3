"""Proof bundles: written by the archive, checked by anyone, offline."""

from permacite.archive.log.bundles.checking import check_proof
from permacite.archive.log.bundles.tlog_proof import Check, ProofReport
from permacite.archive.log.bundles.writing import absence, bundle, entry_of

__all__ = ["Check", "ProofReport", "absence", "bundle", "check_proof", "entry_of"]
