"""Selectors of other programs: read, and the passage found that they select."""
