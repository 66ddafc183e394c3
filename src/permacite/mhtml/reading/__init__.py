"""Aggregates that exist: their parts, which one is the root, and what references in them mean."""
