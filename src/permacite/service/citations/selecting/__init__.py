"""Selectors of other programs, and the passages that they select."""
