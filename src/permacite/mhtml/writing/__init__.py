"""Aggregates to be: resources, labels that differ, and one way of writing for each purpose."""
