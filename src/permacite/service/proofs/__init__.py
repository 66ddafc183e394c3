"""Proofs: of what the archive holds, for anyone, offline; its log and the time-stamps of others."""
