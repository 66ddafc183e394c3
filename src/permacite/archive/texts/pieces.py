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

from permacite.errors import IntegrityError, ParseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from permacite.archive.objects import ContentReader

    Fetch: TypeAlias = Callable[[int, int], memoryview]

__all__ = ["PIECE_BYTES", "CheckedPieces", "Pieces"]

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
    def of(
        cls, content: bytes, *, piece_bytes: int = PIECE_BYTES, sha256: bytes | None = None
    ) -> Pieces:
        """Return the digests of `content`; `sha256` is that of all of it, where it is known."""
        view = memoryview(content)
        starts = range(0, len(content), piece_bytes)
        digests = (hashlib.sha256(view[start : start + piece_bytes]).digest() for start in starts)
        whole = hashlib.sha256(content).digest() if sha256 is None else sha256
        return cls(piece_bytes, len(content), whole, b"".join(digests))

    @classmethod
    def of_one(cls, digest: str, size: int) -> Pieces:
        """Return those of a content that is one piece, by its digest."""
        sha256 = bytes.fromhex(digest.removeprefix("sha-256:"))
        return cls(max(1, size), size, sha256, sha256 if size else b"")

    @classmethod
    def of_source(cls, source: ContentReader, *, piece_bytes: int = PIECE_BYTES) -> Pieces:
        """Return those of stored octets, which are never in memory as a whole.

        Raises IntegrityError where all of them have another digest, StorageError.
        """
        whole, digests, size = hashlib.sha256(), [], 0
        while piece := source.read(size, size + piece_bytes):
            whole.update(piece)
            digests.append(hashlib.sha256(piece).digest())
            size += len(piece)
        pieces = cls(piece_bytes, size, whole.digest(), b"".join(digests))
        if pieces.digest_of_all != source.digest:
            problem = f"stored bytes are altered: {source.name}"
            raise IntegrityError(problem, expected=source.digest, actual=pieces.digest_of_all)
        return pieces

    @property
    def digest_of_all(self) -> str:
        """The digest of all octets, as it names an object."""
        return f"sha-256:{self.sha256.hex()}"

    def to_bytes(self) -> bytes:
        """Return the stored form."""
        numbers = (self.piece_bytes.to_bytes(8, "little"), self.size_bytes.to_bytes(8, "little"))
        return b"".join([_MAGIC, *numbers, self.sha256, self.digests])

    @classmethod
    def from_bytes(cls, data: bytes) -> Pieces:
        """Read the stored form. Raises ParseError for anything else."""
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


class CheckedPieces:
    """Octets that are read by the piece, each compared with its digest: a ContentReader of a Text.

    For one thread. What is read raises IntegrityError where a piece is not what was committed,
    NotFoundError where the octets are missing, StorageError where the store refuses.
    """

    def __init__(self, opened: Callable[[], ContentReader], pieces: Pieces) -> None:
        """Take what opens the octets: they are closed when nobody reads."""
        self._opened = opened
        self._pieces = pieces
        self._kept: dict[int, bytes] = {}
        self.size = pieces.size_bytes

    @contextmanager
    def reading(self) -> Iterator[Fetch]:
        """Open the octets; what is given are slices of checked pieces."""
        with self._opened() as source:
            yield lambda start, end: self._between(source, start, min(end, self.size))

    @contextmanager
    def whole(self) -> Iterator[bytes]:
        """Give all of it, every piece checked."""
        yield self.octets(0, self.size)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, wanted: slice) -> bytes:
        """The octets of a slice without steps."""
        start, end, _ = wanted.indices(self.size)
        return self.octets(start, end)

    def octets(self, start: int, end: int) -> bytes:
        """The octets from `start` up to `end`, as far as there are any."""
        with self._opened() as source:
            return bytes(self._between(source, start, min(end, self.size)))

    def _between(self, source: ContentReader, start: int, end: int) -> memoryview:
        """Octets of checked pieces; `end` is not beyond the last."""
        if start >= end:
            return memoryview(b"")
        length = self._pieces.piece_bytes
        first, last = start // length, (end - 1) // length
        pieces = [self._piece(source, number) for number in range(first, last + 1)]
        data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        return memoryview(data)[start - first * length : end - first * length]

    def _piece(self, source: ContentReader, number: int) -> bytes:
        """One piece. Raises IntegrityError."""
        kept = self._kept.get(number)
        if kept is not None:
            return kept
        length = self._pieces.piece_bytes
        data = source.read(number * length, min((number + 1) * length, self.size))
        actual = hashlib.sha256(data).digest()
        expected = self._pieces.digest(number)
        if actual != expected:
            raise IntegrityError(
                f"stored bytes are altered: {source.name}, from byte {number * length} on",
                expected=f"sha-256:{expected.hex()}",
                actual=f"sha-256:{actual.hex()}",
            )
        while len(self._kept) >= _KEPT:
            self._kept.pop(next(iter(self._kept)))
        self._kept[number] = data
        return data
