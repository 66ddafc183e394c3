"""The Merkle log in the catalog: entries and checkpoints, sealed days, records behind entries."""

from permacite.archive.sqlite.log.records import SqliteLog

__all__ = ["SqliteLog"]
