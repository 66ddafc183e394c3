"""Mirrors: an archive that follows another, checks it, answers in its place, and mends it."""
