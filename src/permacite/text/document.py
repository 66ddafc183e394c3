"""DocumentText: the text of a document, decoded in one way, whole or in part.

| section | function |
|---|---|
| PDI §3.4.1 the canonical text, without a byte order mark | DocumentText.text |
| PDI §3.4.1 positions count its characters | words, length, line |

Deviations: none.
Readings: CRLF, LF and CR end a line, whatever the charset; NEL does not.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from permacite.text.entity import Entity

if TYPE_CHECKING:
    import os

    from permacite.charsets import Charset
    from permacite.text.entity import Span
    from permacite.text.index import Index
    from permacite.text.source import Buffer, ByteSource
    from permacite.text.tally import LineEndings

__all__ = ["DocumentText", "canonical"]

_MODE: LineEndings = "http"


class DocumentText:
    """The text of a document, as it is cited, shown, searched and proven.

    With an `index` of the same octets, only what is asked for is read. Raises IntegrityError for an
    index of an entity of another size, ValueError for one of another charset.
    """

    def __init__(
        self,
        source: Buffer | os.PathLike[str] | ByteSource,
        charset: Charset,
        index: Index | None = None,
    ) -> None:
        self.entity = Entity(source, charset, _MODE, index=index)
        self.index = index

    @property
    def charset(self) -> Charset:
        """What the octets are decoded by."""
        return self.entity.charset

    @cached_property
    def stored(self) -> str:
        """All characters, line ends as they are stored."""
        encoding = self.entity.encoding
        with self.entity.source.whole() as data:
            return encoding.decode(bytes(data[encoding.mark_bytes :]))

    @cached_property
    def text(self) -> str:
        """All of the canonical text."""
        return canonical(self.stored)

    @property
    def length(self) -> int:
        """How many characters the canonical text has."""
        return len(self.text) if self.index is None else self.entity.end.pdi(_MODE)

    def words(self, start: int, end: int) -> str:
        """Return the canonical text from position `start` up to `end`, as far as there is any."""
        if self.index is None:
            return self.text[start:end]
        first, last = self.entity.places("pdi", [start, end])
        # A place inside a line end stands before it: one more character takes the line end in.
        stop = self.entity.place("char", last.char(_MODE) + (last.pdi(_MODE) < end))
        lead = start - first.pdi(_MODE)
        return canonical(self.slice(self.entity.between(first, stop)))[lead : lead + end - start]

    def line(self, position: int) -> int:
        """Return the number of the line that a position is in, counted from 0."""
        if self.index is None:
            return self.text.count("\r\n", 0, position)
        return self.entity.place("pdi", position).line(_MODE)

    def slice(self, span: Span) -> str:
        """Return the characters of a span, line ends as they are stored."""
        if self.index is None:
            return self.stored[slice(*span.code_point)]
        return self.entity.slice(span)

    def octets(self, start: int, end: int) -> bytes:
        """Return the octets from `start` up to `end`."""
        with self.entity.source.reading() as fetch:
            return bytes(fetch(start, end))

    def offset(self, octet: int) -> int:
        """How many characters of the stored text stand before an octet."""
        encoding = self.entity.encoding
        before = self.octets(encoding.mark_bytes, max(encoding.mark_bytes, octet))
        return len(encoding.decode(before))


def canonical(text: str) -> str:
    """Return a text with every line end as CRLF (PDI §3.4.1)."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\n", "\r\n")
