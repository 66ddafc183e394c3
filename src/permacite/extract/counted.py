"""Cut characters and lines out of a text that need not be read as a whole (PDI §3.4.1).

The answers are those of `text.characters` and `text.lines`; places are found by the text's index,
where it has one, and only what lies around them is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.errors import ParseError
from permacite.extract.excerpt import Excerpt, digest_of, extent
from permacite.fragments import Span
from permacite.pdi import LINE, SCHEMES, FragmentPDI, parse_specifier
from permacite.scan import compile_pattern
from permacite.text.reading import Reader

if TYPE_CHECKING:
    from permacite.fragments import Text
    from permacite.text.tally import Tally

__all__ = ["extract_from"]

_LINE_END = compile_pattern(r"\r\n?|\n")
_SCHEMES = SCHEMES.extended(LINE)
_FEWEST_BYTES = 1 << 10
"""What is read at a time at least: a decoder may want to see some more."""


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


def extract_from(text: Text, media_type: str, fragment: str | FragmentPDI) -> Excerpt:
    """Return the characters or lines of `text` that `fragment` names, as `extract` does.

    `media_type` without parameters; the line endings of `text` are those of "http". Raises
    ParseError for a fragment of another scheme too, NotFoundError for one outside the text.
    """
    written = fragment.specifier if isinstance(fragment, FragmentPDI) else fragment
    found = parse_specifier(written.removeprefix("#"), media_type, _SCHEMES)
    if found.scheme not in {"char", "line"}:
        raise ParseError("expected characters or lines", written, 0, "PDI §3.4.1")
    start, end = (int(position) for position in found.positions)
    cut = _characters if found.scheme == "char" else _lines
    return cut(text, media_type, start, end)


def _characters(text: Text, media_type: str, start: int, end: int) -> Excerpt:
    """Return the characters of the canonical text from `start` up to `end`."""
    found = extent(start, end, text.end.pdi("http"), "characters")
    first, last = _edges(text, found.start, found.end)
    canonical = _canonical(text, first.before, last.after)[first.inside :]
    part = canonical[: found.end - found.start]
    # A line end that is stored as one character is in the bytes, however much is in the text.
    begin = _within(text, first) if first.stored else first.before.byte
    stop = _within(text, last) if last.stored else last.after.byte
    return _excerpt(text, media_type, part, (begin, stop), clipped=found.clipped)


def _edges(text: Text, start: int, end: int) -> list[_Edge]:
    """Return where canonical positions are."""
    edges = []
    positions = (start, end)
    for position, before in zip(positions, text.places("pdi", positions), strict=True):
        inside = position - before.pdi("http")
        after = text.place("char", before.char("http") + 1) if inside else before
        edges.append(_Edge(before, after, inside))
    return edges


def _within(text: Text, edge: _Edge) -> int:
    """Return the byte between the two characters of a stored CRLF."""
    place = edge.before.code_point + 1
    return text.span(place, place, "code_point").byte[0]


def _lines(text: Text, media_type: str, start: int, end: int) -> Excerpt:
    """Return the lines from `start` up to `end`, their line ends included.

    What follows the last line end is a line, if it is anything; an empty text has one line.
    """
    ends = text.end.line("http")
    tail = text.place("line", ends)
    size = ends if ends and tail.code_point == text.end.code_point else ends + 1
    found = extent(start, end, size, "lines")
    first, last = text.places("line", [found.start, found.end])
    if found.end == size:
        last = text.end
    if found.start == size:
        first = text.end
    part = _canonical(text, first, last)
    return _excerpt(text, media_type, part, (first.byte, last.byte), clipped=found.clipped)


def _canonical(text: Text, start: Tally, end: Tally) -> str:
    """Return what is between two places outside of line ends, its line ends as CRLF."""
    span = Span(
        (start.char("http"), end.char("http")),
        (start.code_point, end.code_point),
        (start.byte, end.byte),
    )
    return _LINE_END.sub("\r\n", text.slice(span))


def _excerpt(
    text: Text, media_type: str, part: str, place: tuple[int, int], *, clipped: bool
) -> Excerpt:
    data = _octets(text, *place)
    return Excerpt(data, media_type, part, place, clipped, digest_of("utf-8", part.encode()))


def _octets(text: Text, start: int, end: int) -> bytes:
    """Return the bytes from `start` up to `end`; both are between characters."""
    pieces: list[bytes] = []
    if start < end:
        reader = Reader(text.source, text.encoding, "replace")
        for block in reader.blocks(start, size=max(end - start, _FEWEST_BYTES)):
            pieces.append(block.data[: end - block.start])
            if block.end >= end:
                break
    return b"".join(pieces)
