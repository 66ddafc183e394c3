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

import contextlib
import hashlib
from contextlib import contextmanager
from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING

from permacite.archive.records import octets
from permacite.archive.records.versions import sidecars
from permacite.errors import IntegrityError, NotFoundError, ParseError, StorageError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.engine.write_behind import ArchiveObjects
    from permacite.archive.model.answered import Representation
    from permacite.archive.objects.source import ContentReader
    from permacite.archive.records.rows import Transaction

    Fetch: TypeAlias = Callable[[int, int], memoryview]

__all__ = ["PIECES", "PIECE_BYTES", "CheckedPieces", "KnownPieces", "Pieces"]

PIECE_BYTES = 1 << 15
"""Reading and hashing as much takes some tens of microseconds."""

PIECES = "piece-digests"
"""The name of the sidecar that holds them."""

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


_AT_HAND = 32
"""Digests of pieces that stay in memory; they take a thousandth of a content."""


class KnownPieces:
    """The digests of the pieces of contents. Any number of threads may ask."""

    def __init__(self, catalog: Catalog, objects: ArchiveObjects) -> None:
        """Take a catalog and objects that are open."""
        self._catalog = catalog
        self._objects = objects
        # By digest: what was read once under it never changes.
        self._known = lru_cache(maxsize=_AT_HAND)(self._found)

    def of(self, representation: Representation) -> Pieces:
        """The digests of a content, committed with it or made now.

        Raises IntegrityError where they have to be made and the octets are not as they were
        committed, NotFoundError where these are missing, StorageError.
        """
        digest, size = representation.digest, representation.size_bytes
        if size <= PIECE_BYTES:
            return Pieces.of_one(digest, size)
        return self._known(digest, size, self._catalog.read(sidecars, representation).get(PIECES))

    def fault(self, representation: Representation) -> str:
        """Say what is wrong with the digests of the pieces of a content; "" where nothing is.

        Those that were made here are made anew then. Octets that are not as they were committed
        are told by `verification` already.
        """
        digest = representation.digest
        if representation.size_bytes <= PIECE_BYTES:
            return ""  # nobody reads them
        sidecar = self._catalog.read(sidecars, representation).get(PIECES)
        kept = self._catalog.read(octets.pieces_of, digest)
        try:
            if sidecar is not None and not self._is_right(digest, self._objects.get(sidecar)):
                return "the digests of its pieces are of other octets"
            if kept is not None and not self._is_right(digest, kept):
                self._made(digest)
                return "the digests of its pieces were of other octets; they are made anew"
        except (IntegrityError, NotFoundError, StorageError):
            return ""
        return ""

    def _is_right(self, digest: str, stored: bytes) -> bool:
        """Whether digests of pieces, in their stored form, are of these octets."""
        try:
            pieces = Pieces.from_bytes(stored)
        except ParseError:
            return False
        with self._objects.open(digest) as source:
            return Pieces.of_source(source, piece_bytes=pieces.piece_bytes) == pieces

    def _found(self, digest: str, size: int, sidecar: str | None) -> Pieces:
        if sidecar is not None:
            with contextlib.suppress(IntegrityError, NotFoundError, ParseError):
                return _read(self._objects.get(sidecar), digest, size)
        kept = self._catalog.read(octets.pieces_of, digest)
        if kept is not None:
            with contextlib.suppress(ParseError):
                return _read(kept, digest, size)
        return self._made(digest)

    def _made(self, digest: str) -> Pieces:
        """Read all octets, a piece at a time, and keep what is found of them."""
        with self._objects.open(digest) as source:
            pieces = Pieces.of_source(source)
        with contextlib.suppress(StorageError):  # where the archive may only be read
            self._catalog.write(_keep, digest, pieces.to_bytes())
        return pieces


def _keep(transaction: Transaction, digest: str, pieces: bytes) -> None:
    octets.keep_pieces(transaction.connection, digest, pieces)


def _read(stored: bytes, digest: str, size: int) -> Pieces:
    """The digests in a stored form. Raises ParseError unless they are of this content."""
    pieces = Pieces.from_bytes(stored)
    if (pieces.digest_of_all, pieces.size_bytes) != (digest, size):
        raise ParseError("expected the digests of the pieces of another content", "", 0)
    return pieces
