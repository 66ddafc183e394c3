"""The catalog in one SQLite file, for archives on one machine: all that is SQLite's own."""
