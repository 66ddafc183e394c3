"""Entity and DocumentText: a text that is read as needed, and the places of positions in it.

| section | function |
|---|---|
| PDI §3.4.1 the canonical text, without a byte order mark | DocumentText.text |
| PDI §3.4.1 positions count its characters | words, length, line |
| RFC 5147 §2 counting in the entity's charset | Entity |
| RFC 5147 §2.1.2 characters and lines, byte order marks | Entity.place |
| RFC 5147 §4.1 line endings | Entity.line_endings |
| RFC 5147 §4.2 positions beyond the end | Entity.place |

Deviations: none.

Readings:
- A position that is too large is the end of the entity.
- CRLF, LF and CR end a line of a document, whatever the charset; NEL does not.
- Bytes that are no characters are U+FFFD each (per maximal subpart), and `invalid` says so.
"""

from __future__ import annotations

from contextlib import closing
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from permacite import charsets
from permacite.errors import IntegrityError
from permacite.lazy_dataclass import dataclass
from permacite.text.reading import BLOCK_BYTES, BlockReader, DecodedBlock, digest, source_of
from permacite.text.tally import (
    DecodingMark,
    Measure,
    Plan,
    Tally,
    line_endings_in,
    seek,
    splits_ending,
    tally,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Generator, Iterator, Sequence
    from typing import Self

    from permacite.text.index import Index
    from permacite.text.reading import Buffer, ByteSource, Errors
    from permacite.text.tally import LineEndings, Unit

__all__ = ["DocumentText", "Ends", "Entity", "Span", "Survey", "TextPlace", "canonical"]

Ends = tuple[int, int]
"""Start and end of a half-open range; equal where nothing lies between them."""
_MODE: LineEndings = "http"


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
    makes every answer quick; so does `whole`, where they are one block that is decoded already.

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
        whole: DecodedBlock | None = None,
    ) -> None:
        self.source = source_of(source)
        self.charset = charsets.resolve(charset) if isinstance(charset, str) else charset
        self.line_endings = line_endings_in(self.charset, line_endings)
        encoding = _encoding(self.source, self.charset) if whole is None else whole.encoding
        self._use(encoding, errors, index)
        self._survey.whole = whole

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
        return self._survey.end(self._plan())

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
        return self._survey.places(Measure(unit, self.line_endings, self._plan()), positions)

    def span(self, start: int, end: int, unit: Unit = "char") -> Span:
        """Return the part from position `start` up to `end`, both clamped to the entity.

        Raises ValueError if start > end, or start < 0.
        """
        if start > end:
            raise ValueError(f"range runs backwards: {start},{end}")
        plan = self._plan(lines=unit not in {"char", "code_point"})
        measure = Measure(unit, self.line_endings, plan)
        return self.between(*self._survey.places(measure, [start, end]))

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

    def _plan(self, *, lines: bool = True) -> Plan:
        return Plan(lines=lines, nel=self.line_endings == "all")

    def between(self, start: Tally, end: Tally) -> Span:
        """Return the part between two places."""
        mode = self.line_endings
        return Span(
            (start.char(mode), end.char(mode)),
            (start.code_point, end.code_point),
            (start.byte, end.byte),
        )


def _encoding(source: ByteSource, charset: charsets.Charset) -> charsets.Encoding:
    with source.reading() as fetch:
        return charset.encoding(bytes(fetch(0, charsets.LONGEST_MARK)))


class TextPlace(NamedTuple):
    """The counts before a place, and whether it is between the characters of a line ending."""

    tally: Tally
    inside: bool


class Walker:
    """Walks forward through the blocks of an entity, from place to place."""

    def __init__(self, reader: BlockReader, start: DecodingMark, measure: Measure) -> None:
        self.measure = measure
        self.blocks = reader.blocks(start.tally.byte, start.state)
        self.block = next(self.blocks)
        self.before = start.tally
        self.offset = 0
        """Where in the block's text the place of `before` is; never inside a line ending."""

    def place(self, position: int) -> TextPlace:
        """Return the place of a position that is not before the last one asked for."""
        while not (self.block.last or self._ahead(position) < len(self.block.text) - self.offset):
            self.before, self.offset = self._counted(len(self.block.text)), 0
            self.block = next(self.blocks)
        offset = min(self.offset + self._ahead(position), len(self.block.text))
        tallied = self._counted(offset)
        inside = splits_ending(self.block.text, offset, self.measure.mode)
        if not inside:
            self.before, self.offset = tallied, offset
        return TextPlace(tallied, inside)

    def _ahead(self, position: int) -> int:
        """How many code points of the block a position is ahead; more than are left."""
        if self.measure.unit == "code_point":
            return position - self.before.code_point
        if position >= self.block.end:
            return len(self.block.text) - self.offset
        start = self.before.byte - self.block.start
        return len(self.block.data[start : position - self.block.start].decode())

    def _counted(self, offset: int) -> Tally:
        """Return the counts before an offset in the block's text."""
        counts = tally(self.block.text, self.offset, offset, plan=self.measure.plan)
        if self.block.encoding.family == "utf-8" and not self.block.invalid:
            width = len(self.block.text[self.offset : offset].encode())
            return self.before.plus(counts)._replace(byte=self.before.byte + width)
        return self.before.plus(counts)._replace(byte=self.block.byte(offset))


_SMALL_BYTES = 4 * BLOCK_BYTES
"""Less than this is walked through without a sweep."""

_MARGIN_BYTES = 64
"""How much is read beyond a step of the index: checkpoints are a step apart, and some bytes."""


class Survey:
    """Finds places in what `reader` reads.

    `invalid` becomes True when bytes that are no characters were seen on the way to some place.
    """

    def __init__(self, reader: BlockReader, index: Index | None = None) -> None:
        self.reader = reader
        self.whole: DecodedBlock | None = None
        self.index = index
        self.invalid = index is not None and not index.valid
        self._ends: dict[Plan, Tally] = {}
        self._kept: tuple[tuple[DecodingMark, Plan], DecodedBlock, Tally] | None = None
        """The block that was read last, with what led to it and the counts before it."""

    def end(self, plan: Plan) -> Tally:
        """Return the counts of the whole entity."""
        if self.index is not None:
            return self.index.end
        if plan not in self._ends and self.whole is not None:
            self._ends[plan] = _after(self.whole, self._first.tally, plan)
        elif plan not in self._ends:
            for mark in self._sweep(plan):
                self._see(mark, plan)
        return self._ends[plan]

    def places(self, measure: Measure, targets: Sequence[int]) -> list[Tally]:
        """Return the counts before each position; those of the end for positions beyond it.

        Reads the entity once, up to the last of them. Raises ValueError for a negative position.
        """
        wanted = sorted(set(targets))
        if wanted and wanted[0] < 0:
            raise ValueError("a position is not negative")
        tallies: dict[int, Tally] = {}
        with closing(self._approaches(measure, wanted)) as approaches:
            for target, (start, more) in zip(wanted, approaches, strict=True):
                tallies[target] = self._walk(measure, target, start) if more else start.tally
        return [tallies[target] for target in targets]

    def each(
        self, unit: Literal["code_point", "byte"], positions: Sequence[int], mode: LineEndings
    ) -> Iterator[TextPlace]:
        """Yield the place of each of many positions, in order; none must lie beyond the end.

        Code points and bytes may lie inside a line ending, which no other unit can say.
        """
        measure = Measure(unit, mode, Plan(lines=False, nel=mode == "all"))
        with closing(self._approaches(measure, positions)) as approaches:
            walker: Walker | None = None
            for position, (start, more) in zip(positions, approaches, strict=True):
                if not more:
                    yield TextPlace(start.tally, inside=False)
                    continue
                if walker is None or walker.block.end < start.tally.byte:
                    walker = Walker(self.reader, start, measure)
                yield walker.place(position)
                self.invalid = self.invalid or walker.block.invalid

    def blocks_from(self, code_point: int, byte: int) -> Iterator[tuple[DecodedBlock, int]]:
        """Yield blocks, from one at or before a place on, each with the code points before it."""
        start = DecodingMark(Tally(byte, code_point))
        if self.reader.encoding.family == "other":
            measure = Measure("code_point", "mime", Plan(lines=False, nel=False))
            with closing(self._approaches(measure, [code_point])) as approaches:
                start, _ = next(approaches)
        before = start.tally.code_point
        for block in self.reader.blocks(start.tally.byte, start.state):
            yield block, before
            before += len(block.text)

    @property
    def _first(self) -> DecodingMark:
        return DecodingMark(Tally(self.reader.encoding.mark_bytes))

    def _approaches(
        self, measure: Measure, targets: Sequence[int]
    ) -> Generator[tuple[DecodingMark, bool], None, None]:
        """Yield, for each target, a mark not after it, and whether there is more after the mark."""
        if self.index is not None:
            for target in targets:
                yield self.index.around(measure, target)
        elif self.reader.source.size <= _SMALL_BYTES:
            yield from ((self._first, True) for _ in targets)
        else:
            with closing(self._sweep(measure.plan)) as marks:
                yield from self._swept(measure, targets, marks)

    def _sweep(self, plan: Plan) -> Generator[DecodingMark, None, None]:
        from permacite.text.sweep import sweep

        return sweep(self.reader, plan, self._first)

    def _swept(
        self, measure: Measure, targets: Sequence[int], marks: Iterator[DecodingMark]
    ) -> Iterator[tuple[DecodingMark, bool]]:
        start, ahead = self._first, next(marks, None)
        for target in targets:
            while ahead is not None and not measure.passes(ahead.tally, target):
                self._see(ahead, measure.plan)
                start, ahead = ahead, next(marks, None)
            yield start, ahead is not None

    def _see(self, mark: DecodingMark, plan: Plan) -> None:
        self.invalid = self.invalid or mark.invalid
        if mark.tally.byte == self.reader.source.size:
            self._ends[plan] = mark.tally

    def _walk(self, measure: Measure, target: int, start: DecodingMark) -> Tally:
        """Read from `start` up to the block that holds the place, and find it there."""
        unit, mode, plan = measure
        for block, before in self._from(start, plan):
            offset = seek(block.text, unit, target - before.position(unit, mode), mode)
            if offset < len(block.text) or block.last:
                break
        return before.plus(tally(block.text, 0, offset, plan=plan))._replace(
            byte=block.byte(offset)
        )

    def _from(self, start: DecodingMark, plan: Plan) -> Iterator[tuple[DecodedBlock, Tally]]:
        """Yield the blocks from `start` on, with the counts before each; the last read is kept."""
        if self.whole is not None:
            yield self.whole, start.tally
            return
        if self._kept is not None and self._kept[0] == (start, plan):
            _, block, before = self._kept
            yield block, before
            start = DecodingMark(_after(block, before, plan), block.after)
        before = start.tally
        size = BLOCK_BYTES if self.index is None else self.index.step_bytes + _MARGIN_BYTES
        for block in self.reader.blocks(before.byte, start.state, size=size):
            self.invalid = self.invalid or block.invalid
            self._kept = (DecodingMark(before, block.state), plan), block, before
            yield block, before
            before = _after(block, before, plan)


def _after(block: DecodedBlock, before: Tally, plan: Plan) -> Tally:
    return before.plus(tally(block.text, plan=plan))._replace(byte=block.end)


class DocumentText:
    """The text of a document, as it is cited, shown, searched and proven.

    With an `index` of the same octets, only what is asked for is read. Raises IntegrityError for an
    index of an entity of another size, ValueError for one of another charset.
    """

    def __init__(
        self,
        source: Buffer | os.PathLike[str] | ByteSource,
        charset: charsets.Charset,
        index: Index | None = None,
    ) -> None:
        self.source = source_of(source)
        self.charset = charset
        """What the octets are decoded by."""
        self.index = index
        if index is not None:
            self.entity = Entity(self.source, charset, _MODE, index=index)
        self.encoding = _encoding(self.source, charset) if index is None else self.entity.encoding

    @cached_property
    def entity(self) -> Entity:
        """The places in it."""
        return Entity(self.source, self.charset, _MODE, whole=self.whole)

    @cached_property
    def stored(self) -> str:
        """All characters, line ends as they are stored."""
        with self.source.whole() as data:
            return self.encoding.decode(bytes(data[self.encoding.mark_bytes :]))

    @cached_property
    def whole(self) -> DecodedBlock | None:
        """A small text as one block, None for others; so its entity need not decode it again."""
        is_small = self.index is None and self.source.size <= BLOCK_BYTES
        if not is_small or "\ufffd" in self.stored:  # bytes that are no characters, perhaps
            return None
        start = self.encoding.mark_bytes
        octets = self.octets(start, self.source.size)
        return DecodedBlock(self.encoding, start, octets, self.stored)

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
        return (
            self.stored[slice(*span.code_point)] if self.index is None else self.entity.slice(span)
        )

    def octets(self, start: int, end: int) -> bytes:
        """Return the octets from `start` up to `end`."""
        with self.source.reading() as fetch:
            return bytes(fetch(start, end))

    def octets_between(self, start: int, end: int) -> Ends | None:
        """The octets of a part of a small text, as `extract` counts them; None: they are counted.

        A line end that is stored as one character is in them, however much of it is in the part.
        """
        block = self.whole
        if block is None or ("\r" in block.text and len(self.text) > len(block.text)):
            return None
        text = self.text
        if len(text) > len(block.text):  # each line end is one character
            start -= text.count("\r\n", 0, start) + (text[start - 1 : start + 1] == "\r\n")
            end -= text.count("\r\n", 0, end)
        return block.byte(start), block.byte(end)

    def offset(self, octet: int) -> int:
        """How many characters of the stored text stand before an octet."""
        start = self.encoding.mark_bytes
        return len(self.encoding.decode(self.octets(start, max(start, octet))))


def canonical(text: str) -> str:
    """Return a text with every line end as CRLF (PDI §3.4.1)."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\n", "\r\n")
