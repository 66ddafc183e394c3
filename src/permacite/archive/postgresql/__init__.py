"""The catalog in PostgreSQL, for archives on many machines: all that is PostgreSQL's own.

It needs psycopg, which the extra `cluster` brings.
"""

from permacite.archive.postgresql.location import is_meant
from permacite.archive.postgresql.server import Server

__all__ = ["Server", "is_meant"]
