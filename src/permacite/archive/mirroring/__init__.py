"""Mirrors: what an archive hands out of its log, and how another archive enters it as its own."""
