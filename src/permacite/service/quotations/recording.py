"""Put quotations on record when a composite document is committed: A@origin=B (PDI §3.5)."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from permacite.archive.names import as_urn
from permacite.errors import ParseError
from permacite.service.quotations import finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from permacite.archive import NewRepresentation
    from permacite.markup import Document

    Quotations: TypeAlias = Mapping[str, list[finding.Found]]
    """What a document quotes, under its media type."""

__all__ = ["MOST", "Quotations", "quotations_in", "with_quotations"]

MOST = 500
"""How many quotations of one document are recorded and compared."""


def quotations_in(document: Document) -> Quotations:
    """What a page or a Markdown text quotes; nothing for any other document."""
    found = finding.in_document(document)
    return {document.media_type: found} if found else {}


def with_quotations(
    representations: Sequence[NewRepresentation], quotations: Quotations
) -> list[NewRepresentation]:
    """Return the formats of a document, the one that quotes with what it quotes.

    A page's quotations stand in its text, a Markdown document's in itself. A quotation whose name
    is none, or lacks its version, is not recorded: `comparing` tells of it.
    """
    done = list(representations)
    for found in quotations.values():
        # A page's text is derived from it, and comes behind it.
        number = next((i for i, one in enumerate(done) if one.derived_from is not None), 0)
        done[number] = _with(done[number], found)
    return done


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
