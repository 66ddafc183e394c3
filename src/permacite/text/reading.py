"""Byte sources of an entity, and its decoded text block by block, in constant memory.

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
import hashlib
import mmap
import os
import threading
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, runtime_checkable

from permacite.errors import LimitError, NotFoundError, ParseError, StorageError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import TypeAlias

    from permacite.charsets import Decoder, Encoding

__all__ = [
    "BLOCK_BYTES",
    "BlockReader",
    "Buffer",
    "ByteSource",
    "DecodedBlock",
    "Fetch",
    "FileSource",
    "Fill",
    "MemorySource",
    "State",
    "digest",
    "filling",
    "source_of",
]

BLOCK_BYTES = 1 << 15
"""How much is decoded at a time: little enough that the allocator keeps the memory at hand."""

_LONGEST_BLOCK_BYTES = 1 << 24
"""A decoder that asks for more than this before it gives a character is refused."""

_SHIFTING = ("iso-2022", "iso2022", "hz")
"""Codecs whose bytes may stand for no character, but for how to read those that follow."""

_WHOLE = "utf-7"
"""A codec that cannot be left and entered again: its entities are one block."""

Errors = Literal["strict", "replace"]
State: TypeAlias = "int | None"
"""What a decoder remembers between two characters (ISO-2022's shifts); None for nothing yet."""
Buffer: TypeAlias = "bytes | bytearray | memoryview | mmap.mmap"
Fetch: TypeAlias = "Callable[[int, int], memoryview]"
"""Gives the bytes from a start up to an end, fewer where the source ends sooner.

They stay as they are until the next call.
"""
Fill: TypeAlias = "Callable[[int, memoryview], int]"
"""Puts the bytes from a start on into a buffer; gives how many, fewer where the source ends."""


class _DecodedPiece(NamedTuple):
    """Some decoded bytes: the text, how many bytes it took, and the decoder's state after them."""

    text: str
    used: int
    after: State
    invalid: bool


@dataclass(frozen=True, slots=True)
class DecodedBlock:
    """A piece of the entity: its bytes, which begin at `start`, and the text they stand for.

    `state` is the decoder's before the block, `invalid` whether some bytes are no characters.
    """

    encoding: Encoding
    start: int
    data: bytes
    text: str
    state: State = None
    after: State = None
    invalid: bool = False
    last: bool = True
    ahead: bytes = b""
    """Some bytes that follow: a decoder may have seen them before it knew what these ones are."""

    @property
    def end(self) -> int:
        """Where the next block begins, in bytes."""
        return self.start + len(self.data)

    def byte(self, offset: int) -> int:
        """Where in the entity the code point at `offset` of the text begins, in bytes."""
        if offset == len(self.text):
            return self.end
        if self.encoding.family == "single":
            return self.start + offset
        if self.encoding.family != "other" and not self.invalid:
            # Encode whichever side is shorter.
            if 2 * offset > len(self.text):
                return self.end - len(self.text[offset:].encode(self.encoding.codec))
            return self.start + len(self.text[:offset].encode(self.encoding.codec))
        return self.start + _bytes_of(self, offset)


class BlockReader:
    """Reads the blocks of one entity. `errors` says what becomes of undecodable bytes."""

    __slots__ = ("encoding", "errors", "source")

    def __init__(self, source: ByteSource, encoding: Encoding, errors: Errors) -> None:
        self.source = source
        self.encoding = encoding
        self.errors = errors

    def blocks(
        self, start: int | None = None, state: State = None, *, size: int = BLOCK_BYTES
    ) -> Iterator[DecodedBlock]:
        """Yield the blocks from byte `start` on; the last one, perhaps empty, has `last` set.

        Raises ParseError for bytes that are no characters, where `errors` is "strict".
        """
        place = self.encoding.mark_bytes if start is None else start
        with self.source.reading() as fetch:
            while True:
                block = self._block(fetch, place, state, size)
                yield block
                if block.last:
                    return
                place, state = block.end, block.after

    def decoded(self, data: bytes, start: int) -> str:
        """Return the text of bytes that begin and end between characters, and begin at `start`.

        Raises ParseError as `blocks` does.
        """
        piece = self._decoded(data, start, None, last=True)
        return "" if piece is None else piece.text

    def _block(self, fetch: Fetch, start: int, state: State, size: int) -> DecodedBlock:
        """Read and decode one block; a longer one where the decoder needs to see more."""
        size = max(size, self.source.size) if self.encoding.codec == _WHOLE else size
        while size <= _LONGEST_BLOCK_BYTES:
            data = bytes(fetch(start, start + size))
            last = start + len(data) >= self.source.size
            piece = self._decoded(data, start, state, last=last) or _NOTHING
            if not last:
                piece = self._trimmed(data, start, state, piece)
            if piece.used or last:
                return DecodedBlock(
                    self.encoding,
                    start,
                    data[: piece.used],
                    piece.text,
                    state,
                    piece.after,
                    piece.invalid,
                    last,
                    data[piece.used : piece.used + _AHEAD_BYTES],
                )
            size *= 2
        raise LimitError(
            "the decoder sees no end of a character", limit="block", maximum=_LONGEST_BLOCK_BYTES
        )

    def _trimmed(
        self, data: bytes, start: int, state: State, piece: _DecodedPiece
    ) -> _DecodedPiece:
        """Leave to the next block a CR that may be half a line ending, and a shift at the end."""
        if piece.text.endswith("\r"):
            piece = self._without_last(data, start, state, piece)
        if not self.encoding.codec.startswith(_SHIFTING):
            return piece
        if not piece.text:
            return _NOTHING
        # The fewest bytes that give as many characters, by halves.
        low, high = 0, piece.used
        while high - low > 1:
            middle = (low + high) // 2
            shorter = self._decoded(data[:middle], start, state, last=False)
            if shorter is None or len(shorter.text) < len(piece.text):
                low = middle
            else:
                piece, high = shorter, middle
        return piece

    def _without_last(
        self, data: bytes, start: int, state: State, piece: _DecodedPiece
    ) -> _DecodedPiece:
        """Decode fewer bytes, so that what is left begins before the last character."""
        fewer = 1
        while fewer < piece.used:
            shorter = self._decoded(data[: piece.used - fewer], start, state, last=False)
            if shorter is not None and len(shorter.text) < len(piece.text):
                around = piece.text[len(shorter.text) - 1 :][:2] if shorter.text else ""
                if around not in {"\r\n", "\r\x85"}:
                    return shorter
            fewer *= 2
        return _NOTHING

    def _decoded(
        self, data: bytes, start: int, state: State, *, last: bool
    ) -> _DecodedPiece | None:
        """Decode from `state`; bytes that are no characters become U+FFFD, or are refused.

        None where the decoder cannot tell without seeing more.
        """
        decoder, invalid = _decoder(self.encoding, "strict", state), False
        try:
            text = _fed(decoder, data, last=last)
        except UnicodeDecodeError as error:
            if self.errors == "strict":
                raise _refused(self.encoding, data, start, error) from None
            decoder, invalid = _decoder(self.encoding, "replace", state), True
            text = _fed(decoder, data, last=last)
        if text is None:
            return None
        pending, after = decoder.getstate()
        settled = None if after == _fresh(self.encoding) else after
        return _DecodedPiece(text, len(data) - len(pending), settled, invalid)


_NOTHING = _DecodedPiece("", 0, None, invalid=False)


def _fed(decoder: Decoder, data: bytes, *, last: bool) -> str | None:
    """Decode, or return None, unmoved, where more bytes are pending than the decoder can hold."""
    before = decoder.getstate()
    try:
        return decoder.decode(data, final=last)
    except UnicodeDecodeError:
        raise
    except UnicodeError:
        decoder.setstate(before)
        return None


def _decoder(encoding: Encoding, errors: str, state: State) -> Decoder:
    """Return a decoder that goes on from `state`, which another of the same kind was in."""
    decoder = encoding.decoder(errors)
    if state is not None:
        decoder.setstate((b"", state))
    return decoder


@lru_cache(maxsize=64)
def _fresh(encoding: Encoding) -> int:
    """Return the state of a decoder that has seen nothing; not 0 for all charsets."""
    return encoding.decoder("strict").getstate()[1]


def _refused(encoding: Encoding, data: bytes, start: int, error: UnicodeDecodeError) -> ParseError:
    """Say which byte is no character, and show what stands around it."""
    problem = f"byte {start + error.start} is no {encoding.codec}"
    before = data[max(0, error.start - _SHOWN_BYTES) : error.start].decode("latin-1")
    after = data[error.start : error.start + _SHOWN_BYTES].decode("latin-1")
    return ParseError(problem, before + after, len(before), "RFC 5147 §2")


_SHOWN_BYTES = 30

_STRIDE_BYTES = 256
_AHEAD_BYTES = 32

_replaced = threading.local()
"""`ends`: for each U+FFFD of this thread's decoder, how many bytes of its input are after it."""


def _record(error: UnicodeError) -> tuple[str, int]:
    """Put U+FFFD for bytes that are no characters, and remember where they end."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    _replaced.ends.append(len(error.object) - error.end)
    return "\ufffd", error.end


codecs.register_error("permacite.record", _record)


def _bytes_of(block: DecodedBlock, offset: int) -> int:
    """How many bytes of the block the first `offset` code points take.

    Decodes in strides up to the one with that place, then that one byte by byte. Where a sequence
    of bytes stands for several code points, the places between them are at its end.
    """
    decoder = _decoder(block.encoding, "permacite.record", block.state)
    data = block.data + block.ahead
    done, count, stride = 0, 0, _STRIDE_BYTES
    while done + stride < len(block.data):
        before = decoder.getstate()
        _replaced.ends = []
        text = _fed(decoder, data[done : done + stride], last=False)
        if text is None:
            stride += _STRIDE_BYTES
            continue
        if count + len(text) >= offset:
            decoder.setstate(before)
            break
        done, count, stride = done + stride, count + len(text), _STRIDE_BYTES
    return _bytewise(decoder, data, done, offset - count, last=block.last)


def _bytewise(decoder: Decoder, data: bytes, done: int, wanted: int, *, last: bool) -> int:
    """Return the end, in bytes of the block, of the `wanted`th code point after byte `done`."""
    if wanted == 0:
        return done - len(decoder.getstate()[0])
    end = done
    while end < len(data):
        end += 1
        state = decoder.getstate()[1]
        _replaced.ends = []
        text = _fed(decoder, data[done:end], last=last and end == len(data))
        if text is None:
            continue
        if _replaced.ends:
            # What follows the bytes that were no character was read again with them: once more.
            text, end = "\ufffd", end - _replaced.ends[0]
            decoder.setstate((b"", state))
        done = end
        wanted -= len(text)
        if wanted <= 0:
            break
    return end


@runtime_checkable
class ByteSource(Protocol):
    """Bytes that can be read from any place. Sizes and places are in bytes.

    Callers with bytes that are neither in memory nor in a file implement this protocol.
    """

    @property
    def size(self) -> int:
        """How many bytes there are."""

    def reading(self) -> AbstractContextManager[Fetch]:
        """A function that reads slices, for as long as the context lasts, in one thread."""

    def whole(self) -> AbstractContextManager[bytes | mmap.mmap]:
        """Return all bytes, for as long as the context lasts; a file is mapped, not read."""


class MemorySource:
    """Bytes in memory or mapped into it."""

    __slots__ = ("_data", "_view", "size")

    def __init__(self, data: Buffer) -> None:
        self._data = data
        self._view = memoryview(data).cast("B")
        self.size = len(self._view)

    @contextmanager
    def reading(self) -> Iterator[Fetch]:
        """Give slices without copying them."""
        yield lambda start, end: self._view[start:end]

    @contextmanager
    def whole(self) -> Iterator[bytes | mmap.mmap]:
        """Give what is there; a copy where it cannot be searched."""
        yield self._data if isinstance(self._data, bytes | mmap.mmap) else bytes(self._data)


class FileSource:
    """A file, opened for each piece of work, so that none is left open."""

    __slots__ = ("path", "size")

    def __init__(self, path: Path) -> None:
        self.path = path
        with _reported(path):
            self.size = path.stat().st_size

    @contextmanager
    def reading(self) -> Iterator[Fetch]:
        """Open the file. Raises NotFoundError or StorageError where it cannot be read."""
        with self.filling() as fill:
            buffer = memoryview(b"")

            def fetch(start: int, end: int) -> memoryview:
                # One buffer serves all slices: fresh memory for each costs more than reading.
                nonlocal buffer
                if len(buffer) < end - start:
                    buffer = memoryview(bytearray(end - start))
                return buffer[: fill(start, buffer[: end - start])]

            yield fetch

    @contextmanager
    def filling(self) -> Iterator[Fill]:
        """Open the file, to read it into the caller's memory. Raises as `reading` does."""
        with _reported(self.path), self.path.open("rb", buffering=0) as file:

            def fill(start: int, buffer: memoryview) -> int:
                done = 0
                file.seek(start)
                while done < len(buffer) and (got := file.readinto(buffer[done:])):
                    done += got
                if done < min(len(buffer), self.size - start):
                    raise _shortened(self.path)
                return done

            yield fill

    @contextmanager
    def whole(self) -> Iterator[bytes | mmap.mmap]:
        """Map the file. Raises NotFoundError or StorageError where it cannot be read."""
        if self.size == 0:  # what is empty cannot be mapped
            yield b""
            return
        with (
            _reported(self.path),
            self.path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
        ):
            yield mapped


def _shortened(path: Path) -> StorageError:
    problem = "the file became shorter while it was read"
    return StorageError(problem, path=str(path), reason="io")


@contextmanager
def filling(source: ByteSource) -> Iterator[Fill]:
    """A function that fills buffers, for as long as the context lasts, in one thread."""
    if isinstance(source, FileSource):
        with source.filling() as fill:
            yield fill
        return
    with source.reading() as fetch:

        def copy(start: int, buffer: memoryview) -> int:
            data = fetch(start, start + len(buffer))
            buffer[: len(data)] = data
            return len(data)

        yield copy


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    """Turn errors of the operating system into ours."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError("no such file", str(path)) from error
    except OSError as error:
        problem = error.strerror or "cannot be read"
        raise StorageError(problem, path=str(path), reason="io") from error


def source_of(source: Buffer | os.PathLike[str] | ByteSource) -> ByteSource:
    """The source of octets. Raises TypeError for a str, which could be text or a path."""
    if isinstance(source, bytes | bytearray | memoryview | mmap.mmap):
        return MemorySource(source)
    if isinstance(source, os.PathLike):
        return FileSource(Path(source))
    if isinstance(source, ByteSource):
        return source
    raise TypeError("source: bytes, mmap or pathlib.Path; for decoded text there is Text.of")


_HASHED_BYTES = 1 << 20


def digest(source: ByteSource, name: str) -> str:
    """The digest of that name of the bytes as they are, in hexadecimal digits."""
    hashing = hashlib.new(name, usedforsecurity=False)
    with source.reading() as fetch:
        for start in range(0, source.size, _HASHED_BYTES):
            hashing.update(fetch(start, start + _HASHED_BYTES))
    return hashing.hexdigest()
