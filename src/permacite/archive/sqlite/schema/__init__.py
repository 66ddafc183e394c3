"""The schema of catalog.sqlite, by the steps in which it grew.

A file of an earlier step is brought up when it is opened. Steps add tables and indexes, and
may put another trigger in the place of one; no row that is there changes, but for the thirteenth,
which writes digests otherwise.
docs/reference/archive-layout.md describes every column.
"""

from permacite.archive.sqlite.schema.digests import DIGESTS, FILLED, octets_in
from permacite.archive.sqlite.schema.erasable import ERASABLE
from permacite.archive.sqlite.schema.steps import (
    BUILDING,
    FIRST,
    GIT_BLOBS,
    JOTTINGS,
    LIVE,
    PACKS,
    PIECES,
    SEALED_DAYS,
    SITES,
    UNSETTLED,
    WATCH,
)

__all__ = [
    "APPLICATION_ID",
    "SCHEMA",
    "SCHEMA_VERSION",
    "STEPS",
    "STEPS_WITH_ROWS",
    "octets_in",
    "schema_of",
]

APPLICATION_ID = 0x50444941
"""The letters PDIA, in the header of the file; `file` and others can tell what it is."""

SCHEMA_VERSION = 13
"""Stands in user_version; a file with a higher number is of a later permacite."""

STEPS = {
    1: FIRST,
    2: SEALED_DAYS,
    3: UNSETTLED,
    4: ERASABLE,
    5: LIVE,
    6: JOTTINGS,
    7: GIT_BLOBS,
    8: WATCH,
    9: SITES,
    10: PIECES,
    11: PACKS,
    12: BUILDING,
    13: DIGESTS,
}
"""The statements that lead from the schema before to that of each number."""

STEPS_WITH_ROWS = STEPS | {13: FILLED}
"""The same for a catalog that has rows; a connection has to know the function `octets_in`."""


def schema_of(version: int) -> str:
    """Return all statements that make an empty catalog of a version."""
    return "\n".join(STEPS[number] for number in range(1, version + 1))


SCHEMA = schema_of(SCHEMA_VERSION)
"""The same of the latest version."""
