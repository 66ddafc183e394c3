"""The catalog in PostgreSQL, for archives on many machines: all that is PostgreSQL's own.

It needs psycopg, which the extra `cluster` brings.
"""

from permacite.archive.postgresql.location import SCHEMES
from permacite.archive.postgresql.server import Server

__all__ = ["SCHEMES", "Server"]
