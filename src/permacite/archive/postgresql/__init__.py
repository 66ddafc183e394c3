"""The catalog in PostgreSQL, for archives on many machines: all that is PostgreSQL's own.

It needs psycopg, which the extra `cluster` brings.
"""
