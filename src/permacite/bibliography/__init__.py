"""Bibliographic metadata of a page: author, date, title, publisher, identifiers, and their sources.

| module | contents |
|---|---|
| model | a reference and its fields |
| reading | one pass over a page: its meta elements, and all other claims |
| schema_org | items of schema.org, in JSON-LD and in microdata |
| zotero | items of a Zotero library, as Zotero exports them |
| choosing | the choice between several claims; names, dates, DOI, ISBN, ISSN, language tags |

A reference is computed from the octets when it is needed, and never stored: no name and no citation
depends on it. Any page is accepted; nothing is raised and nothing is fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.bibliography.choosing import ASSERTION, reference
    from permacite.bibliography.model import Claim, Date, Person, Place, Reference, Stated
    from permacite.bibliography.reading import gather

__all__ = [
    "ASSERTION",
    "Claim",
    "Date",
    "Person",
    "Place",
    "Reference",
    "Stated",
    "gather",
    "reference",
]

on_demand(
    __name__,
    {
        "permacite.bibliography.choosing": "ASSERTION, reference",
        "permacite.bibliography.model": "Claim, Date, Person, Place, Reference, Stated",
        "permacite.bibliography.reading": "gather",
    },
)
