"""What a page says of itself: author, date, title, publisher, identifiers, and where it says so.

| room | what it holds |
|---|---|
| model | a reference, and what it is made of |
| reading | one pass over a page, which gathers what it states |
| meta, json_ld, microdata | the ways in which pages state it |
| schema_org | what items of schema.org mean, in JSON-LD and in microdata |
| zotero | items of a library, as Zotero exports them |
| choosing | which of several statements counts |
| people, dates, identifiers | names, dates, DOI, ISBN, ISSN, language tags |

A reference is made from the octets whenever it is needed, and is never stored: no name and no
citation depends on it. It takes any page, raises nothing for it, and fetches nothing.
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
