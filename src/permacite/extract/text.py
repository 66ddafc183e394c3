"""Excerpts of documents, with the checks that all media share; characters and lines (PDI §3.4.1).

Positions count the code points of the canonical text: every line end is CRLF, two characters, and
a byte order mark is none. A position between CR and LF of a line end that is stored as one
character is a place all the same: the text is cut there, the bytes are those of the whole line end.
Of a text with an index, only what lies around the part is read.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from permacite import markup
from permacite.charsets import Charset, codec_of
from permacite.errors import NotFoundError, ParseError
from permacite.lazy_dataclass import dataclass
from permacite.text.entity import DocumentText, canonical

if TYPE_CHECKING:
    from permacite.text.entity import Span
    from permacite.text.tally import Tally

__all__ = [
    "Excerpt",
    "Extent",
    "characters",
    "digest_of",
    "document",
    "excerpt",
    "extent",
    "lines",
    "nothing",
]


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
    place = text.octets_between(found.start, found.end) or _counted(text, found.start, found.end)
    words = text.words(found.start, found.end)
    return _excerpt(text, media_type, words, place, clipped=found.clipped)


def _counted(text: DocumentText, start: int, end: int) -> tuple[int, int]:
    """Return the bytes between two canonical positions.

    A line end that is stored as one character is in them, however much is in the text.
    """
    edges = []
    positions = (start, end)
    entity = text.entity
    for position, before in zip(positions, entity.places("pdi", positions), strict=True):
        inside = position - before.pdi("http")
        after = entity.place("char", before.char("http") + 1) if inside else before
        edges.append(_Edge(before, after, inside))
    first, last = edges
    begin = _within(text, first) if first.stored else first.before.byte
    return begin, _within(text, last) if last.stored else last.after.byte


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


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of a document that a fragment names.

    `data`: what the part is made of: for text, markup and octets a slice of the document's bytes,
    else a file of its own in `media_type`. `text`: its characters with CRLF line ends, None where
    there are none. `source_range`: (start, end) of the slice in bytes of the document, end
    excluded, None where the document was decoded. `clipped`: whether the fragment reaches beyond
    the end of the document; then it is not to be cited. `digest`: a layout and the SHA-256 of the
    content in it, such as "rgba8:ab12...": of pixels, samples, the text in UTF-8, or octets. It
    stays the same when the document is encoded otherwise; of pictures with sound it is both, with a
    "+" between. `damaged`: whether it has, or lacks, what could not be decoded; then it is cited by
    those alone who ask for that. `derived`: whether it is a preview, made of the part with loss.
    """

    data: bytes
    media_type: str
    text: str | None
    source_range: tuple[int, int] | None
    clipped: bool
    digest: str
    damaged: bool = False
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Extent:
    """A half-open interval that lies in the document; `clipped` as in Excerpt."""

    start: int
    end: int
    clipped: bool


def digest_of(layout: str, content: bytes) -> str:
    """Return the digest of an excerpt's content."""
    return f"{layout}:{hashlib.sha256(content).hexdigest()}"


def extent(start: int, end: int, size: int, unit: str) -> Extent:
    """What of [start, end) lies in a document of `size` units.

    A point at the very end is in it. Raises NotFoundError where nothing is.
    """
    if start > size or (start == size and end > size):
        nothing(f"{start},{end}"[:80], f"the document has {size} {unit}")
    return Extent(start, min(end, size), clipped=end > size)


def nothing(name: str, problem: str) -> NoReturn:
    """Raise NotFoundError: the fragment is well formed and names nothing here."""
    raise NotFoundError(f"{problem}: the fragment names nothing in it", name)
