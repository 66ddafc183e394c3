"""Proof bundles: written by the archive, checked by anyone, offline."""
