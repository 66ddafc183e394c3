"""Put quotations on record when a composite document is committed: A@origin=B (PDI §3.5)."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from permacite.archive import text_of_new
from permacite.archive.names import as_urn
from permacite.errors import ParseError
from permacite.service.quotations import finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from permacite.archive import NewRepresentation

__all__ = ["MARKDOWN", "MOST", "PAGES", "found_in", "with_quotations"]

PAGES = ("text/html", "application/xhtml+xml")
MARKDOWN = ("text/markdown",)

MOST = 500
"""How many quotations of one document are recorded and compared."""


def with_quotations(representations: Sequence[NewRepresentation]) -> list[NewRepresentation]:
    """Return the formats of a document, those that quote with what they quote.

    A page's quotations stand in its text, a Markdown document's in itself. A quotation whose name
    is none, or lacks its version, is not recorded: `comparing` tells of it.
    """
    done = list(representations)
    for number, found in found_in(representations):
        done[number] = _with(done[number], found)
    return done


def found_in(representations: Sequence[NewRepresentation]) -> list[tuple[int, list[finding.Found]]]:
    """Return which formats of a document quote, by their places, and what each quotes."""
    pairs = []
    for number, one in enumerate(representations):
        if one.media_type in MARKDOWN:
            pairs.append((number, finding.in_markdown(text_of_new(one).text)))
        elif one.media_type == "text/plain" and one.derived_from is not None:
            page = next((page for page in representations if page.media_type in PAGES), None)
            if page is not None:
                xml = page.media_type != "text/html"
                found = finding.in_page(text_of_new(page).stored, xml=xml)
                pairs.append((number, found))
    return pairs


def _with(one: NewRepresentation, found: Iterable[finding.Found]) -> NewRepresentation:
    quotations = dict.fromkeys(_recordable(found))
    return dataclasses.replace(one, quotations=tuple(quotations)) if quotations else one


def _recordable(found: Iterable[finding.Found]) -> list[tuple[str, str]]:
    """Return origin and name of what can be recorded."""
    pairs = []
    for one in list(found)[:MOST]:
        try:
            pairs.append((str(one.start), as_urn(finding.cited_name(one.reference))))
        except ParseError:
            continue
    return pairs
