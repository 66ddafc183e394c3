"""Marked spans of a document's text: from the fragment of a PDI, or a text fragment.

A PDI's fragment names one part. A fragment of RFC 5147, or of its first draft, comes with the
address of the text: it may name a position, or several parts, and its checks may fail. It never
fails the page: the page shows its fault beside the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import NotFoundError, ParseError
from permacite.fragments import convert, rfc5147, wilde00
from permacite.lazy_dataclass import dataclass
from permacite.media_types import PAGES
from permacite.service import names

if TYPE_CHECKING:
    from permacite import pdi
    from permacite.archive.repository import Repository
    from permacite.service.names import TextOf

__all__ = [
    "MarkedSpans",
    "TextPiece",
    "by_fragment",
    "by_text_fragment",
    "marked",
    "split",
    "text_source",
]


@dataclass(frozen=True, slots=True)
class MarkedSpans:
    """Spans of a document's text, in order and apart; `trouble` where nothing is interpreted."""

    spans: tuple[tuple[int, int], ...] = ()
    caret: bool = False
    """Whether the one span is a position: shown as a caret, not highlighted (RFC 5147 §2.1.1)."""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of a document's text. A marked piece without text is a caret."""

    text: str
    marked: bool


def text_source(repository: Repository, name: pdi.PDI) -> TextOf | None:
    """The text of what a name shows, of which what is read is checked; None where it has none."""
    try:
        representation = names.text_representation(repository, name)
        return names.text_of(repository, representation, whole=False)
    except NotFoundError:
        return None


def marked(
    repository: Repository,
    source: TextOf | None,
    fragment: pdi.FragmentPDI | None,
    text_fragment: str | None,
) -> MarkedSpans:
    """What is marked of a document: by a text fragment where one came, else by a PDI's."""
    if text_fragment is None or source is None:
        return by_fragment(repository, fragment)
    return by_text_fragment(source, text_fragment)


def by_fragment(repository: Repository, fragment: pdi.FragmentPDI | None) -> MarkedSpans:
    """What a PDI's `char` fragment marks of a text that is no page; nothing for any other."""
    if fragment is None or fragment.scheme != "char":
        return MarkedSpans()
    if repository.lookup.representation(fragment.pdi).media_type in PAGES:
        return MarkedSpans()
    return MarkedSpans(((int(fragment.positions[0]), int(fragment.positions[1])),))


def by_text_fragment(source: TextOf, fragment: str) -> MarkedSpans:
    """What a fragment of RFC 5147, or of its first draft, marks in a document's text."""
    try:
        parsed = wilde00.parse(fragment) if "(" in fragment else rfc5147.parse(fragment)
    except ParseError as error:
        return MarkedSpans(trouble=f"the fragment is not interpreted: {error}")
    entity = source.entity
    location = entity.locate(parsed)
    if location.status == "ignored":
        return MarkedSpans(trouble=f"the fragment is not interpreted: {location.problem}")
    spans = [convert.rfc5147_to_pdi(entity, *span.char)[:2] for span in location.spans]
    return MarkedSpans(tuple(spans), caret=location.kind == "position")


def split(text: str, marked: MarkedSpans) -> tuple[TextPiece, ...]:
    """The text in pieces, marked and not, with line ends as a browser shows them."""
    pieces = []
    place = 0
    for start, end in marked.spans:
        pieces += [
            TextPiece(text[place:start], marked=False),
            TextPiece(text[start:end], marked=True),
        ]
        place = end
    pieces.append(TextPiece(text[place:], marked=False))
    return tuple(TextPiece(piece.text.replace("\r\n", "\n"), piece.marked) for piece in pieces)
