"""Entity: a text that is read as needed, with its charset, line endings and positions.

| section | function |
|---|---|
| RFC 5147 §2 counting in the entity's charset | Entity |
| RFC 5147 §2.1.2 characters and lines, byte order marks | Entity.place |
| RFC 5147 §4.1 line endings | Entity.line_endings |
| RFC 5147 §4.2 positions beyond the end | Entity.place |

Deviations: none.

Readings:
- A position that is too large is the end of the entity.
- Bytes that are no characters are U+FFFD each (per maximal subpart), and `invalid` says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite import charsets
from permacite.errors import IntegrityError
from permacite.lazy_dataclass import dataclass
from permacite.text.reading import BlockReader
from permacite.text.source import digest, source_of
from permacite.text.survey import Survey
from permacite.text.tally import Measure, Plan, line_endings_in

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from typing import Self

    from permacite.text.index import Index
    from permacite.text.reading import Errors
    from permacite.text.source import Buffer, ByteSource
    from permacite.text.tally import Tally, Unit

__all__ = ["Ends", "Entity", "Span"]

Ends = tuple[int, int]
"""Start and end of a half-open range; equal where nothing lies between them."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the entity, counted three ways: each a half-open (start, end).

    `char` counts a line ending as one (RFC 5147), `code_point` and `byte` as what is stored. Only
    `byte` counts a byte order mark.
    """

    char: Ends
    code_point: Ends
    byte: Ends


class Entity:
    """Bytes that stand for characters, and the places in them.

    `source` is bytes, a mapped file, the path of a file, or a Source. `charset` is the declared one
    (RFC 2046: US-ASCII where none is). `line_endings` is "http" (CRLF, LF and CR, mixed), "mime"
    (CRLF alone), "all" (NEL and CR NEL besides) or "lf" (CRLF and LF); None is "all" for EBCDIC
    charsets and "http" for others. `errors` is "replace" or "strict". An `index` of the same bytes
    makes every answer quick.

    Raises ParseError for a charset that cannot be decoded, and, where `errors` is "strict",
    whenever bytes are read that are no characters. Raises IntegrityError for an index of an entity
    of another size, ValueError for one of another charset, or without NEL where that ends lines.
    """

    def __init__(
        self,
        source: Buffer | os.PathLike[str] | ByteSource,
        charset: str | charsets.Charset = "us-ascii",
        line_endings: str | None = None,
        *,
        errors: Errors = "replace",
        index: Index | None = None,
    ) -> None:
        self.source = source_of(source)
        self.charset = charsets.resolve(charset) if isinstance(charset, str) else charset
        self.line_endings = line_endings_in(self.charset, line_endings)
        with self.source.reading() as fetch:
            head = bytes(fetch(0, charsets.LONGEST_MARK))
        self._use(self.charset.encoding(head), errors, index)

    def _use(self, encoding: charsets.Encoding, errors: Errors, index: Index | None) -> None:
        """Set up what finds places. Raises as the constructor does."""
        if index is not None and index.size_bytes != self.source.size:
            raise IntegrityError(
                "the index is of another entity",
                expected=f"{index.size_bytes} bytes",
                actual=f"{self.source.size} bytes",
            )
        same = index is None or charsets.same(index.charset, self.charset.label)
        if not same or (index is not None and self.line_endings == "all" and not index.with_nel):
            raise ValueError("the index is of another charset or of other line endings")
        self.encoding = encoding
        self._survey = Survey(BlockReader(self.source, encoding, errors), index)
        self._md5 = None if index is None else index.md5

    @classmethod
    def of(cls, text: str, line_endings: str | None = None) -> Self:
        """Return an entity of decoded text, whose first character is never a byte order mark.

        Its bytes are UTF-8; a lone surrogate, which has none, counts as the "?" that replaces it.
        """
        entity = cls(text.encode("utf-8", "replace"), "utf-8", line_endings)
        entity._use(charsets.Encoding("utf-8", 0, "utf-8"), "strict", None)
        return entity

    @property
    def length(self) -> int:
        """How many characters there are (RFC 5147 §3.1), a line ending being one."""
        return self._survey.end(self._plan(lines=False)).char(self.line_endings)

    @property
    def end(self) -> Tally:
        """The counts of the whole entity."""
        return self._survey.end(self._plan(lines=True))

    @property
    def md5(self) -> str:
        """The MD5 fingerprint of the bytes (RFC 5147 §3.1), 32 hexadecimal digits."""
        if self._md5 is None:
            self._md5 = digest(self.source, "md5")
        return self._md5

    @property
    def reader(self) -> BlockReader:
        """What reads the entity block by block, decoded."""
        return self._survey.reader

    def place(self, unit: Unit, position: int) -> Tally:
        """Return the counts before a position in `unit`s; the end of the entity if too large."""
        return self.places(unit, [position])[0]

    def places(self, unit: Unit, positions: Sequence[int]) -> list[Tally]:
        """Return the counts before each position, reading the entity once, as far as needed.

        Raises ValueError for a negative position.
        """
        return self._places(unit, positions, lines=True)

    def span(self, start: int, end: int, unit: Unit = "char") -> Span:
        """Return the part from position `start` up to `end`, both clamped to the entity.

        Raises ValueError if start > end, or start < 0.
        """
        if start > end:
            raise ValueError(f"range runs backwards: {start},{end}")
        return self.between(*self._places(unit, [start, end]))

    def slice(self, span: Span) -> str:
        """Return the decoded text of a span of this entity, its line endings as they are."""
        start, end = span.code_point
        pieces = []
        for block, before in self._survey.blocks_from(start, span.byte[0]):
            low, high = start - before, end - before
            if high <= 0:
                break
            pieces.append(block.text[max(0, low) : high])
        return "".join(pieces)

    def _plan(self, *, lines: bool) -> Plan:
        return Plan(lines=lines, nel=self.line_endings == "all")

    def _places(self, unit: Unit, positions: Sequence[int], *, lines: bool = False) -> list[Tally]:
        """Return the counts; those of line endings only if `lines`, or if `unit` needs them."""
        if min(positions) < 0:
            raise ValueError("a position is not negative")
        plan = self._plan(lines=lines or unit not in {"char", "code_point"})
        return self._survey.places(Measure(unit, self.line_endings, plan), positions)

    def between(self, start: Tally, end: Tally) -> Span:
        """Return the part between two places."""
        mode = self.line_endings
        return Span(
            (start.char(mode), end.char(mode)),
            (start.code_point, end.code_point),
            (start.byte, end.byte),
        )
