"""Proof bundles: written by the archive, checked by anyone, offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.archive.log.bundles.checking import check_proof
    from permacite.archive.log.bundles.page import bundle_in, is_page, page_check, page_of
    from permacite.archive.log.bundles.tlog_proof import Check, ProofReport
    from permacite.archive.log.bundles.writing import absence, bundle, entry_of

__all__ = [
    "Check",
    "ProofReport",
    "absence",
    "bundle",
    "bundle_in",
    "check_proof",
    "entry_of",
    "is_page",
    "page_check",
    "page_of",
]

on_demand(
    __name__,
    {
        "permacite.archive.log.bundles.checking": "check_proof",
        "permacite.archive.log.bundles.page": "bundle_in, is_page, page_check, page_of",
        "permacite.archive.log.bundles.tlog_proof": "Check, ProofReport",
        "permacite.archive.log.bundles.writing": "absence, bundle, entry_of",
    },
)
