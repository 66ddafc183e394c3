"""Extraction of characters and lines from text (PDI §3.4.1).

Positions count the code points of the canonical text: every line end is CRLF, two characters, and
a byte order mark is none. A position between CR and LF of a line end that is stored as one
character is a place all the same: the text is cut there, the bytes are those of the whole line end.
Of a text with an index, only what lies around the part is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite import markup
from permacite.charsets import Charset, codec_of
from permacite.errors import ParseError
from permacite.extract.excerpt import Excerpt, digest_of, extent
from permacite.text.document import DocumentText, canonical

if TYPE_CHECKING:
    from permacite.text.entity import Span
    from permacite.text.tally import Tally

__all__ = ["characters", "document", "excerpt", "lines"]


def document(data: bytes, media_type: str, charset: str | Charset | None) -> DocumentText:
    """Return the text of octets, by a label that came with them, or by what is settled already.

    Raises ParseError for a label that names no charset.
    """
    if isinstance(charset, Charset):
        return DocumentText(data, charset)
    if charset is not None and codec_of(charset) is None:
        raise ParseError("expected a charset that can be decoded", charset, 0, "PDI §3.4.1")
    return markup.Document(data, media_type, charset).text


class _Edge(NamedTuple):
    """A position: the counts before it, and after the line end that it is in, if it is in one."""

    before: Tally
    after: Tally
    inside: int
    """1 between CR and LF of a line end of the canonical text, else 0."""

    @property
    def stored(self) -> bool:
        """Whether the line end that it is in is stored as CRLF too."""
        return self.after.code_point - self.before.code_point > 1


def characters(text: DocumentText, media_type: str, start: int, end: int) -> Excerpt:
    """Return the characters of the canonical text from `start` up to `end`."""
    found = extent(start, end, text.length, "characters")
    first, last = _edges(text, found.start, found.end)
    # A line end that is stored as one character is in the bytes, however much is in the text.
    begin = _within(text, first) if first.stored else first.before.byte
    stop = _within(text, last) if last.stored else last.after.byte
    words = text.words(found.start, found.end)
    return _excerpt(text, media_type, words, (begin, stop), clipped=found.clipped)


def _edges(text: DocumentText, start: int, end: int) -> list[_Edge]:
    """Where canonical positions are."""
    edges = []
    positions = (start, end)
    entity = text.entity
    for position, before in zip(positions, entity.places("pdi", positions), strict=True):
        inside = position - before.pdi("http")
        after = entity.place("char", before.char("http") + 1) if inside else before
        edges.append(_Edge(before, after, inside))
    return edges


def _within(text: DocumentText, edge: _Edge) -> int:
    """Return the byte between the two characters of a stored CRLF."""
    place = edge.before.code_point + 1
    return text.entity.span(place, place, "code_point").byte[0]


def lines(text: DocumentText, media_type: str, start: int, end: int) -> Excerpt:
    """Return the lines from `start` up to `end`, their line ends included.

    What follows the last line end is a line, if it is anything; an empty text has one line.
    """
    entity = text.entity
    ends = entity.end.line("http")
    tail = entity.place("line", ends)
    size = ends if ends and tail.code_point == entity.end.code_point else ends + 1
    found = extent(start, end, size, "lines")
    first, last = entity.places("line", [found.start, found.end])
    if found.end == size:
        last = entity.end
    if found.start == size:
        first = entity.end
    return excerpt(text, media_type, entity.between(first, last), clipped=found.clipped)


def excerpt(text: DocumentText, media_type: str, span: Span, *, clipped: bool) -> Excerpt:
    """Return a part that neither begins nor ends inside a line end."""
    return _excerpt(text, media_type, canonical(text.slice(span)), span.byte, clipped=clipped)


def _excerpt(
    text: DocumentText, media_type: str, words: str, place: tuple[int, int], *, clipped: bool
) -> Excerpt:
    digest = digest_of("utf-8", words.encode())
    return Excerpt(text.octets(*place), media_type, words, place, clipped, digest)
