"""Digests of the pieces of a content, so that a part of it can be checked without all of it.

They are made when the content is committed, and kept beside it: the log's entry names them by
their digest, as it names the content. So a piece that has the digest recorded for it is what was
committed, whatever became of the rest.

The stored form, all numbers little-endian:

| bytes | what |
|---|---|
| 8 | `pcpiece1`: the name and version of the form |
| 8 | the length of a piece; the last one may be shorter |
| 8 | the length of the content |
| 32 | the SHA-256 of the content |
| 32 for each piece | its SHA-256 |
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from permacite.errors import IntegrityError, NotFoundError, ParseError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import FileIO
    from pathlib import Path
    from typing import TypeAlias

    Fetch: TypeAlias = Callable[[int, int], memoryview]

__all__ = ["PIECE_BYTES", "CheckedFile", "Pieces", "check_digest"]

PIECE_BYTES = 1 << 15
"""Reading and hashing as much takes some tens of microseconds."""

_MAGIC = b"pcpiece1"
_DIGEST_BYTES = 32
_HEADER_BYTES = len(_MAGIC) + 8 + 8 + _DIGEST_BYTES
_KEPT = 8
"""Pieces that stay at hand: answers read a few of them again and again."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """The digests of one content. `sha256` is of all of it; `digests` of the pieces, in a row."""

    piece_bytes: int
    size_bytes: int
    sha256: bytes
    digests: bytes = field(repr=False)

    @classmethod
    def of(cls, content: bytes, *, piece_bytes: int = PIECE_BYTES) -> Pieces:
        """Return the digests of `content`."""
        view = memoryview(content)
        starts = range(0, len(content), piece_bytes)
        digests = (hashlib.sha256(view[start : start + piece_bytes]).digest() for start in starts)
        whole = hashlib.sha256(content).digest()
        return cls(piece_bytes, len(content), whole, b"".join(digests))

    def to_bytes(self) -> bytes:
        """Return the stored form."""
        numbers = (self.piece_bytes.to_bytes(8, "little"), self.size_bytes.to_bytes(8, "little"))
        return b"".join([_MAGIC, *numbers, self.sha256, self.digests])

    @classmethod
    def from_bytes(cls, data: bytes) -> Pieces:
        """Return what `to_bytes` wrote. Raises ParseError for anything else."""
        piece_bytes, size_bytes = (int.from_bytes(data[at : at + 8], "little") for at in (8, 16))
        count = -(-size_bytes // piece_bytes) if piece_bytes else 0
        whole = len(data) == _HEADER_BYTES + count * _DIGEST_BYTES
        if not (data.startswith(_MAGIC) and piece_bytes and whole):
            raise ParseError("expected the digests of pieces as permacite stores them", "", 0)
        start = _HEADER_BYTES - _DIGEST_BYTES
        return cls(piece_bytes, size_bytes, data[start:_HEADER_BYTES], data[_HEADER_BYTES:])

    def digest(self, number: int) -> bytes:
        """Return the digest of a piece, counted from 0."""
        return self.digests[number * _DIGEST_BYTES : (number + 1) * _DIGEST_BYTES]


class CheckedFile:
    """A file that is read by the piece, each compared with its digest: a Source of a Text.

    For one thread. What is read raises IntegrityError where a piece is not what was committed,
    NotFoundError where the file is missing, StorageError where the disk refuses.
    """

    def __init__(self, path: Path, pieces: Pieces) -> None:
        self._path = path
        self._pieces = pieces
        self._kept: dict[int, bytes] = {}
        self.size = pieces.size_bytes

    @contextmanager
    def reading(self) -> Iterator[Fetch]:
        """Open the file; what is given are slices of checked pieces."""
        with _opened(self._path) as file:
            yield lambda start, end: self._between(file, start, min(end, self.size))

    @contextmanager
    def whole(self) -> Iterator[bytes]:
        """Give all of it, every piece checked."""
        yield self.octets(0, self.size)

    def octets(self, start: int, end: int) -> bytes:
        """Return the octets from `start` up to `end`, as far as there are any."""
        with _opened(self._path) as file:
            return bytes(self._between(file, start, min(end, self.size)))

    def _between(self, file: FileIO, start: int, end: int) -> memoryview:
        """Return octets of checked pieces; `end` is not beyond the last."""
        if start >= end:
            return memoryview(b"")
        length = self._pieces.piece_bytes
        first, last = start // length, (end - 1) // length
        found = [self._piece(file, number) for number in range(first, last + 1)]
        data = found[0] if len(found) == 1 else b"".join(found)
        return memoryview(data)[start - first * length : end - first * length]

    def _piece(self, file: FileIO, number: int) -> bytes:
        """Return a piece. Raises IntegrityError."""
        kept = self._kept.get(number)
        if kept is not None:
            return kept
        length = self._pieces.piece_bytes
        file.seek(number * length)
        data = file.read(min(length, self.size - number * length))
        actual = hashlib.sha256(data).digest()
        expected = self._pieces.digest(number)
        if actual != expected:
            raise IntegrityError(
                f"stored bytes are altered: {self._path}, from byte {number * length} on",
                expected=f"sha-256:{expected.hex()}",
                actual=f"sha-256:{actual.hex()}",
            )
        while len(self._kept) >= _KEPT:
            self._kept.pop(next(iter(self._kept)))
        self._kept[number] = data
        return data


def check_digest(path: Path, digest: str) -> None:
    """Recompute a digest without holding the octets.

    Raises IntegrityError, NotFoundError, StorageError.
    """
    with _opened(path) as file:
        actual = f"sha-256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
    if actual != digest:
        problem = f"stored bytes are altered: {path}"
        raise IntegrityError(problem, expected=digest, actual=actual)


@contextmanager
def _opened(path: Path) -> Iterator[FileIO]:
    """Open a file. What the system refuses, then or later, becomes an error of ours."""
    try:
        with path.open("rb", buffering=0) as file:
            yield file
    except FileNotFoundError as error:
        digest = f"sha-256:{path.name}"
        raise NotFoundError(f"no object {digest}", digest) from error
    except OSError as error:
        problem = f"cannot use {path}: {error.strerror or error}"
        raise StorageError(problem, path=str(path), reason="io") from error
