"""Feeds of what was archived, and of what became of cited passages."""
