"""What of a document's text is marked in the reader: by a PDI's fragment or by a text fragment.

A PDI's fragment names one part. A fragment of RFC 5147, or of its first draft, comes with the
address of the text: it may name a position, or several parts, and its checks may fail. It never
fails the page: what is wrong with it is told beside the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite.errors import ParseError
from permacite.fragments import convert, rfc5147, wilde00

if TYPE_CHECKING:
    from permacite import pdi
    from permacite.archive import Repository
    from permacite.service.names import TextOf

__all__ = ["Marked", "by_fragment", "by_text_fragment"]


@dataclass(frozen=True, slots=True)
class Marked:
    """Spans of a document's text, in order and apart; `trouble` where nothing is interpreted."""

    spans: tuple[tuple[int, int], ...] = ()
    caret: bool = False
    """Whether the one span is a position: shown as a caret, not highlighted (RFC 5147 §2.1.1)."""
    trouble: str = ""


def by_fragment(archive: Repository, fragment: pdi.FragmentPDI | None) -> Marked:
    """Return what a PDI's `char` fragment of plain text marks; nothing for any other."""
    if fragment is None or fragment.scheme != "char":
        return Marked()
    if archive.representation(fragment.pdi).media_type != "text/plain":
        return Marked()
    return Marked(((int(fragment.positions[0]), int(fragment.positions[1])),))


def by_text_fragment(source: TextOf, fragment: str) -> Marked:
    """Return what a fragment of RFC 5147, or of its first draft, marks in a document's text."""
    try:
        parsed = wilde00.parse(fragment) if "(" in fragment else rfc5147.parse(fragment)
    except ParseError as error:
        return Marked(trouble=f"the fragment is not interpreted: {error}")
    entity = source.entity
    location = entity.locate(parsed)
    if location.status == "ignored":
        return Marked(trouble=f"the fragment is not interpreted: {location.problem}")
    spans = [convert.rfc5147_to_pdi(entity, *span.char)[:2] for span in location.spans]
    return Marked(tuple(spans), caret=location.kind == "position")
