"""What of the catalog may be given out, and what is destroyed."""

from permacite.archive.sqlite.access.erasing import SqliteErasures, check_octets, is_named
from permacite.archive.sqlite.access.standing import (
    SqliteStandings,
    default_standing,
    insert_standings,
)

__all__ = [
    "SqliteErasures",
    "SqliteStandings",
    "check_octets",
    "default_standing",
    "insert_standings",
    "is_named",
]
