"""Assertions about names: statements, and who answers or mints for a series."""
