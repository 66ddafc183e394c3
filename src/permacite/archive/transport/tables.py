"""Tables of a copy: how each table of the schema is copied, or why it is left out.

Rows that an entry of the log stands for are copied in the order of the log, in batches. All other
rows are compared by key whenever a copy is brought up to date.
"""

from __future__ import annotations

from typing import NamedTuple

from permacite.archive.records.settings import OF_ONE_PLACE

__all__ = ["COMPARED", "LEFT_OUT", "LOG", "NEEDED", "SLICED", "Compared"]

LOG = "log_node"
"""The hashes of the log: computed again from its entries."""

_OF_ENTRIES = "sequence >= :start AND sequence < :end"
_OF_DOCUMENTS = "document_id > :document AND document_id <= :last_document"
_OF_FORMATS = "representation_id > :format AND representation_id <= :last_format"

SLICED = {
    "document": _OF_DOCUMENTS,
    "version": "version_id > :version AND version_id <= :last_version",
    "representation": _OF_FORMATS,
    "attachment": _OF_FORMATS,
    "quotation": _OF_FORMATS,
    "leaf": _OF_ENTRIES,
    "opening": _OF_ENTRIES,
    "citation": f"citation_id IN (SELECT citation_id FROM citation_leaf WHERE {_OF_ENTRIES})",
    "citation_leaf": _OF_ENTRIES,
    "assertion": _OF_ENTRIES,
    "delegation": "delegation_id IN"
    f" (SELECT delegation_id FROM delegation_leaf WHERE {_OF_ENTRIES})",
    "delegation_leaf": _OF_ENTRIES,
    "day": _OF_ENTRIES,
    "erasure": _OF_ENTRIES,
    "standing": _OF_DOCUMENTS,
    "building": f"standing_id IN (SELECT standing_id FROM standing WHERE {_OF_DOCUMENTS})",
}
"""Conditions for the rows of each table in a batch, in the order in which they may be inserted. The
standing of a document comes with it."""


class Compared(NamedTuple):
    """Comparison of a table by its key, the first column."""

    key: str
    is_lasting: bool = False
    """Whether existing rows may not be deleted, nor changed except by `change`."""
    change: str = ""
    """The only statement that may change a row; it takes a value and the key."""
    column: int = 0
    """The column of that value."""
    own: tuple[str, ...] = ()
    """The keys of rows that every place has for itself: they are not compared."""


NEEDED = {
    "series": Compared("series_id", is_lasting=True),
    "person": Compared(
        "person_id",
        is_lasting=True,
        change="UPDATE person SET name = ? WHERE person_id = ? AND name IS NOT NULL",
        column=1,
    ),
}
"""Tables that rows of a batch refer to: compared before the first batch, and at the end."""

COMPARED = NEEDED | {
    "erasure": Compared(
        "erasure_id",
        is_lasting=True,
        change="UPDATE erasure SET done_at = ? WHERE erasure_id = ? AND done_at IS NULL",
        column=8,
    ),
    "standing": Compared("standing_id", is_lasting=True),
    "building": Compared("standing_id", is_lasting=True),
    "idempotency": Compared("key", is_lasting=True),
    "checkpoint": Compared("size", is_lasting=True),
    "timestamp": Compared("timestamp_id", is_lasting=True),
    "remark": Compared("sequence"),
    "live_page": Compared("version_id"),
    "live_passage": Compared("citation_id"),
    "passage_news": Compared("news_id"),
    "jotting": Compared("jotting_id"),
    "watch": Compared("uri"),
    "git_blob": Compared("digest"),
    "content_pieces": Compared("digest"),
    "setting": Compared("name", own=OF_ONE_PLACE),
}
"""The other tables. The settings are last: they say that the copy is complete."""

LEFT_OUT = {
    "unsettled": "octets that wait to become objects, which they are in the copy",
    "erasure_object": "octets that are to be destroyed: a copy notes those that it has itself",
    "packed": "where in the objects of one store octets are",
    "emptied_pack": "objects of one store that are to be deleted",
    "lease": "who does something at the moment",
}
"""Tables that belong to one place, and why a copy does not have them."""
