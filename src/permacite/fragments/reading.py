"""Reading an entity block by block, as decoded text, in constant memory.

A block never ends inside a character, nor between CR and what may follow it in one line ending:
so the counts of blocks add up, and each block can be searched by itself.

| section | function |
|---|---|
| Unicode §3.9 U+FFFD per maximal subpart | Block.text (as Python's decoders do) |

Deviations: none.
Readings: None.
"""

from __future__ import annotations

import codecs
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from permacite.errors import LimitError, ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.fragments.charsets import Encoding
    from permacite.fragments.source import Source

__all__ = ["BLOCK_BYTES", "Block", "Reader", "State"]

BLOCK_BYTES = 1 << 16
"""How much is decoded at a time."""

_LONGEST_BLOCK_BYTES = 1 << 24
"""A decoder that asks for more than this before it gives a character is refused."""

Errors = Literal["strict", "replace"]
State = int
"""What a decoder remembers between two characters (ISO-2022's shifts); 0 for most charsets."""


class _Piece(NamedTuple):
    """Some decoded bytes: the text, how many bytes it took, and the decoder's state after them."""

    text: str
    used: int
    after: State
    invalid: bool


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the entity: its bytes, which begin at `start`, and the text they stand for.

    `state` is the decoder's before the block, `invalid` whether some bytes are no characters.
    """

    encoding: Encoding
    start: int
    data: bytes
    text: str
    state: State
    after: State
    invalid: bool
    last: bool

    @property
    def end(self) -> int:
        """Where the next block begins, in bytes."""
        return self.start + len(self.data)

    def byte(self, offset: int) -> int:
        """Return where in the entity the code point at `offset` of the text begins, in bytes."""
        if offset == len(self.text):
            return self.end
        if self.encoding.family == "single":
            return self.start + offset
        if self.encoding.family != "other" and not self.invalid:
            return self.start + len(self.text[:offset].encode(self.encoding.codec))
        return self.start + _bytes_of(self, offset)


class Reader:
    """Reads the blocks of one entity. `errors` says what becomes of undecodable bytes."""

    __slots__ = ("encoding", "errors", "source")

    def __init__(self, source: Source, encoding: Encoding, errors: Errors) -> None:
        self.source = source
        self.encoding = encoding
        self.errors = errors

    def blocks(
        self, start: int | None = None, state: State = 0, *, size: int = BLOCK_BYTES
    ) -> Iterator[Block]:
        """Yield the blocks from byte `start` on; the last one, perhaps empty, has `last` set.

        Raises ParseError for bytes that are no characters, where `errors` is "strict".
        """
        place = self.encoding.mark_bytes if start is None else start
        while True:
            block = self._block(place, state, size)
            yield block
            if block.last:
                return
            place, state = block.end, block.after

    def _block(self, start: int, state: State, size: int) -> Block:
        """Read and decode one block; a longer one where the decoder needs to see more."""
        while size <= _LONGEST_BLOCK_BYTES:
            data = self.source.read(start, start + size)
            last = start + len(data) >= self.source.size
            piece = self._decoded(data, start, state, last=last)
            if piece.text.endswith("\r") and not last:
                piece = self._without_last(data, start, state, piece)
            if piece.used or last:
                return Block(
                    self.encoding,
                    start,
                    data[: piece.used],
                    piece.text,
                    state,
                    piece.after,
                    piece.invalid,
                    last,
                )
            size *= 2
        raise LimitError(
            "the decoder sees no end of a character", limit="block", maximum=_LONGEST_BLOCK_BYTES
        )

    def _without_last(self, data: bytes, start: int, state: State, piece: _Piece) -> _Piece:
        """Leave the last character, a CR, to the next block: what follows may belong to it."""
        shorter, used = piece, piece.used
        while len(shorter.text) == len(piece.text):
            used -= 1
            shorter = self._decoded(data[:used], start, state, last=False)
        return shorter

    def _decoded(self, data: bytes, start: int, state: State, *, last: bool) -> _Piece:
        """Decode from `state`; bytes that are no characters become U+FFFD, or are refused."""
        try:
            return self._decoded_as("strict", data, state, last=last)
        except UnicodeDecodeError as error:
            if self.errors == "strict":
                raise _refused(self.encoding, data, start, error) from None
            return self._decoded_as("replace", data, state, last=last)._replace(invalid=True)

    def _decoded_as(self, errors: Errors, data: bytes, state: State, *, last: bool) -> _Piece:
        decoder = codecs.getincrementaldecoder(self.encoding.codec)(errors)
        decoder.setstate((b"", state))
        text = decoder.decode(data, last)
        pending, after = decoder.getstate()
        return _Piece(text, len(data) - len(pending), after, invalid=False)


def _refused(encoding: Encoding, data: bytes, start: int, error: UnicodeDecodeError) -> ParseError:
    """Say which byte is no character, and show what stands around it."""
    problem = f"byte {start + error.start} is no {encoding.codec}"
    before = data[max(0, error.start - _SHOWN_BYTES) : error.start].decode("latin-1")
    after = data[error.start : error.start + _SHOWN_BYTES].decode("latin-1")
    return ParseError(problem, before + after, len(before), "RFC 5147 §2")


_SHOWN_BYTES = 30

_STRIDE_BYTES = 256

_replaced = threading.local()
"""`ends`: for each U+FFFD of this thread's decoder, how many bytes of its input lie after it."""


def _record(error: UnicodeError) -> tuple[str, int]:
    """Put U+FFFD for bytes that are no characters, and remember where they end."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    _replaced.ends.append(len(error.object) - error.end)
    return "\ufffd", error.end


codecs.register_error("permacite.record", _record)


def _bytes_of(block: Block, offset: int) -> int:
    """Return how many bytes of the block the first `offset` code points take.

    Decodes in strides up to the one with that place, then that one byte by byte. Where a sequence
    of bytes stands for several code points, the places between them are at its end.
    """
    decoder = codecs.getincrementaldecoder(block.encoding.codec)("permacite.record")
    decoder.setstate((b"", block.state))
    done, count = 0, 0
    while True:
        before = decoder.getstate()
        _replaced.ends = []
        text = decoder.decode(block.data[done : done + _STRIDE_BYTES])
        if count + len(text) >= offset or done + _STRIDE_BYTES >= len(block.data):
            decoder.setstate(before)
            return _bytewise(decoder, block, done, offset - count)
        done, count = done + _STRIDE_BYTES, count + len(text)


def _bytewise(decoder: codecs.IncrementalDecoder, block: Block, done: int, wanted: int) -> int:
    """Return the end, in bytes of the block, of the `wanted`th code point after byte `done`."""
    if wanted == 0:
        return done - len(decoder.getstate()[0])
    count = 0
    for place in range(done, len(block.data)):
        _replaced.ends = []
        text = decoder.decode(block.data[place : place + 1], place + 1 == len(block.data))
        if count + len(text) >= wanted:
            # The replaced bytes come first: what is left of this step ends with this byte.
            ends: list[int] = [place + 1 - rest for rest in _replaced.ends]
            return (ends + [place + 1] * len(text))[wanted - count - 1]
        count += len(text)
    return len(block.data)
